"""The models on tables."""

import numpy as np
from sklearn.base import ClassifierMixin, ClusterMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from ._table_estimator import TableEstimator, WithTarget


class Coin(TableEstimator):
    """Columns of zeros and ones: the probability of a one. Beta prior, exact."""

    _name, _prior = "coin", ("heads", "tails")

    def __init__(self, heads=None, tails=None, *, half_life=0):
        self.heads = heads
        self.tails = tails
        self.half_life = half_life


class Poisson(TableEstimator):
    """Columns of counts: the rate of each. Gamma prior, exact."""

    _name, _prior = "poisson", ("shape", "rate")

    def __init__(self, shape=None, rate=None, *, half_life=0):
        self.shape = shape
        self.rate = rate
        self.half_life = half_life


class Normal(TableEstimator):
    """Columns of measurements: mean and spread of each. Normal-Gamma prior, exact."""

    _name, _prior = "normal", ("mean", "weight", "shape", "rate")

    def __init__(self, mean=None, weight=None, shape=None, rate=None, *, half_life=0):
        self.mean = mean
        self.weight = weight
        self.shape = shape
        self.rate = rate
        self.half_life = half_life


class Categorical(TableEstimator):
    """Columns of categories, texts or numbers: the share of each. Dirichlet prior, exact. Categories
    need not be known beforehand."""

    _name, _prior = "categorical", ("concentration",)

    def __init__(self, concentration=None, *, half_life=0):
        self.concentration = concentration
        self.half_life = half_life

    def _rows(self, X, y, reset):
        X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        if reset:
            self._numbers = [{} for _ in range(X.shape[1])]
        rows = np.empty(X.shape)
        for column, numbers in enumerate(self._numbers):
            for row, value in enumerate(X[:, column].tolist()):
                if value is None or value != value or value == "":
                    raise ValueError(f"X has no value in row {row}, column {column}")
                rows[row, column] = numbers.setdefault(str(value), len(numbers))
        return rows, [list(numbers) for numbers in self._numbers]

    def _set_categories(self, names):
        self._numbers = [{name: i for i, name in enumerate(of_column)} for of_column in names]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags


class Linear(RegressorMixin, WithTarget):
    """Regression with unknown coefficients and noise. Normal-inverse-Gamma prior, exact."""

    _name, _prior = "linear", ("precision", "shape", "rate")

    def __init__(self, precision=None, shape=None, rate=None, *, fit_intercept=True, half_life=0):
        self.precision = precision
        self.shape = shape
        self.rate = rate
        self.fit_intercept = fit_intercept
        self.half_life = half_life

    def predict(self, X, return_std=False):
        """The expected target of each row, and its standard deviation."""
        predictions = self._predictions(X)
        return (predictions[:, 0], predictions[:, 1]) if return_std else predictions[:, 0]

    def predict_interval(self, X):
        """95% intervals of the target: rows x 2."""
        return self._predictions(X)[:, 2:4]

    def _rows(self, X, y, reset):
        target = y
        X, y = validate_data(self, X, y, reset=reset, dtype=np.float64, y_numeric=True)
        if reset:
            self._name_target(target)
        return np.column_stack([X, y]), []


