# sda fit --follow: what happens to a file between two looks at it, and what is refused for it cannot
# be told: a file that is cut and renamed, copies, files that come between.
here=$(realpath "$(dirname "$0")")
source "$here/common.sh" "$1"
source "$here/follow_common.sh"
options="--topics 5 --minibatch 50 --vocab-from 100 --minibatch-seconds 0.2 --follow --checkpoint-every 0.2s"
anew() {
  rm -rf log* folder model
  lines 1 110 >log
}
# expect_end MESSAGE: of a run by itself.
expect_end() {
  local status=0
  wait $run || status=$?
  [[ $status == 1 ]] || fail "status $status: $(cat err)"
  expect_match err "$1"
}

# Cut, and renamed before anything is written.
anew
start log --checkpoint folder
wait_for saved_documents 110
: >log
wait_for grep -q 'log: was truncated' err
mv log log.1
lines 111 130 >log
wait_for saved_documents 130

# Cut, written and renamed, all between two looks: it is the file that was cut that is read.
kill -STOP $run
: >log
lines 131 135 >log
mv log log.2
lines 136 150 >log
kill -CONT $run
wait_for saved_documents 150
expect_match err 'log: was replaced; the new file is read'

# An empty file that comes between is passed over.
mv log log.4
: >log
mv log log.3
lines 151 160 >log
wait_for saved_documents 160
end_with TERM
expect_mass

# A longer copy in its place, as an editor leaves it, is not read as new; a run that goes on knows
# where it was.
anew
start log --checkpoint folder
wait_for saved_documents 110
lines 1 120 >new
mv new log
expect_end 'log: was replaced by a file that begins as the one before'
start log --checkpoint folder --resume
wait_for saved_documents 120
end_with TERM

# Two that came between, whatever they are called.
for name in log.2026-01-31 log-20260131T00.gz; do
  anew
  start log --checkpoint folder
  wait_for saved_documents 110
  end_with TERM
  mv log log.2026-01-30
  sleep 0.1  # the time of a file has its grains
  lines 111 120 >$name
  lines 121 130 >log
  expect_refusal "log: was replaced more than once while it was not read: $name seems to come between"
done

# Without a standard input the file is no standard input.
anew
# shellcheck disable=SC2086
"$sda" fit log $options -o model <&- >out 2>err &
run=$!
wait_for saved_documents 110
mv log log.1
lines 111 130 >log
wait_for saved_documents 130
end_with TERM

# Only the last input may be another than before, however small it is.
anew
lines 1 10 >first
start first log --checkpoint folder
wait_for saved_documents 120
lines 11 12 >>first
lines 111 115 >>log
wait_for saved_documents 125
end_with TERM
status=0
# shellcheck disable=SC2086
"$sda" fit first log $options -o model --checkpoint folder --resume >out 2>err || status=$?
[[ $status == 1 ]] || fail "status $status: $(cat err)"
expect_match err 'first: has grown \(only the last of the inputs may\) since the checkpoint'
rm model
