# A random follower: follow_random.sh SDA SOURCE [KILLS [SEED]]. See follow_random.py.
here=$(realpath "$(dirname "$0")")
source "$here/common.sh" "$1"
python3 "$here/follow_random.py" "$sda" "${3:-9}" ${4:+"$4"}
