# The number of topics is found, is durable, and is the same however the documents come.
source "$(dirname "$0")/common.sh" "$1"

awk 'BEGIN {srand(7); for (d = 0; d < 1500; ++d) { t = int(rand() * 6); printf "{\"text\": \"";
  for (i = 0; i < 30; ++i) printf "word%03dx ", (t * 30 + int(-20 * log(1 - rand()))) % 200;
  print "\"}" }}' >all.jsonl
cp all.jsonl part.jsonl
search="--topics auto --try-topics 2,6,40"
fit="part.jsonl $search --minibatch 100 --first-minibatch 800 --vocab-from 200"

# shellcheck disable=SC2086
"$sda" fit $fit -o whole --report whole.json >out 2>err
expect_match err '^choosing the number of topics: each candidate learns from 640 .* scored on 160 others'
expect_match err '2 topics: -[0-9.]+ per token, 95% interval -[0-9.]+ to -[0-9.]+'
expect_match err '6 topics are taken'
expect_match out '\* +6 topics  -[0-9.]+ \[-[0-9.]+, -[0-9.]+\]'
expect_match out '  40 topics .* below the best, \+/- '
expect_match out 'median coherence -?[0-9.]+ \(NPMI of the top 10 words of each topic, in a sample of 1,500 '
python3 - <<'EOF'
import json
report = json.load(open("whole.json"))
search = report["topic_search"]
assert search["topics"] == report["model"]["topics"] == 6, search
assert [c["topics"] for c in search["candidates"]] == [2, 6, 40], search
assert all(c["lower"] < c["log_predictive_probability"] < c["upper"] for c in search["candidates"])
assert len(report["coherence"]["npmi"]) == 6 and report["coherence"]["sampled_documents"] == 1500
EOF
# Those that were set aside are learnt from, too.
[[ $(mass whole) == "$(number whole tokens).0000" ]] || fail "mass $(mass whole) of $(number whole tokens)"
[[ $(number whole documents) == 1500 ]] || fail "$(number whole documents) documents"

# So the model is that of the number chosen; also from standard input, and with other threads.
# shellcheck disable=SC2086
"$sda" fit ${fit/$search/--topics 6} -o given >out 2>err
"$sda" export whole --lambda whole.npy && "$sda" export given --lambda given.npy
cmp whole.npy given.npy || fail "not the model of --topics 6"
# shellcheck disable=SC2086
"$sda" fit ${fit/part.jsonl/-} --format jsonl --threads 1 -o piped <part.jsonl >out 2>err
"$sda" export piped --lambda piped.npy
cmp whole.npy piped.npy || fail "standard input has another model"

# A run that ends and resumes, with what is there by then, keeps the number and the sample.
head -n 1000 all.jsonl >part.jsonl
# shellcheck disable=SC2086
"$sda" fit $fit -o model --checkpoint folder --checkpoint-every 1 >out 2>err
cp all.jsonl part.jsonl
# shellcheck disable=SC2086
"$sda" fit $fit -o model --checkpoint folder --checkpoint-every 1 --resume --report resumed.json >out 2>err
! grep -q 'choosing' err || fail "chosen again: $(cat err)"
"$sda" export model --lambda resumed.npy
cmp whole.npy resumed.npy || fail "resumed to another model"
python3 - <<'EOF'
import json
whole, resumed = (json.load(open(name)) for name in ("whole.json", "resumed.json"))
assert whole["coherence"] == resumed["coherence"], resumed["coherence"]
assert resumed["topic_search"]["topics"] == 6
EOF

# Killed at any time, the search included.
rm -rf folder model
finished=
for ((i = 0; i < 60; ++i)); do
  status=0
  # shellcheck disable=SC2086
  timeout -s KILL "0.$((10 + 4 * i))" "$sda" fit $fit -o model --checkpoint folder --checkpoint-every 1 --resume \
    >out 2>err || status=$?
  if [[ $status == 0 ]]; then finished=yes && break; fi
  [[ $status == 137 || $status == 124 ]] || fail "status $status: $(cat err)"
