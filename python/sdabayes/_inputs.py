"""What a model is given, as bags of words in which the library reads."""

import itertools
from collections.abc import Iterable, Mapping

import numpy as np
import scipy.sparse
from sklearn.utils.validation import validate_data

from ._sdabayes import Bags


def words_of(vocabulary):
    """The words in the order of their ids, from a sequence, or from a mapping of words to ids (as
    CountVectorizer has) or of ids to words (as gensim has)."""
    if isinstance(vocabulary, Mapping) or hasattr(vocabulary, "token2id"):
        mapping = getattr(vocabulary, "token2id", vocabulary)
        if all(isinstance(key, str) for key in mapping):
            mapping = {number: word for word, number in mapping.items()}
        if sorted(mapping) != list(range(len(mapping))):
            raise ValueError("vocabulary has ids that are not 0, 1, 2, ... without a gap")
        vocabulary = [mapping[i] for i in range(len(mapping))]
    if not isinstance(vocabulary, Iterable):
        raise TypeError(f"vocabulary is {vocabulary!r}, must be words")
    words = list(vocabulary)
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"vocabulary has {word!r}, must be words")
        expect_unicode("vocabulary", word)
    if not words:
        raise ValueError("vocabulary has no words, expected some")
    return words


def expect_unicode(name, text):
    """Python's texts may have halves of characters, for bytes that could not be decoded."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} has {text[:50]!r}, which is no valid text: {error}") from None


def texts_of(X):
    """A list of them."""
    texts = list(X)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"X has {text!r} at {number}, must be texts")
        expect_unicode("X", text)
    return texts


def is_matrix(X):
    return scipy.sparse.issparse(X) or hasattr(X, "__array__") or hasattr(X, "__dataframe__")


def first_of(X, passed_over=lambda element: False):
    """The first element of an iterable that is not passed over, or the last one; and an iterable of all
    of them. None if there is none."""
    if isinstance(X, (list, tuple)):
        return next((element for element in X if not passed_over(element)), X[-1] if X else None), X
    read = []
    try:
        iterator = iter(X)
        for element in iterator:
            read.append(element)
            if not passed_over(element):
                break
    except ValueError as error:  # a file that is closed
        raise ValueError(f"X cannot be read: {error}") from error
    if not read:
        raise ValueError("X has no documents: it is empty, or an iterator that has ended")
    return read[-1], (X if iter(X) is not iterator else itertools.chain(read, iterator))


def is_text(X):
    """Whether X is texts; and X, of which nothing is lost."""
    if isinstance(X, (str, bytes)):
        raise TypeError("X is one text, must be a list of texts, or a matrix")
    if isinstance(X, Mapping) and not is_matrix(X):
        raise TypeError("X is a mapping, must be a list of texts, or a matrix")
    if hasattr(X, "__array__") and not scipy.sparse.issparse(X):
        array = np.asarray(X)
        textual = array.ndim == 1 and array.dtype.kind in "OUT" and _has_text(array)
        return textual, (array.tolist() if textual else X)
    if is_matrix(X) or not isinstance(X, Iterable):
        return False, X
    first, X = first_of(X)
    return isinstance(first, str) or (isinstance(X, (list, tuple)) and _has_text(X)), X


def _has_text(values):
    """Whether the first one that is not missing is a text."""
    known = (value for value in values if value is not None and not isinstance(value, float))
    return isinstance(next(known, None), str)


def _is_pair(entry):
    return isinstance(entry, (tuple, list, np.ndarray)) and len(entry) == 2


def _is_empty(document):
    return isinstance(document, (list, tuple)) and len(document) == 0


def is_gensim(X):
    """Whether X is a corpus of gensim: documents of (id, count) pairs, or none but empty ones; and X, of
    which nothing is lost."""
    if is_matrix(X) or not isinstance(X, Iterable):
        return False, X
    if hasattr(X, "num_terms"):
        return True, X
    first, X = first_of(X, _is_empty)
    return _is_empty(first) or (isinstance(first, (list, tuple)) and _is_pair(first[0])), X


def matrix_of_corpus(corpus, columns):
    """A corpus of gensim as a sparse matrix. columns: None if not known, then found."""
    columns = columns if columns is not None else getattr(corpus, "num_terms", None)
    words, counts, offsets = [], [], [0]
    for number, document in enumerate(corpus):
        if not isinstance(document, Iterable):
            raise TypeError(f"X has {document!r} as document {number}, must be pairs (id, count)")
        document = document if hasattr(document, "__len__") else list(document)
        for pair in document:
            if not _is_pair(pair):
                raise TypeError(f"X has {pair!r} in document {number}, must be pairs (id, count)")
        if len(document) > 0:
            ids, values = zip(*document)
            words.append(np.asarray(ids))
            counts.append(np.asarray(values))
        offsets.append(offsets[-1] + len(document))
    words = np.concatenate(words) if words else np.zeros(0, np.int64)
    counts = np.concatenate(counts) if counts else np.zeros(0, np.int64)
    if words.dtype.kind not in "iu" or counts.dtype.kind not in "iufb":
        raise TypeError("X has pairs that are not (id, count): whole numbers, and numbers")
    most = int(words.max(initial=-1))
    if words.size and words.min() < 0:
        raise ValueError(f"X has the word id {words.min()}, must be at least 0")
    if columns is None:
        columns = most + 1
    if most >= columns:
        raise ValueError(f"X has the word id {most}, must be below the {columns} words")
    return scipy.sparse.csr_matrix(
        (counts, words.astype(np.int64, copy=False), np.asarray(offsets, np.int64)),
        shape=(len(offsets) - 1, columns),
    )


def _native(array):
    """The same numbers as the library reads them; the array itself where it can be."""
    if array.dtype.kind not in "buif":
        raise TypeError(f"X has numbers of the kind {array.dtype}, must be integers or floats")
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float32 if array.dtype.itemsize == 2 else np.float64)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array


def bags_of_matrix(estimator, X, reset):
    """A matrix, checked as scikit-learn checks it. It is not copied if it is sparse by rows, or an
    array of integers or floats."""
    X = validate_data(
        estimator, X, reset=reset, accept_sparse="csr", accept_large_sparse=True, dtype="numeric"
    )
    if not scipy.sparse.issparse(X):
        return Bags.from_dense(_native(X))
    indices, indptr = X.indices, X.indptr
    if indices.dtype != indptr.dtype or indices.dtype not in (np.int32, np.int64):
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    return Bags.from_csr(
        np.ascontiguousarray(_native(X.data)),
        np.ascontiguousarray(indices),
        np.ascontiguousarray(indptr),
        *X.shape,
    )
