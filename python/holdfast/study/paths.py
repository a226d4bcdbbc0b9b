"""Paths: what a parameter changes in a scene.

    gravity[2]                      body.mug.com[0]        geom.*.friction[0]      actuator.grip.gainprm[0]
    mass.mug (inertia with it)      dof.elbow.damping      q.elbow  v.elbow        dq.mug[5] (moves along a velocity)
    ctrl.grip                       option.step            option.solver.tolerance
    scene  keyframe  time           xml:.//geom[@name='box']@size

Fields of bodies, joints, dofs, geoms, tendons, actuators and so on are those of the model that a world may have of its
own (``Model.parameters``), so that many runs share one batch. What is left, shapes for example, is changed in the text of the
scene by ``xml:`` with an XPath and an attribute, and costs a model for every value.
"""

from __future__ import annotations

import fnmatch
import re
import xml.etree.ElementTree as ET
from typing import Any, NamedTuple

import numpy as np

from .._arrays import no_name
from ..batch import Batch
from ..model import Model
from .errors import StudyError

_PREFIXES = {"body": "body", "joint": "jnt", "geom": "geom", "tendon": "tendon", "equality": "eq", "actuator": "actuator",
             "pair": "pair"}
_PATH = re.compile(r"^(?P<head>[a-z]+)(?:\.(?P<rest>.*?))?(?:\[(?P<index>\d+)\])?$")


class Change(NamedTuple):
    """One change that a parameter makes: a path, and how its value acts (set, times, add)."""

    parameter: str
    how: str
    path: str
    head: str
    rest: str
    index: int | None  # type: ignore[assignment]  # the name takes the place of tuple.index, which nobody needs here

    @property
    def where(self) -> str:
        return f'parameter {self.parameter}, path "{self.path}"'


def _parse(parameter: str, how: str, path: str) -> Change:
    if path.startswith("xml:"):
        query, _, attribute = path[4:].rpartition("@")
        if not query or not attribute:
            raise StudyError(f'parameter {parameter}: "{path}" must be xml:XPATH@ATTRIBUTE')
        return Change(parameter, how, path, "xml", f"{query}@{attribute}", None)
    match = _PATH.match(path)
    known = (*_PREFIXES, "dof", "gravity", "mass", "q", "v", "dq", "ctrl", "option", "scene", "keyframe", "time")
    if not match or match["head"] not in known:
        raise StudyError(f'parameter {parameter}: "{path}" is no path; paths begin with xml: or one of {", ".join(known)}')
    return Change(parameter, how, path, match["head"], match["rest"] or "", int(match["index"]) if match["index"] else None)


def _objects(change: Change) -> tuple[str, list[str]]:
    """The field that a change acts on, and the names or patterns of its objects."""
    if change.head in ("xml", "option"):
        return change.rest, [""]
    pattern, _, field = change.rest.rpartition(".") if change.head in (*_PREFIXES, "dof") else (change.rest, "", "")
    return field, [p.strip() for p in pattern.split(",")]


def _undoes(late: Change, early: Change) -> bool:
    """Whether a change leaves nothing of an earlier one. A set ``dq`` moves on from where the other moved to."""
    (field, patterns), (other, names) = _objects(late), _objects(early)
    return (late.how == "set" and late.head == early.head != "dq" and field == other and late.index in (None, early.index)
            and all(any(n == p or fnmatch.fnmatchcase(n, p) for p in patterns) for n in names))


def _refuse_undone(changes: list[Change]) -> None:
    for i, late in enumerate(changes):
        for early in changes[:i]:
            if late.parameter != early.parameter and _undoes(late, early):
                raise StudyError(f"{early.where}: parameter {late.parameter} sets this again"
                                 + (f' ("{late.path}")' if late.path != early.path else "") + f", so that {early.parameter} would change nothing")


def changes_of(parameters: dict[str, dict]) -> list[Change]:
    """The changes that all parameters make. Refuses those of which a later one leaves nothing."""
    out = []
    for name, spec in parameters.items():
        for how in ("set", "times", "add"):
            paths = spec.get(how, [])
            for path in [paths] if isinstance(paths, str) else paths:
                change = _parse(name, how, str(path))
                if how != "set" and change.head in ("scene", "keyframe", "xml", "option", "time"):
                    raise StudyError(f'parameter {name}: "{path}" can only be set')
                out.append(change)
    _refuse_undone(out)
    return out


def _ids(model: Model, kind: str, pattern: str, where: str) -> list[int]:
    """Ids of the objects that a pattern (what logs call it, several with commas, or * and ?) means; #ID is one that has no name."""
    names, by_number = model.labels(kind), model._by_number(kind)
    wanted = [by_number.get(p.strip(), p.strip()) for p in pattern.split(",")]
    ids = [i for i, n in enumerate(names) if any(fnmatch.fnmatchcase(n, p) for p in wanted)]
    for p in wanted:
        if not any(fnmatch.fnmatchcase(n, p) for n in names):
            raise StudyError(f"{where}: {no_name(kind, p, names)}")
    return ids


