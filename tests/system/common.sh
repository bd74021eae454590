# Shared by the scripts beside it: a folder of its own, and ways to check what a program did.
set -euo pipefail
sda=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# expect_failure STATUS 'PART OF THE MESSAGE' COMMAND...: that status, one line besides the progress
# on standard error that holds the message, and no file beside the inputs.
expect_failure() {
  local status=$1 message=$2 actual=0
  shift 2
  "$@" >out 2>err || actual=$?
  [[ $actual == "$status" ]] || fail "$* exited with $actual, expected $status: $(cat err)"
  # On a slow machine lines of progress come first.
  grep -vE "^([0-9,]+ (documents|rows)  [0-9,]+/s  |topics are forming: )" err >said || true
  [[ $(wc -l <said) == 1 ]] || fail "$* wrote more than one line: $(cat err)"
  grep -qF -- "$message" err || fail "$* said: $(cat err); expected: $message"
  [[ ! -s out ]] || fail "$* wrote to standard output: $(cat out)"
  local left
  left=$(find . -name 'model*' | head -n 1)
  [[ -z $left ]] || fail "$* left $left behind"
}

# wait_for COMMAND...: until it succeeds, ten minutes at most: a machine may have much else to do.
wait_for() {
  local tries
  for ((tries = 0; tries < 6000; ++tries)); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  fail "in vain: $*; err: $(cat err)"
}
# has_checkpoint FOLDER: a whole one. While one is written, its name has more after the number.
has_checkpoint() { ls "$1" | found -xE 'checkpoint-[0-9]+'; }

# found [OPTIONS] PATTERN: grep -q for the end of a pipe. It reads everything, since a program that writes into a
# pipe that was closed early fails. With /dev/null as its output grep itself would end at the first match.
found() { grep "$@" | cat >/dev/null; }

# expect_match FILE 'EXTENDED REGULAR EXPRESSION'
expect_match() {
  grep -qE -- "$2" "$1" || fail "$1 has no line like: $2; it holds: $(cat "$1")"
}

# number MODEL NAME: a number of the metadata.
number() { head -c 3000000 "$1" | grep -aoE "\"$2\\\\?\":\\\\?\"?[0-9]+" | head -n 1 | grep -oE '[0-9]+$'; }

# mass MODEL: the sum of lambda - eta.
mass() {
  "$sda" export "$1" --lambda lambda.npy
  od -An -v -tf8 -j "$((10 + $(od -An -tu2 -j 8 -N 2 lambda.npy)))" lambda.npy |
    awk -v eta="$(head -c 3000000 "$1" | grep -aoE 'eta\\":[0-9.e-]+' | head -n 1 | cut -d: -f2)" \
      '{for (i = 1; i <= NF; ++i) sum += $i - eta} END {printf "%.4f", sum}'
}
