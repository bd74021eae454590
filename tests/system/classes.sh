# An analyst fits classifiers and mixtures, looks at them, and predicts.
source "$(dirname "$0")/common.sh" "$1"

awk 'BEGIN {
  srand(7); print "age,income,bought"
  for (i = 0; i < 4000; ++i) {
    age = 20 + 50 * rand(); income = 1000 * (1 + 9 * rand())
    score = 0.05 * (age - 45) - 0.0004 * (income - 5500)
    print age "," income "," (rand() < 1 / (1 + exp(-score)) ? "yes" : "no")
  }
}' >data.csv

# Coefficients in the columns' own units; the classes are named; fit and show say the same.
for model in probit logistic "logistic --primitive vb" "logistic --schedule async --workers 8" \
  "logistic --covariance diagonal"; do
  # shellcheck disable=SC2086
  "$sda" fit --model $model --target bought data.csv -o classifier >fit.txt 2>err
  "$sda" show classifier | cmp - fit.txt || fail "$model: fit and show differ"
  expect_match fit.txt '^coef\[age\] +0\.0[2-7]'
  expect_match fit.txt '^coef\[income\] +-0\.000[1-5]'
  expect_match fit.txt 'probabilities are of bought = yes, not no'
done

# The truth lies within the interval of the coefficient, whatever the units.
"$sda" fit --model logistic --target bought data.csv -o classifier --json >fit.json 2>err
awk '/"coef\[income\]"/ {seen = 1} seen && /"lower"/ {low = $2} seen && /"upper"/ {high = $2; exit}
  END {exit !(low + 0 < -0.0004 && -0.0004 < high + 0)}' fit.json || fail "the truth is outside: $(cat fit.json)"

# Predictions.
printf 'income,age\n5500,45\n1000,70\n10000,20\n' >new.csv
"$sda" predict classifier new.csv >predicted.csv 2>err
[[ $(head -n 1 predicted.csv) == "probability,sd,lower,upper" ]] || fail "no header: $(cat predicted.csv)"
awk -F, 'NR == 2 && ($1 < 0.45 || $1 > 0.55) {exit 1} NR == 3 && $1 < 0.9 {exit 1} NR == 4 && $1 > 0.1 {exit 1}
  NR > 1 && !($3 < $1 && $1 < $4) {exit 1}' predicted.csv || fail "predicted $(cat predicted.csv)"
"$sda" predict --json classifier new.csv 2>err >predicted.json
expect_match predicted.json '^\{"probability":0\.'
expect_match err 'probabilities are of bought = yes, not no'
! grep -q approximate predicted.json || fail "EP: $(cat predicted.json)"
"$sda" fit --model probit --primitive vb --target bought data.csv -o narrow >narrow.txt 2>err
expect_match narrow.txt '^coef\[age\] .*  approximate$'
"$sda" predict narrow new.csv 2>err >predicted.csv
expect_match err "the intervals are approximate"
"$sda" predict --json narrow new.csv 2>err >predicted.json
expect_match predicted.json '"approximate":true'

# The other coding of the same classes is the same posterior with the other sign.
sed 's/yes/-1/; s/no/1/' data.csv >coded.csv
"$sda" fit --model logistic --target bought coded.csv -o coded >coded.txt 2>err
expect_match coded.txt '^coef\[age\] +-0\.0'
expect_match coded.txt 'probabilities are of bought = 1, not -1'

