"""The models on tables."""

import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from sdabayes import Categorical, Coin, Linear, Logistic, Mixture, Normal, Poisson, Probit

random = np.random.default_rng(3)
X = random.normal(size=(1000, 3)) * [1, 10, 0.1] + [0, 5, -2]
TARGET = X @ [2.0, -0.5, 3.0] + 1 + random.normal(0, 0.3, 1000)
LABEL = np.where(X[:, 0] - 0.1 * (X[:, 1] - 5) + random.logistic(0, 0.5, 1000) > 0, "yes", "no")


def test_exact_models_give_the_same_posterior_in_any_pieces():
    data = {
        Coin(): (X[:, :1] > 0).astype(int),
        Poisson(): random.poisson(3, (1000, 2)),
        Normal(): X,
        Linear(): (X, TARGET),
    }
    for model, rows in data.items():
        rows = rows if isinstance(rows, tuple) else (rows,)
        whole = model.fit(*rows).estimates()
        for first in range(0, 1000, 100):
            part = [array[first : first + 100] for array in rows]
            if first == 0:
                model = type(model)().partial_fit(*part)
            else:
                model.partial_fit(*part)
        assert model.n_rows_ == 1000
        numbers = ["mean", "sd", "lower", "upper"]
        assert np.allclose(whole[numbers], model.estimates()[numbers], rtol=1e-8)


def test_closed_forms():
    ones = Coin(heads=2, tails=3).fit([[1], [1], [0], [1]])
    assert ones.estimates()["mean"][0] == pytest.approx(5 / 9)
    linear = Linear().fit(X, TARGET)
    expected = np.linalg.lstsq(np.column_stack([np.ones(1000), X]), TARGET, rcond=None)[0]
    means = linear.estimates()["mean"][:4]
    assert np.allclose(means, expected, rtol=1e-6)
    assert np.allclose(linear.predict(X), np.column_stack([np.ones(1000), X]) @ expected)


def test_regression_predicts_with_intervals():
    model = Linear().fit(X[:800], TARGET[:800])
    assert model.score(X[800:], TARGET[800:]) > 0.98
    low, high = model.predict_interval(X[800:]).T
    assert 0.9 < np.mean((low < TARGET[800:]) & (TARGET[800:] < high)) < 0.99
    mean, sd = model.predict(X[800:], return_std=True)
    assert np.allclose((high - low) / sd, 3.92, atol=0.05)
    assert mean.shape == sd.shape == (200,)


@pytest.mark.parametrize("kind", [Logistic, Probit])
def test_classes_are_predicted_by_their_names(kind):
    model = kind().fit(X[:800], LABEL[:800])
    assert list(model.classes_) == ["no", "yes"]
    assert model.score(X[800:], LABEL[800:]) > 0.8
    probabilities = model.predict_proba(X[800:])
    assert np.allclose(probabilities.sum(axis=1), 1)
    low, high = model.predict_interval(X[800:]).T
    assert ((low < probabilities[:, 1]) & (probabilities[:, 1] < high)).all()
    parts = kind().partial_fit(X[:400], LABEL[:400]).partial_fit(X[400:800], LABEL[400:800])
    assert np.mean(parts.predict(X) == model.predict(X)) > 0.98


def test_a_first_piece_with_one_class_needs_to_be_told_the_other():
    yes = LABEL == "yes"
    with pytest.raises(ValueError, match="classes"):
        Logistic().partial_fit(X[yes][:50], LABEL[yes][:50])
    model = Logistic()
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.nan * X, LABEL, classes=["yes", "maybe"])
    assert list(model.fit(X, LABEL).classes_) == ["no", "yes"]  # what was refused is forgotten
    model = Logistic().partial_fit(X[yes][:50], LABEL[yes][:50], classes=["yes", "no"])
    model.partial_fit(X[:500], LABEL[:500])
    assert model.score(X[500:], LABEL[500:]) > 0.8
    with pytest.raises(ValueError, match="other than"):
        model.partial_fit(X[:2], ["yes", "maybe"])


def test_mixture_finds_clusters():
    truth = random.integers(0, 3, 900)
    rows = random.normal(size=(900, 2)) + np.array([[0, 0], [8, 0], [0, 8]])[truth]
    model = Mixture(n_components=3).fit(rows)
    again = Mixture(n_components=3, random_state=np.random.RandomState(1)).fit(rows)
    assert again.predict_proba(rows).shape == (900, 3)
    for component in range(3):
        found = model.predict(rows)[truth == component]
        assert np.mean(found == np.bincount(found).argmax()) > 0.98
    assert np.array_equal(model.labels_, model.predict_proba(rows).argmax(axis=1))


def test_categories_are_learnt_as_they_come():
    model = Categorical().partial_fit([["a"], ["b"], ["a"]]).partial_fit([["c"], ["a"]])
    table = model.estimates()
    assert len(table) == 3
    assert table["mean"].sum() == pytest.approx(1)
    assert table["mean"].max() == pytest.approx(4 / 8)


