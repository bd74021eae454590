"""A random follower: python3 follow_random.py SDA KILLS [SEED]

Rounds, in a temporary folder each, of a writer and a reader of one stream. The writer appends to
`log`, in pieces, renames it (log.1, log.2, ...), truncates it, copies and truncates it, compresses old
files and removes those that are learnt from. The reader, `sda fit log --follow --checkpoint ck
--resume`, is killed, stopped and started again at any moment. If it refuses, it must name a file, and
the writer does what the message says. In the end every document, which has a word of its own, is in
the model exactly once; except for those that were truncated away before a checkpoint had them, which
may be missing, and never count twice. (Where the words are chosen from the text, documents are counted.)

The writer's own rules: a run has begun when its folder has a checkpoint, and files are renamed or
truncated only after that; a new file begins with more than 1 KiB at once, by which it is known again.
"""

import collections
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

TOPICS = 2
MOST_DOCUMENTS = 2600  # of a round
COMMON = ["common" + chr(ord("a") + i) for i in range(24)]  # of which a document has a third
KILLS_OF_ROUND = 12
LATE = 300  # documents that a run waits for before it learns
PATIENCE = 120  # seconds for what must happen


def letters(number):
    """A word for a number."""
    text = ""
    for _ in range(5):
        text += chr(ord("a") + number % 26)
        number //= 26
    return "q" + text


class Kind:
    """What the documents look like, and how a model of them is read."""

    def __init__(self, rng):
        self.name = rng.choice(["words", "words", "json", "chosen", "table", "table"])
        self.with_first = rng.random() < 0.3  # another input before the one that is followed
        self.asynchronous = rng.random() < 0.3
        common = ["--follow", "--minibatch-seconds", "0.1", "--checkpoint-every", "0.15s", "--checkpoint", "ck",
                  "--resume", "-o", "model"]
        if self.asynchronous:
            common += ["--schedule", "async", "--workers", "3"]
        if self.name == "table":
            self.options = ["--model", "categorical", "--minibatch", "30", *common]
        else:
            self.options = ["--topics", str(TOPICS), "--minibatch", "30", "--vocab-from", str(rng.choice([60, LATE])), "--sweeps", "2",
                            "--threads", "1", *common]
            if self.name != "chosen":
                self.options += ["--vocab", "words"]

    def header(self):
        return "name\n" if self.name == "table" else ""

    def line(self, number):
        if self.name == "table":
            return letters(number) + "\n"
        rest = " ".join(COMMON[(number * 7 + i * 3) % len(COMMON)] for i in range(8))
        text = f"{letters(number)} {rest}"
        return json.dumps({"text": text}) + "\n" if self.name == "json" else text + "\n"

    def counts(self, sda):
        """Document -> how often it is in the model; {None: number of documents} if that is all that is known."""
        with open("model", "rb") as file:
            header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
            data = file.read()
        metadata = header["__metadata__"]
        if self.name == "chosen":
            return {None: int(metadata["documents"])}
        if self.name == "table":
            def tensor(name, letter):
                begin, end = header[name]["data_offsets"]
                return struct.unpack(f"<{(end - begin) // 8}{letter}", data[begin:end])
            names = json.loads(metadata["spec"])["categories"][0]
            prior = 1
            return {names[key]: value - prior for key, value in zip(tensor("keys", "q"), tensor("posterior", "d"))}
        subprocess.run([sda, "export", "model", "--lambda", "lambda.npy"], check=True)
        with open("lambda.npy", "rb") as file:
            file.seek(8)
            file.seek(10 + struct.unpack("<H", file.read(2))[0])
            raw = file.read()
        values = struct.unpack(f"<{len(raw) // 8}d", raw)
        words = len(values) // TOPICS
        eta = float(re.search(r'eta":([0-9.e-]+)', " ".join(metadata.values())).group(1))
        names = open("words").read().split()
        return {names[w]: round(sum(values[w * TOPICS:(w + 1) * TOPICS]) - TOPICS * eta, 4)
                for w in range(words)}


class File:
    """One that the writer made: its name, whether it is compressed, and the documents in it."""

    def __init__(self, path, documents):
        self.path = path
        self.documents = documents
        self.since = time.monotonic()  # under this name

    @property
    def compressed(self):
        return self.path.endswith((".gz", ".zst"))


def note(text):
    """What happened, for whoever looks into a round that failed."""
    with open("history", "a") as file:
        file.write(f"{time.time():.3f} {text}\n")


