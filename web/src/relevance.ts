import type {Report, Topic, TopicWord} from './data';

// The last ranking of each topic: several parts of the page ask for the same.
const rankings = new WeakMap<Topic, {relevance: number; words: TopicWord[]}>();

/**
 * The first words of a topic, ranked as Sievert and Shirley (2014) do: by relevance * log p(word |
 * topic) + (1 - relevance) * log (p(word | topic) / p(word)). At 1 the most probable words come
 * first, at 0 those that are most of all in this topic.
 */
export function rankedWords(report: Report, topic: Topic, relevance: number, most: number): TopicWord[] {
  const last = rankings.get(topic);
  if (last?.relevance === relevance) return last.words.slice(0, most);
  const value = ({place, probability}: TopicWord): number =>
    Math.log(probability.mean) - (1 - relevance) * Math.log(report.frequencies[place]);
  const words = topic.words
    .map((word) => ({word, value: value(word)}))
    .sort((a, b) => b.value - a.value)
    .slice(0, report.top)
    .map(({word}) => word);
  rankings.set(topic, {relevance, words});
  return words.slice(0, most);
}

export function topWordText(report: Report, topic: Topic, relevance: number, most: number): string {
  return rankedWords(report, topic, relevance, most)
    .map((word) => report.words[word.place])
    .join(' ');
}
