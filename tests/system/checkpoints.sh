# What a run that goes on insists on, and what it does when things go wrong: a message that says it,
# a status that is not 0, and the last good checkpoint still there.
source "$(dirname "$0")/common.sh" "$1"

awk 'BEGIN {srand(7); for (d = 0; d < 1000; ++d) { t = int(rand() * 6); printf "{\"text\": \"";
  for (i = 0; i < 30; ++i) printf "word%03dx ", (t * 30 + int(-20 * log(1 - rand()))) % 200;
  print "\"}" }}' >all.jsonl
head -n 600 all.jsonl >a.jsonl
cp all.jsonl b.jsonl
fit="a.jsonl b.jsonl --topics 5 --minibatch 50 --first-minibatch 100 --vocab-from 200"
# shellcheck disable=SC2086
"$sda" fit $fit -o whole >out 2>err

# A run that fails in the middle, at a bad line. (The thread that saves may be too slow for it.)
sed '900s/text/test/' all.jsonl >b.jsonl
for ((i = 0; i < 500; ++i)); do
  rm -rf folder
  # shellcheck disable=SC2086
  expect_failure 1 "b.jsonl:900: " "$sda" fit $fit -o model --checkpoint folder --checkpoint-every 1
  if [[ $(find folder -name 'checkpoint-*' | wc -l) == 2 ]]; then break; fi
done
cp all.jsonl b.jsonl  # mended
ls folder/checkpoint-* >before || fail "no checkpoint was written"

# Other options, and other data, are refused by name; nothing is changed.
# shellcheck disable=SC2086
{
  expect_failure 2 "--topics was 5, now 6; a run resumes only with the options it began with" \
    "$sda" fit ${fit/--topics 5/--topics 6} -o model --checkpoint folder --resume
  expect_failure 2 "--seed was 1, now 3" "$sda" fit $fit --seed 3 -o model --checkpoint folder --resume
  expect_failure 2 "--schedule was serial, now sync; --workers was 1, now 2" \
    "$sda" fit $fit --schedule sync --workers 2 -o model --checkpoint folder --resume
  expect_failure 2 "INPUT was a.jsonl,b.jsonl, now a.jsonl" \
    "$sda" fit ${fit/b.jsonl/} -o model --checkpoint folder --resume
  expect_failure 2 "holds checkpoints of an earlier run; resume from them with --resume" \
    "$sda" fit $fit -o model --checkpoint folder
  expect_failure 2 "--resume needs --checkpoint DIR" "$sda" fit $fit -o model --resume
  expect_failure 2 "--checkpoint-every is 3h, must be seconds" \
    "$sda" fit $fit -o model --checkpoint new --checkpoint-every 3h
  expect_failure 2 "standard input: cannot be read again" "$sda" fit - -o model --checkpoint new <a.jsonl
  expect_failure 2 "there is no checkpoint, so INPUT and --output are required" \
    "$sda" fit --checkpoint nothing --resume
  expect_failure 2 "INPUT is required" "$sda" fit -o model
  expect_failure 2 "--output is required" "$sda" fit a.jsonl

  mv a.jsonl a.old
  expect_failure 1 "a.jsonl: cannot open: no such file" "$sda" fit $fit -o model --checkpoint folder --resume
  head -n 500 a.old >a.jsonl
  expect_failure 1 "a.jsonl: has shrunk from" "$sda" fit $fit -o model --checkpoint folder --resume
  sed '1s/word1/work1/' a.old >a.jsonl
  expect_failure 1 "a.jsonl: has changed since the checkpoint" "$sda" fit $fit -o model --checkpoint folder --resume
  mv a.old a.jsonl
}
ls folder/checkpoint-* | cmp - before || fail "a refused run changed the folder"

# One byte of the last checkpoint: the one before is used, this is said, and the model is the same.
cp -r folder damaged
last=$(ls damaged/checkpoint-* | tail -n 1)
printf 'X' | dd of="$last" bs=1 seek=3000 conv=notrunc status=none
# shellcheck disable=SC2086
"$sda" fit $fit -o model --checkpoint damaged --resume >out 2>err || fail "$(cat err)"
expect_match err "$last: is damaged: its checksum does not match its content; the checkpoint before it is used"
cmp model whole || fail "another model after a damaged checkpoint"
[[ ! -e $last ]] || fail "the damaged checkpoint counts"
rm model
for file in damaged/checkpoint-*; do truncate -s 100 "$file"; done
# shellcheck disable=SC2086
expect_failure 1 "there is no other checkpoint in damaged that is not damaged" \
  "$sda" fit $fit -o model --checkpoint damaged --resume

# Files may not be larger than so many blocks: the checkpoint cannot be written, the old ones stay.
# shellcheck disable=SC2086
(ulimit -f 4; ! "$sda" fit $fit -o model --checkpoint folder --resume >out 2>err) ||
  fail "a checkpoint beyond the limit was written"
expect_match err '^(sda: )?folder/checkpoint-[0-9]+: cannot write: File too large'
ls folder/checkpoint-* | cmp - before || fail "a failed save changed the folder"
[[ -z $(find folder -name '*.tmp.*') ]] || fail "a failed save left $(ls folder)"
# The model alone: no checkpoint is due before the end, but the model is too large.
# shellcheck disable=SC2086
(ulimit -f 4; expect_failure 1 "model: cannot write: File too large" "$sda" fit $fit -o model)

