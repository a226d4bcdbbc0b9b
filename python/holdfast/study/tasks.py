"""The queue of tasks, the same for every engine. It decides which runs are tried again and which have failed.

A task is a list of runs. If a worker dies or a task takes too long, its runs are tried again: first the whole task once, then
run by run, so that one bad run does not spoil the others. If a worker dies with a single run, this run is tried up to
``limits.attempts`` times; then it has failed. A single run that takes longer than ``limits.time`` has failed at once. A failed
run becomes a row of the results with its message. If a task is lost with its machine, the same task is tried again.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from .draw import Run
from .results import Result, failed


_MOST_LOSSES = 50  # A task that is lost more often than this has failed: the cluster is of no use.


class Task(NamedTuple):
    runs: tuple[Run, ...]
    attempt: int = 1
    losses: int = 0  # how often the machine or the cluster's own process under it was lost


class Queue:
    """Tasks that wait, and what becomes of those that fail."""

    def __init__(self, study: Any, runs: list[Run], size: int):
        self.study = study
        self.waiting: deque[Task] = deque(Task(tuple(runs[i:i + size])) for i in range(0, len(runs), size))

    def limit(self, task: Task) -> float:
        """Time of the clock that a task may take [s]."""
        return self.study.limit("time") * len(task.runs)

    def after_timeout(self, task: Task) -> list[Result]:
        """Rows that a task which took too long leaves at once; otherwise its runs wait again, one by one."""
        if len(task.runs) > 1:
            self._split(task)
            return []
        limit = self.study.limit("time")
        return [failed(task.runs[0].index, f"took longer than {limit:g} s (limits.time) and was ended", "timeout")]

    def after_death(self, task: Task, message: str) -> list[Result]:
        """The same where the worker of a task died."""
        if len(task.runs) == 1 and task.attempt >= self.study.limit("attempts"):
            return [failed(task.runs[0].index, f"{message}, {task.attempt} times")]
        if len(task.runs) > 1 and task.attempt > 1:
            self._split(task)
        else:
            self.waiting.append(task._replace(attempt=task.attempt + 1))
        return []

    def after_loss(self, task: Task, message: str) -> list[Result]:
        """The same where the cluster lost a task: its own process or a machine ended, which says nothing about the runs."""
        if task.losses >= _MOST_LOSSES:
            return [failed(run.index, f"{message}, {task.losses} times") for run in task.runs]
        self.waiting.append(task._replace(losses=task.losses + 1))
        return []

    def _split(self, task: Task) -> None:
        self.waiting.extend(Task((run,)) for run in task.runs)


def task_size(study: Any, runs: int, workers: int, wanted: int | None) -> int:
    """Runs in a task: many where they share a batch, few enough that all workers have work to the end."""
    if wanted:
        return wanted
    if study.kind != "scene":
        return 1
    return max(1, min(128, -(-runs // (8 * workers))))
