# A job on an existing topic of the broker for development, made as docs/cluster.md says.
source "$(dirname "$0")/cluster_common.sh" "$1" "$2"
state=$folder/broker

SDA_BROKERS=$("$broker" start --state "$state" --owner $$)
export SDA_BROKERS
expect_failure 1 'no broker runs in' "$broker" topic articles --state "$folder/none"
expect_failure 2 'there is no topic articles' "$sda" cluster create early --documents articles --format jsonl
[[ $("$broker" topic articles 4 --state "$state") == articles ]] || fail "the topic was not created"
expect_failure 1 "cannot create the topic articles: Topic 'articles' already exists" "$broker" topic articles --state "$state"
expect_failure 1 'cannot create the topic none: The partitions must be greater than 0' "$broker" topic none 0 --state "$state"
"$sda" cluster create news --documents articles --format jsonl >out 2>err || fail "create: $(cat err)"
"$sda" cluster status news --json >out 2>err || fail "status: $(cat err)"
expect_match out '"partitions": ?4|"partition": ?3'
