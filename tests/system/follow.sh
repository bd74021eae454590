# sda fit --follow: a file that grows, standard input without end; SIGHUP saves, SIGTERM ends well,
# and the saved model can be read at any time. follow_rotated.sh is about files that are replaced.
here=$(realpath "$(dirname "$0")")
source "$here/common.sh" "$1"
source "$here/follow_common.sh"

fit="--topics 5 --minibatch 50 --vocab-from 100 --minibatch-seconds 0.2 --follow"

# The words and topics come from the first 100 documents; then each group as it comes.
head -n 100 all.txt >growing
# shellcheck disable=SC2086
"$sda" fit growing $fit -o model --checkpoint folder --checkpoint-every 0.2s >out 2>err &
run=$!
wait_for saved_documents 100
sed -n 101,107p all.txt >>growing
printf 'word001x word0' >>growing  # half a line is waited for
wait_for saved_documents 107
"$sda" topics model >topics.txt 2>&1 || fail "topics of the saved model: $(cat topics.txt)"
"$sda" eval model all.txt >eval.txt 2>&1 || fail "eval of the saved model: $(cat eval.txt)"
printf '02x\n' >>growing
wait_for saved_documents 108
kill -TERM $run
wait $run || fail "SIGTERM: $(cat err)"
expect_match err 'stopped early; saved model'

# Killed, and gone on: what came meanwhile is read, nothing twice.
sed -n 108,300p all.txt >>growing
# shellcheck disable=SC2086
"$sda" fit growing $fit -o model --checkpoint folder --checkpoint-every 0.2s --resume >out 2>err &
run=$!
wait_for saved_documents 301
kill -KILL $run
wait $run 2>/dev/null || true
tail -n 300 all.txt >>growing
# shellcheck disable=SC2086
"$sda" fit growing $fit -o model --checkpoint folder --checkpoint-every 0.2s --resume >out 2>err &
run=$!
wait_for saved_documents 601
kill -TERM $run
wait $run || fail "SIGTERM: $(cat err)"
rm model

# Standard input; saves at SIGHUP alone, and at the end.
mkfifo pipe
# shellcheck disable=SC2086
"$sda" fit - --format text $fit -o model --checkpoint-every 1000s <pipe >out 2>err &
run=$!
exec 3>pipe
head -n 130 all.txt >&3
wait_for grep -q 'SIGHUP saves now' err
sleep 1.5  # so long nothing is to happen
[[ ! -e model ]] || fail "saved before it was time"
wait_for hang_up_saves 130
sed -n 131,140p all.txt >&3
exec 3>&-  # the writer is done
wait $run || fail "end of standard input: $(cat err)"
saved_documents 140 || fail "the last documents are not in the model"
rm model

# What makes no sense is refused.
printf '1\n3\n1\n1 1 2\n' >docword.x.txt
expect_failure 1 "docword.x.txt: has the format uci, expected text or JSON lines, which may grow" \
  "$sda" fit docword.x.txt --follow -o model
expect_failure 2 "--holdout does not go with --follow" "$sda" fit all.txt --follow --holdout h -o model
expect_failure 2 "svmlight rows cannot be followed" "$sda" fit a.svm --model probit --follow -o model
expect_failure 1 "nothing: cannot open" "$sda" fit nothing --follow -o model

# Ended before the first minibatch, it leaves the model as it was; a file may come by standard input.
"$sda" fit all.txt --topics 5 -o model >out 2>err
cp model before
printf 'one two three\n' >few
# shellcheck disable=SC2086
"$sda" fit - --format text $fit -o model <few >out 2>err &
following=$!
wait_for handles_term $following
kill -0 $following || fail "ended by itself: $(cat err)"
kill -TERM $following
wait $following || fail "status $?: $(cat err)"
expect_match err 'stopped before the first (document|minibatch); nothing was learnt yet'
cmp before model || fail "a model of nothing was saved"
: >empty.csv
"$sda" fit empty.csv --model normal --follow -o model >out 2>err &
following=$!
wait_for handles_term $following
kill -TERM $following
wait $following || fail "status $?: $(cat err)"
expect_match err 'empty.csv: stopped before the first row; nothing was learnt yet'
cmp before model || fail "a model of nothing was saved"
