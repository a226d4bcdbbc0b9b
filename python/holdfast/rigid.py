"""Rigid contact at acceleration level at a state, with its certificate."""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple

import numpy as np

from . import _core
from ._arrays import struct_dtype
from .model import Model, Params
from .state import Input, State

CONTACT = struct_dtype(_core.rigid_dtype())
MODES = ("separated", "sliding", "rolling")


class RigidProblem(NamedTuple):
    """y = A x + b with normal and rolling friction forces x [N], accelerations y, the layer's k and c, the generalised
    accelerations vdot, which rows are equalities (rolling), contacts, the certificate, and whether x solves it."""

    A: np.ndarray
    b: np.ndarray
    x: np.ndarray
    y: np.ndarray
    k: np.ndarray
    c: np.ndarray
    vdot: np.ndarray
    rolling: np.ndarray
    contacts: np.ndarray
    certificate: dict[str, Any]
    status: int
    residual: float


def _flatten(options: dict[str, Any]) -> dict[str, Any]:
    flat = {}
    for name, value in options.items():
        flat.update({f"{name}.{k}": v for k, v in value.items()} if isinstance(value, dict) else {name: value})
    return flat


def evaluate(model: Model | Params, state: State, input: Input | None = None, *,
             choices: Iterable[tuple[Any, Any, str] | tuple[Any, Any, str, Any]] = (), **options: Any) -> RigidProblem:
    """The rigid problem at a state. choices: (geom_a, geom_b, mode[, slip direction]) instead of the modes that the
    velocities say. Options as in ``rigid.h``: reach, touch, stick_speed, stabilisation, layer={"eps": ...}."""
    base = model.model if isinstance(model, Params) else model

    choices = list(choices)
    for c in choices:
        if c[2] not in MODES:
            raise ValueError(f"a mode must be one of {', '.join(MODES)}, is {c[2]!r}")
    chosen = [(base.id("geom", c[0]), base.id("geom", c[1]), MODES.index(c[2]), tuple(c[3]) if len(c) > 3 else (0.0, 0.0, 0.0))
              for c in choices]

    r = _core.rigid_evaluate(model, state.time, np.ascontiguousarray(state.q), np.ascontiguousarray(state.v),
                             np.ascontiguousarray(state.act), input, _flatten(options), chosen)
    arrays = {name: np.asarray(r[name]) for name in ("A", "b", "x", "y", "k", "c", "vdot")}

    return RigidProblem(**arrays, rolling=np.frombuffer(r["rolling"], bool), contacts=np.frombuffer(r["contacts"], CONTACT),
                        certificate=r["certificate"], status=r["status"], residual=r["residual"])
