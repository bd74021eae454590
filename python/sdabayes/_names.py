"""The names of scikit-learn for what the library calls otherwise, and the way back for messages."""

import json
import re
from contextlib import contextmanager

import numpy as np
from sklearn.utils import check_random_state

# Parameters that mean what one of scikit-learn's means have its name. The others have the library's.
LIBRARY_NAMES = {
    "n_components": "topics",
    "doc_topic_prior": "alpha",
    "topic_word_prior": "eta",
    "batch_size": "minibatch",
    "random_state": "seed",
    "total_samples": "total_documents",
    "learning_offset": "tau0",
    "learning_decay": "kappa",
    "max_iter": "passes",
}
_PYTHON_NAMES = {library: python for python, library in LIBRARY_NAMES.items()}
_PYTHON_NAMES["threads"] = "n_jobs"
# What the library calls otherwise in messages than in its options.
_PYTHON_NAMES |= {
    "vocabulary_documents": "vocab_from",
    "maximum_vocabulary": "max_vocab",
    "maximum_document_share": "max_share",
    "minimum_word_length": "min_word_length",
}

_FLAG = re.compile(r"--([a-z][a-z0-9-]*)")
_FIELD = re.compile(r"^(?:option )?([a-z][a-z0-9_-]*)(?= is |: |'s )")


def translated(message, **others):
    """A message of the library, with the names of the parameters in place of its flags."""
    names = _PYTHON_NAMES | others

    def python_name(match):
        name = match.group(1).replace("-", "_")
        return names.get(name, name)

    return _FLAG.sub(python_name, _FIELD.sub(python_name, message))


@contextmanager
def python_names(**others):
    """Errors of the library name the parameters of Python; others: of a single call, where its names are
    not those of the estimator."""
    try:
        yield
    except ValueError as error:
        message = str(error)
        if isinstance(error, UnicodeError) or translated(message, **others) == message:
            raise
        raise ValueError(translated(message, **others)) from None


def whole(name, value):
    """The value, if it is a whole number."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is {value!r}, must be a whole number")
    if abs(int(value)) >= 2**31:
        raise ValueError(f"{name} is {value}, must be below {2**31}")
    return int(value)


def seed_of(random_state):
    """The seed of the library, from scikit-learn's random_state."""
    if random_state is None or isinstance(random_state, (int, np.integer)):
        return random_state
    return int(check_random_state(random_state).randint(2**31))


def plain(value):
    """NumPy's numbers and arrays as those of Python, for JSON."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a parameter is {value!r}, must be a number, a text or a list of numbers")


def options_json(parameters):
    """The JSON of the library's options from parameters; what is None has the library's default."""
    options = {}
    for name, value in parameters.items():
        if value is None:
            continue
        if name == "doc_topic_prior" and np.ndim(value) == 0:
            value = [value]
        options[LIBRARY_NAMES.get(name, name)] = value
    try:
        return json.dumps(options, default=plain, allow_nan=False)
    except ValueError as error:
        raise ValueError(f"a parameter is not a finite number: {error}") from None


def parameters_of(options_text):
    """The parameters from the JSON of the library's options."""
    options = json.loads(options_text)
    return {_PYTHON_NAMES.get(name, name): value for name, value in options.items()}
