"""The types of what the package has; python_api.md says what it does."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    RegressorMixin,
    TransformerMixin,
)

from ._sdabayes import __version__ as __version__

__all__: list[str]

_Floats = npt.NDArray[np.float64]
_Path = str | os.PathLike[str]
_Table = Any  # of pandas or Polars, or a list of dicts
_Self = TypeVar("_Self")

class Posterior(NamedTuple):
    components: _Floats
    doc_topic_prior: _Floats
    vocabulary: list[str]

class StreamingLDA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    feature_names_in_: npt.NDArray[Any]
    n_features_in_: int
    def __init__(
        self,
        n_components: int | Literal["auto"] = 100,
        *,
        doc_topic_prior: float | Sequence[float] | None = None,
        topic_word_prior: float | None = None,
        algorithm: Literal["sda", "svi", "ssu", "batch"] = "sda",
        primitive: Literal["gibbs", "vb", "ep"] | None = None,
        batch_size: int | None = None,
        first_minibatch: int | None = None,
        sweeps: int | None = None,
        half_life: float | None = 0,
        precision: Literal["float", "double"] | None = None,
        intervals: Literal["quick", "sampled", "off"] | None = None,
        total_samples: float | None = None,
        learning_offset: float | None = None,
        learning_decay: float | None = None,
        max_iter: int | None = None,
        learning_method: str | None = None,
        evaluate_every: int | None = None,
        perp_tol: float | None = None,
        mean_change_tol: float | None = None,
        max_doc_update_iter: int | None = None,
        schedule: Literal["serial", "sync", "async"] | None = None,
        workers: int | None = None,
        vocabulary: Iterable[str] | Mapping[str, int] | Mapping[int, str] | Any | None = None,
        vocab_from: int | None = None,
        min_df: int | None = None,
        max_share: float | None = None,
        max_vocab: int | None = None,
        stop_words: str | None = None,
        min_word_length: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...
    def fit(self: _Self, X: Any, y: Any = None) -> _Self: ...
    def partial_fit(self: _Self, X: Any, y: Any = None) -> _Self: ...
    def refit(self: _Self) -> _Self: ...
    def transform(self, X: Any, *, normalize: bool = True) -> Any: ...
    def fit_transform(self, X: Any, y: Any = None, *, normalize: bool = True) -> Any: ...
    def score(self, X: Any, y: Any = None) -> float: ...
    def perplexity(self, X: Any) -> float: ...
    def posterior(self) -> Posterior: ...
    def topic_interval(
        self, topic: int, words: str | int | Iterable[str | int] | None = None, level: float = 0.95
    ) -> _Floats: ...
    def document_interval(
        self,
        X: Any,
        level: float = 0.95,
        method: Literal["sampled", "linear-response"] = "sampled",
    ) -> _Floats: ...
    def sample_topics(self, n: int = 1, seed: int | None = None) -> _Floats: ...
    def topics(self, n_words: int = 10) -> _Table: ...
    def to_pyldavis(self) -> dict[str, Any]: ...
    def save(self, path: _Path) -> None: ...
    @classmethod
    def load(cls: type[_Self], path: _Path, *, n_jobs: int | None = None) -> _Self: ...
    @property
    def components_(self) -> _Floats: ...
    @property
    def exp_dirichlet_component_(self) -> _Floats: ...
    @property
    def vocabulary_(self) -> list[str]: ...
    @property
    def doc_topic_prior_(self) -> float | _Floats: ...
    @property
    def topic_word_prior_(self) -> float: ...
    @property
    def n_documents_(self) -> int: ...
    @property
    def n_tokens_(self) -> int: ...
    @property
    def n_batches_(self) -> int: ...
    @property
    def n_iter_(self) -> int: ...

class _TableEstimator(BaseEstimator):  # type: ignore[misc]
    feature_names_in_: npt.NDArray[Any]
    n_features_in_: int
    def fit(self: _Self, X: Any, y: Any = None) -> _Self: ...
    def partial_fit(self: _Self, X: Any, y: Any = None) -> _Self: ...
    def estimates(self) -> _Table: ...
    def notes(self) -> list[str]: ...
    def save(self, path: _Path) -> None: ...
    @classmethod
    def load(cls: type[_Self], path: _Path, **parameters: Any) -> _Self: ...
    @property
    def n_rows_(self) -> int: ...

class Coin(_TableEstimator):
    def __init__(
        self, heads: float | None = None, tails: float | None = None, *, half_life: float = 0
    ) -> None: ...

class Poisson(_TableEstimator):
    def __init__(
        self, shape: float | None = None, rate: float | None = None, *, half_life: float = 0
    ) -> None: ...

class Normal(_TableEstimator):
    def __init__(
        self,
        mean: float | None = None,
        weight: float | None = None,
        shape: float | None = None,
        rate: float | None = None,
        *,
        half_life: float = 0,
    ) -> None: ...

class Categorical(_TableEstimator):
    def __init__(self, concentration: float | None = None, *, half_life: float = 0) -> None: ...

class Linear(RegressorMixin, _TableEstimator):  # type: ignore[misc]
    def __init__(
        self,
        precision: float | None = None,
        shape: float | None = None,
        rate: float | None = None,
        *,
        fit_intercept: bool = True,
        half_life: float = 0,
    ) -> None: ...
    def predict(self, X: Any, return_std: bool = False) -> Any: ...
    def predict_interval(self, X: Any) -> _Floats: ...

class _Classifier(ClassifierMixin, _TableEstimator):  # type: ignore[misc]
    classes_: npt.NDArray[Any]
    def __init__(
        self,
        sd: float | None = None,
        intercept_sd: float | None = None,
        *,
        primitive: Literal["ep", "vb"] | None = None,
        covariance: Literal["auto", "dense", "diagonal"] | None = None,
        fit_intercept: bool = True,
        batch_size: int | None = None,
        schedule: Literal["serial", "sync", "async"] | None = None,
        workers: int | None = None,
        half_life: float = 0,
    ) -> None: ...
    def partial_fit(self: _Self, X: Any, y: Any, classes: Any = None) -> _Self: ...
    def predict(self, X: Any) -> npt.NDArray[Any]: ...
    def predict_proba(self, X: Any) -> _Floats: ...
    def predict_interval(self, X: Any) -> _Floats: ...

class Logistic(_Classifier): ...
class Probit(_Classifier): ...

class Mixture(ClusterMixin, _TableEstimator):  # type: ignore[misc]
    labels_: npt.NDArray[np.int64]
    def __init__(
        self,
        n_components: int | None = None,
        *,
        concentration: float | None = None,
        weight: float | None = None,
        spread: float | None = None,
        batch_size: int | None = None,
        first_minibatch: int | None = None,
        half_life: float = 0,
        random_state: int | None = None,
    ) -> None: ...
    def fit(self: _Self, X: Any, y: Any = None) -> _Self: ...
    def predict(self, X: Any) -> npt.NDArray[np.int64]: ...
    def predict_proba(self, X: Any) -> _Floats: ...

class Report:
    data: dict[str, Any]
    def __init__(self, text: str, page: str) -> None: ...
    @property
    def html(self) -> str: ...
    def save(self, path: _Path) -> None: ...

def report(
    model: StreamingLDA | _Path,
    docs: Any = None,
    *,
    ids: Iterable[Any] | None = None,
    times: Iterable[Any] | None = None,
    texts: Iterable[str | None] | None = None,
    title: str | None = None,
    words: int = 30,
    documents: int = 5,
) -> Report: ...

class RunResult(NamedTuple):
    posterior: _Floats
    summary: dict[str, Any]

def run(
    primitive: Callable[[Any, Any], npt.ArrayLike],
    prior: npt.ArrayLike,
    stream: Iterable[Any] | Callable[[int], Iterable[Any]],
    *,
    schedule: Literal["serial", "sync", "async"] = "serial",
    workers: int = 1,
    worker_prior: Literal["latest", "fixed"] = "latest",
    half_life: float = 0,
    processes: bool = False,
    observer: Callable[[dict[str, Any]], object] | None = None,
    checkpoint: _Path | None = None,
    checkpoint_every: int | str | None = None,
    resume: bool = False,
) -> RunResult: ...
