import {useEffect, useMemo, useState} from 'preact/hooks';
import type {Report} from '../data';
import {interval, percent, percentNumber} from '../format';
import {rankedWords} from '../relevance';

const kWords = 12;
const kPatience = 400; // milliseconds

/** On paper nothing can be clicked: all topics with their words, shares and intervals. */
export function PrintedTopics({report, relevance}: {report: Report; relevance: number}) {
  // Nobody sees it on the screen: it waits until the slider stands still.
  const [shown, setShown] = useState(relevance);
  useEffect(() => {
    const timer = setTimeout(() => setShown(relevance), kPatience);
    return () => clearTimeout(timer);
  }, [relevance]);
  return useMemo(
    () => (
      <section class="printed" aria-hidden="true">
        <h2>All topics</h2>
        <p class="help">
          Words at relevance {shown.toFixed(2)}, with their probability in the topic and its 95% interval, in
          percent.
        </p>
        {report.topics.map((topic) => (
          <div key={topic.topic} class="printed-topic">
            <h3>
              Topic {topic.topic} <span>{percent(topic.share.mean)} [{interval(topic.share)}]</span>
              {topic.stability && (
                <span> · found by {topic.stability.found_by} of {topic.stability.runs} runs</span>
              )}
            </h3>
            <p>
              {rankedWords(report, topic, shown, kWords).map((word) => (
                <span key={word.place} class="printed-word">
                  {report.words[word.place]}{' '}
                  <small>{percentNumber(word.probability.mean)} [{interval(word.probability)}]</small>{' '}
                </span>
              ))}
            </p>
          </div>
        ))}
      </section>
    ),
    [report, shown],
  );
}
