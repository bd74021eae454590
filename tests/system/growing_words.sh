# sda fit --grow-vocab: words that come and go, from the command line; killed, followed, continued, and in bounded memory.
source "$(dirname "$0")/common.sh" "$1"

# The second half of the stream has another half of the words: 60 of 20 letters, then 120.
awk 'BEGIN {srand(5); for (d = 0; d < 2000; ++d) { t = int(rand() * 3) + (d < 1000 ? 0 : 3 * int(2 * rand()));
  for (i = 0; i < 25; ++i) { w = t * 20 + int(20 * rand()); printf "w%c%cx ", 97 + w / 12, 97 + w % 12 }
  print "" }}' >all.txt
options="--minibatch 100 --first-minibatch 300 --vocab-from 300 --grow-vocab --format text"
account() { grep -oE "\"$1\": [0-9]+" report.json | grep -oE '[0-9]+$'; }

# shellcheck disable=SC2086
"$sda" fit all.txt --topics 6 $options -o whole --report report.json >out 2>err || fail "$(cat err)"
expect_match out '^120 words entered, 0 left; of the tokens [0-9,]+ were of words before they entered'
[[ $(account vocabulary) == 120 ]] || fail "$(account vocabulary) words"
all=$(number whole tokens)
[[ $all == 50000 ]] || fail "$all tokens"
[[ $(($(account learnt_tokens) + $(account waiting_tokens) + $(account left_tokens))) == "$all" ]] ||
  fail "accounts do not add up: $(cat report.json)"
[[ $(mass whole) == "$(account learnt_tokens).0000" ]] || fail "mass $(mass whole)"

# The model is like any other.
"$sda" topics whole >topics.txt || fail "topics"
expect_match topics.txt 'w[ghij].x'
"$sda" infer whole all.txt --format text >inferred.jsonl || fail "infer"
[[ $(wc -l <inferred.jsonl) == 2000 ]] || fail "$(wc -l <inferred.jsonl) lines"
if found '"topics":\[\]' inferred.jsonl; then fail "documents without topics"; fi
seq 1990 2000 >ids
"$sda" eval whole all.txt --format text --holdout ids >eval.txt || fail "eval"

# Killed wherever it is, and resumed, it ends with the same model; by several workers, with all tokens.
for ((round = 1; ; ++round)); do
  # shellcheck disable=SC2086
  timeout -s KILL "$(awk -v r=$round 'BEGIN {print 0.05 * 1.2 ^ r}')" \
    "$sda" fit all.txt --topics 6 $options -o model --checkpoint state --checkpoint-every 1 --resume >out 2>err && break
  ((round < 100)) || fail "never ends: $(cat err)"
done
cmp whole model || fail "another model after it was killed $((round - 1)) times"
rm model
for schedule in sync async; do
  # shellcheck disable=SC2086
  "$sda" fit all.txt --topics 6 $options --schedule $schedule --workers 3 -o model --report report.json >out 2>err || fail "$(cat err)"
  [[ $(mass model) == "$(account learnt_tokens).0000" ]] || fail "$schedule: mass $(mass model)"
  [[ $(($(account learnt_tokens) + $(account waiting_tokens) + $(account left_tokens))) == "$all" ]] ||
    fail "$schedule: accounts do not add up: $(cat report.json)"
done

# The number of topics is chosen by the words there are to begin with.
# shellcheck disable=SC2086
"$sda" fit all.txt $options --topics auto --try-topics 2,3 -o model >out 2>err || fail "$(cat err)"
expect_match out ' 120 words, '
expect_match err '^3 topics are taken'
rm model

# A model goes on, and so does a stream that is followed.
head -n 700 all.txt >a.txt
tail -n +701 all.txt >b.txt
# shellcheck disable=SC2086
"$sda" fit a.txt --topics 6 $options -o model >out 2>err || fail "$(cat err)"
expect_match out ' 60 words,'
"$sda" fit --from model b.txt --format text --minibatch 100 -o second >out 2>err || fail "$(cat err)"
expect_match out ' 120 words,'
rm model
# shellcheck disable=SC2086
head -n 1500 all.txt | "$sda" fit - --topics 6 $options --follow --minibatch-seconds 0.5 -o model >out 2>err || fail "$(cat err)"
expect_match out ' 120 words,'
rm model

# Killed while it follows a file, and resumed.
run=
trap 'kill -KILL $run 2>/dev/null || true; rm -rf "$folder"' EXIT
follow() {
  # shellcheck disable=SC2086
  "$sda" fit growing --topics 6 $options --follow --minibatch-seconds 0.2 -o model --checkpoint followed \
    --checkpoint-every 0.2s --resume --report report.json >out 2>err &
  run=$!
}
saved_documents() { [[ -f model && $(number model documents) == "$1" ]]; }
head -n 700 all.txt >growing
follow
wait_for saved_documents 700
kill -KILL $run
wait $run 2>/dev/null || true
tail -n +701 all.txt >>growing
follow
wait_for saved_documents 2000
kill -TERM $run
wait $run || fail "$(cat err)"
expect_match out ' 120 words,'
[[ $(mass model) == "$(account learnt_tokens).0000" ]] || fail "followed: mass $(mass model)"
[[ $(($(account learnt_tokens) + $(account waiting_tokens) + $(account left_tokens))) == "$all" ]] ||
  fail "followed: accounts do not add up: $(cat report.json)"
rm model

# Memory is that of the words there may be, not of those there are: three words of ten are never seen again.
awk 'BEGIN {srand(9); for (d = 0; d < 30000; ++d) {
  for (i = 0; i < 30; ++i) printf "w%dx ", rand() < 0.3 ? 1e6 + 9e6 * rand() : int(exp(rand() * log(20000)))
  print "" }}' | sed 'y/0123456789/abcdefghij/' >zipf.txt
"$sda" fit zipf.txt --format text --topics 5 --sweeps 1 --first-minibatch 2000 --vocab-from 2000 --minibatch 1000 \
  --grow-vocab --max-vocab 2000 -o model --report report.json >out 2>err || fail "$(cat err)"
(($(account vocabulary) <= 2000)) || fail "$(account vocabulary) words"
(($(account words_left) > 0)) || fail "no word left: $(cat report.json)"
# (A sanitizer's own memory is many times that.)
grep -qaE '__[at]san_init' "$sda" || (($(account peak_rss_bytes) < 200000000)) || fail "$(account peak_rss_bytes) bytes of memory"
[[ $(mass model) == "$(account learnt_tokens).0000" ]] || fail "mass $(mass model)"
rm model

expect_failure 2 '--grow-vocab does not go with --vocab' \
  "$sda" fit all.txt --topics 2 --grow-vocab --vocab ids --format text -o model
printf '1\n3\n2\n1 1 2\n1 2 1\n' >bags.uci
expect_failure 2 '--grow-vocab is for texts' "$sda" fit bags.uci --format uci --topics 2 --grow-vocab -o model
