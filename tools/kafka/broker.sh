#!/usr/bin/env bash
# A real Apache Kafka broker of one node (KRaft) for development and tests. See usage().
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kafka=$(cd "$here/../.." && pwd)/build/kafka

usage() {
  cat <<'TEXT'
broker.sh COMMAND [--state DIR]

  jars      fetch Kafka's jars with Maven into build/kafka, once
  ready     exit with 0 if they were fetched, with 1 if not
  start [PORT] [--owner PID] [--secure]
            start a new, empty broker on 127.0.0.1, wait until it answers and print HOST:PORT; on a
            free port unless PORT is given; it is stopped when the process PID is gone; with --secure
            it takes TLS and passwords alone, and obeys ACLs: clients need one of the properties files
            that it makes, DIR/broker/client.properties (the user sda, who may do everything) and
            DIR/broker/guest.properties (the user guest, who may do nothing)
  restart   start it again, with the same data on the same port, after it was killed (or kill it now)
  status    print HOST:PORT and exit with 0 if it runs, with 1 if not
  pid       print its process id
  log       print the name of its log file
  topic NAME [PARTITIONS]
            create a topic with 1 partition, or so many: it does not appear when it is used
  acls -- ARGUMENT...
            run Kafka's kafka-acls on it
  stop      kill it and remove its data; without complaint if there is none

DIR, default build/kafka/default, tells brokers apart that run at the same time. The data is in a new
folder under $TMPDIR. $SDA_KAFKA_JAVA_OPTIONS is added to the options of the Java machine.
TEXT
}

more_options=()

say() { echo "kafka: $*" >&2; }
fail() { say "$@"; exit 1; }

# ---- jars -------------------------------------------------------------------------------------

# The folder of the jars carries a fingerprint of what they depend on: a new pom.xml gets new jars.
jars_folder() { echo "$kafka/jars-$(sha256sum "$here/pom.xml" | cut -c 1-12)"; }

