#!/usr/bin/env python3
"""EP for LDA (paper appendix B) said plainly: every message is a K x V array, every formula is the
paper's. Writes ep_golden.h, what it makes of a small corpus:

  ep_reference.py REFERENCE_FOLDER > ep_golden.h

REFERENCE_FOLDER holds reference.py, for its synthetic corpus and its noise. Needs numpy and scipy.

  ep_reference.py ranks

prints, after each sweep, the rank of the messages of later documents at the words of earlier ones:
numbers that any exact way to keep them needs for each message.
"""
import sys

import numpy as np
from scipy.optimize import brentq
from scipy.special import polygamma, psi


def inverse_psi(y):
    """x with psi(x) = y (Minka's start, then Newton)."""
    x = np.where(y >= -2.22, np.exp(y) + 0.5, -1 / (y - psi(1.0)))
    for _ in range(10):
        x = x - (psi(x) - y) / polygamma(1, x)
    return x


def match_moments(parts, weights):
    """The Dirichlet with the mean and the average second moment of a mixture of Dirichlets."""
    first = second = 0
    for a, w in zip(parts, weights):
        s = a.sum()
        first = first + w * a / s
        second = second + w * a * (a + 1) / (s * (s + 1))
    return (second - first).sum() / (first**2 - second).sum() * first


def match_log(parts, weights):
    """The Dirichlet with E[log] of a mixture of Dirichlets."""
    target = sum(w * (psi(a) - psi(a.sum())) for a, w in zip(parts, weights))
    # E[log x_u] = psi(a_u) - psi(s), so that a_u = inverse_psi(target_u + psi(s)), which sum to s.
    excess = lambda log_s: inverse_psi(target + psi(np.exp(log_s))).sum() / np.exp(log_s) - 1
    log_s = np.log(parts[0].sum())
    log_s = brentq(excess, log_s - 8, log_s + 8, xtol=1e-15, rtol=1e-15, maxiter=500)
    return inverse_psi(target + psi(np.exp(log_s)))


def start_messages(docs, topics, alpha, updates=20):
    """phi for every (d, v), in a list by document: responsibilities under the means of the topics,
    the document's proportions by EM."""
    beta = topics / topics.sum(1, keepdims=True)
    result = []
    for words, counts in docs:
        gamma = np.array(alpha, float)
        for _ in range(updates):
            phi = gamma[:, None] * beta[:, words]
            phi /= phi.sum(0)
            gamma = alpha + phi @ counts
        result.append(phi)
    return result


def ep(docs, prior, alpha, start=None, tokens=False, match=match_moments, damping=0.0, sweeps=10,
       tolerance=0.0, trace=None):
    """Returns (lambda, skipped updates, sweeps, converged). docs: (words, counts); prior: K x V.
    start: phi by start_messages, or None: messages start at zero. tokens: a message each token.
    trace: a list that gets the messages omega (messages x K x V) after each sweep."""
    K, V = prior.shape
    messages = []  # (document, word, copies)
    first = []
    for d, (words, counts) in enumerate(docs):
        for i, (v, n) in enumerate(zip(words, counts)):
            for _ in range(int(n) if tokens else 1):
                messages.append((d, v, 1 if tokens else int(n)))
                first.append(start[d][:, i] if start is not None else np.zeros(K))
    omega = np.zeros((len(messages), K, V))
    zeta = np.array(first)
    for i, (d, v, n) in enumerate(messages):
        omega[i, :, v] = first[i]
    lam = prior.copy()
    gamma = np.tile(np.array(alpha, float), (len(docs), 1))
    for i, (d, v, n) in enumerate(messages):
        lam += n * omega[i]
        gamma[d] += n * zeta[i]

    total = sum(n for _, _, n in messages)
    skipped = 0
    for sweep in range(1, sweeps + 1):
        lam_before, gamma_before = lam.copy(), gamma.copy()
        for i, (d, v, n) in enumerate(messages):
            cavity = lam - omega[i]
            cavity_d = gamma[d] - zeta[i]
            if (cavity <= 0).any() or (cavity_d <= 0).any():
                skipped += 1
                continue
            r = cavity_d / cavity_d.sum() * cavity[:, v] / cavity.sum(1)
            r /= r.sum()
            lam_hat = np.empty_like(lam)
            for k in range(K):
                with_word = cavity[k].copy()
                with_word[v] += 1
                lam_hat[k] = match([cavity[k], with_word], [1 - r[k], r[k]])
            gamma_hat = match([cavity_d + np.eye(K)[k] for k in range(K)], r)
            keep = 1 - damping
            omega[i] += keep * ((lam_hat - cavity) / n + (1 - 1 / n) * omega[i] - omega[i])
            zeta[i] += keep * ((gamma_hat - cavity_d) / n + (1 - 1 / n) * zeta[i] - zeta[i])
            lam += keep * (lam_hat - lam)
            gamma[d] += keep * (gamma_hat - gamma[d])
        if trace is not None:
            trace.append(omega.copy())
        change = max(np.abs(lam - lam_before).sum(), np.abs(gamma - gamma_before).sum())
        if change < tolerance * total:
            return lam, skipped, sweep, True
    # The paper's last line; the sum of messages says the same.
    assert np.allclose(lam, prior + sum(n * omega[i] for i, (_, _, n) in enumerate(messages)), rtol=1e-7)
    return lam, skipped, sweeps, False


