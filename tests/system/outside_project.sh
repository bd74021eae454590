# Installs the library into a folder, then builds and runs a project that only knows that folder.
set -euo pipefail
build=$1 project=$2 sanitize=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
flags=${sanitize:+-fsanitize=$sanitize}
cmake --install "$build" --prefix "$folder/prefix" >/dev/null
test -x "$folder/prefix/bin/sda"
cmake -S "$project" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/prefix" \
  -DCMAKE_CXX_FLAGS="$flags" >/dev/null
cmake --build "$folder/build" >/dev/null
"$folder/build/outside"
