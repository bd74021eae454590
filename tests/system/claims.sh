# Inputs of a few bytes that claim billions of tokens, or millions of words.
source "$(dirname "$0")/common.sh" "$1"

awk 'BEGIN {
  srand(5)
  for (d = 1; d <= 2000; ++d) {
    theme = int(rand() * 3)
    line = ""
    for (i = 0; i < 10; ++i) line = line " " theme * 20 + i * 2 ":" 1 + int(rand() * 3)
    print 10 line
  }
  print "1 0:20000000\n1 0:4294967295\n2 3:4294967295 0:1"
  for (d = 1; d <= 50; ++d) print "2 0:1 1:1"
}' >documents.ldac
seq -f 'w%g' 0 59 >words
tokens=$(sed 's/^[0-9]* //' documents.ldac | tr ' ' '\n' | awk -F: '{ n += $2 } END { printf "%.0f", n }')

# Every token is learnt from, whichever primitive learns, with any number of threads.
for flags in '--first-minibatch 1000' '--primitive vb' '--primitive vb --precision double' \
  '--primitive ep --minibatch 500' '--algorithm svi --total-documents 2053' '--algorithm ssu' \
  '--algorithm batch --passes 3'; do
  for threads in 1 2; do
    # shellcheck disable=SC2086
    "$sda" fit documents.ldac --vocab words --topics 4 $flags --threads $threads -o fit.$threads \
      --report report.json >out 2>err || fail "$flags: $(cat err)"
    expect_match report.json '"documents": 2053'
    expect_match report.json "\"tokens\": $tokens"
  done
  cmp fit.1 fit.2 || fail "$flags: another model with two threads"
  case $flags in
    *ep*) least=0.99 most=1.01 ;;            # an uncertain token counts less than one
    *svi*) least=0 most=2 ;;                 # it forgets
    *double | --first*) least=0.9999999999 most=1.0000000001 ;;
    *) least=0.999999 most=1.000001 ;;       # floats
  esac
  awk -v mass="$(mass fit.1)" -v tokens="$tokens" -v least=$least -v most=$most \
    'BEGIN { exit !(mass >= least * tokens && mass <= most * tokens) }' ||
    fail "$flags: the posterior holds $(mass fit.1) tokens of $tokens"
  "$sda" topics fit.1 >out
  expect_match out 'w0'
  "$sda" infer fit.1 documents.ldac --vocab words >out
  [[ $(wc -l <out) == 2053 ]] || fail "$flags: infer gave $(wc -l <out) lines"
  ! grep -qi nan out || fail "$flags: infer gave nan"
  "$sda" eval fit.1 documents.ldac --vocab words --json >out
  ! grep -qiE 'nan|inf' out || fail "$flags: $(cat out)"
done

# What does not parse is an error with its line.
more='without a list of words (--vocab), more need a larger file or --max-vocab'
printf '1 0:1\n1 0:4294967296\n' >bad.ldac
expect_failure 1 'bad.ldac:2: count 4294967296, expected 0 to 4294967295' \
  "$sda" fit bad.ldac --vocab words -o model
printf '1 0:1\n1 16777215:1\n' >bad.ldac
printf '1\n16777216\n1\n1 1 1\n' >bad.uci
printf '%%%%MatrixMarket matrix coordinate integer general\n1 16777216 1\n1 1 1\n' >bad.mm
printf '1 1:1\n-1 3:1\n' >rows.svmlight
printf '2\n1000000\n3\n1 1 1\n1 1000000 2\n2 2 1\n' >million.uci
(
  # Sanitizers need more to begin with.
  grep -qE '__[at]san_init' "$sda" || ulimit -v 600000
  expect_failure 1 "bad.ldac:2: word id 16777215, expected 0 to 1048575: $more" "$sda" fit bad.ldac -o model
  expect_failure 1 "bad.uci:3: number of words 16777216, expected 1 to 1048576: $more" "$sda" fit bad.uci -o model
  expect_failure 1 "bad.mm:2: number of words 16777216, expected 1 to 1048576: $more" "$sda" fit bad.mm -o model
  classifier='--format svmlight --model logistic --covariance dense -o model'
  # shellcheck disable=SC2086
  expect_failure 2 'features is 4000000000, must be at most 16777216' \
    "$sda" fit rows.svmlight $classifier --features 4000000000
  # shellcheck disable=SC2086
  expect_failure 2 'the covariance of 16,777,216 features may take 18014401 GB' \
    "$sda" fit rows.svmlight $classifier --features 16777216
  expect_failure 2 'a model of 1,048,576 topics and 1,000,000 words may take 8389 GB' \
    "$sda" fit million.uci --topics 1048576 -o model
  # The harmless neighbour: a million words.
  "$sda" fit million.uci --topics 2 -o fit >out 2>err || fail "$(cat err)"
)
expect_match out '^2 documents, 4 tokens of 1,000,000 words, 2 topics'
"$sda" fit bad.uci --topics 2 --max-vocab 20000000 -o fit >out 2>err && fail "--max-vocab 20000000 was taken"
expect_match err 'maximum_vocabulary is 20000000, must be at most 16777216'
