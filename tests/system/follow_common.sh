# For the scripts about --follow: texts, and ways to wait for what a run does.
awk 'BEGIN {srand(7); for (d = 0; d < 600; ++d) { t = int(rand() * 6);
  for (i = 0; i < 30; ++i) printf "word%03dx ", (t * 30 + int(-20 * log(1 - rand()))) % 200; print "" }}' >all.txt

run=
trap 'kill -KILL $run 2>/dev/null || true; rm -rf "$folder"' EXIT  # in whatever way it ends

saved_documents() { head -c 100000 model 2>/dev/null | found -a "\"documents\":\"$1\""; }
saved_rows() { head -c 100000 model 2>/dev/null | found -aE "rows[^0-9]*:$1[^0-9]"; }
hang_up_saves() { kill -HUP "$run" && saved_documents "$1"; }
# A process that is sda (and no longer the shell that starts it), and does not end at once by SIGTERM.
handles_term() { [[ /proc/$1/exe -ef $sda ]] && ((0x$(awk '/^SigCgt/ {print $2}' "/proc/$1/status") & 0x4000)); }

# start OPTIONS...: in the background, with what is in $options.
start() {
  # shellcheck disable=SC2086
  "$sda" fit "$@" $options -o model >out 2>err &
  run=$!
}
lines() { sed -n "$1,$2p" all.txt; }
end_with() {
  kill "-$1" $run
  wait $run 2>/dev/null || [[ $1 == KILL ]] || fail "status $? after $1: $(cat err)"
}
# expect_refusal MESSAGE: of a run that goes on.
expect_refusal() {
  local status=0
  start log --checkpoint folder --resume
  wait $run || status=$?
  [[ $status == 1 ]] || fail "status $status: $(cat err)"
  expect_match err "$1"
}

# Of `model`: the sum of lambda - eta is the number of tokens.
expect_mass() {
  local tokens eta
  tokens=$(head -c 100000 model | grep -aoE '"tokens":"[0-9]+' | grep -oE '[0-9]+$')
  eta=$(head -c 100000 model | grep -aoE 'eta\\":[0-9.e-]+' | head -n 1 | cut -d: -f2)
  "$sda" export model --lambda lambda.npy
  od -An -v -tf8 -j "$((10 + $(od -An -tu2 -j 8 -N 2 lambda.npy)))" lambda.npy |
    awk -v eta="$eta" -v tokens="$tokens" '{for (i = 1; i <= NF; ++i) sum += $i - eta}
      END {d = sum - tokens; print sum; exit !(tokens > 0 && d < 0.01 && d > -0.01)}' >mass ||
    fail "the mass is $(cat mass), expected $tokens"
}
