"""Topic models as files and as pickles."""

from sklearn.utils.validation import check_is_fitted

from . import _names
from ._process import bytes_of, file_of, path_of, threads_of
from ._sdabayes import Model

_PICKLE_FORMAT = 2  # 1 has no notes of documents that are kept


class FilesMixin:
    def save(self, path):
        """Saves the model to a file that `sda` reads, too: the same bytes as `sda fit` would write."""
        check_is_fitted(self)
        self._model.save(path_of(path))

    @classmethod
    def load(cls, path, *, n_jobs=None):
        """A model from a file that save() or `sda fit` wrote. partial_fit continues it."""
        model = Model.load(path_of(path), threads_of(n_jobs))
        known = cls._get_param_names()
        given = _names.parameters_of(model.options())
        estimator = cls(n_jobs=n_jobs, **{k: v for k, v in given.items() if k in known})
        estimator._model = model
        estimator.vocabulary = model.vocabulary()
        estimator.n_features_in_ = len(estimator.vocabulary)
        return estimator

    def __getstate__(self):
        state = dict(super().__getstate__())
        state.pop("_texts", None)  # made again from the model
        model = state.pop("_model", None)
        if model is not None:
            state["_pickled_model"] = (_PICKLE_FORMAT, *bytes_of(model.save_all))
        return state

    def __setstate__(self, state):
        state = dict(state)
        pickled = state.pop("_pickled_model", None)
        super().__setstate__(state)
        if pickled is None:
            return
        if pickled[0] not in (1, _PICKLE_FORMAT):
            raise ValueError(
                f"the pickled StreamingLDA is of format {pickled[0]}, this version of sdabayes reads "
                f"up to {_PICKLE_FORMAT}: give the model on with save() and load()"
            )
        with file_of(pickled[1]) as path:
            self._model = Model.restore(path, threads_of(self.n_jobs), *(*pickled[2], b"")[:6])
