"""The framework itself, with a primitive written in Python."""

import hashlib
import itertools
import multiprocessing
import numbers
import queue
import signal
import threading
from collections import namedtuple
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from . import _sdabayes
from ._names import python_names, whole
from ._process import path_of

RunResult = namedtuple("RunResult", ["posterior", "summary"])
RunResult.__doc__ = """What sdabayes.run returns.

posterior: natural parameters, of the shape of the prior. summary: a dict with minibatches, items,
seconds, computing_seconds, staleness_mean, staleness_max and stopped.
"""


def _minibatches(stream, first):
    """An iterator of them that begins with the one of this number."""
    if callable(stream):
        return iter(stream(first))
    try:
        minibatches = iter(stream)
    except ValueError as error:  # a file that is closed
        raise ValueError(f"stream cannot be read: {error}") from error
    if sum(1 for _ in itertools.islice(minibatches, first)) < first:
        raise ValueError(f"stream ended before minibatch {first}, from which the run resumes")
    return minibatches


def _leave_interrupts():
    """Ctrl-C in a terminal goes to all processes; what those of the pool are at work on is not lost."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _array(name, value):
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} is not an array of numbers: {error}") from None


class _Reader:
    """Iterates on a thread of its own, so that Ctrl-C need not wait for a stream that does."""

    def __init__(self, minibatches, stopped):
        self._minibatches = minibatches
        self._stopped = stopped
        self._wanted, self._read = queue.SimpleQueue(), queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def __iter__(self):
        return self

    def __next__(self):
        self._wanted.put(True)
        while not self._stopped.is_set():
            try:
                minibatch, error = self._read.get(timeout=0.1)
            except queue.Empty:
                continue
            if error is not None:
                raise error
            return minibatch
        raise StopIteration

    def close(self):
        self._wanted.put(False)

    def _work(self):
        while self._wanted.get():
            try:
                self._read.put((next(self._minibatches), None))
            except BaseException as error:
                self._read.put((None, error))


def run(
    primitive,
    prior,
    stream,
    *,
    schedule="serial",
    workers=1,
    worker_prior="latest",
    half_life=0,
    processes=False,
    observer=None,
    checkpoint=None,
    checkpoint_every=None,
    resume=False,
):
    """Streams minibatches through a primitive A(data, prior) -> posterior: the prior of each is the
    posterior of what came before, and what it adds is added to the sum.

    Parameters
    ----------
    primitive : callable
        primitive(data, prior) -> posterior. Both are arrays of natural parameters, in which posteriors
        add up: for a Gaussian the precision, and precision times mean. It changes neither argument.
        It is called by several threads at once where there are several workers.
    prior : array
        Natural parameters, of any shape.
    stream : iterable, or a function
        Minibatches: whatever the primitive takes. Their lengths, where they have one, are counted; of
        a tuple that of its first array. A function is called with the number of the minibatch that
        is needed first, from 0, and returns an iterable that begins with it: a run that resumes
        then need not read those before.
    schedule : {"serial", "sync", "async"}, default "serial"
        One minibatch after the other; rounds of `workers` from one prior; or workers that do not wait
        for each other.
    workers : int, default 1
    worker_prior : {"latest", "fixed"}, default "latest"
        What a worker of schedule="async" starts from.
    half_life : float, default 0
        Items after which what was learnt counts half; 0 forgets nothing.
    processes : bool, default False
        The primitive is called in processes, since it holds the lock of the interpreter: it must be
        one that can be pickled, as must the minibatches. As with multiprocessing, a program that is a
        file needs ``if __name__ == "__main__":`` around what is not to be run by each of them.
    observer : callable
        Called with the summary after every minibatch.
    checkpoint : path
        A folder for checkpoints of the run.
    checkpoint_every : int, or a text such as "30s", the default
        Minibatches or seconds between two of them.
    resume : bool, default False
        Goes on from the last checkpoint in the folder, if there is one. The stream must have the same
        minibatches as before, from the first one on. A serial or synchronous run that was killed and
        resumed gives the posterior of one that was not, bit for bit.

    Returns
    -------
    RunResult
        At Ctrl-C it does not wait for the stream, and raises KeyboardInterrupt when the minibatches
        that the primitive is at work on are done, and have been saved if there are checkpoints.
    """
    if not callable(primitive):
        raise TypeError(f"primitive is {primitive!r}, must be a function of data and prior")
    prior = _array("prior", prior)
    if not np.isfinite(prior).all():
        raise ValueError("prior has numbers that are not finite")
    if not callable(stream) and not hasattr(stream, "__iter__"):
        raise TypeError(f"stream is {stream!r}, must be minibatches, or a function that gives them")
    if checkpoint is None and (checkpoint_every is not None or resume):
        raise ValueError("checkpoint is None: resume and checkpoint_every need a folder")
    if whole("workers", workers) < 1:
        raise ValueError(f"workers is {workers}, must be at least 1")
    for name, value in (("schedule", schedule), ("worker_prior", worker_prior)):
        if not isinstance(value, str):
            raise TypeError(f"{name} is {value!r}, must be a text")
    if not isinstance(half_life, numbers.Real):
        raise TypeError(f"half_life is {half_life!r}, must be a number")
    if observer is not None and not callable(observer):
        raise TypeError(f"observer is {observer!r}, must be a function of a summary")
    pool = None
    if processes:
        context = multiprocessing.get_context("forkserver")
        pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_interrupts)
    stopped, readers = threading.Event(), []

    def open_stream(first):
        readers.append(_Reader(_minibatches(stream, first), stopped))
        return readers[-1]

    def call(data, prior_bytes, _key):
        array = np.frombuffer(prior_bytes).reshape(prior.shape)
        posterior = pool.submit(primitive, data, array).result() if pool else primitive(data, array)
        return np.ascontiguousarray(_array("what the primitive returned", posterior))

    try:
        with python_names():
            posterior, summary = _sdabayes.run(
                call, prior.tobytes(), open_stream, stopped.set, schedule, workers,
                worker_prior, half_life, observer, "" if checkpoint is None else path_of(checkpoint),
                "" if checkpoint_every is None else str(checkpoint_every), bool(resume),
                {"prior": f"{prior.shape} {hashlib.sha256(prior.tobytes()).hexdigest()}", "half_life": str(half_life)},
            )  # fmt: skip
    finally:
        for reader in readers:
            reader.close()
        if pool:
            pool.shutdown()
    return RunResult(np.frombuffer(posterior).reshape(prior.shape).copy(), summary)
