# A job on a real Kafka broker with TLS, passwords and ACLs: all of it works, who is refused is told why,
# and the password is seen nowhere. Skipped, with status 77, where Kafka's jars were not fetched.
source "$(dirname "$0")/cluster_common.sh" "$1" "$2"
table=$2/docs/cluster.md

# run COMMAND JOB [OPTION...]: of sda cluster, with what else it needs.
run() {
  local command=$1 job=$2 options=()
  shift 2
  case $command in
    create) options=(--topics 3 --minibatch 100 --first-minibatch 200 --partitions 4 --min-df 1
      --max-share 1 --snapshot-every 2) ;;
    feed) options=("$folder/documents") ;;
    work) options=(--threads 1 --until-caught-up) ;;
    model) options=(-o "$folder/$job.model") ;;
  esac
  timeout 120 "$sda" cluster "$command" "$job" "${options[@]}" "$@"
}
# refused 'REGULAR EXPRESSION' COMMAND...: ends with status 1, and a last line like this.
refused() {
  local pattern=$1 status=0
  shift
  "$@" >refused.out 2>refused.err || status=$?
  [[ $status == 1 ]] || fail "$* exited with $status, expected 1: $(cat refused.err) ${trying:-}"
  tail -n 1 refused.err | found -E -- "^sda: .*$pattern" || fail "$* said: $(cat refused.err); expected: $pattern"
  cat refused.err >>"$seen"
}
# everything JOB: what a user does with a job, from its making to its end.
everything() {
  local command
  for command in "${commands[@]}"; do
    run "$command" "$1" >"$1.$command" 2>"$1.$command.err" ||
      fail "$command: $(cat "$1.$command.err")"
    cat "$1.$command" "$1.$command.err" >>"$seen"
    check "$command" "$1"
  done
}
# check COMMAND JOB: it did what it should; every document counts once.
check() {
  case $1 in
    status) expect_match "$2.status" '^documents +900 folded, 0 to go$' ;;
    model) [[ $(number "$2.model" documents) == 900 && $(number "$2.model" tokens) == 10800 ]] ||
      fail "900 documents of 12 words were fed: $(cat "$2.model")" ;;
    work) if grep -q 'no snapshot' "$2.work.err"; then fail "$(cat "$2.work.err")"; fi ;;
  esac
}
seen=$folder/seen  # what was said
commands=(create feed work status model repair delete)

awk 'BEGIN {srand(5); for (d = 0; d < 900; ++d) {
  t = int(rand() * 3); for (i = 0; i < 12; ++i) printf "word%02dx ", t * 10 + int(rand() * 10); print "" }}' >documents
SDA_BROKERS=$("$broker" start --secure --state "$folder/broker" --owner $$ 2>started)
export SDA_BROKERS
expect_match started 'clients need --properties .*/client.properties$'
right=$folder/broker/broker/client.properties
password=$(sed -n 's/^sasl.password=//p' "$right")
[[ -n $password ]] || fail "no password in $right"

# ---- with the right properties ----------------------------------------------------------------------

SDA_KAFKA_PROPERTIES=$right everything whole
export SDA_KAFKA_PROPERTIES=$right
run create job >/dev/null
run feed job >/dev/null

# ---- refused: nobody waits, and is told what is wrong ------------------------------------------------

sed 's/^sasl.password=.*/sasl.password=wrong/' "$right" >wrong
sed "s,^ssl.ca.location=.*,ssl.ca.location=$folder/other.pem," "$right" >unknown
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=other -keyout other.key \
  -out other.pem 2>/dev/null
echo 'security.protocol=PLAINTEXT' >plaintext
for command in "${commands[@]}"; do
  refused 'authentication failed for user sda: .*check sasl.username, sasl.password' \
    run "$command" job --properties wrong
  refused "certificate is not trusted.* set ssl.ca.location" run "$command" job --properties unknown
