"""The tests of the package as it is installed: `./dev test` makes a wheel and installs it into an
empty environment. SDA_PROGRAM names the command line, for the tests that compare the two."""

import os
import signal

import numpy as np
import pytest
import scipy.sparse

# What a shell starts in the background ignores Ctrl-C, and so would the programs that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

THEMES = [
    "sail harbour anchor tide vessel captain reef mast".split(),
    "oven butter flour recipe dough sauce pepper bread".split(),
    "judge jury witness verdict lawyer appeal trial oath".split(),
]
WORDS = [word for theme in THEMES for word in theme]


def make_texts(documents, seed=0):
    """Texts about one of three themes each."""
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(THEMES[random.integers(3)], 30)) for _ in range(documents)]


def matrix_of(texts):
    """The counts of WORDS in texts."""
    number = {word: i for i, word in enumerate(WORDS)}
    rows = np.repeat(np.arange(len(texts)), [len(text.split()) for text in texts])
    columns = [number[word] for text in texts for word in text.split()]
    X = scipy.sparse.csr_matrix(
        (np.ones(len(columns), np.int32), (rows, columns)), shape=(len(texts), len(WORDS))
    )
    X.sum_duplicates()
    return X


@pytest.fixture(scope="session")
def texts():
    return make_texts(600)


@pytest.fixture(scope="session")
def X(texts):
    return matrix_of(texts)


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("SDA_PROGRAM")
    if not path:
        pytest.skip("SDA_PROGRAM does not name the program")
    return path


def write_ldac(X, path):
    with open(path, "w") as file:
        for row in X:
            entries = [f"{w}:{int(n)}" for w, n in zip(row.indices, row.data)]
            file.write(" ".join([str(len(entries)), *entries]) + "\n")