class _Classifier(ClassifierMixin, WithTarget):
    _prior = ("sd", "intercept_sd")

    def __init__(
        self,
        sd=None,
        intercept_sd=None,
        *,
        primitive=None,
        covariance=None,
        fit_intercept=True,
        batch_size=None,
        schedule=None,
        workers=None,
        half_life=0,
    ):
        self.sd = sd
        self.intercept_sd = intercept_sd
        self.primitive = primitive
        self.covariance = covariance
        self.fit_intercept = fit_intercept
        self.batch_size = batch_size
        self.schedule = schedule
        self.workers = workers
        self.half_life = half_life

    def partial_fit(self, X, y, classes=None):
        """Learns from further rows. classes: both of them, if the first rows do not have both."""
        if not self.__sklearn_is_fitted__() and classes is not None:
            self._set_classes(classes)
            self._given_classes = True
        try:
            return super().partial_fit(X, y)
        finally:  # also where these rows were refused
            self.__dict__.pop("_given_classes", None)

    def predict_proba(self, X):
        """Probabilities of both classes: rows x 2."""
        probability = self._predictions(X)[:, 0]
        return np.column_stack([1 - probability, probability])

    def predict_interval(self, X):
        """95% intervals of the probability of classes_[1]: rows x 2."""
        return self._predictions(X)[:, 2:4]

    def predict(self, X):
        """The more probable class of each row."""
        second = self._predictions(X)[:, 0] > 0.5
        return self.classes_[second.astype(int)]

    def _set_classes(self, classes):
        self.classes_ = np.unique(classes)
        if len(self.classes_) != 2:
            raise ValueError(
                f"Only binary classification is supported: y has {len(self.classes_)} classes, must "
                "have 2" + (", or give classes=" if len(self.classes_) == 1 else "")
            )

    def _set_categories(self, names):
        known = list(names[-1])
        if len(known) == 1 and self._model.positive_class() != known[0]:
            known.append(self._model.positive_class())
        self._set_classes(_values_of(known))
        self._first = int(_name_of(self.classes_[1]) == known[0])

    def _predictions(self, X):
        predictions = super()._predictions(X)
        if self._model.positive_class() != _name_of(self.classes_[1]):  # "10" is after "9" there
            predictions = [1, 0, 1, 1] + [-1, 1, -1, -1] * predictions[:, [0, 1, 3, 2]]
        return predictions

    def _rows(self, X, y, reset):
        target = y
        X, y = validate_data(self, X, y, reset=reset, dtype=np.float64)
        y = column_or_1d(y)
        check_classification_targets(y)
        if reset and "_given_classes" not in self.__dict__:
            self._set_classes(y)
        number = np.searchsorted(self.classes_, y)
        if not np.array_equal(self.classes_[np.minimum(number, 1)], y):
            raise ValueError(f"y has classes other than {self.classes_.tolist()}")
        if reset:  # the library numbers classes as they come
            self._name_target(target)
            self._first = int(number[0])
        names = [_name_of(self.classes_[self._first]), _name_of(self.classes_[1 - self._first])]
        return np.column_stack([X, number ^ self._first]), [*([[]] * X.shape[1]), names]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _name_of(value):
    """A class as `sda fit` names it: numbers in one form."""
    if isinstance(value, (float, np.floating)):
        return repr(float(value)) if value != int(value) else str(int(value))
    return str(value)


def _values_of(names):
    """Classes of a file: numbers if all of them are."""
    for kind in (int, float):
        try:
            return [kind(name) for name in names]
        except ValueError:
            pass
    return names


class Logistic(_Classifier):
    """Classification, P = 1 / (1 + exp(-score)), by expectation propagation."""

    _name = "logistic"


class Probit(_Classifier):
    """Classification, P = Phi(score), by expectation propagation."""

    _name = "probit"


class Mixture(ClusterMixin, TableEstimator):
    """Clusters of rows: a mixture of Gaussians. The first minibatch finds them, so it should have some
    thousand rows."""

    _name, _prior = "mixture", ("concentration", "weight", "spread")

    def __init__(
        self,
        n_components=None,
        *,
        concentration=None,
        weight=None,
        spread=None,
        batch_size=None,
        first_minibatch=None,
        half_life=0,
        random_state=None,
    ):
        self.n_components = n_components
        self.concentration = concentration
        self.weight = weight
        self.spread = spread
        self.batch_size = batch_size
        self.first_minibatch = first_minibatch
        self.half_life = half_life
        self.random_state = random_state

    def predict_proba(self, X):
        """The probability of each component: rows x components."""
        return self._predictions(X)[:, 1:]

    def predict(self, X):
        """The component that a row most likely belongs to, from 0."""
        return self._predictions(X)[:, 0].astype(int) - 1

    def _predictions(self, X):
        return WithTarget._predictions(self, X)

    def fit(self, X, y=None):
        """Learns from these rows alone, and sets labels_, the component of each. At Ctrl-C the model is
        left as of the last whole minibatch."""
        super().fit(X)
        self.labels_ = self.predict(X)
        return self
