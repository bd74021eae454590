# What the documents show of a file is that file.
source "$(dirname "$0")/common.sh" "$1"
root=$2

count=0
for document in "$root"/README.md "$root"/docs/*.md; do
  while read -r file; do
    count=$((count + 1))
    awk -v start="<!-- file: $file -->" '
      $0 == start {shown = 1; next}
      $0 == "<!-- end -->" {shown = 0}
      shown && !/^```/' "$document" | cmp - "$root/$file" || fail "$document shows another $file"
  done < <(sed -n 's/^<!-- file: \(.*\) -->$/\1/p' "$document")
done
((count > 0)) || fail "no document shows a file"
# Every command and option that the usage document names is one of the program's.
for command in fit show predict topics infer eval export report compare help completion; do "$sda" $command --help; done >help
"$sda" help >>help
for option in $(grep -oE -- '--[a-z][a-z-]+' "$root/docs/usage.md" | sort -u); do
  grep -qF -- "$option" help || fail "docs/usage.md names $option, which no command has"
done
