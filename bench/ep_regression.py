"""EP against VB as primitives of streaming regression: the tables of docs/ep.md.

    python3 -m venv /tmp/ep && /tmp/ep/bin/pip install numpy scipy scikit-learn
    /tmp/ep/bin/python bench/ep_regression.py build/release/bin/sda [--quick] [--only TABLE]

Everything is run through the program: `sda fit`, `sda predict`, `sda show`. Real data: scikit-learn's
bundled sets, five splits in halves. Simulated: one stream of 1,000,000 rows, and many short streams
whose coefficients are known, to count how often 95% intervals hold them, also with a diagonal
covariance; the distance of streams from the fit of all rows at once.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np
from scipy.special import expit, ndtr
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

METHODS = [("probit", "ep"), ("probit", "vb"), ("logistic", "ep"), ("logistic", "vb")]
SCHEDULES = {"1": [], "8 async": ["--schedule", "async", "--workers", "8"],
             "8 sync": ["--schedule", "sync", "--workers", "8"]}
LINK = {"probit": ndtr, "logistic": expit}


def write_csv(path, x, y):
    names = [f"x{j}" for j in range(x.shape[1])]
    formats = ["%.6g"] * x.shape[1] + ["%d"]
    np.savetxt(path, np.column_stack([x, y]), fmt=formats, delimiter=",",
               header=",".join(names + ["y"]), comments="")


def run(command):
    """Standard output, and CPU seconds of the program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def fit(sda, model, primitive, workers, path, minibatch):
    """Parameters, CPU seconds, and the mean staleness of the deltas."""
    out, seconds = run([sda, "fit", "--model", model, "--primitive", primitive, "--target", "y", path,
                        "-o", path + ".model", "--json", "--minibatch", str(minibatch),
                        "--report", path + ".report"] + SCHEDULES[workers])
    with open(path + ".report", encoding="utf-8") as report:
        staleness = json.load(report)["staleness_mean"]
    return json.loads(out)["parameters"], seconds, staleness


def predict(sda, path, test):
    out, _ = run([sda, "predict", path + ".model", test])
    return np.array([float(line.split(",")[0]) for line in out.splitlines()[1:]])


def score(p, y):
    p = np.clip(p, 1e-15, 1 - 1e-15)
    return np.mean((p > 0.5) == y), np.mean(np.where(y == 1, np.log(p), np.log1p(-p)))


def calibration_error(p, y):
    """Mean distance of predicted from observed frequency, over ten bins of equal width."""
    bins = np.minimum((p * 10).astype(int), 9)
    return sum(abs(p[bins == b].sum() - y[bins == b].sum()) for b in range(10)) / len(p)


def real_sets():
    cancer = load_breast_cancer()
    digits = load_digits()
    wine = load_wine()
    yield "breast_cancer", cancer.data, cancer.target
    yield "digits, even/odd", digits.data, digits.target % 2
    yield "wine, class 1", wine.data, (wine.target == 1).astype(int)


