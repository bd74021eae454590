import type {Input, Report, ReportDocument} from '../data';
import {count, date, interval, percent} from '../format';

const nameOf = (document: ReportDocument): string => document.id ?? `document ${count(document.number)}`;

function Text({document}: {document: ReportDocument}) {
  if (!document.text) return null;
  return <p class="snippet" dir="auto">{document.text}</p>;
}

/** Documents that have the largest share of a topic. */
export function Documents({documents}: {documents: ReportDocument[]}) {
  return (
    <section aria-labelledby="documents-title">
      <h3 id="documents-title">Documents most about it</h3>
      <ol class="documents">
        {documents.map((document) => (
          <li key={document.number}>
            <p class="document-line">
              <span class="document-name" dir="auto">{nameOf(document)}</span>
              {document.time !== undefined && <span class="muted">{date(document.time)}</span>}
              <span class="document-share">
                {percent(document.share.mean)} <span class="muted">[{interval(document.share)}]</span>
              </span>
            </p>
            <Text document={document} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface MisfitProps {
  report: Report;
  input: Input;
  onSelect: (topic: number) => void;
}

/** Documents whose words the topics predict worst. */
export function Misfits({report, input, onSelect}: MisfitProps) {
  if (input.misfits.length === 0) return null;
  return (
    <section class="wide" aria-labelledby="misfits-title">
      <h2 id="misfits-title">Documents that fit no topic</h2>
      <p class="help">
        Ordered by gain: how much better their topics predict a word than its frequency in the corpus does, in
        nats a word. The median of {count(input.misfitsOf)} documents is {input.medianGain.toFixed(2)}; near 0,
        the topics say nothing about a document.
      </p>
      <ol class="documents misfits">
        {input.misfits.map((document) => (
          <li key={document.number}>
            <p class="document-line">
              <span class="document-name" dir="auto">{nameOf(document)}</span>
              {document.time !== undefined && <span class="muted">{date(document.time)}</span>}
              <span>gain {document.gain.toFixed(2)}</span>
              <span class="muted">{count(document.tokens)} words</span>
              <button class="link" onClick={() => onSelect(document.topic)}>
                {`${percent(document.share.mean)} [${interval(document.share)}] topic ${document.topic}`}
                <span class="hidden">
                  , its largest topic of {report.topics.length}
                </span>
              </button>
            </p>
            <Text document={document} />
          </li>
        ))}
      </ol>
    </section>
  );
}
