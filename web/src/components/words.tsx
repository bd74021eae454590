import {ShareBar, scaleOf} from '../charts/bars';
import type {Report, Topic} from '../data';
import {partOfWord} from '../data';
import {interval, percentNumber} from '../format';
import {rankedWords} from '../relevance';

interface Props {
  report: Report;
  topic: Topic;
  relevance: number;
  onRelevance: (relevance: number) => void;
  onWord: (place: number) => void;
}

/** The words of a topic, ranked anew when the relevance changes. */
export function Words({report, topic, relevance, onRelevance, onWord}: Props) {
  const words = rankedWords(report, topic, relevance, report.top);
  const scale = scaleOf(words.map((word) => word.probability));
  return (
    <section aria-labelledby="words-title">
      <div class="section-line">
        <h3 id="words-title">Words</h3>
        <label class="relevance">
          <span>relevance λ</span>
          <input id="relevance" type="range" min="0" max="1" step="0.05" value={relevance}
            aria-describedby="relevance-help"
            onInput={(event) => onRelevance(Number(event.currentTarget.value))} />
          <output>{relevance.toFixed(2)}</output>
        </label>
      </div>
      <p id="relevance-help" class="help">
        1: the most probable words first; 0: those found in this topic more than elsewhere.
      </p>
      <table class="words">
        <thead>
          <tr>
            <th scope="col">word</th>
            <th scope="col"><span class="hidden">bar</span></th>
            <th scope="col" class="number" title="Probability of the word in this topic">%</th>
            <th scope="col" class="number">95% interval</th>
            <th scope="col" class="number" title="Part of the word's tokens that this topic has">of word</th>
          </tr>
        </thead>
        <tbody>
          {words.map((word) => (
            <tr key={word.place}>
              <th scope="row">
                <button class="word" onClick={() => onWord(word.place)}>{report.words[word.place]}</button>
              </th>
              <td class="bar-cell">
                <ShareBar share={word.probability} scale={scale} mark={report.frequencies[word.place]} />
              </td>
              <td class="number">{percentNumber(word.probability.mean)}</td>
              <td class="number muted">{interval(word.probability)}</td>
              <td class="number">
                {Math.round(100 * partOfWord(report, topic, word.place, word.probability.mean))}%
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="help key">
        <span>
          <svg class="key-bar" aria-hidden="true"><rect class="bar-fill" x="0" y="3" width="24" height="8" /></svg>{' '}
          probability in the topic with its interval
        </span>
        <span>
          <svg class="key-mark" aria-hidden="true"><line class="bar-mark" x1="2" x2="2" y1="1" y2="13" /></svg>{' '}
          in the whole corpus
        </span>
      </p>
    </section>
  );
}
