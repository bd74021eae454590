"""What a model may be given: the right answer, or an error that names the argument."""

import gensim
import hypothesis.extra.numpy
import numpy as np
import pytest
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import WORDS, make_texts, matrix_of
import sdabayes
from sdabayes import StreamingLDA

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">i4", ">f8", "g"]
V = 12


def small(**parameters):
    return StreamingLDA(
        **{"n_components": 2, "primitive": "vb", "first_minibatch": 1, "n_jobs": 1} | parameters
    )


@pytest.fixture(scope="module")
def fitted():
    random = np.random.default_rng(4)
    return small().fit(random.integers(0, 4, (50, V)))


@st.composite
def matrices(draw):
    """Sparse matrices as anyone could have them: (the matrix, the same as an array)."""
    rows = draw(st.integers(1, 6))
    entries = draw(
        st.lists(
            st.tuples(st.integers(0, rows - 1), st.integers(0, V - 1), st.integers(0, 3)),
            max_size=25,
        )
    )
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    if dtype.kind == "b":
        entries = list({(r, c): (r, c, n) for r, c, n in entries}.values())
    entries.sort(key=lambda entry: entry[0])  # by row; in any order within one, some twice
    index = draw(st.sampled_from([np.int32, np.int64]))
    data = np.array([n for _, _, n in entries], dtype)
    indices = np.array([c for _, c, _ in entries], index)
    indptr = np.searchsorted([r for r, _, _ in entries], np.arange(rows + 1)).astype(index)
    dense = np.zeros((rows, V))
    for (row, column, _), value in zip(entries, data.astype(float)):
        dense[row, column] += value
    kind = draw(st.sampled_from([scipy.sparse.csr_matrix, scipy.sparse.csr_array]))
    return kind((data, indices, indptr), shape=(rows, V)), dense


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(matrices())
def test_sparse_matrices_of_every_kind_are_what_they_are_as_arrays(fitted, both):
    X, dense = both
    before = (X.data.copy(), X.indices.copy(), X.indptr.copy())
    assert np.array_equal(fitted.transform(X), fitted.transform(dense))
    if dense.sum() > 0:
        learnt = small().fit(X)
        assert np.array_equal(learnt.components_, small().fit(dense).components_)
        assert learnt.n_tokens_ == dense.sum()
    else:
        with pytest.raises(ValueError, match="none with a word"):
            small().fit(X)
    for was, now in zip(before, (X.data, X.indices, X.indptr)):
        assert np.array_equal(was, now)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    hypothesis.extra.numpy.arrays(
        np.float64, (3, V), elements=st.floats(allow_nan=True, allow_infinity=True)
    )
)
def test_arrays_of_any_floats_are_counts_or_refused_by_name(fitted, X):
    good = np.isfinite(X).all() and (X >= 0).all() and (X <= 2**32 - 1).all()
    if good:
        assert np.isfinite(fitted.transform(X)).all()
    else:
        with pytest.raises(ValueError, match="X"):
            fitted.transform(X)
        with pytest.raises(ValueError, match="X"):
            small().fit(X)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_damaged_sparse_matrices_are_refused_and_never_a_crash(fitted, data):
    X = scipy.sparse.csr_matrix(np.eye(4, V))
    part = data.draw(st.sampled_from(["indices", "indptr"]))
    array = getattr(X, part)
    place = data.draw(st.integers(0, len(array) - 1))
    array[place] = data.draw(st.integers(-(2**31), 2**31 - 1))
    intact = np.array_equal(X.indptr, [0, 1, 2, 3, 4])
    if intact and 0 <= X.indices.min() and X.indices.max() < V:
        assert fitted.transform(X).shape == (4, 2)
    else:
        with pytest.raises((ValueError, IndexError)):
            fitted.transform(X)
            # Pointers that only divide the entries otherwise are a matrix, too.
            if (np.diff(X.indptr) >= 0).all() and X.indptr[0] == 0 and X.indptr[-1] <= 4:
                raise ValueError


def test_every_layout_of_an_array_is_the_same(fitted):
    X = np.random.default_rng(2).integers(0, 3, (10, V))
    expected = fitted.transform(X)
    wide = np.zeros((20, 2 * V), np.int64)
    wide[::2, ::2] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    for other in (np.asfortranarray(X), wide[::2, ::2], X[::-1][::-1], X.tolist(), read_only):
        assert np.array_equal(fitted.transform(other), expected)
    for other in (scipy.sparse.csc_array(X), scipy.sparse.coo_matrix(X), scipy.sparse.dok_array(X)):
        assert np.array_equal(fitted.transform(other), expected)


