# Help that helps: sda help, manual pages, completion, suggestions, --quiet, --config, colours, and
# messages that are easily wrong.
source "$(dirname "$0")/common.sh" "$1"

printf 'a,b\n1,2\n3,5\n4,4\n' >good.csv
for i in $(seq 1 60); do
  echo "sail harbour anchor tide vessel captain reef mast"
  echo "oven butter flour recipe dough sauce pepper bread"
done >documents.txt
echo tree >one.txt

# ---- help ------------------------------------------------------------------------------------------

"$sda" help >out
expect_match out '^  fit  +Learn a model'
"$sda" help fit | cmp - <("$sda" fit --help) || fail "sda help fit is not sda fit --help"
"$sda" help fit >out
expect_match out '^Usage: sda fit \[OPTIONS\]'
expect_match out '--columns NAME,\.\.\. .*commas'
expect_match out '--alpha NUMBER,\.\.\. '
expect_match out '--try-topics N,\.\.\. '
"$sda" help compare >out
expect_match out '--topics N,\.\.\. '
expect_failure 2 'sda has no command "fitt"; did you mean fit? (see sda --help)' "$sda" help fitt

# ---- did you mean ------------------------------------------------------------------------------------

expect_failure 2 'no command "tpoics"; did you mean topics? (see sda --help)' "$sda" tpoics m
expect_failure 2 'no option --num-topics; did you mean --topics? (see sda fit --help)' \
  "$sda" fit documents.txt --num-topics 20 -o model
expect_failure 2 'no option --topic; did you mean --topics?' "$sda" fit documents.txt --topic 20 -o model
expect_failure 2 'no option --n_components; did you mean --topics?' "$sda" fit documents.txt --n_components=20
expect_failure 2 'no option --k; did you mean --topics?' "$sda" fit documents.txt --k 20
if "$sda" cluster --help | found create; then
  expect_failure 2 'no option --thread; did you mean --threads? (see sda cluster work --help)' \
    "$sda" cluster work job --thread 3
  "$sda" help cluster create >out
  expect_match out '--topics N=100 +Number of topics$'  # workers need it: auto is for sda fit
fi
expect_failure 2 'no option --vocabulary; did you mean --vocab?' "$sda" fit documents.txt --vocabulary words.txt
expect_failure 2 'no option --random-state; did you mean --seed?' "$sda" fit documents.txt --random-state 20
expect_failure 2 'no option --xyzzy-plugh (see sda fit --help)' "$sda" fit documents.txt --xyzzy-plugh
expect_failure 2 '--topics goes after the command, as in fit --topics' "$sda" --topics 20 fit documents.txt
expect_failure 2 '--words goes after the command, as in topics --words' "$sda" --words 20
expect_failure 2 '"more" is one argument too many' "$sda" topics a more
expect_failure 2 '--words: Value -1 not in range 0 to 1000000000' "$sda" topics a --words -1
expect_failure 2 'must be a whole number' "$sda" fit documents.txt --seed -1 -o model

# ---- manual pages and completion -----------------------------------------------------------------------

