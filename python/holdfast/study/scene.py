"""Runs of a scene: all that share a model and options step side by side in one batch."""

from __future__ import annotations

import hashlib
import json
import os
import time as clock
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from .._core import HoldfastError
from ..batch import Batch
from ..control import ControlTable
from ..model import Model, Params
from ..sim import Sim, status_name
from ..state import State
from .draw import Run
from .errors import StudyError
from .expression import Expression
from .paths import Change, apply_changes, change_text, changes_of
from .results import Result, failed
from .scratch import run_folder
from .signals import SignalReader

_READ_CONTACTS = 512  # contacts of a world's last step that signals can read


def _refusal(batch: Batch, world: int) -> str:
    """Puts the parameters of one world in force: "" or why they are refused."""
    try:
        batch.params.update([world])
    except HoldfastError as error:
        return str(error)
    return ""


class Group:
    """What runs must share to be worlds of one batch: model, options, start, time."""

    def __init__(self, study: Any, changes: list[Change], run: Run):
        values = {c: run.parameters[c.parameter] for c in changes if c.head in ("scene", "keyframe", "xml", "option", "time")}
        def single(head: str, default: Any) -> Any:
            return next((v for c, v in values.items() if c.head == head), default)

        self.scene, self.keyframe = str(single("scene", study.scene)), single("keyframe", study.keyframe)
        self.time = float(single("time", study.time))
        self.edits = [(c, v) for c, v in values.items() if c.head == "xml"]
        self.options = json.loads(json.dumps(study.options))
        for change, value in values.items():
            if change.head == "option":
                *groups, name = change.rest.split(".")
                place = self.options
                for g in groups:
                    place = place.setdefault(g, {})
                place[name] = value

    @property
    def key(self) -> str:
        edits = [[c.path, v] for c, v in self.edits]
        return json.dumps([self.scene, self.keyframe, self.time, edits, self.options], sort_keys=True, default=str)


@lru_cache(maxsize=32)
def _load(path: str, text: str | None) -> tuple[Model, str]:
    model = Model.from_file(path) if text is None else Model.from_string(text, name=path, folder=os.path.dirname(path))
    return model, hashlib.sha256(model.to_bytes()).hexdigest()[:16]


def forget_models() -> None:
    """Reads scenes and tables of controls again when they are used next."""
    _load.cache_clear()
    _table.cache_clear()


def load_model(study: Any, group: Group) -> tuple[Model, str]:
    """The model of a group and its hash."""
    path = study.path(group.scene)
    if not group.edits:
        return _load(path, None)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise StudyError(f"cannot read {path}: {error.strerror}") from None
    return _load(path, change_text(text, group.edits, path))


@lru_cache(maxsize=4)
def _table(model: Model, path: str) -> ControlTable:
    return ControlTable(model, path)


def _controls(study: Any, batch: Batch, steps: int) -> np.ndarray | None:
    """Controls of the next steps (worlds, steps, nu) from the study's table; what it does not set is held."""
    if study.controls is None:
        return None
    table, held = _table(batch.model, study.path(study.controls)), np.array(batch.ctrl)
    return np.stack([table.controls(steps, batch.step_size, start, ctrl) for start, ctrl in zip(np.array(batch.time), held)])


