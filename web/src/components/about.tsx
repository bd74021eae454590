import type {Report} from '../data';
import {percent} from '../format';

/** How to read the page, and what is not on it. */
export function About({report}: {report: Report}) {
  return (
    <footer class="wide about">
      <h2>How to read this</h2>
      <ul>
        <li>
          Intervals are 95% credible intervals. That of a word is the posterior's; that of a topic's share of the
          corpus allows for documents that differ from each other.
        </li>
        <li>
          On the map, the area of a circle is the topic's share, and the distance of two topics is the square root
          of the Jensen-Shannon divergence of their words. Two dimensions show {percent(report.mapShown)} of the
          squared distances: topics that look near may be apart in the rest.
        </li>
        <li>
          Relevance is that of Sievert and Shirley (2014): λ log p(word | topic) + (1 − λ) log (p(word | topic) /
          p(word)).
        </li>
        {report.topics.some((topic) => topic.stability) && (
          <li>
            Several runs with other seeds learnt from the same documents. A run found a topic if the words of the
            topic that it is matched with have a cosine of 0.9 or more with its words.
          </li>
        )}
        {report.input && (
          <li>
            The topics of documents were inferred with the model as it is. A share over time is the mean of the
            documents' shares; its interval has the differences between documents in it.
          </li>
        )}
        {report.notes.map((note) => <li key={note}>{note}</li>)}
      </ul>
      <p class="muted">{report.program}</p>
    </footer>
  );
}
