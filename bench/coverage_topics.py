"""Cases of coverage.py: topic models. Each simulates documents as a UCI docword file, with topics and proportions that
are known, and fits them with the true priors. Topics are matched with the true ones by cosine; one below 0.9 to any is
lost. Counted are the words with a reported share of a topic above 0.001 (`sda topics`), and the topics with a reported
proportion above 0.05 of the first documents (`sda infer`)."""
import itertools
import json
import math
import os
import subprocess

INFERRED = 300
# Of each set: topics, words, eta, alpha, tokens of a document. The topics of C overlap; D to G have more topics or less
# to tell them apart by.
SETS = {"A": (10, 1000, 0.1, 0.1, 80), "B": (10, 1000, 0.1, 0.1, 25), "C": (10, 500, 0.5, 0.3, 60),
        "D": (25, 800, 0.2, 0.2, 60), "E": (20, 400, 0.5, 0.1, 80), "F": (5, 200, 1, 0.5, 40), "G": (4, 300, 0.3, 1, 25)}


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (" ".join(command), done.stderr.decode()))
    return done.stdout


def dirichlet(random, shape, size):
    draws = [random.gammavariate(shape, 1) for _ in range(size)]
    total = sum(draws)
    return [x / total for x in draws]


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def match(means, truth):
    """The true topic of each fitted one that is not lost: greedily by cosine."""
    pairs = sorted(((cosine(mean, beta), k, j) for k, mean in enumerate(means) for j, beta in enumerate(truth)),
                   reverse=True)
    to = {}
    for similarity, k, j in pairs:
        if similarity >= 0.9 and k not in to and j not in to.values():
            to[k] = j
    return to


class Topics:
    """`fit`: options of sda fit. Streams begin with 1,000 documents, and then have 250 for each worker and step."""

    def __init__(self, name, of_set, fit=(), documents=5000, only=None):
        self.name = name
        self.topics, self.words, self.eta, self.alpha, self.tokens = SETS[of_set]
        self.fit = list(fit)
        self.documents = documents
        stream = ["--first-minibatch", "1000", "--minibatch"]
        workers = stream + ["2000", "--workers", "8", "--schedule"]
        self.schedules = [("one minibatch", ["--first-minibatch", str(documents)]), ("serial", stream + ["250"]),
                          ("8 workers, sync", workers + ["sync"]), ("8 workers, async", workers + ["async"])]
        if only:
            self.schedules = [s for s in self.schedules if s[0] in only]

    def simulate(self, random, folder):
        beta = [dirichlet(random, self.eta, self.words) for _ in range(self.topics)]
        sums = [list(itertools.accumulate(topic)) for topic in beta]
        theta, lines = [], []
        for d in range(self.documents):
            theta.append(dirichlet(random, self.alpha, self.topics))
            counts = {}
            for k in random.choices(range(self.topics), theta[d], k=self.tokens):
                word = random.choices(range(self.words), cum_weights=sums[k])[0]
                counts[word] = counts.get(word, 0) + 1
            lines.append(["%d %d %d\n" % (d + 1, word + 1, counts[word]) for word in sorted(counts)])
        for name, some in (("docword", lines), ("inferred", lines[:INFERRED])):
            with open(os.path.join(folder, name), "w") as file:
                file.write("%d\n%d\n%d\n" % (len(some), self.words, sum(map(len, some))))
                file.writelines(itertools.chain.from_iterable(some))
        return beta, theta

    def intervals(self, sda, options, data, folder):
        beta, theta = data
        model = os.path.join(folder, "model")
        run([sda, "fit", os.path.join(folder, "docword"), "--format", "uci", "--topics", str(self.topics), "--alpha",
             str(self.alpha), "--eta", str(self.eta), "--max-vocab", str(self.words), "--threads", "1", "--quiet",
             "--force", "-o", model, *self.fit, *options])
        fitted = json.loads(run([sda, "topics", model, "--json", "--words", str(self.words)]))
        means = [[0.0] * self.words for _ in range(self.topics)]
        for topic in fitted["topics"]:
            for word in topic["words"]:
                means[topic["topic"]][int(word["word"]) - 1] = word["probability"]
        to = match(means, beta)
        found = {}
        for topic in fitted["topics"]:
            for word in topic["words"]:
                if topic["topic"] not in to or word["probability"] <= 0.001:
                    continue
                marked = "approximate" in word  # words that the topic may not have, where not all are approximate
                found.setdefault("a word's share" + ", marked" * marked, []).append(
                    (word["lower"], word["upper"], beta[to[topic["topic"]]][int(word["word"]) - 1],
                     marked or fitted["approximate"]))
        for kind in ("sampled", "linear-response"):
            lines = run([sda, "infer", model, os.path.join(folder, "inferred"), "--format", "uci", "--intervals", kind])
            found["a document's topic, " + kind] = [
                (p["lower"], p["upper"], theta[document["document"] - 1][to[p["topic"]]], "approximate" in document)
                for document in map(json.loads, lines.splitlines())
                for p in document["topics"] if p["topic"] in to and p["proportion"] > 0.05]
        return self.topics - len(to), found


CASES = [
    *[Topics("topics %s%s%s" % (of_set, ", 20,000 documents" if documents > 5000 else "", name), of_set, fit, documents)
      for documents in (5000, 20000) for of_set in SETS
      for name, fit in (("", ()), (", --intervals sampled", ("--intervals", "sampled")))],
    *[Topics("topics %s, %s documents, --intervals sampled" % (of_set, format(documents, ",")), of_set,
             ("--intervals", "sampled"), documents, only=("one minibatch", "serial"))
      for of_set, documents in (("C", 2000), ("D", 3000), ("E", 2500), ("F", 2000), ("G", 3000))],
    *[Topics("topics %s, vb" % of_set, of_set, ("--primitive", "vb")) for of_set in SETS],
    Topics("topics A, ep", "A", ("--primitive", "ep"), 1500, only=("one minibatch", "serial")),
]