def stream(docs, prior, alpha, noise, size, **options):
    """Minibatches of `size` documents one after the other; the first starts at prior + noise."""
    lam, skipped = prior, 0
    for b in range(0, len(docs), size):
        part = docs[b : b + size]
        start = start_messages(part, prior + noise, alpha) if b == 0 else None
        lam, more, _, _ = ep(part, lam, alpha, start, **options)
        skipped += more
    return lam, skipped


def ranks(sweeps=4):
    """10 documents of 8 words each that no other has; the last 5 documents' messages of topic 1."""
    rng = np.random.default_rng(1)
    docs = [(np.arange(8 * d, 8 * d + 8), rng.integers(1, 4, 8)) for d in range(10)]
    trace = []
    ep(docs, rng.uniform(1, 3, (3, 80)), np.full(3, 0.3), sweeps=sweeps, trace=trace)
    for sweep, omega in enumerate(trace, 1):
        values = np.linalg.svd(omega[40:, 0, :40], compute_uv=False)
        print(sweep, (values > 1e-10 * values[0]).sum(), values[:6] / values[0])


if __name__ == "__main__":
    if sys.argv[1] == "ranks":
        sys.exit(ranks())
    sys.path.insert(0, sys.argv[1])
    import reference as ref

    K, V = 5, 60
    docs = ref.synthetic(K, V)[:20]
    noise = ref.hash_noise(1, K, V)
    alpha = np.full(K, 0.2)

    def numbers(name, values, kind="double"):
        text, line = [], "   "
        for x in np.ravel(values):
            x = "%r" % float(x) if kind == "double" else "%d" % x
            if len(line) + len(x) + 2 > 100:
                text.append(line)
                line = "   "
            line += " " + x + ","
        text.append(line)
        print("inline const std::vector<%s> %s = {\n%s};\n" % (kind, name, "\n".join(text)))

    print("// Made by ep_reference.py REFERENCE_FOLDER > ep_golden.h; do not edit.")
    print("#ifndef SDA_TESTS_LDA_EP_GOLDEN_H_\n#define SDA_TESTS_LDA_EP_GOLDEN_H_\n")
    print("#include <cstdint>\n#include <vector>\n\n// clang-format off\nnamespace sda::golden {\n")
    cases = {
        "Type": dict(eta=1.0, size=10),
        "Token": dict(eta=1.0, size=10, tokens=True),
        "Damped": dict(eta=1.0, size=10, damping=0.3),
        "SmallEta": dict(eta=0.01, size=10),
        "SmallEtaToken": dict(eta=0.01, size=10, tokens=True),
        "SmallEtaDamped": dict(eta=0.01, size=10, damping=0.5),
        "Log": dict(eta=1.0, size=20, match=match_log, sweeps=3),
        "LogDamped": dict(eta=0.1, size=20, match=match_log, sweeps=3, damping=0.5, tokens=True),
    }
    skips = []
    for name, case in cases.items():
        options = dict(sweeps=6) | {k: x for k, x in case.items() if k not in ("eta", "size")}
        lam, skipped = stream(docs, np.full((K, V), case["eta"]), alpha, noise, case["size"], **options)
        numbers("kEp" + name, lam)  # K x V, row by row
        skips.append(skipped)
        print(name, skipped, lam.sum() - K * V * case["eta"], file=sys.stderr)
    print("// Skipped updates, in the order of the above.")
    numbers("kEpSkipped", skips, "uint64_t")
    print("}  // namespace sda::golden\n// clang-format on\n\n#endif  // SDA_TESTS_LDA_EP_GOLDEN_H_")
