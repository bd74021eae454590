# The steps of the Dockerfile, without Docker: in a small Debian of its own, as root, with a network.
source "$(dirname "$0")/common.sh" "$1"
root=$2
build=$(dirname "$(dirname "$sda")")
skip() {
  echo "skipped: $*"
  exit 77
}
((EUID == 0)) || skip "another root needs the rights of root"
command -v mmdebstrap >/dev/null || skip "there is no mmdebstrap; ./dev check installs it"

"$root/tools/package/build.sh" "$build" context deb >out 2>err || fail "build.sh: $(cat err)"

# step FROM debian:NAME-slim: an image of that name, as near as can be had.
from() {
  local suite=${1#debian:}
  timeout 400 mmdebstrap --quiet --variant=minbase --include=ca-certificates "${suite%-slim}" image >out 2>&1 ||
    skip "no Debian can be fetched: $(tail -n 1 out)"
  cp -L /etc/resolv.conf image/etc/resolv.conf
  timeout 200 chroot image apt-get update -qq >out 2>&1 || skip "apt-get does not reach Debian: $(tail -n 1 out)"
}

# The words of a JSON list, of which none has a space.
words() { tr -d '[],"' <<<"$1 "; }

folder_inside=/ entrypoint='' arguments=''
step() {
  local word=$1 rest=$2 from to
  case $word in
    FROM) from "$rest" ;;
    COPY)
      read -r from to <<<"$rest"
      # shellcheck disable=SC2086  # a pattern
      cp context/$from "image$to" || fail "COPY $rest"
      ;;
    RUN) chroot image sh -c "$rest" >out 2>&1 </dev/null || fail "RUN $rest: $(tail -n 20 out)" ;;
    WORKDIR) folder_inside=$rest && mkdir -p "image$rest" ;;
    ENTRYPOINT) entrypoint=$(words "$rest") ;;
    CMD) arguments=$(words "$rest") ;;
    *) fail "the Dockerfile has a step that this test does not know: $word $rest" ;;
  esac
}
while read -r word rest; do step "$word" "$rest"; done \
  < <(sed -e '/^#/d' -e ':more' -e '/\\$/{N;s/\\\n *//;bmore}' context/Dockerfile)
[[ -n $entrypoint && -n $arguments ]] || fail "the image runs nothing"

# docker_run ARGUMENT...
docker_run() { chroot image sh -c "cd $folder_inside && exec $entrypoint $*"; }
docker_run "$arguments" >out 2>err || fail "docker run sda: $(cat err)"
expect_match out 'fit +Learn a model'
docker_run demo >out 2>err || fail "docker run sda demo: $(cat err)"
expect_match out 'intervals'
ls image/tmp/sda_* image/var/lib/apt/lists/* >out 2>/dev/null && fail "the image has what it does not need: $(cat out)"
docker_run --version >out || fail "docker run sda --version"
cmp out <("$sda" --version) || fail "another version in the image: $(cat out)"
