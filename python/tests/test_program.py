"""The same session behind the command line and Python: the same bytes."""

import subprocess

import numpy as np
import pytest

from conftest import WORDS, write_ldac
from sdabayes import StreamingLDA


def run(program, *arguments):
    subprocess.run([program, *map(str, arguments)], check=True, capture_output=True)


@pytest.mark.parametrize("primitive", ["gibbs", "vb", "ep"])
def test_fit_saves_the_file_that_the_program_saves(X, program, tmp_path, primitive):
    write_ldac(X, tmp_path / "docs.ldac")
    (tmp_path / "words").write_text("\n".join(WORDS) + "\n")
    run(
        program, "fit", tmp_path / "docs.ldac", "--format", "ldac", "--vocab", tmp_path / "words",
        "--topics", 5, "--seed", 7, "--first-minibatch", 250, "--minibatch", 100,
        "--primitive", primitive, "-o", tmp_path / "program",
    )  # fmt: skip
    model = StreamingLDA(
        n_components=5, random_state=7, first_minibatch=250, batch_size=100, primitive=primitive,
        vocabulary=WORDS,
    )  # fmt: skip
    model.fit(X).save(tmp_path / "python")
    assert (tmp_path / "python").read_bytes() == (tmp_path / "program").read_bytes()


def test_fit_of_texts_saves_the_file_that_the_program_saves(texts, program, tmp_path):
    (tmp_path / "docs.txt").write_text("\n".join(texts) + "\n")
    run(program, "fit", tmp_path / "docs.txt", "--topics", 4, "-o", tmp_path / "program")
    model = StreamingLDA(n_components=4, vocabulary="learn").fit(texts)
    model.save(tmp_path / "python")
    assert (tmp_path / "python").read_bytes() == (tmp_path / "program").read_bytes()


def test_models_load_both_ways(X, texts, program, tmp_path):
    model = StreamingLDA(n_components=4, first_minibatch=200, vocabulary=WORDS).fit(X)
    model.save(tmp_path / "python")
    (tmp_path / "docs.txt").write_text("\n".join(texts) + "\n")
    run(
        program,
        "fit",
        "--from",
        tmp_path / "python",
        tmp_path / "docs.txt",
        "-o",
        tmp_path / "more",
    )
    more = StreamingLDA.load(tmp_path / "more")
    assert more.n_documents_ == 1200
    assert more.vocabulary_ == WORDS
    assert more.n_components == 4
    loaded = StreamingLDA.load(tmp_path / "python")
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "python").read_bytes()
    assert np.allclose(loaded.transform(X), model.transform(X), rtol=1e-12)
    assert loaded.partial_fit(texts[:50]).n_documents_ == 650


def test_the_parameters_of_a_model_come_back_from_its_file(X, program, tmp_path):
    write_ldac(X, tmp_path / "docs.ldac")
    run(
        program, "fit", tmp_path / "docs.ldac", "--format", "ldac", "--topics", 3, "--seed", 4,
        "--intervals", "sampled", "--minibatch", 100, "-o", tmp_path / "program",
    )  # fmt: skip
    given = dict(
        n_components=3, random_state=4, intervals="sampled", batch_size=100
    )
    for path in (tmp_path / "program", tmp_path / "python"):
        loaded = StreamingLDA.load(path)
        assert given.items() <= loaded.get_params().items()
        StreamingLDA(**given).fit(X).save(tmp_path / "python")


def test_what_is_no_model_is_refused(tmp_path):
    (tmp_path / "file").write_text("no model")
    with pytest.raises(ValueError, match="file"):
        StreamingLDA.load(tmp_path / "file")
    with pytest.raises(OSError, match="missing"):
        StreamingLDA.load(tmp_path / "missing")
