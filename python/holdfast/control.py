"""Trajectories, controllers, tables of controls and gain tuning. A setpoint is (position, rate, second rate). Numbers
that are not finite give results that are not; keyframes and the start of a search must be finite."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

from . import _core
from ._arrays import finite, floats
from ._files import FilePath, file_name
from .model import Model


_SLACK = 0.01  # A row of a table acts in a step that begins earlier by at most this part of a step, because sums of steps are rounded [-].


class Setpoint(NamedTuple):
    q: float
    v: float = 0.0
    a: float = 0.0


def _setpoint(s: Any) -> tuple[float, float, float]:
    values = tuple(float(x) for x in np.atleast_1d(s))
    if not 1 <= len(values) <= 3:
        raise ValueError("a setpoint has a position, a rate and a second rate")
    return (values + (0.0, 0.0))[:3]  # type: ignore[return-value]


def sinusoid(amplitude: float, rate: float, phase: float, offset: float, time: float) -> Setpoint:
    """offset + amplitude sin(rate time + phase); rate in rad/s."""
    return Setpoint(*_core.sinusoid(amplitude, rate, phase, offset, time))


def quintic(start: Any, end: Any, duration: float, time: float) -> Setpoint:
    """The quintic from one setpoint to another over a duration [s]; held before and after."""
    return Setpoint(*_core.quintic(_setpoint(start), _setpoint(end), duration, time))


def keyframes(times: Any, values: Any, time: float) -> Setpoint:
    """Through values at increasing times: quintics, twice differentiable."""
    t = finite(times, None, "times")
    if t.ndim != 1 or (np.diff(t) <= 0).any():
        raise ValueError("times must increase")
    return Setpoint(*_core.keyframes(t, finite(values, t.shape, "values"), time))


def pid(gains: Any, wanted: Any, q: float, v: float, h: float, integral: float = 0.0) -> tuple[float, float]:
    """(force, new integral) of a sampled PID; gains (kp, ki, kd), h the period [s]."""
    kp, ki, kd = (float(g) for g in gains)
    return _core.pid((kp, ki, kd), _setpoint(wanted), q, v, h, integral)


def braking_target(wanted: Any, q: float, time_constant: float, a_max: float) -> float:
    """Velocity target: the reference rate and the error over a time, no faster than a_max can brake."""
    return _core.braking_target(_setpoint(wanted), q, time_constant, a_max)


def trot(period: float, duty: float, speed: float, lift: float, phase: float, time: float) -> tuple[bool, Setpoint, Setpoint]:
    """(stance, x, z) of a foot in a trot, from its place at mid-stance [m]."""
    stance, x, z = _core.trot(period, duty, speed, lift, phase, time)
    return bool(stance), Setpoint(*x), Setpoint(*z)


class ControlTable(_core.ControlTable):
    """Controls over time from a file, as ``--controls`` of the command reads it: a CSV with a column time and columns
    that are called by their actuators, whose rows act until the next; or the CSV of states of an earlier run, which
    is played back.

        table = hf.control.ControlTable(model, "states.csv")
        batch.run(table.controls(1000, batch.step_size))
    """

    def __new__(cls, model: Model, path: FilePath) -> ControlTable:
        return super().__new__(cls, model, file_name(path))

    def __init__(self, model: Model, path: FilePath):
        self._nu = model.nu

    def controls(self, steps: int, step_size: float, start: float = 0.0, held: Any = None) -> np.ndarray:
        """Controls (steps, nu) of steps [s] from a start [s] on. held (nu): controls of actuators that the file does
        not name, and of all before its first row; without it they are zero."""
        if not (steps >= 0 and 0 < step_size < np.inf and np.isfinite(start)):
            raise ValueError(f"steps >= 0, a step > 0 [s] and a finite start [s] are needed, not {steps!r}, {step_size!r} and {start!r}")
        controls = np.tile(np.zeros(self._nu) if held is None else floats(held, (self._nu,), "held"), (steps, 1))
        self._fill(start + (np.arange(steps) + _SLACK) * step_size, controls)
        return controls


def minimise(function: Callable[[np.ndarray], float], x: Any, **options: Any) -> tuple[np.ndarray, float, int]:
    """(x, value, evaluations) of the smallest value that Nelder and Mead's method with restarts finds from x.
    Options: seed (same seed, same answer), evaluations, spread, tolerance."""
    best, value, used = _core.minimise(lambda a: float(function(np.asarray(a))), finite(x, None, "x"), options)
    return np.asarray(best), value, used
