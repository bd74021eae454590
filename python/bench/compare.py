"""What the package costs over the library, and what it gains over scikit-learn: one run, one matrix.

    python python/bench/compare.py [DOCUMENTS] [TOPICS]

Prints the time of partial_fit over that of the C++ call within it, for minibatches of 1,024 and 4,096
documents, and the documents per second of processor time of stochastic variational inference, by this
package and by scikit-learn, with the held-out scores of both by the same code.
"""

import sys
import time

import numpy as np
import scipy.sparse
from scipy.special import psi
from sklearn.decomposition import LatentDirichletAllocation

from sdabayes import StreamingLDA


def simulated(documents, topics, words=5000, length=100, seed=0):
    """Documents of a topic model with as many topics."""
    random = np.random.default_rng(seed)
    beta = random.dirichlet(np.full(words, 0.05), topics)
    rows = []
    for theta in random.dirichlet(np.full(topics, 0.1), documents):
        rows.append(random.choice(words, length, p=theta @ beta))
    columns = np.concatenate(rows)
    counts = scipy.sparse.csr_matrix(
        (np.ones(len(columns), np.int32), columns, np.arange(0, len(columns) + 1, length)),
        shape=(documents, words),
    )
    counts.sum_duplicates()
    return counts


def overhead(X, topics, size, primitive):
    """Of the fastest calls, since other processes only ever add time."""
    model = StreamingLDA(n_components=topics, primitive=primitive, first_minibatch=1, n_jobs=1)
    model.partial_fit(X[:size])
    calls = []
    for _ in range(6):
        for first in range(size, X.shape[0] - size + 1, size):
            part = X[first : first + size]
            before, began = model._model.learnt()[3], time.perf_counter()
            model.partial_fit(part)
            wall = time.perf_counter() - began
            of_library = model._model.learnt()[3] - before
            calls.append((wall - of_library, of_library))
    more, of_library = np.min(calls, axis=0)
    return more / of_library


def held_out(components, alpha, X, updates=100):
    """Log predictive probability of every second word of each document, given the others."""
    beta = components / components.sum(axis=1, keepdims=True)
    expected = np.exp(psi(components) - psi(components.sum(axis=1, keepdims=True)))
    total = tokens = 0
    for row in X:
        words, counts = row.indices, row.data
        seen, tested = slice(0, None, 2), slice(1, None, 2)
        gamma = np.ones(len(components))
        for _ in range(updates):
            theta = np.exp(psi(gamma) - psi(gamma.sum()))
            phi = theta[:, None] * expected[:, words[seen]]
            gamma = alpha + (phi / phi.sum(axis=0)) @ counts[seen]
        probabilities = gamma / gamma.sum() @ beta[:, words[tested]]
        total += counts[tested] @ np.log(probabilities)
        tokens += counts[tested].sum()
    return total / tokens


def main():
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else 8192
    topics = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    X = simulated(documents + 500, topics)
    train, test = X[:documents], X[documents:]
    for primitive in ("gibbs", "vb"):
        for size in (1024, 4096):
            if 2 * size > documents:
                continue
            share = overhead(train, topics, size, primitive)
            print(f"partial_fit of {size} documents, {primitive}: {100 * share:.1f}% over C++")

    rate = dict(total_samples=documents, learning_decay=0.5, learning_offset=64.0)
    ours = StreamingLDA(
        n_components=topics, algorithm="svi", batch_size=1024, n_jobs=1, random_state=1, **rate,
        doc_topic_prior=1 / topics, topic_word_prior=1 / topics,
    )  # fmt: skip
    theirs = LatentDirichletAllocation(
        n_components=topics, learning_method="online", batch_size=1024, max_iter=1, random_state=1,
        **rate,
    )  # fmt: skip
    speeds = {}
    for name, model in (("sdabayes", ours), ("scikit-learn", theirs)):
        began = time.process_time()
        for first in range(0, documents, 1024):
            model.partial_fit(train[first : first + 1024])
        speeds[name] = documents / (time.process_time() - began)
        score = held_out(model.components_, 1 / topics, test)
        print(f"{name}, svi: {speeds[name]:,.0f} documents per CPU second, held out {score:.3f}")
    print(f"{speeds['sdabayes'] / speeds['scikit-learn']:.1f} times")


if __name__ == "__main__":
    main()