def _apply(change: Change, target: np.ndarray, values: np.ndarray) -> None:
    """Writes values (one a run) into target (runs, ...)."""
    shaped = values.reshape(-1, *([1] * (target.ndim - 1)))
    if change.how == "set":
        target[...] = shaped
    elif change.how == "times":
        target[...] *= shaped
    else:
        target[...] += shaped


def _part(change: Change, array: np.ndarray) -> np.ndarray:
    """The component that the path names of an array whose last axis are components."""
    if change.index is None:
        return array
    if array.ndim < 2 or change.index >= array.shape[-1]:
        raise StudyError(f"{change.where}: there is no component {change.index} of {array.shape[-1] if array.ndim > 1 else 1}")
    return array[..., change.index]


def _change_field(change: Change, batch: Batch, values: np.ndarray) -> None:
    model = batch.model
    pattern, _, name = change.rest.rpartition(".")
    if not pattern:
        raise StudyError(f"{change.where}: must be {change.head}.NAME.FIELD")
    if change.head == "dof":
        field = f"dof_{name}"
        labels = model.labels("joint")
        parts = [model._v_slices[labels[j]] for j in _ids(model, "joint", pattern, change.where)]
        ids = [d for part in parts for d in range(part.start, part.stop)]
    else:
        field = f"{_PREFIXES[change.head]}_{name}"
        ids = _ids(model, change.head, pattern, change.where)
    if field not in model.parameters:
        own = ", ".join(p.split("_", 1)[1] for p in model.parameters if p.startswith(field.split("_")[0] + "_"))
        raise StudyError(f"{change.where}: {name} is no field that a world may have of its own; there are: {own}")
    array = getattr(batch.params, field)
    for i in ids:
        _apply(change, _part(change, array[:, i]), values)


def _change_mass(change: Change, batch: Batch, values: np.ndarray) -> None:
    """A body's mass, and its inertia in proportion: another density."""
    for i in _ids(batch.model, "body", change.rest, change.where):
        mass, inertia = batch.params.body_mass[:, i], batch.params.body_inertia[:, i]
        before = np.array(mass).reshape(-1)
        _apply(change, mass, values)
        inertia *= (np.array(mass).reshape(-1) / before)[:, None]


def _change_motion(change: Change, batch: Batch, values: np.ndarray) -> None:
    model = batch.model
    kind = "actuator" if change.head == "ctrl" else "joint"
    for i in _ids(model, kind, change.rest, change.where):
        name = model.labels(kind)[i]
        if change.head == "ctrl":
            if model.actuator_signal[i] >= 0 and change.how != "set":
                raise StudyError(f"{change.where}: the scene's signal drives this actuator, so that there is no control to {change.how}; "
                                 "set one, or change the signal's text by an xml: path")
            _apply(change, np.asarray(batch.ctrl)[:, i], values)
        elif change.head == "dq":
            _move(change, batch, model._v_slices[name], values)
        else:
            part = model._q_slices[name] if change.head == "q" else model._v_slices[name]
            array = np.asarray(batch.q if change.head == "q" else batch.v)[:, part]
            _apply(change, _part(change, array) if change.index is not None else array, values)


def _move(change: Change, batch: Batch, part: slice, values: np.ndarray) -> None:
    """Moves positions along one velocity coordinate: x, y, z in the world, then rotations about the body's axes."""
    width = part.stop - part.start
    if (change.index or 0) >= width:
        raise StudyError(f"{change.where}: there is no component {change.index} of {width}")
    if change.how == "times":
        raise StudyError(f"{change.where}: positions can be moved by set or add, not by times")
    for w, value in enumerate(values):
        v = np.zeros(batch.model.nv)
        v[part.start + (change.index or 0)] = 1.0
        batch.q[w] = batch.model.integrate(np.array(batch.q[w]), v, float(value))


def apply_changes(changes: list[Change], batch: Batch, columns: dict[str, list]) -> None:
    """Gives every world of a batch its values. columns: values of each parameter, one a run."""
    for change in changes:
        if change.head in ("scene", "keyframe", "xml", "option", "time"):
            continue
        try:
            values = np.array([float(x) for x in columns[change.parameter]])
        except (TypeError, ValueError):
            raise StudyError(f"{change.where}: needs numbers, has {columns[change.parameter][0]!r}") from None
        if change.head == "gravity":
            _apply(change, _part(change, batch.params.gravity), values)
        elif change.head == "mass":
            _change_mass(change, batch, values)
        elif change.head in ("q", "v", "dq", "ctrl"):
            _change_motion(change, batch, values)
        else:
            _change_field(change, batch, values)


def change_text(text: str, edits: list[tuple[Change, Any]], file: str) -> str:
    """The text of a scene with attributes changed."""
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise StudyError(f"{file}: {error}") from None
    for change, value in edits:
        query, _, attribute = change.rest.rpartition("@")
        try:
            found = root.findall(query)
        except (SyntaxError, TypeError, KeyError, ValueError) as error:  # ElementPath raises all of these for what is no path
            raise StudyError(f'{change.where}: "{query}" is no XPath that can be read: {error}') from None
        if not found:
            raise StudyError(f"{change.where}: {file} has no such element (included files are not looked into)")
        for element in found:
            element.set(attribute, " ".join(str(v) for v in value) if isinstance(value, list) else str(value))
    return ET.tostring(root, encoding="unicode")
