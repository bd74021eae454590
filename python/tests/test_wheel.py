"""What is in the installed wheel."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

import sdabayes

PACKAGE = pathlib.Path(sdabayes.__file__).parent


def test_the_package_is_the_installed_one():
    assert "site-packages" in PACKAGE.parts
    assert (PACKAGE / "py.typed").exists() and (PACKAGE / "__init__.pyi").exists()
    stubs = (PACKAGE / "_sdabayes.pyi").read_text()
    assert "class Model" in stubs and "def run(" in stubs


def test_nothing_names_a_folder_of_the_machine_that_built_it():
    root = str(pathlib.Path(__file__).resolve().parents[2]).encode()
    libraries = [*PACKAGE.glob("*.so"), *PACKAGE.parent.glob("sdabayes.libs/*.so*")]
    assert len(libraries) > 3  # it carries those that it needs
    for library in libraries:
        assert root not in library.read_bytes(), library


def test_importing_it_starts_no_thread_and_is_quiet():
    code = """if True:
        import os, sklearn.base
        threads = lambda: len(os.listdir("/proc/self/task"))
        before = threads()  # scikit-learn may import packages that have some
        import sdabayes
        print(threads() - before)
    """
    out = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert out.stdout.strip() == "0"
    assert out.stderr == ""


@pytest.mark.parametrize("name, needs", [("variational", "numpy"), ("jax_likelihood", "jax")])
def test_the_example_finds_what_it_simulated(name, needs):
    if importlib.util.find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed")
    example = pathlib.Path(__file__).parents[1] / "examples" / f"{name}.py"
    assert len(example.read_text().splitlines()) < 60
    out = subprocess.run([sys.executable, example], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    assert out.stdout.count("truth") == 3
