#!/usr/bin/env python3
"""The same corpus, split and number of topics through sda and its peers: score, time, memory, and passes.

  bench/peers/run.py DATA... [--tools a,b] [--topics 100] [--passes 1,2,5,...] [--cap 300] [--output build/peers]

DATA is a folder NAME with docword.NAME.txt(.gz) and test_ids.NAME.txt. The peers (scikit-learn, gensim's LdaModel and
LdaMulticore, tomotopy, Vowpal Wabbit) are installed from PyPI by name into virtual environments under --output. Each
runs in a process of its own, one after the other, one thread each but for LdaMulticore with two workers. Results are
printed as Markdown, and kept as results.NAME.md and results.NAME.json. More passes are tried until a peer reaches the
score of sda's one pass, gains less than 0.005, or would need more than --cap CPU seconds.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import time
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ENVIRONMENTS = {"peers": ["numpy", "scipy", "scikit-learn", "gensim", "tomotopy"], "vw": ["numpy", "vowpalwabbit"]}
# Package, environment, kind of topics that are scored.
TOOLS = {
    "sklearn": ("scikit-learn", "peers", "Dirichlet parameters"),
    "gensim": ("gensim", "peers", "Dirichlet parameters"),
    "multicore": ("gensim", "peers", "Dirichlet parameters"),
    "tomotopy": ("tomotopy", "peers", "counts of the last sample + eta"),
    "vw": ("vowpalwabbit", "vw", "Dirichlet parameters"),
}
NAMES = {"sklearn": "scikit-learn", "gensim": "gensim LdaModel", "multicore": "gensim LdaMulticore",
         "tomotopy": "tomotopy", "vw": "Vowpal Wabbit"}
ENDS = {"reached": "reached", "flat": "gains less than 0.005", "cap": "time", "last": "passes", None: ""}


def say(text):
    print(text, file=sys.stderr, flush=True)


def environment(output, name):
    """The Python of a virtual environment, made if it is not there; None, and why, if it cannot be."""
    folder = os.path.join(output, "env-" + name)
    python, done = os.path.join(folder, "bin", "python"), os.path.join(folder, "complete")
    if os.path.exists(done):
        return python, None
    say("installing %s" % " ".join(ENVIRONMENTS[name]))
    venv.create(folder, with_pip=True, clear=True)
    result = subprocess.run([python, "-m", "pip", "install", "-q"] + ENVIRONMENTS[name], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        return None, result.stdout.strip().splitlines()[-1]
    open(done, "w").close()
    return python, None


def version(python, package):
    code = "import importlib.metadata as m; print(m.version(%r))" % package
    return subprocess.run([python, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def fit_sda(a, work, docword, test_ids, options):
    """A row, and the model, which is the template for all others."""
    model = os.path.join(work, "model." + "-".join(o.strip("-") for o in options))
    report = os.path.join(work, "report.json")
    start = time.perf_counter()
    child = subprocess.Popen([a.sda, "fit", docword, "--format", "uci", "--holdout", test_ids, "--topics",
                              str(a.topics), "--threads", "1", "-o", model, "--report", report] + options,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit("sda fit failed on " + docword)
    with open(report) as f:
        report = json.load(f)
    return {"tool": " ".join(["sda fit"] + options), "passes": 1, "score": report["log_predictive_probability"],
            "topics": "Dirichlet parameters",
            "wall_seconds": time.perf_counter() - start, "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "peak_rss_bytes": report["peak_rss_bytes"], "end": None}, model


def fit_peer(a, tool, work, docword, test_ids, template, target, documents):
    package, env, kind = TOOLS[tool]
    python, why = environment(a.output, env)
    if python is None:
        return [{"tool": NAMES[tool], "error": "cannot be installed: " + why}]
    minibatch = a.minibatch or (64 if documents < 5000 else 256 if documents < 50000 else 4096)
    alpha, eta = (2, 0.15) if tool == "tomotopy" else (1, 0.3)
    settings = {"alpha": alpha / a.topics, "eta": eta, "kappa": 0.5, "tau0": 64, "minibatch": minibatch}
    command = [python, os.path.join(HERE, "fit.py"), tool, "--folder", work, "--sda", a.sda, "--docword", docword,
               "--test-ids", test_ids, "--template", template, "--topics", str(a.topics), "--passes", a.passes,
               "--target", str(target), "--cap", str(a.cap)]
    for name, value in settings.items():
        command += ["--" + name, str(value)]
    one_thread = {n: "1" for n in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    rows = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **one_thread}) as child:
        for line in child.stdout:
            row = {**json.loads(line), "tool": NAMES[tool], "topics": kind, "version": version(python, package),
                   "settings": settings}
            say("%-20s %3d passes  %.4f  %.1f CPU s" % (row["tool"], row["passes"], row["score"], row["cpu_seconds"]))
            rows.append(row)
    if child.returncode != 0:
        rows.append({"tool": NAMES[tool], "error": "failed with exit status %d" % child.returncode})
    return rows


def markdown(name, rows):
    out = ["| %s | passes | score | CPU s | wall s | memory, MB | topics scored | why no more passes |" % name,
           "|---|---|---|---|---|---|---|---|"]
    for r in rows:
        if "error" in r:
            out.append("| %s | %s | | | | | | |" % (r["tool"], r["error"]))
            continue
        tool = "`%s`" % r["tool"] if r["tool"].startswith("sda") else r["tool"] + " " + r["version"]
        out.append("| %s | %d | −%.3f | %.1f | %.1f | %.0f | %s | %s |" % (
            tool, r["passes"], -r["score"], r["cpu_seconds"], r["wall_seconds"], r["peak_rss_bytes"] / 1e6, r["topics"],
            ENDS[r["end"]]))
    return "\n".join(out) + "\n"


def compare(a, data):
    name = os.path.basename(os.path.normpath(data))
    docword = glob.glob(os.path.join(data, "docword.%s.txt*" % name))
    test_ids = os.path.join(data, "test_ids.%s.txt" % name)
    if not docword or not os.path.exists(test_ids):
        raise SystemExit("%s: expected docword.%s.txt(.gz) and test_ids.%s.txt" % (data, name, name))
    docword = os.path.abspath(docword[0])
    test_ids = os.path.abspath(test_ids)
    work = os.path.join(a.output, name)
    os.makedirs(work, exist_ok=True)
    say(name)
    python, why = environment(a.output, "peers")
    if python is None:
        raise SystemExit("cannot install the peers: " + why)
    subprocess.run([python, os.path.join(HERE, "fit.py"), "prepare", "--folder", work, "--docword", docword,
                    "--test-ids", test_ids], check=True)
    with open(os.path.join(work, "train.vw")) as f:
        documents = sum(1 for _ in f)
    rows = []
    for options in ([], ["--primitive", "vb"]):
        row, model = fit_sda(a, work, docword, test_ids, options)
        rows.append(row)
        say("%-20s   1 passes  %.4f  %.1f CPU s" % (row["tool"], row["score"], row["cpu_seconds"]))
    for tool in a.tools.split(","):
        rows += fit_peer(a, tool, work, docword, test_ids, model, rows[0]["score"], documents)
        with open(os.path.join(a.output, "results.%s.json" % name), "w") as f:
            json.dump({"corpus": name, "topics": a.topics, "training_documents": documents, "cap": a.cap,
                       "rows": rows}, f, indent=1)
        with open(os.path.join(a.output, "results.%s.md" % name), "w") as f:
            f.write(markdown(name, rows))
    print(markdown(name, rows), flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("data", nargs="+")
    p.add_argument("--sda", default=os.path.join(ROOT, "build", "release", "bin", "sda"))
    p.add_argument("--tools", default=",".join(TOOLS))
    p.add_argument("--topics", type=int, default=100)
    p.add_argument("--passes", default="1,2,5,10,20,50,100", help="ascending")
    p.add_argument("--minibatch", type=int, help="of the peers; default 64, 256 from 5,000 documents, 4096 from 50,000")
    p.add_argument("--cap", type=float, default=300, help="CPU seconds of a peer on a corpus")
    p.add_argument("--output", default=os.path.join(ROOT, "build", "peers"))
    a = p.parse_args()
    unknown = set(a.tools.split(",")) - set(TOOLS)
    if unknown:
        p.error("--tools has %s, expected some of %s" % (", ".join(sorted(unknown)), ", ".join(TOOLS)))
    a.sda, a.output = os.path.abspath(a.sda), os.path.abspath(a.output)
    os.makedirs(a.output, exist_ok=True)
    for data in a.data:
        compare(a, data)


main()
