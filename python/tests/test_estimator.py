"""scikit-learn's own rules for estimators."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from conftest import THEMES, WORDS, make_texts
from sdabayes import StreamingLDA

# With primitive="vb": none.
EXPECTED_FAILED_CHECKS = {}
NO_COUNTS = "the matrices of this check are not counts, which sampling and EP need: primitive='vb' passes it"


def small(**parameters):
    return StreamingLDA(
        **{"n_components": 4, "first_minibatch": 200, "batch_size": 100, "random_state": 3}
        | parameters
    )


def test_passes_check_estimator():
    # The matrices of the checks are no counts, so the primitive is the one that takes weights.
    results = check_estimator(
        StreamingLDA(n_components=3, primitive="vb", n_jobs=1),
        expected_failed_checks=EXPECTED_FAILED_CHECKS,
        on_fail=None,
    )
    failed = {r["check_name"]: repr(r["exception"]) for r in results if r["status"] == "failed"}
    assert not failed
    expected = {r["check_name"] for r in results if r["status"] == "xfail"}
    assert expected == set(EXPECTED_FAILED_CHECKS)
    assert sum(r["status"] == "passed" for r in results) > 30


@pytest.mark.parametrize("primitive", [None, "ep"])
def test_other_primitives_fail_only_the_checks_that_give_them_no_counts(primitive):
    estimator = StreamingLDA(n_components=3, primitive=primitive, n_jobs=1)
    failed = {
        r["check_name"]: NO_COUNTS
        for r in check_estimator(estimator, on_fail=None)
        if r["status"] == "failed" and "which is no whole number" in raised_by(r["exception"])
    }
    results = check_estimator(estimator, expected_failed_checks=failed, on_fail=None)
    assert not [r["check_name"] for r in results if r["status"] == "failed"]
    assert sum(r["status"] == "passed" for r in results) >= 15


def raised_by(exception):
    """The messages of an exception and those that led to it."""
    return f"{exception} {raised_by(exception.__cause__)}" if exception else ""


def test_finds_the_themes(X):
    model = small().fit(X)
    assert model.components_.shape == (4, len(WORDS))
    top = [{WORDS[w] for w in np.argsort(row)[-5:]} for row in model.components_]
    for theme in THEMES:
        assert any(words <= set(theme) for words in top)
    assert np.isclose(model.components_.sum() - 0.15 * 4 * len(WORDS), 600 * 30)
    assert (model.n_documents_, model.n_tokens_, model.n_batches_) == (600, 18000, 5)


def test_transform_gives_proportions_that_do_not_depend_on_other_rows(X):
    model = small().fit(X)
    together = model.transform(X)
    assert together.shape == (600, 4)
    assert np.allclose(together.sum(axis=1), 1)
    order = np.random.default_rng(1).permutation(600)
    assert np.array_equal(model.transform(X[order]), together[order])
    for row in (0, 17, 599):
        assert np.array_equal(model.transform(X[row]), together[row : row + 1])


def test_the_result_does_not_depend_on_the_number_of_threads(X):
    one, three = small(n_jobs=1).fit(X), small(n_jobs=3).fit(X)
    assert np.array_equal(one.components_, three.components_)
    assert np.array_equal(one.transform(X), three.transform(X))
    assert one.score(X) == three.score(X)


def test_partial_fit_learns_what_fit_learns_of_the_same_minibatches(X):
    for primitive in ("gibbs", "vb", "ep"):
        whole = small(primitive=primitive).fit(X)
        parts = small(primitive=primitive)
        parts.partial_fit(X[:200])
        for first in range(200, 600, 100):
            parts.partial_fit(X[first : first + 100])
        assert np.array_equal(parts.components_, whole.components_)
        assert parts.n_batches_ == whole.n_batches_ == 5


def test_the_first_minibatch_chooses_the_number_of_topics(X):
    whole = small(n_components="auto", primitive="vb").fit(X)
    parts = small(n_components="auto", primitive="vb")
    with pytest.raises(ValueError, match="^n_components is auto: .* must have first_minibatch"):
        parts.partial_fit(X[:199])
    with pytest.raises(ValueError, match="^n_components is auto: .* which has 0 documents"):
        parts.partial_fit(0 * X)
    assert not hasattr(parts, "components_")
    parts.partial_fit(X[:200])
    for first in range(200, 600, 100):
        parts.partial_fit(X[first : first + 100])
    assert whole.components_.shape[0] in (25, 50, 100, 200, 400)
    assert np.array_equal(parts.components_, whole.components_)
    assert whole.transform(X).shape == (600, whole.components_.shape[0])


def test_every_partial_fit_updates_and_small_pieces_make_the_topics_of_all(X):
    whole = small(first_minibatch=600).fit(X)
    parts = small(first_minibatch=600)
    seen = [parts.partial_fit(X[first : first + 50]).n_documents_ for first in range(0, 600, 50)]
    assert seen == list(range(50, 601, 50))
    assert np.array_equal(parts.components_, whole.components_)


def test_score_is_the_log_probability_of_a_token(X):
    model = small().fit(X)
    fresh = model.score(X)
    assert -np.log(len(WORDS)) < fresh < -1.5
    assert model.perplexity(X) == pytest.approx(np.exp(-fresh))


def test_names_of_the_outputs_and_tables_of_pandas(X):
    pandas = pytest.importorskip("pandas")
    model = small().fit(X)
    names = [f"streaminglda{k}" for k in range(4)]
    assert list(model.get_feature_names_out()) == names
    table = model.set_output(transform="pandas").transform(X)
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == names


def test_the_words_are_the_columns_of_a_data_frame(X):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X.toarray(), columns=WORDS)
    model = small().fit(frame)
    assert model.vocabulary_ == WORDS
    assert np.array_equal(model.components_, small().fit(X).components_)
    with pytest.raises(ValueError, match="feature names"):
        model.transform(frame[WORDS[::-1]])


def test_clone_and_parameters():
    model = small(doc_topic_prior=[0.1, 0.2, 0.3, 0.4], half_life=50)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert again.set_params(n_components=7).n_components == 7


def test_a_program_written_for_scikit_learn_runs(X):
    model = StreamingLDA(
        n_components=3, max_iter=5, learning_method="online", learning_offset=50.0, random_state=0
    )
    with pytest.warns(UserWarning, match="learning_offset, max_iter, learning_method ignored"):
        model.fit(X)
    for name in set(LatentDirichletAllocation().get_params()) - {"n_components", "verbose"}:
        assert name in model.get_params()
    with pytest.warns(UserWarning, match="evaluate_every, mean_change_tol ignored"):
        StreamingLDA(n_components=3, evaluate_every=-1, mean_change_tol=1e-3).fit(X)
    svi = StreamingLDA(
        n_components=3, algorithm="svi", total_samples=600, batch_size=100, learning_decay=0.7
    )
    assert svi.fit(X).n_batches_ == 6


def test_attributes_and_options_of_scikit_learn_mean_the_same(X):
    ours = small(primitive="vb", topic_word_prior=0.2).fit(X)
    theirs = LatentDirichletAllocation(4, doc_topic_prior=0.25, topic_word_prior=0.2).fit(X)
    for name in ("doc_topic_prior_", "topic_word_prior_"):
        assert getattr(ours, name) == getattr(theirs, name)
    theirs.components_ = ours.components_
    theirs.exp_dirichlet_component_ = ours.exp_dirichlet_component_
    unnormalized = ours.transform(X, normalize=False)
    assert np.allclose(unnormalized.sum(axis=1), 30 + 4 * 0.25, rtol=1e-5)
    assert np.abs(theirs.transform(X, normalize=False) - unnormalized).mean() < 0.05
    assert np.array_equal(small().fit_transform(X, normalize=False), small().fit(X).transform(X, normalize=False))
    assert small(doc_topic_prior=[0.1, 0.2, 0.3, 0.4]).fit(X).doc_topic_prior_.shape == (4,)


def test_pipeline_and_grid_search(texts):
    labels = [
        [any(word in theme for word in text.split()) for theme in THEMES].index(True)
        for text in texts
    ]
    pipeline = make_pipeline(CountVectorizer(), small(), LogisticRegression())
    search = GridSearchCV(pipeline, {"streaminglda__n_components": [2, 4]}, cv=2)
    search.fit(texts, labels)
    assert search.best_params_ == {"streaminglda__n_components": 4}
    assert search.best_score_ > 0.95
    alone = GridSearchCV(small(vocabulary=WORDS), {"n_components": [1, 4]}, cv=2)
    assert alone.fit(texts).best_params_ == {"n_components": 4}


def test_pickling_keeps_everything(X):
    for model in (small().fit(X), small(first_minibatch=1000).partial_fit(X)):
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.components_, model.components_)
        assert np.allclose(again.transform(X), model.transform(X), rtol=1e-12)
        assert again.vocabulary_ == model.vocabulary_
        assert again.n_documents_ == 600
        for one in (model, again):
            one.partial_fit(X[:500])
        assert np.allclose(again.components_, model.components_, rtol=1e-6)


def test_a_pickle_of_another_format_is_refused_with_a_reason(X):
    model = small().fit(X)
    state = model.__getstate__()
    state["_pickled_model"] = (99, *state["_pickled_model"][1:])
    with pytest.raises(ValueError, match="format 99, this version of sdabayes reads up to 2"):
        StreamingLDA().__setstate__(state)


def test_a_pickle_of_the_first_format_is_read(X):
    model = small().fit(X)
    state = model.__getstate__()
    _, file, kept = state["_pickled_model"]
    state["_pickled_model"] = (1, file, kept[:5])  # without the notes
    again = StreamingLDA()
    again.__setstate__(state)
    assert np.array_equal(again.components_, model.components_)


def test_a_pickle_has_the_documents_that_are_kept_for_intervals(X, tmp_path):
    model = small(intervals="sampled").partial_fit(X[:300])
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.partial_fit(X[300:]).refit()
    assert np.array_equal(again.components_, model.components_)
    assert np.array_equal(again.topic_interval(0), model.topic_interval(0))
    model.save(tmp_path / "model")
    loaded = StreamingLDA.load(tmp_path / "model")
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    with pytest.raises(ValueError, match="refit has no documents"):
        loaded.refit()


def test_not_fitted_yet(X):
    with pytest.raises(ValueError, match="not fitted"):
        StreamingLDA().transform(X)
    assert not hasattr(StreamingLDA(), "components_")


@pytest.mark.parametrize(
    "parameters, name",
    [
        ({"n_components": 0}, "n_components"),
        ({"n_components": "many"}, "n_components"),
        ({"n_components": -1}, "n_components"),
        ({"doc_topic_prior": -1.0}, "doc_topic_prior"),
        ({"doc_topic_prior": [0.1, 0.2]}, "doc_topic_prior"),
        ({"topic_word_prior": 0.0}, "topic_word_prior"),
        ({"topic_word_prior": float("nan")}, "not a finite number"),
        ({"batch_size": 0}, "batch_size"),
        ({"first_minibatch": -3}, "first_minibatch"),
        ({"algorithm": "magic"}, "algorithm"),
        ({"primitive": "magic"}, "primitive"),
        ({"algorithm": "svi", "first_minibatch": None}, "total_samples"),
        ({"precision": "half"}, "precision"),
        ({"half_life": -1}, "half_life"),
        ({"schedule": "sometimes"}, "schedule"),
        ({"workers": 0}, "workers"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"n_jobs": "all"}, "n_jobs"),
        ({"n_jobs": 2**40}, "n_jobs is 1099511627776"),
        ({"max_share": 2}, "max_share is 2"),
        ({"max_vocab": 0}, "max_vocab is 0"),
        ({"min_word_length": 0}, "min_word_length is 0"),
        ({"vocab_from": 0}, "vocab_from is 0"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_a_bad_parameter_is_named(X, parameters, name):
    with pytest.raises((ValueError, TypeError), match=name):
        small(**parameters).fit(X)


def test_a_bar_is_shown_when_asked_for(X, capsys):
    pytest.importorskip("tqdm")
    small(verbose=1).fit(X)
    assert "600/600" in capsys.readouterr().err


def test_random_state(X):
    def components(seed):
        return small(random_state=seed).fit(X).components_

    assert np.array_equal(components(None), components(1))
    assert not np.array_equal(components(1), components(2))
    assert np.array_equal(
        components(np.random.RandomState(5)), components(np.random.RandomState(5))
    )


def test_learns_from_new_texts(texts):
    model = small(vocabulary="learn").fit(texts)
    assert set(model.vocabulary_) == set(WORDS)
    assert model.transform(make_texts(5, seed=9)).shape == (5, 4)
    assert model.partial_fit(make_texts(50, seed=8)).n_documents_ == 650
