"""Trajectories, controllers and gain tuning. A setpoint is (position, rate, second rate). Numbers that are not finite give results that are
not; keyframes and the start of a search must be finite."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

from . import _core
from ._arrays import finite


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


def minimise(function: Callable[[np.ndarray], float], x: Any, **options: Any) -> tuple[np.ndarray, float, int]:
    """(x, value, evaluations) of the smallest value that Nelder and Mead's method with restarts finds from x. Options: seed
    (same seed, same answer), evaluations, spread, tolerance."""
    best, value, used = _core.minimise(lambda a: float(function(np.asarray(a))), finite(x, None, "x"), options)
    return np.asarray(best), value, used
