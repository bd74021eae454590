# A user makes reports of a model: of hostile words, of documents with ids and times, and of none.
source "$(dirname "$0")/common.sh" "$1"

# Documents about one of three themes; theme 0 comes up more and more. Every tenth has words that are
# not text to a browser.
awk 'BEGIN {
  srand(7)
  split("sail harbour anchor tide vessel captain reef mast", words0, " ")
  split("oven butter flour recipe dough sauce pepper bread", words1, " ")
  split("judge jury witness verdict lawyer appeal trial oath", words2, " ")
  for (d = 1; d <= 600; ++d) {
    theme = rand() < d / 900 ? 0 : 1 + int(rand() * 2)
    text = ""
    for (i = 0; i < 30; ++i) {
      w = 1 + int(rand() * 8)
      text = text " " (theme == 0 ? words0[w] : theme == 1 ? words1[w] : words2[w])
    }
    if (d % 10 == 0) text = "</script><script>alert(1)</script> <!-- <b>" text
    day = int(d / 4)
    printf "{\"id\": \"post-%d\", \"date\": \"2024-%02d-%02d\", \"text\": \"%s\"}\n", d, 1 + int(day / 28), 1 + day % 28, text
  }
}' >documents.jsonl
"$sda" fit documents.jsonl --topics 3 --first-minibatch 300 --minibatch 100 -o topics.model >out 2>err ||
  fail "fit: $(cat err)"

# The data of the page, which need no Node.js at build time.
"$sda" report topics.model --json >plain.json 2>err || fail "report --json: $(cat err)"
expect_match plain.json '"topics":\[\{"topic":[0-2],"share":\[0\.[0-9]+,0\.[0-9]+,0\.[0-9]+\]'
"$sda" report topics.model documents.jsonl --id-field id --time-field date --json >full.json 2>err ||
  fail "report of documents: $(cat err)"
expect_match full.json '"input":\{"documents":600,"skipped":0,"undated":0,'
expect_match full.json '"unit":"week"'
expect_match full.json '"id":"post-[0-9]+"'
expect_match full.json '"text":"[a-z<]'
"$sda" report topics.model - --id-field id --time-field date --json <documents.jsonl | cmp - full.json ||
  fail "standard input gives another report than the file"

# A document without a known word is one, too, and is counted once.
printf '%s\n' "sail anchor tide" "unknown here" "oven butter" "" "nothing of it" "judge jury" >few.txt
"$sda" report topics.model few.txt --json >few.json 2>err || fail "report of few: $(cat err)"
expect_match few.json '"input":\{"documents":6,"skipped":3,'

# What is wrong is said in a line, and nothing is left behind.
expect_failure 2 '-o FILE.html or --json is required' "$sda" report topics.model
expect_failure 2 'is also an input or another output' "$sda" report topics.model -o topics.model
expect_failure 2 '--json prints the data and writes no file: leave out -o' "$sda" report topics.model --json -o page.json
expect_failure 2 'words is 0, must be at least 1' "$sda" report topics.model --json --words 0
expect_failure 1 'no_such: cannot open' "$sda" report no_such --json

if ! "$sda" report topics.model documents.jsonl --id-field id --time-field date -o report.html >out 2>err; then
  expect_match err 'install Node.js and npm'
  [[ ! -e report.html ]] || fail "a report without a page was left behind"
  echo "this sda has no page: its data alone were tested"
  exit 0
fi
expect_match err '^saved report.html: 3 topics of 26 words, 600 documents'
[[ ! -s out ]] || fail "report printed: $(cat out)"
# Only the data and the script of the page end script elements.
[[ $(grep -o '</script' report.html | wc -l) == 2 ]] || fail "a text ends a script element"
grep -q '<!--' report.html && fail "a text begins a comment"
if grep -qE 'https?://[^w]' report.html; then fail "the page names an address"; fi

# A report replaces an earlier one, or an empty file, and nothing else without a word.
: >empty.html
for file in report.html empty.html; do
  "$sda" report topics.model -o $file 2>err || fail "again: $(cat err)"
done
for text in 'My thesis' '<!DOCTYPE html><title>My page</title>'; do
  echo "$text" >thesis.html
  expect_failure 2 'thesis.html: exists and is not a report of sda; --force overwrites it' \
    "$sda" report topics.model -o thesis.html
  [[ $(cat thesis.html) == "$text" ]] || fail "thesis.html was changed"
done
"$sda" report topics.model -o thesis.html --force 2>err || fail "--force: $(cat err)"
[[ $(head -c 15 thesis.html) == "<!DOCTYPE html>" ]] || fail "--force did not write the report"
