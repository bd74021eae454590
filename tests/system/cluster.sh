# Workers over a real Kafka broker, in which processes die, stop and come back at any moment: every
# document counts once. Each document has a word of its own, so the posterior itself says how often it
# was counted. Skipped, with status 77, where Kafka's jars are not prepared.
#
#   cluster.sh SDA SOURCE_FOLDER [smoke|main|more]      each kind of round of this choice once (default: main)
#   cluster.sh SDA SOURCE_FOLDER ROUNDS [KIND...]       this number of rounds, of all kinds or of these
#
# A worker that is to die or to stop at a certain point is sda_with_faults, and is told so by
# $SDA_CLUSTER_FAULT.
source "$(dirname "$0")/cluster_common.sh" "$1" "$2"
choice=${3:-main}
RANDOM=${SEED:-$$}
echo "seed $RANDOM"

fail() {
  echo "FAILED in round ${kind:-}: $*" >&2
  tail -n 12 "${job:-none}".err feed.err >&2 2>/dev/null || true
  reports | head -n 200 >&2
  exit 1
}
# What sanitizers have reported. A program that was killed had no time to exit with it.
reports() {
  grep -hsE -A 60 'WARNING: ThreadSanitizer|ERROR: AddressSanitizer|: runtime error:' ./*.err || true
}

# ---- documents: each has 8 common words and one of its own ---------------------------------------

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
session.timeout.ms=1500
heartbeat.interval.ms=300
transaction.timeout.ms=10000
TEXT
export SDA_KAFKA_PROPERTIES=$folder/properties
SDA_BROKERS=$("$broker" start --state "$folder/broker" --owner $$)
export SDA_BROKERS

# ---- what rounds are made of ----------------------------------------------------------------------

kills=0 stops=0 leaves=0 broker_kills=0 feed_kills=0
number_of_job=0

# create [OPTION...]: sets job. These options, and others unless they are given.
create() {
  local option options=("$@")
  job=job$((++number_of_job)) pids=()
  for option in "--topics 4" "--minibatch 40" "--first-minibatch 60" "--minibatch-seconds 0.5" \
    "--snapshot-every 3" "--partitions 5"; do
    # shellcheck disable=SC2206  # the option and its value
    if [[ " $* " != *" ${option% *} "* ]]; then options+=($option); fi
  done
  "$sda" cluster create "$job" "${options[@]}" >/dev/null || fail "create ${options[*]}"
}
# new_job [OPTION...]: the documents that were fed to it are lines 1 to `fed`.
new_job() {
  create --vocab words "$@"
  fed=0
}
feed() {
  local i
  for i in "$@"; do
    "$sda" cluster feed "$job" "part.$i" >>feed.out 2>>feed.err || fail "feed part.$i"
    fed=$((fed + 600))
  done
}
# worker [SDA_CLUSTER_FAULT=FAULT] [-- OPTION...]: in the background, its process id is the last of pids.
worker() {
  local program=("$sda")
  if (($# > 0)) && [[ $1 != -- ]]; then program=(env "$1" "$sda_with_faults") && shift; fi
  "${program[@]}" cluster work "$job" --threads 1 "${@:2}" >>"$job.out" 2>>"$job.err" &
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
  # 143: the signal came before the program had begun.
  [[ $status == 0 || $status == 143 ]] || fail "a worker that was told to stop exited with $status"
  leaves=$((leaves + 1))
}
pick() { echo "${pids[RANDOM % ${#pids[@]}]}"; }

catch_up() {
  local status=0
  timeout -k 10 240 "$sda" cluster work "$job" --threads 1 --until-caught-up >>"$job.out" 2>>"$job.err" ||
    status=$?
  [[ $status == 0 ]] ||
    fail "a worker that should catch up exited with $status; log readable to, end: $("$tool" open "sda.$job.log.deltas")"
}
# finish: all that was fed is learnt, and everybody leaves.
finish() {
  local pid
  catch_up
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
  for pid in "${pids[@]}"; do
    if alive "$pid"; then kill_worker "$pid"; fi
  done
  finish
}

# nth_time POINT N: one snapshot may be all that a quick worker writes.
nth_time() { if [[ $1 == snapshot-* ]]; then echo 1; else echo "$2"; fi; }

# One dies at a step of its first transaction, which may be the first of the job, and of a later one.
round_point() {
  new_job
  feed 0
  for time in 1 2; do
    worker SDA_CLUSTER_FAULT="kill:$1:$(nth_time "$1" $time)"
    soon "a worker should die when $1" gone "${pids[-1]}"
    kills=$((kills + 1))
    feed $time
  done
  finish
}

# One is stopped, at a step of a transaction or anywhere, for longer than the group waits for it, and
# its documents go to another; then it wakes up. A session is 1.5 s, a transaction 3 s.
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
  doze 2 5
  kill -CONT "${pids[0]}"
  feed 2
  finish
}

# The keeper dies while it writes a snapshot, or between that and trimming the log; another takes over.
round_keeper() {
  local keeper
  new_job --snapshot-every 2
  worker SDA_CLUSTER_FAULT=kill:snapshot-produced:1
  keeper=${pids[-1]}
  feed 0
  soon "the keeper should die" gone "$keeper"
  worker SDA_CLUSTER_FAULT=kill:snapshot-committed:1
  keeper=${pids[-1]}
  feed 1
  soon "the keeper should die" gone "$keeper"
  kills=$((kills + 2))
  # The log is whole: nothing was trimmed yet. With the snapshot and without it, the same bits.
  cp_model snapshot
  "$tool" trim "sda.$job.log.snapshots" "$("$tool" range "sda.$job.log.snapshots" 0 | cut -d ' ' -f 2)"
  cp_model start
  cmp "$job.snapshot" "$job.start" || fail "from the snapshot it is another posterior than from the start"
  worker && worker
  feed 2
  catch_up
  feed 3
  soon "a new keeper should trim the log" trimmed
  finish
}
trimmed() { [[ $("$tool" range "sda.$job.log.deltas" 0) != "0 "* ]]; }
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

# The only broker is killed just when it has committed the transaction of a worker, or of a feed. When it
# starts again, Kafka may have forgotten to end it: then who wrote it does.
round_end() {
  local broker_pid
  new_job
  broker_pid=$("$broker" pid --state "$folder/broker")
  if [[ $1 == feed-committed ]]; then
    worker
    SDA_CLUSTER_FAULT_PID=$broker_pid SDA_CLUSTER_FAULT=kill:$1:1 "$sda_with_faults" cluster feed "$job" part.0 \
      >>feed.out 2>>feed.err || fail "feed part.0"
  else
    SDA_CLUSTER_FAULT_PID=$broker_pid worker SDA_CLUSTER_FAULT="kill:$1:$((RANDOM % 4 + 1))"
    feed 0
  fi
  soon "the broker should die" gone "$broker_pid"
  "$broker" restart --state "$folder/broker" >/dev/null
  broker_kills=$((broker_kills + 1))
  if [[ $1 == feed-committed ]]; then feed 0; fi  # it adds nothing
  feed 1
  finish
}

# One dies within a transaction, which keeps the next delta from being read until Kafka has given it up.
# Who then waits until all is learnt also waits until it can be read.
round_open() {
  new_job --minibatch 1000 --first-minibatch 1000
  feed 0
  catch_up
  feed 1
  worker SDA_CLUSTER_FAULT=kill:produced:1
  soon "a worker should die" gone "${pids[-1]}"
  kills=$((kills + 1))
  finish
}

# A job keeps the settings that it was made with: who insists on others is refused.
round_settings() {
  new_job
  expect_failure 2 "--topics is 4, not 5" "$sda" cluster create "$job" --topics 5 --vocab words
  expect_failure 2 "job $job has other settings: --topics is 4, not 5" "$sda" cluster work "$job" --topics 5
  feed 0
  worker -- --topics 4
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
      SDA_CLUSTER_FAULT=kill:$point "$sda_with_faults" cluster feed "$job" long >>feed.out 2>>feed.err || status=$?
    fi
    if [[ $status != 0 ]]; then feed_kills=$((feed_kills + 1)); fi
  done
  "$sda" cluster feed "$job" long >>feed.out 2>>feed.err || fail "feed"
  catch_up
  "$sda" cluster model "$job" -o "$job.model" >model.out
  [[ $(number "$job.model" documents) == 21600 ]] || fail "21600 documents were fed: $(cat model.out)"
  for pid in "${pids[@]}"; do leave "$pid"; done
}

# Eight workers start at once on a job without documents and without words: one minibatch goes first,
# chooses the words and forms the topics; all others go on from it. A subject has 20 words of its own: a
# topic that is of one subject has these as its first words.
round_eight() {
  cut -d ' ' -f 1-8 part.0 >plain.0
  cut -d ' ' -f 1-8 part.1 >plain.1
  local alone=0
  if [[ $choice == [0-9]* ]]; then
    clear_topics 1
    alone=$clear
  fi
  clear_topics 8
  awk -v eight="$clear" -v one="$alone" 'BEGIN {exit !(eight >= 0.6 && eight >= 0.75 * one)}' ||
    fail "topics have $clear of their words from one subject with 8 workers, $alone with one"
}
# clear_topics WORKERS: sets clear, the share of the topics' words that belong to their main subject.
clear_topics() {
  local i pid
  create --first-minibatch 300 --min-df 1 --max-share 1 --partitions 8 --snapshot-every 0
  for ((i = 0; i < $1; ++i)); do worker; done
  "$sda" cluster feed "$job" plain.0 >>feed.out 2>>feed.err || fail feed
  "$sda" cluster feed "$job" plain.1 >>feed.out 2>>feed.err || fail feed
  catch_up
  for pid in "${pids[@]}"; do leave "$pid"; done
  "$sda" cluster model "$job" -o "$job.model" >model.out || fail model
  [[ $(number "$job.model" documents) == 1200 && $(number "$job.model" tokens) == 9600 ]] ||
    fail "1200 documents of 8 words were fed: $(cat model.out)"
  "$tool" notes "sda.$job.log.deltas" >notes
  [[ $(grep -c '"deltas_in_prior":0' notes) == 1 ]] ||
    fail "$(grep -c '"deltas_in_prior":0' notes) minibatches were first"
  clear=$("$sda" topics --intervals "$job.model" | grep -oE 'topic +[0-9]+|common[0-9]+x' | awk '
    /^topic/ {topic = $0; next}
    {++all; subject = int(substr($0, 7, 2) / 20); if (++n[topic, subject] > most[topic]) most[topic] = n[topic, subject]}
    END {for (t in most) sum += most[t]; print (all ? sum / all : 0)}')
}

# Without --vocab the words are chosen from all that the topic holds, when that is enough: not from one
# document that came early, nor from the partitions of the worker that is first alone.
round_words() {
  create --min-df 1 --max-share 1 --first-minibatch 32768
  head -n 1 documents >"early.$job"
  sed -n '2,1001p' documents >"late.$job"
  worker
  feed_file "early.$job"
  soon "a worker should say that it waits" grep -q 'waits for 1000 documents .*: 1 so far; or give --vocab' "$job.err"
  sleep 3
  feed_file "late.$job"
  fed=1001
  soon "the documents should be learnt from" has_learnt 1,001
  finish
  [[ $(grep -c 'waits for' "$job.err") == 1 ]] || fail "a worker that waits should say it once"

  create --min-df 1 --max-share 1 --first-minibatch 1200 --partitions 4 --snapshot-every 0
  worker && worker
  soon "two workers should have two partitions each" shared_by_two
  head -n 1200 documents >"all.$job"
  feed_file "all.$job"
  fed=1200
  finish
  "$tool" notes "sda.$job.log.deltas" >notes
  ! grep -q '"documents":1200' notes || fail "the worker that was first had all of the documents"

  # One that finds none of its words in its first minibatch leaves none behind: the next chooses anew.
  create --min-df 2 --max-share 1 --first-minibatch 1 --partitions 1
  printf '%s\n' lonely "apple pear" "apple pear" >"few.$job"
  feed_file "few.$job"
  worker SDA_CLUSTER_FAULT=kill:committed:1
  soon "a worker should die when committed" gone "${pids[-1]}"
  kills=$((kills + 1))
  printf '%s\n' "plum apple" "plum pear" >"further.$job"
  feed_file "further.$job"
  catch_up
  cp_model words
  [[ $(number "$job.words" documents) == 4 && $(number "$job.words" tokens) == 8 ]] ||
    fail "4 documents of 8 words should be learnt from: $("$sda" topics "$job.words")"
  "$sda" topics "$job.words" | found plum || fail "a word is missing"
}
feed_file() { "$sda" cluster feed "$job" "$1" >>feed.out 2>>feed.err || fail "feed $1"; }
has_learnt() { "$sda" cluster status "$job" 2>/dev/null | found -E "^documents +$1 folded"; }
shared_by_two() { [[ $("$sda" cluster status "$job" 2>/dev/null | grep -c ' 2 (') == 2 ]]; }

# A job is deleted and made again while one of its workers is stopped: when this wakes up, it must not
# count, nor trim the log of the new job, and should see that its job is gone.
round_recreate() {
  local old
  new_job --snapshot-every 1
  feed 0
  worker SDA_CLUSTER_FAULT="stop:$1:$(nth_time "$1" $((RANDOM % 3 + 2)))"
  old=${pids[-1]}
  soon "a worker should be stopped" stopped "$old"
  stops=$((stops + 1))
  soon "the job should be deleted" delete_job
  number_of_job=$((number_of_job - 1))
  new_job --snapshot-every 1
  feed 0
  if ((RANDOM % 2)); then
    worker
    doze 0 3
  fi
  kill -CONT "$old"
  feed 1
  finish
  soon "the worker of the deleted job should end" gone "$old"
  check
}
delete_job() { "$sda" cluster delete "$job" >/dev/null 2>delete.err; }

# Kafka forgets how far a group has read when it was away for long; the log of the deltas knows.
round_forget() {
  new_job
  feed 0
  finish
  "$tool" forget "$job"
  feed 1
  worker
  finish
}

# While the broker is away, workers can be told to stop, and do.
round_away() {
  new_job
  worker && worker
  feed 0
  doze 0.5 3
  kill -KILL "$("$broker" pid --state "$folder/broker")"
  broker_kills=$((broker_kills + 1))
  doze 0 2
  for pid in "${pids[@]}"; do leave "$pid"; done
  "$broker" restart --state "$folder/broker" >/dev/null
  finish
}

# One worker on one partition does what `sda fit` does: the same bits if the numbers travel as double.
round_equal() {
  local options="--vocab words --topics 4 --minibatch 100 --first-minibatch 200 --primitive $1 $2"
  # shellcheck disable=SC2086
  "$sda" fit part.0 part.1 $options -o fit.model >/dev/null 2>fit.err || fail "fit: $(cat fit.err)"
  for transport in double float; do
    # shellcheck disable=SC2086
    create $options --partitions 1 --transport $transport
    fed=0
    feed 0 1
    if [[ -n $2 ]]; then catch_up; else finish; fi
    "$sda" cluster model "$job" -o "$transport.model" >/dev/null
  done
  # The files themselves differ: each has the options of its run.
  for model in fit double float; do "$sda" export $model.model --lambda $model.npy; done
  cmp fit.npy double.npy || fail "the posterior is not that of sda fit"
  if [[ $1 == gibbs ]]; then return; fi  # sampling is not continuous: one bit may change a topic
  paste <(od -An -v -w8 -tf8 -j 128 fit.npy) <(od -An -v -w8 -tf8 -j 128 float.npy) |
    awk '{d = $1 / $2 - 1; if (d < 0) d = -d; if (d > most) most = d}
      END {printf "largest relative difference with floats: %g\n", most; exit NR == 0 || most > 1e-6}' ||
    fail "the posterior is too far from that of sda fit"
}

# Workers that all start from the prior of the job.
round_fixed() {
  new_job --primitive vb --worker-prior fixed
  worker && worker
  feed 0 1
  finish
}

# round_staleness N: a worker with a slow view gets its first documents when another has written some
# deltas: its own must know all of these but N. It has a partition of its own, for long.
round_staleness() {
  local name=two$((number_of_job + 1)) slow mine others
  sed 's/^session.*/session.timeout.ms=20000/' properties >patient
  local -x SDA_KAFKA_PROPERTIES=$folder/patient
  "$tool" topic "$name" 2
  new_job --documents "$name" --snapshot-every 1000
  worker SDA_CLUSTER_FAULT=slow:view:700 -- --max-staleness "$1"
  slow=${pids[-1]}
  worker
  soon "two workers should share the partitions" find_partition "$slow"
  "$tool" send "$name" $((1 - mine)) <part.0
  soon "one worker should learn all of its documents" learnt 600
  others=$("$tool" notes "sda.$job.log.deltas" | wc -l)
  head -n 120 part.1 | "$tool" send "$name" "$mine"
  fed=720
  finish
  "$tool" notes "sda.$job.log.deltas" | grep -oE '"deltas_in_prior":[0-9]+|"worker":"[^"]*"' | paste - - |
    awk -F '[:"\t]+' -v of="-$slow\$" -v least=$((others - $1)) '
      $5 ~ of {++checked; if ($3 < least) {print "started from " $3; exit 1}}
      END {if (!checked) {print "wrote nothing"; exit 1}}' >wrong ||
    fail "the worker that must not lack more than $1 of $others deltas $(cat wrong)"
}
# find_partition PID: sets mine to the partition of this worker, if each of the two has one.
find_partition() {
  mine=$("$sda" cluster status "$job" | awk -v of="-$1\$" '
    / 1 \([01]\)$/ {++workers; if ($1 ~ of) found = substr($NF, 2, 1)}
    END {if (workers != 2) exit 1; print found}')
}
learnt() { "$sda" cluster status "$job" --json | found "^  \"documents\": $1,\$"; }

# What is forgotten, and in which order, is that of the log, whoever wrote it: mass is what the notes say.
round_forgetting() {
  new_job --half-life 300 --snapshot-every 1000
  worker && worker && worker
  feed 0 1 2
  catch_up
  for pid in "${pids[@]}"; do leave "$pid"; done
  "$sda" cluster model "$job" -o "$job.model" >model.out || fail "model"
  [[ $(number "$job.model" documents) == 1800 ]] || fail "1800 documents were fed: $(cat model.out)"
  "$tool" notes "sda.$job.log.deltas" | grep -oE '"(discount|tokens)":[0-9.e-]+' | cut -d : -f 2 | paste - - |
    awk -v mass="$(mass "$job.model")" '
      {sum = $1 * sum + $2}
      END {
        if (mass / sum - 1 > 1e-5 || mass / sum - 1 < -1e-5 || sum > 9 * 900) {
          print "the posterior has " mass " words, by the notes there should be " sum; exit 1 }}' >wrong ||
    fail "$(cat wrong)"
}

# A topic of the user's own: lines, or a field of JSON objects. What is no document is left out.
round_topic() {
  local name=own$((number_of_job + 1))
  "$tool" topic $name 3
  new_job --documents $name --format jsonl --text-field body
  sed 's/.*/{"n": 1, "body": "&"}/' part.0 | "$tool" send $name
  printf '%s\n' '{"body": 5}' 'no JSON' '{"other": "common01x"}' '{"body": "unknown words"}' | "$tool" send $name
  fed=600
  worker
  finish
  (($(grep -c 'ignored' "$job.err") >= 3)) || fail "each message that is no document should be named: $(cat "$job.err")"
  "$sda" cluster status "$job" --json >status.json
  expect_match status.json '^  "bad": 3,$'
  expect_match status.json '^  "skipped": 1,$'

  "$tool" topic text$number_of_job 2
  "$tool" send text$number_of_job <part.0
  new_job --documents text$number_of_job
  fed=600
  finish
}

# What `sda cluster` counted, for who reads it.
summary() {
  echo "$rounds rounds: $kills workers killed, $stops stopped and woken, $leaves told to leave, broker" \
    "killed $broker_kills times, feeds killed $feed_kills times; workers joined again" \
    "$(cat ./*.err | grep -c 'joins the job again' || true) times: every document once"
}

smoke=("equal vb" "point offsets-sent" eight)
main=(settings "equal vb" "point offsets-sent" "zombie offsets-sent" open keeper broker feed eight)
more=("recreate produced" "kill float" "kill double" "zombie produced" "zombie committed" "zombie anywhere"
  "point produced" "point committed" "point snapshot-produced" "point snapshot-committed" coming broker forget away
  "end committed" "end feed-committed"
  "recreate snapshot-produced" "recreate snapshot-committed" "recreate committed" words fixed "staleness 0"
  "staleness 2" forgetting topic "equal gibbs" "equal vb --precision=double" "equal vb --half-life=500"
  "equal gibbs --half-life=500")
case $choice in
  smoke) kinds=("${smoke[@]}") ;;
  main) kinds=("${main[@]}") ;;
  more) kinds=("${more[@]}") ;;
  *) kinds=("${main[@]}" "${more[@]}") ;;
esac
if (($# > 3)); then kinds=("${@:4}"); fi
if [[ $choice == [0-9]* ]]; then wanted=$choice; else wanted=${#kinds[@]}; fi
rounds=0
while ((rounds < wanted)); do
  kind=${kinds[rounds % ${#kinds[@]}]}
  start=$SECONDS
  read -r name first second <<<"$kind"
  "round_$name" "$first" "$second"
  [[ -z $(reports) ]] || fail "a sanitizer has found something"
  rounds=$((rounds + 1))
  echo "$rounds: $kind, $((SECONDS - start)) s"
done
summary
