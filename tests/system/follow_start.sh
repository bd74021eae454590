# sda fit --follow --checkpoint, ended before it has learnt anything: the place in the input is kept
# from the first moment, so that nothing is lost if the file gets another name meanwhile.
here=$(realpath "$(dirname "$0")")
source "$here/common.sh" "$1"
source "$here/follow_common.sh"
follow="--minibatch-seconds 0.2 --follow --checkpoint-every 0.2s"
options="--topics 5 --minibatch 50 --vocab-from 200 $follow"
anew() { rm -rf log* first* folder model; }
kept() { has_checkpoint folder; }
# end_early SIGNAL: a run that waits for more documents than there are.
end_early() {
  wait_for kept
  wait_for handles_term $run
  end_with "$1"
  [[ ! -e model ]] || fail "a model of nothing was saved"
}

# Killed or stopped while it waits for the words; the file is renamed, and another has its name.
for signal in KILL TERM; do
  anew
  lines 1 110 >log
  start log --checkpoint folder --resume
  end_early $signal
  if [[ $signal == TERM ]]; then
    expect_match err 'nothing was learnt yet; the place in the input is kept in folder, and the same command'
  fi
  mv log log.1
  lines 111 300 >log
  if [[ $signal == KILL ]]; then
    start log --checkpoint folder --resume
  else  # with the options that the run began with
    "$sda" fit --checkpoint folder --resume >out 2>err &
    run=$!
  fi
  wait_for saved_documents 300
  expect_match err 'folder: nothing was learnt yet; starting where the run began'
  end_with TERM
  expect_mass
done

# So is a file that was empty: the same name another time; ended again and again.
anew
: >log
start log --checkpoint folder --resume
end_early KILL
lines 1 5 >>log
mv log log-20260131
lines 6 20 >log
start log --checkpoint folder --resume
end_early TERM
start log --checkpoint folder --resume
end_early KILL
lines 21 250 >>log
start log --checkpoint folder --resume
wait_for saved_documents 250
end_with TERM
expect_mass

# The one that is followed is held, and kept, while those before it are read.
anew
lines 1 110 >first
lines 111 120 >log
options="--topics 5 --minibatch 50 --vocab-from 100 $follow"
start first log --checkpoint folder --resume
wait_for saved_documents 120
end_with KILL
anew
options="--topics 5 --minibatch 50 --vocab-from 200 $follow"
lines 1 110 >first
lines 111 120 >log
start first log --checkpoint folder --resume
end_early KILL
mv log log.1
lines 121 260 >log
start first log --checkpoint folder --resume
wait_for saved_documents 260
end_with TERM
expect_mass

# JSON lines, compressed meanwhile.
anew
lines 1 110 | sed 's/.*/{"text": "&"}/' >log
start log --checkpoint folder --resume
end_early KILL
gzip log
mv log.gz log.1.gz
lines 111 300 | sed 's/.*/{"text": "&"}/' >log
start log --checkpoint folder --resume
wait_for saved_documents 300
end_with KILL
expect_mass

# Copied and cut: what was in it is read from the copy, by a run that begins and by one that goes on.
anew
lines 1 110 >log
start log --checkpoint folder --resume
end_early KILL
lines 111 120 >>log
cp log log.1
lines 121 300 >log
start log --checkpoint folder --resume
wait_for saved_documents 300
kill -STOP $run
lines 301 310 >>log
mv log.1 log.2
cp log log.1
lines 311 320 >log
kill -CONT $run
wait_for saved_documents 320
expect_match err 'log: was truncated; the rest of what was in it is read from log.1'
end_with TERM
expect_mass

# Cut without a copy, it is said.
anew
lines 1 110 >log
start log --checkpoint folder --resume
end_early TERM
lines 111 320 >log
start log --checkpoint folder --resume
wait_for saved_documents 210
expect_match err 'log: was truncated since the checkpoint; it is read from its start again'
# Written beyond its former size between two looks.
kill -STOP $run
lines 1 250 >log
kill -CONT $run
wait_for saved_documents 460
end_with TERM
expect_mass

# A file that is gone is named; so are other options, another kind of damage, a folder without --resume.
anew
lines 1 110 >log
start log --checkpoint folder --resume
end_early KILL
# shellcheck disable=SC2086
expect_failure 2 'folder: holds checkpoints of an earlier run' "$sda" fit log $options -o model --checkpoint folder
# shellcheck disable=SC2086
expect_failure 2 '--topics was 5, now 6' "$sda" fit log ${options/--topics 5/--topics 6} -o model --checkpoint folder --resume
mv log elsewhere
lines 111 300 >log
expect_refusal 'log: is another file than the one that was followed, of which 0 bytes are read: that one is missing'
mv elsewhere log.1
for file in folder/checkpoint-*; do printf 'x' >>"$file"; done
expect_refusal 'folder/checkpoint-0*[0-9]: is damaged'

# Tables: a classifier waits for 200 rows, a mixture for its first minibatch.
rows() { awk -v from="$1" -v to="$2" 'BEGIN {srand(3); print "u,y"; for (i = 1; i <= to; ++i) {
  u = rand() - 0.5; y = (u + 0.3 * (rand() - 0.5) > 0 ? "1" : "0"); if (i >= from) print u "," y }}'; }
for model in "probit --target y" "mixture --first-minibatch 200"; do
  for signal in KILL TERM; do  # at SIGTERM they learn from what is there
    anew
    options="--model $model $follow"
    rows 1 110 >log
    start log --checkpoint folder --resume
    wait_for kept
    wait_for handles_term $run
    end_with $signal
    mv log log.1
    rows 111 300 >log
    start log --checkpoint folder --resume
    wait_for saved_rows 300
    end_with TERM
  done
done
# Stopped before there is a row.
anew
: >log
start log --checkpoint folder
end_early TERM
expect_match err 'log: stopped before the first row; nothing was learnt yet; the place in the input is kept in folder'