mkdir man
"$sda" help --man man 2>err
expect_match err 'wrote [0-9]+ manual pages to man; read one with: man man/sda\.1'
for page in sda sda-fit sda-topics sda-help; do [[ -s man/$page.1 ]] || fail "no man/$page.1"; done
expect_match man/sda-fit.1 '^\.TH SDA\\-FIT 1'
expect_match man/sda-fit.1 '^\\fB\\-\\-topics\\fR'
if command -v groff >/dev/null; then
  for page in man/*.1; do
    groff -man -Tutf8 -ww -z "$page" 2>troubles || true
    [[ ! -s troubles ]] || fail "$page: $(cat troubles)"
  done
fi
expect_failure 1 'nowhere: is not a folder' "$sda" help --man nowhere

"$sda" completion bash >completion.bash
# complete WORD...: what bash offers for the last word.
complete_words() {
  bash -c 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sda 2>/dev/null
           printf "%s\n" "${COMPREPLY[@]}"' completion.bash "$@"
}
complete_words sda to | found -x topics || fail "bash does not complete sda to"
complete_words sda fit --top | found -x -- --topics || fail "bash does not complete sda fit --top"
complete_words sda fit --schedule s >out
diff out <(printf 'serial\nsync\n') || fail "bash completes --schedule s as $(cat out)"
complete_words sda show good | found -x good.csv || fail "bash does not complete files"
[[ -z $(complete_words sda fit --topics '') ]] || fail "bash completes a number"
complete_words sda help f | found -x fit || fail "bash does not complete sda help f"
if "$sda" cluster --help | found create; then
  complete_words sda cluster cr | found -x create || fail "bash does not complete sda cluster cr"
  complete_words sda cluster create --part | found -x -- --partitions || fail "nor its options"
fi
"$sda" completion zsh >_sda
"$sda" completion fish >sda.fish
if command -v zsh >/dev/null; then zsh -n _sda || fail "zsh cannot read its completion"; fi
if command -v fish >/dev/null; then
  fish -n sda.fish || fail "fish cannot read its completion"
  fish -c 'source sda.fish; complete -C "sda fit --top"' >out
  expect_match out '^--topics'
  fish -c 'source sda.fish; complete -C "sda fit --schedule s"' >out
  expect_match out '^serial'
fi
expect_failure 2 'SHELL' "$sda" completion tcsh

# ---- --quiet ------------------------------------------------------------------------------------------

"$sda" fit good.csv --model normal -o quiet.model --quiet >out 2>err
[[ ! -s err ]] || fail "--quiet said: $(cat err)"
[[ -s out ]] || fail "--quiet printed no result"
expect_failure 1 'nothing.csv' "$sda" fit nothing.csv --model normal -o model -q

# ---- --config -----------------------------------------------------------------------------------------

cat >sda.conf <<'END'
# For every command that has them.
seed = 7
words = 3   # of each topic

[fit]
topics = 4
stop-words = "none"
alpha = [0.1, 0.2, 0.3, 0.4]
min-df = 1
max-share = 1.0
END
"$sda" fit documents.txt --config sda.conf -o topics.model >out 2>err || fail "$(cat err)"
expect_match out '120 documents, 960 tokens of 16 words, 4 topics'
"$sda" show topics.model >out
expect_match out '^--seed +7$'
expect_match out '^--alpha +0\.1,0\.2,0\.3,0\.4$'
# The command line counts more.
"$sda" fit documents.txt --config sda.conf --topics 2 --alpha 0.5 -o other.model >out 2>err || fail "$(cat err)"
expect_match out '2 topics'
"$sda" topics topics.model --config=sda.conf >out
[[ $(awk '$1 == 0 {print NF}' out) == 6 ]] || fail "the file did not set --words: $(cat out)"
config() {
  printf '%s\n' "$@" >bad.conf
  "$sda" fit documents.txt --config bad.conf -o model
}
expect_failure 2 'bad.conf:2: sda fit has no option "num-topics"; did you mean --topics?' \
  config '[fit]' 'num-topics = 3'
expect_failure 2 'bad.conf:1: there is no command "fitt"; did you mean fit?' config '[fitt]'
expect_failure 2 'bad.conf:1: no command has an option "colour"' config 'colour = 3'
expect_failure 2 'bad.conf:2: found "topics 3", expected NAME = VALUE' config '' 'topics 3'
expect_failure 2 'bad.conf:2: eta is -1' config '[fit]' 'eta = -1'
expect_failure 2 'bad.conf:3: ' config '[fit]' '' 'topics = many'
expect_failure 2 'bad.conf:1: "follow" is "perhaps", must be true or false' config 'follow = perhaps'
expect_failure 2 'bad.conf:1: --force is for the command line alone' config 'force = true'
expect_failure 2 'bad.conf:1: the value of "eta" has no closing quote' config 'eta = "1'
expect_failure 1 'no.conf: cannot read' "$sda" fit documents.txt --config no.conf -o model
expect_failure 1 '/: cannot read: Is a directory' "$sda" fit documents.txt --config / -o model
head -c 2000000 /dev/zero | tr '\0' '\n' >large.conf
expect_failure 1 'large.conf: has more than 1 MB' "$sda" fit documents.txt --config large.conf -o model
"$sda" fit documents.txt --config <(echo 'topics = 2') -o pipe.model >out 2>err || fail "a pipe of options: $(cat err)"

# ---- topics and show -----------------------------------------------------------------------------------

"$sda" topics topics.model --words 3 >out
expect_match out '^4 topics of 16 words, from 120 documents with 960 tokens\.$'
[[ $(grep -cE '^ +[0-9]+ +[0-9.]+% +-?[0-9.]+   [a-z]+ [a-z]+ [a-z]+$' out) == 4 ]] || fail "not a line a topic: $(cat out)"
"$sda" topics topics.model --words 3 --intervals >out
expect_match out '^topic [0-3]: [0-9.]+% of the corpus, coherence -?[0-9.]+$'
expect_match out '^    [a-z]+ [0-9.]+ \[[0-9.]+, [0-9.]+\]'
"$sda" show topics.model >out
expect_match out '^topic model \(lda\): 4 topics of 16 words, learnt from 120 documents with 960 tokens in 1 minibatch$'
expect_match out '^--primitive +gibbs$'
expect_match out '^its topics: sda topics topics\.model$'
"$sda" show topics.model --json >out
expect_match out '"documents": 120'

# One document, one word of each: no plural.
"$sda" fit one.txt --topics 1  --min-df 1 --max-share 1 \
  -o single.model >out 2>err || fail "$(cat err)"
expect_match out '^1 document, 1 token of 1 word, 1 topic, '
"$sda" topics single.model >out
expect_match out '^1 topic of 1 word, from 1 document with 1 token\.$'
printf 'a\n1\n' >one.csv
"$sda" fit one.csv --model coin -o single.model >out 2>err
expect_match out '^coin model after 1 row$'

# ---- files that must stay ------------------------------------------------------------------------------

echo 'years of work' >thesis.txt
expect_failure 2 'thesis.txt: exists and is not a model of sda; --force overwrites it' \
  "$sda" fit good.csv --model normal -o thesis.txt
grep -qx 'years of work' thesis.txt || fail "the thesis is gone"
"$sda" fit good.csv --model normal -o thesis.txt --force >out 2>err || fail "--force: $(cat err)"
"$sda" fit good.csv --model normal -o thesis.txt >out 2>err || fail "a model is not replaced: $(cat err)"
: >empty.model
"$sda" fit good.csv --model normal -o empty.model >out 2>err || fail "an empty file is not replaced: $(cat err)"

# ---- messages ------------------------------------------------------------------------------------------

expect_failure 2 'thesis.txt: is a model on tables, which has no topics; export its parameters with' \
  "$sda" export thesis.txt --lambda lambda.npy
printf 'x,y\n1,5\n2,5\n3,5\n4,5\n5,5\n6,5\n7,5\n' >constant.csv
"$sda" fit constant.csv --model normal -o constant.model >out 2>err
expect_match out 'all values of the column are equal, so it has no spread'
! grep -q 'so few rows' out || fail "a constant column is few rows: $(cat out)"

# ---- Ctrl-C while topics form --------------------------------------------------------------------------

awk 'BEGIN {srand(1); for (d = 0; d < 24000; ++d) {
  for (i = 0; i < 60; ++i) printf "word%s ", substr("abcdefghijklmnopqrstuvwxyz", 1 + int(rand() * 20), 1 + int(rand() * 6))
  print ""}}' >many.txt
setsid bash -c 'trap - INT; exec "$@"' _ "$sda" fit many.txt --topics 100 --threads 1 -o cut.model >out 2>err &
fit=$!
wait_for grep -qE 'topics are forming|saved' err
kill -s INT $fit 2>/dev/null || true
wait $fit || fail "Ctrl-C: $(cat err)"
if grep -q 'stopped early' err; then  # else it was over before
  [[ $(grep -c 'stopped after' err) == 1 ]] || fail "said more than once: $(cat err)"
  expect_match err 'stopped after [0-9]+ of [0-9]+ sweeps over the first minibatch: the topics are less well formed'
fi

# Progress after --resume is that of the whole run: 60 tokens in each document.
"$sda" fit many.txt --topics 100 --threads 1 --minibatch 500 --first-minibatch 500 --checkpoint run \
  --checkpoint-every 1 -o resumed.model >out 2>err &
fit=$!
wait_for has_checkpoint run
kill -KILL $fit 2>/dev/null || true
wait $fit || true
"$sda" fit --checkpoint run --resume >out 2>err || fail "$(cat err)"
expect_match out '^24,000 documents, 1,440,000 tokens'
tr -d , <err | awk '/^[0-9]+ documents / {
  for (i = 1; i <= NF; ++i) if ($i == "tokens" && $(i - 1) != 60 * $1) {print; exit 1}}' ||
  fail "progress after --resume mixes two runs: $(cat err)"

# ---- --checkpoint-every is kept by --resume ---------------------------------------------------------------

for i in $(seq 1 3000); do echo "$i"; done | awk 'BEGIN {print "x"} {print}' >numbers.csv
"$sda" fit numbers.csv --model normal --minibatch 100 --checkpoint state --checkpoint-every 3 -o kept.model >out 2>err
"$sda" fit --checkpoint state --resume >out 2>err || fail "$(cat err)"
"$sda" fit numbers.csv --model normal --minibatch 100 --checkpoint state --resume -o kept.model >out 2>err || fail "$(cat err)"
grep -aoqE 'checkpoint_every[\\":]+3' state/* || fail "--checkpoint-every was forgotten"

# ---- terminals -------------------------------------------------------------------------------------------

# on_terminal COMMAND...: its output on a terminal, both streams, in the file screen.
on_terminal() {
  python3 - "$@" >screen <<'END'
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
try:
    while data := os.read(terminal, 65536):
        sys.stdout.buffer.write(data)
except OSError:  # the end of a terminal
    pass
os.waitpid(child, 0)
END
}
export TERM=xterm
unset NO_COLOR
on_terminal "$sda" topics topics.model
grep -q $'\x1b\[1m' screen || fail "no colours on a terminal"
NO_COLOR=1 on_terminal "$sda" topics topics.model
! grep -q $'\x1b' screen || fail "NO_COLOR is not respected: $(cat -v screen)"
"$sda" topics topics.model >out
! grep -q $'\x1b' out || fail "colours in a file"
on_terminal "$sda" show nothing
grep -q $'\x1b\[1;31msda:\x1b\[0m nothing: cannot open' screen || fail "an error has no colour: $(cat -v screen)"
# A message erases the progress that stands in the line, and does not continue it.
on_terminal "$sda" fit many.txt --topics 20 --seed 3 -o progress.model
python3 - <<'END'
screen = open("screen", "rb").read().replace(b"\r\n", b"\n")
for line in screen.split(b"\n"):
    last = line.split(b"\r")[-1]
    assert not (b"saved" in last and b"sweep" in last), line
    assert b"tokens of" not in last or b"sweep" not in last, line
END
