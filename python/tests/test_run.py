"""The loop with a primitive written in Python."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import sdabayes


def gamma(times, prior):
    """Waiting times are exponential, their rate Gamma(a, b)."""
    return prior + [len(times), times.sum()]


def stream(minibatches=40):
    random = np.random.default_rng(1)
    return [random.exponential(0.4, 50) for _ in range(minibatches)]


EXPECTED = [1 + 2000, 1 + sum(times.sum() for times in stream())]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"schedule": "sync", "workers": 3},
        {"schedule": "async", "workers": 4},
        {"schedule": "async", "workers": 4, "worker_prior": "fixed"},
    ],
)
def test_every_schedule_gives_the_posterior_of_an_exact_primitive(options):
    result = sdabayes.run(gamma, [1, 1], stream(), **options)
    assert np.allclose(result.posterior, EXPECTED)
    assert result.summary["minibatches"] == 40
    assert result.summary["items"] == 2000


def test_primitives_in_processes():
    result = sdabayes.run(gamma, [1, 1], stream(8), schedule="async", workers=2, processes=True)
    assert np.isclose(result.posterior[0], 401)


def test_generators_are_read_once_and_shapes_are_kept():
    def count(data, prior):
        return prior + np.bincount(data, minlength=4).reshape(2, 2)

    result = sdabayes.run(count, np.ones((2, 2)), (np.array([i % 4]) for i in range(100)))
    assert np.array_equal(result.posterior, np.full((2, 2), 26))


def test_items_are_the_rows_of_the_first_array_of_a_tuple():
    pairs = [(np.ones((7, 2)), np.ones(7)), (np.ones((5, 2)), np.ones(5))]
    result = sdabayes.run(lambda data, prior: prior + len(data[1]), [0.0], pairs)
    assert result.summary["items"] == 12 and result.posterior[0] == 12


def drift(times, prior):
    """One that depends on the order of the minibatches to the last bit."""
    return prior * 1.01 + [len(times), np.sin(prior[0]) + times.sum()]


@pytest.mark.parametrize("options", [{}, {"schedule": "sync", "workers": 3}])
def test_a_run_that_stopped_goes_on_from_its_checkpoint_bit_for_bit(tmp_path, options):
    whole = sdabayes.run(drift, [1, 1], stream(), **options).posterior
    folder = {"checkpoint": tmp_path / "run", "checkpoint_every": 3, **options}

    def dies(first):
        yield from stream()[first:20]
        time.sleep(0.5)  # checkpoints are written in the background
        raise OSError("the stream broke")

    with pytest.raises(OSError, match="broke"):
        sdabayes.run(drift, [1, 1], dies, **folder)
    asked = []

    def again(first):
        asked.append(first)
        return stream()[first:]

    result = sdabayes.run(drift, [1, 1], again, resume=True, **folder)
    assert 0 < asked[0] <= 20
    assert np.array_equal(result.posterior, whole)
    assert result.summary["minibatches"] == 40 and result.summary["items"] == 2000
    ended = sdabayes.run(drift, [1, 1], stream(), resume=True, **folder)  # nothing is left
    assert np.array_equal(ended.posterior, whole)


def test_an_async_run_resumes_with_every_minibatch_once(tmp_path):
    folder = {"checkpoint": tmp_path / "run", "checkpoint_every": 1, "schedule": "async", "workers": 3}
    sdabayes.run(gamma, [1, 1], stream()[:25], **folder)
    result = sdabayes.run(gamma, [1, 1], stream(), resume=True, **folder)
    assert np.allclose(result.posterior, EXPECTED)


def test_checkpoints_of_another_run_are_refused(tmp_path):
    folder = tmp_path / "run"
    sdabayes.run(gamma, [1, 1], stream(4), checkpoint=folder)
    with pytest.raises(ValueError, match="run"):
        sdabayes.run(gamma, [1, 1], stream(4), checkpoint=folder)
    with pytest.raises(ValueError, match="prior"):
        sdabayes.run(gamma, [1, 2], stream(4), checkpoint=folder, resume=True)
    with pytest.raises(ValueError, match="stream ended before minibatch 4"):
        sdabayes.run(gamma, [1, 1], stream(2), checkpoint=folder, resume=True)


INTERRUPTED = """
import sys, time
import sdabayes
def slow(data, prior):
    time.sleep(0.05)
    return prior + data
def numbers(first):
    for i in range(first, 10_000):
        print(i, flush=True)
        yield i
