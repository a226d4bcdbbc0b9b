"""Runs of a Python function, or of an experiment of the command."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time as clock
from pathlib import Path
from typing import Any, Callable

import numpy as np

from .draw import Run
from .errors import StudyError
from .expression import Expression
from .results import Result, failed
from .scratch import run_folder


class RunContext:
    """What a function that has an argument ``run`` is told: the run's number and seed, and where it may record."""

    def __init__(self, run: Run):
        self.index, self.seed, self.parameters = run.index, run.seed, run.parameters
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def folder(self) -> str:
        """A folder for the files of the run, which is made when it is asked for and removed after the run."""
        if self._folder is None:
            self._folder = run_folder()
        return self._folder.name

    @property
    def recording(self) -> str:
        """A file to record into, ``sim.record(run.recording)``; the study keeps it as ``keep.recordings`` says."""
        return os.path.join(self.folder, "run.hfr")

    def _end(self, wanted: bool) -> bytes | None:
        """Removes the folder. Returns what was recorded if it is wanted."""
        if self._folder is None:
            return None
        with self._folder:
            return Path(self.recording).read_bytes() if wanted and os.path.exists(self.recording) else None


def find_function(study: Any) -> Callable:
    """The function "module:function", looked for in the study's folder first."""
    module, _, name = study.function.partition(":")
    own = os.path.join(study.folder, *module.split(".")) + ".py"
    known = sys.modules.get(module)
    if known is not None and os.path.exists(own) and os.path.abspath(getattr(known, "__file__", None) or "") != own:
        del sys.modules[module]  # this process has a module of that name from elsewhere
    if sys.path[:1] != [study.folder]:
        sys.path.insert(0, study.folder)
    importlib.invalidate_caches()
    try:
        function = getattr(importlib.import_module(module), name or "run")
    except ImportError as error:
        raise StudyError(f'function: cannot import "{module}" from {study.folder}: {error}') from None
    except AttributeError:
        raise StudyError(f'function: module "{module}" has no function "{name or "run"}"') from None
    if not callable(function):
        raise StudyError(f'function: "{study.function}" cannot be called')
    return function


def _plain(value: Any) -> Any:
    """A number, truth value, text or list of numbers, as the store keeps it."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, np.ndarray):  # one without dimensions is a number
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, str):
        return value
    raise TypeError(f"a result must be numbers, truth values or texts, not {type(value).__name__}")


def _holds(success: Any) -> bool:
    """Whether the metric "success" says so: a truth value, a number, or a list of which all hold, as of an expression."""
    if isinstance(success, list) and success:
        return all([_holds(s) for s in success])
    if not isinstance(success, (bool, int, float)) or success != success:
        raise TypeError(f"success must be a truth value or a number, is {success!r}")
    return bool(success)


def judge(success: Expression | None, parameters: dict, metrics: dict) -> bool | None:
    """Whether a run is a success: by the study's expression, else by the metric "success", else unknown."""
    if success is None:
        return _holds(metrics["success"]) if "success" in metrics else None
    names = {k: as_array(v) for k, v in {**parameters, **metrics}.items()}
    return bool(np.all(success.evaluate({}, names)))


def as_array(value: Any) -> np.ndarray:
    if isinstance(value, (int, float)):
        return np.full((1, 1), float(value))
    if isinstance(value, list) and all(isinstance(x, (int, float)) for x in value):
        return np.array([[[float(x) for x in value]]])
    return np.full((1, 1), str(value), object)


class FunctionRunner:
    """Runs of a study's function, one after the other."""

    def __init__(self, study: Any):
        self.study = study
        self.function = find_function(study)
        self.success = Expression("success", study.success) if study.success else None
        self.model = _hash_source(self.function)
        accepted = inspect.signature(self.function).parameters
        self.extras = [n for n in ("seed", "run") if n in accepted and n not in study.parameters]

    def execute(self, runs: list[Run]) -> list[Result]:
        return [self._execute(run) for run in runs]

    def _execute(self, run: Run) -> Result:
        begin = clock.perf_counter()
        context = RunContext(run)
        extras = {"seed": run.seed, "run": context}
        try:
            value = self.function(**run.parameters, **{n: extras[n] for n in self.extras})
            metrics = {str(k): _plain(v) for k, v in (value if isinstance(value, dict) else {"value": value}).items()}
            result = Result(run.index, "done", "", judge(self.success, run.parameters, metrics), metrics)
        except Exception as error:
            result = failed(run.index, f"{type(error).__name__}: {error}{_place(error)}")
        kept = self.study.keep.get("recordings", "none")
        recording = context._end(kept == "all" or kept == "failures" and not result.good)
        return result._replace(recording=recording, wall=clock.perf_counter() - begin, model=self.model)


def _hash_source(function: Callable) -> str:
    """A hash of the file that defines the function, so that a store does not mix results of two versions of it."""
    try:
        return hashlib.sha256(Path(inspect.getsourcefile(function) or "").read_bytes()).hexdigest()[:16]
    except (OSError, TypeError):
        return ""


def _place(error: BaseException) -> str:
    """Where the user's code raised: the last frame of the traceback."""
    frames = []
    trace = error.__traceback__
    while trace:
        frames.append(trace)
        trace = trace.tb_next
    if len(frames) < 2:
        return ""
    code = frames[-1].tb_frame.f_code
    if code.co_filename == __file__:  # the function has returned: what it gave is refused
        return ""
    return f" ({os.path.basename(code.co_filename)}:{frames[-1].tb_lineno} in {code.co_name})"


def find_command() -> str | None:
    """The command holdfast: beside the package, or on the search path."""
    own = Path(__file__).parents[1] / "bin" / "holdfast"
    return os.environ.get("HOLDFAST_COMMAND") or (str(own) if own.exists() else shutil.which("holdfast"))


class ExperimentRunner:
    """Runs of an experiment of the command; the parameter ``quick`` chooses its reduced version."""

    def __init__(self, study: Any):
        self.study, self.command = study, find_command()
        self.success = Expression("success", study.success) if study.success else None
        if self.command is None:
            raise StudyError("experiment: the command holdfast is not found; put it on the search path")

    def execute(self, runs: list[Run]) -> list[Result]:
        return [self._execute(run) for run in runs]

    def _execute(self, run: Run) -> Result:
        begin = clock.perf_counter()
        name = run.parameters.get("experiment", self.study.experiment)
        quick = ["--quick"] if run.parameters.get("quick", True) else []
        done = subprocess.run([str(self.command), "experiment", str(name), "--json", *quick], capture_output=True, text=True)
        data = json.loads(done.stdout) if done.returncode in (0, 1) and done.stdout else {}
        if not data.get("complete"):  # an experiment that ran to its end exits with 1 if one of its lines does not hold
            lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            return failed(run.index, lines[-1])._replace(wall=clock.perf_counter() - begin)
        metrics = {k: v for k, v in data.get("figures", {}).items() if isinstance(v, (int, float)) and math.isfinite(v)}
        shown = [m for m in data.get("must", []) if not (quick and m.get("full_only"))]
        metrics["lines"], metrics["lines_that_hold"] = len(shown), sum(bool(m["holds"]) for m in shown)
        metrics["success"] = metrics["lines"] == metrics["lines_that_hold"]
        result = Result(run.index, "done", "", judge(self.success, run.parameters, metrics), metrics)
        return result._replace(wall=clock.perf_counter() - begin)
