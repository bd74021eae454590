#!/usr/bin/env python3
"""How often the 95% intervals that `sda` prints hold the truth, on simulated data.

  coverage.py SDA [--only "NAME;..."] [--sets 200] [--seed 1] [--jobs 2]

Each case of a family of models (coverage_tables.py, coverage_topics.py,
coverage_over_time.py) simulates a data set with known truth and fits
it by every schedule. Prints a Markdown table: a line for each case and interval, with the number of intervals, and for
each schedule the share that held the truth and its standard error (the intervals of one data set go together, so it is
that of the means of the data sets). A tilde stands before it if the program called most of them approximate. Lost: of
all schedules, the data sets, of topic models the topics, that were simulated and not found.
"""
import argparse
import collections
import math
import random
import tempfile
from concurrent.futures import ProcessPoolExecutor

import coverage_over_time
import coverage_tables
import coverage_topics

CASES = coverage_tables.CASES + coverage_topics.CASES + coverage_over_time.CASES
SCHEDULES = ["one minibatch", "serial", "8 workers, sync", "8 workers, async"]


class Count:
    """Of one kind of interval: for each data set, how many there were and how many held the truth."""

    def __init__(self):
        self.sets = []
        self.approximate = 0

    def add(self, intervals):
        held = sum(lower <= truth <= upper for lower, upper, truth, _ in intervals)
        self.sets.append((held, len(intervals)))
        self.approximate += sum(approximate for _, _, _, approximate in intervals)

    def number(self):
        return sum(total for _, total in self.sets)

    def cell(self):
        n = self.number()
        share = sum(held for held, _ in self.sets) / n
        # Of a ratio of two sums over data sets.
        squares = sum((held - share * total) ** 2 for held, total in self.sets)
        m = len(self.sets)
        error = math.sqrt(squares * m / max(1, m - 1)) / n
        return "%s%.3f ± %.3f" % ("~ " if self.approximate > n / 2 else "", share, error)


def one_set(sda, number, seed):
    """For each schedule: what is lost, and {kind: [(lower, upper, truth, approximate)]}."""
    case = CASES[number]
    with tempfile.TemporaryDirectory() as folder:
        data = case.simulate(random.Random(seed), folder)
        return {name: case.intervals(sda, options, data, folder) for name, options in case.schedules}


def count(sda, number, sets, seed, jobs):
    case = CASES[number]
    counts = collections.defaultdict(Count)
    lost = 0
    with ProcessPoolExecutor(jobs) as pool:
        seeds = [seed * 1000003 + i for i in range(sets)]
        for result in pool.map(one_set, [sda] * sets, [number] * sets, seeds):
            for schedule, (lost_here, intervals) in result.items():
                lost += lost_here
                for kind, found in intervals.items():
                    counts[kind, schedule].add(found)
    for kind in dict.fromkeys(kind for kind, _ in counts):
        most = max(count.number() for (of, _), count in counts.items() if of == kind)
        cells = [counts[kind, name].cell() if counts[kind, name].sets else "" for name in SCHEDULES]
        print("| " + " | ".join([case.name, kind, str(most), *cells, str(lost)]) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sda")
    parser.add_argument("--only", default="")
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    flags = parser.parse_args()
    only = [name for name in flags.only.split(";") if name]
    print("| model | interval of | number | " + " | ".join(SCHEDULES) + " | lost |")
    print("|---" * (4 + len(SCHEDULES)) + "|")
    for number, case in enumerate(CASES):
        if not only or case.name in only:
            count(flags.sda, number, flags.sets, flags.seed, flags.jobs)


if __name__ == "__main__":
    main()
