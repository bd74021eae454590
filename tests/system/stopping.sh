# Ctrl-C and SIGTERM finish what is in hand and save the model, also while input is awaited.
source "$(dirname "$0")/common.sh" "$1"

# Waits until the program has read what was written to the pipe, on a busy machine, too.
all_read() {
  python3 -c '
import fcntl, struct, termios, time
while struct.unpack("i", fcntl.ioctl(3, termios.FIONREAD, bytes(4)))[0]: time.sleep(0.01)'
}

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
    { echo x; seq 1 95; printf 34; } >&3  # the writer is cut off within a number
    all_read
    sleep 0.5
    kill -s $signal $fit
    status=0
    wait $fit || status=$?
    exec 3>&-
    rm pipe
    [[ $status == 0 ]] || fail "$signal, $options: exit status $status: $(cat err)"
    expect_match err 'stopped early; saved model'
    "$sda" show model >show.txt
    expect_match show.txt 'normal model after 95 rows'
    expect_match show.txt '^mean\[x\] +48 '
  done
done

# Also within the first minibatch.
mkfifo pipe
setsid bash -c 'trap - INT; exec "$@"' _ "$sda" fit --model normal - -o model <pipe >out 2>err &
fit=$!
exec 3>pipe
{ echo x; seq 1 5; } >&3
all_read
sleep 0.4
kill -s INT $fit
wait $fit || fail "stopped in the first minibatch: $(cat err)"
exec 3>&-
"$sda" show model >show.txt
expect_match show.txt 'normal model after 5 rows'
