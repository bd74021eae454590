# A model that was saved continues to learn: counts and mass continue, its settings stay.
source "$(dirname "$0")/common.sh" "$1"
source_folder=$2

awk 'BEGIN {srand(3); for (d = 0; d < 900; ++d) { t = int(rand() * 4); printf "{\"body\": \"";
  for (i = 0; i < 25; ++i) printf "word%03dx ", t * 20 + int(20 * rand());
  print "\"}" }}' >all.jsonl
head -n 400 all.jsonl >a.jsonl
tail -n +401 all.jsonl >b.jsonl
options="--topics 4 --minibatch 100 --text-field body"
# shellcheck disable=SC2086
"$sda" fit a.jsonl $options --first-minibatch 200 -o first >out 2>err

# More documents: minibatches, documents, tokens and mass continue.
"$sda" fit --from first b.jsonl --minibatch 100 -o second >out 2>err || fail "$(cat err)"
[[ $(number first minibatches) == 3 ]] || fail "$(number first minibatches) minibatches in the first"
[[ $(number second minibatches) == 8 ]] || fail "$(number second minibatches) minibatches in the second"
[[ $(number second documents) == 900 ]] || fail "$(number second documents) documents"
[[ $(mass second) == "$(number second tokens).0000" ]] || fail "mass $(mass second), not the tokens"

# Killed and resumed, also by --resume alone, the result is the same.
"$sda" fit --from first b.jsonl --minibatch 100 -o third --checkpoint state --checkpoint-every 1 \
  >out 2>err || fail "$(cat err)"
rm "$(find state -name 'checkpoint-*' | sort | tail -n 1)"
"$sda" fit --checkpoint state --resume -o third >out 2>err || fail "$(cat err)"
"$sda" export second --lambda second.npy
"$sda" export third --lambda third.npy
cmp second.npy third.npy || fail "another posterior after a resume"

# With a half-life what was known decays towards eta: far less than all is left.
"$sda" fit --from first b.jsonl --half-life 60 -o faded >out 2>err || fail "$(cat err)"
awk -v left="$(mass faded)" -v all="$(number faded tokens)" 'BEGIN {exit !(left < 0.3 * all)}' ||
  fail "nothing was forgotten: $(mass faded)"

# What is part of the model is refused by name.
mkdir refused
cd refused
expect_failure 2 '--topics is 5, but the model to continue from has 4' \
  "$sda" fit --from ../first ../b.jsonl --topics 5 -o model
expect_failure 2 '--eta is 0.5' "$sda" fit --from ../first ../b.jsonl --eta 0.5 -o model
expect_failure 2 '--stop-words is "none"' "$sda" fit --from ../first ../b.jsonl --stop-words none -o model
expect_failure 2 '--text-field is "text"' "$sda" fit --from ../first ../b.jsonl --text-field text -o model
expect_failure 2 '--first-minibatch is given' "$sda" fit --from ../first ../b.jsonl --first-minibatch 9 -o model
printf 'some\nwords\n' >words.txt
expect_failure 2 '--vocab is given' "$sda" fit --from ../first ../b.jsonl --vocab words.txt -o model
expect_failure 2 '--from is not for --model linear' "$sda" fit --from ../first ../b.jsonl --model linear -o model
expect_failure 2 'is also an input or another output' \
  "$sda" fit --from ../first ../b.jsonl -o model --report ../first
cd ..
expect_match <("$sda" fit --from first b.jsonl --topics 4 -o same 2>&1) '^900 documents'

# A run that is resumed does not overwrite its input either.
cp b.jsonl before
if "$sda" fit --checkpoint state --resume -o b.jsonl >out 2>err; then fail "b.jsonl was overwritten"; fi
expect_match err 'b.jsonl: is also an input or another output'
cmp b.jsonl before || fail "b.jsonl has changed"

# A model of an earlier version: what it lacks is assumed, and this is reported; it can be given.
old=$source_folder/tests/fixtures/models/0.1/lda_gibbs.safetensors
echo "a document of some words" >text.txt
if "$sda" fit --from "$old" text.txt -o continued >out 2>err; then :; fi
expect_match err 'how documents were read is not saved in it; assuming --stop-words english'
expect_match err 'the number of minibatches is not saved in it; assuming 1'