# svmlight: full covariance for few features, diagonal for many, and features never counted.
awk -F, 'NR > 1 {print ($3 == "yes" ? "+1" : "-1") " 1:" ($1 - 45) / 10 " 7:" ($2 - 5500) / 1000}' data.csv >data.svm
"$sda" fit --model logistic data.svm -o sparse >sparse.txt 2>err
expect_match sparse.txt '^coef\[1\] +0\.[3-7]'
expect_match sparse.txt '^coef\[2\] +-?0 +2\.5 '
expect_match sparse.txt '^coef\[7\] +-0\.[2-6]'
expect_match sparse.txt 'the prior decides much of coef\[2\], coef\[3\], coef\[4\], coef\[5\], coef\[6\]:'
"$sda" predict sparse data.svm >predicted.csv 2>err
[[ $(wc -l <predicted.csv) == 4001 ]] || fail "a row of predictions for each row is missing"
expect_match predicted.csv '^0\.[0-9]+,0\.'
"$sda" fit --model probit --covariance diagonal --format svmlight - -o sparse <data.svm >sparse.txt 2>err
expect_match sparse.txt 'diagonal covariance: .* too narrow where features go together, or where their means are not 0$'
[[ $(grep -c '^coef' sparse.txt) == 2 ]] || fail "features never seen are shown: $(cat sparse.txt)"
printf '1 1:1 500:2\n-1 2:1\n' >wide.svm
"$sda" fit --model probit wide.svm -o wide >wide.txt 2>err
expect_match err '500 features: diagonal covariance, .*; --covariance dense keeps all correlations'

# Hard cases are told.
awk 'BEGIN {print "x,constant,y"; for (i = 0; i < 100; ++i) print i - 50 ",3," (i >= 50)}' >separable.csv
"$sda" fit --model logistic --target y separable.csv -o separable >out 2>err
expect_match out 'the prior decides much of .*coef\[constant\].* constant or collinear columns, or separable classes'
printf 'x,y\n1,no\n2,no\n' >single.csv
"$sda" fit --model probit --target y single.csv -o single >out 2>err
expect_match out 'only no was seen'

# One huge number: nothing is lost with EP, and VB says which it cannot take.
awk -F, -v OFS=, 'NR == 3000 {$1 = "1e20"; $3 = "yes"} {print}' data.csv >huge.csv
for model in probit logistic; do
  "$sda" fit --model $model --target bought data.csv -o usual >usual.txt 2>err
  "$sda" fit --model $model --target bought huge.csv -o huge >huge.txt 2>err
  paste <(grep '^coef' usual.txt) <(grep '^coef' huge.txt) |
    awk '{d = ($2 - $7) / $3; if (d > 0.1 || d < -0.1) exit 1}' || fail "$model: $(cat huge.txt)"
  expect_failure 1 'huge.csv:3000: column "age": found "1e20", expected a number within 1000 times the spread' \
    "$sda" fit --model $model --primitive vb --target bought huge.csv -o model
done
awk -F, 'NR > 1 {print ($3 == "yes" ? "+1" : "-1") " 1:" $1 " 7:" 1}' huge.csv >huge.svm
expect_failure 1 'huge.svm:2999: found "1:1e20", expected a value of at most 1000: --primitive vb cannot' \
  "$sda" fit --model probit --primitive vb huge.svm -o model

# A large one on the wrong side: VB converges, or refuses it.
awk 'BEGIN {srand(1); print "x,y"; for (i = 0; i < 5000; ++i) {x = rand() - 0.5; print x "," (rand() < 1 / (1 + exp(-4 * x)) ? 1 : 0)}}' >clean.csv
(cat clean.csv; echo 250,0) >wrong.csv
"$sda" fit --model logistic --primitive vb --target y --report wrong.json wrong.csv -o wrong >out 2>err
expect_match wrong.json '"unconverged_minibatches": 0'
awk '/^coef/ {found = $2 < 2 && $2 > -0.1} END {exit !found}' out || fail "$(cat out)"
(cat clean.csv; echo 1e5,0) >wrong.csv
expect_failure 1 'wrong.csv:5002: column "x": found "1e5", expected a number within 1000 times the spread' \
  "$sda" fit --model logistic --primitive vb --target y wrong.csv -o model

