"""The models on tables as files and pickles: the same session behind the command line and Python."""

import pickle
import subprocess

import numpy as np
import pandas
import pytest

import sdabayes

random = np.random.default_rng(1)
TABLE = pandas.DataFrame({"a": random.normal(size=1500), "b": random.normal(5, 10, 1500)})
TABLE["target"] = 2 * TABLE.a - TABLE.b / 10 + 1 + random.normal(0, 0.3, 1500)
TABLE["word"] = np.where(TABLE.target > 0, "no", "yes")
TABLE["bit"] = (TABLE.a > 0).astype(int)
TABLE["count"] = random.poisson(3, 1500)
TABLE["letter"] = random.choice(list("xyz"), 1500)
MODELS = [
    (sdabayes.Coin, ["bit"], None),
    (sdabayes.Poisson, ["count"], None),
    (sdabayes.Normal, ["a", "b"], None),
    (sdabayes.Categorical, ["letter"], None),
    (sdabayes.Linear, ["a", "b"], "target"),
    (sdabayes.Logistic, ["a", "b"], "word"),
    (sdabayes.Probit, ["a", "b"], "bit"),
    (sdabayes.Mixture, ["a", "b"], None),
]


@pytest.fixture(params=MODELS, ids=lambda model: model[0].__name__)
def fitted(request, program, tmp_path):
    """(The class, its arguments for fit, the file of `sda fit` with the same rows.)"""
    kind, columns, target = request.param
    TABLE[[*columns, *([target] if target else [])]].to_csv(tmp_path / "table.csv", index=False)
    subprocess.run(
        [
            program, "fit", "--model", kind.__name__.lower(), tmp_path / "table.csv",
            "-o", tmp_path / "program", *(["--target", target] if target else []),
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    return kind, [TABLE[columns], *([TABLE[target]] if target else [])], tmp_path / "program"


def test_fit_saves_the_file_that_the_program_saves(fitted, tmp_path):
    kind, rows, path = fitted
    kind().fit(*rows).save(tmp_path / "python")
    assert (tmp_path / "python").read_bytes() == path.read_bytes()


def test_a_model_of_the_program_is_loaded_predicts_and_continues(fitted, tmp_path):
    kind, rows, path = fitted
    loaded, ours = kind.load(path), kind().fit(*rows)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    assert loaded.n_rows_ == 1500
    if hasattr(loaded, "predict"):
        assert np.array_equal(loaded.predict(rows[0]), ours.predict(rows[0]))
    numbers = ["mean", "sd", "lower", "upper"]
    for model in loaded, ours:
        model.partial_fit(*[part[:700] for part in rows])
    assert loaded.estimates()["parameter"].equals(ours.estimates()["parameter"])
    assert np.allclose(loaded.estimates()[numbers], ours.estimates()[numbers], rtol=1e-6)


def test_parameters_come_back_from_the_file(tmp_path):
    model = sdabayes.Mixture(n_components=3, concentration=2.0, random_state=5).fit(TABLE[["a", "b"]])
    model.save(tmp_path / "mixture")
    given = {"n_components": 3, "concentration": 2.0, "random_state": 5}
    loaded = sdabayes.Mixture.load(tmp_path / "mixture", half_life=100)
    assert (given | {"half_life": 100}).items() <= loaded.get_params().items()
    flat = sdabayes.Linear(fit_intercept=False).fit(TABLE[["a"]].to_numpy(), TABLE.target)
    flat.save(tmp_path / "linear")
    loaded = sdabayes.Linear.load(tmp_path / "linear")
    assert loaded.fit_intercept is False and not hasattr(loaded, "feature_names_in_")


def test_another_model_is_refused(tmp_path):
    sdabayes.Normal().fit(TABLE[["a"]]).save(tmp_path / "normal")
    with pytest.raises(ValueError, match="is a model 'normal', must be 'coin'"):
        sdabayes.Coin.load(tmp_path / "normal")
    with pytest.raises(OSError, match="missing"):
        sdabayes.Coin.load(tmp_path / "missing")


@pytest.mark.parametrize("labels", [["10", "9"], [9, 10], [-1.0, 2.0], [False, True]], ids=repr)
def test_probabilities_are_of_the_classes_in_their_order(labels, tmp_path):
    X, y = TABLE[["a", "b"]], np.array(labels)[TABLE.bit]
    model = sdabayes.Logistic().fit(X, y)
    second = y == model.classes_[1]
    assert model.predict_proba(X)[second, 1].mean() > 0.9
    assert model.predict_proba(X)[~second, 1].mean() < 0.1
    low, high = model.predict_interval(X).T
    middle = model.predict_proba(X)[:, 1]
    assert (low <= high).all() and (low < middle + 1e-3).all() and (middle < high + 1e-3).all()
    assert model.score(X, y) > 0.95
    parts = sdabayes.Logistic().partial_fit(X[:700], y[:700]).partial_fit(X[700:], y[700:])
    assert parts.score(X, y) > 0.95


def test_a_pickle_forgets_as_the_model_does():
    rows = TABLE[["a", "b"]]
    model = sdabayes.Normal(half_life=100).fit(rows)
    again = pickle.loads(pickle.dumps(model))
    for each in model, again:
        each.partial_fit(rows + 1)
    assert np.allclose(model.estimates()["mean"], again.estimates()["mean"], rtol=1e-9)
