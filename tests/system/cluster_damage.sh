# A job on a real Kafka broker whose topics others write to: it goes on, every document counts once, what was
# set aside is noted; and sda cluster repair rebuilds it, also when it is killed at any step. Skipped, with
# status 77, where Kafka's jars were not fetched.
source "$(dirname "$0")/cluster_common.sh" "$1" "$2"

work() { timeout 100 "$sda" cluster work job --threads 1 --until-caught-up >work.out 2>work.err || fail "work: $(cat work.err)"; }
# learnt DOCUMENTS FILE: the model has learnt from that many of 12 words each, and can be read.
learnt() {
  "$sda" cluster model job -o "$2" >/dev/null 2>shown.err || fail "model: $(cat shown.err)"
  [[ $(number "$2" documents) == "$1" && $(number "$2" tokens) == $((12 * $1)) ]] ||
    fail "$(number "$2" documents) documents, $(number "$2" tokens) tokens, expected $1"
  [[ $(mass "$2") == "$((12 * $1)).0000" ]] || fail "the mass is $(mass "$2")"
  "$sda" topics "$2" >/dev/null || fail "topics"
}
# forge TOPIC: writes lines of standard input, HEADER<tab>VALUE, to the log.
forge() { "$tool" send "sda.job.log.$1" 0 || fail "cannot write to $1"; }
rejected() { "$tool" count sda.job.log.rejected; }

for file in first second third; do
  awk -v seed="$file" 'BEGIN {srand(length(seed) * 7); for (d = 0; d < 300; ++d) {
    t = int(rand() * 3); for (i = 0; i < 12; ++i) printf "word%02dx ", t * 10 + int(rand() * 10); print "" }}' >$file
done
SDA_BROKERS=$("$broker" start --state "$folder/broker" --owner $$)
export SDA_BROKERS
"$sda" cluster create job --topics 3 --minibatch 100 --first-minibatch 200 --partitions 2 --min-df 1 --max-share 1 \
  --snapshot-every 2 --minibatch-seconds 1 --format jsonl >/dev/null
json() { sed 's/.*/{"text": "&"}/' "$1" >"$1.jsonl"; }
json first && json second && json third
"$sda" cluster feed job first.jsonl >/dev/null
work
learnt 300 first.model

# ---- forged messages: nothing stops, nothing is learnt from them ---------------------------------------

"$tool" notes sda.job.log.deltas >notes
id=$(grep -oE '"job":"[0-9a-f]+"' -m 1 notes | cut -d '"' -f 4)
first=$(sed -n '1s/^[0-9]* //p' notes)  # a real one
note='"version":4,"job":"'$id'","worker":"w","skipped":0,"bad":0,"deltas_in_prior":0,"discount":1,"seconds":1,"score_sum":0,"score_tokens":0'
{
  printf '{}\t\n{"version":4}\t{}\nnot JSON\t1\n'
  # Offsets in the future: no document would be read any more.
  sed -E 's/"id":"[^"]*"/"id":"a"/; s/("offsets":\[\[0,)[0-9]+,[0-9]+/\1500,1000000000000/; s/$/\tx/' <<<"$first"
  printf '{%s,"id":"b","chunk":0,"chunks":1,"documents":-1,"tokens":1e305,"offsets":[]}\tx\n' "$note"
  for ((i = 0; i < 150; ++i)); do printf '{"version":4,"job":"%s","id":"c%d","chunk":0,"chunks":1000000}\tx\n' "$id" "$i"; done
  printf '{%s,"id":"d","chunk":0,"chunks":2,"documents":1,"tokens":1,"offsets":[[0,[0,1]]]}\tstray\n' "$note"
} | forge deltas
printf '%s\tnot the value\n' "$first" | forge deltas
printf '{}\t{}\n{"version":4,"job":"%s","id":"s","chunk":0,"chunks":1,"position":0,"read_to":99999999,"pending":[],"totals":"{}"}\tx\n' "$id" | forge snapshots
printf '{"id":"x","chunk":0,"chunks":1}\t{}\n{"id":"y","chunk":0,"chunks":1000000}\t{}\nnone\t\n' | forge settings
printf 'not JSON\n{"text": 7}\n' | "$tool" send sda.job.in.documents
"$sda" cluster feed job second.jsonl >/dev/null
work
learnt 600 second.model
"$sda" cluster status job >status 2>&1 || fail "status: $(cat status)"
expect_match status '^documents +600 folded, 0 to go$'
expect_match status '2 bad messages, named in topic sda.job.log.rejected'
(($(rejected) >= 155)) || fail "$(rejected) messages are noted as rejected: $(cat work.err)"

