# The second hour with sda, in one go on generated posts: from the fit to the files of other programs and the report in
# a browser, with the names of the posts all the way: whole_way.sh SDA SOURCE_FOLDER [NODE FOLDER_WITH_NODE_MODULES]
node=${3:-} modules=${4:-}
source "$(dirname "$0")/common.sh" "$1"

# Posts on six themes, each with 30 words of its own; a third of a post is words that all have. The name of a post
# tells its theme.
posts() {
  awk -v seed="$1" -v posts="$2" 'BEGIN {
    srand(seed)
    split("bread ship garden music court planet", theme, " ")
    for (d = 1; d <= posts; ++d) {
      t = theme[1 + int(rand() * 6)]
      body = ""
      for (i = 0; i < 45; ++i) body = body (i % 3 ? t "word" int(30 * rand() * rand()) : "common" int(60 * rand())) " "
      printf "{\"name\": \"%s/%d\", \"posted\": \"2026-%02d-%02d\", \"body\": \"%s\"}\n", t, d, 1 + d % 12, 1 + d % 28, body
    }
  }'
}
posts 1 900 >posts.jsonl
posts 2 60 >new.jsonl
echo '{"name": "strange/1", "posted": "2026-01-01", "body": "nothing known"}' >>new.jsonl

"$sda" fit posts.jsonl --text-field body --id-field name --time-field posted --topics 7 --seed 1 -o model.safetensors \
  >out 2>err || fail "fit: $(cat err)"

# Each theme is a topic: its words, and no other theme's, are the first ones.
"$sda" topics model.safetensors --json >topics.json || fail "topics"
python3 - <<'PYTHON' || fail "the topics are not the themes: $(cat topics.json)"
import collections, json, re
themes = collections.Counter()
for topic in json.load(open("topics.json"))["topics"]:
    heads = {re.match(r"[a-z]+?(?=word|\d)", word["word"])[0] for word in topic["words"][:5]}
    if len(heads) == 1:
        themes[heads.pop()] += 1
assert all(themes[theme] == 1 for theme in "bread ship garden music court planet".split()), themes
PYTHON

# --topics auto finds as many topics as there are themes; most are coherent, all have a coherence.
"$sda" fit posts.jsonl --text-field body --topics auto --try-topics 2,6,40 -o auto.model --report auto.json \
  >out 2>err || fail "fit --topics auto: $(cat err)"
expect_match out '\* +6 topics  -[0-9.]+ \[-[0-9.]+, -[0-9.]+\]'
"$sda" topics auto.model --json >auto_topics.json || fail "topics"
python3 - <<'PYTHON' || fail "what was found"
import json
assert json.load(open("auto.json"))["topic_search"]["topics"] == 6
coherence = sorted(topic["coherence"] for topic in json.load(open("auto_topics.json"))["topics"])
assert len(coherence) == 6 and coherence[2] > 0.5, coherence
PYTHON

# They predict words of posts that they were not learnt from: better than any one of 240 words.
"$sda" eval model.safetensors new.jsonl --json >score.json || fail "eval"
grep -oE '"log_predictive_probability": -[0-9.]+' score.json | awk '{exit !($2 > -log(240) + 0.5)}' || fail "$(cat score.json)"

# A line for each post, in their order; a post without a known word has one, too.
"$sda" infer model.safetensors new.jsonl >inferred 2>err || fail "infer: $(cat err)"
[[ $(wc -l <inferred) == 61 ]] || fail "infer: $(wc -l <inferred) lines"
tail -n 1 inferred >last
expect_match last '"topics": ?\[\]'

# So as CSV, of posts that are a column of CSV now, with names, times and words.
python3 - <<'PYTHON' >new.csv
import csv, json, sys
posts = [json.loads(line) for line in open("new.jsonl")]
out = csv.DictWriter(sys.stdout, ["name", "posted", "body"])
out.writeheader()
out.writerows(posts)
PYTHON
"$sda" infer model.safetensors new.csv --text-column body --output-format csv --words 2 --most 1 >inferred.csv 2>err ||
  fail "infer: $(cat err)"
python3 - <<'PYTHON' || fail "infer --output-format csv: $(head -n 3 inferred.csv)"
import csv, json
rows = list(csv.DictReader(open("inferred.csv")))
posts = [json.loads(line) for line in open("new.jsonl")]
lines = [json.loads(line) for line in open("inferred")]
assert [(row["id"], row["time"][:10]) for row in rows] == [(post["name"], post["posted"]) for post in posts]
for row, line in zip(rows[:60], lines):
    assert (int(row["topic"]), float(row["proportion"])) == tuple(line["topics"][0][key] for key in ("topic", "proportion"))
    assert len(row["words"].split()) == 2
assert rows[60]["topic"] == ""
PYTHON

# Each post, found by its name, is on its theme.
"$sda" export model.safetensors new.jsonl -o exported >out 2>err || fail "export: $(cat err)"
"$sda" export model.safetensors new.jsonl --document-topics topics.csv || fail "export"
python3 - <<'PYTHON' || fail "the posts are not on their themes"
import collections, csv, json
rows = list(csv.DictReader(open("topics.csv")))
names = [json.loads(line)["name"] for line in open("new.jsonl")]
assert [row["id"] for row in rows] == names, rows
assert [row["id"] for row in csv.DictReader(open("exported/documents.csv"))] == names
assert [row["tokens"] == "0" for row in csv.DictReader(open("exported/documents.csv"))] == [False] * 60 + [True]
words = collections.defaultdict(list)
for row in csv.DictReader(open("exported/topic_words.csv")):
    words[row["topic"]].append(row["word"])
right = 0
for row in rows[:60]:
    largest = max((key for key in row if key.startswith("topic_")), key=lambda key: float(row[key]))
    themes = [word for word in words[largest[6:]] if not word.startswith("common")]
    right += themes[0].startswith(row["id"].split("/")[0])
assert right >= 50, right
PYTHON

# The page has all topics, and names posts. Without the page in the program its data are still there.
"$sda" report model.safetensors new.jsonl --json >report.json || fail "report --json"
python3 - <<'PYTHON' || fail "the report's data"
import json
text = open("report.json").read()
report = json.loads(text)
assert len(report["topics"]) == 7
names = [json.loads(line)["name"] for line in open("new.jsonl")]
assert any(json.dumps(name) in text for name in names[:60]), "no post is named"
PYTHON
if "$sda" report model.safetensors new.jsonl -o report.html >out 2>err; then
  [[ $(head -c 15 report.html) == "<!DOCTYPE html>" ]] || fail "$(head -c 100 report.html)"
else
  expect_match err 'built without'
fi

# And in a real browser, where there is one.
chromium=$(command -v chromium || true)
if [[ -e report.html && -n $node && -n $chromium && -d $modules/node_modules/playwright-core ]]; then
  "$node" "$2/web/tests/opens_test.mjs" "$modules" "$chromium" report.html 7 new.jsonl || fail "the report in a browser"
fi
