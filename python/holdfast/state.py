"""States and inputs of one world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import floats, near
from ._files import FilePath, file_name
from ._hints import refuse_no_model
from .model import Model

if TYPE_CHECKING:
    from ._arrays import ArrayField, NamedField


def _array(which: str, names: str | None, doc: str) -> Any:
    """A property: the view `which`, made once; assigning copies numbers into it."""
    key = "_array_" + which

    def get(self: Any) -> Any:
        array = self.__dict__.get(key)
        if array is None:
            view = self._view(which)
            array = self.model._named(view, names) if names else np.asarray(view)
            self.__dict__[key] = array
        return array

    def assign(self: Any, value: Any) -> None:
        array = get(self)
        array[...] = floats(value, array.shape, which)

    return property(get, assign, doc=doc)


class _Fields:
    """Refuses to set what is no field: ``state.qpos = ...`` would act on nothing."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not hasattr(type(self), name):
            raise self._no_field(name)
        super().__setattr__(name, value)

    if not TYPE_CHECKING:  # a type checker knows the fields

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(name) if name.startswith("_") else self._no_field(name)

    def _no_field(self, name: str) -> AttributeError:
        fields = [n for n in dir(type(self)) if not n.startswith("_") and not callable(getattr(type(self), n))]
        return AttributeError(f'{type(self).__name__} has no field "{name}"{near(name, fields)}; it has {", ".join(fields)}')


class State(_Fields, _core.State):
    """Everything that influences the future: time, positions, velocities, activations, memory of contacts.
    ``State(model, max_memory=0)`` is at the model's reference, with room to remember max_memory contacts, or as many
    as the model is expected to have.

    Plain memory: :meth:`copy` it and you have copied the world; the same state and input give the same bits. ``q``,
    ``v`` and ``act`` are views of it, with names: ``state.q["elbow"]``. A kept view changes with the next step; write
    ``state.q.copy()`` to keep numbers.
    """

    model: Model
    q: NamedField = _array("q", "q", "Positions (nq): slides [m], hinges [rad], free joints x y z qw qx qy qz.")
    v: NamedField = _array("v", "v", "Velocities (nv) [m/s, rad/s]; free joints: linear in the world, angular in the body.")
    act: NamedField = _array("act", "act", "Activations of actuators (na).")
    history: ArrayField = _array("history", None, "What is under way (nhistory): of an actuator with samples, from "
                                 "``model.actuator_historyadr`` on, nsample times [s], then the controls that were given at these times; of a sensor with samples, "
                                 "from ``model.sensor_historyadr`` on, when the last measurement was due, nsample + 1 times, then the measurements.")

    rest: ArrayField = _array("rest", None, "Where springs rest (nrest), if any of them yields: positions (nq), then lengths of tendons (ntendon x 2).")

    def __new__(cls, model: Model, max_memory: int = 0) -> State:
        refuse_no_model(model, "hf.State")
        return super().__new__(cls, model, max_memory)

    def copy(self) -> State:
        """An independent copy, memory of contacts included."""
        return self._copy()

    __copy__ = copy

    def __deepcopy__(self, memo: dict) -> State:
        return self._copy()

    def assign(self, other: State) -> None:
        """Takes over another state of the same model and capacity."""
        if not isinstance(other, State):
            raise TypeError(f"a State is needed, not {type(other).__name__}")
        self._assign(other._to_bytes())

    def reset(self, key: str | int | None = None, input: Input | None = None) -> None:
        """Puts the state at a keyframe (name or number), or at ``model.qpos0``, at rest. Sets the input's controls and
        mocap poses too where one is given."""
        if key is not None:
            self._set_key(self.model.id("key", key), input)
            return
        self._reset()
        if input is not None:
            m = self.model
            input.ctrl[:] = np.where(np.asarray(m.actuator_signal) >= 0, np.nan, 0.0)
            input.mocap_pos[:] = m.body_pos[m.mocap_body]
            input.mocap_quat[:] = m.body_quat[m.mocap_body]

    def to_bytes(self) -> bytes:
        """The whole state as bytes: equal bytes are equal states."""
        return self._to_bytes()

    @classmethod
    def from_bytes(cls, model: Model, data: bytes, max_memory: int = 0) -> State:
        """A state from the bytes of :meth:`to_bytes`; max_memory is that of the state which they come from."""
        state = cls(model, max_memory)
        state._assign(bytes(data))
        return state

    def save(self, path: FilePath) -> None:
        """Writes the state to a file; :meth:`restore` gives the same bits back."""
        self._save(file_name(path))

    def restore(self, path: FilePath) -> None:
        """Reads a saved state; refuses one of another model's sizes."""
        self._restore(file_name(path))

    def __reduce__(self) -> Any:
        return (State.from_bytes, (self.model, self._to_bytes(), self.max_memory))

    def __repr__(self) -> str:
        return f"<holdfast.State: time {self.time:g} s, nq {self.model.nq}, {self.nmemory} remembered contacts>"


class Input(_Fields, _core.Input):
    """What acts from outside: controls, forces, wrenches, mocap poses, velocity targets. Views, as in a state."""

    model: Model
    ctrl: NamedField = _array("ctrl", "u", "Controls (nu); they win over the scene's signals. NaN, for an actuator with a signal: the signal acts.")
    force: NamedField = _array("force", "v", "Generalised forces (nv) [N or N m].")
    wrench: NamedField = _array("wrench", "body", "On each body at its centre of mass, world axes (nbody, 6): torque [N m], then force [N]; ``wrench[\"cup\"]`` is a row.")
    mocap_pos: NamedField = _array("mocap_pos", "mocap", "Positions of mocap bodies (nmocap, 3) [m], by name as wrench.")
    mocap_quat: NamedField = _array("mocap_quat", "mocap", "Orientations of mocap bodies (nmocap, 4), w x y z.")
    velocity_target: NamedField = _array("velocity_target", "v", "Velocities to end the step with (nv) [m/s or rad/s]; NaN: none.")
    force_limit: NamedField = _array("force_limit", "v", "Largest force of the targets (nv) [N or N m]; may be infinite.")

    def __new__(cls, model: Model) -> Input:
        refuse_no_model(model, "hf.Input")
        return super().__new__(cls, model)

    def copy(self) -> Input:
        """An independent copy."""
        return Input._of_arrays(self.model, self._arrays())

    __copy__ = copy

    def __deepcopy__(self, memo: dict) -> Input:
        return self.copy()

    def __reduce__(self) -> Any:
        return (Input._of_arrays, (self.model, self._arrays()))

    def _arrays(self) -> dict[str, np.ndarray]:
        names = (n for n, field in vars(Input).items() if isinstance(field, property))
        return {n: np.array(getattr(self, n)) for n in names}

    @classmethod
    def _of_arrays(cls, model: Model, arrays: dict[str, np.ndarray]) -> Input:
        input = cls(model)
        for name, numbers in arrays.items():
            setattr(input, name, numbers)
        return input

    def __repr__(self) -> str:
        return f"<holdfast.Input: nu {self.model.nu}>"
