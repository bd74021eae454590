# Topics over time: kept by sda fit, shown by sda topics, in text, JSON and CSV; resumed and continued.
source "$(dirname "$0")/common.sh" "$1"

# 600 documents of 2019 and 2020, a topic in each half of a year; every hundredth has no time.
awk 'BEGIN {srand(5); for (d = 0; d < 600; ++d) { m = int(d / 25); y = 2019 + int(m / 12);
  t = int(m / 6); if (rand() < 0.2) t = int(4 * rand());
  printf "{\"date\": \"%s\", \"text\": \"", d % 100 == 99 ? "?" : sprintf("%04d-%02d-%02d", y, m % 12 + 1, 1 + d % 25);
  for (i = 0; i < 25; ++i) printf "word%03dx ", t * 20 + int(20 * rand());
  print "\"}" }}' >all.jsonl
options="--topics 4 --minibatch 50 --first-minibatch 200 --time-field date --threads 2"
# shellcheck disable=SC2086
"$sda" fit all.jsonl $options -o first >out 2>err || fail "$(cat err)"
expect_match out '^6 documents without a time'
expect_match out '^topics over time in [0-9]+ buckets, by day$'

# value FILE EXPRESSION: of its JSON, p being its periods.
value() {
  python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); p = j["periods"]; print(eval(sys.argv[2]))' "$@"
}
# expect FILE EXPRESSION: that it is true.
expect() { [[ $(value "$@") == True ]] || fail "$1 is not so: $2; it holds $(head -c 500 "$1")"; }

# All documents are counted, and all tokens are in a topic.
"$sda" topics first --over-time --json >over.json
expect over.json 'sum(x["documents"] for x in p) == 594 and j["undated_documents"] == 6 and j["unit"] == "day"'
expect over.json 'all(abs(sum(t["tokens"] for t in x["topics"]) - x["tokens"]) < 1e-6 for x in p)'
expect over.json 'all(t["lower"] <= t["share"] <= t["upper"] for x in p for t in x["topics"])'

# A period is the sum of its buckets, and every half of a year has a topic of its own.
"$sda" topics first --since 2019-01 --until 2019-06 --json --words 3 >period.json
expect period.json 'len(p) == 1 and p[0]["begin"] == "2019-01-01T00:00:00Z"'
[[ $(value period.json 'p[0]["documents"]') == \
   $(value over.json 'sum(x["documents"] for x in p if x["begin"] < "2019-07")') ]] || fail "another number of documents"
expect period.json 'max(t["share"] for t in p[0]["topics"]) > 0.7'
expect period.json 'max(p[0]["topics"], key=lambda t: t["share"])["words"][0]["word"][:6] in ("word00", "word01")'
"$sda" topics first --since 2019-01 --until 2019-06 --versus 2020-07..2020-12 >out
expect_match out '^2019-01-01 to 2019-06-25, 14[0-9] documents with [0-9,]+ tokens\.$'
expect_match out '^The change is from 2020-07-01 to 2020-12-2[0-9], 14[0-9] documents'
"$sda" topics first --over-time >out
expect_match out '^[0-9]+ buckets of a day from 2019-01-01 to 2020-12-2[0-9]'
expect_match out '^6 documents without a time are in no bucket'
"$sda" topics first --over-time --csv >out
[[ $(head -n 1 out) == begin,end,documents,tokens,topic,topic_tokens,share,lower,upper,words ]] || fail "$(head -n 2 out)"
[[ $(tail -n +2 out | wc -l) == $((4 * $(value over.json 'len(p)'))) ]] || fail "$(wc -l <out) lines of CSV"

# A report draws them without documents; those that are given are drawn in their place.
"$sda" report first --json >report.json
python3 - report.json <<'PYTHON' || fail "the report does not have the topics over time"
import json, sys
report = json.load(open(sys.argv[1]))
timed = report["over_time"]
assert timed["unit"] == "month" and len(timed["periods"]) == 24, timed["unit"]
assert sum(period["documents"] for period in timed["periods"]) == 594 and timed["undated"] == 6
assert all(len(period["shares"]) == 3 * 4 for period in timed["periods"])
assert "input" not in report and any("Topics over time" in note for note in report["notes"])
PYTHON

# Months from the start, and buckets that become longer within the memory.
# shellcheck disable=SC2086
"$sda" fit all.jsonl $options --bucket month -o months >out 2>err
"$sda" topics months --over-time --json >months.json
expect months.json 'len(p) == 24 and j["unit"] == "month"'

# Killed and resumed, and continued from a model, the sums are the same.
# shellcheck disable=SC2086
"$sda" fit all.jsonl $options -o third --checkpoint state --checkpoint-every 1 >out 2>err || fail "$(cat err)"
rm "$(find state -name 'checkpoint-*' | sort | tail -n 1)"
"$sda" fit --checkpoint state --resume -o third >out 2>err || fail "$(cat err)"
cmp first third || fail "another model after a resume"
head -n 400 all.jsonl >a.jsonl
tail -n +401 all.jsonl >b.jsonl
"$sda" fit a.jsonl --topics 4 --first-minibatch 200 --time-field date -o begun >out 2>err
"$sda" fit --from begun b.jsonl -o continued >out 2>err || fail "$(cat err)"
"$sda" topics continued --over-time --json >continued.json
expect continued.json 'sum(x["documents"] for x in p) == 594'

# Without times nothing is kept; with --bucket off the model is that of documents without times.
"$sda" fit all.jsonl --topics 4 -o plain >out 2>err
# shellcheck disable=SC2086
"$sda" fit all.jsonl $options --bucket off -o off >out 2>err
if found -a over_time_buckets <off; then fail "sums with --bucket off"; fi
expect_match <("$sda" topics plain --since 2019 2>&1 || true) 'has no topics over time'
rm off plain

# What does not go together is refused by name.
mkdir refused
cd refused
expect_failure 2 '--bucket is given without --time-field' "$sda" fit ../all.jsonl --bucket day -o model
expect_failure 2 '--over-time-memory is 0.5, must be from 1' \
  "$sda" fit ../all.jsonl --time-field date --over-time-memory 0.5 -o model
expect_failure 2 '--since is yesterday, must be a date' "$sda" topics ../first --since yesterday
expect_failure 2 'no document of the model is of that time' "$sda" topics ../first --since 2030
expect_failure 2 '--csv goes with --over-time' "$sda" topics ../first --csv
expect_failure 2 'must stay as it was' "$sda" fit --from ../months ../b.jsonl --bucket week -o model
