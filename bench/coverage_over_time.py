"""Cases of coverage.py: topics over time. Each simulates documents of 20 days with topics whose shares go up and down,
as JSON lines, and fits them with the true eta and alpha, in the order of their days. Counted are the shares of topics in
days (`sda topics --over-time`) with a reported share of 0.005 and more, and the truth is the realised share: that of the
tokens of the day that were drawn from the topic. `drift`: the logarithm of a topic's weight goes up and down by up to
so much, of each topic another part of it, one to three times. Topics are matched as those of coverage_topics.py are."""
import itertools
import json
import math
import os

from coverage_topics import SETS, dirichlet, match, run

DAYS = 20


class TopicsOverTime:
    """Streams begin with a first minibatch of 1,000 documents and have 250 then, or a quarter and a twentieth."""

    def __init__(self, of_set, drift, documents=5000, large=False):
        self.name = "over time %s%s, drift %s" % (of_set, ", 20,000 documents" if documents > 5000 else "", drift)
        self.topics, self.words, self.eta, self.alpha, self.tokens = SETS[of_set]
        self.drift, self.documents = drift, documents
        first, then = (documents // 4, documents // 20) if large else (1000, 250)
        self.schedules = [("one minibatch", ["--first-minibatch", str(documents)]),
                          ("serial", ["--first-minibatch", str(first), "--minibatch", str(then)])]

    def simulate(self, random, folder):
        beta = [dirichlet(random, self.eta, self.words) for _ in range(self.topics)]
        sums = [list(itertools.accumulate(topic)) for topic in beta]
        waves = [(self.drift * random.random(), 2 * math.pi * random.random(), 1 + 2 * random.random())
                 for _ in range(self.topics)]
        realised = [[0] * self.topics for _ in range(DAYS)]
        with open(os.path.join(folder, "documents.jsonl"), "w") as file:
            for d in range(self.documents):
                day = d * DAYS // self.documents
                weights = [math.exp(height * math.sin(phase + 2 * math.pi * often * d / self.documents))
                           for height, phase, often in waves]
                alphas = [self.alpha * self.topics * weight / sum(weights) for weight in weights]
                draws = [random.gammavariate(alpha, 1) + 1e-300 for alpha in alphas]
                tokens = random.choices(range(self.topics), draws, k=max(1, int(self.tokens * (0.5 + random.random()))))
                text = []
                for k in tokens:
                    realised[day][k] += 1
                    text.append("w%d" % random.choices(range(self.words), cum_weights=sums[k])[0])
                file.write(json.dumps({"day": "2001-01-%02d" % (day + 1), "text": " ".join(text)}) + "\n")
        with open(os.path.join(folder, "words"), "w") as file:
            file.writelines("w%d\n" % word for word in range(self.words))
        return beta, realised

    def intervals(self, sda, options, data, folder):
        beta, realised = data
        model = os.path.join(folder, "model")
        run([sda, "fit", os.path.join(folder, "documents.jsonl"), "--time-field", "day", "--vocab",
             os.path.join(folder, "words"), "--stop-words", "none", "--min-word-length", "1", "--topics",
             str(self.topics), "--alpha", str(self.alpha), "--eta", str(self.eta), "--threads", "1", "--quiet", "--force",
             "-o", model, *options])
        means = [[0.0] * self.words for _ in range(self.topics)]
        for topic in json.loads(run([sda, "topics", model, "--json", "--words", str(self.words)]))["topics"]:
            for word in topic["words"]:
                means[topic["topic"]][int(word["word"][1:])] = word["probability"]
        to = match(means, beta)
        table = json.loads(run([sda, "topics", model, "--over-time", "--json", "--words", "0"]))
        assert len(table["periods"]) == DAYS
        found = [(topic["lower"], topic["upper"], truth[to[topic["topic"]]] / sum(truth), table["approximate"])
                 for period, truth in zip(table["periods"], realised) for topic in period["topics"]
                 if topic["topic"] in to and topic["share"] >= 0.005]
        return self.topics - len(to), {"a topic's share of a day": found}


CASES = [TopicsOverTime(of_set, drift) for of_set in ("A", "B", "C", "F", "G") for drift in (0, 0.6, 1.2)]
CASES += [TopicsOverTime(of_set, drift, 20000, large=True) for of_set in ("A", "B", "C") for drift in (0, 0.6, 1.2)]
