#!/usr/bin/env python3
"""Faults at every system call: each call on a file of each command fails once, in each way that such a
call can fail.

    calls.py SDA FAIL_CALLS.SO FAULTS [SEED] [SCENARIO]

FAULTS: how many; if there are more, a sample by the seed, which is printed. With less than 1,000 the
scenarios that take long are left out. SCENARIO: part of the names of those to try.

What must hold, whatever fails: no signal, no hang, status 0 or 1. With 0 the outputs are those of an
undisturbed run; after EINTR and short reads and writes it must be 0. With 1 a message names a file and
the reason, an output is the old one or the new one, no temporary file is left, and a run with checkpoints
goes on to the outputs of an undisturbed run.
"""
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import scenarios

HARMLESS = ("EINTR", "short")
REASONS = {"ENOSPC": "No space left on device", "EIO": "Input/output error"}
BYTES = ("read", "pread", "readv", "write", "pwrite", "writev")
# Calls that POSIX lets a signal interrupt.
INTERRUPTIBLE = (*BYTES, "open", "close", "fsync", "fdatasync", "ftruncate", "flock", "fchmod", "fchown")
SECONDS = 60  # an undisturbed command takes less than one


@dataclass
class Fault:
    scenario: scenarios.Scenario
    call: int  # 1: the first
    name: str
    path: str
    kind: str

    def __str__(self):
        return f"{self.scenario.name}: {self.kind} of call {self.call}, {self.name} {self.path}"


def kinds(name):
    return (["EIO", "ENOSPC"] + (["EINTR"] if name in INTERRUPTIBLE else []) +
            (["short"] if name in BYTES else []))


def without_times(text):
    """What is printed, less what differs from run to run."""
    return re.sub(r"[0-9.,]+ (s|seconds|MB|GB)\b", "TIME", text)


class Torture:
    def __init__(self, sda, library, base):
        self.sda, self.library, self.base = sda, library, base
        self.expected = {}
        self.names = {}  # of the files of each scenario

    def run(self, folder, arguments, **variables):
        environment = dict(os.environ)
        if variables:
            environment.update(variables, LD_PRELOAD=self.library)
        return subprocess.run([self.sda, *arguments], cwd=folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)

    def copy(self):
        folder = Path(tempfile.mkdtemp(dir=self.base.parent))
        shutil.copytree(self.base, folder, dirs_exist_ok=True)
        return folder

    def faults_of(self, scenario):
        """Runs it undisturbed; every call of it, in every way."""
        folder = self.copy()
        log = folder / "calls.log"
        done = self.run(folder, scenario.arguments, SDA_FAULT_LOG=str(log))
        if done.returncode != 0:
            sys.exit(f"FAILED: {scenario.name} without a fault: {done.stderr}")
        calls = [line.split(" ", 1) for line in log.read_text().splitlines()]
        self.expected[scenario.name] = (self.outputs(scenario, folder), without_times(done.stdout))
        # Threads change the order of calls, so it may be another file's that fails.
        self.names[scenario.name] = {re.sub(r"\.tmp\.[0-9a-f]+$", "", path) for _, path in calls
                                     if path.strip(".")}
        shutil.rmtree(folder)
        return [Fault(scenario, i + 1, name, path, kind)
                for i, (name, path) in enumerate(calls) for kind in kinds(name)]

    @staticmethod
    def outputs(scenario, folder):
        return {name: (folder / name).read_bytes() if (folder / name).exists() else None
                for name in scenario.outputs}

    def try_fault(self, fault):
        """None, or what went wrong."""
        folder = self.copy()
        try:
            wrong = self.check(fault, folder)
            return None if wrong is None else f"{fault}: {wrong}"
        except subprocess.TimeoutExpired:
            return f"{fault}: hangs"
        finally:
            shutil.rmtree(folder)

    def check(self, fault, folder):
        done = self.run(folder, fault.scenario.arguments, SDA_FAULT_CALL=str(fault.call),
                        SDA_FAULT_KIND=fault.kind)
        said = f"status {done.returncode}: {done.stderr.strip()[-300:]}"
        outputs, printed = self.expected[fault.scenario.name]
        if done.returncode not in (0, 1):
            return said
        left = [str(p.relative_to(folder)) for p in folder.rglob("*.tmp.*")]
        if left:
            return f"left behind: {left}; {said}"
        if done.returncode == 0:
            if self.outputs(fault.scenario, folder) != outputs:
                return "another output"
            if fault.scenario.prints and without_times(done.stdout) != printed:
                return "printed something else: " + done.stdout[-300:]
            return None
        return self.check_failure(fault, folder, done.stderr, said)

    def check_failure(self, fault, folder, message, said):
        if fault.kind in HARMLESS:
            return said
        line = next((x for x in message.splitlines() if x.startswith("sda: ")), "")
        if REASONS[fault.kind] not in line:
            return "does not tell the reason; " + said
        if not any(name in line for name in self.names[fault.scenario.name]):
            return "does not name the file; " + said
        before = self.outputs(fault.scenario, self.base)
        new, _ = self.expected[fault.scenario.name]
        for name, content in self.outputs(fault.scenario, folder).items():
            if content not in (before[name], new[name]):
                return f"{name} is neither the old one nor the new one"
        if not fault.scenario.resume:
            return None
        again = self.run(folder, fault.scenario.arguments)
        if again.returncode != 0 or self.outputs(fault.scenario, folder) != new:
            return f"does not go on: status {again.returncode}: {again.stderr.strip()[-300:]}"
        return None

def main():
    sda, library, most = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2]), int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1_000_000)
    only = sys.argv[5] if len(sys.argv) > 5 else ""
    with tempfile.TemporaryDirectory() as scratch:
        base = Path(scratch) / "base"
        base.mkdir()
        long = most >= 1000
        scenarios.prepare(sda, base, long)
        torture = Torture(sda, library, base)
        faults = []
        for scenario in scenarios.SCENARIOS:
            possible = not scenario.needs or (base / scenario.needs).exists()
            if only in scenario.name and possible and (long or not scenario.long):
                faults += torture.faults_of(scenario)
        total = len(faults)
        faults = random.Random(seed).sample(faults, min(most, total))
        print(f"{len(faults)} of {total} faults, seed {seed}", flush=True)
        bad = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for wrong in pool.map(torture.try_fault, faults):
                if wrong:
                    bad += 1
                    print("FAILED:", wrong, flush=True)
    print(f"{len(faults)} faults, {bad} did harm")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
