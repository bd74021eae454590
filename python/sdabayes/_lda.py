"""The estimator. It translates between scikit-learn and the library, and decides nothing."""

from collections import namedtuple

import numpy as np
from scipy.special import psi
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _names
from ._files import FilesMixin
from ._process import lock_of
from ._progress import shown_progress
from ._sources import SourcesMixin
from ._summaries import SummariesMixin

Posterior = namedtuple("Posterior", ["components", "doc_topic_prior", "vocabulary"])
Posterior.__doc__ = """The posterior of a topic model.

components: K x V, the Dirichlet parameters of each topic's words. doc_topic_prior: K, those of the
topic proportions of a document that is not read yet. vocabulary: the V words.
"""


class StreamingLDA(
    SourcesMixin,
    SummariesMixin,
    FilesMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Latent Dirichlet allocation that learns from a stream, in one pass.

    Every call of partial_fit updates the posterior; it needs no total number of documents, no
    learning rate and no second pass. What is None has the default of the library, which depends on
    the other parameters; `sda fit` has the same.

    Documents are rows of a matrix of word counts (SciPy sparse or NumPy, any integers or floats), a
    corpus of gensim (documents of (id, count) pairs), or, with `vocabulary`, texts.

    Parameters
    ----------
    n_components : int or "auto", default 100
        Topics; "auto": chosen by the first minibatch, also of partial_fit (first_minibatch or more).
    doc_topic_prior : float or K floats
        Dirichlet parameters of a document's topics. Default 2/K (gibbs), 1/K (vb, ep).
    topic_word_prior : float
        Dirichlet parameter of a topic's words. Default 0.15 (gibbs), 0.3 (vb), 1 (ep).
    algorithm : {"sda", "svi", "ssu", "batch"}, default "sda"
        What is not sda is for comparison, and made of VB: svi is what scikit-learn's
        LatentDirichletAllocation does with learning_method="online".
    primitive : {"gibbs", "vb", "ep"}
        How a minibatch is learnt from: by default gibbs for sda. Weights that are not whole numbers,
        such as tf-idf, need vb.
    batch_size : int
        Documents in a minibatch of fit. A call of partial_fit is one minibatch, whatever its size.
    first_minibatch : int
        Documents from which topics form. Until partial_fit has been given as many they are kept, and
        topics form anew from all of them at times.
    sweeps : int
        Of Gibbs sampling, over each minibatch but the first.
    half_life : float, default 0
        Documents after which what was learnt counts half; 0 forgets nothing.
    precision : {"float", "double"}
        Of vb.
    intervals : {"quick", "sampled", "off"}
        Of words in topics (gibbs). quick: approximate. sampled: documents are kept (100,000 at most)
        and fitted together at the end of fit, or by refit, for 300 sweeps. off: as if the topic of
        every word were known.
    total_samples, learning_offset, learning_decay : float
        Of algorithm="svi", which needs the first one.
    max_iter : int
        Passes of algorithm="batch".
    learning_method, evaluate_every, perp_tol, mean_change_tol, max_doc_update_iter : ignored
        Like the four above without their algorithms, with a warning: so that a program that was
        written for scikit-learn runs.
    schedule : {"serial", "sync", "async"}, workers : int
        How fit works on several minibatches at once. That changes the result; n_jobs does not.
    vocabulary : sequence of str, mapping, gensim dictionary, or "learn"
        The words. With them, X may be texts. "learn" chooses them from the texts of the first call.
    vocab_from, min_df, max_share, max_vocab, stop_words, min_word_length
        How words are chosen from texts, as in `sda fit`.
    n_jobs : int
        Threads; None and -1: one for each processor. The result is the same for any number.
    verbose : int, default 0
        From 1 on fit shows a bar, which needs tqdm.
    random_state : int, RandomState or None
        The seed; None is the seed of the library, 1. The result is the same for the same seed.

    Attributes
    ----------
    components_ : array of K x V
        Dirichlet parameters of the topics' words.
    vocabulary_ : list of V words
        Numbers where no words are known.
    n_features_in_ : int
        V.
    n_documents_, n_tokens_, n_batches_ : int
        Learnt from, so far.
    n_iter_ : int
        Passes over the documents: 1, unless the algorithm is batch.
    doc_topic_prior_, topic_word_prior_ : float, or array of K
        As they were settled.
    exp_dirichlet_component_ : array of K x V
        exp(E[log probability of a word]), as scikit-learn has it.
    """

    def __init__(
        self,
        n_components=100,
        *,
        doc_topic_prior=None,
        topic_word_prior=None,
        algorithm="sda",
        primitive=None,
        batch_size=None,
        first_minibatch=None,
        sweeps=None,
        half_life=0,
        precision=None,
        intervals=None,
        total_samples=None,
        learning_offset=None,
        learning_decay=None,
        max_iter=None,
        learning_method=None,
        evaluate_every=None,
        perp_tol=None,
        mean_change_tol=None,
        max_doc_update_iter=None,
        schedule=None,
        workers=None,
        vocabulary=None,
        vocab_from=None,
        min_df=None,
        max_share=None,
        max_vocab=None,
        stop_words=None,
        min_word_length=None,
        n_jobs=None,
        verbose=0,
        random_state=None,
    ):
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.algorithm = algorithm
        self.primitive = primitive
        self.batch_size = batch_size
        self.first_minibatch = first_minibatch
        self.sweeps = sweeps
        self.half_life = half_life
        self.precision = precision
        self.intervals = intervals
        self.total_samples = total_samples
        self.learning_offset = learning_offset
        self.learning_decay = learning_decay
        self.max_iter = max_iter
        self.learning_method = learning_method
        self.evaluate_every = evaluate_every
        self.perp_tol = perp_tol
        self.mean_change_tol = mean_change_tol
        self.max_doc_update_iter = max_doc_update_iter
        self.schedule = schedule
        self.workers = workers
        self.vocabulary = vocabulary
        self.vocab_from = vocab_from
        self.min_df = min_df
        self.max_share = max_share
        self.max_vocab = max_vocab
        self.stop_words = stop_words
        self.min_word_length = min_word_length
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    # Learning.

    def fit(self, X, y=None):
        """Learns from these documents alone, cut into minibatches as `sda fit` cuts a file.

        At Ctrl-C the model is left as of the last whole minibatch.
        """
        for attribute in ("_model", "_texts"):
            self.__dict__.pop(attribute, None)
        with _names.python_names():
            bags, model = self._start(X)
            try:
                with shown_progress(self.verbose, bags.rows) as progress:
                    model.fit(bags, progress)
            finally:
                if model.learnt()[2] > 0:
                    self._model = model
        return self

    def partial_fit(self, X, y=None):
        """Learns from further documents, as one minibatch of the stream.

        At Ctrl-C, or if it fails, the model is what it was before.
        """
        with _names.python_names():
            with lock_of(self):
                if not self.__sklearn_is_fitted__():
                    bags, model = self._start(X)
                    model.update(bags)
                    self._model = model
                    return self
            bags = self._bags(X, reset=False)
            if not self._model.update(bags):
                self._expect_counts(bags, self._settled())
        return self

    def refit(self):
        """Fits the documents that partial_fit has kept together, for intervals="sampled"; fit does it
        at its end."""
        check_is_fitted(self)
        with _names.python_names():
            self._model.refit()
        return self

    # Using what was learnt.

    def transform(self, X, *, normalize=True):
        """The topic proportions of documents, rows x topics; without normalize the Dirichlet parameters
        of which they are the means. Those of a row do not depend on the other rows."""
        proportions = self._proportions(X)
        if normalize:
            proportions /= proportions.sum(axis=1, keepdims=True)
        return proportions

    def fit_transform(self, X, y=None, *, normalize=True):
        """fit(X), and transform(X)."""
        return self.fit(X).transform(X, normalize=normalize)

    def score(self, X, y=None):
        """Held-out score: of each document half of the words are observed, and this is the mean log
        probability of a token of the other half. Natural logarithm; higher is better."""
        check_is_fitted(self)
        with _names.python_names():
            bags = self._bags(X, reset=False)
            bags.check()
            total, tested = self._model.score(bags)
        if tested == 0:
            raise ValueError("X has no document with two different words, which a score needs")
        return total / tested

    def perplexity(self, X):
        """exp(-score(X))."""
        return float(np.exp(-self.score(X)))

    # What was learnt.

    @property
    def components_(self):
        return self._fitted().parameters()

    @property
    def vocabulary_(self):
        return self._fitted().vocabulary()

    @property
    def n_documents_(self):
        return self._fitted().learnt()[0]

    @property
    def n_tokens_(self):
        return self._fitted().learnt()[1]

    @property
    def n_batches_(self):
        return self._fitted().learnt()[2]

    @property
    def n_iter_(self):
        self._fitted()
        return self._settled().get("max_iter", 1)

    @property
    def doc_topic_prior_(self):
        alpha = self._fitted().alpha()
        return float(alpha[0]) if (alpha == alpha[0]).all() else alpha

    @property
    def topic_word_prior_(self):
        self._fitted()
        return self._settled()["topic_word_prior"]

    @property
    def exp_dirichlet_component_(self):
        components = self.components_
        return np.exp(psi(components) - psi(components.sum(axis=1, keepdims=True)))

    @property
    def _n_features_out(self):
        return len(self._fitted().alpha())

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _fitted(self):
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return self._model