# No memory for what is asked: a message, not a crash. (Sanitizers need more to begin with.)
if ! grep -qE '__[at]san_init' "$sda"; then
  (ulimit -v 600000; expect_failure 1 "out of memory" \
    "$sda" fit a.jsonl --topics 200000 --primitive vb -o model)
fi

# The last checkpoint cannot be written: the model is saved all the same.
"$sda" fit --follow all.jsonl --topics 5 --vocab-from 200 --minibatch-seconds 0.1 -o saved.model --checkpoint gone \
  --checkpoint-every 0.1s >out 2>err &
run=$!
until [[ $(head -c 100000 saved.model 2>/dev/null | grep -ac '"documents":"1000"') == 1 ]]; do
  kill -0 $run || fail "$(cat err)"
  sleep 0.1
done
rm -r gone saved.model
kill -TERM $run
status=0
wait $run || status=$?
[[ $status == 1 ]] || fail "status $status: $(cat err)"
expect_match err '^sda: gone/checkpoint-[0-9]+: cannot write: No such file or directory$'
"$sda" topics saved.model >out || fail "the model was not saved"
rm saved.model

# A name that no checkpoint can hold.
cp a.jsonl $'caf\xe9.jsonl'
expect_failure 2 'caf\xe9.jsonl" is not UTF-8' "$sda" fit $'caf\xe9.jsonl' --topics 5 -o model --checkpoint new

# A folder that cannot be written to, a file in its place, a folder that vanishes. (Root may write
# anywhere but in /proc.)
# shellcheck disable=SC2086
{
  expect_failure 1 "/proc/sda: cannot make this folder" "$sda" fit $fit -o model --checkpoint /proc/sda
  expect_failure 1 "cannot make this folder: File exists" \
    "$sda" fit $fit -o model --checkpoint a.jsonl
  if ((EUID != 0)); then
    mkdir -p readonly && chmod a-w readonly
    expect_failure 1 "readonly/lock: cannot write: Permission denied" \
      "$sda" fit $fit -o model --checkpoint readonly
    chmod u+w readonly
  fi
}

# All the options again, or none of them; threads and the report may change. Both give the model.
cp -r folder folder2
# shellcheck disable=SC2086
"$sda" fit $fit -o model --checkpoint folder --resume --threads 1 >out 2>err || fail "$(cat err)"
expect_match err 'resuming from folder/checkpoint-[0-9]+, after [0-9,]+ documents'
cmp model whole || fail "another model"
"$sda" fit --checkpoint folder2 --resume -o model2 --report report.json >out 2>err || fail "$(cat err)"
cmp model2 whole || fail "another model without the options"
expect_match report.json '"documents": 1600'
rm model model2

# A run that has ended goes on when its file has grown: the new documents are read, no other.
# shellcheck disable=SC2086
{
  head -n 40 all.jsonl | sed 's/word/ word001x word/' >>b.jsonl
  "$sda" fit $fit -o longer --checkpoint folder2 --resume --report report.json >out 2>err || fail "$(cat err)"
  expect_match report.json '"documents": 1640'
}
# In another directory it says where the run was started.
mkdir elsewhere
(cd elsewhere && expect_failure 2 "the run was started in" "$sda" fit --checkpoint ../folder2 --resume)

# Two runs do not share a folder.
mkfifo held
( flock 9; echo >held; exec sleep 1000 ) 9>folder2/lock &
holder=$!
read -r <held
expect_failure 1 "folder2: is in use by another run" "$sda" fit --checkpoint folder2 --resume
kill $holder 2>/dev/null || true

# Files of others are left alone.
mkdir -p kept
touch kept/checkpoint-best.pt model.tmp.keep
# shellcheck disable=SC2086
"$sda" fit $fit -o model --checkpoint kept >out 2>err
[[ -e kept/checkpoint-best.pt && -e model.tmp.keep ]] || fail "removed what was not its own"

# A last line without its end is whole when the end comes; classes keep their numbers over a resume
# that finds nothing new.
printf 'x,y\n1,2\n3,4' >grows.csv
"$sda" fit grows.csv --model normal -o grown --checkpoint growing >out 2>err
printf '\n5,6\n' >>grows.csv
"$sda" fit grows.csv --model normal -o grown --checkpoint growing --resume >out 2>err || fail "$(cat err)"
expect_match out 'after 3 rows'
awk 'BEGIN {srand(3); for (i = 0; i < 300; ++i) { u = rand() - 0.5; print (u + 0.3 * (rand() - 0.5) > 0 ? 1 : -1) " 1:" u }}' >labels.svm
head -n 150 labels.svm >part.svm
"$sda" fit labels.svm --model probit -o whole >out 2>err
for add in 0 0 150; do
  awk -v n=$add 'NR > 150 && NR <= 150 + n' labels.svm | sort -n >>part.svm
  "$sda" fit part.svm --model probit -o parts --checkpoint parts.folder --resume >out 2>err || fail "$(cat err)"
done
"$sda" show whole >show.whole
"$sda" show parts >show.parts
[[ $(grep -c 'coef.1. *[0-9]' show.whole) == $(grep -c 'coef.1. *[0-9]' show.parts) ]] ||
  fail "classes were swapped: $(cat show.parts)"

# Of several inputs only the last may grow.
printf 'x\n1\n2\n' >p.csv
printf 'x\n3\n4\n' >q.csv
"$sda" fit p.csv q.csv --model normal -o two --checkpoint two.folder >out 2>err
echo 9 >>p.csv
rm model model.tmp.keep
expect_failure 1 'p.csv: has grown' "$sda" fit p.csv q.csv --model normal -o two --checkpoint two.folder --resume
