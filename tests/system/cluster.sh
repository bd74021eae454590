# Workers over a real Kafka broker, in which processes die, stop and come back at any moment: every
# document counts once. Each document has a word of its own, so the posterior itself says how often it
# was counted. Skipped, with status 77, where Kafka's jars are not prepared.
#
#   cluster.sh SDA SOURCE_FOLDER [ROUNDS [KIND...]]     each kind of round once, or so many
#
# A worker that is to die or to stop at a certain point is told so by $SDA_CLUSTER_FAULT.
source "$(dirname "$0")/common.sh" "$1"
broker=$2/tools/kafka/broker.sh
tool=${CLUSTER_TOOL:-$(dirname "$sda")/cluster_tool}
if ! "$sda" cluster --help >/dev/null 2>&1; then
  echo "skipped: this sda was built without sda cluster"
  exit 77
elif ! "$broker" ready; then
  echo "skipped: Kafka's jars are not there; get them with: ./dev kafka jars"
  exit 77
fi
RANDOM=${SEED:-$$}
echo "seed $RANDOM"

pids=()
# shellcheck disable=SC2317  # called by the trap
clean_up() {
  local pid
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  "$broker" stop --state "$folder/broker"
  rm -rf "$folder"
}
trap clean_up EXIT
fail() {
  echo "FAILED in round ${kind:-}: $*" >&2
  tail -n 12 "${job:-none}".err feed.err 2>/dev/null >&2 || true
  exit 1
}

# ---- documents: each has 8 common words and one of its own ----------------------------------------

documents=2400
awk -v n=$documents 'BEGIN {srand(7)
  for (w = 0; w < 80; ++w) printf "common%02dx\n", w >"words"
  for (d = 0; d < n; ++d) {
    printf "only%05dx\n", d >"words"
    t = int(rand() * 4)
    for (i = 0; i < 8; ++i) printf "common%02dx ", t * 20 + int(rand() * 20) >"documents"
    printf "only%05dx\n", d >"documents" }}'
split -l 600 -d -a 1 documents part.  # part.0 to part.3
cat >properties <<'TEXT'
session.timeout.ms=2000
heartbeat.interval.ms=300
transaction.timeout.ms=4000
TEXT
export SDA_KAFKA_PROPERTIES=$folder/properties
SDA_BROKERS=$("$broker" start --state "$folder/broker" --owner $$)
export SDA_BROKERS

# ---- what rounds are made of ----------------------------------------------------------------------

kills=0 stops=0 leaves=0 broker_kills=0 feed_kills=0
number_of_job=0