class SceneRunner:
    """Runs of a study's scene, any number at a time."""

    def __init__(self, study: Any):
        self.study = study
        self.changes = changes_of(study.parameters)
        self.expressions = {n: Expression(n, t) for n, t in study.metrics.items()}
        self.success = Expression("success", study.success) if study.success else None
        self.signals = set().union(*(e.signals for e in (*self.expressions.values(), *([self.success] if self.success else []))))

    def execute(self, runs: list[Run]) -> list[Result]:
        """Results of runs, in their order."""
        groups: dict[str, tuple[Group, list[Run]]] = {}
        for run in runs:
            group = Group(self.study, self.changes, run)
            groups.setdefault(group.key, (group, []))[1].append(run)
        results = {r.index: r for group, members in groups.values() for r in self._execute_group(group, members)}
        return [results[run.index] for run in runs]

    def _execute_group(self, group: Group, runs: list[Run]) -> list[Result]:
        begin = clock.perf_counter()
        model_hash = ""
        try:
            model, model_hash = load_model(self.study, group)
            results = self._simulate(group, model, runs)
        except (HoldfastError, StudyError, KeyError, OSError) as error:
            text = error.args[0] if isinstance(error, KeyError) and error.args else error
            results = [failed(run.index, f"{text}") for run in runs]
        wall = (clock.perf_counter() - begin) / len(runs)
        results = [r._replace(wall=wall, model=model_hash) for r in results]
        wanted = self.study.keep.get("recordings", "none")
        return [self._with_recording(r, run) if wanted == "all" or wanted == "failures" and not r.good else r
                for r, run in zip(results, runs)]

    # ---- one batch ------------------------------------------------------------------------------------------

    def prepare(self, group: Group, model: Model, runs: list[Run], contacts: int) -> tuple[Batch, list[str]]:
        """A batch at the start of these runs, and for each run "" or why its parameters are refused."""
        batch = Batch(model, len(runs), threads=1, max_contacts=contacts, **group.options)
        if group.keyframe is not None:
            batch.ctrl  # asked for, so that the keyframe's controls act
            batch.reset(key=group.keyframe)
        apply_changes(self.changes, batch, {n: [r.parameters[n] for r in runs] for n in self.study.parameters})
        return batch, [_refusal(batch, w) for w in range(len(runs))]

    def check(self, group: Group, model: Model, run: Run) -> None:
        """Refuses a study whose paths, names or expressions make no sense, by a run of no steps with two samples."""
        reader = SignalReader(model, self.signals)
        batch, _ = self.prepare(group, model, [run], 0)
        self._steps(group, batch)
        reader.begin(batch)
        reader.read(batch, None)
        _controls(self.study, batch, 0)
        self._results(batch, [run], [""], reader)

    def _steps(self, group: Group, batch: Batch) -> int:
        if not 0 < group.time < float("inf"):
            raise StudyError(f"time must be positive and finite, is {group.time:g}")
        steps = max(1, int(np.ceil(group.time / batch.step_size - 0.01)))
        if steps > self.study.limit("steps"):
            raise StudyError(f"{steps} steps of {batch.step_size:g} s are more than limits.steps, {self.study.limit('steps'):g}")
        return steps

    def _simulate(self, group: Group, model: Model, runs: list[Run]) -> list[Result]:
        reader = SignalReader(model, self.signals)
        batch, messages = self.prepare(group, model, runs, _READ_CONTACTS if reader.needs_contacts else 0)
        steps = self._steps(group, batch)
        reader.begin(batch)
        live = np.array([m == "" for m in messages])
        every = max(1, round(self.study.sample / batch.step_size))
        self._begin = np.array(batch.time)
        done = 0
        while done < steps and live.any():
            count = min(every, steps - done)
            self._advance(batch, done, count, live, messages)
            reader.read(batch, live)
            done += count
        return self._results(batch, runs, messages, reader)

    def _advance(self, batch: Batch, done: int, count: int, live: np.ndarray, messages: list[str]) -> None:
        controls = _controls(self.study, batch, count)
        if controls is None:
            batch.step(count, mask=live)
        else:
            batch.run(controls, want=(), mask=live)
        reports = batch.reports
        late = np.asarray(batch.time) < (done + count - 0.5) * batch.step_size + self._begin
        for w in np.flatnonzero(live & ((reports["status"] < 0) | (reports["ndropped"] > 0) | late)):
            if reports["ndropped"][w] > 0:
                messages[w] = f'{reports["ndropped"][w]} contacts found no room and carried no force; make room for more with the option max_contacts'
            elif reports["status"][w] < 0:
                messages[w] = f"at {batch.time[w]:g} s: {batch.step(1, mask=[w])}"
            else:
                messages[w] = f'at {batch.time[w]:g} s: the step was not taken ({status_name(int(reports["status"][w]))})'
            live[w] = False

    def _results(self, batch: Batch, runs: list[Run], messages: list[str], reader: SignalReader) -> list[Result]:
        names: dict[str, Any] = {n: _column([r.parameters[n] for r in runs]) for n in self.study.parameters}
        names["time"] = reader.times
        metrics: dict[str, list] = {}
        for name, expression in self.expressions.items():
            value = _per_run(expression, expression.evaluate(reader.values, names), len(runs))
            names[name] = value
            metrics[name] = _plain(value)
        success: list[bool | None] = [None] * len(runs)
        if self.success:
            value = _per_run(self.success, self.success.evaluate(reader.values, names), len(runs))
            success = [bool(x) for x in np.all(value.reshape(len(runs), -1), axis=1)]
        out = []
        for w, run in enumerate(runs):
            if messages[w]:
                out.append(failed(run.index, messages[w]))
                continue
            state = batch.get_state(w).to_bytes() if self.study.keep.get("state") else None
            out.append(Result(run.index, "done", "", success[w], {n: v[w] for n, v in metrics.items()}, state=state))
        return out

    # ---- one run alone, to be watched -----------------------------------------------------------------------

    def replay(self, run: Run, recording: str | None = None, report: bool = False) -> Sim:
        """Repeats a run, bit for bit, while it is recorded. Returns the sim after the last step that was taken."""
        group = Group(self.study, self.changes, run)
        model, _ = load_model(self.study, group)
        batch, (message,) = self.prepare(group, model, [run], 0)
        if message:
            raise StudyError(message)
        params = Params(model)
        for name in model.parameters:
            getattr(params, name)[...] = np.asarray(getattr(batch.params, name))[0].reshape(getattr(params, name).shape)
        params.update()
        sim = Sim(params.to_model(), report=report, **group.options)
        sim.state = State.from_bytes(sim.model, batch.get_state(0).to_bytes(), batch.max_memory)
        sim.input.ctrl[:] = np.asarray(batch.ctrl)[0]
        steps = self._steps(group, batch)
        controls = _controls(self.study, batch, steps)
        if recording:
            sim.record(recording)
        try:
            for i in range(steps if controls is not None else 1):
                if controls is not None:
                    sim.input.ctrl[:] = controls[0, i]
                sim.step(steps=1 if controls is not None else steps)
        except HoldfastError:
            pass  # the row has the message; the recording shows how it came to that
        sim.stop() if recording else None
        return sim

    def _with_recording(self, result: Result, run: Run) -> Result:
        with run_folder() as folder:
            path = os.path.join(folder, "run.hfr")
            try:
                self.replay(run, path)
                return result._replace(recording=Path(path).read_bytes())
            except (HoldfastError, StudyError, KeyError, OSError):
                return result  # a run that cannot start has nothing to show


def _column(values: list) -> np.ndarray:
    if all(isinstance(v, (int, float)) for v in values):
        return np.array([[float(v)] for v in values])
    if all(isinstance(v, list) and all(isinstance(x, (int, float)) for x in v) for v in values):
        return np.array([[[float(x) for x in v]] for v in values])
    column = np.empty((len(values), 1), object)
    column[:, 0] = [str(v) for v in values]
    return column


def _per_run(expression: Expression, value: Any, runs: int) -> np.ndarray:
    if isinstance(value, str) or value.shape[1] != 1:
        raise StudyError(f'{expression.name}: "{expression.text}" has a value at every time; say final(...), max(...), mean(...)')
    return np.broadcast_to(value, (runs, *value.shape[1:]))


def _plain(value: np.ndarray) -> list:
    """Numbers, truth values or lists of numbers, one a run."""
    if value.ndim == 2:
        return [v[0].item() if hasattr(v[0], "item") else v[0] for v in value]
    return [[x.item() for x in v[0]] for v in value]
