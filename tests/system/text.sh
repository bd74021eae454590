# Text as people have it: names and times of documents through infer, CSV, folders, compressed files,
# markup, phrases, stemmers; what infer does is what fit did.
source "$(dirname "$0")/common.sh" "$1"

# Documents of two themes with an id and a date each, in every form.
awk -v q='"' 'BEGIN {
  srand(3)
  split("sailing harbours anchored tides vessels captains", words0, " ")
  split("baking ovens butter recipes dough sauces", words1, " ")
  print "key,when,body" >"documents.csv"
  for (d = 1; d <= 300; ++d) {
    text = ""
    for (i = 0; i < 20; ++i) {
      w = 1 + int(rand() * 6)
      text = text (d % 2 ? words0[w] : words1[w]) " "
    }
    if (d % 3 == 0) text = text "in New York. "
    date = sprintf("2026-01-%02d", 1 + d % 28)
    body = "<p>" text "</p> http://example.org/page"
    printf "{\"id\": \"doc%d\", \"date\": \"%s\", \"text\": \"%s\"}\n", d, date, body >"documents.jsonl"
    printf "doc%d,%s,\"%s, \"\"so\"\"\n\"\n", d, date, body >"documents.csv"
    print body >"plain.txt"
  }
}'
mkdir -p texts/more
head -n 40 plain.txt | split -l 1 -d -a 3 - texts/doc
mv texts/doc000 texts/more

# Ids and times of JSON lines are carried through infer; the options are the model's.
"$sda" fit documents.jsonl --topics 4 --id-field id --time-field date --strip html,urls \
  --phrases --stemmer english --stop-words none -o model.json >out 2>err
expect_match out '^[0-9.]+% of the words in the documents are outside the vocabulary$'
"$sda" topics model.json --words 20 >topics
expect_match topics ' new york '
expect_match topics ' harbour '
grep -qE 'href|http|example' topics && fail "markup is among the words: $(cat topics)"
"$sda" infer model.json documents.jsonl --most 1 >inferred
[[ $(wc -l <inferred) == 300 ]] || fail "infer printed $(wc -l <inferred) lines"
expect_match inferred '^\{"document":1,"id":"doc1","time":"2026-01-02T00:00:00Z","topics":\[\{"topic":[0-3],"proportion":0\.[0-9]{1,6},'

# The same texts in a column of CSV.
"$sda" infer model.json documents.csv --text-column body --id-field key --time-field when --most 1 \
  --output-format csv --words 3 >table
