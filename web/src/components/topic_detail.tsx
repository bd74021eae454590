import type {Report, Topic} from '../data';
import {interval, npmi, percent} from '../format';
import {topWordText} from '../relevance';
import {Documents} from './documents';
import {TopicOverTime} from './over_time';
import {Words} from './words';

interface Props {
  report: Report;
  topic: Topic;
  relevance: number;
  onRelevance: (relevance: number) => void;
  onSelect: (topic: number) => void;
  onWord: (place: number) => void;
}

/** Everything about one topic. */
export function TopicDetail({report, topic, relevance, onRelevance, onSelect, onWord}: Props) {
  const at = report.topics.indexOf(topic);
  const step = (by: number): void => {
    const next = report.topics[(at + by + report.topics.length) % report.topics.length];
    onSelect(next.topic);
  };
  return (
    <article class="detail" id="detail" aria-labelledby="detail-title">
      <div class="section-line">
        <h2 id="detail-title" tabIndex={-1}>Topic {topic.topic}</h2>
        <span class="steps">
          <button class="step" aria-label="The next larger topic" onClick={() => step(-1)}>‹</button>
          <button class="step" aria-label="The next smaller topic" onClick={() => step(1)}>›</button>
        </span>
      </div>
      <p class="gist" aria-live="polite">{topWordText(report, topic, relevance, 6)}</p>
      <p class="facts">
        <b>{percent(topic.share.mean)}</b> of the corpus <span class="muted">[{interval(topic.share)}]</span>
        {topic.coherence !== undefined && <> · coherence <b>{npmi(topic.coherence)}</b></>}
        {topic.stability && (
          <>
            {' '}· found by <b>{topic.stability.found_by} of {topic.stability.runs}</b> runs{' '}
            <span class="muted">(mean cosine {topic.stability.cosine.toFixed(2)})</span>
          </>
        )}
      </p>
      <Words report={report} topic={topic} relevance={relevance} onRelevance={onRelevance} onWord={onWord} />
      {report.timeline && <TopicOverTime timeline={report.timeline} topic={topic} />}
      {topic.documents.length > 0 && <Documents documents={topic.documents} />}
    </article>
  );
}
