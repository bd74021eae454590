# A user fits topics to text, looks at them, infers, scores and exports.
source "$(dirname "$0")/common.sh" "$1"

# Documents about one of three themes each; every tenth is held out.
awk 'BEGIN {
  srand(7)
  split("sail harbour anchor tide vessel captain reef mast", words0, " ")
  split("oven butter flour recipe dough sauce pepper bread", words1, " ")
  split("judge jury witness verdict lawyer appeal trial oath", words2, " ")
  for (d = 1; d <= 1000; ++d) {
    theme = int(rand() * 3)
    for (i = 0; i < 30; ++i) {
      w = 1 + int(rand() * 8)
      printf "%s ", theme == 0 ? words0[w] : theme == 1 ? words1[w] : words2[w]
    }
    print ""
    if (d % 10 == 0) print d >"holdout.txt"
  }
}' >documents.txt

"$sda" fit documents.txt --topics 5 --first-minibatch 300 --minibatch 100 --holdout holdout.txt -o topics.model \
  --report report.json >out 2>err
expect_match out '^900 documents, 27,000 tokens of 24 words, 5 topics'
expect_match out 'held-out log predictive probability -2\.[0-9]+ per token, on [0-9,]+ tokens'
for key in documents tokens seconds documents_per_second log_predictive_probability test_tokens \
  peak_rss_bytes curve; do
  expect_match report.json "\"$key\":"
done

# Top words belong together: each theme has a topic, or several since there are five.
"$sda" topics topics.model --words 4 --intervals >topics.txt
for theme in 'sail|harbour|anchor|tide|vessel|captain|reef|mast' \
  'oven|butter|flour|recipe|dough|sauce|pepper|bread' \
  'judge|jury|witness|verdict|lawyer|appeal|trial|oath'; do
  grep -qE "^ +($theme) [0-9.]+ \[[0-9.]+, [0-9.]+\] ($theme) .* ($theme) " topics.txt ||
    fail "no topic is about $theme: $(cat topics.txt)"
done
"$sda" topics topics.model --json >topics.json
expect_match topics.json '"lower": 0\.'

# Inference: a line a document, also for those without a known word.
printf 'sail anchor tide sail\nzzz qqq\njudge jury oath\n\n' >new.txt
"$sda" infer topics.model new.txt --most 1 >inferred
[[ $(wc -l <inferred) == 4 ]] || fail "infer printed $(cat inferred)"
expect_match inferred '^\{"document":1,"topics":\[\{"topic":[0-9],"proportion":0\.[6-9]'
expect_match inferred '^\{"document":2,"topics":\[\]\}$'
expect_match inferred '^\{"document":4,"topics":\[\]\}$'
[[ $(sed -n 1p inferred | cut -d, -f2) != "$(sed -n 3p inferred | cut -d, -f2)" ]] ||
  fail "two themes, one topic: $(cat inferred)"
"$sda" infer topics.model - --format text <new.txt | head -n 4 | cmp - <("$sda" infer topics.model new.txt)

expect_match inferred '"intervals":"sampled"\}$'
"$sda" infer topics.model new.txt --most 1 --intervals linear-response >out
expect_match out '^\{"document":1,"topics":.*"intervals":"linear-response","approximate":true\}$'
"$sda" infer topics.model new.txt --intervals wide 2>err && fail "intervals of no kind"
expect_match err 'wide'

# eval gives the score of the report, on the model as saved.
"$sda" eval topics.model documents.txt --holdout holdout.txt --json >eval.json
score=$(grep -oE '"log_predictive_probability": -[0-9.]+' report.json | head -n 1)
expect_match eval.json "${score:0:42}"
"$sda" eval topics.model documents.txt --split alternate >out
expect_match out 'on [0-9,]+ tokens of 1,000 documents'

# The exported matrix: 5 x 24 doubles, as NumPy writes it.
"$sda" export topics.model --lambda lambda.npy
head -c 200 lambda.npy | found -a "'shape': (5, 24)" || fail "bad .npy header"
[[ $(stat -c %s lambda.npy) == $((128 + 5 * 24 * 8)) ]] || fail "bad .npy size"

