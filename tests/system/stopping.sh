# Ctrl-C and SIGTERM finish what is in hand and save the model, also while input is awaited.
source "$(dirname "$0")/common.sh" "$1"

for signal in INT TERM; do
  for options in "--schedule serial" "--schedule sync --workers 2" "--schedule async --workers 3"; do
    rm -f model out err
    mkfifo pipe
    # In a shell of its own: a background command of a script ignores Ctrl-C otherwise.
    # shellcheck disable=SC2086
    setsid bash -c 'trap - INT; exec "$@"' _ \
      "$sda" fit --model normal --minibatch 10 $options - -o model <pipe >out 2>err &
    fit=$!
    exec 3>pipe
    { echo x; seq 1 95; } >&3
    sleep 0.5
    kill -s $signal $fit
    status=0
    wait $fit || status=$?
    exec 3>&-
    rm pipe
    [[ $status == 0 ]] || fail "$signal, $options: exit status $status: $(cat err)"
    expect_match err 'stopped early; saved model'
    "$sda" show model >show.txt
    expect_match show.txt 'normal model after [1-9][0-9] rows'
  done
done
