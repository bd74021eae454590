import {useMemo, useState} from 'preact/hooks';
import {TopicMap} from './charts/topic_map';
import {About} from './components/about';
import {Misfits} from './components/documents';
import {OverTime} from './components/over_time';
import {PrintedTopics} from './components/printed_topics';
import {TopicDetail} from './components/topic_detail';
import {TopicList} from './components/topic_list';
import {WordSearch, WordTopics} from './components/word_search';
import type {Report} from './data';
import {topicsOfWord} from './data';
import {count, percent, plural} from './format';

function Summary({report}: {report: Report}) {
  const {input} = report;
  return (
    <p class="summary">
      <b>{count(report.topics.length)}</b> topics of <b>{count(report.vocabulary)}</b> words, learnt from{' '}
      <b>{count(report.documents)}</b> documents with <b>{count(report.tokens)}</b> tokens
      {input && (
        <>
          ; shown with <b>{plural(input.documents, 'document', 'documents')}</b>
          {input.skipped > 0 && `, ${count(input.skipped)} of them without a known word`}
        </>
      )}
    </p>
  );
}

// Follows the system until it is pressed.
function Theme() {
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const [theme, setTheme] = useState(system);
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <button class="link theme" onClick={() => {
      document.documentElement.dataset.theme = other;
      setTheme(other);
    }}>
      {other}
      <span class="hidden"> colours</span>
    </button>
  );
}

export function ReportPage({report}: {report: Report}) {
  const [selected, setSelected] = useState(report.topics[0].topic);
  const [relevance, setRelevance] = useState(0.6);
  const [word, setWord] = useState<number | undefined>();
  const highlights = useMemo(
    () => word === undefined
      ? undefined
      : new Map(topicsOfWord(report, word).map(({topic, probability}) => [topic, probability.mean])),
    [word],
  );
  // On a narrow screen the detail is below: what was chosen there is brought into view.
  const choose = (topic: number): void => {
    setSelected(topic);
    const detail = document.getElementById('detail');
    if (detail && matchMedia('(max-width: 60rem)').matches) detail.scrollIntoView({block: 'start'});
  };
  const lookUp = (place: number | undefined): void => {
    setWord(place);
    if (place !== undefined) document.getElementById('top')?.scrollIntoView({block: 'nearest'});
  };
  const view = {report, relevance, selected};
  return (
    <>
      <a class="skip" href="#detail">Skip to the topic</a>
      <header id="top">
        <div>
          <h1><bdi>{report.title}</bdi></h1>
          <Summary report={report} />
        </div>
        <div class="tools">
          <WordSearch report={report} onWord={lookUp} />
          <Theme />
        </div>
      </header>
      <main>
        {word !== undefined && (
          <WordTopics {...view} place={word} onSelect={choose} onClose={() => setWord(undefined)} />
        )}
        <div class="columns">
          <section class="overview" aria-labelledby="map-title">
            <h2 id="map-title" class="hidden">All topics</h2>
            <TopicMap {...view} onSelect={setSelected} highlights={highlights} />
            <p class="help">
              Topics with similar words are near each other; two dimensions show {percent(report.mapShown)} of the
              squared distances.
            </p>
            <div class="topic-scroll">
              <TopicList {...view} onSelect={choose} highlights={highlights} />
            </div>
          </section>
          <TopicDetail report={report} topic={report.byNumber.get(selected)!} relevance={relevance}
            onRelevance={setRelevance} onSelect={setSelected} onWord={lookUp} />
        </div>
        {report.timeline && <OverTime {...view} timeline={report.timeline} onSelect={choose} />}
        {report.input && <Misfits report={report} input={report.input} onSelect={choose} />}
        <PrintedTopics report={report} relevance={relevance} />
      </main>
      <About report={report} />
    </>
  );
}
