#!/usr/bin/env python3
"""Held-out score of other tools' LDA after one pass over the training documents.

  lda_peers.py DOCWORD TEST_IDS REFERENCE_FOLDER [--tool sklearn|gensim|tomotopy] [--grid small|full] [--seeds 1,2,3]

REFERENCE_FOLDER holds corpus.py and lpp.py. Training documents are taken in file order; every fit is scored
with the alpha it was trained with. One line of JSON per fit on standard output, progress on standard error.

sklearn   LatentDirichletAllocation.partial_fit, one call per minibatch
gensim    LdaModel(passes=1, update_every=1); alpha "auto" is learned, and scored as learned
tomotopy  LDAModel, collapsed Gibbs in memory, fixed alpha: its one pass is train(1) from random topics;
          more sweeps (--iterations) are there for information, each line the same chain trained further

cpu_seconds counts the fitting calls alone, on one thread: for tomotopy not handing over the documents, which
are there as add_cpu_seconds. Needs numpy, scipy and the tool; keep OMP_NUM_THREADS and the like at 1.
"""
import argparse
import itertools
import json
import os
import sys
import time

import numpy as np


def vb_grid(name, documents, tool):
    """Settings of the variational tools; smaller minibatches where the corpus is small."""
    small, large = (64, 256) if documents < 5000 else (256, 4096) if documents < 50000 else (1024, 4096)
    if name == "full":
        rows = [r + ("fixed",) for r in itertools.product((0.01, 0.1, 0.3), (0.5, 0.7), (1, 64), (small, large))]
        if tool == "gensim":
            rows += [r[:4] + ("auto",) for r in rows]
    else:
        slow = small if documents < 50000 else large  # slow steps need many minibatches, or large ones
        rows = [(eta, 0.5, 64, slow, "fixed") for eta in (0.01, 0.1, 0.3)]
        rows += [(0.3, 0.7, 64, slow, "fixed"), (0.1, 0.7, 1, large, "fixed")]
        rows += [(0.3, 0.5, 64, slow, "auto") if tool == "gensim" else (0.3, 0.5, 1, large, "fixed")]
    return [dict(zip(("eta", "kappa", "tau0", "minibatch", "alpha"), r)) for r in rows]


def gibbs_grid():
    """Settings of tomotopy: the same six in either grid."""
    return [{"alpha_times_k": c, "eta": eta} for c in (2.0, 1.0) for eta in (0.01, 0.1, 0.3)]


def fit_sklearn(X, K, s, seed, iterations):
    from sklearn.decomposition import LatentDirichletAllocation

    m = LatentDirichletAllocation(
        K, doc_topic_prior=1.0 / K, topic_word_prior=s["eta"], learning_decay=s["kappa"], learning_offset=s["tau0"],
        total_samples=X.shape[0], mean_change_tol=1e-3, max_doc_update_iter=100, batch_size=s["minibatch"],
        random_state=seed, n_jobs=1)
    start = time.process_time()
    for i in range(0, X.shape[0], s["minibatch"]):
        m.partial_fit(X[i:i + s["minibatch"]])
    yield m.components_, 1.0 / K, {"cpu_seconds": time.process_time() - start}


def fit_gensim(X, K, s, seed, iterations):
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    documents = Sparse2Corpus(X, documents_columns=False)
    words = {v: str(v) for v in range(X.shape[1])}
    start = time.process_time()
    m = LdaModel(
        documents, num_topics=K, id2word=words, alpha="auto" if s["alpha"] == "auto" else 1.0 / K, eta=s["eta"],
        decay=s["kappa"], offset=s["tau0"], chunksize=s["minibatch"], passes=1, update_every=1, eval_every=None,
        iterations=100, gamma_threshold=1e-3, random_state=seed)
    used = time.process_time() - start
    alpha = m.alpha.astype(np.float64)
    yield m.state.get_lambda(), alpha, {"alpha_sum": float(alpha.sum()), "cpu_seconds": used}


def fit_tomotopy(X, K, s, seed, iterations):
    import tomotopy as tp

    alpha = s["alpha_times_k"] / K
    m = tp.LDAModel(k=K, alpha=alpha, eta=s["eta"], seed=seed)
    m.optim_interval = 0  # keep alpha where it is
    words = np.array([str(v) for v in range(X.shape[1])], dtype=object)
    start = time.process_time()
    for i in range(X.shape[0]):
        a, b = X.indptr[i], X.indptr[i + 1]
        m.add_doc(np.repeat(words[X.indices[a:b]], X.data[a:b].astype(np.int64)).tolist())
    added = time.process_time() - start
    done, used = 0, 0.0
    for n in iterations:
        start = time.process_time()
        m.train(n - done, workers=1)
        used += time.process_time() - start
        done = n
        lam = np.full((K, X.shape[1]), s["eta"])
        column = np.array([int(w) for w in m.used_vocabs])
        p = np.array([m.get_topic_word_dist(k) for k in range(K)], dtype=np.float64)  # (count + eta) / its sum
        total = np.asarray(m.get_count_by_topics(), dtype=np.float64) + len(column) * s["eta"]
        lam[:, column] = np.maximum(p * total[:, None], s["eta"])
        yield lam, alpha, {"iterations": n, "cpu_seconds": used, "add_cpu_seconds": added}


FIT = {"sklearn": fit_sklearn, "gensim": fit_gensim, "tomotopy": fit_tomotopy}


def main():
    integers = lambda text: [int(x) for x in text.split(",")]
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("docword")
    p.add_argument("test_ids")
    p.add_argument("reference")
    p.add_argument("--tool", choices=sorted(FIT), help="default: all three")
    p.add_argument("--grid", choices=("small", "full"), default="small")
    p.add_argument("--settings", action="append", type=json.loads, help="one JSON object, in place of the grid; repeat")
    p.add_argument("--seeds", type=integers, default=[1])
    p.add_argument("--topics", type=int, default=100)
    p.add_argument("--iterations", type=integers, default=[1, 10, 100], help="of tomotopy, ascending")
    a = p.parse_args()
    sys.path.insert(0, a.reference)
    import corpus
    import importlib.metadata
    import lpp

    X = corpus.read_docword(a.docword)
    split = corpus.make_split(X, test_ids=corpus.read_ids(a.test_ids))
    train, K = split.train, a.topics
    name = os.path.basename(a.docword).split(".")[1]
    print("%s: %s" % (name, split.describe()), file=sys.stderr)
    for tool in [a.tool] if a.tool else ["sklearn", "gensim", "tomotopy"]:
        version = importlib.metadata.version("scikit-learn" if tool == "sklearn" else tool)
        grid = a.settings or (gibbs_grid() if tool == "tomotopy" else vb_grid(a.grid, train.shape[0], tool))
        for seed, s in itertools.product(a.seeds, grid):
            print("%s %s %s seed %d" % (name, tool, s, seed), file=sys.stderr, flush=True)
            for lam, alpha, more in FIT[tool](train, K, s, seed, a.iterations):
                score = lpp.log_predictive(lam, alpha, split.observed, split.tested)["lpp"]
                line = {"corpus": name, "tool": tool, "version": version, "topics": K, "settings": s, "seed": seed,
                        "score": score}
                print(json.dumps({**line, **more}), flush=True)
                print("  %.4f %s" % (score, more), file=sys.stderr, flush=True)


main()
