# Bad input gives one clear line and status 1 or 2, and leaves no model behind.
source "$(dirname "$0")/common.sh" "$1"

printf 'a,b\n1,2\n3,5\n4,4\n' >good.csv
: >empty.csv
printf 'a,b\n' >header.csv
printf 'a,b\n1,2\n3,hello\n' >text.csv
printf 'a,b\n1,2\n3,\n' >missing.csv
printf 'a,b\n1,2\n3,inf\n' >infinite.csv
printf 'a,b\n1,2\n3\n' >short.csv
printf 'a,b\n1,"2\n' >quote.csv
gzip -c good.csv | head -c 30 >cut.csv.gz

fit() { "$sda" fit -o model "$@"; }

expect_failure 1 'empty.csv: is empty, expected a header line' fit --model normal empty.csv
expect_failure 1 'header.csv: no rows after the header line' fit --model normal header.csv
expect_failure 1 'no_such.csv: cannot open: No such file or directory' fit --model normal no_such.csv
expect_failure 1 'good.csv:1: no column "z"; the columns are "a", "b"' fit --model normal --columns z good.csv
expect_failure 1 'good.csv:1: no column "y"; the columns are "a", "b"' fit --model linear --target y good.csv
expect_failure 1 'text.csv:3: column "b": found "hello", expected a finite number' fit --model normal text.csv
expect_failure 1 'missing.csv:3: column "b": missing value, expected a finite number' fit --model normal missing.csv
expect_failure 1 'infinite.csv:3: column "b": found "inf", expected a finite number' fit --model normal infinite.csv
expect_failure 1 'short.csv:3: 1 field, expected 2' fit --model normal short.csv
expect_failure 1 'quote.csv:2: quoted field has no closing quote' fit --model normal quote.csv
expect_failure 1 'cut.csv.gz: gzip data is truncated' fit --model normal cut.csv.gz
expect_failure 1 'good.csv:2: column "b": found "2", expected 0 or 1' fit --model coin good.csv
expect_failure 1 'no directory nowhere' "$sda" fit --model normal good.csv -o nowhere/model
expect_failure 1 'needs more rows' fit --model linear --target b --minibatch 2 <(head -n 3 good.csv)

expect_failure 2 '--minibatch is 0, must be at least 1' fit --model normal --minibatch 0 good.csv
expect_failure 2 'workers is 0, must be at least 1' fit --model normal --schedule async --workers 0 good.csv
expect_failure 2 'workers is 4, but the serial schedule has one' fit --model normal --workers 4 good.csv
expect_failure 2 'threads is -1, must be at least 0' fit --model normal --threads -1 good.csv
expect_failure 2 'prior weight is -1' fit --model normal --prior weight=-1 good.csv
expect_failure 2 'prior heads is 0' fit --model coin --prior heads=0 good.csv
expect_failure 2 'the prior of model coin has no "weight"' fit --model coin --prior weight=1 good.csv
expect_failure 2 'must be NAME=NUMBER' fit --model coin --prior weight good.csv
expect_failure 2 'no model "coyn"; the models are lda, coin,' fit --model coyn good.csv
expect_failure 2 'model linear needs --target COLUMN' fit --model linear good.csv
expect_failure 2 'model normal has no target' fit --model normal --target a good.csv
expect_failure 2 'half-life is -1' fit --model normal --half-life -1 good.csv
expect_failure 2 'half-life is often, must be a number of items above 0, or auto' fit --model normal --half-life often good.csv
expect_failure 2 'see sda fit --help' fit --model normal --schedule sometimes good.csv
expect_failure 2 'see sda fit --help' fit --model normal --no-such-option good.csv
expect_failure 2 '--output is required' "$sda" fit --model normal good.csv
expect_failure 2 'see sda --help' "$sda"
expect_failure 2 'see sda --help' "$sda" no_such_command

expect_failure 2 '--target is not for --model lda' "$sda" fit good.csv --target b -o model
expect_failure 2 '--holdout is not for --model normal' fit --model normal --holdout x good.csv
expect_failure 2 'at most half of the --half-life' fit --model normal --half-life 100 --minibatch 90 good.csv

# Nothing that is there already is overwritten by mistake.
cp good.csv precious.csv
expect_failure 2 'precious.csv: is also an input' "$sda" fit --model normal precious.csv -o precious.csv
expect_failure 2 'precious.csv: is also an input' "$sda" fit --model normal ./precious.csv -o precious.csv
cmp good.csv precious.csv || fail "an input was overwritten"
expect_failure 2 'same: is also an input or another output' \
  "$sda" fit --model normal good.csv -o same --report same
mkfifo fifo
expect_failure 1 'fifo: is not an ordinary file' "$sda" fit --model normal good.csv -o fifo
expect_failure 2 'must be the name of a file' "$sda" fit --model normal good.csv -o -

# Output that cannot be written is an error; messages that cannot be are not.
if [[ -e /dev/full ]]; then
  "$sda" fit --model normal good.csv -o quiet 2>/dev/full >out || fail "a full log ended the run"
  "$sda" show quiet >/dev/full 2>err && fail "a full standard output was not noticed"
  expect_match err 'cannot write to standard output'
fi

printf 'this is no model' >text
expect_failure 1 'text: is not a model' "$sda" show text
expect_failure 1 'nothing: cannot open: No such file or directory' "$sda" show nothing
"$sda" fit --model normal good.csv -o normal >out 2>err
expect_failure 2 'model normal has no target to predict' "$sda" predict normal good.csv
for bytes in 0 7 100 300; do
  head -c $bytes normal >part
  expect_failure 1 'part: is not a model' "$sda" show part
done

# A failed fit leaves the model that was there as it was.
cp normal before
expect_failure 1 'text.csv:3' "$sda" fit --model normal text.csv -o normal
cmp normal before || fail "a failed fit changed the old model"

# ---- numbers of a cluster's job: refused before a broker is asked -----------------------------------

if "$sda" cluster --help >/dev/null 2>&1; then
  create() { "$sda" cluster create job "$@"; }
  expect_failure 2 '--threads: Value -1 not in range 0 to' "$sda" cluster work job --threads -1
  expect_failure 2 '--max-staleness: Value -1 not in range 0 to' "$sda" cluster work job --max-staleness -1
  expect_failure 2 '--interval is nan, must be at least 0.1' "$sda" cluster status job --interval nan
  expect_failure 2 '--snapshot-every: Value -1 not in range 0 to' create --snapshot-every -1
  expect_failure 2 '--partitions must be at least 1' create --partitions 0
  expect_failure 2 '--topics is 0, must be a number from 1 on' create --topics 0
  expect_failure 2 '--minibatch is 0, must be at least 1' create --minibatch 0
  expect_failure 2 'minibatch_seconds is 0, must be above 0' create --minibatch-seconds 0
  expect_failure 2 '--minibatch-seconds is nan, must be a finite number' create --minibatch-seconds nan
  expect_failure 2 'half-life is -1' create --half-life -1
  expect_failure 2 '--half-life auto is not for a job' create --half-life auto
  expect_failure 2 '--half-life is inf, must be a finite number' create --half-life inf
  expect_failure 2 'maximum_document_share is 2' create --max-share 2
  expect_failure 2 'maximum_vocabulary is 0, must be at least 1' create --max-vocab 0
fi
