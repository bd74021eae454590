# What `sda cluster status` and the metrics say of a job on a real Kafka broker, while it works, while
# the broker is dead and when all is done. Skipped, with status 77, where Kafka's jars were not fetched.
source "$(dirname "$0")/cluster_common.sh" "$1" "$2"

# wait_until 'REGULAR EXPRESSION' COMMAND...: what it prints matches at last.
wait_until() {
  local pattern=$1 i
  shift
  for ((i = 0; i < 600; ++i)); do
    "$@" >seen 2>&1 || true
    if grep -qE -- "$pattern" seen; then return; fi
    sleep 0.2
  done
  fail "$* does not come to say: $pattern; it says: $(cat seen)"
}
# metrics PORT
metrics() {
  exec 5<>"/dev/tcp/127.0.0.1/$1"
  printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n' >&5
  cat <&5
  exec 5>&-
}
# port_said FILE: the port that the program says in it, when it does.
port_said() {
  wait_until 'metrics at http' cat "$1"
  sed -n 's,.*metrics at http://127.0.0.1:\([0-9]*\)/metrics,\1,p' "$1"
}
# ended PID STATUS: it ends with this status.
ended() {
  local status=0
  wait "$1" || status=$?
  [[ $status == "$2" ]] || fail "process ended with $status, expected $2: $(cat ./*.err)"
}

awk 'BEGIN {srand(5); for (d = 0; d < 900; ++d) {
  t = int(rand() * 3); for (i = 0; i < 12; ++i) printf "word%02dx ", t * 10 + int(rand() * 10); print "" }}' >documents
SDA_BROKERS=127.0.0.1:1 expect_failure 1 'no Kafka broker answers at 127.0.0.1:1' "$sda" cluster status job

SDA_BROKERS=$("$broker" start --state "$folder/broker" --owner $$)
export SDA_BROKERS
expect_failure 1 'there is no job job' "$sda" cluster status job
"$sda" cluster list >list
expect_match list '^no jobs; create one: sda cluster create JOB$'

# ---- before anything was learnt -------------------------------------------------------------------

"$sda" cluster create job --topics 3 --minibatch 100 --first-minibatch 200 --partitions 4 \
  --min-df 1 --max-share 1 --snapshot-every 3 --minibatch-seconds 1 >made
"$sda" cluster status job >status
expect_match status '^documents +none yet; feed some: sda cluster feed job INPUT$'
"$sda" cluster feed job documents >fed
"$sda" cluster status job >status
expect_match status '^documents +0 folded, 900 to go$'
expect_match status '^rate +idle; no worker, start one: sda cluster work job$'
"$sda" cluster create waiting --topics 3 >made
"$sda" cluster list >list
expect_match list '^job +documents +to go +workers  state$'
expect_match list '^job +0 +900 +0  has no worker$'
expect_match list '^waiting +0 +0 +0  waits for documents$'
"$sda" cluster delete waiting >made

# ---- at work ----------------------------------------------------------------------------------------

"$sda" cluster work job --threads 1 --metrics 0 >work.out 2>work.err &
worker=$!
pids+=("$worker")
wait_until '^  "lag": 0,$' "$sda" cluster status job --json
wait_until '^  "keeper": "' "$sda" cluster status job --json
cp seen status.json
expect_match status.json '^  "documents": 900,$'
expect_match status.json '^  "tokens": 10800,$'
expect_match status.json '^  "lag_is_exact": true,$'
expect_match status.json '^  "held_out_score": -[0-9.]+,$'
"$sda" cluster status job -v >status
expect_match status '^progress .*\] 100%$'
expect_match status '^[^ ]+-'"$worker"' +keeper +127\.0\.0\.1 +[0-9.,]+ +4 \(0-3\)$'
expect_match status '^ +3 +0 +[0-9]+ +[0-9]+ +[^ ]+-'"$worker"'$'
expect_match status '^snapshot +[0-9].* of the first [0-9]+ deltas'
port=$(port_said work.err)
metrics "$port" >text
expect_match text '^sda_worker_documents_total\{job="job",worker="[^"]+"\} 900$'
expect_match text '^sda_worker_keeper\{.*\} 1$'
expect_match text '^sda_worker_snapshots_total\{.*\} [1-9]'
expect_failure 1 "cannot listen on 127.0.0.1:$port: Address already in use" \
  "$sda" cluster status job --metrics "$port"

# ---- the broker dies and comes back -----------------------------------------------------------------

"$sda" cluster status job --watch --metrics 0 >watch.out 2>watch.err &
watch=$!
pids+=("$watch")
port=$(port_said watch.err)
wait_until '^sda_job_up\{job="job"\} 1$' metrics "$port"
expect_match seen '^sda_job_documents_total\{job="job"\} 900$'
kill -KILL "$("$broker" pid --state "$folder/broker")"
wait_until '^sda_job_up\{job="job"\} 0$' metrics "$port"
"$broker" restart --state "$folder/broker" >restarted
wait_until '^sda_job_up\{job="job"\} 1$' metrics "$port"
expect_match watch.err "^sda: no Kafka broker answers at $SDA_BROKERS; keeps trying$"
expect_match watch.err '^sda: the brokers answer again$'
expect_match watch.out '^job  900 folded, 0 to go  '
kill -INT "$watch"
ended "$watch" 0

# ---- when it is over ---------------------------------------------------------------------------------

kill -INT "$worker"
ended "$worker" 0
wait_until '^workers +none$' "$sda" cluster status job
expect_match seen '^documents +900 folded, 0 to go$'
"$sda" cluster list --json >list
expect_match list '"state": "done"'
expect_match list '"documents": 900'
"$sda" cluster status job --watch --json >watch.out 2>gone.err &
watch=$!
pids+=("$watch")
wait_until '^\{"job":"job",.*\}$' cat watch.out
wait_until '^deleted job job$' "$sda" cluster delete job  # those that left in haste are members for a while
ended "$watch" 1
expect_match gone.err '^sda: job job was deleted$'
