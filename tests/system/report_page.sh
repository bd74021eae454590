# Reports in a real browser: report_page.sh SDA SOURCE_FOLDER NODE FOLDER_WITH_NODE_MODULES
node=${3:-} modules=${4:-}
chromium=$(command -v chromium || true)
if [[ -z $node || -z $chromium || ! -d $modules/node_modules/playwright-core ]]; then
  echo "skipped: opening a report needs a build with Node.js, and chromium"
  exit 77
fi
source "$(dirname "$0")/common.sh" "$1"
source_folder=$2

# Words that are not text to a browser, as a vocabulary of a bag of words has them. Words 1-8 are about
# one theme, 9-16 about another, 17-24 about a third.
python3 - <<'PYTHON'
import json
import random
random.seed(3)
words = ["</script><script>alert(1)</script>", "<!--", "<img src=x onerror=alert(1)>", "a\u2028b", "&lt;", "'\"`"]
words += [f"w{i}" for i in range(len(words), 24)]
open("vocab.txt", "w", encoding="utf-8").write("".join(w + "\n" for w in words))
entries = []
for d in range(1, 401):
    theme = random.randrange(3)
    for w in sorted(random.sample(range(8), 6)):
        entries.append((d, 1 + 8 * theme + w, 1 + random.randrange(4)))
with open("docword.txt", "w") as out:
    out.write(f"400\n24\n{len(entries)}\n")
    out.writelines("%d %d %d\n" % e for e in entries)
themes = ["sail harbour anchor tide vessel captain reef mast", "oven butter flour recipe dough sauce pepper bread",
          "judge jury witness verdict lawyer appeal trial oath"]
with open("documents.jsonl", "w") as out:
    for d in range(600):
        theme = 0 if random.random() < d / 800 else 1 + random.randrange(2)
        text = " ".join(random.choice(themes[theme].split()) for _ in range(30))
        if d % 10 == 0:
            text = "</script><img src=x onerror=alert(2)><!-- " + text
        out.write(json.dumps({"id": f"<b>post-{d}</b>", "date": f"2024-{1 + d // 112:02d}-{1 + d // 4 % 28:02d}", "text": text}) + "\n")
PYTHON
"$sda" fit docword.txt --vocab vocab.txt --topics 4 --minibatch 100 -o hostile.model >out 2>err || fail "fit: $(cat err)"
"$sda" report hostile.model docword.txt -o hostile.html 2>err || fail "report: $(cat err)"
"$sda" fit documents.jsonl --topics 5 --minibatch 100 --seeds 3 -o posts.model >out 2>err || fail "fit: $(cat err)"
"$sda" report posts.model documents.jsonl --id-field id --time-field date -o posts.html 2>err ||
  fail "report: $(cat err)"
"$node" "$source_folder/web/tests/page_test.mjs" "$modules" "$chromium" hostile.html posts.html

# Without documents the page draws what the model keeps of those that it has learnt from.
"$sda" fit documents.jsonl --time-field date --topics 5 --minibatch 100 -o timed.model >out 2>err || fail "fit: $(cat err)"
"$sda" report timed.model -o timed.html 2>err || fail "report: $(cat err)"
"$chromium" --headless --no-sandbox --disable-gpu --dump-dom "file://$PWD/timed.html" >dom.html 2>err || fail "$(cat err)"
found 'What the model has learnt from, by the time of the documents: ' <dom.html || fail "no topics over time"
[[ $(grep -o 'class="sparkline"' dom.html | wc -l) == 5 ]] || fail "not a chart for each topic"
found 'Share of the words of the documents of each ' <dom.html || fail "no chart of one topic"
