"""Signals: numbers that are read from a batch at the start of a run and after every sample."""

from __future__ import annotations

import math
from typing import Callable

import numpy as np

from ..batch import Batch
from ..model import Model
from .errors import StudyError

_CONTACT_SIGNALS = ("normal", "friction", "contacts", "sliding")


def _rotate_back(quat: np.ndarray, v: np.ndarray) -> np.ndarray:
    """v (n, 3) in the axes of frames with orientations quat (n, 4)."""
    w, u = quat[:, :1], -quat[:, 1:]
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def _relative(pose: np.ndarray, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    """Position (n, 3) and quaternion (n, 4) of body a in body b."""
    qb, qa = pose[:, b, 3:], pose[:, a, 3:]
    position = _rotate_back(qb, pose[:, a, :3] - pose[:, b, :3])
    conjugate = qb * np.array([1, -1, -1, -1])
    return position, _multiply(conjugate, qa)


def _multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    w = p[:, 0] * q[:, 0] - p[:, 1] * q[:, 1] - p[:, 2] * q[:, 2] - p[:, 3] * q[:, 3]
    v = p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])
    return np.concatenate([w[:, None], v], axis=1)


def _length(v: np.ndarray) -> np.ndarray:
    return np.sqrt(v[:, 0] * v[:, 0] + v[:, 1] * v[:, 1] + v[:, 2] * v[:, 2])


class SignalReader:
    """Reads the signals that expressions use. ``values[name, objects]`` is (runs, times) or (runs, times, n)."""

    def __init__(self, model: Model, signals: set[tuple[str, tuple[str, ...]]]):
        self.model = model
        self.needs_contacts = any(name in _CONTACT_SIGNALS for name, _ in signals)
        self._readers: dict[tuple, Callable[[Batch], np.ndarray]] = {}
        for name, objects in sorted(signals):
            self._readers[name, objects] = getattr(self, f"_make_{name}")(*(self._named(name, o) for o in objects))
        self._rows: dict[tuple, list[np.ndarray]] = {key: [] for key in self._readers}
        self._times: list[np.ndarray] = []
        self._start: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}
        self._contacts: list[np.ndarray] = []

    def _named(self, signal: str, name: str) -> int:
        kind = {"q": "joint", "v": "joint", "sensor": "sensor", "force": "actuator"}.get(signal, "body")
        try:
            return self.model.id(kind, name)
        except KeyError as error:
            raise StudyError(f"{signal}(): {error.args[0]}") from None

    def begin(self, batch: Batch) -> None:
        """Samples the start of all runs."""
        if self._readers:
            for name in ("sensors", "actuator_force", "pose"):
                getattr(batch, name)  # asked for, so that they are filled
            batch.evaluate()
        self.read(batch, None)

    def read(self, batch: Batch, live: np.ndarray | None) -> None:
        """Samples the runs that are alive; the others repeat their last sample."""
        if self.needs_contacts:
            self._contacts = [batch.contacts(w) for w in range(batch.worlds)]
        for key, reader in self._readers.items():
            row = np.array(reader(batch), dtype=float)
            if live is not None:
                row[~live] = self._rows[key][-1][~live]
            self._rows[key].append(row)
        self._times.append(np.array(batch.time))

    @property
    def values(self) -> dict[tuple, np.ndarray]:
        return {key: np.ascontiguousarray(np.stack(rows, axis=1)) for key, rows in self._rows.items()}

    @property
    def times(self) -> np.ndarray:
        return np.stack(self._times, axis=1)

    # ---- the signals ----------------------------------------------------------------------------------------

    def _columns(self, array: str, part: slice) -> Callable[[Batch], np.ndarray]:
        column = part.start if part.stop - part.start == 1 else part
        return lambda batch: np.asarray(getattr(batch, array))[:, column]

    def _make_q(self, joint: int) -> Callable:
        return self._columns("q", self.model._q_slices[self.model.labels("joint")[joint]])

    def _make_v(self, joint: int) -> Callable:
        return self._columns("v", self.model._v_slices[self.model.labels("joint")[joint]])

    def _make_sensor(self, sensor: int) -> Callable:
        return self._columns("sensors", self.model._sensor_slices[self.model.labels("sensor")[sensor]])

    def _make_force(self, actuator: int) -> Callable:
        return self._columns("actuator_force", slice(actuator, actuator + 1))

    def _make_position(self, body: int) -> Callable:
        return lambda batch: np.asarray(batch.pose)[:, body, :3]

    def _since_start(self, batch: Batch, a: int, b: int) -> tuple[np.ndarray, ...]:
        position, quat = _relative(np.asarray(batch.pose), a, b)
        start = self._start.setdefault((a, b), (position.copy(), quat.copy()))
        return position - start[0], quat, start[1]

    def _make_offset(self, a: int, b: int) -> Callable:
        return lambda batch: self._since_start(batch, a, b)[0]

    def _make_slip(self, a: int, b: int) -> Callable:
        return lambda batch: _length(self._since_start(batch, a, b)[0])

    def _make_turned(self, a: int, b: int) -> Callable:
        def read(batch: Batch) -> np.ndarray:
            _, now, before = self._since_start(batch, a, b)
            turn = _multiply(before * np.array([1, -1, -1, -1]), now)
            # Number by number: a vector of arc tangents may round otherwise at its end.
            return np.array([2 * math.atan2(s, abs(c)) for s, c in zip(_length(turn[:, 1:]), turn[:, 0])])

        return read

    def _over_contacts(self, a: int, b: int, measure: Callable[[np.ndarray], float]) -> Callable:
        def read(batch: Batch) -> np.ndarray:
            out = np.zeros(batch.worlds)
            for w, c in enumerate(self._contacts):
                one = (c["body_a"] == a) & (c["body_b"] == b) | (c["body_a"] == b) & (c["body_b"] == a)
                if one.any():
                    out[w] = measure(c[one])
            return out

        return read

    def _make_normal(self, a: int, b: int) -> Callable:
        return self._over_contacts(a, b, lambda c: sum(c["fn"].tolist()))

    def _make_friction(self, a: int, b: int) -> Callable:
        return self._over_contacts(a, b, lambda c: sum(_length(c["ft"]).tolist()))

    def _make_contacts(self, a: int, b: int) -> Callable:
        return self._over_contacts(a, b, lambda c: float(len(c)))

    def _make_sliding(self, a: int, b: int) -> Callable:
        return self._over_contacts(a, b, lambda c: float(_length(c["vt"]).max()))
