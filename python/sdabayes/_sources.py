"""The way from parameters and data to the library."""

import warnings

from sklearn.utils.validation import check_is_fitted

from . import _inputs, _names
from ._process import threads_of
from ._sdabayes import Model, Texts, settled

# Parameters that are not options of the library.
# Of scikit-learn's LatentDirichletAllocation; they have no meaning here.
_IGNORED = (
    "learning_method", "evaluate_every", "perp_tol", "mean_change_tol", "max_doc_update_iter"
)  # fmt: skip
_OWN = {"vocabulary", "n_jobs", "verbose", *_IGNORED}


class SourcesMixin:
    def _options(self):
        given = {k: v for k, v in self.get_params(deep=False).items() if k not in _OWN}
        given["random_state"] = _names.seed_of(given["random_state"])
        if self.algorithm == "sda":
            # Of scikit-learn's LatentDirichletAllocation, which has a learning rate and passes.
            for_others = ("total_samples", "learning_offset", "learning_decay", "max_iter")
            ignored = [name for name in for_others if given.pop(name) is not None]
            ignored += [name for name in _IGNORED if getattr(self, name) is not None]
            if ignored:
                warnings.warn(
                    f"{', '.join(ignored)} ignored: algorithm='sda' learns in one pass without a "
                    "learning rate",
                    UserWarning,
                    stacklevel=4,
                )
        return _names.options_json(given)

    def _settled(self):
        return _names.parameters_of(self._model.options())

    def _start(self, X):
        """The bags of the first call, and a model for them that has learnt nothing."""
        options = self._options()
        primitive = _names.parameters_of(settled(options))
        bags = self._bags(X, reset=True, options=options)
        self._expect_counts(bags, primitive)
        return bags, Model(options, self._words(bags.columns), threads_of(self.n_jobs))

    def _words(self, columns):
        if "_texts" in self.__dict__:
            return self._texts.vocabulary()
        if self.vocabulary is not None and not isinstance(self.vocabulary, str):
            words = _inputs.words_of(self.vocabulary)
            if len(words) != columns:
                raise ValueError(f"vocabulary has {len(words)} words, X has {columns} columns")
            return words
        return list(getattr(self, "feature_names_in_", map(str, range(columns))))

    def _bags(self, X, *, reset, options=None):
        texts, X = _inputs.is_text(X)
        if texts:
            return self._bags_of_texts(X, reset, options)
        corpus, X = _inputs.is_gensim(X)
        if corpus:
            if not reset:
                columns = self.n_features_in_
            elif self.vocabulary is not None and not isinstance(self.vocabulary, str):
                columns = len(_inputs.words_of(self.vocabulary))
            else:
                columns = None
            X = _inputs.matrix_of_corpus(X, columns)
        if reset and isinstance(self.vocabulary, str):
            raise ValueError(
                f"vocabulary is {self.vocabulary!r}, and X is not texts: must be the words of its columns"
            )
        return _inputs.bags_of_matrix(self, X, reset)

    def _bags_of_texts(self, X, reset, options):
        texts = _inputs.texts_of(X)
        if reset:
            self._texts = self._new_texts(texts, options)
            self.n_features_in_ = len(self._texts.vocabulary())
        elif self.vocabulary is None and not hasattr(self, "feature_names_in_"):
            raise ValueError("X is texts, and the words are not known: fit with vocabulary=")
        elif "_texts" not in self.__dict__:
            self._texts = Texts(self._model.options(), self._model.vocabulary())
        return self._texts.count(texts)

    def _new_texts(self, texts, options):
        if self.vocabulary is None:
            raise ValueError("X is texts: vocabulary must be their words, or 'learn'")
        if not isinstance(self.vocabulary, str):
            return Texts(options, _inputs.words_of(self.vocabulary))
        if self.vocabulary != "learn":
            raise ValueError(f"vocabulary is {self.vocabulary!r}, must be words, or 'learn'")
        chosen = Texts(options, [])
        chosen.choose(texts)
        return chosen

    def _expect_counts(self, bags, settled):
        """Looks at all of X before anything is learnt from it."""
        fraction = bags.check()
        if fraction and settled["primitive"] != "vb":
            raise ValueError(
                f"{fraction}, which is no whole number, and primitive={settled['primitive']!r} needs "
                "counts: use primitive='vb', or give it the counts of the words"
            )

    def _proportions(self, X):
        check_is_fitted(self)
        with _names.python_names():
            bags = self._bags(X, reset=False)
            bags.check()
            return self._model.proportions(bags)