def compare_real(sda, folder, splits):
    print("\n| data | model | primitive | workers | accuracy | log probability | calibration error |")
    print("|---|---|---|---|---|---|---|")
    for name, x, y in real_sets():
        results = {}
        for split in range(splits):
            order = np.random.default_rng(split).permutation(len(y))
            train, test = order[: len(y) // 2], order[len(y) // 2:]
            a, b = os.path.join(folder, "train.csv"), os.path.join(folder, "test.csv")
            write_csv(a, x[train], y[train])
            write_csv(b, x[test], y[test])
            for model, primitive in METHODS:
                for workers in SCHEDULES:
                    fit(sda, model, primitive, workers, a, min(100, len(train) // 4))
                    p = predict(sda, a, b)
                    row = (*score(p, y[test]), calibration_error(p, y[test]))
                    results.setdefault((model, primitive, workers), []).append(row)
            peer = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
            p = peer.fit(x[train], y[train]).predict_proba(x[test])[:, 1]
            row = (*score(p, y[test]), calibration_error(p, y[test]))
            results.setdefault(("scikit-learn logistic", "batch", ""), []).append(row)
        for (model, primitive, workers), rows in results.items():
            accuracy, log_probability, calibration = np.mean(rows, axis=0)
            print(f"| {name} | {model} | {primitive} | {workers} | {accuracy:.3f} | "
                  f"{log_probability:.3f} | {calibration:.3f} |", flush=True)


def simulate(model, rows, features, rng):
    w = rng.normal(size=features) * 0.5
    shared = rng.normal(size=(rows, 1))
    x = np.round(np.sqrt(0.7) * rng.normal(size=(rows, features)) + np.sqrt(0.3) * shared, 4)
    y = (rng.random(rows) < LINK[model](0.3 + x @ w)).astype(int)
    return x, y, np.concatenate([[0.3], w])


def held(parameters, truth):
    return [p["lower"] <= t <= p["upper"] for p, t in zip(parameters, truth)]


def compare_stream(sda, folder, rows):
    print(f"\n| stream of {rows:,} x 20 | primitive | workers | accuracy | log probability "
          "| intervals that hold the truth | mean sd | staleness | CPU seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    path, test = os.path.join(folder, "stream.csv"), os.path.join(folder, "test.csv")
    for model in ("probit", "logistic"):
        x, y, truth = simulate(model, rows + 20000, 20, np.random.default_rng(1))
        write_csv(path, x[:rows], y[:rows])
        write_csv(test, x[rows:], y[rows:])
        for primitive in ("ep", "vb"):
            for workers in SCHEDULES:
                parameters, seconds, staleness = fit(sda, model, primitive, workers, path, 1000)
                accuracy, log_probability = score(predict(sda, path, test), y[rows:])
                hits = sum(held(parameters, truth))
                sd = np.mean([p["sd"] for p in parameters])
                print(f"| {model} | {primitive} | {workers} | {accuracy:.4f} | {log_probability:.5f} | "
                      f"{hits} of {len(truth)} | {sd:.5f} | {staleness:.1f} | "
                      f"{seconds:.1f} |", flush=True)


def compare_coverage(sda, folder, repetitions):
    print(f"\n| {repetitions} streams of 10,000 x 5 | primitive | workers | minibatch | coverage of 95% "
          "intervals | mean distance in sd |")
    print("|---|---|---|---|---|---|")
    path = os.path.join(folder, "short.csv")
    for model in ("probit", "logistic"):
        results = {}
        for repetition in range(repetitions):
            x, y, truth = simulate(model, 10000, 5, np.random.default_rng(1000 + repetition))
            write_csv(path, x, y)
            for primitive in ("ep", "vb"):
                for workers in SCHEDULES:
                    parameters, _, _ = fit(sda, model, primitive, workers, path, 1000)
                    z = [abs(p["mean"] - t) / p["sd"] for p, t in zip(parameters, truth)]
                    results.setdefault((primitive, workers), []).append(
                        (np.mean(held(parameters, truth)), np.mean(z)))
        for (primitive, workers), rows in results.items():
            coverage, z = np.mean(rows, axis=0)
            print(f"| {model} | {primitive} | {workers} | 1000 | {coverage:.3f} | {z:.3f} |", flush=True)


def compare_minibatches(sda, folder, rows):
    """How far a stream is from batch EP, all rows as one minibatch."""
    print(f"\n| stream of {rows:,} x 5, probit, EP | workers | mean off by, in sd | sd off by |")
    print("|---|---|---|---|")
    path = os.path.join(folder, "stream.csv")
    worst = {}
    for seed in range(3):
        x, y, _ = simulate("probit", rows, 5, np.random.default_rng(seed))
        write_csv(path, x, y)
        batch, _, _ = fit(sda, "probit", "ep", "1", path, rows)
        for minibatch in (100, 1000, 10000):
            for workers in SCHEDULES:
                stream, _, _ = fit(sda, "probit", "ep", workers, path, minibatch)
                worst.setdefault((minibatch, workers), []).append(worst_distance(stream, batch))
    for (minibatch, workers), off in worst.items():
        mean, sd = np.max(off, axis=0)
        print(f"| minibatches of {minibatch} | {workers} | {mean:.3f} | {sd:.3f} |", flush=True)


def worst_distance(stream, batch):
    """Of any coefficient: its mean in standard deviations of the batch, and its sd in shares."""
    return np.max([(abs(a["mean"] - b["mean"]) / b["sd"], abs(a["sd"] / b["sd"] - 1))
                   for a, b in zip(stream, batch)], axis=0)


def compare_hundred(sda, folder, largest):
    """100 minibatches of any size, against all rows at once; the worst of five streams."""
    print("\n| 100 minibatches of | model | primitive | mean off by, in sd | mean off by, of its length "
          "| sd off by |")
    print("|---|---|---|---|---|---|")
    path = os.path.join(folder, "hundred.csv")
    w = np.array([0.5, -1, 0.25, 0, 0.7])
    for minibatch in (20, 50, 100, 200, 500, 1000, 2000):
        if minibatch > largest:
            break
        rows = 100 * minibatch
        for model in ("probit", "logistic"):
            worst = {}
            for seed in range(5):
                rng = np.random.default_rng(100 + seed)
                x = np.sqrt(0.7) * rng.normal(size=(rows, 5)) + np.sqrt(0.3) * rng.normal(size=(rows, 1))
                x = np.round(x, 4)
                write_csv(path, x, (rng.random(rows) < LINK[model](x @ w)).astype(int))
                for primitive in ("ep", "vb"):
                    batch, _, _ = fit(sda, model, primitive, "1", path, rows)
                    stream, _, _ = fit(sda, model, primitive, "1", path, minibatch)
                    a, b = ([p["mean"] for p in parameters] for parameters in (stream, batch))
                    length = np.linalg.norm(np.subtract(a, b)) / np.linalg.norm(b)
                    worst.setdefault(primitive, []).append((*worst_distance(stream, batch), length))
            for primitive, off in worst.items():
                mean, sd, length = np.max(off, axis=0)
                print(f"| {minibatch} rows | {model} | {primitive} | {mean:.3f} | {length:.4f} | {sd:.3f} |",
                      flush=True)


def write_svmlight(path, x, y):
    with open(path, "w", encoding="utf-8") as out:
        for row, label in zip(x, y):
            pairs = " ".join(f"{j + 1}:{value:.4f}" for j, value in enumerate(row))
            out.write(f"{2 * label - 1} {pairs}\n")


def compare_diagonal(sda, folder, repetitions):
    """Coverage of 95% intervals with full and diagonal covariance."""
    print(f"\n| correlation ({repetitions} streams of 10,000 x 5, probit, EP) | features | covariance "
          "| coverage of 95% intervals | mean distance in sd | calibration error |")
    print("|---|---|---|---|---|---|")
    w = np.array([0.5, -0.4, 0.25, 0, 0.3])
    csv, svm = os.path.join(folder, "d.csv"), os.path.join(folder, "d.svm")
    for correlation in (0, 0.3, 0.8):
        for shift, path in ((0, csv), (3, csv), (0, svm), (3, svm)):
            if shift == 3 and path == csv and correlation != 0.3:
                continue  # sda centres the columns of a CSV file: one line is enough to show it
            results = {}
            for repetition in range(repetitions):
                rng = np.random.default_rng(500 + repetition)
                rows = 12000
                x = (np.sqrt(1 - correlation) * rng.normal(size=(rows, 5)) +
                     np.sqrt(correlation) * rng.normal(size=(rows, 1)))
                y = (rng.random(rows) < ndtr(0.3 + x @ w)).astype(int)
                truth = np.concatenate([[0.3 - shift * w.sum()], w])
                write = write_csv if path == csv else write_svmlight
                write(path, np.round(x[:10000] + shift, 4), y[:10000])
                write(path + ".test", np.round(x[10000:] + shift, 4), y[10000:])
                for covariance in ("dense", "diagonal"):
                    target = ["--target", "y"] if path == csv else ["--format", "svmlight"]
                    out, _ = run([sda, "fit", "--model", "probit", path, "-o", path + ".model", "--json",
                                  "--covariance", covariance] + target)
                    parameters = json.loads(out)["parameters"]
                    z = [abs(p["mean"] - t) / p["sd"] for p, t in zip(parameters, truth)]
                    error = calibration_error(predict(sda, path, path + ".test"), y[10000:])
                    results.setdefault(covariance, []).append(
                        (np.mean(held(parameters, truth)), np.mean(z), error))
            for covariance, rows in results.items():
                coverage, z, error = np.mean(rows, axis=0)
                kind = ("CSV" if path == csv else "svmlight") + (f", mean {shift}" if shift else ", mean 0")
                print(f"| {correlation} | {kind} | {covariance} | {coverage:.3f} | {z:.2f} | "
                      f"{error:.3f} |", flush=True)


# Of each table: what makes it, and how much of it there is.
TABLES = {
    "real": (compare_real, 5),
    "coverage": (compare_coverage, 100),
    "minibatches": (compare_minibatches, 100000),
    "hundred": (compare_hundred, 2000),
    "diagonal": (compare_diagonal, 40),
    "stream": (compare_stream, 1000000),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sda")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--only", choices=TABLES, help="one of the tables")
    options = parser.parse_args()
    share = 10 if options.quick else 1
    with tempfile.TemporaryDirectory() as folder:
        for name, (compare, size) in TABLES.items():
            if options.only in (None, name):
                compare(options.sda, folder, 5 if name == "real" else size // share)


if __name__ == "__main__":
    sys.exit(main())