done
# Those that end when time is up, all at once.
waiting=()
for command in "${commands[@]}"; do
  for properties in none plaintext; do
    (
      mkdir "$command.$properties" && cd "$command.$properties"
      if [[ $properties == none ]]; then unset SDA_KAFKA_PROPERTIES; else SDA_KAFKA_PROPERTIES=../plaintext; fi
      refused "no Kafka broker answers at $SDA_BROKERS: .*does it speak TLS\?.* set security.protocol" \
        run "$command" job
    ) &
    waiting+=($!)
  done
done
for pid in "${waiting[@]}"; do wait "$pid" || exit 1; done
# The certificate is for an address.
refused 'certificate is not trusted, or is not for this address' \
  run status job --brokers "localhost:${SDA_BROKERS#*:}"
# Older clients do SCRAM in a way that Kafka 4 refuses.
sed 's/^sasl.mechanism=.*/sasl.mechanism=SCRAM-SHA-512/' "$right" >scram
if ! run status job --properties scram >/dev/null 2>&1; then
  refused 'authentication failed for user sda: .*librdkafka .*2.6.1 or newer' run status job --properties scram
fi

# ---- a password that is revoked while a worker runs ---------------------------------------------------

"$sda" cluster work job --threads 1 --metrics 0 >revoked.out 2>revoked.err &
worker=$!
pids+=("$worker")
caught_up() {
  local i
  for ((i = 0; i < 300; ++i)); do
    run status job --json >status.json
    if grep -qE '^  "lag": 0,$' status.json; then return; fi
    sleep 0.2
  done
  fail "the worker does not catch up: $(cat status.json revoked.err)"
}
caught_up
cat status.json >>"$seen"
tr '\0' ' ' <"/proc/$worker/cmdline" >>"$seen"
exec 5<>"/dev/tcp/127.0.0.1/$(sed -n 's,.*metrics at http://127.0.0.1:\([0-9]*\)/metrics,\1,p' revoked.err)"
printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n' >&5
cat <&5 >>"$seen"
exec 5>&-
expect_match "$seen" '^sda_worker_documents_total\{.*\} 900$'
cp "$folder/broker/broker/server.properties" server.properties
sed -i 's/user_sda="[^"]*"/user_sda="another"/' "$folder/broker/broker/server.properties"
"$broker" restart --state "$folder/broker" >/dev/null
refused 'authentication failed for user sda: ' run status job
for ((i = 0; i < 600; ++i)); do
  if ! kill -0 "$worker" 2>/dev/null; then break; fi
  sleep 0.1
done
status=0
if kill -0 "$worker" 2>/dev/null; then fail "a worker goes on without a password: $(cat revoked.err)"; fi
wait "$worker" || status=$?
[[ $status == 1 ]] || fail "the worker exited with $status, expected 1: $(cat revoked.err)"
tail -n 1 revoked.err | found -E '^sda: .*authentication failed for user sda: ' || fail "$(cat revoked.err)"
cat revoked.out revoked.err >>"$seen"
cp server.properties "$folder/broker/broker/server.properties"
"$broker" restart --state "$folder/broker" >/dev/null

# ---- permissions: those of the table in the documentation, and not one less ---------------------------