# new_job [OPTION...]: sets job. The documents that were fed to it are lines 1 to `fed`.
new_job() {
  job=job$((++number_of_job)) fed=0
  pids=()
  # Options that come last win.
  "$sda" cluster create "$job" --vocab words --topics 4 --minibatch 40 --first-minibatch 60 --sweeps 3 \
    --minibatch-seconds 0.5 --snapshot-every 3 --partitions 5 "$@" >/dev/null || fail "create"
}
feed() {
  local i
  for i in "$@"; do
    "$sda" cluster feed "$job" "part.$i" >>feed.out 2>>feed.err || fail "feed part.$i"
    fed=$((fed + 600))
  done
}
# worker [VARIABLE=VALUE...] [-- OPTION...]: in the background, its process id is the last of pids.
worker() {
  local variables=()
  while (($# > 0)) && [[ $1 != -- ]]; do variables+=("$1") && shift; done
  env "${variables[@]}" "$sda" cluster work "$job" --threads 1 "${@:2}" >>"$job.out" 2>>"$job.err" &
  pids+=($!)
}
alive() { [[ $(ps -o stat= -p "$1" 2>/dev/null) == [^Z]* ]]; }
stopped() { [[ $(ps -o stat= -p "$1" 2>/dev/null) == T* ]]; }
# soon WHAT COMMAND...: waits until the command succeeds.
soon() {
  local what=$1 i
  shift
  for ((i = 0; i < 1200; ++i)); do
    if "$@"; then return; fi
    sleep 0.1
  done
  fail "$what: not within two minutes"
}
gone() { ! alive "$1"; }
doze() { sleep "$(awk -v r=$RANDOM -v least="$1" -v most="$2" 'BEGIN {print least + (most - least) * r / 32768}')"; }
kill_worker() {
  kill -KILL "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
  kills=$((kills + 1))
}
# leave PID: a worker that is told to stop does, without complaint.
leave() {
  local status=0
  if ! alive "$1"; then return; fi
  kill -CONT "$1" && kill -TERM "$1"
  soon "worker $1 was told to stop" gone "$1"
  wait "$1" 2>/dev/null || status=$?
  [[ $status == 0 ]] || fail "a worker that was told to stop exited with $status"
  leaves=$((leaves + 1))
}
pick() { echo "${pids[RANDOM % ${#pids[@]}]}"; }

# finish: all that was fed is learnt, and everybody leaves.
finish() {
  local pid status=0
  timeout -k 10 240 "$sda" cluster work "$job" --threads 1 --until-caught-up >>"$job.out" 2>>"$job.err" ||
    status=$?
  [[ $status == 0 ]] || fail "a worker that should catch up exited with $status"
  check
  for pid in "${pids[@]}"; do leave "$pid"; done
  check
}
# check: every document once, by the counts and by the posterior.
check() {
  "$sda" cluster model "$job" -o "$job.model" >model.out 2>model.err || fail "model: $(cat model.err)"
  [[ $(number "$job.model" documents) == "$fed" ]] ||
    fail "$(number "$job.model" documents) documents, $fed were fed: $(cat model.out)"
  [[ $(number "$job.model" tokens) == $((9 * fed)) ]] || fail "$(cat model.out)"
  "$sda" export "$job.model" --lambda lambda.npy
  od -An -v -w32 -tf8 -j "$((10 + $(od -An -tu2 -j 8 -N 2 lambda.npy)))" lambda.npy |
    awk -v fed="$fed" \
      -v eta="$(head -c 3000000 "$job.model" | grep -aoE 'eta\\":[0-9.e-]+' | head -n 1 | cut -d: -f2)" '
      {times = $1 + $2 + $3 + $4 - 4 * eta; mass += times}
      NR > 80 {
        wanted = NR - 80 <= fed
        if (times - wanted > 1e-5 || wanted - times > 1e-5) {
          if (++wrong < 6) print "document " NR - 80 " was counted " times " times" }}
      END {
        if (mass / (9 * fed) > 1 + 1e-5 || mass / (9 * fed) < 1 - 1e-5) {
          print "the posterior has " mass " words, " 9 * fed " were fed"; exit 1 }
        exit wrong > 0 }' >wrong || fail "$(cat wrong)"
}

# ---- kinds of rounds ------------------------------------------------------------------------------

# Workers are killed at random moments while others go on, then all of them.
round_kill() {
  new_job --transport "$1"
  worker && worker && worker
  feed 0 1
  for _ in 1 2 3; do
    doze 0.2 1.5
    kill_worker "$(pick)"
    worker
  done
  feed 2
  doze 0.2 1
  for pid in "${pids[@]}"; do kill_worker "$pid"; done
  finish
}

# One dies at each step of a transaction, first when it breaks the symmetry of the job and later.
round_point() {
  new_job
  feed 0 1
  for point in produced offsets-sent committed snapshot-produced snapshot-committed; do
    for time in 1 2; do
      worker SDA_CLUSTER_FAULT="kill:$point:$time"
      soon "a worker should die when $point" gone "${pids[-1]}"
      kills=$((kills + 1))
      if [[ $point$time == committed2 ]]; then feed 2 3; fi
    done
  done
  finish
}

# One is stopped, at a step of a transaction or anywhere, for longer than the group waits for it, and
# its documents go to another; then it wakes up. Two seconds are a session, four a transaction.
round_zombie() {
  new_job
  feed 0 1
  if [[ $1 == anywhere ]]; then
    worker
    doze 1 3
    kill -STOP "${pids[-1]}"
  else
    worker SDA_CLUSTER_FAULT="stop:$1:$((RANDOM % 3 + 1))"
  fi
  soon "a worker should be stopped when $1" stopped "${pids[-1]}"
  stops=$((stops + 1))
  worker
  doze 2.5 7
  kill -CONT "${pids[0]}"
  feed 2
  finish
}

# The keeper dies while it writes a snapshot, or between that and trimming the log; another takes over.
round_keeper() {
  local keeper
  new_job --snapshot-every 2
  worker SDA_CLUSTER_FAULT=kill:snapshot-produced:2
  keeper=${pids[-1]}
  feed 0
  soon "the keeper should die" gone "$keeper"
  worker SDA_CLUSTER_FAULT=kill:snapshot-committed:2
  keeper=${pids[-1]}
  feed 1
  soon "the keeper should die" gone "$keeper"
  kills=$((kills + 2))
  # The log is whole: nothing was trimmed yet. With the snapshot and without it, the same bits.
  cp_model snapshot
  "$tool" trim "sda.$job.snapshots" "$("$tool" range "sda.$job.snapshots" 0 | cut -d ' ' -f 2)"
  cp_model start
  cmp "$job.snapshot" "$job.start" || fail "from the snapshot it is another posterior than from the start"
  worker && worker
  feed 2
  finish
  [[ $("$tool" range "sda.$job.deltas" 0) != "0 "* ]] || fail "no new keeper trimmed the log"
}
cp_model() { "$sda" cluster model "$job" -o "$job.$1" >/dev/null || fail "model"; }

# The broker is killed while workers and a feed are at work.
round_broker() {
  local feeding
  new_job
  worker && worker
  feed 0
  doze 0.1 2
  "$sda" cluster feed "$job" part.1 >>feed.out 2>>feed.err &
  feeding=$!
  doze 0 0.4
  kill -KILL "$("$broker" pid --state "$folder/broker")"
  doze 0 3
  "$broker" restart --state "$folder/broker" >/dev/null
  broker_kills=$((broker_kills + 1))
  wait $feeding || true
  feed 1 2  # again, if it was fed: then nothing is added
  for pid in "${pids[@]}"; do alive "$pid" || fail "a worker ended when the broker was away"; done
  finish
}

# Workers come and go all the time.
round_coming() {
  new_job
  worker
  feed 0 1 2
  for _ in 1 2 3 4 5; do
    worker
    doze 0 0.8
    leave "${pids[RANDOM % (${#pids[@]} - 1)]}"
  done
  finish
}

# A feed is killed, at random and at the steps of its transactions, and run again.
round_feed() {
  local point status
  new_job --minibatch 4000 --first-minibatch 4000
  worker
  for _ in 1 2 3 4 5 6 7 8 9; do cat documents; done >long  # more than a transaction takes
  for point in feed-produced:1 feed-produced:2 feed-committed:1 none; do
    status=0
    if [[ $point == none ]]; then
      timeout -s KILL 0.$((RANDOM % 9))5 "$sda" cluster feed "$job" long >>feed.out 2>>feed.err || status=$?
    else
      SDA_CLUSTER_FAULT=kill:$point "$sda" cluster feed "$job" long >>feed.out 2>>feed.err || status=$?
    fi
    if [[ $status != 0 ]]; then feed_kills=$((feed_kills + 1)); fi
  done
  "$sda" cluster feed "$job" long >>feed.out 2>>feed.err || fail "feed"
  timeout -k 10 240 "$sda" cluster work "$job" --threads 1 --until-caught-up >>"$job.out" 2>>"$job.err" ||
    fail "catching up"
  "$sda" cluster model "$job" -o "$job.model" >model.out
  [[ $(number "$job.model" documents) == 21600 ]] || fail "21600 documents were fed: $(cat model.out)"
  for pid in "${pids[@]}"; do leave "$pid"; done
}

# The messages do not fail a test by themselves: they are for who reads it.
summary() {
  echo "$rounds rounds: $kills workers killed, $stops stopped and woken, $leaves told to leave, broker" \
    "killed $broker_kills times, feeds killed $feed_kills times; rejoined" \
    "$(cat ./*.err | grep -c 'joins the job anew' || true) times: every document once"
}

kinds=("kill float" "kill double" point "zombie produced" "zombie offsets-sent" "zombie committed"
  "zombie anywhere" keeper broker coming feed)
if (($# > 3)); then kinds=("${@:4}"); fi
rounds=0
while ((rounds < ${3:-${#kinds[@]}})); do
  kind=${kinds[rounds % ${#kinds[@]}]}
  start=$SECONDS
  # shellcheck disable=SC2086  # the kind and its arguments
  round_${kind%% *} $([[ $kind == *\ * ]] && echo "${kind#* }")
  rounds=$((rounds + 1))
  echo "$rounds: $kind, $((SECONDS - start)) s"
done
summary
