# A stream without end, two asynchronous workers, the model saved all the while: memory and rate stay
# flat, and every token is counted once.
#
#   soak.sh SDA SOURCE_FOLDER [SECONDS]
source "$(dirname "$0")/common.sh" "$1"
seconds=${3:-20}

generate() {
  awk 'BEGIN {srand(5); while (1) { t = int(rand() * 40); line = "";
    for (i = 0; i < 40; ++i) line = line sprintf("word%04dx ", (t * 50 + int(-60 * log(1 - rand()))) % 2000);
    print line }}'
}
mkfifo pipe
(generate >pipe 2>/dev/null || true) &
"$sda" fit - --format text --follow --topics 50 --minibatch 1000 --first-minibatch 5000 \
  --vocab-from 5000 --schedule async --workers 2 -o model --checkpoint-every 5s <pipe >out 2>err &
run=$!
trap 'kill -KILL $run 2>/dev/null || true; rm -rf "$folder"' EXIT
until [[ -e model ]]; do  # from here on nothing is new to it
  kill -0 $run || fail "$(cat err)"
  sleep 0.2
done

# Resident memory in kB, bytes read and seconds of the processors' time, at even times.
steps=20
for ((i = 0; i <= steps; ++i)); do
  echo "$(awk '/^VmRSS/ {print $2}' /proc/$run/status) $(awk '/^rchar/ {print $2}' /proc/$run/io)" \
    "$(awk -v hertz="$(getconf CLK_TCK)" '{print ($14 + $15) / hertz}' /proc/$run/stat)" >>samples
  if [[ -n ${3:-} ]]; then echo "$i of $steps: $(tail -n 1 samples)"; fi
  sleep "$(awk -v s="$seconds" -v n=$steps 'BEGIN {print s / n}')"
done
kill -TERM $run
wait $run || fail "SIGTERM: $(cat err)"

# The rate is of bytes in a second of processor time, which other programs do not take away. In a
# short run what is set up at the start is still to be seen in the memory.
awk -v steps=$steps -v most=$((seconds < 600 ? 10 : 2)) '{rss[NR - 1] = $1; bytes[NR - 1] = $2; cpu[NR - 1] = $3}
  END {h = int(steps / 2); low = high = rss[h];
    for (i = h; i <= steps; ++i) { if (rss[i] < low) low = rss[i]; if (rss[i] > high) high = rss[i] }
    first = (bytes[h] - bytes[0]) / (cpu[h] - cpu[0])
    second = (bytes[steps] - bytes[h]) / (cpu[steps] - cpu[h])
    printf "memory in the last half %.0f to %.0f MB (%.2f%%), rate of the last half %.3f of the first\n",
      low / 1024, high / 1024, 100 * (high / low - 1), second / first
    exit !(high / low < 1 + most / 100 && second / first > 0.9)}' samples || fail "memory or rate is not flat"

"$sda" export model --lambda lambda.npy
metadata() { head -c 1000000 model | grep -aoE "$1" | head -n 1 | grep -oE '[0-9.e-]+$'; }
tokens=$(metadata '"tokens":"[0-9]+')
od -An -v -tf8 -j "$((10 + $(od -An -tu2 -j 8 -N 2 lambda.npy)))" lambda.npy |
  awk -v eta="$(metadata 'eta\\":[0-9.e-]+')" -v tokens="$tokens" \
    '{for (i = 1; i <= NF; ++i) sum += $i - eta}
     END {printf "mass %.4f, tokens %.0f\n", sum, tokens; d = sum / tokens - 1; exit !(d < 1e-9 && d > -1e-9)}' ||
  fail "the mass is not the tokens"
