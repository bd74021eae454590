"""Topic models and conjugate models that learn from streams.

After every minibatch there is a posterior for exactly the documents seen so far: no total size, no
learning rate, no second pass.

    >>> import sdabayes
    >>> model = sdabayes.StreamingLDA(n_components=20, vocabulary="learn")
    >>> model.fit(texts)                    # doctest: +SKIP
    >>> model.topics()                      # doctest: +SKIP
"""

from ._lda import Posterior, StreamingLDA
from ._report import Report, report
from ._run import RunResult, run
from ._sdabayes import __version__
from ._tables import Categorical, Coin, Linear, Logistic, Mixture, Normal, Poisson, Probit

__all__ = [
    "Categorical",
    "Coin",
    "Linear",
    "Logistic",
    "Mixture",
    "Normal",
    "Poisson",
    "Posterior",
    "Probit",
    "Report",
    "RunResult",
    "StreamingLDA",
    "__version__",
    "report",
    "run",
]