[[ $(head -n 1 table) == document,id,time,topic,proportion,lower,upper,words,intervals ]] || fail "$(head -n 1 table)"
[[ $(cut -d, -f1-6 table | sed -n 2p) == "$(sed -n 1p inferred |
  sed -E 's/.*"id":"(doc1)","time":"([^"]*)".*"topic":([0-9]),"proportion":([^,]*),"lower":([^,]*),.*/1,\1,\2,\3,\4,\5/')" ]] ||
  fail "CSV and JSON lines differ: $(sed -n 2p table); $(sed -n 1p inferred)"

# Fields of the model that other documents do not have: a score and an export need no times, and no ids are asked for.
printf 'body\nharbours anchored tides\n"ovens baking, butter"\n' >bare.csv
if "$sda" infer model.json bare.csv --text-column body >out 2>err; then fail "infer without the ids of the model"; fi
expect_match err "no column \"id\" in the first line, .*; name another with --id-field, or none with --id-field ''"
"$sda" infer model.json bare.csv --text-column body --id-field '' --time-field '' >inferred || fail "infer without fields"
[[ $(wc -l <inferred) == 2 ]] || fail "infer without fields: $(cat inferred)"
"$sda" eval model.json bare.csv --text-column body >out || fail "eval asks for ids"
"$sda" export model.json bare.csv --text-column body --id-field '' --document-topics topics.npy || fail "export asks for times"

# Documents without a known word have no topics, and are counted.
printf '{"id": "none", "text": "zzz"}\n{"text": "harbours"}\n' >new.jsonl
"$sda" infer model.json new.jsonl --output-format tsv --time-field '' --most 1 >out 2>err
[[ $(sed -n 2p out) == $'1\tnone\t\t\t\t\t' ]] || fail "$(cat out)"
expect_match err '^1 of 2 documents without a known word'
expect_match err '^1 document without an id$'
expect_match out $'^2\t\t[0-3]\t'

# A folder, with the names of its files; compressed ones.
gzip texts/doc001
"$sda" fit texts --topics 3 -o model.files >out 2>err
expect_match out '^40 documents'
expect_match err 'have HTML tags, 100% have web addresses; --strip html,urls leaves them out of the words'
"$sda" infer model.files texts --most 1 >inferred
expect_match inferred '"id":"doc001.gz"'
expect_match inferred '"id":"more/doc000"'
for packed in "xz -k" "bzip2 -k"; do
  command -v "${packed% -k}" >/dev/null || continue
  $packed plain.txt
  packed=plain.txt.$(sed 's/xz -k/xz/; s/bzip2 -k/bz2/' <<<"$packed")
  "$sda" fit "$packed" --topics 3 -o packed.model >out 2>err
  expect_match out '^300 documents'
done

# What cannot be read is named; nothing is left behind.
rm -f model.* packed.model
expect_failure 1 'no column "text" in the first line, expected it to be one of key, when, body; name another with --text-column' \
  "$sda" fit documents.csv -o model
# A text whose sentences have commas is not repeated as names of columns.
for i in $(seq 60); do printf 'a sentence of number %s that is much longer than any name of a column would ever be,' "$i"; done >prose.txt
expect_failure 1 'a sentence of number 1 that is much longer than any name of' "$sda" fit prose.txt --text-column body -o model
(($(wc -c <err) < 900)) || fail "a message of $(wc -c <err) bytes: $(cat err)"
printf 'PK\003\004zip' >archive.zip
expect_failure 1 'archive.zip: is a zip archive' "$sda" fit archive.zip -o model
printf 'PAR1parquet' >table.parquet
expect_failure 1 'table.parquet: is a Parquet file' "$sda" fit table.parquet -o model
expect_failure 2 'have no fields, expected jsonl or csv' "$sda" fit plain.txt --strip html,urls --id-field id -o model
echo '2 0:1 1:2' >bag.ldac
for option in '--strip html' '--stemmer english' --phrases; do
  # shellcheck disable=SC2086
  expect_failure 2 "${option% *} is given, but documents of the format ldac are counts of words, expected texts" \
    "$sda" fit bag.ldac --format ldac $option -o model
done
expect_failure 2 'stemmer is klingon, must be one of' "$sda" fit plain.txt --stemmer klingon -o model
expect_failure 1 'not/there: cannot open' "$sda" fit plain.txt not/there -o model
# Other inputs are looked at before the first is learnt from; a row of it would be refused.
printf 'x\n1\nbad\n' >table.csv
expect_failure 1 'not/there: cannot open' "$sda" fit table.csv not/there --model normal -o model
echo y >named.csv
expect_failure 1 'named.csv:1: header is "y", expected "x" as in table.csv' \
  "$sda" fit table.csv named.csv --model normal -o model
echo 1,2 >wide.csv
expect_failure 1 'wide.csv:1: 2 fields, expected 1 as in the first line' \
  "$sda" fit table.csv wide.csv --no-header --model categorical -o model
: >nothing.csv
expect_failure 1 'nothing.csv: is empty, expected a header line' "$sda" fit table.csv nothing.csv --model normal -o model
echo the >one.txt
expect_failure 1 'the only document has no word but stop words and words that are too short (--stop-words' \
  "$sda" fit one.txt -o model

# A column of CSV that the name does not tell is learnt from with its first line, but not in silence; from its column
# without it.
tail -n +2 documents.jsonl | sed -n '1,60s/.*"id": "\([^"]*\)", "date": "\([^"]*\)".*/\1,\2,a ship and \1/p' >rows
{ echo id,date,body && cat rows; } >unnamed.txt
"$sda" fit - --topics 2 -o model <unnamed.txt >out 2>err
expect_match err '^standard input: every line is taken for a document, but the first may name columns: "id,date,body"; if it does, --text-column NAME'
"$sda" fit - --text-column body --topics 2 -o model <unnamed.txt >out 2>err
expect_match out '^60 documents'
if grep -q 'may name columns' err; then fail "$(cat err)"; fi
rm -f model

# has_read PID FILE: all of it.
has_read() {
  local fd
  for fd in /proc/"$1"/fd/*; do
    if [[ $fd -ef $2 ]]; then
      [[ $(awk '/^pos:/ {print $2}' "/proc/$1/fdinfo/${fd##*/}") == $(stat -c %s "$2") ]]
      return
    fi
  done
  return 1
}

# A stream that brings few documents: what is waited for is named, and what came is saved. So it is while the words
# are chosen, when they are chosen, or given, and the topics are to form from more (--first-minibatch).
for wait in "" "--vocab-from 200 --first-minibatch 2000" "--vocab words.txt"; do
  rm -f live.model err  # of the time before
  cp documents.jsonl live
  # shellcheck disable=SC2086
  "$sda" fit live --follow --strip html,urls --topics 3 $wait -o live.model >out 2>err &
  run=$!
  wait_for grep -q 'provisional model of the first 300 documents' err
  case $wait in
    "") expect_match err '^waiting for 10,000 documents of live, from which the words are chosen \(--vocab-from\)' ;;
    *2000) expect_match err '^topics form from the first 2,000 documents \(--first-minibatch\); Ctrl-C ends the wait' ;;
    *) expect_match err '^topics form from the first 10,000 documents \(--first-minibatch\); Ctrl-C ends the wait' ;;
  esac
  [[ $(number live.model documents) == 300 ]] || fail "the provisional model has $(number live.model documents) documents"
  head -n 50 documents.jsonl >>live
  wait_for has_read $run live
  sleep 0.5  # it has the bytes: now the documents
  kill -TERM $run
  wait $run || fail "it exited with $?: $(cat err)"
  expect_match err 'stopped; fitting the 350 documents that came'
  expect_match err 'live.model is a provisional model of the 350 documents that came'
  [[ $(number live.model documents) == 350 ]] || fail "the model has $(number live.model documents) documents"
  "$sda" export live.model --vocabulary words.txt
done
# What is waited for does come: the model is one of all.
"$sda" fit live --follow --strip html,urls --topics 3 --vocab-from 200 --first-minibatch 400 --minibatch 50 \
  --minibatch-seconds 0.2 --checkpoint-every 0.2s -o live.model >out 2>err &
run=$!
wait_for grep -q 'provisional model of the first 350 documents; .* until there are 400' err
head -n 100 documents.jsonl >>live
has_450() { [[ $(number live.model documents) == 450 ]]; }
wait_for has_450
kill -TERM $run
wait $run || fail "it exited with $?: $(cat err)"
[[ $(number live.model documents) == 450 ]] || fail "the model has $(number live.model documents) documents: $(cat err)"