class_path() { printf '%s:' "$lib"/*.jar | sed 's/:$//'; }

# Several callers at once wait for the first of them.
prepare_jars() {
  lib=$(jars_folder)
  archive=$lib/classes.jsa
  if [[ -e $lib/ready ]]; then return; fi
  mkdir -p "$kafka"
  exec 9>"$kafka/lock"
  flock 9
  if [[ ! -e $lib/ready ]]; then
    fetch_jars
    archive_classes || say "no class archive could be made: brokers start a little slower"
    touch "$lib/ready"
  fi
  exec 9>&-
}

fetch_jars() {
  command -v mvn >/dev/null || fail "needs Maven to fetch Kafka: install it, or run ./dev kafka jars"
  command -v java >/dev/null || fail "needs Java 17 or newer: install it, or run ./dev kafka jars"
  say "fetching Kafka's jars with Maven"
  if ! mvn -B -q -f "$here/pom.xml" dependency:copy-dependencies -DincludeScope=runtime \
    -DoutputDirectory="$lib" >"$kafka/maven.log" 2>&1; then
    tail -n 20 "$kafka/maven.log" >&2
    fail "Maven could not fetch Kafka's jars (its output is above): is there a network, or does" \
      "Maven need a proxy or a mirror in ~/.m2/settings.xml? Then run ./dev kafka jars again"
  fi
}

# Runs a broker once and keeps its classes, parsed and verified, for the next ones: they start with half
# the processor time. The Java machine ignores an archive that does not fit it.
archive_classes() (
  state=$kafka/archive
  rm -f "$archive"
  more_options=("-XX:ArchiveClassesAtExit=$archive.new")
  new_broker '' || return 1
  running
  kill "$pid"
  while running; do sleep 0.1; done
  stop_broker
  rm -r "$state"
  mv "$archive.new" "$archive"
)

# ---- the broker -------------------------------------------------------------------------------

# java_run CLASS [ARGUMENT...]: becomes Kafka. A broker lives for seconds: the quick compiler and
# the collector without threads of its own cost the least processor time.
java_run() {
  local options=(-Xms64m -Xmx512m -Xss512k -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto
    -Djava.awt.headless=true
    -Dorg.slf4j.simpleLogger.defaultLogLevel=warn
    -Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info
    -Dorg.slf4j.simpleLogger.showDateTime=true
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS")
  if [[ -e $archive ]]; then options+=("-XX:SharedArchiveFile=$archive"); fi
  options+=("${more_options[@]}")
  # shellcheck disable=SC2206  # several options in one variable
  options+=(${SDA_KAFKA_JAVA_OPTIONS:-})
  exec setsid java "${options[@]}" -cp "$(class_path)" "$@"
}

# write_settings PORT CONTROLLER_PORT INTERNAL_PORT: the last is how a broker calls itself.
write_settings() {
  cat >"$data/server.properties" <<TEXT
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$2
listeners=CLIENT://127.0.0.1:$1,CONTROLLER://127.0.0.1:$2,INTERNAL://127.0.0.1:$3
advertised.listeners=CLIENT://127.0.0.1:$1,INTERNAL://127.0.0.1:$3
listener.security.protocol.map=CLIENT:${secure:-PLAINTEXT},CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT
inter.broker.listener.name=INTERNAL
controller.listener.names=CONTROLLER
log.dirs=$data/log

# One node, started in a moment.
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
num.network.threads=2
num.io.threads=4
background.threads=2
log.cleaner.dedupe.buffer.size=8388608
auto.create.topics.enable=false

# A broker that was killed may come back when its old session has ended.
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500

# Tests of dead workers need not wait long.
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
transaction.abort.timed.out.transaction.cleanup.interval.ms=1000
TEXT
  if [[ -n $secure ]]; then secure_settings; fi
}

random_word() { head -c 16 /dev/urandom | base64 | tr '+/' 'ab' | cut -c 1-22; }

# Makes a certificate, which is its own authority, passwords and the clients' files. Whoever comes by
# another listener is the broker itself.
secure_settings() {
  local guest
  password=$(random_word)
  guest=$(random_word)
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj /CN=sda-kafka \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$data/key.pem" -out "$data/ca.pem" 2>/dev/null ||
    fail "openssl cannot make a certificate"
  cat "$data/key.pem" "$data/ca.pem" >"$data/keystore.pem"
  client_properties sda "$password" >"$data/client.properties"
  client_properties guest "$guest" >"$data/guest.properties"
  cat >>"$data/server.properties" <<TEXT

ssl.keystore.type=PEM
ssl.keystore.location=$data/keystore.pem
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512
listener.name.client.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule \\
  required user_sda="$password" user_guest="$guest";
listener.name.client.scram-sha-512.sasl.jaas.config=\\
  org.apache.kafka.common.security.scram.ScramLoginModule required;
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:sda;User:ANONYMOUS
TEXT
}

# client_properties USER PASSWORD
client_properties() {
  cat <<TEXT
security.protocol=$secure
ssl.ca.location=$data/ca.pem
ssl.endpoint.identification.algorithm=https
sasl.mechanism=PLAIN
sasl.username=$1
sasl.password=$2
TEXT
}

# Ports that the kernel does not give to outgoing connections, so that none of these takes the port
# while the broker is down. Another process may still be quicker: new_broker() then tries others.
free_port() {
  local port
  while true; do
    port=$((10000 + SRANDOM % 20000))
    if ! (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
  done
  echo "$port"
}

# Sets pid. The process id is trusted only while that process is this broker.
running() {
  pid=$(cat "$state/broker/pid" 2>/dev/null) || return 1
  tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" |
    grep -qxF "$(readlink "$state/broker")/server.properties"
} 2>/dev/null

kill_broker() {
  if running; then
    kill -KILL "$pid" 2>/dev/null || true
    while running; do sleep 0.02; done
  fi
}

stop_broker() {
  local data
  kill_broker
  if data=$(readlink "$state/broker"); then
    rm -rf "$data"
    rm -f "$state/broker"
  fi
}

# Gives the storage a random cluster id, and the user who can come by SCRAM.
format() {
  local user=()
  if [[ -n $secure ]]; then user=(--add-scram "SCRAM-SHA-512=[name=sda,password=$password]"); fi
  (java_run kafka.tools.StorageTool format -t "$(random_word)" -c "$data/server.properties" "${user[@]}") \
    >"$data/server.log" 2>&1
}

# Starts Kafka on the data that is there and waits until it answers; false if it ended before.
launch() {
  local waited=0 child
  (java_run kafka.Kafka "$data/server.properties") </dev/null >"$data/server.log" 2>&1 8>&- 9>&- &
  child=$!
  trap "kill -KILL $child 2>/dev/null || true; $1" EXIT
  echo "$child" >"$data/pid"
  until grep -qs 'Kafka Server started' "$data/server.log"; do
    if ! kill -0 "$child" 2>/dev/null; then return 1; fi
    if ((++waited > 1800)); then
      say "the broker does not answer after three minutes"
      kill -KILL "$child"
      return 1
    fi
    sleep 0.1
  done
  trap "$1" EXIT
  disown "$child"
}

port_taken() { grep -qs 'Address already in use' "$data/server.log"; }

show_log() {
  tail -n 30 "$data/server.log" >&2
  say "the broker did not start: the end of its log is above"
  if port_taken; then say "a port that it needs is in use: $(grep ^listeners= "$data/server.properties")"; fi
}

# new_broker PORT, '' for a free one: false if it did not come up, and then nothing is left of it.
new_broker() {
  local attempt
  mkdir -p "$state"
  exec 8>"$state/lock"
  flock -n 8 && ! running || fail "there is a broker in $state: stop it first, or use another --state"
  stop_broker
  data=$(mktemp -d -t sda-kafka.XXXXXX)
  ln -sT "$data" "$state/broker"
  trap stop_broker EXIT
  for attempt in 1 2 3; do
    write_settings "${1:-$(free_port)}" "$(free_port)" "$(free_port)"
    rm -rf "$data/log"
    if format && launch stop_broker; then break; fi
    if ((attempt == 3)) || [[ -n $1 ]] || ! port_taken; then
      show_log
      return 1
    fi
  done
  trap - EXIT
  exec 8>&-
}

restart_broker() {
  data=$(readlink "$state/broker") || fail "there is no broker in $state to restart"
  exec 8>"$state/lock"
  flock -n 8 || fail "the broker in $state is being started"
  kill_broker
  mv -f "$data/server.log" "$data/server.log.old"
  launch : || { show_log; exit 1; }
  trap - EXIT
  exec 8>&-
}

# address [LISTENER]
address() { sed -n "s,^advertised.listeners=.*${1:-CLIENT}://\\([^,]*\\).*,\\1,p" "$state/broker/server.properties"; }

# stop_after PID: leaves a process behind that stops this broker, and only this, when PID is gone.
stop_after() {
  (
    while kill -0 "$1" 2>/dev/null && [[ -d $data ]]; do sleep 1; done
    if [[ -d $data && $(readlink "$state/broker") == "$data" ]]; then stop_broker; fi
  ) </dev/null >/dev/null 2>&1 &
  disown
}

# create_topic NAME PARTITIONS
create_topic() {
  local said
  running || fail "no broker runs in $state: start it first"
  if ! said=$(java_run org.apache.kafka.tools.TopicCommand --bootstrap-server "$(address INTERNAL)" \
    --create --topic "$1" --partitions "$2" --replication-factor 1 2>&1); then
    said=$(sed -n 's/^Error while executing topic command : //p' <<<"$said" | grep . || echo "$said")
    fail "cannot create the topic $1: ${said%%$'\n'*}"
  fi
  echo "$1"
}

command=${1:-help}
shift || true
state=$kafka/default port='' owner='' secure='' topic=''
if [[ $command == topic ]]; then
  topic=${1:-}
  [[ -n $topic && $topic != -* ]] || { usage >&2; exit 2; }
  shift
fi
while (($# > 0)); do
  case $1 in
    --state) state=${2:?"--state needs a folder"} && shift 2 ;;
    --owner) owner=${2:?"--owner needs a process id"} && shift 2 ;;
    --secure) secure=SASL_SSL && shift ;;
    --) shift && break ;;
    [0-9]*) port=$1 && shift ;;
    *) usage >&2 && exit 2 ;;
  esac
done
state=$(realpath -m "$state")

case $command in
  jars) prepare_jars ;;
  ready) [[ -e $(jars_folder)/ready ]] ;;
  start)
    prepare_jars
    new_broker "$port" || exit 1
    if [[ -n $owner ]]; then stop_after "$owner"; fi
    if [[ -n $secure ]]; then say "clients need --properties $state/broker/client.properties"; fi
    address
    ;;
  restart)
    prepare_jars
    restart_broker
    address
    ;;
  status) if running; then address; else say "no broker runs in $state" && exit 1; fi ;;
  pid) if running; then echo "$pid"; else fail "no broker runs in $state"; fi ;;
  log) readlink -e "$state/broker/server.log" || fail "there is no broker in $state" ;;
  topic)
    prepare_jars
    create_topic "$topic" "${port:-1}"  # the number that was given
    ;;
  acls)
    prepare_jars
    java_run org.apache.kafka.tools.AclCommand --bootstrap-server "$(address INTERNAL)" "$@"
    ;;
  stop) stop_broker ;;
  help | -h | --help) usage ;;
  *) usage >&2 && exit 2 ;;
esac
