#!/usr/bin/env python3
"""Writes golden.h: what the reference makes of a small corpus.

  make_golden.py REFERENCE_FOLDER > golden.h

REFERENCE_FOLDER holds reference.py, lpp.py and corpus.py. Needs numpy and scipy.
"""
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import corpus  # noqa: E402
import lpp  # noqa: E402
import reference as ref  # noqa: E402

K, V, ALPHA, ETA, SIZE = 5, 60, 0.2, 0.1, 20
ASYMMETRIC = [0.1, 0.2, 0.3, 0.4, 0.5]


def numbers(name, values, kind="double"):
    text = ["%r" % float(x) if kind == "double" else "%d%s" % (x, "u" if x > 2**62 else "") for x in np.ravel(values)]
    lines, line = [], "   "
    for x in text:
        if len(line) + len(x) + 2 > 100:
            lines.append(line)
            line = "   "
        line += " " + x + ","
    lines.append(line)
    print("inline const std::vector<%s> %s = {\n%s};\n" % (kind, name, "\n".join(lines)))


def number(name, value):
    print("inline constexpr double %s = %r;\n" % (name, float(value)))


def held_out(lam, docs, rule):
    """The score, every document held out, numbered from 1."""
    import scipy.sparse as sp

    X = sp.lil_matrix((len(docs), V))
    for d, (w, c) in enumerate(docs):
        X[d, w] = c
    split = corpus.make_split(X.tocsr(), test_ids=np.arange(1, len(docs) + 1), rule=rule)
    return lpp.log_predictive(lam, ALPHA, split.observed, split.tested)["lpp"]


def main():
    docs = ref.synthetic(K, V)
    cfg = lambda **k: ref.Config(local_tol=0.0, local_iters=30, stop=("iters",), **k)
    stopping = ref.Config(local_tol=1e-3, local_iters=100, outer_iters=50, stop=("relative", 1e-3), warm=True)
    print("// Made by make_golden.py; do not edit.")
    print("#ifndef SDA_TESTS_LDA_GOLDEN_H_\n#define SDA_TESTS_LDA_GOLDEN_H_\n")
    print("#include <cstdint>\n#include <vector>\n\n// clang-format off\nnamespace sda::golden {\n")
    numbers("kOffsets", np.cumsum([0] + [len(w) for w, _ in docs]), "uint64_t")
    numbers("kWords", np.concatenate([w for w, _ in docs]), "uint32_t")
    numbers("kCounts", np.concatenate([c for _, c in docs]), "uint32_t")
    prior = np.full((K, V), ETA)
    sda = ref.sda_stream(docs, K, V, ALPHA, ETA, SIZE, cfg(outer_iters=4))
    # K x V, row by row.
    numbers("kSda", sda)
    numbers("kSdaWarm", ref.sda_stream(docs, K, V, ALPHA, ETA, SIZE, cfg(outer_iters=4, warm=True)))
    numbers("kSdaAsymmetric", ref.sda_stream(docs, K, V, np.array(ASYMMETRIC), ETA, SIZE, cfg(outer_iters=4)))
    numbers("kSdaSync3", ref.sda_sync(docs, K, V, ALPHA, ETA, 10, 3, cfg(outer_iters=4)))
    numbers("kSsu", ref.ssu(docs, K, V, ALPHA, ETA, SIZE, cfg()))
    numbers("kSvi", ref.svi(docs, K, V, ALPHA, ETA, SIZE, cfg()))
    trace = []
    numbers("kBatch", ref.batch_vb(docs, prior, ALPHA, prior + ref.hash_noise(1, K, V), cfg(outer_iters=7, warm=True), trace))
    numbers("kBatchBounds", [ref.elbo(docs, g, l, ALPHA, prior) for l, g in trace])
    numbers("kBatchStopping", ref.batch_vb(docs, prior, ALPHA, prior + ref.hash_noise(1, K, V), stopping))
    numbers("kSmallEta", ref.sda_stream(docs, K, V, 0.01, 0.001, SIZE, cfg(outer_iters=4)))
    number("kScoreHalfTypes", held_out(sda, docs, "half-types"))
    number("kScoreAlternate", held_out(sda, docs, "alternate"))
    numbers("kKeys", np.array([corpus.key(1, 2, 3), corpus.key(0, 0, 0), corpus.key(2**64 - 1, 3, 10**12)], dtype=np.uint64), "uint64_t")
    print("}  // namespace sda::golden\n// clang-format on\n\n#endif  // SDA_TESTS_LDA_GOLDEN_H_")


main()
