#!/usr/bin/env python3
"""Held-out scores of `sda fit` with its defaults, against SVI tuned on the test documents.

  lda_quality.py SDA DATA_FOLDER [--corpora a,b] [--seeds 3] [--jobs 1] [--svi-grid] [--workers]

DATA_FOLDER holds a folder NAME for each corpus, with docword.NAME.txt(.gz|.zst),
test_ids.NAME.txt and stats.NAME.json. One pass, 100 topics, one thread a run; --jobs runs at once. Prints a line for
each setting: corpus, options, mean score over the seeds, the scores, seconds.
SVI's best seed-1 settings are run with the other seeds, too.
"""
import argparse
import glob
import itertools
import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

LARGE = ["arxiv", "news20", "reuters21578"]
SMALL = ["nips", "ap", "reuters395"]


def fit(sda, data, corpus, options, seed):
    docword = glob.glob(os.path.join(data, corpus, "docword.%s.txt*" % corpus))[0]
    ids = os.path.join(data, corpus, "test_ids.%s.txt" % corpus)
    with tempfile.TemporaryDirectory() as folder:
        out = subprocess.run(
            [sda, "fit", docword, "--format", "uci", "--holdout", ids, "--threads", "1", "--json",
             "--seed", str(seed), "-o", os.path.join(folder, "model")] + options.split(),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout
    report = json.loads(out)
    return report["log_predictive_probability"], report["seconds"]


def train_documents(data, corpus):
    with open(os.path.join(data, corpus, "stats.%s.json" % corpus)) as f:
        stats = json.load(f)
    return stats["documents"] - stats["test_documents"]


def svi_grid(data, corpus):
    minibatches = [256, 1024, 4096, 16384] if corpus in LARGE else [32, 64, 256, 1024]
    for minibatch, eta, kappa, tau0 in itertools.product(
            minibatches, [0.01, 0.1, 0.3, 1], [0.5, 0.6, 0.7, 0.9], [1, 64, 1024]):
        yield ("--algorithm svi --total-documents %d --alpha 0.01 --minibatch %d --eta %g --kappa %g "
               "--tau0 %g" % (train_documents(data, corpus), minibatch, eta, kappa, tau0))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("sda")
    p.add_argument("data")
    p.add_argument("--corpora", default=",".join(LARGE + SMALL))
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--svi-grid", action="store_true")
    p.add_argument("--workers", action="store_true", help="2 to 32 of them, both schedules")
    a = p.parse_args()
    corpora = a.corpora.split(",")
    pool = ThreadPoolExecutor(a.jobs)

    def run(settings, seeds):
        """{(corpus, options): [(score, seconds), ...]}"""
        jobs = {(s, seed): pool.submit(fit, a.sda, a.data, s[0], s[1], seed)
                for s in settings for seed in seeds}
        return {s: [jobs[s, seed].result() for seed in seeds] for s in settings}

    def show(results):
        for (corpus, options), runs in results.items():
            scores = [score for score, _ in runs]
            print("%-13s %.4f  %s  %5.1f s  %s" % (
                corpus, sum(scores) / len(scores), " ".join("%.4f" % s for s in scores),
                sum(s for _, s in runs) / len(runs), options), flush=True)

    seeds = range(1, a.seeds + 1)
    show(run([(c, "--primitive " + x) for c in corpora for x in ("gibbs", "vb")], seeds))
    if a.workers:
        show(run([(c, "--primitive %s --schedule %s --workers %d" % x) for c in corpora
                  for x in itertools.product(("gibbs", "vb"), ("sync", "async"), (2, 4, 8, 16, 32))], [1]))
    if a.svi_grid:
        first = run([(c, o) for c in corpora for o in svi_grid(a.data, c)], [1])
        best = []
        for c in corpora:
            of_corpus = sorted((s for s in first if s[0] == c), key=lambda s: -first[s][0][0])
            best += of_corpus[:3]
        show(run(best, seeds))


main()
