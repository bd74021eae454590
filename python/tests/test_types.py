"""The types of the package are those of its functions."""

import ast
import inspect
import pathlib
import subprocess
import sys

import pytest

import sdabayes

STUBS = ast.parse((pathlib.Path(sdabayes.__file__).parent / "__init__.pyi").read_text())


def parameters_of(function):
    """Of a function in the stubs: (name, whether it is by keyword alone, default) of each."""
    a = function.args
    given = [None] * (len(a.args) - len(a.defaults)) + a.defaults
    all_of = [(p, False, d) for p, d in zip(a.args, given)]
    all_of += [(p, True, d) for p, d in zip(a.kwonlyargs, a.kw_defaults)]
    return [
        (p.arg, keyword, inspect.Parameter.empty if d is None else ast.literal_eval(d))
        for p, keyword, d in all_of
        if p.arg not in ("self", "cls")
    ]


def expected_of(function):
    return [
        (p.name, p.kind is p.KEYWORD_ONLY, p.default)
        for p in inspect.signature(function).parameters.values()
        if p.name != "self" and p.kind is not p.VAR_KEYWORD
    ]


CLASSES = {node.name: node for node in STUBS.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUBS.body if isinstance(node, ast.FunctionDef)}


def members_of(name):
    """Of a class in the stubs and those that it is made of."""
    found = {}
    for base in CLASSES[name].bases:
        if getattr(base, "id", None) in CLASSES:
            found |= members_of(base.id)
    return found | {node.name: node for node in CLASSES[name].body if hasattr(node, "name")}


def is_own(cls, name):
    """Whether it is a method or property of the package; scikit-learn adds set_..._request."""
    own = isinstance(vars(cls)[name], property) or callable(getattr(cls, name))
    return own and not name.endswith("_request")


def test_all_names_have_types():
    assert set(sdabayes.__all__) <= set(CLASSES) | set(FUNCTIONS) | {"__version__"}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_have_their_parameters(name):
    assert parameters_of(FUNCTIONS[name]) == expected_of(getattr(sdabayes, name))


@pytest.mark.parametrize("name", sorted(name for name in CLASSES if not name.startswith("_")))
def test_classes_have_their_methods(name):
    cls = getattr(sdabayes, name)
    typed = members_of(name)
    if issubclass(cls, tuple):
        assert [node.target.id for node in CLASSES[name].body] == list(cls._fields)
        return
    public = {
        method
        for base in cls.__mro__
        if base.__module__.startswith("sdabayes")
        for method in vars(base)
        if not method.startswith("_") and is_own(base, method)
    }
    assert {method for method in typed if method != "__init__"} == public
    for method, node in typed.items():
        if node.decorator_list and node.decorator_list[0].id == "property":
            assert isinstance(inspect.getattr_static(cls, method), property)
        else:
            assert parameters_of(node) == expected_of(getattr(cls, method)), method


PROGRAM = """
import numpy as np
import sdabayes

model = sdabayes.StreamingLDA(n_components=3).fit(np.ones((5, 4))).partial_fit([[1, 2]])
low: float = model.topic_interval(0, "a")[0, 0]
result = sdabayes.run(lambda data, prior: prior, [1.0], [[1]], schedule="async", workers=2)
print(result.posterior.sum(), sdabayes.Logistic.load("file").predict_proba([[1]]).shape)
sdabayes.StreamingLDA(algorithm="magic")
"""


def test_a_type_checker_finds_what_is_wrong(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    out = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "program.py"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert out.stdout.count("error:") == 1, out.stdout
    assert 'Argument "algorithm"' in out.stdout
