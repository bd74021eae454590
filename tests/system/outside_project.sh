# Installs the library into a folder, then builds and runs a project that only knows that folder.
set -euo pipefail
build=$1 project=$2 sanitize=$3
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
flags=${sanitize:+-fsanitize=$sanitize}
cmake --install "$build" --prefix "$folder/prefix" >/dev/null
test -x "$folder/prefix/bin/sda"
cmake -S "$project" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/prefix" \
  -DCMAKE_CXX_FLAGS="$flags" >/dev/null
cmake --build "$folder/build" >/dev/null
cd "$folder"
build/outside
for options in "--schedule async --workers 2" "--schedule=sync --workers=3 --threads 1" \
  "--schedule async --worker-prior fixed --workers 4 --minibatch 10"; do
  # shellcheck disable=SC2086
  build/outside $options --report report.json
  grep -q '"numbers": 4' report.json
  grep -q '"peak_rss_bytes": [0-9]' report.json
  rm report.json
done
for options in "--schedule sometimes" "--workers 3" "--workers many" "--no-such-option 1" "--report"; do
  status=0
  # shellcheck disable=SC2086
  build/outside $options 2>err || status=$?
  [[ $status == 2 ]] || { echo "outside $options: $(cat err)"; exit 1; }
done

# shellcheck source=tests/system/outside_checkpoints.sh
source "$here/outside_checkpoints.sh"