sdabayes.run(slow, [0.0], numbers, checkpoint=sys.argv[1])
"""


def test_ctrl_c_saves_what_was_learnt(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, tmp_path / "run"], stdout=subprocess.PIPE, text=True
    )
    while process.stdout.readline() != "10\n":
        pass
    process.send_signal(signal.SIGINT)
    given = 10 + len(process.stdout.readlines())  # the last one may not have been learnt
    assert process.wait() != 0
    result = sdabayes.run(
        lambda data, prior: prior, [0.0], lambda first: [], checkpoint=tmp_path / "run", resume=True
    )
    learnt = result.summary["minibatches"]
    assert given <= learnt <= given + 1
    assert result.posterior[0] == sum(range(learnt))


IN_PROCESSES = """
import os, sys, time
import sdabayes
def slow(data, prior):
    time.sleep(0.1)
    print(os.getpid(), data, flush=True)
    return prior + data
if __name__ == "__main__":
    numbers = lambda first: iter(range(first, 10_000))
    sdabayes.run(slow, [0.0], numbers, schedule="async", workers=2, processes=True, checkpoint=sys.argv[1])
"""


def test_ctrl_c_in_a_terminal_leaves_the_processes_what_they_are_at_work_on(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(IN_PROCESSES)
    process = subprocess.Popen(
        [sys.executable, program, tmp_path / "run"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    done = [process.stdout.readline().split()]
    while len({pid for pid, _ in done}) < 2:  # until both have begun
        done.append(process.stdout.readline().split())
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    done = [int(number) for _, number in [*done, *(line.split() for line in out.splitlines())]]
    assert process.returncode != 0 and err.count("Traceback") == 1
    result = sdabayes.run(
        lambda data, prior: prior, [0.0], lambda first: [], schedule="async", workers=2,
        checkpoint=tmp_path / "run", resume=True,
    )  # fmt: skip
    assert result.summary["minibatches"] == len(done)
    assert result.posterior[0] == sum(done)


WAITS = """
import sys, time
import sdabayes
def numbers():
    yield 1.0
    print("waits", flush=True)
    time.sleep(1000)
try:
    sdabayes.run(lambda data, prior: prior + data, [0.0], numbers())
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
"""


def test_ctrl_c_does_not_wait_for_the_stream():
    process = subprocess.Popen([sys.executable, "-c", WAITS], stdout=subprocess.PIPE, text=True)
    while process.stdout.readline() != "waits\n":
        pass
    sent = time.time()
    process.send_signal(signal.SIGINT)
    ended = float(process.stdout.readline().removeprefix("interrupted "))
    assert process.wait(30) == 0
    assert ended - sent < 5  # a second on a machine that does nothing else


def test_the_observer_sees_the_run_and_half_life_forgets():
    seen = []
    result = sdabayes.run(gamma, [1, 1], stream(), half_life=1000, observer=seen.append)
    assert [s["minibatches"] for s in seen[:40]] == list(range(1, 41))
    assert result.posterior[0] < 1500


def test_what_the_primitive_raises_is_raised():
    def bad(data, prior):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        sdabayes.run(bad, [1], stream())
    with pytest.raises(KeyError, match="mine"):
        sdabayes.run(bad, [1], stream(), schedule="async", workers=3)

    def broken():
        yield np.ones(3)
        raise OSError("the stream broke")

    with pytest.raises(OSError, match="the stream broke"):
        sdabayes.run(gamma, [1, 1], broken())


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"primitive": 5}, "primitive is 5"),
        ({"prior": [np.nan, 1]}, "prior"),
        ({"primitive": lambda data, prior: [1.0]}, "returned 1 numbers, must return 2"),
        ({"primitive": lambda data, prior: [np.inf, 1]}, "not finite, at 0"),
        ({"stream": 5}, "stream is 5"),
        ({"resume": True}, "checkpoint is None"),
        ({"schedule": "sometimes"}, "schedule is sometimes"),
        ({"schedule": None}, "schedule is None"),
        ({"worker_prior": 5}, "worker_prior is 5"),
        ({"half_life": "long"}, "half_life is 'long'"),
        ({"observer": 5}, "observer is 5"),
        ({"prior": "a"}, "prior is not an array of numbers"),
        ({"primitive": lambda data, prior: "a"}, "primitive returned is not an array of numbers"),
        ({"checkpoint": "a\0b"}, "path is"),
        ({"workers": 2**40}, "workers is 1099511627776, must be below"),
        ({"worker_prior": "any"}, "worker_prior is any"),
        ({"workers": 0}, "workers"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    given = {"primitive": gamma, "prior": [1, 1], "stream": stream(2)} | arguments
    with pytest.raises((ValueError, TypeError), match=message):
        sdabayes.run(**given)
