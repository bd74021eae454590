# Every command that README.md and docs/ show is run, one document after the other, each in a folder with the
# files that its commands name. What cannot be run is in documented_commands.list, with the reason. Of forms of a
# command (with INPUT, MODEL, [options]) the options are looked up. Commands of a cluster need Kafka's jars.
source "$(dirname "$0")/common.sh" "$1"
root=$2
here=$root/tests/system
broker=$root/tools/kafka/broker.sh
with_broker=''
if "$sda" cluster create --help >/dev/null 2>&1 && "$broker" ready; then with_broker=yes; fi

clean_up() {
  "$broker" stop --state "$folder/broker"
  rm -rf "$folder"
}
trap clean_up EXIT

# ---- what the commands find -------------------------------------------------------------------

mkdir bin files
ln -s "$sda" bin/sda
PATH=$folder/bin:$PATH
cd files
sentences() {
  awk -v seed="$1" -v documents="$2" 'BEGIN {srand(seed); for (d = 0; d < documents; ++d) { t = int(rand() * 6)
    for (i = 0; i < 30; ++i) printf "%sword%03dx", i ? " " : "", (t * 30 + int(-20 * log(1 - rand()))) % 300; print "" }}'
}
json_lines() { sentences "$1" "$2" | awk '{printf "{\"id\": %d, \"text\": \"%s\", \"date\": \"2026-11-%02d\"}\n", NR, $0, 1 + NR % 28}'; }
rows() {
  awk -v seed="$1" 'BEGIN {srand(seed); print "u,v,bought,y"; for (i = 0; i < 200; ++i) {
    u = rand(); v = rand(); print u "," v "," (u + rand() > 1) "," 3 + 2 * u - v + rand() / 10}}'
}
sentences 1 400 >documents.txt
sentences 2 20 >new.txt
sentences 3 20 >held_out.txt
json_lines 4 400 >documents.jsonl
json_lines 5 50 >more.jsonl
json_lines 6 2000 >articles.jsonl
gzip -k articles.jsonl
rows 7 >data.csv
rows 8 >new.csv
rows 9 >test.csv
awk 'BEGIN {srand(10); print "size,city,price"; split("berlin paris rome", city, " ")
  for (i = 0; i < 60; ++i) { c = 1 + int(3 * rand()); s = rand(); print s "," city[c] "," s + c + rand() / 10}}' >prices.csv
printf '%s\n' 'seed = 7' '[fit]' 'topics = 2' 'alpha = [0.1, 0.2]' >news.conf
HOME=$PWD/home
mkdir -p "$HOME/.local/share/man/man1"
export HOME
{ printf '20\n50\n200\n'; awk 'BEGIN {for (d = 1; d <= 20; ++d) for (i = 0; i < 10; ++i) print d, (d % 5) * 10 + i + 1, 1 + i % 3}'; } >docword.txt
seq -f 'term%g' 50 >vocab.txt
sda fit documents.txt --topics 6 -o model.safetensors >"$folder/out" 2>&1 || fail "$(cat "$folder/out")"
sda fit data.csv --model linear --target y -o table_model >"$folder/out" 2>&1 || fail "$(cat "$folder/out")"
# The broker runs all the time.
cat >dev <<TEXT
#!/usr/bin/env bash
[[ \$1 == kafka ]] || exit 2
case \$2 in
  start) exec "$broker" status --state "$folder/broker" ;;
  stop) exit 0 ;;
esac
exec "$broker" "\${@:2}" --state "$folder/broker"
TEXT
chmod +x dev
cd ..
if [[ -n $with_broker ]]; then
  SDA_BROKERS=$("$broker" start --state "$folder/broker" --owner $$)
  export SDA_BROKERS
fi

# ---- how a command is run ---------------------------------------------------------------------

awk '/^(skip|stop):/ {how = $1; sub(":", "", how)} /^    / {sub("^ +", ""); print how "\t" $0}' "$here/documented_commands.list" >listed
# how COMMAND: skip, stop or nothing.
how() { awk -F '\t' -v command="$1" '$2 == command {print $1}' "$folder/listed"; }

needs_broker() { [[ $1 == *"sda cluster "* || $1 == *"dev kafka "* || $1 == *SDA_BROKERS* ]]; }

is_form() {
  local placeholder='(^|[ =:./])(INPUT|MODEL2?|FILE|FOLDER|DIR|NAME|JOB|TOPIC|PORT|DOCWORD|[A-Z]+_(DIR|FOLDER|IDS))([ .]|$)'
  [[ $1 == *'['* || $1 =~ $placeholder ]]
}

# A form's command and options exist.
check_form() {
  local words option
  read -ra words <<<"${1//[\[\]|]/ }"
  [[ ${words[0]} == sda ]] || return 0
  sda "${words[1]}" --help >help 2>&1 || return 1
  for option in "${words[@]}"; do
    if [[ $option =~ ^--?[a-z][a-z-]*$ ]]; then grep -qE -- "(^|[ ,])$option([ ,=:]|$)" help || { echo "no $option"; return 1; }; fi
  done
}

# Runs what does not end by itself, until there is something to see, and stops it.
run_until_enough() {
  local waited=0 pid
  # shellcheck disable=SC2086  # its words
  $1 >out 2>err </dev/null &
  pid=$!
  sleep 3
  while needs_broker "$1" && ! sda cluster model news -o probe >probe_said 2>&1 && ((++waited < 120)); do sleep 0.5; done
  kill "$pid" && wait "$pid" # as Ctrl-C, which a shell like this one has its background jobs ignore
}

# Runs it in this shell, since it may be an export, or have to stay in the background.
run() {
  case $(how "$1") in
    stop) run_until_enough "$1" ;;
    *) eval "$1" >out 2>err </dev/null ;;
  esac
}

# run_document NAME: its lines of the list of commands.
run_document() (
  failed=0
  cp -r "$folder/files" "$folder/sandbox"
  cd "$folder/sandbox"
  while IFS=$'\t' read -r _ line command <&3; do
    command=${command% ...} # and more of them
    if [[ $(how "$command") == skip ]]; then continue; fi
    if is_form "$command"; then
      check_form "$command" >out 2>&1 || { echo "$1:$line: $command: $(cat out)" >&2; failed=1; }
    elif needs_broker "$command" && [[ -z $with_broker ]]; then
      echo "not run, as Kafka is not here: $command"
    elif ! run "$command"; then
      echo "$1:$line: $command: failed: $(tail -n 3 err)" >&2
      failed=1
    fi
  done 3< <(grep -F "$1"$'\t' "$folder/commands")
  for job in $(jobs -p); do kill "$job" && wait "$job" || true; done
  if [[ -n $with_broker ]]; then sda cluster delete news >out 2>&1 || true; fi
  rm -rf "$folder/sandbox"
  exit $failed
)

awk -v root="$root" -f "$here/documented_commands.awk" "$root"/README.md "$root"/docs/*.md >commands
(($(wc -l <commands) > 50)) || fail "only these commands were found: $(cat commands)"
failed=''
for document in $(cut -f 1 commands | uniq); do run_document "$document" || failed="$failed $document"; done
[[ -z $failed ]] || fail "commands of$failed do not work: mend them, or list them with a reason in documented_commands.list"
cut -f 3 commands | sed 's/ \.\.\.$//' | sort -u >shown
cut -f 2 listed | sort -u >named
unknown=$(comm -13 shown named)
[[ -z $unknown ]] || fail "documented_commands.list names what no document shows: $unknown"
