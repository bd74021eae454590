# Intervals of topics' words: approximate by default, sampled on request, and what is refused.
source "$(dirname "$0")/common.sh" "$1"

awk 'BEGIN {srand(7); for (d = 0; d < 1000; ++d) { t = int(rand() * 6)
  for (i = 0; i < 30; ++i) printf "word%03dx ", (t * 30 + int(-20 * log(1 - rand()))) % 200; print "" }}' >all.txt
fit="all.txt --topics 5 --minibatch 50 --first-minibatch 100 --vocab-from 200"

# shellcheck disable=SC2086
"$sda" fit $fit -o quick >out 2>err
"$sda" topics quick --intervals >out
expect_match out '95% interval of that share \(approximate'
"$sda" topics quick --json >out
expect_match out '"approximate": true'

# shellcheck disable=SC2086
"$sda" fit $fit -o whole --intervals sampled >out 2>err
"$sda" topics whole --intervals >out
if grep -q approximate out; then fail "intervals are called approximate: $(cat out)"; fi
"$sda" topics whole --json >out
expect_match out '"approximate": false'
# Words that a topic may not have are marked, where the others are not.
"$sda" topics whole --intervals --words 200 >out
expect_match out '95% interval of that share \(~: approximate\)'
expect_match out '\]~'
"$sda" topics whole --json --words 200 >out
expect_match out '^          "approximate": true'
"$sda" export whole --words 20 --topic-words words.csv >out 2>err
if grep -q approximate err; then fail "of the first 20 words: $(cat err)"; fi
"$sda" export whole --words 0 --topic-words words.csv >out 2>err
expect_match err '^words.csv: [0-9]* intervals of words, .* are approximate'
# Documents are as good as the topics, so those of variational Bayes are marked.
"$sda" infer whole all.txt >out
if grep -q approximate out; then fail "documents are called approximate: $(grep approximate out | head -1)"; fi
# shellcheck disable=SC2086
"$sda" fit $fit -o vb --primitive vb >out 2>err
"$sda" infer vb all.txt >out
expect_match out '"intervals":"sampled","approximate":true'
rm vb words.csv
[[ $(mass whole) == "$(mass quick)" ]] || fail "the mass is $(mass whole), expected $(mass quick)"

# A run that is killed and resumed keeps the documents, and fits the same ones together.
for ((n = 1; n < 40; ++n)); do
  status=0
  # shellcheck disable=SC2086
  timeout -s KILL "0.$((RANDOM % 90 + 10))" "$sda" fit $fit -o model --intervals sampled --checkpoint folder \
    --checkpoint-every 1 --resume >out 2>err || status=$?
  if [[ $status == 0 ]]; then break; fi
  [[ $status == 137 ]] || fail "status $status: $(cat err)"
done
# shellcheck disable=SC2086
"$sda" fit $fit -o model --intervals sampled --checkpoint folder --checkpoint-every 1 --resume >out 2>err ||
  fail "$(cat err)"
cmp whole model || fail "another model after $n kills"

# Off: as if the topic of every word were known; the file has no variances.
# shellcheck disable=SC2086
"$sda" fit $fit -o off --intervals off >out 2>err
if grep -aq lambda_variance off; then fail "variances were saved"; fi
grep -aq lambda_variance quick || fail "no variances were saved"
"$sda" topics off --json >out
expect_match out '"approximate": true'

rm quick whole off model
# refused PART-OF-THE-MESSAGE OPTIONS...
refused() {
  local message=$1
  shift
  # shellcheck disable=SC2086
  expect_failure 2 "$message" "$sda" fit $fit -o model "$@"
}
refused '--intervals goes with --primitive gibbs' --intervals sampled --primitive vb
refused 'does not go with --half-life' --intervals sampled --half-life 500
refused 'does not go with --follow' --intervals sampled --follow
refused '--keep-documents goes with --intervals sampled' --keep-documents 10
refused '--keep-documents is 0' --intervals sampled --keep-documents 0
