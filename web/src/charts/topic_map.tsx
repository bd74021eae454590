import {useMemo, useRef} from 'preact/hooks';
import type {Report, Topic} from '../data';
import {percent} from '../format';
import {topWordText} from '../relevance';

const kWidth = 640;
const kHeight = 400;
const kMargin = 14;

interface Circle {
  topic: Topic;
  x: number;
  y: number;
  r: number;
}

// Both axes have one scale, since distances are what the map is about.
function layout(topics: Topic[]): Circle[] {
  const largest = Math.max(...topics.map((topic) => topic.share.mean), 1e-9);
  const most = Math.min(38, 150 / Math.sqrt(topics.length));
  const radius = (topic: Topic): number => Math.max(3, most * Math.sqrt(topic.share.mean / largest));
  const xs = topics.map((topic) => topic.x);
  const ys = topics.map((topic) => topic.y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [bottom, top] = [Math.min(...ys), Math.max(...ys)];
  const room = 2 * (kMargin + most);
  const scale = Math.min(
    (kWidth - room) / Math.max(right - left, 1e-9),
    (kHeight - room) / Math.max(top - bottom, 1e-9),
  );
  return topics.map((topic) => ({
    topic,
    x: kWidth / 2 + scale * (topic.x - (left + right) / 2),
    y: kHeight / 2 - scale * (topic.y - (bottom + top) / 2),
    r: radius(topic),
  }));
}

const kDirections: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

// The nearest circle that lies in that direction, within a quarter of the plane.
function neighbour(circles: Circle[], from: Circle, [dx, dy]: [number, number]): Circle | undefined {
  let best: Circle | undefined;
  let distance = Infinity;
  for (const circle of circles) {
    const x = circle.x - from.x;
    const y = circle.y - from.y;
    const along = x * dx + y * dy;
    const across = Math.abs(x * dy) + Math.abs(y * dx);
    if (circle === from || along <= 0 || across > along) continue;
    if (x * x + y * y < distance) {
      best = circle;
      distance = x * x + y * y;
    }
  }
  return best;
}

interface Props {
  report: Report;
  relevance: number;
  selected: number;
  onSelect: (topic: number) => void;
  highlights?: Map<number, number>; // topics of a word that was looked up, with their part of it
}

export function TopicMap({report, relevance, selected, onSelect, highlights}: Props) {
  const circles = useMemo(() => layout(report.topics), [report]);
  const svg = useRef<SVGSVGElement>(null);

  const onKeyDown = (event: KeyboardEvent, circle: Circle): void => {
    const direction = kDirections[event.key];
    if (direction) {
      event.preventDefault();
      const next = neighbour(circles, circle, direction);
      if (!next) return;
      onSelect(next.topic.topic);
      svg.current?.querySelector<SVGGElement>(`[data-topic="${next.topic.topic}"]`)?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onSelect(circle.topic.topic);
    }
  };

  const classOf = (topic: number): string => {
    const classes = ['circle'];
    if (topic === selected) classes.push('selected');
    if (highlights) classes.push(highlights.has(topic) ? 'found' : 'not-found');
    return classes.join(' ');
  };
  // Small circles are drawn above large ones.
  const ordered = useMemo(() => [...circles].sort((a, b) => b.r - a.r), [circles]);
  return (
    <svg ref={svg} class="map" viewBox={`0 0 ${kWidth} ${kHeight}`} role="group"
      aria-label="Map of the topics: those with similar words are near each other. The arrow keys go to the next topic in a direction.">
      <line class="axis" x1="0" x2={kWidth} y1={kHeight / 2} y2={kHeight / 2} />
      <line class="axis" x1={kWidth / 2} x2={kWidth / 2} y1="0" y2={kHeight} />
      {ordered.map((circle) => {
        const {topic, share} = circle.topic;
        const words = topWordText(report, circle.topic, relevance, 5);
        return (
          <g key={topic} class={classOf(topic)} data-topic={topic} role="button"
            tabindex={topic === selected ? 0 : -1} aria-pressed={topic === selected}
            aria-label={`Topic ${topic}, ${percent(share.mean)}: ${words}`}
            onClick={() => onSelect(topic)} onKeyDown={(event) => onKeyDown(event, circle)}>
            <title>{`Topic ${topic} · ${percent(share.mean)}\n${words}`}</title>
            <circle cx={circle.x} cy={circle.y} r={circle.r} />
            {(circle.r >= 9 || topic === selected) && (
              <text x={circle.x} y={circle.y} dy="0.35em">{topic}</text>
            )}
          </g>
        );
      })}
      {ordered
        .filter((circle) => circle.topic.topic === selected)
        .map(({x, y, r}) => <circle key="ring" class="ring" cx={x} cy={y} r={r + 2} />)}
    </svg>
  );
}
