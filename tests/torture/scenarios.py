"""The commands of sda that calls.py disturbs, on small inputs that are made here."""
import bz2
import gzip
import lzma
import random
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Scenario:
    """A command line in a copy of the folder. What it prints and each of its outputs must be the same
    whenever it exits with 0; an output that was there before is kept or replaced as a whole."""
    name: str
    arguments: list
    outputs: list = field(default_factory=list)
    resume: bool = False  # after a failure the same command must give the same outputs
    prints: bool = True  # the same every time
    long: bool = False  # takes more than a moment
    needs: str = ""  # a file that prepare() makes if this program can


PARTS = [f"part{i}.txt" for i in range(10)]


def write_inputs(folder):
    rng = random.Random(7)
    texts = []
    for _ in range(240):
        topic = rng.randrange(4)
        words = [(topic * 25 + int(rng.expovariate(0.1))) % 100 for _ in range(20)]
        texts.append(" ".join(f"word{w:02d}x" for w in words))
    (folder / "a.txt").write_text("\n".join(texts) + "\n")
    (folder / "half.txt").write_text("\n".join(texts[:120]) + "\n")
    for i, part in enumerate(PARTS):
        (folder / part).write_text("\n".join(texts[24 * i:24 * (i + 1)]) + "\n")
    (folder / "a.jsonl").write_text("".join(f'{{"text": "{t}"}}\n' for t in texts))
    (folder / "a.txt.gz").write_bytes(gzip.compress("\n".join(texts).encode(), mtime=0))
    (folder / "a.txt.xz").write_bytes(lzma.compress("\n".join(texts).encode()))
    (folder / "a.txt.bz2").write_bytes(bz2.compress("\n".join(texts).encode()))
    (folder / "texts.csv").write_text("id,day,text\n" + "".join(
        f"d{i},2026-01-{1 + i % 28:02d},{text}\n" for i, text in enumerate(texts)))
    (folder / "files/below").mkdir(parents=True)
    for i, text in enumerate(texts[:20]):
        (folder / "files" / ("below" if i < 9 else "") / f"{i:02d}.txt").write_text(text + "\n")
    (folder / "files/link.txt").symlink_to("../a.txt")
    (folder / "settings.toml").write_text("topics = 3\n[fit]\nminibatch = 40\n")
    (folder / "words.txt").write_text("".join(f"word{w:02d}x\n" for w in range(100)))
    (folder / "stop.txt").write_text("word00x\nword01x\n")
    (folder / "out.txt").write_text("3\n5\n8\n")
    bags = [{w: 1 + rng.randrange(3) for w in rng.sample(range(60), 10)} for _ in range(120)]
    (folder / "a.ldac").write_text(
        "".join(f"{len(b)} " + " ".join(f"{w}:{n}" for w, n in b.items()) + "\n" for b in bags))
    entries = [f"{d + 1} {w + 1} {n}\n" for d, b in enumerate(bags) for w, n in sorted(b.items())]
    (folder / "a.uci").write_text(f"{len(bags)}\n60\n{len(entries)}\n" + "".join(entries))
    rows = []
    for _ in range(300):
        u, v = rng.gauss(0, 1), rng.gauss(0, 1)
        y = 1 + 2 * u - v / 2 + rng.gauss(0, 0.3)
        rows.append(f"{u:.4f},{v:.4f},{y:.4f},{int(y > 1)},{rng.choice(['red', 'blue'])}\n")
    (folder / "a.csv").write_text("u,v,y,label,colour\n" + "".join(rows))
    (folder / "a.svm").write_text("".join(
        f"{rng.choice([-1, 1])} 1:{rng.random():.3f} 7:{rng.random():.3f}\n" for _ in range(300)))
    for old in ["r.json", "l.npy", "d.csv", "p.csv"]:
        (folder / old).write_text("old\n")


TOPICS = ["--topics", "3", "--threads", "1", "--vocab-from", "80"]
FIRST = ["--minibatch", "40", "--first-minibatch", "40"]
CHECKPOINTS = ["--checkpoint", "ck", "--checkpoint-every", "1", "--resume"]
TABLE = ["--threads", "1", "--minibatch", "50", "-o", "m"]
COMPARE = ["compare", "half.txt", "--quick", "--topics", "3", "--seeds", "1", "--workers", "2", "-o",
           "cmp"]
