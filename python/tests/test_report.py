"""sdabayes.report is the page of `sda report`."""

import datetime
import subprocess

import numpy as np
import pandas
import pytest

import sdabayes
from conftest import make_texts, matrix_of
from sdabayes import StreamingLDA

TEXTS = make_texts(400)
DATES = [f"2026-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(400)]


@pytest.fixture(scope="module")
def model():
    return StreamingLDA(n_components=4, vocabulary="learn", first_minibatch=200).fit(TEXTS)


def test_it_is_the_page_of_the_program_byte_for_byte(model, program, tmp_path):
    model.save(tmp_path / "model")
    (tmp_path / "docs.txt").write_text("\n".join(TEXTS) + "\n")
    for options, docs in (["docs.txt"], TEXTS), ([], None):
        command = [program, "report", "model", *options, "-o", "page.html", "--title", "One & <two>"]
        subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
        report = sdabayes.report(tmp_path / "model", docs, title="One & <two>")
        report.save(tmp_path / "ours.html")
        assert (tmp_path / "ours.html").read_bytes() == (tmp_path / "page.html").read_bytes()
    assert sdabayes.report(model, TEXTS, title="T").data == sdabayes.report(
        tmp_path / "model", TEXTS, title="T"
    ).data


def test_a_notebook_shows_it_in_a_frame(model):
    shown = sdabayes.report(model)._repr_html_()
    assert shown.startswith("<iframe") and "srcdoc=" in shown
    assert "<script" not in shown  # it is escaped


def test_a_package_without_the_page_says_how_to_have_it():
    report = sdabayes.Report('{"topics": []}', "")
    assert repr(report) == "<sdabayes.Report of 0 topics>"
    for use in (lambda: report.html, report._repr_html_, lambda: report.save("page.html")):
        with pytest.raises(RuntimeError, match="SDA_PAGE"):
            use()


def test_documents_have_ids_times_and_texts(model):
    ids = [f"d{i}" for i in range(400)]
    words = {word: i for i, word in enumerate(model.vocabulary_)}
    X = matrix_of(TEXTS)
    order = [words[word] for word in sorted(words, key=words.get)]
    assert order == list(range(len(words)))
    report = sdabayes.report(model, TEXTS, ids=ids, times=DATES, documents=2)
    found = report.data["input"]
    assert found["documents"] == X.shape[0]
    assert found["unit"] in ("day", "week", "month") and len(found["periods"]) > 10
    for topic in report.data["topics"]:
        assert len(topic["documents"]) <= 2
        for document in topic["documents"]:
            assert document["text"] == TEXTS[int(document["id"][1:])]


@pytest.mark.parametrize(
    "times",
    [
        np.array(DATES, "datetime64[D]"),
        pandas.Series(pandas.to_datetime(DATES)),
        pandas.to_datetime(DATES).tz_localize("UTC").tz_convert("Asia/Tokyo"),
        [datetime.datetime.fromisoformat(date) for date in DATES],
        [date + "T00:00:00Z" for date in DATES],
    ],
    ids=["numpy", "pandas", "zone", "python", "iso"],
)
def test_times_of_every_kind_are_the_same(model, times):
    expected = sdabayes.report(model, TEXTS, times=DATES).data
    assert sdabayes.report(model, TEXTS, times=times).data == expected


def test_unknown_times_are_counted(model):
    for missing in (None, np.datetime64("NaT"), pandas.NaT):
        times = [missing, *DATES[1:]]
        assert sdabayes.report(model, TEXTS, times=times).data["input"]["undated"] == 1


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"model": 5}, "model is 5"),
        ({"model": StreamingLDA()}, "not fitted"),
        ({"ids": ["a"]}, "ids has 1 entries, must have 400"),
        ({"times": ["then"] * 400}, "times has 'then'"),
        ({"words": 0}, "words is 0"),
        ({"documents": -1}, "documents is -1"),
        ({"docs": None, "ids": ["a"]}, "ids has 1 entries, must have 0"),
        ({"docs": np.full((1, 24), -1)}, "Negative values"),
    ],
)
def test_bad_arguments_are_named(model, arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        sdabayes.report(**{"model": model, "docs": TEXTS} | arguments)