class World:
    """The files, and what must become of each document."""

    def __init__(self, rng, kind):
        self.rng = rng
        self.kind = kind
        self.next = 0
        self.may_be_missing = set()
        self.old = []  # the newest first
        self.log = None
        self.truncated = []  # what `log` held before, for a refusal that asks for it
        self.removed = 0
        self.done = collections.Counter()
        with open("words", "w") as file:
            file.write("\n".join([letters(i) for i in range(MOST_DOCUMENTS)] + COMMON) + "\n")
        if kind.with_first:
            with open("first", "w") as file:
                file.write(kind.header() + "".join(kind.line(self.take()) for _ in range(rng.choice([20, 90]))))
        self.log = File("log", [])
        with open("log", "w") as file:
            if rng.random() < 0.5:
                self.append()

    def take(self):
        self.next += 1
        return self.next - 1

    def append(self):
        """Documents, sometimes in two writes that cut a line."""
        begins = os.path.getsize("log") == 0
        least = 1300 // len(self.kind.line(0)) if begins else 0
        numbers = [self.take() for _ in range(least + self.rng.randint(1, 40))]
        text = (self.kind.header() if begins else "") + "".join(map(self.kind.line, numbers))
        self.log.documents += numbers
        cut = len(text) if begins or self.rng.random() < 0.7 else self.rng.randrange(len(text))
        with open("log", "a") as file:
            file.write(text[:cut])
            file.flush()
            if cut < len(text):
                time.sleep(self.rng.random() * 0.2)
                file.write(text[cut:])

    def shift(self):
        """log.1 is free afterwards."""
        def split(file):
            number, rest = re.fullmatch(r"log\.(\d+)(.*)", file.path).groups()
            return int(number), rest
        for file in sorted(self.old, key=split, reverse=True):
            number, rest = split(file)
            path = f"log.{number + 1}{rest}"
            os.rename(file.path, path)
            file.path = path

    def rotate(self):
        if self.log is None or not self.log.documents:
            return
        self.shift()
        os.rename("log", "log.1")
        self.log.path = "log.1"
        self.log.since = time.monotonic()
        self.old.insert(0, self.log)
        self.log = None
        time.sleep(self.rng.choice([0, 0, self.rng.random() * 0.3]))
        self.begin()

    def begin(self):
        open("log", "w").close()
        self.log = File("log", [])
        if self.rng.random() < 0.7:
            self.append()

    def cut(self, copy):
        """Truncates the file; copy: as logrotate's copytruncate does."""
        if not self.log.documents:
            return
        if copy:
            self.shift()
            shutil.copyfile("log", "log.1")
            self.old.insert(0, File("log.1", self.log.documents))
        else:
            with open("log", "rb") as file:
                content = file.read()
            self.truncated.append(Truncated(content, self.log.documents, os.stat("log").st_mtime_ns))
            self.may_be_missing |= set(self.log.documents[self.learnt_of_log(durable(), content):])
        os.truncate("log", 0)
        self.log = File("log", [])
        if self.rng.random() < 0.7:
            self.append()

    def learnt_of_log(self, place, content):
        """How many of its documents are in a checkpoint."""
        if not place.is_at("log"):
            return 0
        return max(0, content[:place.offset].count(b"\n") - bool(self.kind.header()))

    def compress(self):
        place = durable()
        settled = [f for f in self.old if not f.compressed and time.monotonic() - f.since > 0.5
                   and (os.stat(f.path).st_ino != place.inode or place.head_bytes >= 1024)]
        if not settled:
            return
        file = self.rng.choice(settled)
        tool, end = self.rng.choice([(["gzip", "-q"], ".gz"), (["zstd", "-q", "--rm"], ".zst")])
        subprocess.run([*tool, file.path], check=True)
        file.path += end

    def remove(self):
        """Old files that come before the one in which the reader is."""
        place = durable()
        is_there = [place.head_bytes > 0 and place.is_at(f.path) for f in self.old]
        if True in is_there:
            for file in self.old[is_there.index(True) + 1:]:
                os.remove(file.path)
                self.removed += 1
            del self.old[is_there.index(True) + 1:]

    def write(self, begun):
        """Something at random."""
        if self.next > MOST_DOCUMENTS - 300:
            return
        actions = {"append": self.append, "rotate": self.rotate, "truncate": lambda: self.cut(False),
                   "copytruncate": lambda: self.cut(True), "compress": self.compress, "remove": self.remove}
        name = self.rng.choices(list(actions), [10, 3, 1, 2, 2, 1])[0] if begun else "append"
        self.done[name] += 1
        actions[name]()
        note(f"{name}: {durable()}; " + " ".join(f"{f.path}#{os.stat(f.path).st_ino}"
                                                 for f in [self.log, *self.old]))

    def obey(self, message):
        """Does what a refusal asks for."""
        between = re.search(r"replaced more than once while it was not read: (\S+) seems to come between", message)
        if between:
            self.append_to_the_one_before(between.group(1))
            return "between"
        copied = re.search(r"may have been truncated before .*: (\S+) seems to be a copy .* what is in (\S+) now", message)
        if copied:
            self.put_before(copied.group(1), copied.group(2))
            return "copied"
        if re.search(r"log: was truncated since the checkpoint, which holds some", message):
            self.restore()
            return "truncated"
        if re.search(r"log: is another file than the one that was followed.* that one is missing", message):
            self.restore()  # it was truncated, renamed and compressed
            return "missing"
        raise AssertionError("a refusal that says nothing useful: " + message)

    def take_out(self, path):
        """Of an old file that is removed: what was in it, and its place in `old`."""
        index = [f.path for f in self.old].index(path)
        unpack = {".gz": ["gzip", "-dc"], ".zst": ["zstd", "-dcq"]}.get(os.path.splitext(path)[1], ["cat"])
        text = subprocess.run([*unpack, path], check=True, stdout=subprocess.PIPE).stdout
        os.remove(path)
        return self.old.pop(index), text, index

    def append_to_the_one_before(self, path):
        file, text, index = self.take_out(path)
        before = self.old[index]
        pack = {".gz": ["gzip", "-c"], ".zst": ["zstd", "-cq"]}.get(os.path.splitext(before.path)[1], ["cat"])
        with open(before.path, "ab") as out:
            subprocess.run(pack, input=text[len(self.kind.header()):], stdout=out, check=True)
        before.documents = before.documents + file.documents

    def put_before(self, path, then):
        file, text, _ = self.take_out(path)
        after = next(f for f in [self.log, *self.old] if f.path == then)
        with open(then, "r+b") as out:
            rest = out.read()
            out.seek(0)
            out.write(text + rest[len(self.kind.header()):])
        after.documents = file.documents + after.documents

    def restore(self):
        """The content in which the last checkpoint is, as a file of its own with its time."""
        place = durable()
        content, documents, then = next(t for t in self.truncated if place.is_in(t.content))
        self.shift()
        with open("log.1", "wb") as file:
            file.write(content)
        os.utime("log.1", ns=(then, then))
        self.old.insert(0, File("log.1", documents))
        self.old.sort(key=lambda f: -os.stat(f.path).st_mtime_ns)


