// What the page draws. docs/report.md describes the JSON, in which lists of numbers are flat.

/** A number between 0 and 1 with its 95% interval. */
export interface Share {
  mean: number;
  lower: number;
  upper: number;
}

export interface TopicWord {
  place: number; // in Report.words
  probability: Share; // in the topic
}

export interface ReportDocument {
  number: number;
  id?: string;
  time?: number; // milliseconds since 1970, UTC
  tokens: number;
  topic: number;
  share: Share;
  gain: number;
  text?: string;
}

/** How many of the runs with other seeds found a topic, its own included. */
export interface Stability {
  found_by: number;
  runs: number;
  cosine: number; // mean over the other runs
}

export interface Topic {
  topic: number; // its number in the model
  share: Share;
  x: number;
  y: number;
  words: TopicWord[];
  coherence?: number;
  stability?: Stability;
  documents: ReportDocument[];
}

/** A topic in which a word is found. */
export interface WordTopic {
  topic: number;
  probability: Share; // of the word in the topic
}

export interface Period {
  begin: number;
  end: number;
  documents: number;
  shares: Share[]; // by number of the topic
}

/** The topics by period: of the documents given, or of those that the model has learnt from. */
export interface Timeline {
  ofModel: boolean;
  unit: string;
  periods: Period[];
  outside: number; // so far before or after the others that no period has them
  undated: number;
  late: number;
}

export interface Input {
  documents: number;
  skipped: number;
  medianGain: number;
  misfits: ReportDocument[];
  misfitsOf: number;
}

export interface Report {
  title: string;
  documents: number;
  tokens: number;
  vocabulary: number;
  program: string;
  mapShown: number;
  top: number; // words of a topic that are complete at each relevance
  relevances: number[];
  topics: Topic[]; // the largest share first
  byNumber: Map<number, Topic>;
  words: string[];
  frequencies: number[]; // of the words, in the corpus
  wordTopics: number[][]; // flat, of those words that can be looked up
  input?: Input;
  timeline?: Timeline; // of two periods or more
  notes: string[];
}

function sharesOf(flat: number[]): Share[] {
  const shares: Share[] = [];
  for (let i = 0; i < flat.length; i += 3) {
    shares.push({mean: flat[i], lower: flat[i + 1], upper: flat[i + 2]});
  }
  return shares;
}

function documentOf(json: any): ReportDocument {
  return {...json, share: sharesOf(json.share)[0]};
}

function topicOf(json: any): Topic {
  const words: TopicWord[] = [];
  for (let i = 0; i < json.words.length; i += 4) {
    words.push({place: json.words[i], probability: sharesOf(json.words.slice(i + 1, i + 4))[0]});
  }
  return {
    ...json,
    share: sharesOf(json.share)[0],
    words,
    documents: (json.documents ?? []).map(documentOf),
  };
}

function inputOf(json: any): Input {
  return {
    documents: json.documents,
    skipped: json.skipped,
    medianGain: json.median_gain,
    misfits: json.misfits.map(documentOf),
    misfitsOf: json.misfits_of,
  };
}

function timelineOf(json: any): Timeline | undefined {
  const from = [json.input, json.over_time].find((part) => part?.periods.length > 1);
  if (!from) return undefined;
  return {
    ofModel: from === json.over_time,
    unit: from.unit,
    periods: from.periods.map((period: any) => ({...period, shares: sharesOf(period.shares)})),
    outside: from.outside ?? 0,
    undated: from.undated,
    late: from.late ?? 0,
  };
}

export function reportOf(json: any): Report {
  const topics: Topic[] = json.topics.map(topicOf);
  return {
    title: json.title,
    documents: json.documents,
    tokens: json.tokens,
    vocabulary: json.vocabulary,
    program: json.program,
    mapShown: json.map.shown,
    top: json.top,
    relevances: json.relevances,
    topics,
    byNumber: new Map(topics.map((topic) => [topic.topic, topic])),
    words: json.words,
    frequencies: json.frequencies,
    wordTopics: json.word_topics,
    input: json.input ? inputOf(json.input) : undefined,
    timeline: timelineOf(json),
    notes: json.notes,
  };
}

/** The topics of a word that can be looked up. */
export function topicsOfWord(report: Report, place: number): WordTopic[] {
  const flat = report.wordTopics[place] ?? [];
  const found: WordTopic[] = [];
  for (let i = 0; i < flat.length; i += 4) {
    found.push({topic: flat[i], probability: sharesOf(flat.slice(i + 1, i + 4))[0]});
  }
  return found;
}

/** What part of a word's tokens a topic has. */
export function partOfWord(report: Report, topic: Topic, place: number, probability: number): number {
  return Math.min((topic.share.mean * probability) / report.frequencies[place], 1);
}
