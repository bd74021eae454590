# The fault points of the cluster are in the test program alone: in sda nothing obeys $SDA_CLUSTER_FAULT.
#
#   fault_points.sh SDA SDA_WITH_FAULTS
set -euo pipefail
if grep -q SDA_CLUSTER_FAULT "$1"; then
  echo "FAILED: $1 knows SDA_CLUSTER_FAULT" >&2
  exit 1
fi
grep -q SDA_CLUSTER_FAULT "$2"  # or the search above would find nothing anywhere
