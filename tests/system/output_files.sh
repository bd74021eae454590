# Files and outputs as others may leave them: models that are cut while they are read, pipes and links
# where a file is to be written, an output that takes nothing.
source "$(dirname "$0")/common.sh" "$1"

awk 'BEGIN {srand(7); for (d = 0; d < 400; ++d) { t = int(rand() * 6);
  for (i = 0; i < 30; ++i) printf "word%03dx ", (t * 30 + int(-20 * log(1 - rand()))) % 300; print "" }}' >all.txt
awk 'BEGIN {srand(7); print "u,y"; for (i = 0; i < 200; ++i) {u = rand(); print u "," 2 * u + rand()}}' >all.csv
fit() { "$sda" fit all.txt --topics 3 "$@" >out 2>err; }
fit -o ready || fail "$(cat err)"
"$sda" fit all.csv --model linear --target y -o line >out 2>err || fail "$(cat err)"

# What cannot be printed is an error, whichever command prints it.
for command in "--help" "--version" "fit --help" "topics ready" "topics ready --json" "show line" "show line --json" \
  "infer ready all.txt" "eval ready all.txt" "predict line all.csv" "demo" \
  "fit all.txt --topics 3 -o again --json"; do
  status=0
  # shellcheck disable=SC2086
  "$sda" $command >/dev/full 2>err || status=$?
  [[ $status == 1 ]] || fail "$command >/dev/full: status $status"
  expect_match err '^sda: cannot write to standard output: No space left on device$'
  # shellcheck disable=SC2086
  "$sda" $command >out 2>err || fail "$command: $(cat err)"
  [[ -s out ]] || fail "$command printed nothing"
done
# A reader who has seen enough is no error that needs words; also where SIGPIPE is ignored.
for _ in 1 2 3; do
  { "$sda" infer ready all.txt all.txt all.txt 2>err || true; } | head -n 1 >out
  [[ -s out && ! -s err ]] || fail "| head: $(cat err)"
  (trap '' PIPE; "$sda" infer ready all.txt all.txt all.txt 2>err || true) | head -n 1 >out
  [[ -s out && ! -s err ]] || fail "| head without SIGPIPE: $(cat err)"
done
# A closed standard output or error takes no number that a file could get.
for close in '>&-' '2>&-' '<&-' '>&- 2>&- <&-'; do
  eval "\"\$sda\" fit all.txt --topics 3 -o closed --checkpoint closed_folder $close" >>out 2>err || true
  cmp closed ready || fail "$close: another model"
  rm -r closed closed_folder
done

# A model that is cut in place while it is read. Its pages are not in the cache: reading takes a while.
awk 'BEGIN {for (i = 0; i < 20000; i += 50) {printf "50"; for (j = i; j < i + 50; ++j) printf " %d:1", j; print ""}}' >wide
"$sda" fit wide --format ldac --topics 400 --sweeps 1 -o large >out 2>err || fail "$(cat err)"
cuts=0
for delay in 0.005 0.01 0.02 0.03 0.05 0.08; do
  cp large cut
  { sleep $delay; truncate -s 5000 cut; } &
  status=0
  "$sda" export cut --lambda l.npy >out 2>err || status=$?
  wait $!
  [[ $status == 0 || $status == 1 ]] || fail "cut after $delay s: status $status: $(cat err)"
  if [[ $status == 1 ]]; then
    expect_match err '^sda: cut: (was cut off while it was read|is truncated|is not a model)'
    [[ ! -e l.npy ]] || fail "half of a model was exported"
    cuts=$((cuts + 1))
  fi
  rm -f l.npy
done
((cuts > 0)) || echo "note: no model was cut in time"
"$sda" export large --lambda l.npy || fail "the model itself"

# What is under the name that a save of the process would have had, once: a link, a pipe, a file.
echo mine >victim
bash -c 'ln -s victim planted.tmp.$$; exec "$@"' _ "$sda" fit all.txt --topics 3 -o planted >out 2>err || fail "$(cat err)"
timeout 60 bash -c 'mkfifo planted.tmp.$$; exec "$@"' _ "$sda" fit all.txt --topics 3 -o planted >out 2>err || fail "$(cat err)"
[[ $(cat victim) == mine ]] || fail "another file was overwritten"
cmp planted ready || fail "another model"

# A private model stays private; a link stays a link; pipes and devices are refused at once.
chmod 600 planted
fit -o planted || fail "$(cat err)"
[[ $(stat -c %a planted) == 600 ]] || fail "the permissions are $(stat -c %a planted)"
ln -s planted link
fit -o link || fail "$(cat err)"
[[ -L link ]] || fail "the link was replaced"
mkfifo pipe
for output in pipe /dev/null; do
  status=0
  timeout 60 "$sda" fit all.txt --topics 3 -o $output >out 2>err || status=$?
  [[ $status == 1 ]] || fail "-o $output: status $status"
  expect_match err "^sda: $output: is not an ordinary file, and will not be overwritten$"
done
status=0
timeout 60 "$sda" topics pipe >out 2>err || status=$?
[[ $status == 1 ]] || fail "topics of a pipe: status $status"
expect_match err '^sda: pipe: is not a file$'

# A checkpoint folder in which someone has planted things.
mkdir folder
ln -s "$PWD/victim" folder/lock
status=0
fit -o planted --checkpoint folder || status=$?
[[ $status == 1 ]] || fail "a lock that is a link: status $status"
expect_match err '^sda: folder/lock: cannot write: '
rm folder/lock
mkfifo folder/checkpoint-000001
status=0
timeout 60 "$sda" fit all.txt --topics 3 -o planted --checkpoint folder --resume >out 2>err || status=$?
[[ $status == 1 ]] || fail "a checkpoint that is a pipe: status $status"
expect_match err 'folder/checkpoint-000001: is not a file'

# A comparison that was killed while it wrote its corpus can be done again in the same folder.
mkdir begun
touch begun/corpus.ldac.tmp.0123456789abcdef
"$sda" compare nothing.txt -o begun >out 2>err && fail "a comparison of nothing"
expect_match err '^sda: nothing.txt: cannot open'
mv begun/corpus.ldac.tmp.0123456789abcdef begun/mine
"$sda" compare nothing.txt -o begun >out 2>err && fail "a comparison of nothing"
expect_match err '^sda: begun: is neither empty nor an earlier comparison'
