"""MuJoCo's models and states, stepped here. The package mujoco is needed only by those who call these functions.

A compiled ``mjModel`` is written as MJCF, number by number, and read by Holdfast's own reader, so that what it means
here is what docs/reference/mjcf.md says. Orders and layouts are the same on both sides: positions, velocities,
activations, controls and keyframes carry over as they are.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, Iterator

import numpy as np

from .model import Model
from .state import State


def from_mujoco(source: Any) -> Model:
    """A model from an ``mjModel``, an ``mjSpec`` or a path. What Holdfast does not use is in ``model.diagnostics``.

    A compiled model does not say what its file has set: a ``solref`` and ``solimp`` with MuJoCo's default values
    count as not set, and such contacts, limits and equalities have Holdfast's own stiffness. From a file they have
    MuJoCo's where the file writes these values down."""
    if isinstance(source, (str, bytes, os.PathLike)):
        return Model.from_file(source)
    if hasattr(source, "to_xml"):  # mjSpec
        source = source.compile()
    if not hasattr(source, "nbody") or not hasattr(source, "jnt_qposadr"):
        raise TypeError(f"an mjModel or mjSpec is needed, not {type(source).__name__}")
    from ._mujoco_writer import write_mjcf  # needs the package mujoco

    model = Model.from_string(write_mjcf(source), name="<mjModel>", folder=tempfile.gettempdir())
    sizes = {n: (int(getattr(source, n)), getattr(model, n)) for n in ("nq", "nv", "nbody")}
    for name, (theirs, ours) in sizes.items():
        if theirs != ours:
            raise ValueError(f"{name} is {theirs} in MuJoCo and {ours} here: see model.diagnostics for what was left out")
    return model


def _refuse_other_sizes(model: Model, data: Any) -> None:
    if (len(data.qpos), len(data.qvel)) != (model.nq, model.nv):
        raise ValueError(f"the mjData is of another model: it has nq {len(data.qpos)} and nv {len(data.qvel)}, the model {model.nq} and {model.nv}")


def state_from_mujoco(model: Model, data: Any, state: State | None = None) -> State:
    """Time, positions, velocities, activations, rest positions of springs that yielded, and histories of delays of an
    ``mjData`` as a state. Contacts are remembered from here on."""
    state = state or State(model)
    _refuse_other_sizes(model, data)
    _refuse_other_sizes(state.model, data)

    state.reset()
    state.time = float(data.time)
    state.q[:] = np.asarray(data.qpos)
    state.v[:] = np.asarray(data.qvel)

    if model.na == len(data.act):
        state.act[:] = np.asarray(data.act)
    for theirs, ours in _springs(state, data):
        state.rest[ours] = data.plastic[theirs]
    if len(state.history):
        _take_histories(model, data, state)

    return state


def state_to_mujoco(state: State, data: Any) -> None:
    """The other way. Call ``mujoco.mj_forward`` afterwards."""
    _refuse_other_sizes(state.model, data)
    data.time = state.time
    data.qpos[:] = state.q
    data.qvel[:] = state.v
    if len(data.act) == state.model.na:
        data.act[:] = state.act
    for theirs, ours in _springs(state, data):
        data.plastic[theirs] = state.rest[ours]
    if len(state.history):
        _give_histories(state, data)


def _springs(state: State, data: Any) -> Iterator[tuple[slice, slice]]:
    """Where ``mjData.plastic`` and ``state.rest`` have the rest of each joint and tendon whose spring yields."""
    if not len(state.rest) or not len(getattr(data, "plastic", ())):
        return
    model, m = state.model, data.model
    for j in np.flatnonzero(m.jnt_plasticadr >= 0):
        theirs, ours, n = int(m.jnt_plasticadr[j]), int(m.jnt_qposadr[j]), {0: 7, 1: 4}.get(int(m.jnt_type[j]), 1)
        yield slice(theirs, theirs + n), slice(ours, ours + n)
    for t in np.flatnonzero(m.tendon_plasticadr >= 0) if model.ntendon == m.ntendon else ():
        theirs, ours = int(m.tendon_plasticadr[t]), model.nq + 2 * int(t)
        yield slice(theirs, theirs + 2), slice(ours, ours + 2)


