"""That the library needs no instruction set beyond the base one of x86-64: vector instructions with a VEX or
EVEX prefix are in the functions alone that Highway chooses when the program runs.

    python3 tests/instructions.py LIBRARY
"""

import re
import subprocess
import sys

VEX = re.compile(r"%[yz]mm|\t(v[a-z]\w+|kmov\w|andn|bextr|blsr|mulx|pdep|pext|rorx|sarx|shlx|shrx)\s")
CHOSEN = re.compile(r"::N_(AVX\w+|SSE4)::")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", sys.argv[1]]
    wrong, chosen, function = {}, 0, ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as objdump:
        for line in objdump.stdout:
            named = FUNCTION.match(line)
            if named:
                function = named[1]
            elif VEX.search(line):
                if CHOSEN.search(function):
                    chosen += 1
                else:
                    wrong.setdefault(function, line.strip())
    for function, line in wrong.items():
        print(f"{function} has {line}")
    if chosen == 0:
        sys.exit(f"{sys.argv[1]} has no vector instructions that are chosen at run time, expected some")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
