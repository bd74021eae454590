import type {Share} from '../data';

/**
 * A bar with the interval as a whisker, and perhaps a mark to compare with. The numbers stand beside it
 * as text, so that it is hidden from screen readers.
 */
export function ShareBar({share, scale, mark}: {share: Share; scale: number; mark?: number}) {
  const at = (value: number): string => `${(100 * Math.min(value / scale, 1)).toFixed(2)}%`;
  return (
    <svg class="bar" aria-hidden="true" focusable="false">
      <rect class="bar-fill" x="0" y="3" height="8" width={at(share.mean)} />
      {mark !== undefined && <line class="bar-mark" x1={at(mark)} x2={at(mark)} y1="1" y2="13" />}
      <line class="whisker" x1={at(share.lower)} x2={at(share.upper)} y1="7" y2="7" />
      <line class="whisker" x1={at(share.lower)} x2={at(share.lower)} y1="4.5" y2="9.5" />
      <line class="whisker" x1={at(share.upper)} x2={at(share.upper)} y1="4.5" y2="9.5" />
    </svg>
  );
}

/** The largest upper end that the bars of one table must have room for. */
export function scaleOf(shares: Share[]): number {
  return Math.max(1e-9, ...shares.map((share) => share.upper));
}