# ---- repair, from the log -------------------------------------------------------------------------------

"$sda" cluster repair job --dry-run >repaired 2>&1 || fail "repair: $(cat repaired)"
expect_match repaired '^log +600 documents in '
expect_match repaired 'sda.job.log.settings, partition 0, offset [0-9]+: the settings '
expect_match repaired '^would write a snapshot of 600 documents$'
before=$("$tool" count sda.job.log.snapshots)
"$sda" cluster repair job >repaired 2>&1 || fail "repair: $(cat repaired)"
expect_match repaired '^wrote a snapshot of 600 documents$'
(($("$tool" count sda.job.log.snapshots) > before)) || fail "repair wrote no snapshot"
learnt 600 repaired.model
cmp second.model repaired.model || fail "repair changed the posterior"

"$sda" cluster work job --threads 1 >worker.out 2>worker.err &
worker=$!
pids+=("$worker")
for ((i = 0; i < 300; ++i)); do
  if "$sda" cluster status job | found '^workers  *none'; then sleep 0.1; else break; fi
done
expect_failure 1 'job job has 1 worker at work; stop them first' "$sda" cluster repair job
kill "$worker"
wait "$worker" || fail "the worker: $(cat worker.err)"

# ---- repair, from the documents, killed at every step ---------------------------------------------------

# Each goes beyond the step at which the one before was killed.
for step in snapshot settings group begun deltas; do
  status=0
  SDA_CLUSTER_FAULT=kill:repair-$step:1 "$sda_with_faults" cluster repair job --from-documents >/dev/null 2>&1 || status=$?
  [[ $status == 137 ]] || fail "repair should be killed at repair-$step, it ended with $status"
  case $step in
    snapshot | settings | group) learnt 600 killed.model && cmp second.model killed.model || fail "it was already another job" ;;
    *)
      ! "$sda" cluster model job -o none.sda 2>err || fail "a model of nothing was saved"
      expect_match err 'has not learnt from any document yet'
      ;;
  esac
done
"$sda" cluster repair job --from-documents >repaired 2>&1 || fail "repair after all: $(cat repaired)"
"$sda" cluster status job >status 2>&1 || fail "status of a job that has started over: $(cat status)"
expect_match repaired '^started over from the documents'
[[ $("$tool" count sda.job.log.deltas) == 0 && $("$tool" count sda.job.log.snapshots) == 1 ]] || fail "the old log is still there"
# What was fed before is still there, and is not fed twice.
"$sda" cluster feed job first.jsonl >/dev/null
"$sda" cluster feed job third.jsonl >/dev/null
work
learnt 900 third.model

# ---- documents that are gone ------------------------------------------------------------------------------

"$tool" trim sda.job.in.documents 50
expect_failure 1 'does not hold its first 50 messages any more' "$sda" cluster repair job --from-documents
learnt 900 still.model
"$sda" cluster repair job --from-documents --accept-loss >repaired 2>&1 || fail "repair: $(cat repaired)"
work
"$sda" cluster status job >status
expect_match status ' 0 to go$'
# No good snapshot, and a log without its beginning: repair starts over by itself, if it may.
"$tool" trim sda.job.log.snapshots "$("$tool" range sda.job.log.snapshots 0 | cut -d ' ' -f 2)"
"$tool" trim sda.job.log.deltas "$("$tool" range sda.job.log.deltas 0 | cut -d ' ' -f 2)"
expect_failure 1 'sda cluster repair job' "$sda" cluster model job -o none.sda
expect_failure 1 "--accept-loss starts over" "$sda" cluster repair job
"$sda" cluster repair job --accept-loss >repaired 2>&1 || fail "repair: $(cat repaired)"
expect_match repaired '^log +cannot be used: '
work
"$sda" cluster delete job >/dev/null
