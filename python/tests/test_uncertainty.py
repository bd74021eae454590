"""Intervals and draws from the posterior."""

import json
import subprocess

import numpy as np
import pytest
import scipy.stats

from conftest import WORDS, matrix_of, make_texts
from sdabayes import StreamingLDA


@pytest.fixture(scope="module")
def model():
    X = matrix_of(make_texts(300))
    return StreamingLDA(n_components=3, vocabulary=WORDS).fit(X)


def test_topic_intervals_are_quantiles_of_the_beta_distribution(model):
    row = model.components_[1]
    intervals = model.topic_interval(1, ["sail", "oath"], 0.9)
    for word, interval in zip(["sail", "oath"], intervals):
        a = row[WORDS.index(word)]
        expected = scipy.stats.beta(a, row.sum() - a).ppf([0.05, 0.95])
        assert np.allclose(interval, expected, rtol=1e-6)
    assert model.topic_interval(1).shape == (len(WORDS), 2)
    assert np.array_equal(model.topic_interval(1, [0]), model.topic_interval(1, "sail"))


def test_document_intervals_hold_the_proportions_and_shrink_with_the_document(model):
    X = matrix_of(["sail anchor", " ".join(["sail anchor"] * 50)])
    intervals = model.document_interval(X)
    proportions = model.transform(X)
    assert intervals.shape == (2, 3, 2)
    top = proportions[1].argmax()
    assert (intervals[..., 0] <= intervals[..., 1]).all()
    assert intervals[1, top, 0] < proportions[1, top] < intervals[1, top, 1]
    width = intervals[..., 1] - intervals[..., 0]
    assert width[1, top] < width[0, top]
    assert (model.document_interval(X, 0.5)[1, top, 0]) > intervals[1, top, 0]


def test_document_intervals_are_those_of_sda_infer(model, program, tmp_path):
    model.save(tmp_path / "model")
    texts = make_texts(3)
    (tmp_path / "new.txt").write_text("\n".join(texts) + "\n")
    for method in ["sampled", "linear-response"]:
        intervals = model.document_interval(matrix_of(texts), method=method)
        options = ["--most", "0", "--intervals", method]
        lines = subprocess.check_output(
            [program, "infer", "model", "new.txt", *options], cwd=tmp_path, text=True
        ).splitlines()
        for line, of_document in zip(lines, intervals, strict=True):
            line = json.loads(line)
            assert line["intervals"] == method
            for topic in line["topics"]:
                ends = of_document[topic["topic"]]
                assert np.allclose(ends, [topic["lower"], topic["upper"]], rtol=1e-5)


def test_document_intervals_do_not_depend_on_the_other_rows(model):
    X = matrix_of(make_texts(5))
    assert np.array_equal(model.document_interval(X)[2:3], model.document_interval(X[2:3]))


def test_document_intervals_of_weights_have_linear_response():
    X = matrix_of(make_texts(50)) * 0.3
    vb = StreamingLDA(n_components=3, primitive="vb").fit(X)
    assert np.array_equal(vb.document_interval(X), vb.document_interval(X, method="linear-response"))


def test_draws_have_the_mean_and_spread_of_the_posterior(model):
    draws = model.sample_topics(400, seed=1)
    posterior = model.posterior()
    assert draws.shape == (400, 3, len(WORDS))
    assert np.allclose(draws.sum(axis=2), 1)
    mean = posterior.components / posterior.components.sum(axis=1, keepdims=True)
    assert np.allclose(draws.mean(axis=0), mean, atol=0.005)
    inside = [
        (low <= draws[:, 0, w]) & (draws[:, 0, w] <= high)
        for w, (low, high) in enumerate(model.topic_interval(0, None, 0.8))
    ]
    assert 0.77 < np.mean(inside) < 0.83
    assert np.array_equal(draws, model.sample_topics(400, seed=1))


def test_draws_have_the_spread_of_intervals_where_topics_of_words_are_not_known():
    X = np.random.default_rng(3).poisson(1.0, (300, 20))  # nothing tells topics apart
    model = StreamingLDA(n_components=3).fit(X)
    draws = model.sample_topics(400, seed=1)
    inside = [
        (low <= draws[:, 0, w]) & (draws[:, 0, w] <= high)
        for w, (low, high) in enumerate(model.topic_interval(0, None, 0.8))
    ]
    assert 0.77 < np.mean(inside) < 0.83
    assert model.topics()["approximate"].all()


def test_one_topic_is_certain():
    model = StreamingLDA(n_components=1).fit(np.ones((5, 4)))
    assert np.array_equal(model.document_interval(np.ones((1, 4))), [[[1, 1]]])


def test_bad_arguments_are_named(model):
    for call, message in [
        (lambda: model.topic_interval(3), "topic is 3"),
        (lambda: model.topic_interval(0, ["nonsense"]), "words has 'nonsense'"),
        (lambda: model.topic_interval(0, [99]), "words has 99"),
        (lambda: model.topic_interval(0, level=1), "level is 1"),
        (lambda: model.document_interval(np.ones((1, len(WORDS))), level=1), "level is 1,"),
        (lambda: model.document_interval(np.ones((1, len(WORDS))), method="x"), "method is x"),
        (lambda: model.sample_topics(0), "n is 0"),
        (lambda: model.topic_interval("first"), "topic is 'first'"),
        (lambda: model.topic_interval(0, level="95%"), "level is '95%'"),
        (lambda: model.document_interval(np.ones((1, len(WORDS))), level=None), "level is None"),
        (lambda: model.sample_topics(1.5), "n is 1.5"),
        (lambda: model.topics(-1), "n_words is -1"),
        (lambda: model.topics("ten"), "n_words is 'ten'"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            call()


def test_topics_are_a_table(model):
    table = model.topics(4)
    assert list(table.columns) == "topic share rank word probability lower upper approximate".split()
    assert len(table) == 12
    assert np.isclose(table.groupby("topic")["share"].first().sum(), 1)
    assert ((table["lower"] < table["probability"]) & (table["probability"] < table["upper"])).all()


def test_topics_are_a_list_without_pandas_and_polars(model, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    rows = model.topics(2)
    assert len(rows) == 6 and rows[0]["rank"] == 1 and rows[0]["word"] in WORDS


def test_what_pyldavis_needs_has_the_sizes_of_topics_and_words(model):
    given = model.to_pyldavis()
    assert np.allclose(given["topic_term_dists"].sum(axis=1), 1)
    assert given["vocab"] == WORDS
    sizes = given["doc_lengths"] @ given["doc_topic_dists"]
    assert np.isclose(sizes.sum(), 300 * 30)
    assert np.isclose(given["term_frequency"].sum(), 300 * 30)
    X = matrix_of(make_texts(300))
    counts = np.asarray(X.sum(axis=0)).ravel()
    assert np.allclose(given["term_frequency"], counts, rtol=0.1)
