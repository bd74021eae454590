# The demo needs nothing, and what it shows is right: most intervals hold the truth.
source "$(dirname "$0")/common.sh" "$1"

"$sda" demo >out 2>err
[[ ! -s err ]] || fail "demo wrote to standard error: $(cat err)"
expect_match out 'mean\[x\] \(truth 20\)'
expect_match out '^ +100,000 .*20\.0'
expect_match out 'coef\[u\] \(truth 2\)'
expect_match out ' 5,000 +-4\.4[0-9]+ +8 of 8$'
expect_match out '^kitchen .* 0\.9[0-9]+ +oven'
grep -oE '^[0-9]+ of [0-9]+ intervals' out | awk '{if ($1 < 0.75 * $3) exit 1}' ||
  fail "too few intervals hold the truth: $(cat out)"
"$sda" --help >out
expect_match out 'fit +Learn a model'
for command in fit show predict topics infer eval export demo; do "$sda" $command --help >out || fail "$command --help"; done
"$sda" --version >out
expect_match out '^sda [0-9]+\.[0-9]+\.[0-9]+$'
