# `sda cluster feed` on a real Kafka broker: a file is fed once, whatever becomes of the feed, the broker
# and the file. Skipped, with status 77, where Kafka's jars were not fetched.
source "$(dirname "$0")/cluster_common.sh" "$1" "$2"

# feed FILE [OPTION...]: what it says is in out and err.
feed() { "$sda" cluster feed job "$@" >out 2>err || fail "feed $*: $(cat err)"; }
# holds NUMBER: so many documents are in the topic.
holds() {
  local found
  found=$("$tool" count "${2:-sda.job.in.documents}")
  [[ $found == "$1" ]] || fail "the topic holds $found documents, expected $1"
}
# killed POINT FILE [OPTION...]: a feed that is killed there.
killed() {
  local status=0
  SDA_CLUSTER_FAULT=kill:$1 "$sda_with_faults" cluster feed job "${@:2}" >out 2>err || status=$?
  [[ $status == 137 ]] || fail "a feed that should be killed at $1 exited with $status: $(cat err)"
}
# soon WHAT COMMAND...: waits until the command succeeds.
soon() {
  local what=$1 i
  shift
  for ((i = 0; i < 600; ++i)); do
    if "$@"; then return; fi
    sleep 0.1
  done
  fail "$what: not within a minute"
}
stopped() { [[ $(ps -o stat= -p "$1" 2>/dev/null) == T* ]]; }
# ended PID STATUS
ended() {
  local status=0
  wait "$1" || status=$?
  [[ $status == "$2" ]] || fail "process ended with $status, expected $2: $(cat ./*.err)"
}
# lines FROM TO
lines() { seq "$1" "$2" | sed 's/.*/document & of the file/'; }

SDA_BROKERS=$("$broker" start --state "$folder/broker" --owner $$)
export SDA_BROKERS
"$sda" cluster create job --partitions 4 >made

# ---- a file that is fed, grows, changes and shrinks -------------------------------------------------

lines 1 100 >file
feed file
expect_match out '^fed 100 documents to topic sda.job.in.documents$'
feed ./file
expect_match out '^all of it, 100 documents, was fed before; --again feeds it once more$'
lines 101 130 >>file
feed file
expect_match err '^continues after 100 documents$'
expect_match out '^fed 30 documents'
holds 130
cp file before
sed -i 's/document 7 /document seven /' file
expect_failure 1 'sda: file: its first 130 documents are not those that were fed from it before' \
  "$sda" cluster feed job file
lines 1 60 >file
expect_failure 1 'sda: file: has 60 documents, though 130 were fed from it before' "$sda" cluster feed job file
sed 's/^/another /' before >file  # no longer, and no document is the same
expect_failure 1 '--again feeds all of it as new documents' "$sda" cluster feed job file
holds 130
feed file --again
holds 260
feed file
expect_match out '^all of it, 130 documents, was fed before'
lines 1 20 | "$sda" cluster feed job - >out 2>err
lines 1 20 | "$sda" cluster feed job - >out 2>err
expect_match out '^fed 20 documents'
holds 300

# ---- killed -------------------------------------------------------------------------------------------

lines 1 25000 >long  # three transactions
killed feed-produced:1 long
killed feed-produced:2 long
killed feed-committed:1 long
feed long
expect_match err '^continues after 20,000 documents$'
holds 25300
killed feed-produced:1 long --again  # what is fed again goes on, too
feed long
expect_match out '^fed 25,000 documents'
killed feed-committed:2 long --again
feed long
expect_match out '^fed 5,000 documents'
holds 75300

# Another feed is in the midst of a transaction: what was committed after it began is not overlooked.
lines 1 50 >one
lines 1 50 >two
SDA_CLUSTER_FAULT=stop:feed-produced:1 "$sda_with_faults" cluster feed job one >one.out 2>one.err &
one=$!
pids+=("$one")
soon "a feed should be stopped" stopped "$one"
feed two --again  # without a look at what was fed
"$sda" cluster feed job two >two.out 2>two.err &
two=$!
pids+=("$two")
soon "a feed should say that it waits" grep -q 'waits until another feed' two.err
kill -CONT "$one"
ended "$one" 0
ended "$two" 0
expect_match two.out '^all of it, 50 documents, was fed before'
holds 75400

# ---- documents that are too large -----------------------------------------------------------------------

"$tool" topic own 2 max.message.bytes 5000
"$sda" cluster create small --documents own >made
large=$(head -c 4900 /dev/zero | tr '\0' x)
{ lines 1 12000 && echo "$large" && lines 12001 12010; } >large
expect_failure 1 "sda: large:12001: a document of 4,900 bytes, expected at most 4,800, by max.message.bytes of topic own" \
  "$sda" cluster feed small large
holds 10000 own  # one transaction
sed -i "s/^$large$/${large:0:4800}/" large
"$sda" cluster feed small large >out 2>err || fail "feed large: $(cat err)"
expect_match out '^fed 2,011 documents'
holds 12011 own

seq 1 2000 | sed 's/.*/word&/' >words
awk 'BEGIN {print "1 5:1"; printf "1500"; for (i = 0; i < 1500; ++i) printf " %d:1", i; print ""}' >counts
"$tool" topic counted 2 max.message.bytes 5000
"$sda" cluster create counts --documents counted --format ldac --vocab words >made
expect_failure 1 'sda: counts, document 2: a document of ' "$sda" cluster feed counts counts --format ldac
holds 0 counted

# ---- the broker hangs -------------------------------------------------------------------------------------

# For some seconds: it goes on. For longer, and the feed is told to stop: it does, and the next goes on.
lines 1 200000 >huge
hang() { kill -STOP "$("$broker" pid --state "$folder/broker")"; }
wake() { kill -CONT "$("$broker" pid --state "$folder/broker")"; }
has_fed() { (($("$tool" range sda.job.in.feeds 0 | cut -d ' ' -f 2) > $1)); }
notes=$("$tool" range sda.job.in.feeds 0 | cut -d ' ' -f 2)
"$sda" cluster feed job huge >huge.out 2>huge.err &
pids+=($!)
soon "a feed should be at work" has_fed "$notes"
hang
sleep 3
wake
has_fed_more() { has_fed $((notes + 4)) || ! kill -0 "${pids[-1]}" 2>/dev/null; }
soon "a feed should go on" has_fed_more
hang
kill -TERM "${pids[-1]}"
ended "${pids[-1]}" 0
wake
expect_match huge.out '^fed .*(; the same command continues|200,000 documents to topic sda.job.in.documents)$'
feed huge
holds 275400

# ---- a job that is deleted takes all of this along --------------------------------------------------------

"$sda" cluster delete job >out
if "$tool" range sda.job.in.feeds 0 >out 2>&1; then fail "there are feeds of a deleted job"; fi
