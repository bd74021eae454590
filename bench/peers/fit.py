#!/usr/bin/env python3
"""One peer's LDA on one corpus, in a process of its own; run.py calls it, in the peer's environment.

  fit.py prepare --docword F --test-ids F --folder DIR
  fit.py TOOL --folder DIR --sda SDA --docword F --test-ids F --template MODEL --passes 1,2,5 ...

Prints a JSON line after each number of passes asked for: score, wall and CPU seconds so far, peak memory of the largest
process. Seconds count the fitting alone, also in child processes: not imports, reading, writing or scoring. It goes on
until the score reaches --target, gains less than 0.005 (from 5 passes on), or the next number of passes would take
more than --cap CPU seconds. Topics are scored by `sda eval` on the held-out documents, with the alpha they were trained
with.

sklearn     LatentDirichletAllocation.partial_fit, a call per minibatch, one thread
gensim      LdaModel, one thread
multicore   LdaMulticore, two worker processes
tomotopy    LDAModel, collapsed Gibbs in memory, one thread, alpha and eta fixed; a pass is a sweep over all documents
vw          vowpalwabbit --lda, a process for each number of passes; it reads its own text format and writes the
            topics as text, which counts
"""
import argparse
import glob
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import numpy as np


def peak_in(status):
    return max((1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM")), default=0)


def running_children():
    """CPU seconds and peak memory of each."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as f:
                fields = f.read().rsplit(")", 1)[1].split()
            if int(fields[1]) != os.getpid():
                continue
            with open(path + "us") as f:
                peak = peak_in(f)
        except OSError:
            continue  # it has just ended
        yield (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), peak


def cpu_seconds():
    """Of this process and its children, those still running too."""
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system + sum(cpu for cpu, _ in running_children())


def peak_bytes():
    """Of the largest process that fits; those that score have ended."""
    with open("/proc/self/status") as f:
        own = peak_in(f)
    return max([own] + [peak for _, peak in running_children()])


def read_docword(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        numbers = np.array(f.read().split(), dtype=np.int64)
    return numbers[:2], numbers[3:].reshape(-1, 3)


def prepare(a):
    """The training documents: CSR arrays for NumPy, and the text of Vowpal Wabbit."""
    (documents, words), triplets = read_docword(a.docword)
    held_out = np.loadtxt(a.test_ids, dtype=np.int64, ndmin=1)
    triplets = triplets[~np.isin(triplets[:, 0], held_out)]
    starts = np.flatnonzero(np.diff(triplets[:, 0], prepend=0))
    np.savez(os.path.join(a.folder, "train.npz"), indptr=np.append(starts, len(triplets)),
             indices=(triplets[:, 1] - 1).astype(np.int32), data=triplets[:, 2].astype(np.int32), words=words)
    with open(os.path.join(a.folder, "train.vw"), "w") as f:
        for begin, end in zip(starts, np.append(starts[1:], len(triplets))):
            f.write("| " + " ".join("%d:%d" % (w, n) for _, w, n in triplets[begin:end]) + "\n")


class Train:
    def __init__(self, folder):
        arrays = np.load(os.path.join(folder, "train.npz"))
        self.indptr, self.indices, self.data = (arrays[k] for k in ("indptr", "indices", "data"))
        self.words, self.documents = int(arrays["words"]), len(arrays["indptr"]) - 1


class Checkpoints:
    """Scores after some numbers of passes, and says when it is enough. The clock stands still meanwhile."""

    def __init__(self, a):
        self.a, self.last = a, None  # last: passes, score and CPU seconds of the checkpoint before

    def start(self):
        self.wall, self.cpu = time.perf_counter(), cpu_seconds()

    def wants(self, passes):
        return passes in self.a.passes

    def __call__(self, passes, lam, alpha, cpu=None, wall=None, peak=None):
        """True to go on. cpu, wall and peak: of the fit, if another process did it."""
        cpu = cpu_seconds() - self.cpu if cpu is None else cpu
        wall = time.perf_counter() - self.wall if wall is None else wall
        before = time.perf_counter(), cpu_seconds()
        score = self.score(lam() if callable(lam) else lam, alpha)
        more = [p for p in self.a.passes if p > passes]
        before_passes, before_score, before_cpu = self.last or (0, -np.inf, 0)
        one_pass = (cpu - before_cpu) / (passes - before_passes)
        end = ("reached" if score >= self.a.target else "flat" if passes >= 5 and score - before_score < 0.005
               else "last" if not more else "cap" if cpu + one_pass * (more[0] - passes) > self.a.cap else None)
        self.last = passes, score, cpu
        print(json.dumps({"tool": self.a.tool, "passes": passes, "score": score, "wall_seconds": wall,
                          "cpu_seconds": cpu, "peak_rss_bytes": peak or peak_bytes(), "end": end}), flush=True)
        self.wall += time.perf_counter() - before[0]
        self.cpu += cpu_seconds() - before[1]
        return end is None

    def score(self, lam, alpha):
        """The template's lambda (words x topics) and alpha replaced by these, then `sda eval`."""
        with open(self.a.template, "rb") as f:
            content = bytearray(f.read())
        start = 8 + struct.unpack("<Q", content[:8])[0]
        header = json.loads(content[8:start])
        for name, value in (("lambda", lam.T), ("alpha", np.broadcast_to(alpha, lam.shape[:1]))):
            begin, end = header[name]["data_offsets"]
            assert list(value.shape) == header[name]["shape"], (name, value.shape, header[name]["shape"])
            content[start + begin:start + end] = np.ascontiguousarray(value, dtype="<f8").tobytes()
        # The checksum in the header is of the file with zeros in its place.
        key = b'"checksum":"'
        place = content.index(key) + len(key)
        content[place:place + 8] = b"0" * 8
        content[place:place + 8] = b"%08x" % zlib.crc32(content)
        with tempfile.NamedTemporaryFile(dir=self.a.folder) as model:
            model.write(content)
            model.flush()
            out = subprocess.run([self.a.sda, "eval", model.name, self.a.docword, "--format", "uci", "--holdout",
                                  self.a.test_ids, "--json"], stdout=subprocess.PIPE, check=True).stdout
        return json.loads(out)["log_predictive_probability"]


def fit_sklearn(train, a, checkpoint):
    from scipy.sparse import csr_matrix
    from sklearn.decomposition import LatentDirichletAllocation

    X = csr_matrix((train.data.astype(np.float64), train.indices, train.indptr), shape=(train.documents, train.words))
    m = LatentDirichletAllocation(
        a.topics, doc_topic_prior=a.alpha, topic_word_prior=a.eta, learning_decay=a.kappa, learning_offset=a.tau0,
        total_samples=train.documents, batch_size=a.minibatch, random_state=a.seed, n_jobs=1)
    checkpoint.start()
    for passes in range(1, a.passes[-1] + 1):
        for i in range(0, train.documents, a.minibatch):
            m.partial_fit(X[i:i + a.minibatch])
        if checkpoint.wants(passes) and not checkpoint(passes, m.components_, a.alpha):
            return


class Enough(Exception):
    pass


class GensimDocuments:
    """Tells, when a pass begins, that the one before has ended."""

    def __init__(self, train, on_pass):
        self.train, self.on_pass, self.passes = train, on_pass, 0

    def __len__(self):
        return self.train.documents

    def __iter__(self):
        if self.passes > 0:
            self.on_pass(self.passes)
        self.passes += 1
        t = self.train
        for i in range(t.documents):
            part = slice(t.indptr[i], t.indptr[i + 1])
            yield list(zip(t.indices[part].tolist(), t.data[part].tolist()))


def fit_gensim(train, a, checkpoint):
    from gensim.models import LdaModel, LdaMulticore

    options = dict(num_topics=a.topics, id2word={v: str(v) for v in range(train.words)}, alpha=a.alpha, eta=a.eta,
                   decay=a.kappa, offset=a.tau0, chunksize=a.minibatch, passes=a.passes[-1], eval_every=None,
                   random_state=a.seed)
    m = LdaMulticore(workers=2, **options) if a.tool == "multicore" else LdaModel(update_every=1, **options)

    def on_pass(passes):
        if checkpoint.wants(passes) and not checkpoint(passes, m.state.get_lambda, a.alpha):
            raise Enough

    documents = GensimDocuments(train, on_pass)
    checkpoint.start()
    try:
        m.update(documents)
        on_pass(a.passes[-1])
    except Enough:
        pass


def fit_tomotopy(train, a, checkpoint):
    import tomotopy

    m = tomotopy.LDAModel(k=a.topics, alpha=a.alpha, eta=a.eta, seed=a.seed)
    m.optim_interval = 0  # keeps alpha where it is
    names = np.array([str(v) for v in range(train.words)], dtype=object)
    checkpoint.start()
    for i in range(train.documents):
        part = slice(train.indptr[i], train.indptr[i + 1])
        m.add_doc(np.repeat(names[train.indices[part]], train.data[part]).tolist())

    def lam():  # counts + eta
        out = np.full((a.topics, train.words), a.eta)
        column = np.array([int(w) for w in m.used_vocabs])
        shares = np.array([m.get_topic_word_dist(k) for k in range(a.topics)], dtype=np.float64)
        totals = np.asarray(m.get_count_by_topics(), dtype=np.float64) + len(column) * a.eta
        out[:, column] = np.maximum(shares * totals[:, None], a.eta)
        return out

    done = 0
    for passes in a.passes:
        m.train(passes - done, workers=1)
        done = passes
        if not checkpoint(passes, lam, a.alpha):
            return


# The program, with what the system knows of its memory left in a file. (A child's ru_maxrss may be its parent's.)
VW = """
import atexit, runpy, sys
kept = sys.argv.pop(1)
atexit.register(lambda: open(kept, "w").write(open("/proc/self/status").read()))
runpy.run_module("vowpalwabbit", run_name="__main__", alter_sys=True)
"""


def fit_vw(train, a, checkpoint):
    """A minibatch larger than the ring of examples, 256 by default, ends in a segmentation fault."""
    checkpoint.start()
    for passes in a.passes:
        with tempfile.TemporaryDirectory(dir=a.folder) as folder:
            model, status = os.path.join(folder, "model"), os.path.join(folder, "status")
            start = time.perf_counter()
            child = subprocess.Popen(
                [sys.executable, "-c", VW, status, "--quiet", "--lda", str(a.topics), "--lda_D",
                 str(train.documents), "--lda_alpha", str(a.alpha), "--lda_rho", str(a.eta), "--minibatch",
                 str(a.minibatch), "--ring_size", str(2 * a.minibatch), "--power_t", str(a.kappa), "--initial_t",
                 str(a.tau0), "-l", "1", "-b",
                 str(train.words.bit_length()), "--random_seed", str(a.seed), "-d", os.path.join(a.folder, "train.vw"),
                 "--readable_model", model] + (["--passes", str(passes), "--cache_file",
                                                os.path.join(folder, "cache")] if passes > 1 else []),
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, code, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(code)
            if child.returncode != 0:
                raise SystemExit("vowpalwabbit failed with exit status %d" % child.returncode)
            wall, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
            with open(status) as f:
                peak = peak_in(f)
            with open(model) as f:  # a header, then a line for each word id, from 0: lambda of each topic
                rows = [line.split() for line in f]
            rows = [r for r in rows if len(r) == a.topics + 1 and r[0].isdigit()]
            lam = np.array([[float(x) for x in r[1:]] for r in rows[1:train.words + 1]]).T
        if not checkpoint(passes, lam, a.alpha, cpu, wall, peak):
            return


FIT = {"sklearn": fit_sklearn, "gensim": fit_gensim, "multicore": fit_gensim, "tomotopy": fit_tomotopy, "vw": fit_vw}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tool", choices=["prepare"] + sorted(FIT))
    p.add_argument("--folder", required=True)
    p.add_argument("--docword", required=True)
    p.add_argument("--test-ids", required=True)
    p.add_argument("--sda")
    p.add_argument("--template", help="any model of sda for this corpus and number of topics")
    p.add_argument("--topics", type=int, default=100)
    p.add_argument("--alpha", type=float)
    p.add_argument("--eta", type=float)
    p.add_argument("--kappa", type=float)
    p.add_argument("--tau0", type=float)
    p.add_argument("--minibatch", type=int)
    p.add_argument("--passes", type=lambda text: [int(x) for x in text.split(",")], default=[1])
    p.add_argument("--target", type=float, default=0)
    p.add_argument("--cap", type=float, default=float("inf"))
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    if a.tool == "prepare":
        prepare(a)
    else:
        FIT[a.tool](Train(a.folder), a, Checkpoints(a))


main()
