# Tables as people have them: without a header line, with another delimiter, with missing values and
# with text; and how well a model predicts them.
source "$(dirname "$0")/common.sh" "$1"

fit() { "$sda" fit -o model "$@"; }

# ---- header lines -----------------------------------------------------------------------------------

printf '1,2\n3,4\n5,9\n7,8\n' >plain.csv
expect_failure 1 'plain.csv:1: the first line is all numbers, so it may be data' fit --model normal plain.csv
expect_failure 1 'give --no-header if it is data' fit --model normal plain.csv
"$sda" fit --model normal --no-header plain.csv -o plain >out 2>err || fail "$(cat err)"
expect_match out '^normal model after 4 rows$'
expect_match out '^mean\[1\] +4 '
expect_match out '^mean\[2\] +5\.75 '
"$sda" fit --model normal --header plain.csv -o plain >out 2>err || fail "$(cat err)"
expect_match out '^normal model after 3 rows$'
printf '5.1,3.5,setosa\n4.9,3.0,setosa\n' >iris.csv
expect_failure 1 'iris.csv:1: the first line holds "5.1", so it may be data' fit --model categorical iris.csv
printf '0,1,target\n1,2,3\n2,4,5\n3,5,5\n5,5,6\n' >mixed.csv
"$sda" fit --model normal mixed.csv -o mixed >out 2>err || fail "$(cat err)"
expect_match err 'mixed.csv: the first line is taken for the names of the columns, though some are numbers; if it is data: --no-header'
expect_match out '^normal model after 4 rows$'
# Two files, each without; the model remembers it.
"$sda" fit --model linear --target 2 --no-header plain.csv plain.csv -o line >out 2>err || fail "$(cat err)"
expect_match out '^linear model after 8 rows$'
printf '2,0\n6,0\n' >new.csv
"$sda" predict line new.csv >out 2>err || fail "$(cat err)"
[[ $(wc -l <out) == 3 ]] || fail "predict gave: $(cat out)"
expect_failure 1 'no column "1"; the columns are "a", "b"' "$sda" predict --header line <(printf 'a,b\n1,2\n')
: >empty.csv
expect_failure 1 'empty.csv: is empty, expected rows' fit --model normal --no-header empty.csv

# ---- delimiters ----------------------------------------------------------------------------------------

printf 'a;b\n1;2\n3;5\n4;"4"\n' >semicolons.csv
expect_failure 1 "there is one column, \"a;b\"; is the delimiter another one? --delimiter ';'" fit --model normal semicolons.csv
"$sda" fit --model linear --target b --delimiter ';' semicolons.csv -o semicolons >out 2>err || fail "$(cat err)"
expect_match out '^coef\[a\] '
printf 'a\n2\n' | tr , ';' >new.csv
"$sda" predict semicolons new.csv >out || fail "predict"
tr ';' '\t' <semicolons.csv >tabs.tsv
"$sda" fit --model linear --target b --delimiter tab tabs.tsv -o tabs >tabs.out 2>err || fail "$(cat err)"
cmp <("$sda" show tabs) <("$sda" show semicolons) || fail "tabs are not semicolons"
"$sda" eval tabs semicolons.csv --delimiter ';' >out || fail "eval"
expect_failure 2 '--delimiter is ";;", must be one character' fit --model normal --delimiter ';;' semicolons.csv
expect_failure 2 '--delimiter is "x", must be one character' fit --model normal --delimiter x semicolons.csv

# ---- missing values --------------------------------------------------------------------------------------

printf 'a,b,c\n1,2,x\n,3,x\n3,5,\n4,NA,x\n5,7,y\n6,9,y\n' >missing.csv
expect_failure 1 'missing.csv:3: column "a": missing value, expected a finite number; --missing skip' \
  fit --model normal --columns a,b missing.csv
"$sda" fit --model normal --columns a,b --missing skip missing.csv -o skipped --report report.json >out 2>err || fail "$(cat err)"
expect_match out '^normal model after 4 rows$'
expect_match err '^2 rows with a missing value left out: missing.csv:3 \(column "a"\), missing.csv:5 \(column "b"\)$'
expect_match report.json '"skipped_rows": 2'
"$sda" fit --model categorical --columns c --missing skip missing.csv -o words >out 2>err || fail "$(cat err)"
expect_match out '^categorical model after 5 rows$'
expect_match err '^1 row with a missing value left out: missing.csv:4 \(column "c"\)$'
expect_failure 1 'every row has a missing value' fit --model normal --missing skip <(printf 'a\nNA\nNA\n')
# As in the fit.
"$sda" fit --model linear --target b --columns a --missing skip missing.csv -o line >out 2>err
"$sda" predict line missing.csv >out 2>err || fail "$(cat err)"
[[ $(wc -l <out) == 6 ]] || fail "predict gave $(cat out)"
expect_match err '^1 row with a missing value left out: missing.csv:3'
! "$sda" predict line missing.csv --missing refuse >out 2>err || fail "predict left out a row unasked"
expect_match err 'missing.csv:3: column "a": missing value'

