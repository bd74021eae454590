# Absurd numbers, in options and in data, give one clear line and leave what is there as it was; large and small numbers
# that make sense are taken.
source "$(dirname "$0")/common.sh" "$1"

for i in {1..10}; do printf 'red green %s\nblue black %s\nwhite grey %s\n' a$i b$i c$i; done >text
printf 'a,b\n1,2\n3,5\n4,4\n' >good.csv
fit() { "$sda" fit -o model "$@"; }

# Whole numbers: of all commands, whichever has one.
whole_options() { "$sda" $1 --help | grep -oE -- '--[a-z-]+ UINT' | cut -d' ' -f1; }
seen=0
for command in fit infer compare demo 'cluster create'; do
  for option in $(whole_options "$command" || true); do
    seen=$((seen + 1))
    for number in -1 18446744073709551616 1.5 010 1e3 ''; do
      expect_failure 2 "$option: " \
        "$sda" $command "$option" "$number"
    done
  done
done
[[ $seen -ge 8 ]] || fail "only $seen options of whole numbers were found"
fit text --topics 2 --seed 18446744073709551615 >/dev/null 2>&1 || fail "the largest seed was refused"
fit text --topics 2 --seed 0 >/dev/null 2>&1 || fail "seed 0 was refused"

# Numbers.
rm model
svi() { fit text --topics 2 --algorithm svi "$@"; }
expect_failure 2 'total_documents is 1e+308, must be above 0 and at most 1e15' svi --total-documents 1e308
expect_failure 2 'total_documents is inf' svi --total-documents inf
expect_failure 2 'tau0 is 1e+300' svi --total-documents 30 --tau0 1e300
expect_failure 2 'kappa is nan' svi --total-documents 30 --kappa nan
expect_failure 2 'alpha is 1e+300, must be from 1e-20 to 1e15' fit text --alpha 1e300
expect_failure 2 'alpha is 0,' fit text --topics 2 --alpha 1,0
expect_failure 2 'eta is 1e-300, must be from 1e-20 to 1e15' fit text --eta 1e-300
expect_failure 2 'half-life is inf, must be a number of items above 0 and at most 1e15' fit text --half-life inf
expect_failure 2 'half-life is nan' fit text --half-life nan
expect_failure 2 'minibatch-seconds is inf' fit text --minibatch-seconds inf
expect_failure 2 'minibatch-seconds is inf' fit good.csv --model normal --minibatch-seconds inf
expect_failure 2 'ep-tolerance is inf' fit text --primitive ep --ep-tolerance inf
expect_failure 2 'vocab-from is 1.84467e+19' fit text --vocab-from 18446744073709551615
expect_failure 2 'prior heads is 1e+308, must be a number from 1e-15 to 1e15' fit good.csv --model coin --prior heads=1e308
expect_failure 2 'prior heads is 1e-300' fit good.csv --model coin --prior heads=1e-300
expect_failure 2 'prior weight is inf, must be 0 or' fit good.csv --model normal --prior weight=inf
expect_failure 2 'prior mean is 1e+308' fit good.csv --model normal --prior mean=1e308
expect_failure 2 'prior mean is nan' fit good.csv --model normal --prior mean=nan
[[ ! -e model ]] || fail "a model was saved"
fit text --topics 2 --alpha 1e-3 --eta 1e-3 >/dev/null 2>&1 || fail "small priors were refused"
svi --total-documents 1e9 >/dev/null 2>&1 || fail "a large corpus was refused"
"$sda" eval model text | found -E 'probability -[0-9.]+ per token' || fail "the score is not a number"

# Data.
rm -f model
printf 'a\n1\n1e308\n' >large.csv
expect_failure 1 'large.csv:3: column "a": found "1e308", expected 0 or a number between' fit --model normal large.csv
for model in normal 'linear --target b' 'mixture --components 1' 'probit --target c'; do
  # shellcheck disable=SC2086
  { echo a,b,c; printf '%se149,%se149,%s\n' 10 -10 0 -10 3 1 1 1 1 2 -1 0 5 6 1 -4 2 0 3 -8 1 7 7 0; } >huge.csv
  [[ $model == probit* ]] || sed -i 's/,[c01]$//' huge.csv
  if fit --model $model huge.csv >shown 2>&1; then
    "$sda" show model >>shown
    "$sda" predict model huge.csv >>shown 2>&1 || true
  fi
  ! grep -qiE 'nan|inf' shown || fail "not finite: $model: $(cat shown)"
done
printf 'a\n1000000000000\n1000000000007\n1000000000002\n' >large.csv
fit --model normal large.csv >shown 2>&1 || fail "values of 1e12 were refused"
! grep -qiE 'nan|inf' shown || fail "not finite: $(cat shown)"
