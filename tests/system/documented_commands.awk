# Prints the commands that a document shows, one a line: its name, the line's number and the command, apart by
# tabs. Commands are lines of indented or fenced blocks that begin with a program or "$ ", without comments; a line
# that ends in a backslash continues. What is shown of files (<!-- file: -->) or of their formats is none.
function finish() {
  sub(/[ \t]+#.*$/, "", command)
  gsub(/[ \t]+/, " ", command)
  sub(/ $/, "", command)
  if (command != "") print name "\t" number "\t" command
  command = ""
}
FNR == 1 {
  name = FILENAME
  sub(root "/", "", name)
  fenced = 0
}
/^```/ {
  fenced = fenced == 0 ? (/^```(sh|bash|console)$/ ? 1 : 2) : 0
  next
}
fenced == 2 || (fenced == 0 && !/^    [^ ]/) {
  if (!continued) next
}
{
  line = $0
  sub(/^ +/, "", line)
  if (continued) {
    command = command " " line
  } else {
    programs = "^(sda|\\./dev|apt-get|bash|build/[^ ]*|cat|cmake|curl|docker|export|git|gzip|head|kafka-[a-z-]+|ln|man|npm|" \
      "pip|printf|python3|systemctl|tar|zcat)( |$)"
    if (!sub(/^\$ /, "", line) && line !~ programs) next
    command = line
    number = FNR
  }
  continued = sub(/\\$/, "", command)
  if (!continued) finish()
}