guest=$folder/broker/broker/guest.properties
# acls --add|--remove topic|group|transactional-id OPERATION NAME
acls() {
  local force=() pattern=literal
  if [[ $1 == --remove ]]; then force=(--force); fi
  if [[ $4 == *. ]]; then pattern=prefixed; fi
  "$broker" acls --state "$folder/broker" -- "$1" "${force[@]}" --allow-principal User:guest --operation "$3" \
    "--$2" "$4" --resource-pattern-type "$pattern" >acls.out 2>&1 || fail "kafka-acls: $(cat acls.out)"
}
# permissions COMMAND: of the job guest, as the table says, a line for each.
permissions() {
  awk -F '|' -v command=" \`$1\` " '
    $2 == command {
      name = $3; gsub(/[ `]/, "", name); sub(/JOB/, "guest", name)
      for (i = 4; i <= 6; ++i) {
        n = split($i, operation, /[ ,]+/)
        for (j = 1; j <= n; ++j) if (operation[j] != "")
          print (i == 4 ? "topic" : i == 5 ? "group" : "transactional-id"), operation[j], name }}' "$table"
}
# What a user who may feed documents is refused: all of the log but its settings, and what others fed.
only_feeds() {
  local topic
  for topic in log.deltas log.snapshots log.settings log.rejected; do
    if echo forged | SDA_KAFKA_PROPERTIES=$guest "$tool" send "sda.guest.$topic" 0 sda.guest.in.x >sent 2>&1; then
      fail "who may feed wrote to $topic"
    fi
  done
  echo note | SDA_KAFKA_PROPERTIES=$guest "$tool" send sda.guest.in.feeds 0 sda.guest.in.x >sent 2>&1 ||
    fail "who may feed cannot: $(cat sent)"
  if echo forged | SDA_KAFKA_PROPERTIES=$guest "$tool" send sda.guest.in.documents 0 sda.guest.log.x >sent 2>&1; then
    fail "who may feed took a transactional id of workers"
  fi
  expect_match sent 'lacks the permission Write for the transactional id'
  for topic in log.deltas log.snapshots log.rejected in.documents; do
    if SDA_KAFKA_PROPERTIES=$guest "$tool" count "sda.guest.$topic" sda.guest.in.x >sent 2>&1; then
      fail "who may feed read $topic"
    fi
    expect_match sent 'lacks the permission (Read|Describe) for the topic'
  done
  acls --remove topic Read sda.guest.in.feeds
  refused 'user guest lacks the permission Read for the topic' run feed guest --properties "$guest"
  acls --add topic Read sda.guest.in.feeds
  refused 'user guest lacks the permission' run work guest --properties "$guest"
  refused 'user guest lacks the permission' run model guest --properties "$guest"
  refused 'user guest lacks the permission' run delete guest --properties "$guest"
}
for command in "${commands[@]}"; do
  permissions "$command" >needed
  [[ -s needed ]] || fail "$table does not say what $command takes"
  while read -r -u 3 kind operation name; do acls --add "$kind" "$operation" "$name"; done 3<needed
  while read -r -u 3 kind operation name; do
    if [[ $command-$operation == work-Delete ]]; then continue; fi  # it only trims
    if [[ $command-$operation == repair-Delete ]]; then continue; fi  # as long as the log can be used
    if [[ $name == *.in.feeds ]]; then continue; fi  # as long as nothing was fed
    acls --remove "$kind" "$operation" "$name"
    trying="$command without $operation for $kind $name"
    refused "user guest lacks the permission ($operation|Describe) for the ${kind/-/ }" \
      run "$command" guest --properties "$guest"
    acls --add "$kind" "$operation" "$name"
    if [[ $command == create ]]; then run delete guest >/dev/null 2>&1 || true; fi
  done 3<needed
  run "$command" guest --properties "$guest" >"guest.$command" 2>"guest.$command.err" ||
    fail "$command by guest: $(cat "guest.$command.err")"
  check "$command" guest
  if [[ $command == feed ]]; then only_feeds; fi
  while read -r -u 3 kind operation name; do acls --remove "$kind" "$operation" "$name"; done 3<needed
done

# ---- the password is seen nowhere ----------------------------------------------------------------------

grep -aqF 'authentication failed' "$seen" || fail "nothing was kept of what was said"
if grep -aF "$password" "$seen"; then fail "the password was shown"; fi
grep -rqF 'sda.job.' "$folder/broker/broker/log" || fail "the broker's data is not where it is looked for"
if grep -rlF "$password" "$folder/broker/broker/log"; then fail "the password is in a topic"; fi
