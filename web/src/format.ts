const whole = new Intl.NumberFormat('en-US');

export const count = (n: number): string => whole.format(n);

export const plural = (n: number, one: string, many: string): string =>
  `${count(n)} ${n === 1 ? one : many}`;

/** A unit of time as one thing: day, month, period of 4 weeks. */
export const periodName = (unit: string): string => (/^\d/.test(unit) ? `period of ${unit}` : unit);

export function periodsText(n: number, unit: string): string {
  if (/^\d/.test(unit)) return plural(n, `period of ${unit}`, `periods of ${unit}`);
  return plural(n, unit, unit === 'century' ? 'centuries' : `${unit}s`);
}

/** Three digits at most: 12.3%, 1.23%, 0.12%. */
export function percent(value: number): string {
  return percentNumber(value) + '%';
}

export function percentNumber(value: number): string {
  const p = 100 * value;
  if (p >= 99.95) return '100';
  if (p >= 10) return p.toFixed(1);
  if (p >= 0.01 || p === 0) return p.toFixed(2);
  return p.toPrecision(1);
}

/** A coherence, never -0.00. */
export const npmi = (value: number): string => (Math.round(100 * value) / 100 + 0).toFixed(2);

export function interval(share: {lower: number; upper: number}): string {
  return `${percentNumber(share.lower)}–${percentNumber(share.upper)}`;
}

const kMonths = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (n: number): string => String(n).padStart(2, '0');

/** A moment as precise as the unit: 12 Mar 1987, Mar 1987, Q1 1987, 1987. */
export function date(time: number, unit = 'day'): string {
  const d = new Date(time);
  const year = String(d.getUTCFullYear());
  const month = `${kMonths[d.getUTCMonth()]} ${year}`;
  switch (unit) {
    case 'hour':
      return `${d.getUTCDate()} ${month}, ${two(d.getUTCHours())}:00`;
    case 'month':
      return month;
    case 'quarter':
      return `Q${1 + Math.floor(d.getUTCMonth() / 3)} ${year}`;
    case 'year':
      return year;
    case 'decade':
    case 'century':
      return `${year}s`;
    case 'week':
      return `week of ${d.getUTCDate()} ${month}`;
    default:
      return `${d.getUTCDate()} ${month}`;
  }
}