def _ring(data: Any, adr: int, count: int, dim: int) -> tuple[float, np.ndarray, np.ndarray]:
    """A buffer of ``mjData.history``: the number of its owner, times, and a row of values for each time, the oldest
    first."""
    x = np.asarray(data.history)
    order = (int(x[adr + 1]) + 1 + np.arange(count)) % count
    times, values = x[adr + 2:adr + 2 + count], x[adr + 2 + count:adr + 2 + count * (1 + dim)].reshape(count, dim)
    return float(x[adr]), times[order], values[order]


def _put_ring(data: Any, adr: int, times: np.ndarray, values: np.ndarray) -> None:
    """Writes times and rows of values, the oldest first, into a buffer of ``mjData.history``."""
    n = len(times)
    data.history[adr + 1] = n - 1
    data.history[adr + 2:adr + 2 + n] = times
    data.history[adr + 2 + n:adr + 2 + n + values.size] = np.ravel(values)


def _take_histories(model: Model, data: Any, state: State) -> None:
    """Controls under way, and measurements that have not arrived. A sensor keeps one more here: the one of the
    moment, which the next step measures; before the others stands a copy of the oldest."""
    m = data.model

    if model.nu == m.nu:
        for i in np.flatnonzero(m.actuator_history[:, 0]):
            n, dim, first = int(m.actuator_history[i][0]), int(m.actuator_ctrlnum[i]), int(m.actuator_ctrladr[i])
            _, times, values = _ring(data, int(m.actuator_historyadr[i]), n, dim)
            for k in range(dim):
                adr = int(model.actuator_historyadr[first + k])
                state.history[adr:adr + 2 * n] = np.concatenate([times, values[:, k]])

    if model.nsensor != m.nsensor:
        return

    for i in np.flatnonzero(m.sensor_history[:, 0]):
        n, dim, adr = int(m.sensor_history[i][0]), int(m.sensor_dim[i]), int(model.sensor_historyadr[i])
        due, times, values = _ring(data, int(m.sensor_historyadr[i]), n, dim)
        times, values = np.append(times[0] - m.opt.timestep, times), np.vstack([values[:1], values])
        state.history[adr:adr + 1 + (n + 1) * (1 + dim)] = np.concatenate([[due], times, np.ravel(values)])


def _give_histories(state: State, data: Any) -> None:
    """The other way. MuJoCo measures at the beginning of a step: what was measured at the present moment is left to
    it."""
    m, model = data.model, state.model

    if model.nu == m.nu:
        for i in np.flatnonzero(m.actuator_history[:, 0]):
            n, dim, first = int(m.actuator_history[i][0]), int(m.actuator_ctrlnum[i]), int(m.actuator_ctrladr[i])
            own = [state.history[int(a):int(a) + 2 * n] for a in model.actuator_historyadr[first:first + dim]]
            _put_ring(data, int(m.actuator_historyadr[i]), own[0][:n], np.stack([x[n:] for x in own], 1))

    if model.nsensor != m.nsensor:
        return

    for i in np.flatnonzero(m.sensor_history[:, 0]):
        n, dim, adr, theirs = int(m.sensor_history[i][0]), int(m.sensor_dim[i]), int(model.sensor_historyadr[i]), int(m.sensor_historyadr[i])
        times, values = state.history[adr + 1:adr + 2 + n], state.history[adr + 2 + n:adr + 1 + (n + 1) * (1 + dim)].reshape(n + 1, dim)

        first = 0 if times[-1] >= state.time else 1
        data.history[theirs] = state.history[adr]
        _put_ring(data, theirs, times[first:first + n], values[first:first + n])
