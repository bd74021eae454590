# Runs that are killed at random moments, and go on, any number of times: nothing is lost, nothing
# counted twice. Serial and synchronous runs end with the model of the run that was never killed, bit
# for bit; asynchronous ones with every document and token once.
#
#   kill.sh SDA SOURCE_FOLDER [KILLS]     at least so many kills in all
source "$(dirname "$0")/common.sh" "$1"
least=${3:-24}
RANDOM=${SEED:-$$}
echo "seed $RANDOM"

# 3,000 documents on 12 subjects, a table with numbers and categories, and sparse rows.
awk 'BEGIN {srand(7); for (d = 0; d < 3000; ++d) { t = int(rand() * 12); printf "{\"text\": \"";
  for (i = 0; i < 40; ++i) printf "word%03dx ", (t * 40 + int(-30 * log(1 - rand()))) % 500;
  print "\"}" }}' >all.jsonl
head -n 1700 all.jsonl >a.jsonl
tail -n +1701 all.jsonl | gzip >b.jsonl.gz
sed 's/^{"text": "//; s/"}$//' all.jsonl | zstd -q >all.txt.zst
seq 5 50 3000 >holdout
awk 'BEGIN {srand(8); print "u,v,y,side,other,won"; for (i = 0; i < 60000; ++i) { u = rand(); v = rand();
  print u "," v "," 3 + 2 * u - v + rand() "," (rand() < 0.3 ? "home" : "away" int(i / 700)) "," int(10 * v) "," \
  (u + rand() > 1 ? "yes" : "no") }}' >table.csv
awk 'BEGIN {srand(9); for (i = 0; i < 20000; ++i) { u = rand() - 0.5; print (u + rand() > 0.5 ? 1 : -1) " 2:" u " " 3 + int(90 * rand()) ":1" }}' >rows.svm

lda="--topics 8 --first-minibatch 200 --vocab-from 300"
numbers="table.csv --columns u,v,y --minibatch 300"
runs=(
  "serial        a.jsonl b.jsonl.gz $lda --minibatch 100 --holdout holdout"
  "serial        all.txt.zst $lda --minibatch 150 --half-life 2000"
  "serial        all.txt.zst $lda --minibatch 100 --half-life auto"
  "serial        a.jsonl --algorithm svi --total-documents 1700 --topics 8 --minibatch 100"
  "serial        a.jsonl --primitive ep --topics 4 --vocab-from 300 --minibatch 100 --half-life 1000"
  "sync          a.jsonl b.jsonl.gz $lda --minibatch 300 --schedule sync --workers 3"
  "sync          all.txt.zst $lda --primitive vb --minibatch 200 --schedule sync --workers 2 --half-life 3000"
  "sync          all.txt.zst $lda --primitive vb --minibatch 100 --schedule sync --workers 2 --half-life auto"
  "async         a.jsonl b.jsonl.gz $lda --minibatch 300 --schedule async --workers 3"
  "async         all.txt.zst $lda --primitive vb --minibatch 200 --schedule async --workers 2"
  "table         $numbers --model normal"
  "table         table.csv --columns side,other --minibatch 500 --model categorical --half-life 9000"
  "table         table.csv --columns side,other --minibatch 500 --model categorical --half-life auto"
  "table         table.csv --columns u,v --target y --minibatch 900 --model linear --schedule sync --workers 3"
  "table         table.csv --columns u,v --target won --minibatch 900 --model probit --schedule sync --workers 3"
  "table         rows.svm --model logistic --minibatch 500 --covariance diagonal"
  "table         $numbers --model mixture --components 3 --first-minibatch 2000"
  "table-async   table.csv --columns side,other --minibatch 500 --model categorical --schedule async --workers 3"
)

# check KIND: compares `killed` with `whole`.
check() {
  case $1 in
    async)
      for name in documents tokens; do
        [[ $(number killed $name) == "$(number whole $name)" ]] ||
          fail "$name: $(number killed $name), expected $(number whole $name)"
      done
      awk -v mass="$(mass killed)" -v tokens="$(number whole tokens)" \
        'BEGIN {d = mass - tokens; exit !(d < 0.01 && d > -0.01)}' ||
        fail "mass $(mass killed), expected $(number whole tokens)"
      ;;
    table-async)  # counts, so the sums are exact; the order of the categories is not
      cmp <("$sda" show whole | sort) <("$sda" show killed | sort) || fail "another posterior"
      ;;
    *) cmp whole killed || fail "the model is not that of the run that was not killed" ;;
  esac
}

kills=0 terms=0 rounds=0 torn=0
while ((kills < least)); do
  for run in "${runs[@]}"; do
    read -r kind options <<<"$run"
    rm -rf whole killed folder
    start=${EPOCHREALTIME/./}
    # shellcheck disable=SC2086
    "$sda" fit $options -o whole --report whole.json >out 2>err || fail "$options: $(cat err)"
    length=$((${EPOCHREALTIME/./} - start))
    here=0
    while true; do
      # The longer it takes, the longer it may take, so that it ends.
      wait=$((RANDOM * 32768 % 1000000 * length / 1000000 * (here + 4) / 5 + 1000))
      signal=KILL
      if ((RANDOM % 4 == 0)); then signal=TERM; fi
      status=0
      # shellcheck disable=SC2086
      timeout -s $signal "$(printf '%d.%06d' $((wait / 1000000)) $((wait % 1000000)))" \
        "$sda" fit $options -o killed --report killed.json --checkpoint folder \
        --checkpoint-every $((RANDOM % 3 + 1)) --resume >out 2>err &
      wait $! 2>/dev/null || status=$?  # bash tells of a kill where it waits
      if [[ $status == 137 ]]; then
        kills=$((kills + 1)) here=$((here + 1))
        torn=$((torn + $(find . -name '*.tmp.*' | wc -l)))
      elif [[ $status == 124 ]]; then
        terms=$((terms + 1)) here=$((here + 1))
      elif [[ $status == 0 ]]; then
        break
      else
        fail "$options: status $status: $(cat err)"
      fi
    done
    check "$kind"
    if [[ $options == *--holdout* ]]; then
      cmp <(grep -E 'log_pred|documents"' whole.json) <(grep -E 'log_pred|documents"' killed.json) ||
        fail "another curve of scores"
    fi
    # (The thread that saves may be too slow for more than the last one.)
    [[ $(find folder -name 'checkpoint-*' | wc -l) == [12] ]] || fail "$(ls folder), expected two checkpoints"
    [[ -z $(find . -name '*.tmp.*') ]] || fail "left behind: $(find . -name '*.tmp.*')"
    rounds=$((rounds + 1))
    if [[ -n ${3:-} ]]; then echo "$kills of $least kills; last: $here in a run of $kind"; fi
  done
done
echo "$kills kills ($torn within a save) and $terms stops in $rounds runs: every model as it should be"
