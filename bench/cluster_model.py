#!/usr/bin/env python3
"""How far `sda cluster` scales: a model, and a simulation to check it, from measured constants.

  cluster_model.py [--topics 100] [--minibatch 4096] [--vocabulary 10000] [--primitive gibbs]
                   [--network 1.25e9] [--transaction 0.02] [--cores 2] [--workers 1,2,4,...]

A worker's cycle is: compute a minibatch, pack its delta, commit the transaction, and fold it with
all others that came meanwhile. Three things can be full:

  workers   S / (S c + p + x + u)  documents a second each: compute, pack, transaction, fold
  fold      every worker folds every delta:     at most S / u documents a second, however many they are
  network   the brokers send every delta to every worker:  at most S B / (W b)

with S documents in a minibatch, c seconds to compute one, b bytes of a delta, p to pack it, u to
unpack and fold it, x for the transaction, W workers, and B bytes a second that the brokers send.
The simulation has the same parts, with queues and the order of the log; it also tells staleness.
"""
import argparse
import heapq

# Seconds and bytes on one core of an AMD EPYC (docs/cluster.md says how they were measured), for
# 100 topics and the 76.9 tokens of a document of arXiv's abstracts.
COMPUTE = {"gibbs": 27e-6, "vb": 13e-6}  # a document
PACK = {"gibbs": 1.5e-9, "vb": 3.4e-9}  # a byte before compression
UNPACK_AND_FOLD = {"gibbs": 0.85e-9, "vb": 1.6e-9}  # the same
COMPRESSED = {"gibbs": 0.85, "vb": 0.27}  # of the bytes
# Distinct words of so many documents, of a vocabulary of 10,000.
WORDS = [(64, 1760), (256, 3792), (1024, 6600), (4096, 9030), (16384, 9867), (65536, 9984)]


def words(documents, vocabulary):
    """Distinct words of a minibatch: as in arXiv, where a larger vocabulary is met later."""
    documents = documents * 10000 / vocabulary
    before = (0, 0)
    for at in WORDS:
        if documents <= at[0]:
            share = (documents - before[0]) / (at[0] - before[0])
            return (before[1] + share * (at[1] - before[1])) * vocabulary / 10000
        before = at
    return vocabulary


class Costs:
    def __init__(self, a):
        raw = 4 * a.topics * words(a.minibatch, a.vocabulary)
        self.compute = COMPUTE[a.primitive] * a.minibatch * a.topics / 100
        self.pack = PACK[a.primitive] * raw
        self.fold = UNPACK_AND_FOLD[a.primitive] * raw
        self.bytes = COMPRESSED[a.primitive] * raw
        self.transaction = a.transaction
        self.network = a.network
        self.documents = a.minibatch
        self.own_core = a.cores > 1  # for the fold


def model(costs, workers):
    """Documents a second, and what is full."""
    cycle = costs.compute + costs.pack + costs.transaction + costs.fold
    if not costs.own_core:
        cycle += (workers - 1) * costs.fold
    limits = {"workers": workers / cycle,
              "fold": 1 / costs.fold,
              "network": costs.network / (workers * costs.bytes)}
    what = min(limits, key=limits.get)
    return costs.documents * limits[what], what


def simulate(costs, workers, deltas):
    """Documents a second and mean staleness, after a start that is left out."""
    ready = [(costs.compute * (1 + i / workers), i) for i in range(workers)]  # not in step
    heapq.heapify(ready)
    network_free = 0.0
    view_free = [0.0] * workers  # when a worker's view has folded all that was sent so far
    folded = [[] for _ in range(workers)]  # times at which its view had 1, 2, ... deltas
    started_with = [0] * workers
    staleness = []
    times = []
    for n in range(deltas):
        time, worker = heapq.heappop(ready)
        committed = time + costs.pack + costs.transaction
        sent = max(committed, network_free)
        network_free = sent + workers * costs.bytes / costs.network
        staleness.append(n - started_with[worker])
        for w in range(workers):
            arrives = sent + (w + 1) * costs.bytes / costs.network
            view_free[w] = max(view_free[w], arrives) + costs.fold
            folded[w].append(view_free[w])
        begins = folded[worker][-1]  # its own delta is in its view
        started_with[worker] = sum(1 for t in folded[worker][-4 * workers:] if t <= begins) + max(
            0, len(folded[worker]) - 4 * workers)
        extra = 0 if costs.own_core else (workers - 1) * costs.fold
        heapq.heappush(ready, (begins + costs.compute + extra, worker))
        times.append(committed)
    half = deltas // 2
    rate = (deltas - half) / (times[-1] - times[half - 1])
    return costs.documents * rate, sum(staleness[half:]) / (deltas - half)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--minibatch", type=int, default=4096)
    parser.add_argument("--vocabulary", type=int, default=10000)
    parser.add_argument("--primitive", choices=sorted(COMPUTE), default="gibbs")
    parser.add_argument("--network", type=float, default=1.25e9, help="bytes a second that the brokers send")
    parser.add_argument("--transaction", type=float, default=0.02, help="seconds")
    parser.add_argument("--cores", type=int, default=2, help="of a worker: with 1, folding takes from computing")
    parser.add_argument("--workers", default="1,2,4,8,16,32,64,128")
    a = parser.parse_args()
    costs = Costs(a)
    print("a delta: %.2f MB, %.0f bytes a document; compute %.0f ms, pack %.1f ms, fold %.1f ms" % (
        costs.bytes / 1e6, costs.bytes / a.minibatch, 1e3 * costs.compute, 1e3 * costs.pack, 1e3 * costs.fold))
    print("| workers | model, documents/s | full | simulation, documents/s | of one worker's, times | staleness |")
    print("|---|---|---|---|---|---|")
    one = simulate(costs, 1, 200)[0]
    for workers in map(int, a.workers.split(",")):
        rate, full = model(costs, workers)
        simulated, stale = simulate(costs, workers, 200 * workers)
        print("| %d | %.0f | %s | %.0f | %.1f | %.1f |" % (workers, rate, full, simulated, simulated / one, stale))


if __name__ == "__main__":
    main()
