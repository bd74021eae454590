"""Threads, and models as bytes."""

import atexit
import os
import tempfile
import threading
import weakref
from contextlib import contextmanager

from . import _sdabayes
from ._names import whole


def threads_of(n_jobs):
    """Threads of the library's context (0: one for each processor), from scikit-learn's n_jobs."""
    if n_jobs is None:
        return 0
    if whole("n_jobs", n_jobs) == 0:
        raise ValueError("n_jobs is 0, must be positive, negative or None")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def _forget_locks():
    global _guard, _locks
    _guard, _locks = threading.Lock(), weakref.WeakKeyDictionary()


_forget_locks()
os.register_at_fork(after_in_child=_forget_locks)  # whoever held one is not there
os.register_at_fork(after_in_child=_sdabayes._forget_calls)
atexit.register(_sdabayes._end_calls)  # of daemon threads


def lock_of(estimator):
    """Other threads wait while the first call of partial_fit makes the model."""
    with _guard:
        return _locks.setdefault(estimator, threading.Lock())


def path_of(path):
    """A path as the library takes it."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"path is {path!r}, must be a text or a path") from None
    if "\0" in text:
        raise ValueError(f"path is {text!r}, which has a null character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"path is {text!r}, must be UTF-8") from None
    return text


def bytes_of(save):
    """The file that save(path) writes, and what it returns."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        returned = save(path)
        with open(path, "rb") as file:
            return file.read(), returned


@contextmanager
def file_of(content):
    """The path of a file with these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        with open(path, "wb") as file:
            file.write(content)
        yield path
