# Models in the files of other programs, with the commands and the Python of docs/export.md.
source "$(dirname "$0")/common.sh" "$1"
root=$2

awk 'BEGIN {srand(7); for (d = 0; d < 200; ++d) { t = int(rand() * 6);
  for (i = 0; i < 30; ++i) printf "word%03dx ", (t * 30 + int(-20 * log(1 - rand()))) % 300; print "" }
  print "nothing"}' >documents.txt
awk 'BEGIN {srand(7); print "u,y"; for (i = 0; i < 200; ++i) {u = rand(); print u "," 2 * u + rand()}}' >all.csv
"$sda" fit documents.txt --topics 6 -o fitted.safetensors >out 2>err || fail "$(cat err)"
"$sda" fit all.csv --model linear --target y -o table >out 2>err || fail "$(cat err)"

# Everything, with documents and then without: what is not of the new export is gone.
"$sda" export fitted.safetensors documents.txt -o exported >out 2>err || fail "$(cat err)"
expect_match err 'the intervals are approximate'
[[ $(find exported -type f | wc -l) == 8 && $(wc -l <out) == 7 ]] || fail "other files: $(ls exported)"
while read -r file; do [[ -s $file ]] || fail "no $file"; done <out
[[ $(wc -l <exported/documents.csv) == 202 ]] || fail "not a line for each document"
expect_match exported/documents.csv '^200,201,,0$'
"$sda" export fitted.safetensors -o exported >out 2>err || fail "$(cat err)"
[[ ! -e exported/documents.csv && -s exported/topics.csv ]] || fail "an export without documents: $(ls exported)"
"$sda" export fitted.safetensors documents.txt -o exported >out 2>err || fail "$(cat err)"

# One of them each is the same file.
"$sda" export fitted.safetensors documents.txt --lambda a --vocabulary b --topic-words c --document-topics d.npy \
  --pyldavis e >out 2>err || fail "$(cat err)"
for pair in lambda.npy:a vocabulary.txt:b topic_words.csv:c document_topics.npy:d.npy pyldavis.json:e; do
  cmp "exported/${pair%%:*}" "${pair#*:}" || fail "another ${pair%%:*}"
done
"$sda" export fitted.safetensors - --document-topics d.csv <documents.txt 2>err || fail "$(cat err)"
[[ $(head -n 1 d.csv) == document,id,topic_0,topic_1,topic_2,topic_3,topic_4,topic_5 ]] || fail "$(head -n 1 d.csv)"

"$sda" export table -o parameters >out 2>err || fail "$(cat err)"
if grep -q approximate err; then fail "those of an exact model are: $(cat err)"; fi
"$sda" show table --json | cmp - parameters/parameters.json || fail "other parameters than sda show"
expect_match parameters/parameters.csv '^coef\[u\],[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+$'
"$sda" export table --parameters p.csv && cmp p.csv parameters/parameters.csv || fail "another table"

# No input, no model and no folder of others is overwritten.
cp documents.txt before.txt
mkdir mine && echo mine >mine/thesis.txt
expect_failure 2 'mine: is neither empty nor an earlier export; name another folder, or add --force' \
  "$sda" export fitted.safetensors -o mine
"$sda" export fitted.safetensors -o mine --force >out 2>err || fail "$(cat err)"
[[ $(cat mine/thesis.txt) == mine ]] || fail "--force removed another file"
expect_failure 2 'documents.txt: is not a folder' "$sda" export fitted.safetensors -o documents.txt --force
expect_failure 2 'is also an input or another output' "$sda" export fitted.safetensors --lambda fitted.safetensors
expect_failure 2 'is also an input or another output' "$sda" export fitted.safetensors documents.txt --pyldavis documents.txt
expect_failure 2 'is also an input or another output' "$sda" export fitted.safetensors --vocabulary a --lambda a
cp documents.txt exported/vocabulary.txt
expect_failure 2 'is also an input or another output' "$sda" export fitted.safetensors exported/vocabulary.txt -o exported
cmp documents.txt before.txt || fail "the documents were overwritten"

# What is missing, or too much, is said.
expect_failure 2 'nothing is to be exported: name a folder with -o' "$sda" export fitted.safetensors
expect_failure 2 'name INPUT after the model' "$sda" export fitted.safetensors --pyldavis e
expect_failure 2 'must end in .npy or .csv' "$sda" export fitted.safetensors documents.txt --document-topics d
expect_failure 2 'INPUT is not needed' "$sda" export fitted.safetensors documents.txt --lambda a
expect_failure 2 'leave it out to write single files' "$sda" export fitted.safetensors -o new --lambda a
expect_failure 2 'the words of the model are written with --vocabulary' "$sda" export fitted.safetensors --vocab v --lambda a
expect_failure 2 'table: is a model on tables, which has no topics' "$sda" export table --lambda a
expect_failure 2 '--parameters is for models on tables' "$sda" export fitted.safetensors --parameters p.csv
expect_failure 2 'must end in .csv or .json' "$sda" export table --parameters p.txt
expect_failure 1 'is not a model' "$sda" export documents.txt -o new
expect_failure 1 'nowhere: cannot open' "$sda" export fitted.safetensors nowhere -o exported
expect_match exported/export.json '"complete": false'

# NumPy reads the model with the lines of the page, and the exports are the same numbers.
python=''
for candidate in /usr/bin/python3 python3; do
  if [[ -z $python ]] && $candidate -c 'import numpy' 2>/dev/null; then python=$candidate; fi
done
if [[ -z $python ]]; then
  echo "skipped: NumPy's part, since there is no Python with NumPy: install python3-numpy"
  exit 77
fi
"$sda" export fitted.safetensors documents.txt -o exported >out 2>err || fail "$(cat err)"
cp fitted.safetensors model.safetensors
awk '/^```python$/ {shown = 1; next} /^```$/ {shown = 0} shown' "$root/docs/export.md" >read.py
[[ $(wc -l <read.py) == 5 ]] || fail "docs/export.md has other Python: $(cat read.py)"
cat >>read.py <<'PYTHON'
words = open("exported/vocabulary.txt").read().splitlines()
assert words == json.loads(header["__metadata__"]["vocabulary"])
assert topics.shape == (len(words), 6), topics.shape
assert (numpy.load("exported/lambda.npy") == topics.T).all()
documents = numpy.load("exported/document_topics.npy")
assert documents.shape == (201, 6) and abs(documents.sum(axis=1) - 1).max() < 1e-12
table = numpy.loadtxt("d.csv", delimiter=",", skiprows=1, usecols=range(2, 8))
assert abs(table - documents).max() < 1e-6
# What pyLDAvis.prepare() demands of its arguments.
given = json.load(open("exported/pyldavis.json"))
assert sorted(given) == ["doc_lengths", "doc_topic_dists", "term_frequency", "topic_term_dists", "vocab"]
assert numpy.shape(given["topic_term_dists"]) == (6, len(words))
assert numpy.shape(given["doc_topic_dists"]) == (201, 6) and len(given["doc_lengths"]) == 201
assert len(given["term_frequency"]) == len(words) and given["vocab"] == words
assert sum(given["term_frequency"]) == sum(given["doc_lengths"])
for name in ["topic_term_dists", "doc_topic_dists"]:
    assert abs(numpy.sum(given[name], axis=1) - 1).max() < 1e-6
PYTHON
$python read.py || fail "NumPy reads something else"
