"""Runs on a Ray cluster: tasks of many runs each; the driver alone writes the store.

A cluster that is there is used (RAY_ADDRESS, or one that ``ray start`` began on this machine), otherwise a local one is
started. Inside a task a worker process executes the runs, as in the local engine, so that limits of time and crashes mean the
same. A task whose Ray worker or node dies comes back to the queue; Ray itself tries nothing again.
"""

from __future__ import annotations

import logging
import select
import time
from typing import Any, Generator

from .draw import Run
from .errors import StudyError
from .results import Result
from .tasks import Queue, Task, task_size
from .worker import Worker, WorkerDied

PAUSE = 0.1  # the driver hears of results at least so often [s]
_workers: dict[str, Worker] = {}  # in a Ray worker: its child process, by the hash of the study


def execute(study: dict, name: str, pieces: list[list[tuple]], limit: float) -> list[tuple[str, Any]]:
    """In a Ray worker: executes runs, piece by piece, in a child process that later tasks use too. For each piece
    ("results", list), ("death", how), ("timeout", None) or ("refused", why). limit: time of the clock for a run [s]."""
    return [_execute_piece(study, name, [Run(*r) for r in piece], limit * len(piece)) for piece in pieces]


def _execute_piece(study: dict, name: str, runs: list[Run], limit: float) -> tuple[str, Any]:
    from .spec import Study

    worker = _workers.get(name)
    if worker is None or worker.process.poll() is not None:
        worker = _workers[name] = Worker(Study.from_dict(study))
    try:
        worker.start(True, runs, limit)
        while time.monotonic() < worker.deadline:
            if select.select([worker], [], [], min(1.0, max(0.0, worker.deadline - time.monotonic())))[0]:
                results = worker.receive()
                if results is not None:
                    return "results", [tuple(r) for r in results]
        _workers.pop(name).kill()
        return "timeout", None
    except WorkerDied as death:
        _workers.pop(name).kill()
        return "death", str(death)
    except StudyError as error:
        return "refused", str(error)


def _connect() -> Any:
    try:
        import ray
    except ImportError:
        raise StudyError("engine ray needs the Python package ray: pip install ray") from None
    if not ray.is_initialized():
        try:
            ray.init(address="auto", log_to_driver=False, logging_level=logging.WARNING)
        except ConnectionError:
            ray.init(log_to_driver=False, logging_level=logging.WARNING, include_dashboard=False)
    return ray


def _pieces(study: Any, task: Task) -> list[tuple[Run, ...]]:
    """Runs that share a batch stay together; others are executed one by one, so that the one at fault is known."""
    return [task.runs] if study.kind == "scene" else [(run,) for run in task.runs]


def results(study: Any, runs: list[Run], workers: int, size: int | None) -> Generator[list[Result], None, None]:
    """Results as they come. workers: how many tasks at a time; 0: one a processor of the cluster."""
    ray = _connect()
    remote = ray.remote(max_retries=0, num_cpus=1)(execute)
    count = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    wanted = size or (None if study.kind == "scene" else max(1, min(16, len(runs) // (4 * count))))
    queue = Queue(study, runs, task_size(study, len(runs), count, wanted))
    shared = ray.put(study.to_dict())
    active: dict[Any, Task] = {}
    try:
        while queue.waiting or active:
            while queue.waiting and len(active) < 2 * count:
                task = queue.waiting.popleft()
                pieces = [[tuple(r) for r in piece] for piece in _pieces(study, task)]
                active[remote.remote(shared, study.hash, pieces, study.limit("time"))] = task
            done, _ = ray.wait(list(active), num_returns=len(active), timeout=PAUSE)
            yield [result for reference in done for result in _take(ray, study, reference, active.pop(reference), queue)]
    finally:
        for reference in active:
            ray.cancel(reference, force=True)


def _take(ray: Any, study: Any, reference: Any, task: Task, queue: Queue) -> list[Result]:
    try:
        outcomes = ray.get(reference)
    except ray.exceptions.RayTaskError as error:  # not a run, but what executes runs
        cause = str(error).strip().splitlines()[-1]
        raise StudyError(f"Ray's workers cannot run a study, every node needs this version of the package holdfast: {cause}") from None
    except ray.exceptions.RayError as error:
        return queue.after_loss(task, f"the Ray worker or its node ended ({type(error).__name__})")
    results: list[Result] = []
    for runs, (kind, content) in zip(_pieces(study, task), outcomes):
        piece = task._replace(runs=runs)
        if kind == "refused":
            raise StudyError(content)
        if kind == "timeout":
            results += queue.after_timeout(piece)
        else:
            results += queue.after_death(piece, content) if kind == "death" else [Result(*r) for r in content]
    return results
