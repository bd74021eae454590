"""The notebook, its cells run one after the other, and what it says about what they find."""

import json
import pathlib

import numpy as np
import pytest


def test_the_tutorial_runs_and_finds_the_simulated_topics():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    path = pathlib.Path(__file__).parents[1] / "examples" / "tutorial.ipynb"
    names = {}
    for number, cell in enumerate(json.loads(path.read_text())["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    assert sorted(names["theme_of"]) == sorted(names["names"])
    assert names["widths"][-1] < names["widths"][0] / 2
    order = [names["names"].index(name) for name in names["theme_of"]]
    assert np.abs(names["over_time"] - names["truth"][:, order]).mean() < 0.05
    assert names["held_out"][-1] > names["held_out"][0] - 0.1
    assert names["again"].n_documents_ == 7_200
