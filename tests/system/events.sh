# sda fit --events: a topic that ends and one that begins, in a stream that is killed and resumed.
source "$(dirname "$0")/common.sh" "$1"

# Five themes of 20 words. After 4,000 of 8,000 documents the first makes place for the fifth, but for traces; and
# there are words that nobody has heard of.
awk 'BEGIN {srand(5); for (d = 1; d <= 8000; ++d) {
  late = d > 4000; t = 1 + int(rand() * 3); u = rand();
  if (u < 0.32) t = u < (late ? 0.01 : 0.24) ? 0 : 4;
  printf "{\"id\": \"n%d\", \"date\": \"2026-%02d-%02d\", \"text\": \"", d, 1 + d / 1000, 1 + (d % 1000) / 40;
  for (i = 0; i < 25; ++i) printf "theme%cw%02d ", 97 + t, rand() * 20;
  if (late && rand() < 0.3) for (i = 0; i < 10; ++i) printf "unheard%c%c ", 97 + rand() * 26, 97 + rand() * 26;
  print "\"}" }}' >stream.jsonl
fit="stream.jsonl --id-field id --time-field date --topics 5 --first-minibatch 1000 --minibatch 100 --vocab-from 1000"
# shellcheck disable=SC2086
"$sda" fit $fit -o model --events events >out 2>err || fail "$(cat err)"

python3 - events <<'PYTHON' || fail "$(cat events)"
import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
def of(kind):
    return [e for e in events if e["event"] == kind]
assert all(e["documents"] > 4000 for e in events), "nothing before the change"
fading, growing, unknown = of("topic_fading")[0], of("topic_growing")[0], of("unknown_words_rising")[0]
for event in fading, growing, unknown:
    assert event["documents"] <= 4600, "within 600 documents"
    assert event["probability"] > 0.9999999
    assert event["time"].startswith("2026-05")
assert abs(fading["before"] - 0.24) < 0.03 and fading["now"] < 0.1
assert all(word.startswith("themee") for word in growing["words"]), growing["words"]
assert all(4000 < int(name[1:]) <= growing["documents"] for name in growing["examples"])
assert len(growing["examples"]) == 3
assert fading["topic"] != growing["topic"]
PYTHON

# To standard output, as they come.
# shellcheck disable=SC2086
"$sda" fit $fit -o model --events - >out 2>err || fail "$(cat err)"
cmp out events || fail "other events on standard output"

# Killed again and again: the same lines, each once.
kills=0
for ((n = 0; n < 60; ++n)); do
  status=0
  within=$(awk -v n="$n" 'BEGIN {print 0.05 * 1.2 ^ n}')  # however slow the program is
  # shellcheck disable=SC2086
  timeout -s KILL "$within" "$sda" fit $fit -o model --events resumed --checkpoint folder \
    --checkpoint-every 2 --resume >out 2>err || status=$?
  [[ $status == 137 || $status == 0 ]] || fail "status $status: $(cat err)"
  if [[ $status == 0 ]]; then break; fi
  kills=$((kills + 1))
  printf '{"event": "cut' >>resumed
done
((kills > 0)) || fail "was never killed"
cmp resumed events || fail "other events after $kills kills: $(diff resumed events)"

rm model
# What does not go together; a pipe without a reader does not hang.
# shellcheck disable=SC2086
{
  expect_failure 2 "--events - does not go with --json" "$sda" fit $fit -o model1 --events - --json
  expect_failure 2 "--events does not go with --algorithm svi" "$sda" fit $fit -o model1 --algorithm svi \
    --total-documents 8000 --events new
  expect_failure 2 "--events is not for --model coin" "$sda" fit --model coin x.csv -o model1 --events new
  expect_failure 2 "is also an input or another output" "$sda" fit $fit -o model1 --events stream.jsonl
  expect_failure 2 "--events" "$sda" fit $fit -o model1 --events new --seeds 2
  mkfifo pipe
  expect_failure 1 "pipe: is not an ordinary file" "$sda" fit $fit -o model1 --events pipe
}
