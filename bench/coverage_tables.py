"""Cases of coverage.py: the models on tables. Each simulates rows as CSV with a truth for the parameters by name."""
import json
import math
import os
import re
import subprocess

WORKERS = ["--workers", "8"]


def schedules(rows, first, minibatch):
    """One minibatch, and streams with one worker and 8 (a synchronous round is `--minibatch` rows of all workers)."""
    one = ["--minibatch", str(rows), "--first-minibatch", str(rows)]
    start = ["--first-minibatch", str(first)]
    serial = start + ["--minibatch", str(minibatch)]
    workers = start + ["--minibatch", str(8 * minibatch)] + WORKERS
    return [("one minibatch", one), ("serial", serial), ("8 workers, sync", ["--schedule", "sync"] + workers),
            ("8 workers, async", ["--schedule", "async"] + workers)]


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout


def write_csv(path, names, rows):
    with open(path, "w") as file:
        file.write(",".join(names) + "\n")
        for row in rows:
            file.write(",".join(str(value) for value in row) + "\n")


class Table:
    """A model: draw(random) returns names of columns, rows, and the truth by the name of the parameter."""

    def __init__(self, name, draw, fit, rows=2000, first=None, minibatch=50, only=None):
        self.name = name
        self.draw = draw
        self.fit = fit
        of_first = first is not None
        self.schedules = schedules(rows, first or minibatch, minibatch)
        if not of_first:  # models without a first minibatch of their own
            self.schedules = [(n, without_first(o)) for n, o in self.schedules]
        if only:
            self.schedules = [s for s in self.schedules if s[0] in only]
        self.rows = rows

    def simulate(self, random, folder):
        names, rows, truth = self.draw(random, self.rows)
        path = os.path.join(folder, "data.csv")
        write_csv(path, names, rows)
        return path, truth

    def parameters(self, sda, options, path, folder):
        model = os.path.join(folder, "model")
        run([sda, "fit", *self.fit, path, "-o", model] + options)
        return {p["name"]: p for p in json.loads(run([sda, "show", model, "--json"]))["parameters"]}

    def intervals(self, sda, options, data, folder):
        path, truth = data
        found = {}
        for name, p in self.parameters(sda, options, path, folder).items():
            if name in truth:
                kind = re.sub(r"\[.*", "", name)
                found.setdefault(kind, []).append((p["lower"], p["upper"], truth[name], "approximate" in p))
        return 0, found


def without_first(options):
    at = options.index("--first-minibatch")
    return options[:at] + options[at + 2:]


class Predicting(Table):
    """A regression: also the intervals of `sda predict` for 20 new rows. truth_of(row, random): what each is of."""

    def __init__(self, name, draw, fit, draw_new, **more):
        super().__init__(name, draw, fit, **more)
        self.draw_new = draw_new

    def simulate(self, random, folder):
        path, truth = super().simulate(random, folder)
        names, rows, targets = self.draw_new(random)
        write_csv(os.path.join(folder, "new.csv"), names, rows)
        return path, truth, targets

    def intervals(self, sda, options, data, folder):
        path, truth, targets = data
        lost, found = super().intervals(sda, options, (path, truth), folder)
        lines = run([sda, "predict", os.path.join(folder, "model"), os.path.join(folder, "new.csv"), "--json"])
        predictions = [json.loads(line) for line in lines.splitlines()]
        found["a prediction"] = [(p["lower"], p["upper"], target, "approximate" in p)
                                 for p, target in zip(predictions, targets)]
        return lost, found


class Mixture(Table):
    """Components in the order of their means of the first column, which is `gap` standard deviations apart."""

    def intervals(self, sda, options, data, folder):
        path, (means, truth) = data
        parameters = self.parameters(sda, options, path, folder)
        k = len(means)
        by_mean = sorted(range(1, k + 1), key=lambda i: parameters["mean[%d,x]" % i]["mean"])
        found = {}
        for place, number in enumerate(by_mean):
            if abs(parameters["mean[%d,x]" % number]["mean"] - means[place]) > 1.5:
                return 1, {}
            for name, values in truth.items():
                what, _, columns = name.partition(",")
                p = parameters["%s[%d%s]" % (what, number, "," + columns if columns else "")]
                found.setdefault(what, []).append((p["lower"], p["upper"], values[place], "approximate" in p))
        return 0, found


def coin(random, rows):
    p = random.random()
    return ["x"], [[int(random.random() < p)] for _ in range(rows)], {"probability[x]": p}


def poisson(random, rows):
    rate = 0.5 + 4 * random.random()

    def draw():
        limit, product, n = math.exp(-rate), random.random(), 0
        while product > limit:
            product *= random.random()
            n += 1
        return n

    return ["x"], [[draw()] for _ in range(rows)], {"rate[x]": rate}


