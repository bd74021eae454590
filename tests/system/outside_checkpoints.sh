# Sourced by outside_project.sh: the outside program `stream` is killed at many moments and goes on.
fail() { echo "FAIL: $*"; exit 1; }
# expect STATUS TEXT COMMAND...: fails with that status, and says that.
expect() {
  local wanted=$1 text=$2 status=0
  shift 2
  "$@" >out 2>err || status=$?
  [[ $status == "$wanted" ]] || fail "$*: status $status, expected $wanted: $(cat err)"
  grep -qF -- "$text" err || fail "$*: expected \"$text\", but: $(cat err)"
}

awk 'BEGIN {srand(5); for (i = 0; i < 20017; ++i) print int(1000 * rand())}' >numbers.txt
kills=0
for options in "--schedule serial --minibatch 100" "--minibatch 50 --half-life 3000" \
  "--schedule sync --workers 3 --minibatch 300" "--schedule async --workers 3 --minibatch 240"; do
  rm -rf folder
  # shellcheck disable=SC2086
  build/stream numbers.txt $options >whole 2>err || fail "$options: $(cat err)"
  # Kills behind a fold that comes later and later, so that there is an end, and at any moment.
  for ((n = 1; ; ++n)); do
    status=0
    within=$((n % 2 == 0 ? 3600 : 0))
    # shellcheck disable=SC2086
    RAISE=9:$((2 * n * n)) timeout -s KILL "$within.0$((RANDOM % 90 + 10))" build/stream numbers.txt $options \
      --checkpoint folder --checkpoint-every $((n % 3 + 1)) --resume --report report.json >killed 2>err &
    wait $! 2>/dev/null || status=$?
    [[ $status == 137 || $status == 0 ]] || fail "$options: status $status: $(cat err)"
    if [[ $status == 0 ]]; then break; fi
    kills=$((kills + 1))
  done
  ((n > 3)) || fail "$options: was killed only $n times"
  learnt=$([[ $options == *half-life* ]] && echo '.*' || echo 20017)  # what is forgotten does not count
  head -n 1 killed >said
  grep -qx "$learnt numbers learnt, 20017 in the summary" said || fail "$options: $(cat said)"
  grep -q '"numbers": 20017,' report.json || fail "$options: $(cat report.json)"
  [[ $options == *async* ]] || cmp whole killed || fail "$options: another posterior after kills"
  [[ $(find folder -name 'checkpoint-*' | wc -l) == 2 ]] || fail "$(ls folder), expected two checkpoints"
done
echo "$kills kills: every posterior as it should be"

# Ctrl-C and SIGTERM save and end well. Without options the run goes on with those it began with.
options="--schedule sync --workers 2 --minibatch 100"
# shellcheck disable=SC2086
build/stream numbers.txt $options >whole
rm -rf folder
# shellcheck disable=SC2086
RAISE=2:20 build/stream numbers.txt $options --checkpoint folder >out 2>err || fail "Ctrl-C: $(cat err)"
# The signal is heard soon, not at once: a round or some later.
first=$(head -n 1 out | grep -oE '^[0-9]+')
((first >= 1000 && first < 20000)) || fail "Ctrl-C: $(head -n 1 out)"
grep -qF 'stopped early; to resume: --checkpoint folder --resume' err || fail "Ctrl-C: $(cat err)"
RAISE=15:20 build/stream --checkpoint folder --resume >out 2>err || fail "SIGTERM: $(cat err)"
grouped=$(printf "%'d" "$first" | tr -d ',' | sed -E ':a; s/([0-9])([0-9]{3})(,|$)/\1,\2\3/; ta')
grep -qE "^resuming from folder/checkpoint-[0-9]+, after $grouped numbers\$" err || fail "SIGTERM: $(cat err)"
second=$(head -n 1 out | grep -oE '^[0-9]+')
((second >= first + 1000 && second < 20000)) || fail "SIGTERM: $(head -n 1 out)"
cp -r folder stopped

# What a run that goes on insists on.
# shellcheck disable=SC2086
{
  expect 2 '--workers was 2, now 3; a run resumes only with the options it began with' \
    build/stream numbers.txt ${options/workers 2/workers 3} --checkpoint folder --resume
  expect 2 '--half-life was not given, now 9' \
    build/stream numbers.txt $options --half-life 9 --checkpoint folder --resume
  cp numbers.txt other.txt
  expect 2 'INPUT was numbers.txt, now other.txt' build/stream other.txt $options --checkpoint folder --resume
  expect 2 'holds checkpoints of an earlier run; resume from them with --resume' \
    build/stream numbers.txt $options --checkpoint folder
  expect 2 '--resume needs --checkpoint DIR' build/stream numbers.txt --resume
  expect 2 '--checkpoint-every needs --checkpoint DIR' build/stream numbers.txt --checkpoint-every 3
  expect 2 '--checkpoint-every is often, must be seconds, such as 30s' \
    build/stream numbers.txt --checkpoint new --checkpoint-every often
  for every in infs nans 1e400s -1s 0; do
    expect 2 "--checkpoint-every is $every, must be" \
      build/stream numbers.txt --checkpoint new --checkpoint-every $every
  done
  expect 2 '/dev/null: cannot be read again' build/stream /dev/null --checkpoint new
  sed '1s/^/1/' numbers.txt >changed.txt
  mv numbers.txt original.txt
  mv changed.txt numbers.txt
  expect 1 'numbers.txt: has changed since the checkpoint' build/stream $options numbers.txt --checkpoint folder --resume
  head -n 19000 original.txt >numbers.txt
  expect 1 'numbers.txt: has shrunk from' build/stream --checkpoint folder --resume
  mv original.txt numbers.txt
}
diff -r folder stopped || fail "a refused run changed the folder"
build/stream --checkpoint folder --resume --threads 1 >out 2>err || fail "$(cat err)"
cmp out whole || fail "another posterior after stops"

# The file may grow; a damaged checkpoint is named, and the one before it used.
head -n 500 numbers.txt >>numbers.txt
last=$(find folder -name 'checkpoint-*' | sort | tail -n 1)
truncate -s -1 "$last"
build/stream --checkpoint folder --resume >out 2>err || fail "$(cat err)"
grep -qF "$last: is damaged: its checksum does not match its content; the checkpoint before it is used" err ||
  fail "damaged: $(cat err)"
grep -qx '20517 numbers learnt, 20517 in the summary' out || fail "$(head -n 1 out)"
