import {useState} from 'preact/hooks';
import {ShareBar, scaleOf} from '../charts/bars';
import type {Report} from '../data';
import {partOfWord, topicsOfWord} from '../data';
import {interval, percent, percentNumber} from '../format';
import {findWords} from '../lookup';
import {topWordText} from '../relevance';

interface SearchProps {
  report: Report;
  onWord: (place: number | undefined) => void;
}

/** A field that proposes the words of the model. */
export function WordSearch({report, onWord}: SearchProps) {
  const [typed, setTyped] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const found = open ? findWords(report, typed, 8) : [];

  const choose = (place: number): void => {
    setTyped(report.words[place]);
    setOpen(false);
    onWord(place);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : found.length - 1;
      if (found.length > 0) setActive((active + step) % found.length);
    } else if (event.key === 'Enter' && found[active] !== undefined) {
      choose(found[active]);
    } else if (event.key === 'Escape') {
      setTyped('');
      setOpen(false);
      onWord(undefined);
    }
  };
  return (
    <div class="search">
      <label for="search">Find a word</label>
      <input id="search" type="search" value={typed} autocomplete="off" spellcheck={false}
        role="combobox" aria-expanded={found.length > 0} aria-controls="proposals" aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `proposal-${active}` : undefined}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setOpen(true);
          setActive(0);
          if (event.currentTarget.value === '') onWord(undefined);
        }}
        onKeyDown={onKeyDown} onBlur={() => setOpen(false)} />
      <ul id="proposals" role="listbox" aria-label="Words" hidden={found.length === 0}>
        {found.map((place, i) => (
          <li key={place} id={`proposal-${i}`} role="option" aria-selected={i === active}
            onPointerDown={(event) => {
              event.preventDefault();
              choose(place);
            }}>
            <span>{report.words[place]}</span>
            <span class="muted">{percent(report.frequencies[place])}</span>
          </li>
        ))}
      </ul>
      {open && typed.trim() !== '' && found.length === 0 && (
        <p class="nothing" role="status">no such word in the model</p>
      )}
    </div>
  );
}

interface TopicsProps {
  report: Report;
  place: number;
  relevance: number;
  selected: number;
  onSelect: (topic: number) => void;
  onClose: () => void;
}

/** The topics of a word that was looked up. */
export function WordTopics({report, place, relevance, selected, onSelect, onClose}: TopicsProps) {
  const found = topicsOfWord(report, place);
  const scale = scaleOf(found.map(({probability}) => probability));
  return (
    <section class="word-topics" aria-labelledby="word-title">
      <div class="section-line">
        <h2 id="word-title">
          “<bdi>{report.words[place]}</bdi>” <span class="muted">{percent(report.frequencies[place])} of the corpus</span>
        </h2>
        <button class="link" onClick={onClose}>close</button>
      </div>
      {found.length === 0 ? (
        <p class="help">
          {place < report.wordTopics.length
            ? 'No topic has 5% of its tokens: it is everywhere, or too rare to tell.'
            : 'Not among the most frequent words, which alone can be looked up.'}
        </p>
      ) : (
        <table class="words">
          <thead>
            <tr>
              <th scope="col" class="number">topic</th>
              <th scope="col" class="number" title="Part of the word's tokens that the topic has">of word</th>
              <th scope="col"><span class="hidden">bar</span></th>
              <th scope="col" class="number" title="Probability of the word in the topic">% in topic</th>
              <th scope="col" class="number">95% interval</th>
              <th scope="col" class="topic-gist">words of the topic</th>
            </tr>
          </thead>
          <tbody>
            {found.map(({topic, probability}) => {
              const known = report.byNumber.get(topic)!;
              return (
                <tr key={topic} class={topic === selected ? 'selected' : ''}>
                  <th scope="row" class="number">
                    <button class="link" onClick={() => onSelect(topic)}>{topic}</button>
                  </th>
                  <td class="number">{Math.round(100 * partOfWord(report, known, place, probability.mean))}%</td>
                  <td class="bar-cell"><ShareBar share={probability} scale={scale} /></td>
                  <td class="number">{percentNumber(probability.mean)}</td>
                  <td class="number muted">{interval(probability)}</td>
                  <td class="top-words topic-gist">{topWordText(report, known, relevance, 6)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}