done
# shellcheck disable=SC2086
[[ -n $finished ]] || "$sda" fit $fit -o model --checkpoint folder --resume >out 2>err
"$sda" export model --lambda killed.npy
cmp whole.npy killed.npy || fail "killed and resumed to another model"
rm model

# A stream that is followed.
follow=(live.jsonl --follow --topics auto --try-topics 2,6,40 --vocab-from 300 --minibatch 100
  --minibatch-seconds 0.1 -o model --checkpoint live --checkpoint-every 1)
head -n 900 all.jsonl >live.jsonl
"$sda" fit "${follow[@]}" >out 2>err &
following=$!
until [[ -s model ]]; do
  kill -0 $following || fail "ended early: $(cat err)"
  sleep 0.05
done
kill -TERM $following
wait $following || fail "$(cat err)"
expect_match out '\* +6 topics'
"$sda" fit "${follow[@]}" --resume >out 2>resumed &
following=$!
# What was read is learnt a little later.
until grep -qs 'waiting for further' resumed && [[ $(number model documents) == 900 ]]; do
  kill -0 $following || fail "ended early: $(cat resumed)"
  sleep 0.05
done
kill -TERM $following
wait $following || fail "$(cat resumed)"
expect_match out '^900 documents, .* 6 topics, '
! grep -q 'choosing' resumed || fail "chosen again: $(cat resumed)"
rm model

# A model knows the coherence of its topics, and how their number was chosen; documents only if asked.
"$sda" topics whole --intervals >out
expect_match out '^topic [0-9]+: [0-9.]+% of the corpus, coherence -?[0-9.]+$'
"$sda" topics whole --json >topics.json
python3 - <<'EOF'
import json
topics = json.load(open("topics.json"))
assert topics["coherence_documents"] == 1500 and topics["topic_search"]["topics"] == 6
assert all(-1 <= topic["coherence"] <= 1 for topic in topics["topics"])
EOF
! grep -qa document_sample whole || fail "documents in a model that was not to hold them"
"$sda" fit all.jsonl --topics 3 --keep-sample -o kept >out 2>err
grep -qa document_sample kept || fail "no sample"
"$sda" fit all.jsonl --from kept -o more >out 2>err
expect_match out 'in a sample of 3,000 documents\)'
"$sda" fit all.jsonl --from whole -o more >out 2>err
expect_match out 'in a sample of 1,500 documents from the later part of the stream\)'

# What is wrong is said.
expect_failure 2 '--topics is many, must be a number from 1 on, or auto' \
  "$sda" fit all.jsonl -o model --topics many
expect_failure 2 '--topics is 0, must be a number from 1 on, or auto' "$sda" fit all.jsonl -o model --topics 0
expect_failure 2 '--try-topics goes with --topics auto' "$sda" fit all.jsonl -o model --try-topics 3,4
expect_failure 2 '--topics auto goes with --algorithm sda' "$sda" fit all.jsonl -o model --topics auto --algorithm ssu
expect_failure 2 '--topics is "auto", but the model to continue from has 6' \
  "$sda" fit all.jsonl --from whole --topics auto -o model
if "$sda" cluster --help >out 2>&1 && grep -q create out; then
  expect_failure 2 '--topics auto is not for a job' \
    "$sda" cluster create job --brokers localhost:1 --topics auto --vocab all.jsonl
fi

# sda compare with several numbers compares these alone.
"$sda" compare all.jsonl --quick --topics 2,6,40 --seeds 1 -o 'a folder' >out 2>err
expect_match err '^run 1 of 3: topics: sda fit, topics 2, seed 1: -'
head -n 1 out | found -E '^Use --topics 6 for these documents: the best score, ' || fail "$(cat out)"
[[ $(grep -c '</svg>' 'a folder/report.html') == 1 ]] || fail "not one picture"
[[ -s 'a folder/topics.svg' && ! -e 'a folder/table1.csv' ]] || fail "$(ls 'a folder')"
[[ $(tail -n +2 'a folder/topics.csv' | wc -l) == 3 ]] || fail "$(cat 'a folder/topics.csv')"
expect_match 'a folder/report.html' '± 0\.[0-9]+'
