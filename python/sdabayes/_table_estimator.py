"""What the models on tables share as estimators. They translate, and decide nothing: priors, units of columns and
minibatches are the library's, as in `sda fit --model`."""

import json
import numbers

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ._names import plain, python_names, seed_of
from ._process import bytes_of, file_of, lock_of, path_of
from ._sdabayes import TableModel
from ._summaries import table_of

_PICKLE_FORMAT = 1

# Names of scikit-learn for what the library calls otherwise.
_LIBRARY_NAMES = {"n_components": "components", "random_state": "seed", "batch_size": "minibatch"}
_PYTHON_NAMES = {library: python for python, library in _LIBRARY_NAMES.items()}


class TableEstimator(BaseEstimator):
    """What all models on tables share.

    Every call of partial_fit updates the posterior with one minibatch; the first settles the units of
    the columns, so it should have some hundred rows. fit cuts rows into minibatches itself.
    """

    _name = None  # of the library
    _prior = ()  # parameters that are numbers of the prior

    def fit(self, X, y=None):
        """Learns from these rows alone. At Ctrl-C the model is left as of the last whole minibatch."""
        self.__dict__.pop("_model", None)
        rows, names = self._rows(X, y, reset=True)
        with python_names(**_PYTHON_NAMES):
            model = self._new_model()
            try:
                model.fit(rows, names)
            finally:
                if model.rows() > 0:
                    self._model = model
        return self

    def partial_fit(self, X, y=None):
        """Learns from further rows, as one minibatch. At Ctrl-C the model is what it was before."""
        with lock_of(self):
            first = not self.__sklearn_is_fitted__()
            rows, names = self._rows(X, y, reset=first)
            with python_names(**_PYTHON_NAMES):
                model = self._new_model() if first else self._model
                model.update(rows, names)
            self._model = model
        return self

    def estimates(self):
        """The posterior of each parameter: mean, sd and 95% interval, as a table. An interval that is
        approximate may hold the truth more or less often than 95 times in 100."""
        check_is_fitted(self)
        keys = ("parameter", "mean", "sd", "lower", "upper", "approximate")
        with python_names(**_PYTHON_NAMES):
            return table_of([dict(zip(keys, estimate)) for estimate in self._model.describe()])

    def notes(self):
        """What a reader of the estimates should know, a sentence each."""
        check_is_fitted(self)
        return self._model.notes()

    def save(self, path):
        """Saves the model to a file that `sda show` and `sda predict` read."""
        check_is_fitted(self)
        self._model.save(path_of(path))

    @classmethod
    def load(cls, path, **parameters):
        """A model from a file that save() or `sda fit` wrote. Parameters of fitting that a file does not
        have, such as half_life, may be given. partial_fit continues it."""
        path = path_of(path)
        with python_names(**_PYTHON_NAMES):
            model = TableModel.load(path, 0, cls(**parameters)._options())
        options = json.loads(model.options())
        if options["model"] != cls._name:
            raise ValueError(f"{path} is a model {options['model']!r}, must be {cls._name!r}")
        given = {_PYTHON_NAMES.get(name, name): value for name, value in options.items()}
        given |= {**given.pop("prior", {}), "fit_intercept": not given.pop("no_intercept", False)}
        known = cls._get_param_names()
        estimator = cls(**{name: value for name, value in given.items() if name in known} | parameters)
        estimator._model = model
        estimator._set_columns(model.columns())
        estimator._set_categories(model.categories())
        return estimator

    @property
    def n_rows_(self):
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return self._model.rows()

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__

    def __getstate__(self):
        state = dict(super().__getstate__())
        model = state.pop("_model", None)
        if model is not None:
            state["_pickled_model"] = (_PICKLE_FORMAT, bytes_of(model.save)[0])
        return state

    def __setstate__(self, state):
        state = dict(state)
        pickled = state.pop("_pickled_model", None)
        super().__setstate__(state)
        if pickled is None:
            return
        if pickled[0] != _PICKLE_FORMAT:
            raise ValueError(
                f"the pickled {type(self).__name__} is of format {pickled[0]}, this version of "
                f"sdabayes reads {_PICKLE_FORMAT}"
            )
        with file_of(pickled[1]) as path:
            self._model = TableModel.load(path, 0, self._options())

    def _options(self):
        """The library's, as JSON."""
        options, prior = {"model": self._name}, {}
        for name, value in self.get_params(deep=False).items():
            if value is None:
                continue
            if isinstance(value, numbers.Real) and not np.isfinite(value):
                raise ValueError(f"{name} is {value}, must be a finite number")
            if name == "fit_intercept":
                options["no_intercept"] = not value
            elif name in self._prior:
                prior[name] = _number(name, value)
            elif name == "random_state":
                options["seed"] = seed_of(value)
            else:
                options[_LIBRARY_NAMES.get(name, name)] = value
        options["prior"] = prior
        return json.dumps(options, default=plain)

    def _new_model(self):
        return TableModel(self._options(), self._columns(), 0)

    def _columns(self):
        names = getattr(self, "feature_names_in_", None)
        return list(names) if names is not None else _numbered(self.n_features_in_)

    def _set_columns(self, names):
        """The opposite of _columns()."""
        self.n_features_in_ = len(names)
        if names != _numbered(len(names)):
            self.feature_names_in_ = np.array(names, object)

    def _set_categories(self, names):
        """Those of a model from a file."""

    def _rows(self, X, y, reset):
        X = validate_data(self, X, reset=reset, dtype=np.float64, order="C")
        return X, []


def _number(name, value):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}, must be a number") from None


def _numbered(columns):
    return [f"x{i}" for i in range(columns)]


class WithTarget(TableEstimator):
    _target = "y"

    def _columns(self):
        return [*super()._columns(), self._target]

    def _set_columns(self, names):
        super()._set_columns(names[:-1])
        self._target = names[-1]

    def _name_target(self, y):
        """A Series of pandas or Polars names the target."""
        name = getattr(y, "name", None)
        taken = super()._columns()
        self._target = name if isinstance(name, str) and name and name not in taken else "y"

    def _predictions(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        with python_names(**_PYTHON_NAMES):
            return np.asarray(self._model.predict(X)[1], np.float64).reshape(len(X), -1)
