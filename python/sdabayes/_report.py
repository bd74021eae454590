"""The page of `sda report`."""

import datetime
import html
import json
import os
from collections.abc import Iterable

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _inputs, _names
from ._lda import StreamingLDA


class Report:
    """What sdabayes.report returns; a notebook shows it as a page.

    Attributes
    ----------
    data : dict
        What the page draws.
    """

    def __init__(self, text, page):
        self.data = json.loads(text)
        self._page = page

    @property
    def html(self):
        """The page: one HTML file that needs no network."""
        if not self._page:
            raise RuntimeError(
                "this sdabayes was built without the page of a report; its data are in .data. With "
                "Node.js and npm, pip install . --config-settings=cmake.define.SDA_PAGE=ON makes it"
            )
        return self._page

    def save(self, path):
        """Writes the page to a file."""
        page = self.html
        unfinished = f"{os.fspath(path)}.part"
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(page)
        os.replace(unfinished, path)

    def _repr_html_(self):
        # In a frame, since page and notebook have styles and scripts of their own.
        return (
            '<iframe title="report" style="width: 100%; height: 900px; border: 0" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )

    def __repr__(self):
        return f"<sdabayes.Report of {len(self.data['topics'])} topics>"


def report(model, docs=None, *, ids=None, times=None, texts=None, title=None, words=30, documents=5):
    """The page of `sda report`: topics with words, shares and intervals, a map of them, a search for
    words; with documents also those that each topic is most about, topics over time, and documents
    that fit no topic.

    Parameters
    ----------
    model : StreamingLDA, or the path of a file that save() or `sda fit` wrote
    docs : texts, matrix or corpus, as for StreamingLDA.transform
        They need not be those that the model was learnt from.
    ids, times, texts : sequences, one entry for each document
        What the page calls a document; when it was written (NumPy's or Python's dates, or ISO 8601;
        without a zone UTC; None or NaT: not known); its text, of which the beginning is shown. If docs
        are texts, these are shown.
    title : str
        The heading.
    words, documents : int
        Of each topic.

    Returns
    -------
    Report
    """
    if not isinstance(model, StreamingLDA):
        if not isinstance(model, (str, os.PathLike)):
            raise TypeError(f"model is {model!r}, must be a StreamingLDA or the path of a model file")
        title = os.path.basename(model) if title is None else title
        model = StreamingLDA.load(model)
    check_is_fitted(model)
    bags = None
    if docs is not None:
        textual, docs = _inputs.is_text(docs)
        if textual:
            docs = list(docs)
            texts = docs if texts is None else texts
    with _names.python_names():
        if docs is not None:
            bags = model._bags(docs, reset=False)
            bags.check()
        rows = bags.rows if bags is not None else 0
        labels = (_texts_of("ids", ids, rows), _times_of(times, rows), _texts_of("texts", texts, rows))
        numbers = _names.whole("words", words), _names.whole("documents", documents)
        title = "Topics" if title is None else str(title)
        return Report(*model._model.report(bags, *labels, title, *numbers))


def _one_each(name, values, rows):
    if not isinstance(values, (Iterable, type(None))):
        raise TypeError(f"{name} is {values!r}, must have an entry for each document")
    values = list(values) if values is not None else []
    if values and len(values) != rows:
        raise ValueError(f"{name} has {len(values)} entries, must have {rows}, one for each document")
    return values


def _texts_of(name, values, rows):
    texts = ["" if value is None else str(value) for value in _one_each(name, values, rows)]
    for text in texts:
        _inputs.expect_unicode(name, text)
    return texts


def _times_of(times, rows):
    """Milliseconds since 1970; the least number where a time is not known."""
    values = [_without_zone(time) for time in _one_each("times", times, rows)]
    try:
        return np.array(values, "datetime64[ms]").astype(np.int64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"times has an entry that is no time: {error}") from None


def _without_zone(time):
    if time is None or time != time:  # NaT
        return "NaT"
    if isinstance(time, str):
        try:
            time = datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))
        except ValueError:
            raise ValueError(f"times has {time!r}, must be a time such as 2026-01-31") from None
    if getattr(time, "tzinfo", None) is not None:
        time = time.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return time
