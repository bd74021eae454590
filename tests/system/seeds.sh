# sda fit --seeds: the model of the first seed, and how many runs found each of its topics.
source "$(dirname "$0")/common.sh" "$1"

# Four themes, so that of five topics one or two depend on the seed.
awk 'BEGIN {srand(7); for (d = 0; d < 1200; ++d) { t = int(rand() * 4); printf "{\"text\": \"";
  for (i = 0; i < 30; ++i) printf "word%03dx ", t * 40 + int(rand() * 40);
  print "\"}" }}' >all.jsonl
fit="all.jsonl --minibatch 300 --first-minibatch 600 --seed 5"

# shellcheck disable=SC2086
"$sda" fit $fit --topics 5 -o one --report one.json >out 2>err
! grep -q stability one.json || fail "one run tells of stability"
! grep -qaE '"stability' one || fail "a model of one run has stability"
"$sda" topics one >out
! grep -q 'found by' out || fail "$(cat out)"
# shellcheck disable=SC2086
"$sda" fit $fit --topics 5 --seeds 3 -o several --report several.json >out 2>err
for run in 1 2 3; do expect_match err "^run $run of 3, with seed $((4 + run))$"; done
expect_match err '^run 3 of 3 found [0-5] of 5 topics again$'
expect_match out '^[0-5] of 5 topics found by all 3 runs, [0-5] by the first alone'
[[ $(find . -name 'sev*' | wc -l) == 2 ]] || fail "other models were saved: $(ls)"

# The model is that of the first seed, bit for bit.
for model in one several; do "$sda" export $model --lambda $model.npy; done
cmp one.npy several.npy || fail "--seeds changes the model"

"$sda" topics several >out
expect_match out '^topic    share  coherence  found by runs   top words$'
expect_match out '^ +[0-4] +[0-9.]+% +[-0-9.]+ +3 of 3 +word'
"$sda" topics several --intervals >out
expect_match out '^topic [0-4]: .*, found by [1-3] of 3 runs \(mean cosine [01]\.[0-9]+\)$'
"$sda" topics several --json >topics.json
"$sda" report several --json >page.json
python3 - <<'PYTHON'
import json
one, several, topics, page = (json.load(open(f"{name}.json")) for name in ("one", "several", "topics", "page"))
stability = several["stability"]
assert stability["runs"] == 3 and stability["found_again_from"] == 0.9, stability
assert len(stability["found_by"]) == len(stability["cosine"]) == 5
assert all(1 <= n <= 3 for n in stability["found_by"])
# Themes that are one topic each are found by every run.
assert sum(n == 3 for n in stability["found_by"]) >= 3, stability
assert several["model"]["seed"] == 5 and several["documents"] == one["documents"] == 1200
for topic in topics["topics"]:
    k = topic["topic"]
    assert topic["stability"] == {"found_by": stability["found_by"][k], "runs": 3, "cosine": stability["cosine"][k]}
for topic in page["topics"]:
    k = topic["topic"]
    assert topic["stability"]["found_by"] == stability["found_by"][k] and topic["stability"]["runs"] == 3
    assert abs(topic["stability"]["cosine"] - stability["cosine"][k]) < 1e-4
PYTHON

# The first run chooses the number of topics; all have the words of the first documents.
"$sda" fit all.jsonl --topics auto --try-topics 2,4 --vocab-from 300 --seeds 2 -o auto >out 2>err
[[ $(grep -c '^choosing the number of topics' err) == 1 ]] || fail "$(cat err)"
expect_match out '^[0-4] of 4 topics found by both runs, '

# A run that continues has topics of its own.
"$sda" fit all.jsonl --from several -o more >out 2>err
"$sda" topics more >out
! grep -q 'found by' out || fail "$(cat out)"

# A run that is stopped does not count; the model and what was known stay.
"$sda" fit all.jsonl --topics 5 --seeds 1000 -o stopped --report stopped.json >out 2>err &
fitting=$!
until grep -q '^run 2 of 1000 found' err; do
  kill -0 $fitting || fail "ended early: $(cat err)"
  sleep 0.02
done
kill -TERM $fitting
wait $fitting || fail "$(cat err)"
expect_match err '^stopped in run [0-9]+ of 1000, which does not count'
runs=$(grep -cE '^run [0-9]+ of 1000 found' err)
"$sda" topics stopped >out
expect_match out "found by all $((runs + 1)) runs|found by both runs"
"$sda" fit all.jsonl --topics 5 -o unstopped >out 2>err
for model in stopped unstopped; do "$sda" export $model --lambda $model.npy; done
cmp stopped.npy unstopped.npy || fail "the model of the first run did not stay"

# What does not go together is said.
expect_failure 2 '--seeds does not go with standard input: ' "$sda" fit - --seeds 3 -o model <all.jsonl
mkfifo pipe
expect_failure 2 '--seeds does not go with the pipe pipe: ' "$sda" fit pipe --seeds 3 -o model
expect_failure 2 '--seeds does not go with --follow: ' "$sda" fit all.jsonl --follow --seeds 3 -o model
expect_failure 2 '--seeds does not go with --checkpoint' "$sda" fit all.jsonl --checkpoint folder --seeds 3 -o model
expect_failure 2 '--seeds does not go with --from: ' "$sda" fit all.jsonl --from one --seeds 3 -o model
expect_failure 2 '--seeds is 0, must be at least 1' "$sda" fit all.jsonl --seeds 0 -o model
printf 'x\n1\n' >table.csv
expect_failure 2 '--seeds is not for --model normal' "$sda" fit table.csv --model normal --seeds 3 -o model