def test_estimates_say_which_intervals_are_approximate():
    assert not Linear().fit(X, TARGET).estimates()["approximate"].any()
    assert Logistic(primitive="vb").fit(X, LABEL).estimates()["approximate"].all()


def test_pickling_keeps_the_posterior():
    for model in (Linear().fit(X, TARGET), Logistic().fit(X, LABEL)):
        again = pickle.loads(pickle.dumps(model))
        assert np.allclose(again.predict_interval(X), model.predict_interval(X))
        assert again.n_rows_ == 1000
        assert again.partial_fit(X, TARGET if isinstance(model, Linear) else LABEL).n_rows_ == 2000


INTERRUPTED = """
import sys, time
import numpy as np
import sdabayes
random = np.random.default_rng(0)
X = random.normal(size=(200_000, 30))
y = (X @ random.normal(size=30) > random.logistic(size=len(X))).astype(int)
X = np.concatenate([X] * 3)
y = np.concatenate([y] * 3)
model = eval("sdabayes." + sys.argv[1])
print("ready", flush=True)
try:
    while True:  # however fast the machine is
        getattr(model, sys.argv[2])(X, y)
except KeyboardInterrupt:
    print(time.time(), getattr(model, "n_rows_", 0), flush=True)
    model.partial_fit(X[:2000], y[:2000])
"""


@pytest.mark.parametrize(
    "model, call",
    [
        ("Logistic(batch_size=300_000)", "fit"),
        ("Probit(primitive='vb', batch_size=1_000)", "fit"),
        ("Logistic()", "partial_fit"),
        ("Mixture(n_components=20)", "fit"),
        ("Mixture(n_components=20)", "partial_fit"),
    ],
)
def test_ctrl_c_ends_a_call_soon_and_leaves_whole_minibatches(model, call):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, model, call], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.7)
    sent = time.time()
    process.send_signal(signal.SIGINT)
    ended, rows = process.stdout.readline().split()
    assert process.wait() == 0
    # A second on a machine that does nothing else.
    assert float(ended) - sent < 5
    assert int(rows) % 1000 == 0
    assert call != "fit" or int(rows) <= 600_000


def test_the_program_reads_the_models(program, tmp_path):
    Linear().fit(X, TARGET).save(tmp_path / "model")
    out = subprocess.run(
        [program, "show", tmp_path / "model"], capture_output=True, text=True, check=True
    )
    assert "coef[x1]" in out.stdout


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Coin().fit([[1], [2]]), r'row 2, column "x0" is 2, must be 0 or 1'),
        (lambda: Poisson().fit([[-1.0]]), "must be a whole number of at least 0"),
        (lambda: Normal().fit([[np.nan]]), "NaN"),
        (lambda: Normal().fit([[1e200]]), "between 1e-150 and 1e150"),
        (lambda: Coin(heads=-1).fit([[1]]), "heads"),
        (lambda: Linear().fit(X, TARGET).predict(X[:, :2]), "2 features"),
        (lambda: Mixture(n_components=0).fit(X), "components"),
        (lambda: Mixture(n_components=2.5).fit(X), "n_components is 2.5"),
        (lambda: Mixture(n_components=object()).fit(X), "a parameter is <object"),
        (lambda: Mixture(random_state="a").fit(X), "'a' cannot be used to seed"),
        (lambda: Normal(shape="a").fit(X), "shape is 'a'"),
        (lambda: Normal(shape=np.nan).fit(X), "shape is nan"),
        (lambda: Normal(half_life=np.inf).fit(X), "half_life is inf"),
        (lambda: Normal().fit(X).save("a\0b"), "path is 'a"),
        (lambda: Logistic(primitive="magic").fit(X, LABEL), "primitive"),
        (lambda: Logistic().fit(X, np.arange(1000)), "classes"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


# The matrices of these checks are anything but zeros and ones, counts or categories.
@pytest.mark.parametrize(
    "model, reason",
    [
        (Coin(), "must be 0 or 1"),
        (Poisson(), "must be a whole number of at least 0"),
        (Categorical(), "any object is a category, an infinite number too"),
    ],
    ids=repr,
)
def test_fails_only_the_checks_whose_data_the_model_is_not_for(model, reason):
    expected = dict.fromkeys(["check_dtype_object", "check_estimators_nan_inf"], reason)
    results = check_estimator(model, expected_failed_checks=expected, on_fail=None)
    others = [
        r["check_name"]
        for r in results
        if r["status"] == "failed" and reason not in f"{r['exception']} {r['exception'].__cause__}"
    ]
    assert not others
    assert sum(r["status"] == "passed" for r in results) >= 15


# With a flat prior, fewer rows than coefficients have no posterior to predict from.
@pytest.mark.parametrize(
    "model", [Normal(), Linear(precision=1, shape=1, rate=1), Logistic(), Probit()], ids=repr
)
def test_passes_check_estimator(model):
    results = check_estimator(model, on_fail=None)
    failed = {r["check_name"]: repr(r["exception"]) for r in results if r["status"] == "failed"}
    assert not failed
