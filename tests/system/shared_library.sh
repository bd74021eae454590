# libsda.so exports what the public headers declare, and nothing else. (Programs that are linked with it and
# run: example_*_shared.)
#
#   shared_library.sh LIBSDA PUBLIC_HEADERS
set -euo pipefail
library=$(realpath "$1") headers=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

nm --dynamic --demangle --defined-only --format=posix "$library" | sed -E 's/ [A-Za-z] [0-9a-f]+ [0-9a-f]+ *$//' |
  sort -u >exported
for name in 'sda::Coin::' 'sda::CorpusSource::Next' 'typeinfo for sda::InputError'; do
  grep -qF "$name" exported || { echo "FAILED: $library does not export $name" >&2; exit 1; }
done
# What is exported is sda::NAME, where NAME stands in a public header; after the type that a template
# returns, or "vtable for" and the like.
cat "$headers"/*.h "$headers"/*/*.h | grep -oE '[A-Za-z_][A-Za-z_0-9]*' | sort -u >declared
awk '
  NR == FNR {declared[$0]; next}
  !match($0, /^([^(<]* )?sda::[A-Za-z_0-9]+/) {print; next}
  {name = substr($0, RSTART, RLENGTH); sub(/.*sda::/, "", name)}
  !(name in declared) {print}' declared exported >wrong
if [[ -s wrong ]]; then
  echo "FAILED: $library exports what no public header declares: $(wc -l <wrong) of $(wc -l <exported)," >&2
  head -n 20 wrong >&2
  exit 1
fi
