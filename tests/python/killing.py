"""Kills of a study at random moments, counted by kind, and what every store has to show afterwards."""

import os
import random
import signal
import sqlite3
import time
from pathlib import Path

from holdfast.study import Store


class Strikes:
    """A list of kills in random order that has every kind equally often. ``each``: how often. Prints its seed and its counts."""

    def __init__(self, kinds, each):
        seed = int.from_bytes(os.urandom(4), "big")
        print("seed", seed)
        self.each, self.counts = each, dict.fromkeys(kinds, 0)
        self.random = random.Random(seed)
        self._waiting = [kind for kind in kinds for _ in range(each)]
        self.random.shuffle(self._waiting)

    @property
    def next(self):
        """The kind that comes next; None when all are done."""
        return self._waiting[-1] if self._waiting else None

    def pause(self, shortest, longest):
        time.sleep(self.random.uniform(shortest, longest))

    def count(self):
        """The next kill was done. One that found nothing to kill is not counted and stays the next."""
        self.counts[self._waiting.pop()] += 1

    def check(self):
        print("kills:", ", ".join(f"{n} of {kind}" for kind, n in self.counts.items()))
        assert set(self.counts.values()) == {self.each}


def end_process(pid):
    """kill -9; False where the process had ended."""
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def children(pid):
    """The processes that a process has started and that have not ended."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(c) for c in path.read_text().split()]
        except OSError:
            pass
    return [c for c in found if alive(c)]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def remove_store(path):
    for end in ("", "-wal", "-shm", "-journal", ".new"):
        Path(f"{path}{end}").unlink(missing_ok=True)


def finished(path):
    """The numbers of the runs that have a result."""
    if not path.exists():
        return set()
    store = Store(path)
    done = {r["index"] for r in store.rows() if r["status"] != "planned"}
    store.close()
    return done


def check_none_ran_twice(path, log):
    """No run began after its result was stored. A line of the log is the number of a run and the time when it began."""
    db = sqlite3.connect(path)
    stored = dict(db.execute("SELECT idx, finished FROM run"))
    db.close()
    for line in Path(log).read_text().splitlines():
        run, began = line.split()
        assert float(began) <= stored[int(run)], f"run {run} was run again after it was stored"
