"""Running a study: the one process that writes the store, and the local engine."""

from __future__ import annotations

import os
import selectors
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any, Callable, Generator

from .._core import HoldfastError
from .draw import Run
from .errors import StudyError
from .progress import Progress
from .results import Result
from .spec import Study
from .store import Lock, Store
from .tasks import Queue, task_size
from .worker import Worker, WorkerDied, make_runner

Results = Generator[list[Result], None, None]  # as they come
Engine = Callable[[Study, list[Run], int, "int | None"], Results]


LATE = 1.0  # a driver that hears so much later than it wanted to was stopped itself (SIGSTOP, a suspended job, a closed laptop) [s]
PAUSE = 0.1  # an engine yields at least after this time [s], even an empty list, so that the driver can write what it has
_WRITE_EVERY = 0.05  # time between transactions [s], because each waits for the disk


class Interrupted(Exception):
    """SIGINT or SIGTERM ended the run; what was finished is stored."""


class Interrupts:
    """Turns SIGINT and SIGTERM into Interrupted: at once while the driver waits, after the transaction while it writes."""

    def __init__(self) -> None:
        self.writing = self.asked = False
        try:
            self._before = {n: signal.signal(n, self._handle) for n in (signal.SIGINT, signal.SIGTERM)}
        except ValueError:
            self._before = {}  # not the main thread: the program decides

    def _handle(self, number: int, frame: Any) -> None:
        self.asked = True
        if not self.writing:
            raise Interrupted()

    def write(self, work: Callable[[], None]) -> None:
        self.writing = True
        try:
            work()
        finally:
            self.writing = False
        if self.asked:
            raise Interrupted()

    def release(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def processors() -> int:
    """Processors that this process may use; in a Slurm job those of the task."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ---- the local engine ---------------------------------------------------------------------------------------


class LocalPool:
    """Worker processes of this machine. Yields results as they come; ends all its workers, whatever happens."""

    def __init__(self, study: Study, queue: Queue, workers: int):
        self.study, self.queue, self.count = study, queue, workers
        self.selector = selectors.DefaultSelector()
        self.workers: set[Worker] = set()
        self.heard = time.monotonic()  # when the workers were last heard

    def results(self) -> Results:
        try:
            while self.queue.waiting or any(w.task for w in self.workers):
                yield self._give_work()
                yield [result for batch in self._hear() for result in batch]
        finally:
            for worker in list(self.workers):
                self._drop(worker)
            self.selector.close()

    def _give_work(self) -> list[Result]:
        """Hands waiting tasks to workers. Returns the rows of runs whose workers die again and again before they begin."""
        rows: list[Result] = []
        idle = [w for w in self.workers if w.task is None]
        while self.queue.waiting and (idle or len(self.workers) < self.count):
            worker = idle.pop() if idle else self._hire()
            task = self.queue.waiting.popleft()
            try:
                worker.start(task, list(task.runs), self.queue.limit(task))
            except WorkerDied as death:
                if worker.ready:  # it died between two tasks: the task has not begun
                    self.queue.waiting.appendleft(task)
                else:
                    rows += self.queue.after_death(task, str(death))
                self._drop(worker)
        return rows

    def _hire(self) -> Worker:
        worker = Worker(self.study)
        self.workers.add(worker)
        self.selector.register(worker, selectors.EVENT_READ)
        return worker

    def _drop(self, worker: Worker) -> None:
        self.selector.unregister(worker)
        self.workers.discard(worker)
        worker.kill()

    def _grant_lost_time(self) -> None:
        """Limits count running time: what the driver slept through, its workers did too, so that their deadlines move by it."""
        now = time.monotonic()
        lost = now - self.heard - PAUSE
        self.heard = now
        if lost > LATE:
            for worker in self.workers:
                worker.deadline += lost

    def _hear(self) -> Results:
        patience = max(0.0, min([w.deadline for w in self.workers], default=0) - time.monotonic())
        for key, _ in self.selector.select(min(patience, PAUSE)):
            worker: Any = key.fileobj
            try:
                yield worker.receive() or []
            except WorkerDied as death:
                task = worker.task
                self._drop(worker)
                yield self.queue.after_death(task, str(death)) if task else []
        self._grant_lost_time()
        for worker in [w for w in self.workers if time.monotonic() > w.deadline]:
            task = worker.task
            self._drop(worker)
            yield self.queue.after_timeout(task)


def local_engine(study: Study, runs: list[Run], workers: int, size: int | None) -> Results:
    """Runs on the processors of this machine."""
    workers = min(workers or processors(), max(1, len(runs)))
    return LocalPool(study, Queue(study, runs, task_size(study, len(runs), workers, size)), workers).results()


def ray_engine(study: Study, runs: list[Run], workers: int, size: int | None) -> Results:
    """Runs on a Ray cluster."""
    from .ray import results

    return results(study, runs, workers, size)


ENGINES: dict[str, Engine] = {"local": local_engine, "ray": ray_engine}


# ---- the driver ---------------------------------------------------------------------------------------------


def model_hash(study: Study) -> str:
    """The hash of the scene or of the function's file; refuses a study whose paths, names or functions are wrong."""
    runner = make_runner(study)
    if study.kind == "function":
        return runner.model
    if study.kind != "scene" or not study.plan:
        return ""
    from .scene import Group, forget_models, load_model

    forget_models()  # the file may have changed since this process read it
    group = Group(study, runner.changes, study.plan[0])
    varied = {c.head for c in runner.changes} & {"scene", "xml"}
    if "scene" in varied:
        return ""  # every run has its own model, and a row its hash; a scene that is refused is a row
    try:
        model, digest = load_model(study, group)
        runner.check(group, model, study.plan[0])
    except HoldfastError as error:
        if varied:
            return ""  # it is the value of this run that is refused, and that is a row
        raise StudyError(str(error)) from None
    except (KeyError, ValueError, OSError) as error:
        raise StudyError(str(error.args[0] if isinstance(error, KeyError) else error)) from None
    return "" if varied else digest


def default_store(study: Study, shard: tuple[int, int] | None = None) -> Path:
    """Where a study is stored unless the user says otherwise: NAME.db in the present folder."""
    return Path(f"{study.name}.shard-{shard[0]}-of-{shard[1]}.db" if shard else f"{study.name}.db")


def run_study(study: Study, store: str | os.PathLike | None = None, *, engine: str = "local", workers: int = 0,
              shard: tuple[int, int] | None = None, size: int | None = None, quiet: bool = True, retry: bool = False) -> Store:
    """Runs what has no result yet and records it. Returns the store, closed for writing and open for reading.

    engine: local or ray. workers: 0 for one a processor. shard: (i, n) for every n-th run from the i-th. size: runs in a
    task. retry: run again what failed. Interrupted or killed at any moment, a second call goes on.
    """
    if engine not in ENGINES:
        raise StudyError(f'there is no engine "{engine}"; there are: {", ".join(ENGINES)}')
    if shard is not None and not 1 <= shard[0] <= shard[1]:
        raise StudyError(f"shard must be i/n with 1 <= i <= n, is {shard[0]}/{shard[1]}")
    if workers < 0 or (size is not None and size < 1):
        raise StudyError(f"workers must be at least 0 and size at least 1, are {workers} and {size}")
    path = Path(store) if store is not None else default_store(study, shard)
    model = model_hash(study)
    lock = Lock(path)
    try:
        opened = Store.create(path, study, shard, model)
        try:
            if retry:
                opened.forget_failures()
            _drive(opened, study, ENGINES[engine], workers, size, quiet)
        finally:
            opened.close()
    finally:
        lock.release()
    return Store(path)


def _drive(store: Store, study: Study, engine: Engine, workers: int, size: int | None, quiet: bool) -> None:
    runs = store.planned()
    progress = Progress(store.counts(), quiet)
    if not runs:
        return
    interrupts = Interrupts()
    results = engine(study, runs, workers, size)
    try:
        _record(store, results, interrupts, progress)
    except sqlite3.Error as error:
        raise StudyError(f"cannot write {store.path}: {error}; what was stored stays, and resume goes on from there") from None
    finally:
        interrupts.release()
        results.close()
        progress.show(end=True)


def _record(store: Store, results: Results, interrupts: Interrupts, progress: Progress) -> None:
    """Writes results as they come. Results that come close together are written in one transaction."""
    waiting: list[Result] = []
    written = 0.0

    def write() -> None:
        nonlocal waiting, written
        interrupts.write(lambda: store.add(waiting))
        progress.count(waiting)
        waiting, written = [], time.monotonic()

    try:
        for batch in results:
            waiting += batch
            if waiting and time.monotonic() - written > _WRITE_EVERY:
                write()
    finally:
        if waiting:
            write()
