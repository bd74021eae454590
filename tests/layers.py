#!/usr/bin/env python3
"""Checks the rules about files that a compiler does not: python3 tests/layers.py [SOURCE_FOLDER]

Prints FILE:LINE and what is wrong there, and exits with 1, when in include/, src/ or apps/
  - a file includes one of a layer below its own (LAYERS, from the top), or one that does not exist;
  - a file outside src/cluster/ includes a header of librdkafka;
  - there is an #if outside src/cluster/ and src/cuda/ that is no include guard, none of Highway's and
    not that of src/lda/memory.h;
  - a file has more than 300 lines, and no comment "Longer than 300 lines: REASON";
  - there is a flag for the whole process, below apps/: who runs something says when it should stop.

--self-test checks on made-up trees that each of these is found.
"""

import pathlib
import re
import sys
import tempfile

# A file may include those of its own line and of the lines before.
LAYERS = [
    ["include/sda"],
    ["src/base"],
    ["src/core"],
    ["src/models"],
    ["src/lda"],
    ["src/cuda"],
    ["src/data"],
    ["src/tables", "src/topics"],
    ["src/report"],
    ["src/cluster/kafka"],
    ["src/cluster", "src/cluster/log"],
    ["src/cluster/worker"],
    ["src/cluster/status"],
    ["src/service"],
    ["apps"],
]
INCLUDE_FOLDERS = ["include", "src", "apps/sda", "."]
# One day src/cluster/kafka alone: the rest of the cluster still sees the types of librdkafka.
KAFKA_FOLDER = "src/cluster/"
CONDITIONAL_FOLDERS = ("src/cluster/", "src/cuda/")
MOST_LINES = 300

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
CONDITION = re.compile(r"\s*#\s*(?:if|ifdef|ifndef|elif|elifdef|elifndef)\b(.*)")
INCLUDE_GUARD = re.compile(r"\s*#\s*ifn?def\s+[A-Z0-9_]+_H_\s*$")
LONGER = re.compile(rf"//.*Longer than {MOST_LINES} lines: *\S")
FLAG = r"(?:std::atomic<bool>|std::atomic_bool|std::atomic_flag)"
# At the left margin (what is in a namespace is not indented) or static: not a member, argument or result.
PROCESS_FLAG = re.compile(rf"(?:(?:inline|extern|constinit)\s+)*{FLAG}\s+\w+\s*[;={{(]|\s*(?:static|inline|extern)\s+(?:\w+\s+)*{FLAG}\s+\w+")
VOLATILE = re.compile(r"\b(?:volatile|sig_atomic_t)\b")


def layer_of(name):
    """The number of the layer of a file, and its name: that of the longest folder it is in."""
    found = (-1, None)
    for number, folders in enumerate(LAYERS):
        for folder in folders:
            if name.startswith(folder + "/") and len(folder) > len(found[1] or ""):
                found = (number, folder)
    return found


def resolve(root, file, name):
    """The included file, as a name below root, or None."""
    for folder in [file.parent, *(root / folder for folder in INCLUDE_FOLDERS)]:
        path = folder / name
        if path.is_file():
            return path.resolve().relative_to(root).as_posix()
    return None


def check_include(root, file, name, match):
    bracket, included = match.groups()
    if included.startswith("librdkafka/") and not name.startswith(KAFKA_FOLDER):
        return f"includes {included}: only {KAFKA_FOLDER} knows Kafka"
    target = resolve(root, file, included)
    if target is None:
        return f"includes {included}, which does not exist" if bracket == '"' else None
    own, own_folder = layer_of(name)
    other, other_folder = layer_of(target)
    if other_folder is None:
        return f"includes {target}, which is in no layer"
    if other > own:
        return f"includes {target}: {other_folder} is below {own_folder}"
    return None


def check_line(root, file, name, line):
    include = INCLUDE.match(line)
    if include:
        return check_include(root, file, name, include)
    condition = CONDITION.match(line)
    if condition and not name.startswith(CONDITIONAL_FOLDERS):
        own = name == "src/lda/memory.h" and "__linux__" in condition[1]
        if not (own or "HWY_" in condition[1] or INCLUDE_GUARD.match(line)):
            return f"conditional code outside {' and '.join(CONDITIONAL_FOLDERS)}"
    code = line.split("//")[0]
    if not name.startswith("apps/") and (PROCESS_FLAG.match(code) or VOLATILE.search(code)):
        return "a flag for the whole process"
    return None