@pytest.mark.parametrize(
    "X, message",
    [
        (np.full((2, V), -1), "Negative values in data passed to X"),
        (np.full((2, V), np.nan), "Input X contains NaN"),
        (np.full((2, V), 2.0**40), r"X\[0, 0\] is 1\S+, must be at most"),
        (np.ones((2, V + 1)), "X has 13 features"),
        (np.ones(V), "Expected 2D array"),
        (np.zeros((0, V)), "0 sample"),
        ("a text", "X is one text"),
        (["a text"], "X is texts, and the words are not known"),
        ([None, "a text"], "X has None at 0"),
        (np.array([np.nan, "a text"], object), "X has nan at 0"),
        ({"a": 1}, "X is a mapping"),
        ([[(0, 1), (V, 2)]], "X has the word id 12, must be below the 12 words"),
        ([[(-1, 1)]], "X has the word id -1"),
        ([[(0, 1), 7]], "must be pairs"),
        ([[(0, 1)], None], "X has None as document 1, must be pairs"),
        (np.zeros((2, V), "M8[s]"), r"X has numbers of the kind datetime64\[s\]"),
        (scipy.sparse.csr_matrix((2, 2**24 + 1)), "X has 16777217 "),
    ],
)
def test_bad_input_is_refused_by_name(fitted, X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        fitted.transform(X)


def test_weights_need_vb_and_the_error_says_so():
    X = np.full((5, V), 0.5)
    with pytest.raises(ValueError, match=r"X\[0, 0\] is 0.5, .* primitive='vb'"):
        small(primitive="gibbs").fit(X)
    with pytest.raises(ValueError, match="primitive='vb'"):
        small(primitive="gibbs").partial_fit(np.ones((5, V))).partial_fit(X)
    model = small().fit(X)
    assert np.isclose(model.components_.sum() - 0.3 * 2 * V, 5 * V * 0.5)


def test_a_failed_partial_fit_changes_nothing(fitted):
    model = small().fit(np.ones((5, V)))
    before = model.components_
    with pytest.raises(ValueError):
        model.partial_fit(np.full((2, V), -1.0))
    assert np.array_equal(model.components_, before)


def test_a_later_call_looks_at_every_entry_too(fitted):
    def matrix(data, indices):
        return scipy.sparse.csr_matrix((data, indices, [0, 2, len(data)]), shape=(2, V))

    for primitive in ("gibbs", "vb"):
        model = small(primitive=primitive).fit(np.ones((5, V)))
        before = model.components_
        for data, indices, message in [
            ([1, 1, -1, 2], [0, 1, 3, 3], r"Negative values .* X\[1, 3\] is -1"),
            ([1, 1, np.nan, 2], [0, 1, 3, 4], "Input X contains NaN"),
            ([1, 1, 2.0**40, 2], [0, 1, 3, 4], r"X\[1, 3\] is 1\S+, must be at most"),
        ]:
            with pytest.raises(ValueError, match=message):
                model.partial_fit(matrix(data, indices))
        damaged = matrix([1, 1, 1, 1], [0, 1, 3, 4])
        for place, index in (3, V), (2, 2**31 - 1), (3, -1):
            damaged.indices[:] = [0, 1, 3, 4]
            damaged.indices[place] = index
            with pytest.raises((ValueError, IndexError)):
                model.partial_fit(damaged)
        assert np.array_equal(model.components_, before)


def test_gensim_corpora_and_dictionaries():
    texts = make_texts(100)
    dictionary = gensim.corpora.Dictionary(text.split() for text in texts)
    corpus = [dictionary.doc2bow(text.split()) for text in texts]
    parameters = {"primitive": "gibbs", "vocabulary": dictionary}
    model = small(**parameters).fit(corpus)
    assert model.vocabulary_ == [dictionary[i] for i in range(len(dictionary))]
    sparse = gensim.matutils.corpus2csc(corpus, num_terms=len(dictionary)).T.astype(int)
    assert np.array_equal(model.components_, small(**parameters).fit(sparse).components_)
    streamed = small(**parameters).fit(iter(corpus))
    assert np.array_equal(model.components_, streamed.components_)
    assert np.array_equal(model.transform(corpus), model.transform(sparse))


def test_documents_without_words_may_begin_a_corpus(fitted):
    corpus = [[], [(0, 1), (3, 2)], []]

    class Corpus:
        def __iter__(self):
            return iter(corpus)

    expected = fitted.transform(corpus)
    for other in (tuple(corpus), iter(corpus), Corpus()):
        assert np.array_equal(fitted.transform(other), expected)
    for empty in ([[]], ([], []), iter([[]])):
        assert (fitted.transform(empty) == expected[0]).all()
    assert small().fit(iter(corpus)).n_documents_ == 1
    with pytest.raises(ValueError, match="X has 16777217 columns, must have at most 16777216"):
        small().fit([[(2**24, 1)]])


def test_texts_are_counted_as_the_matrix_of_their_words():
    texts = make_texts(100)
    model = small(vocabulary=WORDS).fit(texts)
    assert np.array_equal(model.components_, small().fit(matrix_of(texts)).components_)
    assert np.array_equal(model.transform(texts), model.transform(np.array(texts, object)))
    assert np.array_equal(model.transform(t for t in texts), model.transform(texts))
    mapping = {word: i for i, word in enumerate(WORDS)}
    assert small(vocabulary=mapping).fit(texts).vocabulary_ == WORDS


def test_a_closed_stream_is_refused_by_name(tmp_path):
    path = tmp_path / "texts"
    path.write_text("\n".join(make_texts(50)))
    with open(path) as texts:
        model = small(vocabulary="learn").fit(texts)
        with pytest.raises(ValueError, match="X has no documents"):
            model.partial_fit(texts)
    for call in (small(vocabulary="learn").fit, model.partial_fit, model.transform):
        with pytest.raises(ValueError, match="X cannot be read: .* closed file"):
            call(texts)
        with pytest.raises(ValueError, match="X has no documents"):
            call(iter([]))
    with pytest.raises(ValueError, match="stream cannot be read: .* closed file"):
        sdabayes.run(lambda data, prior: prior, [1.0], texts)


def test_a_bad_vocabulary_is_refused_by_name():
    texts = make_texts(10)
    for vocabulary, message in [
        (None, "vocabulary must be their words"),
        ("english", "vocabulary is 'english'"),
        ([], "vocabulary has no words"),
        ([1, 2], "vocabulary has 1"),
        ({"a": 0, "b": 2}, "vocabulary has ids"),
        (5, "vocabulary is 5"),
        (["sail", "\udcff"], "vocabulary has '\\\\udcff', which is no valid text"),
        (["sail", "sail"], "vocabulary"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            small(vocabulary=vocabulary).fit(texts)
    with pytest.raises(ValueError, match="vocabulary has 2 words, X has 12 columns"):
        small(vocabulary=["a", "b"]).fit(np.ones((3, V)))
    with pytest.raises(ValueError, match="vocabulary is 'learn'"):
        small(vocabulary="learn").fit(np.ones((3, V)))
    with pytest.raises(ValueError, match="vocabulary is 'english', and X is not texts"):
        small(vocabulary="english").fit(np.ones((3, V)))
    with pytest.raises((ValueError, TypeError), match="X has 5 at 1"):
        small(vocabulary=WORDS).fit(["sail", 5])
    with pytest.raises(ValueError, match="X has '.*', which is no valid text"):
        small(vocabulary=WORDS).fit(["sail", "\udcff"])


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda model: model.topics(2**40), ValueError, "n_words is 1099511627776"),
        (lambda model: model.topic_interval(0, [1.5]), TypeError, "words is 1.5"),
        (lambda model: model.topic_interval(0, 1.5), TypeError, "words is 1.5"),
        (lambda model: model.sample_topics(2**40), ValueError, "n is 1099511627776"),
        (lambda model: model.save("a\0b"), ValueError, "path is 'a"),
        (lambda model: model.save("a\udcff"), ValueError, "path is 'a"),
        (lambda model: model.save(5), TypeError, "path"),
        (lambda model: StreamingLDA.load("a\0b"), ValueError, "path is 'a"),
        (lambda model: sdabayes.report(model, words=2**40), ValueError, "words is 1099511627776"),
        (lambda model: sdabayes.report(model, np.ones((1, V)), ids=5), TypeError, "ids is 5"),
        (lambda model: sdabayes.report(model, np.ones((1, V)), ids=["\udcff"]), ValueError, "ids has '"),
    ],
)
def test_a_bad_argument_of_a_call_is_named(fitted, call, error, message):
    with pytest.raises(error, match=message):
        call(fitted)
