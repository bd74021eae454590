# sda fit --follow as tail -F: a file that is renamed, with another in its place; one that is cut;
# also while nobody reads. Tables. Asynchronous workers that are killed: each document once.
here=$(realpath "$(dirname "$0")")
source "$here/common.sh" "$1"
source "$here/follow_common.sh"
options="--topics 5 --minibatch 50 --vocab-from 100 --minibatch-seconds 0.2 --follow --checkpoint-every 0.2s"

# Renamed: what is still written to the old file is read, and then the new one. Its last line has no
# end, and is one all the same.
lines 1 110 >log
start log --checkpoint folder
wait_for saved_documents 110
mv log log.1
lines 111 119 >>log.1
wait_for saved_documents 119
lines 120 120 | tr -d '\n' >>log.1
lines 121 130 >log
wait_for saved_documents 130
expect_match err 'log: was replaced; the new file is read'

# Cut, as by copytruncate: said, and read from its start.
lines 131 135 >log
wait_for saved_documents 135
expect_match err 'log: was truncated; it is read from its start again'

# The same while nobody reads: the rest of the old file is found by what it is, not by its name.
end_with KILL
lines 136 140 >>log
mv log log.2
rm log.1
start log --checkpoint folder --resume  # there is no log at all yet
wait_for saved_documents 140
lines 141 150 >log
wait_for saved_documents 150
end_with TERM
lines 151 300 >>log
cp log log.3
lines 301 310 >log
start log --checkpoint folder --resume
wait_for saved_documents 310
end_with TERM
: >log
lines 311 320 >log
rm log.*
start log --checkpoint folder --resume
wait_for saved_documents 320
expect_match err 'log: was truncated since the checkpoint; it is read from its start again'
end_with KILL
expect_mass

# What cannot be told apart is refused: another file, and the old one nowhere; two that came between.
mv log elsewhere
lines 321 330 >log
expect_refusal 'log: is another file than the one that was followed, of which [0-9]+ bytes are read'
mv log log.1
mv elsewhere log.2
sleep 0.1  # the time of a file has its grains
touch log.1
lines 331 340 >log
expect_refusal 'log: was replaced more than once while it was not read: log.1 seems to come between'
cat log.1 >>log.2  # as the message says
rm log.1
start log --checkpoint folder --resume
wait_for saved_documents 340
end_with TERM
rm -rf log* folder model

# Of several files the last one grows. Asynchronous workers, killed again and again: their
# minibatches, cut by the clock and folded in any order, are known again.
lines 1 150 | gzip >first.gz
: >log
start first.gz log --schedule async --workers 3 --checkpoint folder
for ((n = 150; n < 450; n += 20)); do
  lines $((n + 1)) $((n + 7)) >>log
  sleep 0.3  # for minibatches of any size
  lines $((n + 8)) $((n + 20)) >>log
  if ((n % 60 == 50)); then
    # A file goes only when it was read: two at once are refused.
    if ((n % 120 == 50)); then wait_for saved_documents $((n + 20)); fi
    end_with KILL
    if ((n % 120 == 50)); then mv log log.$n; fi
    start first.gz log --schedule async --workers 3 --checkpoint folder --resume
  fi
done
wait_for saved_documents 450
end_with TERM
expect_mass
rm -rf log* folder model

# Tables: the same, and each file has its header line.
rows() { awk -v from="$1" -v to="$2" 'BEGIN {srand(3); for (i = 1; i <= to; ++i) {
  u = rand() - 0.5; y = (u + 0.3 * (rand() - 0.5) > 0 ? "yes" : "no"); if (i >= from) print u "," y }}'; }
options="--model probit --target y --minibatch-seconds 0.2 --follow --checkpoint-every 0.2s"
(echo u,y; rows 1 210) >log
start log --checkpoint folder
wait_for saved_rows 210
rows 211 220 >>log
printf '0.25,y' >>log  # half a row is waited for
wait_for saved_rows 220
"$sda" show model >show.txt || fail "show of the saved model"
expect_match show.txt 'coef'
mv log log.1
(echo u,y; rows 221 230) >log
printf 'es\n' >>log.1
wait_for saved_rows 231
kill -HUP $run
end_with KILL
rows 231 240 >>log
start log --checkpoint folder --resume
wait_for saved_rows 241
end_with TERM
expect_match out 'probit model after 241 rows'
expect_match out 'coef.u. *[0-9]'
rm model
