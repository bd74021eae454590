# Shared by the scripts about a cluster: after common.sh, where the broker's script and the tool are, and
# an end that leaves no process behind. Skips, with status 77, where there is no sda cluster or no Kafka.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"
broker=$2/tools/kafka/broker.sh
tool=$(dirname "$sda")/cluster_tool
# The same program, but it obeys $SDA_CLUSTER_FAULT (src/cluster/kafka/fault_point.h).
sda_with_faults=$(dirname "$sda")/sda_with_faults
if ! "$sda" cluster --help >/dev/null 2>&1; then
  echo "skipped: this sda was built without sda cluster"
  exit 77
elif ! "$broker" ready; then
  echo "skipped: Kafka's jars are not there; get them with: ./dev kafka jars"
  exit 77
fi

pids=()
# shellcheck disable=SC2317  # called by the trap
clean_up() {
  local pid
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  "$broker" stop --state "$folder/broker"
  rm -rf "$folder"
}
trap clean_up EXIT
