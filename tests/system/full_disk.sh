# A disk that is really full, while checkpoints and models are saved: a message, a status that is not
# 0, the last good checkpoint as it was; and with space again, the model of the run that had it.
#
# The disk is a small one in memory, in a name space of its own, so that it is gone with the script.
# Where that is not permitted the test is skipped (status 77).
if [[ -z ${SDA_MAY_MOUNT:-} ]]; then
  # shellcheck disable=SC2093
  if unshare -rm true 2>/dev/null; then SDA_MAY_MOUNT=1 exec unshare -rm bash "$0" "$@"; fi
fi
source "$(dirname "$0")/common.sh" "$1"
mkdir disk
if ! mount -t tmpfs -o size=16m tmpfs disk 2>mount.err; then
  echo "skipped: $(cat mount.err)"
  exit 77
fi
trap 'cd /; umount "$folder/disk"; rm -rf "$folder"' EXIT

awk 'BEGIN {srand(7); for (d = 0; d < 1500; ++d) { t = int(rand() * 6);
  for (i = 0; i < 30; ++i) printf "word%03dx ", (t * 30 + int(-20 * log(1 - rand()))) % 300; print "" }}' >all.txt
fit="all.txt --topics 20 --minibatch 100 --first-minibatch 200 --vocab-from 500"
# shellcheck disable=SC2086
"$sda" fit $fit -o whole --checkpoint ordinary >out 2>err || fail "$(cat err)"
checkpoint=$(stat -c %s "$(ls ordinary/checkpoint-* | tail -n 1)")

# leave BYTES: so much is free on the disk.
leave() {
  rm -f disk/ballast
  head -c "$(($(df --output=avail -B1 disk | tail -n 1) - $1))" /dev/zero >disk/ballast
}
# fails FILE OPTIONS...: as the disk is full when FILE is written.
fails() {
  local file=$1 status=0
  shift
  # shellcheck disable=SC2086
  "$sda" fit $fit "$@" >out 2>err || status=$?
  [[ $status == 1 ]] || fail "status $status: $(cat err)"
  expect_match err "^sda: $file: cannot (write|sync|close): No space left on device"
  [[ -z $(find . -name '*.tmp.*') ]] || fail "left behind: $(find . -name '*.tmp.*')"
}
# expect_whole FOLDER MODEL: going on gives the model of the run that had space.
expect_whole() {
  rm -f disk/ballast
  # shellcheck disable=SC2086
  "$sda" fit $fit -o "$2" --checkpoint "$1" --resume >out 2>err || fail "$(cat err)"
  expect_match err "resuming from $1/checkpoint-"
  cmp "$2" whole || fail "another model when there was space again"
}

# One checkpoint finds room, another does not: nor does the model, if that was the last. The first ones are
# half as large as the last, since the sample of documents grows.
leave $((checkpoint + 4096))
fails '.*' -o disk/model --checkpoint disk/folder --checkpoint-every 1
[[ $(find disk/folder -name 'checkpoint-*' | wc -l) -ge 1 ]] || fail "no checkpoint is left"
[[ ! -e disk/model ]] || fail "a model was written"
expect_whole disk/folder disk/model

# A model that is there already stays as it was.
cp disk/model before
rm -rf disk/folder
leave $(($(stat -c %s whole) / 2))
fails disk/model -o disk/model --checkpoint elsewhere
cmp disk/model before || fail "the old model is not as it was"
expect_whole elsewhere disk/model

# The last checkpoint alone fails: the model is saved.
rm -rf disk/*
leave $((checkpoint / 2))
fails 'disk/folder/checkpoint-[0-9]+' -o model --checkpoint disk/folder --checkpoint-every 1000s
cmp model whole || fail "the model is not the whole one"
[[ -z $(find disk/folder -name 'checkpoint-*') ]] || fail "$(ls disk/folder)"