# Minibatches that did not converge are told, now and when the model is looked at.
awk 'BEGIN {srand(1); print "x,y"; for (i = 0; i < 5000; ++i) {x = rand() - 0.5; print x "," (rand() < 1 / (1 + exp(-20 * x)) ? 1 : 0)}}' >strong.csv
"$sda" fit --model probit --primitive vb --target y --report strong.json strong.csv -o strong >out 2>err
expect_match out '^1 minibatch did not converge: .*--primitive ep'
expect_match strong.json '"unconverged_minibatches": 1'
"$sda" show strong >out
expect_match out '^1 minibatch did not converge: '
"$sda" fit --model probit --target y strong.csv -o strong >out 2>err
! grep -q 'did not converge' out || fail "EP: $(cat out)"

# An outlier among the first rows does not set the scale, so the prior leaves the others' slope alone.
(echo x,y; echo 250,1; tail -n +2 strong.csv) >first.csv
for primitive in ep vb; do
  "$sda" fit --model logistic --primitive $primitive --target y strong.csv -o usual >usual.txt 2>err
  ! grep -q outliers err || fail "$(cat err)"
  "$sda" fit --model logistic --primitive $primitive --target y first.csv -o first >out 2>err
  expect_match err 'column "x": outliers in the first minibatch'
  paste <(grep '^coef' usual.txt) <(grep '^coef' out) |
    sed 's/ approximate//g' | awk '{if ($7 < 0.8 * $2 || $7 > 1.25 * $2) exit 1}' || fail "$primitive: $(cat usual.txt out)"
done

# Predictions take the columns of the fit, by name, whatever else there is; also if it had none.
for covariance in dense diagonal; do
  "$sda" fit --model probit --covariance $covariance --target bought data.csv -o named >out 2>err
  printf 'income,age\n5500,45\n1000,70\n' >new.csv
  printf 'bought,other,income,more,age\nno,9,5500,a,45\n,8,1000,b,70\n' >wider.csv
  "$sda" predict named new.csv >predicted.csv 2>err
  "$sda" predict named wider.csv 2>err | cmp - predicted.csv || fail "$covariance: other columns matter"
  printf 'age,other\n45,5500\n' >lacks.csv
  status=0
  "$sda" predict named lacks.csv >out 2>err || status=$?
  [[ $status == 1 ]] || fail "a column is missing, but predict exits with $status"
  expect_match err 'lacks.csv:1: no column "income"; the columns are "age", "other"'
  cut -d, -f3 data.csv >alone.csv
  "$sda" fit --model probit --covariance $covariance --target bought alone.csv -o alone >out 2>err
  "$sda" predict alone wider.csv >predicted.csv 2>err
  share=$(grep -c yes alone.csv)
  awk -F, -v share="$share" 'NR > 1 {d = $1 - share / 4000; if (d > 0.001 || d < -0.001) exit 1} END {exit NR != 3}' \
    predicted.csv || fail "$covariance, intercept alone: $(cat predicted.csv)"
  expect_failure 2 'a regression needs at least one feature or an intercept' \
    "$sda" fit --model probit --covariance $covariance --no-intercept --target bought alone.csv -o model
done
printf 'y\n1\n2\n3\n' >alone.csv
"$sda" fit --model linear --target y alone.csv -o alone >out 2>err
[[ $("$sda" predict alone wider.csv | grep -c '^2,') == 2 ]] || fail "linear, intercept alone"

# Clusters.
awk 'BEGIN {
  srand(3); print "u,v"
  for (i = 0; i < 3000; ++i) {
    k = int(3 * rand()); print 10 * k + rand() "," (k == 1 ? 100 : 0) + rand()
  }
}' >clusters.csv
"$sda" fit --model mixture --components 3 clusters.csv -o mixture --schedule async --workers 8 \
  --first-minibatch 500 >fit.txt 2>err
