import {useMemo, useState} from 'preact/hooks';
import {Sparkline, TimeChart} from '../charts/time_chart';
import type {Report, Timeline, Topic} from '../data';
import {count, date, interval, percentNumber, periodName, periodsText, plural} from '../format';
import {topWordText} from '../relevance';

const kAtFirst = 12;

/** One topic over time in the detail: the chart, and the numbers as a table. */
export function TopicOverTime({timeline, topic}: {timeline: Timeline; topic: Topic}) {
  return (
    <section aria-labelledby="time-title">
      <h3 id="time-title">Over time</h3>
      <TimeChart timeline={timeline} topic={topic.topic} />
      <details>
        <summary>The numbers</summary>
        <table class="periods">
          <thead>
            <tr>
              <th scope="col">{periodName(timeline.unit)}</th>
              <th scope="col" class="number">documents</th>
              <th scope="col" class="number">%</th>
              <th scope="col" class="number">95% interval</th>
            </tr>
          </thead>
          <tbody>
            {timeline.periods.map((period) => (
              <tr key={period.begin}>
                <th scope="row">{date(period.begin, timeline.unit)}</th>
                <td class="number">{count(period.documents)}</td>
                <td class="number">{percentNumber(period.shares[topic.topic].mean)}</td>
                <td class="number muted">{interval(period.shares[topic.topic])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

// How far apart the intervals of two periods are, at most: a change that is no accident.
function change(timeline: Timeline, topic: number): number {
  const lower = Math.max(...timeline.periods.map((period) => period.shares[topic].lower));
  const upper = Math.min(...timeline.periods.map((period) => period.shares[topic].upper));
  return lower - upper;
}

interface Props {
  report: Report;
  timeline: Timeline;
  relevance: number;
  selected: number;
  onSelect: (topic: number) => void;
}

/** All topics over time, those that changed most first. */
export function OverTime({report, timeline, relevance, selected, onSelect}: Props) {
  const [all, setAll] = useState(false);
  const order = useMemo(() => {
    const changes = new Map(report.topics.map(({topic}) => [topic, change(timeline, topic)]));
    return [...report.topics].sort((a, b) => changes.get(b.topic)! - changes.get(a.topic)!);
  }, [report]);
  const shown = all ? order : order.slice(0, kAtFirst);
  const {periods, unit} = timeline;
  return (
    <section class="wide" aria-labelledby="over-time-title">
      <h2 id="over-time-title">Topics over time</h2>
      <p class="help">
        {timeline.ofModel ? 'What the model has learnt from, by the time of the documents: ' : ''}
        {periodsText(periods.length, unit)} from {date(periods[0].begin, unit)} to{' '}
        {date(periods[periods.length - 1].begin, unit)}; the band is the 95% interval, each chart has its own
        scale, and what changed most comes first.
        {timeline.outside > 0 &&
          ` ${plural(timeline.outside, 'document', 'documents')} long before or after the others ${timeline.outside === 1 ? 'is' : 'are'} left out.`}
        {timeline.undated > 0 && ` ${plural(timeline.undated, 'document has', 'documents have')} no time.`}
        {timeline.late > 0 &&
          ` ${plural(timeline.late, 'document', 'documents')} came when there were later ones, and ${timeline.late === 1 ? 'is' : 'are'} where their time is.`}
      </p>
      <ul class="multiples">
        {shown.map((topic) => (
          <li key={topic.topic}>
            <button class={topic.topic === selected ? 'multiple selected' : 'multiple'}
              aria-pressed={topic.topic === selected} onClick={() => onSelect(topic.topic)}>
              <span class="multiple-line">
                <b>{topic.topic}</b> {topWordText(report, topic, relevance, 4)}
              </span>
              <Sparkline timeline={timeline} topic={topic.topic} />
            </button>
          </li>
        ))}
      </ul>
      {order.length > kAtFirst && (
        <button class="more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${count(order.length)} topics`}
        </button>
      )}
    </section>
  );
}