# The same model for any number of threads; every algorithm and schedule; compressed JSON lines.
"$sda" fit documents.txt --topics 5 --first-minibatch 200 --minibatch 100 --threads 1 -o one 2>err >out
"$sda" fit documents.txt --topics 5 --first-minibatch 200 --minibatch 100 --threads 3 -o three 2>err >out
cmp one three || fail "the model depends on the number of threads"
sed 's/.*/{"id": 1, "text": "&"}/' documents.txt | gzip >documents.jsonl.gz
"$sda" fit documents.jsonl.gz --topics 5 --first-minibatch 200 --minibatch 100 -o json 2>err >out
for threads in 1 3; do
  "$sda" fit documents.txt --topics 5 --first-minibatch 200 --minibatch 100 --primitive vb --threads $threads -o vb$threads 2>err >out
done
cmp vb1 vb3 || fail "the model of VB depends on the number of threads"
cmp one json || fail "text and JSON lines give different models"
first='--first-minibatch 200'
for options in "--algorithm ssu" "--algorithm svi --total-documents 1000" "$first --schedule sync --workers 3" \
  "$first --schedule async --workers 2" "$first --primitive vb" "$first --primitive vb --precision double" \
  "$first --primitive vb --schedule async --workers 2 --worker-prior fixed" "$first --sweeps 3" \
  "--half-life 800" "--primitive ep" "--primitive ep --ep-updates token --ep-damping 0.3 --ep-start noise" \
  "--primitive ep --ep-matching log --ep-sweeps 1" "--primitive ep --schedule sync --workers 3 --ep-tolerance 0.1" \
  "--primitive ep --schedule async --workers 2 --worker-prior fixed" "--primitive ep --half-life 800"; do
  # shellcheck disable=SC2086
  "$sda" fit documents.txt --topics 5 --minibatch 100 $options --holdout holdout.txt -o other \
    --json >other.json 2>err || fail "$options: $(cat err)"
  expect_match other.json '"log_predictive_probability": -[23]\.'
  expect_match other.json '"minibatches": ([89]|[1-9][0-9]),'
done
# Forgetting, with every primitive: of 600 documents about the sea, then 600 about the kitchen, both are
# half of what is known; but with a half-life of 100 documents the sea is all but forgotten.
awk 'BEGIN {
  srand(3)
  split("sail harbour anchor tide vessel captain reef mast", words0, " ")
  split("oven butter flour recipe dough sauce pepper bread", words1, " ")
  for (d = 0; d < 1200; ++d) {
    for (i = 0; i < 20; ++i) { w = 1 + int(rand() * 8); printf "%s ", d < 600 ? words0[w] : words1[w] }
    print ""
  }
}' >drift.txt
# kitchen MODEL: the percentage of the corpus, as far as it is known, that is words of the kitchen.
kitchen() {
  "$sda" topics "$1" --words 16 --intervals | awk '/^topic/ {share = $3 / 100; next}
    {for (i = 1; i < NF; ++i) if ($i ~ /^(oven|butter|flour|recipe|dough|sauce|pepper|bread)$/) sum += share * $(i + 1)}
    END {print int(sum)}'
}
for primitive in ep vb gibbs "ep --schedule sync --workers 2"; do
  # shellcheck disable=SC2086
  "$sda" fit drift.txt --topics 2 --minibatch 40 --first-minibatch 40 --primitive $primitive -o kept >out 2>err
  # shellcheck disable=SC2086
  "$sda" fit drift.txt --topics 2 --minibatch 40 --first-minibatch 40 --primitive $primitive --half-life 100 -o forgot >out 2>err
  "$sda" topics forgot >out || fail "$primitive: no model"
  (($(kitchen forgot) > 90)) || fail "$primitive: after a half-life 6 times over, $(cat out)"
  kept=$(kitchen kept)
  ((kept > 35 && kept < 75)) || fail "$primitive: forgot without being told to: $kept%"
done
rm -f kept forgot

for threads in 1 3; do
  "$sda" fit documents.txt --topics 5 --minibatch 300 --primitive ep --threads $threads --report ep.json -o ep$threads 2>err >out
done
cmp ep1 ep3 || fail "the model of EP depends on the number of threads"
expect_match out 'of [0-9,]+ updates of messages were skipped'
expect_match ep.json '"skipped_updates": [0-9]+'
expect_match ep.json '"unconverged_minibatches": [0-9]+'
"$sda" topics ep1 >out
expect_match out '^5 topics of 24 words, from 1,000 documents'
"$sda" fit documents.txt --topics 5 --algorithm batch --passes 3 --holdout holdout.txt -o other --json >other.json 2>err
expect_match other.json '"minibatches": 1,'