def check_tree(root):
    """A list of (file, line, what is wrong)."""
    root = pathlib.Path(root).resolve()
    wrong = []
    files = 0
    for file in sorted(f for top in ("include", "src", "apps") for f in (root / top).rglob("*")):
        if file.suffix not in (".h", ".cc", ".cu", ".cuh"):
            continue
        files += 1
        name = file.relative_to(root).as_posix()
        if layer_of(name)[1] is None:
            wrong.append((name, 1, "is in no layer: add its folder to LAYERS in tests/layers.py"))
        lines = file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            message = check_line(root, file, name, line)
            if message:
                wrong.append((name, number, message))
        if len(lines) > MOST_LINES and not any(LONGER.search(line) for line in lines):
            wrong.append((name, len(lines), f'has more than {MOST_LINES} lines; split it, or say why not: '
                          f'"// Longer than {MOST_LINES} lines: REASON"'))
    if files == 0:
        wrong.append((str(root), 1, "there are no sources"))
    return wrong


GOOD = {
    "include/sda/loop.h": "#ifndef SDA_LOOP_H_\n#define SDA_LOOP_H_\n#endif  // SDA_LOOP_H_\n",
    "src/base/text.h": "#include <string>\n",
    "src/core/dense.cc": '#include "base/text.h"\n#include "sda/loop.h"\n  std::atomic<bool> busy_ = false;\n',
    "src/lda/memory.h": "#ifdef __linux__\n#endif\n",
    "src/lda/vb/kernels.cc": '#include "lda/memory.h"\n#if HWY_ONCE\n#endif\n',
    "src/data/long.cc": "// Longer than 300 lines: it is a table.\n" + "\n" * 400,
    "src/tables/stop.h": "void Run(const std::atomic<bool>* stop);\nconst std::atomic<bool>* Stop();\n",
    "src/cluster/job.h": '#include "cluster/kafka/client.h"\n#include "cluster/log/view.h"\n',
    "src/cluster/kafka/client.h": "#include <librdkafka/rdkafka.h>\n#ifdef SOMETHING\n#endif\n",
    "src/cluster/log/view.h": '#include "cluster/job.h"\n',
    "apps/sda/ui/command.h": "std::atomic<bool> stopped = false;\n",
    "apps/sda/main.cc": '#include "cluster/job.h"\n#include "ui/command.h"\n',
}
# Files that replace or join the good ones, and the only line that is wrong.
BAD = [
    ("include/sda/loop.h", '\n#include "core/dense.h"\n', 2, "does not exist"),
    ("include/sda/loop.h", '#include "base/text.h"\n', 1, "src/base is below include/sda"),
    ("include/sda/loop.h", "#include <base/text.h>\n", 1, "src/base is below include/sda"),
    ("src/base/text.cc", '\n\n#include "lda/memory.h"\n', 3, "src/lda is below src/base"),
    ("src/core/dense.cc", '#include "../lda/memory.h"\n', 1, "src/lda is below src/core"),
    ("src/tables/fit.cc", '#include "cluster/job.h"\n', 1, "src/cluster is below src/tables"),
    ("src/cluster/kafka/client.h", '#include "cluster/job.h"\n', 1, "src/cluster is below src/cluster/kafka"),
    ("src/service/page.cc", '#  include "apps/sda/ui/command.h"\n', 1, "apps is below src/service"),
    ("src/other/page.cc", "\n", 1, "in no layer"),
    ("apps/sda/main.cc", "#include <librdkafka/rdkafka.h>\n", 1, "knows Kafka"),
    ("src/lda/spec.cc", "\n#ifdef __linux__\n", 2, "conditional code"),
    ("src/lda/memory.h", "#if defined(NDEBUG)\n", 1, "conditional code"),
    ("apps/sda/main.cc", "#ifndef SDA_CLUSTER\n", 1, "conditional code"),
    ("apps/sda/main.cc", "\n" * 301, 301, "more than 300 lines"),
    ("src/data/long.cc", "// Longer than 300 lines:\n" + "\n" * 400, 401, "more than 300 lines"),
    ("src/core/stop.cc", "\nstd::atomic<bool> stop_requested = false;\n", 2, "whole process"),
    ("src/core/stop.cc", "  static std::atomic<bool> stop_requested{false};\n", 1, "whole process"),
    ("include/sda/stop.h", "inline std::atomic_bool stop;\n", 1, "whole process"),
    ("src/core/stop.cc", "volatile std::sig_atomic_t stop = 0;\n", 1, "whole process"),
]


def check_made_up_tree(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check_tree(folder)


def self_test():
    assert check_made_up_tree(GOOD) == [], check_made_up_tree(GOOD)
    assert len(check_made_up_tree({})) == 1
    for name, text, line, message in BAD:
        found = check_made_up_tree({**GOOD, name: text})
        assert len(found) == 1, (name, text, found)
        assert found[0][:2] == (name, line) and message in found[0][2], (name, text, found)


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    wrong = check_tree(arguments[0] if arguments else pathlib.Path(__file__).parent.parent)
    for name, line, message in wrong:
        print(f"{name}:{line}: {message}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