# ---- text columns ------------------------------------------------------------------------------------------

awk 'BEGIN {
  print "city,size,price"
  split("rome berlin berlin paris berlin rome", city, " ")
  for (i = 0; i < 60; ++i) {
    c = city[i % 6 + 1]
    print c "," i % 7 "," (c == "paris" ? 50 : c == "rome" ? 30 : 20) + 2 * (i % 7) + (i % 5 - 2) / 10
  }
}' >prices.csv
expect_failure 1 'column "city": found "rome", expected a finite number; if it is a column of text: --one-hot' \
  fit --model linear --target price prices.csv
"$sda" fit --model linear --target price --one-hot city prices.csv -o prices >out 2>err || fail "$(cat err)"
expect_match out '^intercept +(19\.9|20)'
expect_match out '^coef\[city=paris\] +(29\.9|30)'
expect_match out '^coef\[city=rome\] +(9\.9|10)'
! grep -q 'city=berlin\]' out || fail "the reference has a coefficient"
expect_match out '^coefficients of city are differences from city=berlin, the reference$'
# Dummies by hand give the same posterior.
awk -F, 'NR == 1 {print "paris,rome,size,price"; next} {print ($1 == "paris") "," ($1 == "rome") "," $2 "," $3}' prices.csv >dummies.csv
"$sda" fit --model linear --target price dummies.csv -o dummies >dummies.out 2>err
cmp <(grep -E '^(coef.[a-z=]*\]|intercept|noise)' out | sed 's/city=//' | awk '{print $1, $2, $3, $4, $5}') \
  <(grep -E '^(coef.[a-z=]*\]|intercept|noise)' dummies.out | awk '{print $1, $2, $3, $4, $5}') || fail "not the same as dummies"
# A level that was not learnt counts as the reference, and is counted.
printf 'size,city\n1,paris\n1,oslo\n1,berlin\n' >new.csv
"$sda" predict prices new.csv >out 2>err
expect_match err '^1 level not known .* taken for the reference \(city=berlin\): new.csv:3 \(city "oslo"\)$'
[[ $(sed -n 3p out) == "$(sed -n 4p out)" ]] || fail "oslo is not berlin: $(cat out)"
[[ $(sed -n 2p out) != "$(sed -n 4p out)" ]] || fail "paris is berlin: $(cat out)"
# The same levels and posterior in small minibatches, with workers, and after a resume.
"$sda" fit --model linear --target price --levels city=berlin,paris,rome --minibatch 7 \
  --schedule sync --workers 2 prices.csv -o declared >out 2>err || fail "$(cat err)"
expect_match out '^coef\[city=paris\] +(29\.9|30)'
"$sda" fit --model linear --target price --levels city=rome,paris prices.csv -o few >out 2>err || fail "$(cat err)"
expect_match err '^30 levels not known'
"$sda" fit --model linear --target price --one-hot city --no-intercept prices.csv -o through >out 2>err || fail "$(cat err)"
expect_match out '^coef\[city=berlin\] +(19\.9|20)'
expect_failure 2 '--one-hot is for regressions, not for --model normal' fit --model normal --one-hot city prices.csv
expect_failure 1 'no column "town"' fit --model linear --target price --one-hot town prices.csv
expect_failure 2 'must be NAME=LEVEL,LEVEL' fit --model linear --target price --levels city prices.csv
expect_failure 2 '--levels city has "rome" twice' fit --model linear --target price --levels city=rome,rome prices.csv
"$sda" fit --model linear --target price --one-hot city --minibatch 20 --checkpoint state prices.csv -o resumed >out 2>err
"$sda" fit --checkpoint state --resume >again 2>err || fail "$(cat err)"
cmp out again || fail "a resumed run has other levels"
# Classes, too.
awk -F, 'NR == 1 {print "city,size,dear"; next} {print $1 "," $2 "," ($3 > 35 ? "yes" : "no")}' prices.csv >classes.csv
"$sda" fit --model logistic --target dear --one-hot city classes.csv -o classes >out 2>err || fail "$(cat err)"
expect_match out '^coef\[city=paris\] '

# ---- eval ----------------------------------------------------------------------------------------------------