CSV = ["texts.csv", "--format", "csv", "--id-field", "id", "--time-field", "day"]
EXPORTED = ["lambda.npy", "vocabulary.txt", "topics.csv", "topic_words.csv", "document_topics.npy",
            "documents.csv", "pyldavis.json"]
LINEAR = ["--target", "y", "--columns", "u,v"]


def fit(name, inputs, more=(), first=FIRST, **rest):
    return Scenario(name, ["fit", *inputs, *TOPICS, *first, "-o", "m", *more], ["m"], **rest)


def table(name, model, more, file="a.csv", **rest):
    return Scenario(name, ["fit", file, "--model", model, *TABLE, *more], ["m"], **rest)


SCENARIOS = [
    fit("text", ["a.txt"]),
    fit("two inputs", ["half.txt", "a.txt"], ["--primitive", "vb"]),
    fit("json lines", ["a.jsonl"], ["--format", "jsonl"]),
    fit("gzip", ["a.txt.gz"]),
    fit("ldac", ["a.ldac"], ["--format", "ldac"]),
    fit("uci", ["a.uci"], ["--format", "uci"]),
    fit("xz", ["a.txt.xz"]),
    fit("bzip2", ["a.txt.bz2"]),
    fit("csv texts", CSV),
    fit("files", ["files"], ["--format", "files", "--vocab", "words.txt"], ["--minibatch", "10"]),
    fit("checkpoints, csv texts", CSV, CHECKPOINTS, resume=True, long=True),
    fit("checkpoints, files", ["files"], [*CHECKPOINTS, "--vocab", "words.txt"],
        ["--minibatch", "4", "--first-minibatch", "4"], resume=True, long=True),
    fit("checkpoints, xz", ["a.txt.xz"], CHECKPOINTS, resume=True, long=True),
    fit("phrases", ["a.txt"], ["--phrases"]),
    Scenario("settings from a file",
             ["fit", "a.txt", "--threads", "1", "--config", "settings.toml", "-o", "m"], ["m"]),
    fit("word lists", ["a.txt"], ["--vocab", "words.txt", "--stop-words", "stop.txt"]),
    fit("held out", ["a.txt"], ["--holdout", "out.txt"]),
    fit("report", ["a.txt"], ["--report", "r.json"]),
    fit("checkpoints", ["a.txt"], CHECKPOINTS, resume=True),
    fit("checkpoints, small minibatches", ["a.txt"], CHECKPOINTS,
        ["--minibatch", "4", "--first-minibatch", "40"], resume=True),
    fit("checkpoints, many", ["a.txt"], [*CHECKPOINTS, "--primitive", "vb"],
        ["--minibatch", "2", "--first-minibatch", "40"], resume=True, long=True),
    fit("checkpoints, svi", ["a.txt"],
        [*CHECKPOINTS, "--algorithm", "svi", "--total-documents", "240"], ["--minibatch", "40"],
        resume=True),
    fit("checkpoints, ep", ["a.txt"], [*CHECKPOINTS, "--primitive", "ep"], resume=True),
    fit("checkpoints, rounds", ["a.txt"],
        [*CHECKPOINTS, "--workers", "2", "--schedule", "sync"], resume=True),
    fit("checkpoints, gzip", ["a.txt.gz"], CHECKPOINTS, resume=True),
    fit("checkpoints, json lines", ["a.jsonl"], [*CHECKPOINTS, "--format", "jsonl"], resume=True,
        long=True),
    fit("checkpoints, ldac", ["a.ldac"], [*CHECKPOINTS, "--format", "ldac"], resume=True, long=True),
    fit("checkpoints, uci", ["a.uci"], [*CHECKPOINTS, "--format", "uci", "--primitive", "vb"],
        resume=True, long=True),
    fit("checkpoints, two inputs", ["half.txt", "a.txt"], CHECKPOINTS, resume=True, long=True),
    fit("ten inputs", PARTS, ["--primitive", "vb"], long=True),
    fit("checkpoints, ten inputs", PARTS, CHECKPOINTS, resume=True, long=True),
    fit("checkpoints, ssu", ["a.txt"], [*CHECKPOINTS, "--algorithm", "ssu"], ["--minibatch", "30"],
        resume=True, long=True),
    fit("checkpoints, held out", ["a.txt"], [*CHECKPOINTS, "--holdout", "out.txt"], resume=True),
    fit("resume", ["a.txt"], ["--checkpoint", "begun", "--resume"], resume=True),
    Scenario("from", ["fit", "a.txt", "--threads", "1", "--from", "topics.model", "-o", "m"], ["m"]),
    table("normal", "normal", ["--columns", "u,v"]),
    table("categorical", "categorical", ["--columns", "colour"]),
    table("linear, checkpoints", "linear", [*LINEAR, *CHECKPOINTS], resume=True),
    table("logistic, checkpoints", "logistic",
          ["--target", "label", "--columns", "u,v", *CHECKPOINTS], resume=True),
    table("probit, checkpoints", "probit",
          ["--target", "label", "--columns", "u,v", *CHECKPOINTS], resume=True, long=True),
    table("coin, checkpoints", "coin", ["--columns", "label", *CHECKPOINTS], resume=True, long=True),
    table("mixture, checkpoints", "mixture",
          ["--columns", "u,v", *CHECKPOINTS, "--first-minibatch", "100"], resume=True, long=True),
    table("svmlight, checkpoints", "logistic", ["--format", "svmlight", *CHECKPOINTS],
          file="a.svm", resume=True, long=True),
    table("svmlight", "logistic", ["--format", "svmlight"], file="a.svm"),
    table("mixture", "mixture", ["--columns", "u,v", "--components", "2"]),
    Scenario("topics", ["topics", "topics.model"]),
    Scenario("topics, JSON", ["topics", "topics.model", "--json"]),
    Scenario("infer", ["infer", "topics.model", "half.txt", "--threads", "1"]),
    Scenario("eval", ["eval", "topics.model", "half.txt", "--threads", "1"]),
    Scenario("export", ["export", "topics.model", "--lambda", "l.npy"], ["l.npy"]),
    Scenario("export, a folder",
             ["export", "topics.model", "half.txt", "--threads", "1", "-o", "exported"],
             [f"exported/{name}" for name in EXPORTED]),
    Scenario("export, again", ["export", "topics.model", "-o", "earlier"],
             [f"earlier/{name}" for name in EXPORTED]),
    Scenario("export, topics of documents",
             ["export", "topics.model", "half.txt", "--threads", "1", "--document-topics", "d.csv"],
             ["d.csv"]),
    Scenario("export, a table", ["export", "linear.model", "--parameters", "p.csv"], ["p.csv"]),
    Scenario("page", ["report", "topics.model", *CSV, "--threads", "1", "-q", "-o", "r.html"],
             ["r.html"], needs="r.html"),
    Scenario("page, JSON", ["report", "topics.model", "half.txt", "--threads", "1", "-q", "--json"]),
    Scenario("eval, a table", ["eval", "linear.model", "a.csv"]),
    Scenario("show", ["show", "linear.model"]),
    Scenario("show, JSON", ["show", "linear.model", "--json"]),
    Scenario("predict", ["predict", "linear.model", "a.csv"]),
    Scenario("demo", ["demo"], long=True),
    # Its runs are done already, which leaves the corpus and the report.
    Scenario("compare", COMPARE, ["cmp/corpus.ldac", "cmp/corpus.vocab.txt", "cmp/corpus.holdout.txt"],
             prints=False, long=True),
]


def prepare(sda, folder, long):
    """The inputs, and models and checkpoints that commands start from."""
    write_inputs(folder)

    def run(*arguments):
        subprocess.run([sda, *arguments], cwd=folder, check=True, capture_output=True)

    run("fit", "half.txt", *TOPICS, *FIRST, "-o", "topics.model")
    shutil.copy(folder / "topics.model", folder / "m")  # only a model is replaced by a model
    run("fit", "a.csv", "--model", "linear", *LINEAR, "-o", "linear.model")
    run("export", "topics.model", "half.txt", "-o", "earlier")
    # Only a report is replaced by a report; without Node.js there is none.
    subprocess.run([sda, "report", "topics.model", "-q", "-o", "r.html"], cwd=folder, capture_output=True)
    # A run of the first half, which then grows.
    grown = (folder / "a.txt").read_bytes()
    shutil.copy(folder / "half.txt", folder / "a.txt")
    run("fit", "a.txt", *TOPICS, *FIRST, "-o", "begun.model", "--checkpoint", "begun")
    (folder / "a.txt").write_bytes(grown)
    (folder / "begun.model").unlink()
    if long:
        run(*COMPARE)
