"""What a fitted topic model says: its topics, and how certain they are."""

import numbers
from collections.abc import Iterable

import numpy as np
import scipy.special
from sklearn.utils.validation import check_is_fitted

from . import _names
from ._names import whole


def _level(level):
    if not isinstance(level, numbers.Real):
        raise TypeError(f"level is {level!r}, must be a number")
    return level


def _interval(parameters, sums, level):
    """Equal-tailed intervals of coordinates of Dirichlet distributions, which are Beta. The last axis
    of the result has the lower and the upper end."""
    if not 0 < _level(level) < 1:
        raise ValueError(f"level is {level}, must be between 0 and 1")
    others = sums - parameters
    certain = others <= 0  # the only coordinate
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    others = np.where(certain, 1.0, others)
    ends = scipy.special.betaincinv(parameters[..., None], others[..., None], tails)
    return np.where(certain[..., None], 1.0, ends)


class SummariesMixin:
    def posterior(self):
        """The posterior: components (K x V Dirichlet parameters), doc_topic_prior and vocabulary."""
        from ._lda import Posterior

        check_is_fitted(self)
        return Posterior(self.components_, self._model.alpha(), self.vocabulary_)

    def topic_interval(self, topic, words=None, level=0.95):
        """Credible intervals of the probabilities of words in a topic: words x 2.

        words: texts or ids; None means all. They take into account that the topics of the words are
        not known, as the variances in the posterior say; see ``intervals``.
        """
        check_is_fitted(self)
        components = self.components_
        topic = whole("topic", topic)
        if not 0 <= topic < len(components):
            raise ValueError(f"topic is {topic}, must be from 0 to {len(components) - 1}")
        betas = self._model.word_betas(topic)
        ids = slice(None) if words is None else self._ids_of(words, len(betas))
        return _interval(betas[ids, 0], betas[ids].sum(axis=1), level)

    def document_interval(self, X, level=0.95, method="sampled"):
        """Credible intervals of the topic proportions of documents, the topics being what they are in
        the mean of the posterior: rows x topics x 2.

        method: "sampled", from the posterior itself, about a millisecond for each document; or
        "linear-response", faster, and too narrow for documents of less than 1,000 tokens. Those of more
        than 2,000 tokens, or of weights that are no whole numbers, have it in either case. Intervals of
        a model with primitive="vb" are approximate.
        """
        check_is_fitted(self)
        with _names.python_names(intervals="method"):
            bags = self._bags(X, reset=False)
            bags.check()
            return self._model.proportion_intervals(bags, _level(level), str(method))

    def sample_topics(self, n=1, seed=None):
        """Draws of all topics from the posterior: n x K x V, each topic with sum 1. Their spread is that
        of topic_interval."""
        check_is_fitted(self)
        if whole("n", n) < 1:
            raise ValueError(f"n is {n}, must be at least 1")
        components = self.components_
        # Of a gamma distribution with this shape and scale, the mean is the component.
        shapes = np.array([self._model.word_betas(k)[:, 0] for k in range(len(components))])
        scales = components / shapes
        random = np.random.default_rng(seed)
        draws = np.empty((n, *components.shape))
        for draw in draws:  # one by one, for Ctrl-C
            draw[...] = random.standard_gamma(shapes) * scales
            draw /= draw.sum(axis=1, keepdims=True)
        return draws

    def topics(self, n_words=10):
        """The topics, the one with the most tokens first, with their most probable words and 95%
        credible intervals of the probabilities.

        A row for each word, with the columns topic, share, rank, word, probability, lower, upper and
        approximate (whether the interval may hold the truth more or less often than 95 times in 100):
        as a table of pandas or Polars if one is installed, else as a list of dicts.
        """
        check_is_fitted(self)
        if whole("n_words", n_words) < 1:
            raise ValueError(f"n_words is {n_words}, must be at least 1")
        rows = []
        for topic, share, words in self._model.topics(n_words):
            for rank, (word, mean, lower, upper, approximate) in enumerate(words, 1):
                rows.append(
                    {
                        "topic": topic,
                        "share": share,
                        "rank": rank,
                        "word": word,
                        "probability": mean,
                        "lower": lower,
                        "upper": upper,
                        "approximate": approximate,
                    }
                )
        return table_of(rows)

    def to_pyldavis(self):
        """Arguments for pyLDAvis.prepare(**model.to_pyldavis()), from the model alone.

        In place of the documents there is one for each topic that has all its tokens: the sizes of the
        topics and the frequencies of the words, all that the picture shows of documents, are the same.
        """
        check_is_fitted(self)
        components = self.components_
        tokens = np.maximum(self._model.tokens_of_topics(), 0)
        probabilities = components / components.sum(axis=1, keepdims=True)
        return {
            "topic_term_dists": probabilities,
            "doc_topic_dists": np.eye(len(components)),
            "doc_lengths": np.maximum(tokens, 1e-9),
            "vocab": self.vocabulary_,
            "term_frequency": np.maximum(tokens @ probabilities, 1e-9),
        }

    def _ids_of(self, words, size):
        single = isinstance(words, (str, int, np.integer))
        number_of = None
        ids = []
        if not single and not isinstance(words, Iterable):
            raise TypeError(f"words is {words!r}, must be texts or ids")
        for word in [words] if single else words:
            if isinstance(word, str):
                if number_of is None:
                    number_of = {w: i for i, w in enumerate(self.vocabulary_)}
                if word not in number_of:
                    raise ValueError(f"words has {word!r}, which is not in the vocabulary")
                word = number_of[word]
            word = whole("words", word)
            if not 0 <= word < size:
                raise ValueError(f"words has {word}, must be from 0 to {size - 1}")
            ids.append(word)
        return np.asarray(ids, int)


def table_of(rows):
    """A table of the first of these that is installed."""
    try:
        import pandas

        return pandas.DataFrame(rows)
    except ImportError:
        pass
    try:
        import polars

        return polars.DataFrame(rows)
    except ImportError:
        return rows
