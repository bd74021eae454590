import type {Report} from './data';

/** Places of words that match what was typed: itself, then what begins with it, then what has it. */
export function findWords(report: Report, typed: string, most: number): number[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return [];
  const equal: number[] = [];
  const begins: number[] = [];
  const has: number[] = [];
  const searched = report.wordTopics.length;
  for (let place = 0; place < searched && begins.length < most; ++place) {
    const word = report.words[place].toLowerCase();
    const at = word.indexOf(wanted);
    if (at < 0) continue;
    if (word.length === wanted.length) equal.push(place);
    else if (at === 0) begins.push(place);
    else if (has.length < most) has.push(place);
  }
  // The loop may have ended before the word itself came.
  if (equal.length === 0) {
    const place = report.words.indexOf(wanted);
    if (place >= 0 && place < searched) equal.push(place);
  }
  return [...equal, ...begins, ...has].slice(0, most);
}
