"""Progress of a study: runs done, remaining time, failures so far."""

from __future__ import annotations

import sys
import time
from typing import IO, Iterable

from .results import Result

_EVERY = {True: 0.2, False: 15.0}  # seconds between lines, on a terminal and in a log


def duration(seconds: float) -> str:
    """3 s, 4 min 10 s, 2 h 5 min."""
    s = int(round(seconds))
    if s < 60:
        return f"{s} s"
    return f"{s // 60} min {s % 60} s" if s < 3600 else f"{s // 3600} h {s % 3600 // 60} min"


class Progress:
    """Prints to standard error: one line that is rewritten on a terminal, a line now and then elsewhere."""

    def __init__(self, counts: dict[str, int], quiet: bool = False, stream: IO[str] | None = None):
        """counts: those of the store when the work begins or goes on."""
        self.total, self.done = counts["runs"], counts["runs"] - counts["planned"]
        self.at_start, self.misses, self.failures = self.done, counts["misses"], counts["failed"] + counts["timeout"]
        self.last_message = ""
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty()
        self._quiet, self._begin, self._shown = quiet, time.monotonic(), time.monotonic()

    def count(self, results: Iterable[Result]) -> None:
        for r in results:
            self.done += 1
            if r.status != "done":
                self.failures += 1
                self.last_message = f"run {r.index}: {r.message}"
            elif r.success is False:
                self.misses += 1
        self.show()

    def line(self) -> str:
        elapsed, now = time.monotonic() - self._begin, self.done - self.at_start
        left = f", {duration(elapsed / now * (self.total - self.done))} left" if now and self.done < self.total else ""
        missed = f", {self.misses} without success" if self.misses else ""
        last = f" (last: {self.last_message[:100]})" if self.last_message else ""
        failed = f", {self.failures} failed{last}" if self.failures else ""
        return f"{self.done} of {self.total} runs{left}{missed}{failed}"

    def show(self, end: bool = False) -> None:
        now = time.monotonic()
        if self._quiet or not end and now - self._shown < _EVERY[self._terminal]:
            return
        self._shown = now
        if self._terminal:
            print(f"\r\033[K{self.line()}", end="\n" if end else "", file=self._stream, flush=True)
        else:
            print(self.line(), file=self._stream, flush=True)
