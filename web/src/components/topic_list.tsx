import {useRef, useState} from 'preact/hooks';
import {ShareBar, scaleOf} from '../charts/bars';
import type {Report, Topic} from '../data';
import {interval, npmi, percentNumber} from '../format';
import {topWordText} from '../relevance';

type Key = 'topic' | 'share' | 'coherence' | 'stability';

function valueOf(topic: Topic, key: Key): number {
  if (key === 'share') return topic.share.mean;
  if (key !== 'stability') return topic[key] ?? -Infinity;
  // Of topics that as many runs found, the mean cosine, below 1, decides.
  return topic.stability ? topic.stability.found_by + topic.stability.cosine / 2 : -Infinity;
}

const kTitles: Record<Key, string> = {
  topic: 'topic', share: 'share of the corpus, %', coherence: 'coherence', stability: 'found by',
};

function optionalText(topic: Topic, key: 'coherence' | 'stability'): string {
  if (key === 'coherence') return topic.coherence === undefined ? '–' : npmi(topic.coherence);
  return topic.stability ? `${topic.stability.found_by} of ${topic.stability.runs}` : '–';
}

interface Props {
  report: Report;
  relevance: number;
  selected: number;
  onSelect: (topic: number) => void;
  highlights?: Map<number, number>;
}

export function TopicList({report, relevance, selected, onSelect, highlights}: Props) {
  const [sort, setSort] = useState<{key: Key; up: boolean}>({key: 'share', up: false});
  const body = useRef<HTMLTableSectionElement>(null);
  const optional = (['coherence', 'stability'] as const).filter((key) =>
    report.topics.some((topic) => topic[key] !== undefined),
  );
  const scale = scaleOf(report.topics.map((topic) => topic.share));
  const sign = sort.up ? 1 : -1;
  // Topics of a word that was looked up come first.
  const found = (topic: Topic): number => Number(highlights?.has(topic.topic) ?? false);
  const topics = [...report.topics].sort(
    (a, b) => found(b) - found(a) || sign * (valueOf(a, sort.key) - valueOf(b, sort.key)),
  );

  const sortBy = (key: Key): void =>
    setSort({key, up: sort.key === key ? !sort.up : key === 'topic'});
  const onKeyDown = (event: KeyboardEvent, index: number): void => {
    const steps: Record<string, number> = {ArrowDown: 1, ArrowUp: -1, Home: -index, End: topics.length - 1 - index};
    const next = topics[index + (steps[event.key] ?? NaN)];
    if (!next) return;
    event.preventDefault();
    onSelect(next.topic);
    body.current?.querySelector<HTMLElement>(`[data-topic="${next.topic}"] button`)?.focus();
  };
  const header = (key: Key, className: string) => (
    <th scope="col" class={className}
      aria-sort={sort.key === key ? (sort.up ? 'ascending' : 'descending') : 'none'}>
      <button class="sort" onClick={() => sortBy(key)}>
        {kTitles[key]}
        <span aria-hidden="true">{sort.key === key ? (sort.up ? ' ↑' : ' ↓') : ''}</span>
      </button>
    </th>
  );
  return (
    <table class="topics">
      <thead>
        <tr>
          {header('topic', 'number')}
          {header('share', 'share-head')}
          {optional.map((key) => header(key, 'number optional'))}
          <th scope="col">words</th>
        </tr>
      </thead>
      <tbody ref={body}>
        {topics.map((topic, index) => {
          const number = topic.topic;
          const classes = [
            number === selected ? 'selected' : '',
            highlights && !highlights.has(number) ? 'not-found' : '',
          ];
          return (
            <tr key={number} data-topic={number} class={classes.join(' ')} onClick={() => onSelect(number)}>
              <th scope="row" class="number">
                <button class="topic-number" aria-pressed={number === selected}
                  tabIndex={number === selected ? 0 : -1} onKeyDown={(event) => onKeyDown(event, index)}>
                  <span class="hidden">topic </span>
                  {number}
                </button>
              </th>
              <td class="share-cell">
                <span class="number">{percentNumber(topic.share.mean)}</span>
                <ShareBar share={topic.share} scale={scale} />
                <span class="hidden">, 95% interval {interval(topic.share)}</span>
              </td>
              {optional.map((key) => (
                <td key={key} class="number optional">{optionalText(topic, key)}</td>
              ))}
              <td class="top-words">{topWordText(report, topic, relevance, 9)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
