import {useEffect, useRef, useState} from 'preact/hooks';
import type {Period, Timeline} from '../data';
import {count, date, interval, percent, periodName} from '../format';

interface Scale {
  x: (time: number) => number;
  y: (value: number) => number;
}

const middle = (period: Period): number => (period.begin + period.end) / 2;

/** The largest share that a chart of one topic must have room for. */
export function largestShare(periods: Period[], topic: number): number {
  // A period of a few documents has a wide interval: it may be cut by the frame.
  const sorted = periods.map((period) => period.shares[topic].upper).sort((a, b) => a - b);
  const usual = sorted[Math.floor(0.9 * (sorted.length - 1))];
  return Math.max(usual, ...periods.map((period) => 1.1 * period.shares[topic].mean), 1e-6);
}

// Line and band; where there are no documents for a while, both are broken.
function paths(periods: Period[], topic: number, {x, y}: Scale): {line: string; band: string; dots: Period[]} {
  const runs: Period[][] = [];
  for (const period of periods) {
    const last = runs[runs.length - 1];
    if (last && last[last.length - 1].end === period.begin) last.push(period);
    else runs.push([period]);
  }
  const point = (period: Period, value: number): string =>
    `${x(middle(period)).toFixed(1)} ${y(value).toFixed(1)}`;
  const share = (period: Period) => period.shares[topic];
  const line = runs.map((run) => 'M' + run.map((p) => point(p, share(p).mean)).join('L')).join('');
  const band = runs
    .map((run) => {
      const upper = run.map((p) => point(p, share(p).upper));
      const lower = run.map((p) => point(p, share(p).lower)).reverse();
      return `M${[...upper, ...lower].join('L')}Z`;
    })
    .join('');
  return {line, band, dots: runs.filter((run) => run.length === 1).map((run) => run[0])};
}

function Series({periods, topic, scale}: {periods: Period[]; topic: number; scale: Scale}) {
  const {line, band, dots} = paths(periods, topic, scale);
  return (
    <>
      <path class="band" d={band} />
      <path class="line" d={line} />
      {dots.map((p) => {
        const [x, share] = [scale.x(middle(p)), p.shares[topic]];
        return (
          <g key={p.begin}>
            <line class="whisker" x1={x} x2={x} y1={scale.y(share.lower)} y2={scale.y(share.upper)} />
            <circle class="dot" cx={x} cy={scale.y(share.mean)} r="1.8" />
          </g>
        );
      })}
    </>
  );
}

/** A small chart without text, for many topics side by side. */
export function Sparkline({timeline, topic}: {timeline: Timeline; topic: number}) {
  const [width, height] = [160, 40];
  const {periods} = timeline;
  const [begin, end] = [periods[0].begin, periods[periods.length - 1].end];
  const most = largestShare(periods, topic);
  const scale: Scale = {
    x: (time) => (width * (time - begin)) / (end - begin),
    y: (value) => Math.max(height - ((height - 2) * value) / most, 0),
  };
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <Series periods={periods} topic={topic} scale={scale} />
      <line class="axis" x1="0" x2={width} y1={height} y2={height} />
    </svg>
  );
}

function useWidth(): [{current: HTMLDivElement | null}, number] {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(560);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver((entries) => setWidth(Math.max(entries[0].contentRect.width, 200)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}

// At most so many round values from 0 on.
function ticks(most: number): number[] {
  const step = [1, 2, 5, 10].map((f) => f * 10 ** Math.floor(Math.log10(most / 3))).find((s) => most / s <= 4)!;
  return Array.from({length: Math.floor(most / step) + 1}, (_, i) => i * step);
}

/** One topic over time, and how many documents each period has. */
export function TimeChart({timeline, topic}: {timeline: Timeline; topic: number}) {
  const [element, width] = useWidth();
  const [pointed, setPointed] = useState<number | undefined>();
  const {periods, unit} = timeline;
  const [left, plot, gap, bars] = [44, 130, 14, 30];
  const [begin, end] = [periods[0].begin, periods[periods.length - 1].end];
  const most = largestShare(periods, topic);
  const mostDocuments = Math.max(...periods.map((period) => period.documents));
  const scale: Scale = {
    x: (time) => left + ((width - left - 4) * (time - begin)) / (end - begin),
    y: (value) => Math.max(plot + 6 - (plot * value) / most, 2),
  };
  const floor = plot + 6 + gap + bars;
  const labels = width < 420 ? 2 : 4;
  const shown = pointed === undefined ? undefined : periods[pointed];
  const nearest = (event: PointerEvent): void => {
    const x = event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
    const distance = (i: number): number => Math.abs(scale.x(middle(periods[i])) - x);
    setPointed(periods.reduce((best, _, i) => (distance(i) < distance(best) ? i : best), 0));
  };
  return (
    <div ref={element} class="time-chart">
      <svg width={width} height={floor + 20} role="img" onPointerMove={nearest}
        onPointerLeave={() => setPointed(undefined)}
        aria-label={`Share of topic ${topic} by ${periodName(unit)}, with its 95% interval, and the number of documents. The table below has the numbers.`}>
        {ticks(most).map((tick) => (
          <g key={tick}>
            <line class="grid" x1={left} x2={width - 4} y1={scale.y(tick)} y2={scale.y(tick)} />
            <text class="tick" x={left - 6} y={scale.y(tick)} dy="0.32em" text-anchor="end">
              {+(100 * tick).toPrecision(3)}%
            </text>
          </g>
        ))}
        <Series periods={periods} topic={topic} scale={scale} />
        {periods.map((period) => {
          const height = Math.max((bars * period.documents) / mostDocuments, 1);
          return (
            <rect key={period.begin} class="documents-bar" x={scale.x(period.begin)} y={floor - height}
              width={Math.max(scale.x(period.end) - scale.x(period.begin) - 1, 1)} height={height} />
          );
        })}
        <text class="tick" x={left - 6} y={floor - bars} dy="0.7em" text-anchor="end">{count(mostDocuments)}</text>
        {Array.from({length: labels + 1}, (_, i) => {
          const period = periods[Math.round((i * (periods.length - 1)) / labels)];
          const anchor = i === 0 ? 'start' : i === labels ? 'end' : 'middle';
          // Periods without documents are left out: a label stands where its own period is.
          const x = i === 0 ? left : i === labels ? width - 4 : scale.x(middle(period));
          const crowded = i > 0 && i < labels && (x < left + 110 || x > width - 114);
          return crowded ? null : (
            <text key={i} class="tick" x={x} y={floor + 14} text-anchor={anchor}>
              {date(period.begin, unit === 'week' ? 'day' : unit)}
            </text>
          );
        })}
        {shown && (
          <line class="pointer" x1={scale.x(middle(shown))} x2={scale.x(middle(shown))} y1="2" y2={floor} />
        )}
      </svg>
      <p class="reading" aria-hidden="true">
        {shown
          ? `${date(shown.begin, unit)}: ${percent(shown.shares[topic].mean)} [${interval(shown.shares[topic])}], ${count(shown.documents)} documents`
          : `${timeline.ofModel ? 'Share of the words' : 'Mean share'} of the documents of each ${periodName(unit)}, with its 95% interval; below, the number of documents.`}
      </p>
    </div>
  );
}
