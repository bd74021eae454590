# An analyst fits each exact model to CSV, looks at it, and predicts.
source "$(dirname "$0")/common.sh" "$1"

printf 'u,v,y\n' >data.csv
for i in $(seq 1 200); do
  printf '%s\n' "$i $(((i * 37) % 101)) $(((i * 53) % 11))" | awk '{print $1","$2","3+2*$1-0.5*$2+$3/10}'
done >>data.csv

# What numpy.linalg.lstsq and scipy.stats.t say of the same rows.
"$sda" fit --model linear --target y data.csv -o model.safetensors >fit.txt 2>err
"$sda" show model.safetensors >show.txt
cmp <(tail -n +3 fit.txt) <(tail -n +3 show.txt) || fail "fit and show differ"
expect_match show.txt '^intercept +3\.44164 +0\.05946 +[0-9.]+ +3\.5583$'
expect_match show.txt '^coef\[u\] +1\.99994 +0\.0003892 +[0-9.]+ +2\.0007$'
expect_match show.txt '^coef\[v\] +-0\.498656 +0\.000773 +[-0-9.]+ +-0\.497139$'
expect_match show.txt '^noise_sd'

# Serial, synchronous and asynchronous give the same posterior, whatever the minibatch.
"$sda" show --json model.safetensors >serial.json
for options in "--schedule sync --workers 3" "--schedule async --workers 4 --worker-prior fixed" \
  "--minibatch 7" "--schedule sync --workers 5 --threads 1 --minibatch 20"; do
  # shellcheck disable=SC2086
  "$sda" fit --model linear --target y data.csv $options -o other --json >other.json 2>err
  paste <(grep -oE '[-0-9.e]+[0-9]' serial.json) <(grep -oE '[-0-9.e]+[0-9]' other.json) |
    awk '{d = $1 - $2; s = $1 < 0 ? -$1 : $1; if (d < 0) d = -d; if (d > 1e-9 * (s + 1)) exit 1}' ||
    fail "$options gives another posterior"
done

# Predictions: CSV and JSON, from a file and from standard input, columns in any order.
printf 'v,u\n10,50\n20,60\n' >new.csv
"$sda" predict model.safetensors new.csv >predicted.csv
[[ $(head -n 1 predicted.csv) == "mean,sd,lower,upper" ]] || fail "predict has no header"
expect_match predicted.csv '^98\.4520532[0-9]*,0\.320673832'
"$sda" predict model.safetensors - <new.csv | cmp - predicted.csv || fail "standard input differs"
"$sda" predict --json model.safetensors new.csv >predicted.json
expect_match predicted.json '^\{"mean":98\.'

# The other models, compressed input, standard input, a report.
printf 'won,goals,side\n1,2,home\n0,0,away\n1,3,home\n1,1,home\n' >games.csv
"$sda" fit --model coin --columns won games.csv -o coin --report report.json >out 2>err
expect_match out '^probability\[won\] +0\.666667'
expect_match report.json '"rows": 4'
expect_match report.json '"peak_rss_bytes": [0-9]+'
gzip -k games.csv
"$sda" fit --model categorical --columns side games.csv.gz -o categorical >out 2>err
expect_match out '^share\[side=home\] +0\.666667'
expect_match out '^share\[side=away\] +0\.333333'
"$sda" fit --model poisson --columns goals - -o poisson <games.csv >out 2>err
expect_match out '^rate\[goals\] +1\.625'
"$sda" fit --model normal --columns goals,won games.csv -o normal --prior mean=1,weight=4 >out 2>err
expect_match out '^mean\[goals\] +1\.25'
expect_match out '^mean\[won\] +0\.875'
expect_match out '^sd\[won\]'
"$sda" show categorical >out
expect_match out 'categorical model after 4 rows'

# Forgetting: the mean follows the drift.
awk "BEGIN {print \"x\"; for (i = 0; i < 5000; ++i) print 0; for (i = 0; i < 5000; ++i) print 10 + i % 2}" >drift.csv
"$sda" fit --model normal drift.csv -o drift --half-life 500 --minibatch 100 >out 2>err
expect_match out '^mean\[x\] +10\.4898'
"$sda" fit --model normal drift.csv -o drift >out 2>err
expect_match out '^mean\[x\] +5\.25'