def categorical(random, rows):
    weights = [0.2 + random.random() for _ in range(4)]
    names = ["a", "b", "c", "d"]
    total = sum(weights)
    truth = {"share[x=%s]" % name: weight / total for name, weight in zip(names, weights)}
    return ["x"], [[name] for name in random.choices(names, weights, k=rows)], truth


def normal(random, rows):
    mean, sd = random.gauss(0, 10), math.exp(random.gauss(0, 1))
    truth = {"mean[x]": mean, "sd[x]": sd, "precision[x]": 1 / sd**2}
    return ["x"], [[random.gauss(mean, sd)] for _ in range(rows)], truth


def features(random):
    u = random.gauss(1, 1)
    return [u, random.gauss(0.5 * u, 2)]


def linear(random, rows):
    data = []
    for _ in range(rows):
        u, v = features(random)
        data.append([u, v, random.gauss(3 + u - 0.5 * v, 2)])
    return ["u", "v", "y"], data, {"intercept": 3, "coef[u]": 1, "coef[v]": -0.5, "noise_sd": 2}


def linear_new(random):
    rows = [features(random) for _ in range(20)]
    return ["u", "v"], rows, [random.gauss(3 + u - 0.5 * v, 2) for u, v in rows]


def probability(model, score):
    return 1 / (1 + math.exp(-score)) if model == "logistic" else math.erfc(-score / math.sqrt(2)) / 2


def score_of(row):
    return -0.5 + 0.8 * row[0] - 0.4 * row[1]


def classes(model):
    def draw(random, rows):
        data = []
        for _ in range(rows):
            row = features(random)
            data.append(row + [int(random.random() < probability(model, score_of(row)))])
        return ["u", "v", "y"], data, {"intercept": -0.5, "coef[u]": 0.8, "coef[v]": -0.4}

    return draw


def classes_new(model):
    def draw(random):
        rows = [features(random) for _ in range(20)]
        return ["u", "v"], rows, [probability(model, score_of(row)) for row in rows]

    return draw


def rare(random, rows):
    """A class of 1 in 1,000."""
    data = []
    for _ in range(rows):
        u = random.gauss(0, 1)
        data.append([u, int(random.random() < probability("logistic", -7.4 + u))])
    return ["u", "y"], data, {"intercept": -7.4, "coef[u]": 1}


def mixture(components, gap, columns=("x",)):
    def draw(random, rows):
        weights = [1 + 0.5 * random.random() for _ in range(components)]
        total = sum(weights)
        means = [gap * k for k in range(components)]
        data = [[random.gauss(means[k], 1)] + [random.gauss(0, 1) for _ in columns[1:]]
                for k in random.choices(range(components), weights, k=rows)]
        truth = {"weight": [w / total for w in weights], "mean,x": means, "sd,x": [1] * components}
        for c in columns[1:]:
            truth.update({"mean," + c: [0] * components, "sd," + c: [1] * components,
                          "cov,x," + c: [0] * components})
        return list(columns), data, (means, truth)

    return draw


TARGET = ["--target", "y"]
EXACT = {"rows": 400, "minibatch": 20}
CASES = [
    Table("coin", coin, ["--model", "coin"], **EXACT),
    Table("poisson", poisson, ["--model", "poisson"], **EXACT),
    Table("categorical", categorical, ["--model", "categorical"], **EXACT),
    Table("normal", normal, ["--model", "normal"], **EXACT),
    Predicting("linear", linear, ["--model", "linear", *TARGET], linear_new, **EXACT),
    *[Predicting("%s, %s" % (model, primitive), classes(model), ["--model", model, *TARGET, "--primitive", primitive],
                 classes_new(model), rows=2000, minibatch=100)
      for model in ("logistic", "probit") for primitive in ("ep", "vb")],
    Table("logistic, 1 in 1,000", rare, ["--model", "logistic", *TARGET], rows=20000, minibatch=250,
          only=("one minibatch", "serial")),
    Mixture("mixture, 6 sd apart", mixture(2, 6), ["--model", "mixture", "--components", "2"], rows=5000, first=1000,
            minibatch=250),
    Mixture("mixture, 3 sd apart", mixture(2, 3), ["--model", "mixture", "--components", "2"], rows=5000, first=1000,
            minibatch=250),
    Mixture("mixture, 3 sd apart, 3 components", mixture(3, 3), ["--model", "mixture", "--components", "3"], rows=5000,
            first=1000, minibatch=250),
    Mixture("mixture, 3 sd apart, 2 columns", mixture(2, 3, ("x", "y")), ["--model", "mixture", "--components", "2"],
            rows=5000, first=1000, minibatch=250),
]