"$sda" show mixture | cmp - fit.txt || fail "mixture: fit and show differ"
for mean in 0.[45] 10.[45] 20.[45]; do expect_match fit.txt "^mean\[[123],u\] +$mean"; done
expect_match fit.txt '^weight\[3\] +0\.3'
expect_match fit.txt '^cov\[2,u,v\]'
printf 'u,v\n0.5,0.5\n10.5,100.5\n' >new.csv
"$sda" predict mixture new.csv >predicted.csv
[[ $(head -n 1 predicted.csv) == "component,probability_1,probability_2,probability_3" ]] || fail "header"
[[ $(wc -l <predicted.csv) == 3 ]] || fail "predicted $(cat predicted.csv)"

printf 'u,v\n1,1\n1.1,1.2\n0.9,1\n50,60\n' >single.csv
"$sda" fit --model mixture --components 2 single.csv -o single >fit.txt 2>err
expect_match fit.txt '^cov\[2,u,v\] +[0-9.e+-]+ +— +-[0-9.]+ +[0-9.]+$'
expect_match fit.txt '^—: from so few rows there is none'
! grep -qiE 'inf|nan' fit.txt || fail "no words for people: $(cat fit.txt)"

# What is refused.
fit() { "$sda" fit -o model "$@"; }
sed '3000s/yes\|no/maybe/' data.csv >three.csv
expect_failure 1 'three.csv:3000: column "bought": found "maybe", expected one of two classes' fit --model probit --target bought three.csv
sed '3000s/,[a-z]*$/,/' data.csv >missing.csv
expect_failure 1 'missing.csv:3000: column "bought": missing value, expected a class' fit --model probit --target bought missing.csv
expect_failure 2 'model probit needs --target COLUMN' fit --model probit data.csv
expect_failure 2 'prior sd is 0' fit --model probit --target bought --prior sd=0 data.csv
expect_failure 2 '--primitive is not for --model linear' fit --model linear --target bought --primitive vb data.csv
expect_failure 2 '--primitive gibbs is for --model lda alone' fit --model probit --target bought --primitive gibbs data.csv
expect_failure 2 '--components is not for --model probit' fit --model probit --components 3 data.csv
expect_failure 2 'a diagonal covariance goes with the primitive ep alone' fit --model probit --target bought --primitive vb --covariance diagonal data.csv
expect_failure 2 'too many for the dense covariance' fit --model probit --primitive vb wide.svm
expect_failure 2 '--target and --columns are not for svmlight' fit --model probit --target bought data.svm
expect_failure 2 'give --features N' fit --model probit --format svmlight - </dev/null
expect_failure 2 '--worker-prior fixed is not for --model mixture' fit --model mixture clusters.csv --schedule async --workers 2 --worker-prior fixed
expect_failure 2 'components is 0' fit --model mixture --components 0 clusters.csv
expect_failure 2 '--format is mm, must be auto, csv or svmlight' fit --model probit --target bought --format mm data.csv

# With very many features, of which few matter, a diagonal covariance still knows more than a coin.
awk 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()) }
BEGIN {
  srand(5)
  for (j = 1; j <= 310; ++j) printf "f%d,", j
  print "y"
  for (i = 0; i < 1000; ++i) {
    score = normal()
    for (j = 1; j <= 310; ++j) {
      x = normal()
      if (j <= 10) score += (j % 2 ? 0.5 : -0.5) * x
      printf "%.3f,", x
    }
    print (score > 0)
  }
}' >many.csv
head -n 601 many.csv >train.csv
{ head -n 1 many.csv && tail -n 400 many.csv; } >test.csv
"$sda" fit train.csv --model probit --target y -o many >out 2>err
expect_match err '310 features: diagonal covariance'
expect_match out 'diagonal covariance: .* too narrow where features go together$'
"$sda" predict many test.csv >predicted.csv 2>err
paste -d, <(tail -n +2 predicted.csv | cut -d, -f1) <(tail -n +2 test.csv | awk -F, '{print $NF}') |
  awk -F, '{sum += log($2 ? $1 : 1 - $1)} END {exit !(NR == 400 && sum / NR > -0.64)}' ||
  fail "worse than a coin, or hardly better"
