"""The pages about the package."""

import pathlib
import re
import subprocess
import sys

import gensim
import pytest
from gensim.models import LdaModel
from sklearn.decomposition import LatentDirichletAllocation

import sdabayes
from conftest import WORDS, matrix_of
from sdabayes import StreamingLDA

ROOT = pathlib.Path(__file__).parents[2]


def test_the_api_page_is_that_of_the_docstrings():
    script = ROOT / "python" / "tools" / "api.py"
    out = subprocess.run([sys.executable, script, "--print"], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    assert out.stdout == (ROOT / "docs" / "python_api.md").read_text(), f"run python {script}"


def calls_of(section, column):
    """What is code in a column of the table in this section of the page that sets calls side by side."""
    page = (ROOT / "docs" / "python_coming_from.md").read_text()
    rows = re.findall(r"^\| .*$", page.split(f"## {section}\n")[1].split("\n## ")[0], re.MULTILINE)
    return [code for row in rows[1:] for code in re.findall("`([^`]+)`", row.split("|")[column])]


@pytest.mark.parametrize("section, columns", [("scikit-learn", (1, 2)), ("gensim", (1, 2)), ("BERTopic", (2,))])
@pytest.mark.filterwarnings("ignore")
def test_the_calls_that_are_side_by_side_exist(section, columns, X, texts, tmp_path):
    d = gensim.corpora.Dictionary(text.split() for text in texts)
    corpus = [d.doc2bow(text.split()) for text in texts]
    names = {
        "LatentDirichletAllocation": LatentDirichletAllocation, "LdaModel": LdaModel,
        "StreamingLDA": StreamingLDA, "report": sdabayes.report, "X": X, "texts": texts, "d": d,
        "corpus": corpus, "bow": corpus[0], "f": str(tmp_path / "model"), "dates": ["2026-01-01"] * len(texts),
        "lda": LatentDirichletAllocation(3).fit(X) if section == "scikit-learn" else LdaModel(corpus, id2word=d, num_topics=5),
        "model": StreamingLDA(5, vocabulary=d if section == "gensim" else WORDS),
    }  # fmt: skip
    names["model"].fit(matrix_of(texts) if section == "scikit-learn" else texts)
    for column in columns:
        calls = calls_of(section, column)
        assert len(calls) >= 5
        for call in calls:
            eval(call, names)
