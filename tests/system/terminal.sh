# Words, columns, names and models of others are shown on a terminal and in messages, never obeyed;
# what goes to a file keeps its bytes.
source "$(dirname "$0")/common.sh" "$1"

# shows COMMAND...: runs it on a terminal, which gets its output in the file screen.
shows() {
  python3 - "$@" >screen <<'END'
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
try:
    while data := os.read(terminal, 65536):
        sys.stdout.buffer.write(data.replace(b"\r\n", b"\n"))
except OSError:  # the end of a terminal
    pass
os.waitpid(child, 0)
END
}

# What must not arrive: a colour, by both escapes, and text turned round.
hostile=$(printf '\033[31mred\302\233'"5m\342\200\256"'turned')

expect_escaped() {
  grep -qaE '\\(x1b|u001b)\[31mred.*5m.*turned' "$1" || fail "$2 does not show it: $(cat -v "$1")"
  ! LC_ALL=C grep -qaP '\x1b\[31m|\x9b|\xe2\x80\xae|\xff' "$1" || fail "$2: $(cat -v "$1")"
}

on_screen() {
  shows "$@"
  expect_escaped screen "$*"
}

# Words of a topic model, which are anything that a file of words has.
printf '%s\ngood\nwords\n' "$hostile" >words.txt
for _ in 1 2 3 4 5 6 7 8; do echo '3 0:5 1:2 2:1'; done >documents.ldac
"$sda" fit documents.ldac --format ldac --vocab words.txt --topics 2 -o topics >out 2>err
on_screen "$sda" topics topics
grep -qF 'red\u009b5m\u202eturned' screen || fail "shown otherwise: $(cat -v screen)"
on_screen "$sda" topics topics --json
python3 -c 'import json, sys; json.load(open(sys.argv[1], "rb"))' screen || fail "no JSON on a screen"
"$sda" topics topics --json >out
grep -qF 'turned' out && LC_ALL=C grep -qaP '\xe2\x80\xae' out || fail "JSON in a file: $(cat -v out)"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' out

# Columns; the table stays in line.
printf '"%s",b\n1,2\n3,5\n4,4\n5,8\n6,6\n7,9\n8,8\n' "$hostile" >table.csv
on_screen "$sda" fit table.csv --model linear --target b -o table
on_screen "$sda" show table
[[ $(sed -n '/^parameter/,/^$/p' screen | awk 'NF {print length($0)}' | sort -u | wc -l) == 1 ]] ||
  fail "the table is not in line: $(cat -v screen)"
on_screen "$sda" show table --json

# Names of files, and values of options, in errors; also in a file of messages.
name="$hostile"$'\377\nsda: all is well'
for command in "fit --model normal -o m" "topics" "show" "compare -o c"; do
  # shellcheck disable=SC2086
  on_screen "$sda" $command "$name"
  # shellcheck disable=SC2086
  ! "$sda" $command "$name" >out 2>err || fail "$command read a file that is not there"
  expect_escaped err "$command"
  [[ $(wc -l <err) == 1 ]] || fail "a name made a line of its own: $(cat -v err)"
done
on_screen "$sda" fit table.csv --model "$hostile" -o m
on_screen "$sda" fit table.csv "--$hostile" -o m
on_screen "$sda" fit documents.ldac --format "$hostile" -o m

# A model that says it is something else.
python3 - table forged "$hostile" <<'END'
import json, struct, sys, zlib
data = open(sys.argv[1], "rb").read()
(size,) = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + size])
header["__metadata__"]["model"] = sys.argv[3]
header["__metadata__"]["checksum"] = "00000000"
text = json.dumps(header, separators=(",", ":")).encode()
text += b" " * (-len(text) % 8)
forged = struct.pack("<Q", len(text)) + text + data[8 + size:]
open(sys.argv[2], "wb").write(forged.replace(b'"00000000"', b'"%08x"' % zlib.crc32(forged)))
END
on_screen "$sda" show forged

# The harmless neighbour: text in any language is shown as it is.
printf 'Größe,слово\n1,2\n3,5\n4,4\n' >plain.csv
shows "$sda" fit plain.csv --model linear --target слово -o plain
grep -q 'Größe' screen || fail "changed: $(cat screen)"
shows "$sda" show plain
"$sda" show plain | cmp - screen || fail "a terminal shows other text than a file has"
