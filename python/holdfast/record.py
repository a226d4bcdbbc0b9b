"""Recordings of earlier runs."""

from __future__ import annotations

import json
import operator
from functools import cached_property
from typing import Any, Iterator, NamedTuple

import numpy as np

from . import _core
from ._arrays import NamedArray, struct_dtype
from ._contacts import contact_columns
from ._files import FilePath, file_name
from .model import Model

CONTACT = struct_dtype(_core.frame_contact_dtype())


EVENTS = ("", "touch", "leave", "slide", "stick", "rung", "rigid", "compliant", "dropped")


class Frame(NamedTuple):
    """A frame: time [s], poses of all bodies (nbody, 7) as position and quaternion, contacts as a structured array;
    positions, velocities, controls, forces of actuators and sensors with names; energies [J]. Numbers have single
    precision, times and energies double."""

    time: float
    poses: NamedArray
    contacts: np.ndarray
    q: np.ndarray
    v: np.ndarray
    ctrl: np.ndarray
    actuator_force: np.ndarray
    sensors: np.ndarray
    kinetic: float
    potential: float


class Event(NamedTuple):
    """What changed at a time [s]: two bodies "touch", "leave", "slide" or "stick"; or of the solver "rung", "rigid",
    "compliant", "dropped", with its value. Bodies are ids of the model, -1: none."""

    time: float
    kind: str
    body_a: int
    body_b: int
    value: int


class Recording(_core.Recording):
    """A recording: a sequence of frames, with the model that was recorded.

        recording = hf.Recording("run.hfr")
        plt.plot(recording.times, recording.q["elbow"])
        recording[-1].contacts["fn"]

    ``q``, ``v``, ``ctrl``, ``actuator_force`` and ``sensors`` have one row a frame, and names; so have ``poses``
    (frames, nbody, 7), where ``poses["cup"]`` is (frames, 7), and ``times``, ``kinetic`` and ``potential`` one number
    a frame.
    """

    def __new__(cls, path: FilePath) -> Recording:
        return super().__new__(cls, file_name(path))

    @cached_property
    def model(self) -> Model:
        return Model.from_bytes(self._model_bytes())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = operator.index(index)
        if not -len(self) <= i < len(self):
            raise IndexError(f"no frame {i}: the recording has {len(self)}")
        time, poses, contacts, q, v, ctrl, force, sensors, kinetic, potential = self._frame(i % len(self))
        name = self.model._named
        return Frame(time, name(poses, "body"), np.frombuffer(contacts, CONTACT), name(q, "q"), name(v, "v"), name(ctrl, "u"),
                     name(force, "u"), name(sensors, "sensor"), kinetic, potential)

    def __iter__(self) -> Iterator[Frame]:
        return (self[i] for i in range(len(self)))

    def _array(self, name: str, width: int = 1, dtype: Any = np.float32) -> np.ndarray:
        return np.frombuffer(self._column(name), dtype).reshape(len(self), width)

    @property
    def times(self) -> np.ndarray:
        """Times of all frames [s]."""
        return self._array("times", dtype=np.float64).reshape(-1)

    @property
    def kinetic(self) -> np.ndarray:
        """Kinetic energies [J]."""
        return self._array("kinetic", dtype=np.float64).reshape(-1)

    @property
    def potential(self) -> np.ndarray:
        """Potential energies [J]."""
        return self._array("potential", dtype=np.float64).reshape(-1)

    @property
    def poses(self) -> NamedArray:
        """Poses of all bodies (frames, nbody, 7): position [m], quaternion w x y z."""
        return self.model._named(self._array("poses", 7 * self.model.nbody).reshape(len(self), self.model.nbody, 7), "body")

    @property
    def q(self) -> NamedArray:
        """Positions (frames, nq)."""
        return self.model._named(self._array("q", self.model.nq), "q")

    @property
    def v(self) -> NamedArray:
        """Velocities (frames, nv)."""
        return self.model._named(self._array("v", self.model.nv), "v")

    @property
    def ctrl(self) -> NamedArray:
        """Controls (frames, nu)."""
        return self.model._named(self._array("ctrl", self.model.nu), "u")

    @property
    def actuator_force(self) -> NamedArray:
        """Forces of the actuators (frames, nu) [N or N m]."""
        return self.model._named(self._array("actuator_force", self.model.nu), "u")

    @property
    def sensors(self) -> NamedArray:
        """Sensors (frames, nsensordata)."""
        return self.model._named(self._array("sensors", self.model.nsensordata), "sensor")

    @property
    def events(self) -> list[Event]:
        """What began and ended between bodies, and in the solver."""
        return [Event(t, EVENTS[kind], a, b, value) for t, kind, a, b, value in self._events()]

    def contacts_table(self) -> dict[str, np.ndarray]:
        """Contacts of all frames as columns for a table, with times [s] and names of bodies:
        ``pandas.DataFrame(recording.contacts_table())``. Record with ``interval=0`` to have those of every step."""
        frames = [(frame.time, frame.contacts) for frame in self]
        times = np.repeat([time for time, _ in frames], [len(contacts) for _, contacts in frames])
        return contact_columns(self.model, times, np.concatenate([contacts for _, contacts in frames]) if frames else np.zeros(0, CONTACT))

    @property
    def run(self) -> dict[str, Any]:
        """How the run was made: version, method, friction, step [s], options."""
        return json.loads(self._texts()[0] or "{}")

    @property
    def figures(self) -> dict[str, Any]:
        """The summary of the run, where the command wrote one."""
        return dict(json.loads(self._texts()[1] or "[]"))

    def __repr__(self) -> str:
        return f"<holdfast.Recording: {len(self)} frames>"