# Ctrl-C saves the topics of what was read, although more is awaited.
mkfifo pipe
setsid bash -c 'trap - INT; exec "$@"' _ \
  "$sda" fit - --format text --topics 5 --minibatch 100 --vocab-from 300 -o stopped <pipe >out 2>err &
fit=$!
exec 3>pipe
cat documents.txt >&3
sleep 0.7
kill -s INT $fit
wait $fit || fail "Ctrl-C: $(cat err)"
exec 3>&-
expect_match err 'stopped early; saved stopped'
"$sda" topics stopped >out
expect_match out '^5 topics of 24 words, from [1-9]00 documents|^5 topics of 24 words, from 1,000'

# What is wrong is said in a line, and no model is left behind.
: >empty.txt
expect_failure 1 'empty.txt' "$sda" fit empty.txt -o model
expect_failure 2 '--algorithm svi needs --total-documents' "$sda" fit documents.txt --algorithm svi -o model
expect_failure 2 '--algorithm ssu goes with --primitive vb' "$sda" fit documents.txt --primitive gibbs --algorithm ssu -o model
expect_failure 2 '--precision goes with --primitive vb' "$sda" fit documents.txt --precision double -o model
expect_failure 2 '--ep-damping goes with --primitive ep' "$sda" fit documents.txt --ep-damping 0.5 -o model
expect_failure 2 '--ep-sweeps goes with --primitive ep' "$sda" fit documents.txt --primitive vb --ep-sweeps 5 -o model
expect_failure 2 'damping is 1, must be' "$sda" fit documents.txt --primitive ep --ep-damping 1 -o model
expect_failure 2 '--ep-memory must be above 0' "$sda" fit documents.txt --primitive ep --ep-memory 0 -o model
expect_failure 2 '--algorithm svi goes with --primitive vb' "$sda" fit documents.txt --primitive ep --algorithm svi --total-documents 5 -o model
expect_failure 2 '--precision goes with --primitive vb' "$sda" fit documents.txt --primitive ep --precision double -o model
expect_failure 2 '--sweeps goes with --primitive gibbs' "$sda" fit documents.txt --primitive ep --sweeps 3 -o model
expect_failure 2 'goes with --ep-start noise' "$sda" fit documents.txt --primitive ep --schedule async --worker-prior fixed --ep-start sampled -o model
expect_failure 1 'it needs more memory or fewer topics' "$sda" fit documents.txt --primitive ep --ep-memory 1e-9 -o model
expect_failure 2 '--worker-prior fixed goes with' "$sda" fit documents.txt --schedule async --worker-prior fixed -o model
expect_failure 2 '--worker-prior is for --schedule async' "$sda" fit documents.txt --worker-prior fixed -o model
expect_failure 2 '--passes is for --algorithm batch' "$sda" fit documents.txt --passes 3 -o model
expect_failure 2 '--kappa is for --algorithm svi' "$sda" fit documents.txt --kappa 0.7 -o model
expect_failure 2 'half of the --half-life' "$sda" fit documents.txt --half-life 1000 --first-minibatch 600 -o model
expect_failure 2 '--first-minibatch is 0' "$sda" fit documents.txt --first-minibatch 0 -o model
expect_failure 2 'workers is 0' "$sda" fit documents.txt --workers 0 -o model
expect_failure 2 'topics is 0' "$sda" fit documents.txt --topics 0 -o model
expect_failure 2 'eta is -1' "$sda" fit documents.txt --eta -1 -o model
expect_failure 2 'alpha' "$sda" fit documents.txt --alpha -1 -o model
expect_failure 2 'must be at least 1' "$sda" fit documents.txt --minibatch 0 -o model
expect_failure 2 'see sda fit --help' "$sda" fit documents.txt --algorithm magic -o model
expect_failure 1 'no document 5000 to hold out, expected 1 to 1000' "$sda" fit documents.txt --holdout <(echo 5000) -o model
expect_failure 1 'no_such: cannot open' "$sda" topics no_such
head -c 1000 topics.model >cut
expect_failure 1 'cut: is ' "$sda" topics cut
