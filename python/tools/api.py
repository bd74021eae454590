"""Makes docs/python_api.md of the docstrings of the installed package.

    python python/tools/api.py            writes it
    python python/tools/api.py --print    prints it
"""

import inspect
import pathlib
import re
import sys

import sdabayes
from sdabayes._table_estimator import TableEstimator

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python_api.md"
HEAD = """# Python: all classes and functions

Made of the docstrings by `python python/tools/api.py`; `help(sdabayes.StreamingLDA)` prints the same. What they
are for is in [python.md](python.md).
"""


def signature(name, function, bound):
    """As it is called, a parameter a line where the line would be long."""
    parameters = list(inspect.signature(function).parameters.values())[1 if bound else 0 :]
    texts, keyword = [], False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword:
            keyword = True
            texts.append("*")
        texts.append(str(parameter))
    line = f"{name}({', '.join(texts)})"
    if len(line) > 100:
        line = f"{name}(\n    " + ",\n    ".join(texts) + ",\n)"
    return f"```python\n{line}\n```\n"


def markdown(docstring):
    """NumPy's form of docstrings: sections that are underlined, in which names stand at the margin."""
    lines, out, section = docstring.splitlines(), [], False
    for number, line in enumerate(lines):
        if re.fullmatch(r"-{3,}", line):
            continue
        if number + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[number + 1]):
            section = True
            out += [f"**{line}**", ""]
        elif not section or not line:
            out.append(line)
        elif line.startswith(" "):
            out.append("  " + line.strip())
        else:
            name, _, kind = line.partition(" : ")
            out.append(f"- `{name}`: {kind}  " if kind else f"- {line}  ")
    return "\n".join(out).strip() + "\n"


def methods(cls):
    """Of the package, in the order of the sources; those of scikit-learn are left out."""
    found = {}
    for base in reversed(cls.__mro__):
        if not base.__module__.startswith("sdabayes"):
            continue
        for name, value in vars(base).items():
            if not name.startswith("_") and (
                inspect.isfunction(value) or isinstance(value, (classmethod, property))
            ):
                found[name] = value
    shared = {} if cls is TableEstimator or not issubclass(cls, TableEstimator) else vars(TableEstimator)
    return {name: value for name, value in found.items() if value is not shared.get(name)}


def of_class(name, cls):
    yield f"## {name}\n"
    if cls is not TableEstimator and not issubclass(cls, tuple):
        yield signature(name, cls, False)
    yield markdown(inspect.getdoc(cls))
    for method, value in methods(cls).items():
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if isinstance(value, property) and method.endswith("_"):
            continue  # an attribute, which the docstring of the class has
        yield f"### {method if cls is TableEstimator else name + chr(46) + method}\n"
        if not isinstance(value, property):
            yield signature(method, function, True)
        text = inspect.getdoc(getattr(cls, method))
        if not text:
            raise SystemExit(f"{name}.{method} has no docstring")
        yield markdown(text)


def page():
    parts = [HEAD]
    for name in sorted(sdabayes.__all__, key=lambda name: (name != "StreamingLDA", name.lower())):
        value = getattr(sdabayes, name)
        if inspect.isclass(value):
            parts += of_class(name, value)
            if value is sdabayes.StreamingLDA:
                parts += of_class("All models on tables", TableEstimator)
        elif inspect.isfunction(value):
            parts += [f"## {name}\n", signature(name, value, False), markdown(inspect.getdoc(value))]
    return "\n".join(parts)


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        print(page(), end="")
    else:
        PAGE.write_text(page())
