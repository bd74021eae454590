# A user repeats the paper's experiments on a small corpus, interrupts them, goes on, and reads.
source "$(dirname "$0")/common.sh" "$1"

awk 'BEGIN {
  srand(7)
  for (d = 1; d <= 300; ++d) {
    theme = int(rand() * 3)
    for (i = 0; i < 20; ++i) printf "word%c%c ", 97 + theme, 97 + int(rand() * 9)
    print ""
  }
}' >documents.txt
compare=("$sda" compare documents.txt --quick --topics 4 --seeds 1 --workers 4 -o 'a folder')

# Ctrl-C, when some runs are done, ends the run in hand and says how to go on.
setsid bash -c 'trap - INT; exec "$@"' _ "${compare[@]}" >out 2>err &
comparing=$!
until (($(find 'a folder/runs' -name '*.json' 2>/dev/null | wc -l) >= 3)); do
  kill -0 $comparing || fail "ended early: $(cat err)"
  sleep 0.02
done
kill -s INT $comparing
status=0
wait $comparing || status=$?
[[ $status == 1 ]] || fail "Ctrl-C: exit status $status: $(cat err)"
expect_match err "stopped; to resume: .*sda compare documents.txt .*'a folder'"
[[ ! -s out && ! -e 'a folder/report.html' ]] || fail "a report of half of the runs"
done_before=$(find 'a folder/runs' -name '*.json' | wc -l)

# It goes on: what was done is not done again.
(cd 'a folder/runs' && stat -c '%n %y' -- *.json) | sort >before
"${compare[@]}" >findings 2>err
expect_match err "runs, $done_before of them done before"
! grep -q 'eta 0.01, 0.01' err || fail "a label with a number twice: $(cat err)"
for name in SDA SVI SSU VB; do expect_match 'a folder/report.html' "<dt>$name</dt><dd>"; done
expect_match err 'run [0-9]+ of [0-9]+: .*: -[0-9.]+ in [0-9.]+ s'
(cd 'a folder/runs' && stat -c '%n %y' -- *.json) | sort >after
[[ -z $(comm -23 before after) ]] || fail "done again: $(comm -23 before after)"
expect_match findings "With the program’s defaults: the best score is that of"
[[ -z $(find 'a folder' -name '*tmp*' -o -name '*.part' -o -name '*.log') ]] ||
  fail "left behind: $(find 'a folder')"

# All that was promised is there, and every number is that of the run.
cd 'a folder'
for file in table1 anytime workers_score workers_time minibatch svi_documents svi_steps; do
  expect_match $file.svg '^</svg>$'
done
! grep -qiE 'src=|href=|url\(|@import|<script|<link' report.html ||
  fail "the report refers to something outside: $(grep -iE 'src=|href=|url\(|<script' report.html)"
[[ $(grep -c '</svg>' report.html) == 7 ]] || fail "the report lacks plots"
rows=0
for table in table1 anytime workers minibatch svi_documents svi_steps; do
  while IFS= read -r row; do
    run=${row##*,}
    rest=${row%,*,*,*,*,*,*}  # without cpu_seconds, memory, documents, tokens and run
    score=${rest##*,}
    grep -qF "\"log_predictive_probability\": $score" "runs/$run.json" ||
      fail "$table.csv has $score, not what runs/$run.json has"
    grep -qF "\"run\": \"$run\"" results.json || fail "results.json lacks $run"
    rows=$((rows + 1))
  done < <(tail -n +2 $table.csv)
done
((rows > 40)) || fail "only $rows rows"

# A command of the list gives what the report has.
line=$(grep -m 1 -- '--primitive gibbs' commands.sh)
SDA=$sda sh -c "sda=\$SDA; $line --json" >again.json 2>../err
run=$(grep -m 1 'Gibbs, 1 worker"' table1.csv)
expect_match again.json "\"log_predictive_probability\": $(cut -d, -f6 <<<"$run")"
rm again.json model.tmp
cd ..

# The same again does nothing, whatever the file is called; other documents do everything.
name=$'documents\ntouch harmed\n$(touch harmed)`touch harmed`.txt'
ln documents.txt "$name"
"$sda" compare "$name" "${compare[@]:3}" 2>err >out
SDA=true bash 'a folder/commands.sh'
[[ -z $(find . -name harmed) ]] || fail "commands.sh ran what stands in a file's name"
made_by=$(grep -A 1 'was made by' 'a folder/commands.sh' | sed -n '2s/^#  *//p')
(eval "set -- $made_by" && [[ $3 == "$name" ]]) || fail "not the command: $made_by"
! grep -q '^run ' err || fail "done again: $(cat err)"
cmp findings out || fail "other findings"
head -n 290 documents.txt >fewer.txt
"$sda" compare - --quick --topics 4 --seeds 1 --workers 4 -o 'a folder' <fewer.txt 2>err >out
! grep -q 'done before' err || fail "runs on other documents were used: $(cat err)"

# What is wrong is said at once.
mkdir other && touch other/file
expect_failure 2 'other: is neither empty nor an earlier comparison' "$sda" compare documents.txt -o other
expect_failure 2 '--workers is 1, must be' "$sda" compare documents.txt -o new --workers 1
printf 'id,body\n1,bread\n' >table.csv
expect_failure 1 'no column "text" in the first line, expected it to be one of id, body; name another with --text-column' \
  "$sda" compare table.csv -o new
expect_failure 1 'no column "words" in the first line' "$sda" compare table.csv -o new --text-column words
rm table.csv
expect_failure 2 '--topics is 0, must be' "$sda" compare documents.txt -o new --topics 0
[[ ! -e new ]] || fail "a folder was made for nothing"
expect_failure 1 'nothing.txt: cannot open' "$sda" compare nothing.txt -o new
expect_failure 1 'no document 301 to hold out' "$sda" compare documents.txt --holdout <(echo 301) -o new
[[ ! -e new/corpus.ldac && ! -e new/corpus.ldac.part ]] || fail "half a corpus was left behind"
