"""Workers: child processes that execute runs, so that a run that crashes, hangs or eats all memory ends alone.

The parent sends tasks (lists of runs) as pickles through one pipe and reads results from another. A worker ends when its
parent does, however that ends: the kernel signals it, and a thread sees the end of the pipe.
"""

from __future__ import annotations

import os
import pickle
import secrets
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from queue import SimpleQueue
from typing import Any

from .draw import Run
from .errors import StudyError
from .results import Result, failed
from .scratch import mark_folders, remove_folders

_HEADER = struct.Struct("<Q")
_START = 300.0  # seconds that a process may take to import what it needs
_MOST_PRINTED = 1 << 20  # only so many bytes of what runs print are kept, so that they cannot fill the disk
_PR_SET_PDEATHSIG = 1  # option of prctl on Linux that sets the signal which a process gets when its parent ends


def make_runner(study: Any) -> Any:
    """What executes the runs of a study."""
    from .call import ExperimentRunner, FunctionRunner
    from .scene import SceneRunner

    return {"scene": SceneRunner, "function": FunctionRunner, "experiment": ExperimentRunner}[study.kind](study)


def _send(fd: int, message: Any) -> None:
    data = pickle.dumps(message)
    rest = memoryview(_HEADER.pack(len(data)) + data)
    while rest:
        rest = rest[os.write(fd, rest):]


# ---- the child ----------------------------------------------------------------------------------------------


def _read_exactly(fd: int, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = os.read(fd, count - len(data))
        if not part:
            os._exit(0)  # the parent is gone
        data += part
    return data


def _listen(fd: int, tasks: SimpleQueue) -> None:
    while True:
        (size,) = _HEADER.unpack(_read_exactly(fd, _HEADER.size))
        tasks.put(pickle.loads(_read_exactly(fd, size)))


def _end_with_parent(parent: int) -> None:
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        pass  # not Linux: the end of the pipe serves
    if os.getppid() != parent:
        os._exit(0)


def child_main(inward: int, outward: int, parent: int, mark: str) -> None:
    """The life of a worker: reads the study, then executes tasks until the parent ends. mark: stands in the names of its folders."""
    from .spec import Study

    _end_with_parent(parent)
    mark_folders(mark)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    tasks: SimpleQueue = SimpleQueue()
    threading.Thread(target=_listen, args=(inward, tasks), daemon=True).start()
    try:
        runner = make_runner(Study.from_dict(tasks.get()))
    except Exception as error:
        _send(outward, ("refused", str(error)))
        return
    _send(outward, ("ready", None))
    while True:
        runs = [Run(*r) for r in tasks.get()]
        _send(outward, ("results", [tuple(r) for r in _execute(runner, runs)]))


def _execute(runner: Any, runs: list[Run]) -> list[Result]:
    """Results of runs. Where a task raises, its runs are executed one by one, so that only the one at fault fails."""
    try:
        return runner.execute(runs)
    except Exception as error:
        if len(runs) > 1:
            return [result for run in runs for result in _execute(runner, [run])]
        text = str(error) if isinstance(error, StudyError) else f"{type(error).__name__}: {error}"
        return [failed(runs[0].index, text)]


# ---- the parent's end ---------------------------------------------------------------------------------------


class WorkerDied(Exception):
    """A worker ended in the middle of a task; the message says how."""


class Worker:
    """A child process. ``start`` gives it a task, ``receive`` reads what it has to say, ``fileno`` is to be waited on."""

    def __init__(self, study: Any):
        down_read, down_write = os.pipe()
        up_read, up_write = os.pipe()
        self._say, self._hear = down_write, up_read
        self._errors = tempfile.TemporaryFile("a+b")  # what the user's code prints: its last line explains a crash
        self._mark = secrets.token_hex(8) + "-"
        code = f"from holdfast.study.worker import child_main; child_main({down_read}, {up_write}, {os.getpid()}, {self._mark!r})"
        paths = os.pathsep.join(p for p in sys.path if p)
        environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen([sys.executable, "-c", code], pass_fds=(down_read, up_write), stdin=subprocess.DEVNULL,
                                        stdout=self._errors, stderr=self._errors, env=environment, start_new_session=True)
        os.close(down_read)
        os.close(up_write)
        os.set_blocking(up_read, False)
        self._buffer = bytearray()
        self.task: Any = None
        self.deadline = float("inf")
        self.ready, self._limit = False, 0.0  # the clock of the first task starts when the process is ready for it
        try:
            _send(self._say, study.to_dict())
        except BrokenPipeError:
            pass  # the process was killed before it read anything: start, which writes to the same pipe, says so

    def fileno(self) -> int:
        return self._hear

    def start(self, task: Any, runs: list[Run], limit: float) -> None:
        self.task, self._limit = task, limit
        self.deadline = time.monotonic() + limit + (0.0 if self.ready else _START)
        try:
            _send(self._say, [tuple(r) for r in runs])
        except BrokenPipeError:
            raise WorkerDied(self._how_it_ended()) from None

    def receive(self) -> list[Result] | None:
        """The results of the task, or None where they are not complete yet."""
        while True:
            try:
                part = os.read(self._hear, 1 << 20)
            except BlockingIOError:
                break
            if not part:
                raise WorkerDied(self._how_it_ended())
            self._buffer += part
        while (message := self._next_message()) is not None:
            kind, content = message
            if kind == "refused":
                raise StudyError(content)
            if kind == "results":
                self._end_task()
                return [Result(*r) for r in content]
            self.ready, self.deadline = True, time.monotonic() + self._limit if self.task else float("inf")
        return None

    def _next_message(self) -> Any:
        """The next whole message in the buffer, or None."""
        if len(self._buffer) < _HEADER.size:
            return None
        (size,) = _HEADER.unpack_from(self._buffer)
        if len(self._buffer) < _HEADER.size + size:
            return None
        message = pickle.loads(bytes(self._buffer[_HEADER.size:_HEADER.size + size]))
        del self._buffer[:_HEADER.size + size]
        return message

    def _end_task(self) -> None:
        self.task, self.deadline = None, float("inf")
        if os.fstat(self._errors.fileno()).st_size > _MOST_PRINTED:
            os.ftruncate(self._errors.fileno(), 0)

    def _how_it_ended(self) -> str:
        code = self.process.wait()
        self._errors.seek(0)
        lines = self._errors.read()[-2000:].decode(errors="replace").strip().splitlines()
        how = f"by signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"with exit status {code}"
        return f"the process ended {how}" + (f": {lines[-1]}" if lines else "")

    def kill(self) -> None:
        """Ends the worker and all that it started."""
        if self.process.poll() is None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        remove_folders(self._mark)
        for fd in (self._say, self._hear):
            os.close(fd)
        self._errors.close()