"$sda" eval classes classes.csv >out 2>err || fail "$(cat err)"
expect_match out '^log score -0\.[0-9]+ per row, on 60 rows$'
expect_match out '^Brier score 0\.[0-9]+ \(0\.[0-9]+ if every row were given the share of the class\)$'
expect_match out '^0\.[0-9] to [01]\.[0-9] '
# The same from the probabilities that predict writes.
"$sda" predict classes classes.csv 2>err >probabilities
"$sda" eval classes classes.csv --json >eval.json
paste -d, <(tail -n +2 probabilities) <(tail -n +2 classes.csv) | awk -F, '
  {y = $7 == "yes"; p = y ? $1 : 1 - $1; log_sum += log(p); brier += (1 - p) ^ 2; ++n}
  END {printf "%.6f %.6f\n", log_sum / n, brier / n}' >expected
python3 - <<'END'
import json
score = json.load(open("eval.json"))
log_score, brier = map(float, open("expected").read().split())
assert abs(score["log_score"] - log_score) < 2e-6, score
assert abs(score["brier_score"] - brier) < 2e-6, score
assert sum(bin["rows"] for bin in score["calibration"]) == 60, score
END
printf '1\n3\n60\n' >rows.txt
"$sda" eval classes classes.csv --holdout rows.txt >out
expect_match out 'per row, on 3 rows$'
expect_failure 1 'only 1 of the 2 rows to score are in the input, which has 60' \
  "$sda" eval classes classes.csv --holdout <(printf '60\n61\n')
expect_failure 2 '--split is not for a model on tables' "$sda" eval classes classes.csv --split alternate
# svmlight: the same rows, the same score.
awk 'BEGIN {for (i = 0; i < 50; ++i) print (i % 3 == 0 ? 1 : -1), "1:" (i % 7) / 3, "2:" (i % 3 == 0) + (i % 2) / 2}' >rows.svm
"$sda" fit --model probit rows.svm -o svm >out 2>err || fail "$(cat err)"
"$sda" eval svm rows.svm >out
expect_match out 'per row, on 50 rows$'

# One row on the wrong side does not make the score of all infinite, whichever the class.
awk 'BEGIN {srand(3); print "x,y"; for (i = 0; i < 2000; ++i) {x = rand() * 4 - 2; print x "," (x + rand() * 0.4 > 0.2)}}' >sides.csv
for model in probit logistic; do
  "$sda" fit --model $model --target y sides.csv -o sides --force >out 2>err || fail "$(cat err)"
  for row in 50,0 -50,1; do
    "$sda" eval sides <(printf 'x,y\n1,1\n%s\n' "$row") >out
    expect_match out '^log score -[1-9][0-9]+\.[0-9]+ per row, on 2 rows$'
  done
done

# Exact models, against scipy.stats or a calculation by hand.
printf 'x\n1\n1\n0\n1\n' >coins.csv
"$sda" fit --model coin coins.csv -o coin >out 2>err
"$sda" eval coin <(printf 'x\n1\n0\n') >out
expect_match out '^log score -0\.752039 per row, on 2 rows$'  # (ln 4/6 + ln 2/6) / 2
printf 'x\n1\n3\n2\n4\n' >numbers.csv
"$sda" fit --model normal numbers.csv -o normal >out 2>err
"$sda" eval normal <(printf 'x\n2.5\n') >out
expect_match out '^log score -1\.367873 per row, on 1 row$'  # t.logpdf(2.5, 3, 2.5, sqrt(5/3 * 5/4))
"$sda" fit --model poisson --prior shape=1,rate=1 numbers.csv -o poisson >out 2>err
"$sda" eval poisson <(printf 'x\n2\n') >out
expect_match out '^log score -1\.399401 per row'  # nbinom.logpmf(2, 11, 5/6)
"$sda" fit --model categorical <(printf 'x\na\nb\na\n') -o categorical >out 2>err
"$sda" eval categorical <(printf 'x\na\nz\n') >out
expect_match out '^log score -0\.510826 per row, on 1 row$'  # ln 3/5
expect_match out '^1 row was not scored: the model gives it no probability'
"$sda" eval prices prices.csv >out
expect_match out '^root mean square error 0\.1[0-9]+; [0-9.]+% of the rows are within their 95% interval$'
awk 'BEGIN {srand(2); print "x,y"; for (i = 0; i < 400; ++i) {c = i % 2 * 10; print c + rand() "," c + rand()}}' >clusters.csv
"$sda" fit --model mixture clusters.csv -o mixture >out 2>err
"$sda" eval mixture clusters.csv >out
expect_match out '^log score -[01]\.[0-9]+ per row, on 400 rows$'