Truncated = collections.namedtuple("Truncated", "content documents modified")


class Place(collections.namedtuple("Place", "inode head_bytes head_checksum offset")):
    """Where a checkpoint is in the stream."""

    def is_in(self, content):
        return self.head_bytes <= len(content) and zlib.crc32(content[:self.head_bytes]) == self.head_checksum

    def is_at(self, path):
        """An inode alone may be that of another file by now."""
        with open(path, "rb") as file:
            return os.stat(path).st_ino == self.inode and self.is_in(file.read())


def durable():
    """Where the newest checkpoint is in the stream; None: there is none yet."""
    names = sorted(n for n in os.listdir("ck") if re.fullmatch(r"checkpoint-\d+", n)) if os.path.isdir("ck") else []
    if not names:
        return None
    try:
        with open("ck/" + names[-1], "rb") as file:
            file.seek(16)
            position = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))["position"]
    except FileNotFoundError:  # there is a newer one
        return durable()
    numbers = list(map(int, position.removeprefix("corpus-1 ").split()))
    in_log = numbers[0 if position.startswith("corpus") else 1] == os.path.exists("first")
    identity = numbers[-9:]
    return Place(identity[1], identity[3], identity[4], numbers[2] if in_log else 0)


class Reader:
    def __init__(self, sda, kind):
        self.command = [sda, "fit", *(["first"] if kind.with_first else []), "log", *kind.options]
        self.process = None
        self.refusals = collections.Counter()

    def start(self):
        self.errors = open("err", "w+")
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=self.errors)

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def end(self, how):
        """True if it was running."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(PATIENCE)
        note(f"status {status}, {how}: {durable()}: {self.said()}")
        if status == 0 and how != signal.SIGTERM or status not in (0, 1, -signal.SIGKILL, -signal.SIGTERM):
            raise AssertionError(f"status {status}: {self.said()}")
        return status != 1

    def mend(self, world):
        """After a refusal: its names may be of files that have others by now, so it is asked again."""
        while True:
            self.start()
            try:
                self.process.wait(2.5)
            except subprocess.TimeoutExpired:
                return self.end(signal.SIGKILL)
            self.refused(world)

    def refused(self, world):
        """If it has ended by itself, that is mended."""
        if self.process.poll() is None:
            return False
        if self.process.returncode != 1:
            raise AssertionError(f"ended by itself, status {self.process.returncode}: {self.said()}")
        self.refusals[world.obey(self.said())] += 1
        return True


def run_until_all_is_learnt(world, reader):
    while os.path.getsize("log") == 0 or world.next - len(world.may_be_missing) < LATE:
        world.append()
    deadline = time.monotonic() + PATIENCE
    reader.start()
    while True:
        place = durable()
        if place and place.is_at("log") and place.offset == os.path.getsize("log"):
            break
        if time.monotonic() > deadline:
            raise AssertionError(f"in vain: {place}, log has {os.path.getsize('log')}: {reader.said()}")
        if reader.refused(world):
            reader.start()
        time.sleep(0.05)
    if not reader.end(signal.SIGTERM):
        raise AssertionError("refused at its end: " + reader.said())


def check(world, counts):
    """Returns how many documents are missing that may be."""
    if None in counts:
        missing = world.next - counts[None]
        if not 0 <= missing <= len(world.may_be_missing):
            raise AssertionError(f"{counts[None]} documents of {world.next}, {len(world.may_be_missing)} may be missing")
        return missing
    missing = 0
    for number in range(world.next):
        count = counts.get(letters(number), 0)
        if count == 0 and number in world.may_be_missing:
            missing += 1
        elif count != 1:
            raise AssertionError(f"document {number} was learnt {count} times, may be missing: "
                                 f"{number in world.may_be_missing}")
    return missing


def round_of(sda, rng, kills):
    """Returns what happened."""
    kind = Kind(rng)
    world = World(rng, kind)
    reader = Reader(sda, kind)
    try:
        return play(sda, rng, kills, kind, world, reader)
    finally:
        if reader.process and reader.process.poll() is None:
            reader.process.kill()


def play(sda, rng, kills, kind, world, reader):
    happened = collections.Counter({"rounds": 1, "rounds of " + kind.name: 1})
    while happened["kills"] + happened["stops"] < kills:
        place = durable()
        happened["starts without a checkpoint"] += place is None
        reader.start()
        for _ in range(rng.choice([0, 0, 1, 2, 4])):
            time.sleep(rng.choice([0.05, 0.2, 0.6]) * rng.random() * 2)
            if rng.random() < 0.1 and reader.process.poll() is None:
                reader.process.send_signal(signal.SIGSTOP)
                for _ in range(rng.randint(1, 3)):
                    world.write(durable() is not None)
                reader.process.send_signal(signal.SIGCONT)
            world.write(durable() is not None)
        time.sleep(rng.choice([0, 0.02, 0.1, 0.3, 1.5]) * rng.random())
        how = signal.SIGKILL if rng.random() < 0.8 else signal.SIGTERM
        if reader.end(how):
            happened["kills" if how == signal.SIGKILL else "stops"] += 1
            now = durable()
            happened["of them before anything was learnt"] += now is None or not os.path.exists("model")
        else:
            reader.mend(world)
        for _ in range(rng.choice([0, 1, 2, 3])):
            world.write(durable() is not None)
    run_until_all_is_learnt(world, reader)
    happened["documents truncated away unread"] += check(world, kind.counts(sda))
    happened["documents"] += world.next
    happened["files removed"] += world.removed
    for name, number in world.done.items():
        happened[name] += number
    for name, number in reader.refusals.items():
        happened["refusals: " + name] += number
    return happened


def main():
    sda = os.path.realpath(sys.argv[1])
    kills = int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
    total = collections.Counter()
    counted = ["kills"] if kills > KILLS_OF_ROUND else ["kills", "stops"]  # the short form is one round
    while sum(total[how] for how in counted) < kills:
        here = tempfile.mkdtemp(prefix="sda_follow_")
        os.chdir(here)
        print(f"seed {seed}", flush=True)
        try:
            total += round_of(sda, random.Random(seed), min(KILLS_OF_ROUND, kills))
        except BaseException:
            print(f"FAILED with seed {seed}; the files are in {here}", file=sys.stderr)
            raise
        os.chdir("/")
        shutil.rmtree(here)
        seed += 1
    print(json.dumps(total))


if __name__ == "__main__":
    main()
