"""Many worlds at once."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple

import numpy as np

from . import _core
from ._arrays import NamedArray, assign, floats, mask_bytes, near, struct_dtype
from ._hints import HoldfastWarning, refuse_no_model
from .model import Model, Params, no_parameter, parameters_of
from .sim import CONTACT, checked_options
from .state import Input, State

if TYPE_CHECKING:
    from ._arrays import ArrayField, NamedField

WORLD_REPORT = struct_dtype(_core.world_report_dtype())
_NAMES = {"q": "q", "v": "v", "act": "act", "ctrl": "u", "force": "v", "velocity_target": "v", "force_limit": "v",
          "sensors": "sensor", "actuator_force": "u", "acceleration": "v", "wrench": "body", "mocap_pos": "mocap", "mocap_quat": "mocap", "pose": "body"}
_ARRAYS = ("time", "q", "v", "act", "history", "rest", "ctrl", "force", "wrench", "mocap_pos", "mocap_quat", "velocity_target", "force_limit",
           "sensors", "actuator_force", "acceleration", "pose")
_FACTS = ("worlds", "threads", "step_size", "max_memory")  # read once
_RESULTS = ("time", "q", "v", "act", "sensors")
_DEVICES = {"cpu": 0}  # where worlds live and step, with the numbers of hfDevice


class BatchParams:
    """Parameters of every world. ``batch.params.geom_friction`` has the shape (worlds, ngeom, 3). What you write acts
    after ``update()``."""

    _batch: Batch

    def __init__(self, batch: Batch):
        self.__dict__["_batch"] = batch

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            array = np.asarray(self._batch._param(name))
        except AttributeError:
            raise no_parameter(self._batch.model, name) from None
        self._batch._before.setdefault(name, array.tobytes())
        return array

    def __setattr__(self, name: str, value: Any) -> None:
        assign(getattr(self, name), value, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._batch.model.parameters]

    def take(self, world: int, other: Model) -> None:
        """Writes all parameters of another model into a world, as :meth:`Params.take` does."""
        if not isinstance(world, (int, np.integer)):
            raise TypeError(f"take needs the number of a world and a model, not {world!r}")
        world = range(self._batch.worlds)[world]
        for name, value in parameters_of(self._batch.model, other).items():
            getattr(self, name)[world] = value

    def update(self, mask: Any = None) -> None:
        """Makes the worlds use the parameters that were written. A world whose values are refused keeps its old ones
        and is flagged in ``batch.reports["status"]``. All other worlds get their new values; then this raises the
        error of the first refused world."""
        self._batch._before.clear()
        self._batch._update(mask_bytes(mask, self._batch.worlds))


class Batch(_core.Batch):
    """n worlds of one model on k threads.

        batch = hf.Batch(model, 256, threads=2)
        batch.ctrl[:, 0] = grip
        batch.step(10)                        # ten steps each, controls held
        obs = np.hstack([batch.q, batch.v])

    Each array has one row for each world:

    - ``time q v act history rest`` are parts of the states. You may write them.
    - ``ctrl force wrench mocap_pos mocap_quat velocity_target force_limit`` are inputs. You may write them. An input that
      you never read or write does not act: the model's own values hold.
    - ``sensors actuator_force acceleration pose`` are results of the last step, read-only. Only steps after the first reading
      of a result write it, so that no time is lost on results that nobody reads.

    The bits of a world depend only on its own state, inputs and parameters, not on the number of threads or on other
    worlds.
    """

    model: Model
    worlds: int
    threads: int
    step_size: float
    max_memory: int
    time: ArrayField
    q: NamedField
    v: NamedField
    act: NamedField
    history: ArrayField
    rest: ArrayField
    ctrl: NamedField
    force: NamedField
    wrench: NamedField
    mocap_pos: NamedField
    mocap_quat: NamedField
    velocity_target: NamedField
    force_limit: NamedField
    sensors: NamedArray
    actuator_force: NamedArray
    acceleration: NamedArray
    pose: NamedArray

    def __new__(cls, model: Model, worlds: int, *, threads: int = 0, device: str = "cpu", max_memory: int = 0,
                max_contacts: int = 32, **options: Any) -> Batch:
        if device not in _DEVICES:
            raise ValueError(f'device must be {" or ".join(_DEVICES)}, is {device!r}')
        if isinstance(model, Params):
            raise TypeError("a batch is made of a model: write params.to_model(), or give each world its own by batch.params")
        refuse_no_model(model, "hf.Batch")
        settings = {"nworld": worlds, "threads": threads, "device": _DEVICES[device], "max_memory": max_memory, "max_contacts": max_contacts}
        return super().__new__(cls, model, settings, checked_options(options))

    def __init__(self, model: Model, worlds: int, **settings: Any):
        info = self._info()
        self.__dict__.update({name: info[name] for name in _FACTS})
        self._before: dict[str, bytes] = {}  # parameters as they were when they were read first since the last update

    if not TYPE_CHECKING:  # a type checker knows the arrays

        def __getattr__(self, name: str) -> Any:
            if name not in _ARRAYS:
                raise AttributeError(f'a batch has no array "{name}"{near(name, _ARRAYS)}')
            view = self._tensor(name)
            array = self.model._named(view, _NAMES[name]) if name in _NAMES else np.asarray(view)
            self.__dict__[name] = array
            return array

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _ARRAYS:
            assign(getattr(self, name), value, name)
        elif name in _FACTS:
            raise AttributeError(f"a batch keeps its {name}: make another one of the model")
        elif name.startswith("_") or hasattr(type(self), name):
            super().__setattr__(name, value)
        else:
            raise AttributeError(f'a batch has no array "{name}" to set; it has {", ".join(_ARRAYS)}')

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_ARRAYS, *_FACTS]

    @property
    def params(self) -> BatchParams:
        """Parameters of each world, and its gravity."""
        return BatchParams(self)

    @property
    def bytes_per_world(self) -> int:
        """Memory of one world beside the model."""
        return self._info()["bytes_per_world"]

    def reset(self, mask: Any = None, key: str | int | None = None) -> None:
        """Puts worlds at a keyframe or at the model's reference, inputs too. Results are those of the last step until
        :meth:`evaluate` or :meth:`step`.

        mask: which worlds, as booleans (worlds), as indices, or None: all. key: a keyframe's name or number, or None:
        the reference. A single number is refused, because ``Sim.reset(0)`` means keyframe 0: write ``reset([0])`` or
        ``reset(key=0)``.
        """
        if isinstance(mask, str):
            raise TypeError(f"Batch.reset takes worlds first: write reset(key={mask!r}) for the keyframe in all worlds")
        if mask is not None and np.ndim(mask) == 0:
            raise TypeError(f"Batch.reset({mask!r}) could mean a world or a keyframe: write reset([{mask!r}]) for the world, reset(key={mask!r}) for the keyframe in all worlds")
        self._reset(mask_bytes(mask, self.worlds), -1 if key is None else self.model.id("key", key))

    def step(self, steps: int = 1, *, mask: Any = None) -> str:
        """Every world takes steps and holds its controls. Returns "" if all is well. Otherwise returns a message of
        one world, as "world 3: not converged": the first one that was refused, or, if none was, the first one with a
        difficulty. The other worlds go on. ``batch.reports["status"]`` has the status of each world: 0 good, < 0
        refused, > 0 a difficulty."""
        self._warn_of_written(stacklevel=2)
        return self._step(steps, mask_bytes(mask, self.worlds), None, 0, 0, 1, None)

    def _warn_of_written(self, stacklevel: int) -> None:
        """Warns of parameters that were written since the last update, and forgets them."""
        if not self._before:
            return
        written = [name for name, before in self._before.items() if np.asarray(self._param(name)).tobytes() != before]
        self._before.clear()
        if written:
            warnings.warn(f"{written[0]} was written and does not act: batch.params.update() puts it in force", HoldfastWarning, stacklevel=stacklevel + 1)

    def run(self, controls: Any = None, *, steps: int | None = None, every: int = 1, want: Iterable[str] = ("q", "v"),
            mask: Any = None) -> Rollout:
        """Takes steps with other controls in each step, and returns the quantities ``want`` after every ``every``
        steps.

        controls: an array (steps, nu) for all worlds, or (worlds, steps, nu). None: each world holds its controls for
        ``steps`` steps. want: any of time, q, v, act, sensors. If a world is refused, its rows are NaN from then on.
        All rows of a world that the mask leaves out are NaN.
        """
        ctrl, world_stride, step_stride = None, 0, 0
        nu = self.model.nu
        if controls is not None:
            a = np.asarray(controls)
            if a.ndim not in (2, 3) or a.shape[-1] != nu or (a.ndim == 3 and a.shape[0] != self.worlds):
                raise ValueError(f"controls must have shape (steps, {nu}) or ({self.worlds}, steps, {nu}), have {a.shape}")
            if steps is not None and steps != a.shape[-2]:
                raise ValueError(f"controls are for {a.shape[-2]} steps, steps is {steps}")
            steps = a.shape[-2]
            ctrl = floats(a, None, "controls")
            world_stride, step_stride = (steps * nu if a.ndim == 3 else 0), nu
        if steps is None:
            raise ValueError("steps or controls are needed")
        for name, count in (("steps", steps), ("every", every)):
            if not isinstance(count, (int, np.integer)):
                raise TypeError(f"{name} must be a whole number, not {count!r}: write round(...) for a quotient of times")
        if steps < 1 or every < 1:
            raise ValueError("steps and every must be at least 1")
        m, rows = self.model, steps // every
        widths = {"time": (), "q": (m.nq,), "v": (m.nv,), "act": (m.na,), "sensors": (m.nsensordata,)}
        want = (want,) if isinstance(want, str) else tuple(want)  # a generator is read once
        unknown = [w for w in want if w not in widths]
        if unknown:
            raise ValueError(f'want must be of {", ".join(widths)}; "{unknown[0]}" is not')
        out = {w: np.full((self.worlds, rows, *widths[w]), np.nan) for w in want}  # the library writes no row of a world that is left out
        self._warn_of_written(stacklevel=2)
        message = self._step(steps, mask_bytes(mask, self.worlds), ctrl, world_stride, step_stride, every, out)
        results: dict[str, Any] = {w: m._named(a, _NAMES[w]) if w in _NAMES else a for w, a in out.items()}
        return Rollout(**{w: results.get(w) for w in _RESULTS}, reports=self.reports, message=message)

    def evaluate(self, mask: Any = None) -> str:
        """Fills results (sensors, contacts, poses) at the present states without a step."""
        return self._evaluate(mask_bytes(mask, self.worlds))

    @property
    def reports(self) -> np.ndarray:
        """What each world has to say about the last call that did not leave it out: status, steps, ncontact, nstick,
        iterations, residual, ..."""
        return np.frombuffer(self._reports(), WORLD_REPORT)

    def contacts(self, world: int) -> np.ndarray:
        """Contacts of a world's last step, at most ``max_contacts``; fields as :meth:`Sim.contacts`."""
        return np.frombuffer(self._contacts(world), CONTACT)

    def pair_force(self, body_a: str | int, body_b: str | int | None = None) -> PairForces:
        """Forces on body A from contacts with body B (None: with any body) in all worlds: arrays (worlds, 3), as
        :meth:`Sim.pair_force` for one. A world with more contacts than the batch keeps (``max_contacts``) is
        refused."""
        a = self.model.id("body", body_a)
        b = None if body_b is None else self.model.id("body", body_b)
        each = [np.frombuffer(self._contacts(world), CONTACT) for world in range(self.worlds)]
        lost = np.flatnonzero(self.reports["ncontact"] > [len(contacts) for contacts in each])
        if len(lost):
            raise RuntimeError(f"world {lost[0]} has {self.reports['ncontact'][lost[0]]} contacts and keeps {len(each[lost[0]])}: make the batch with a larger max_contacts")

        world = np.repeat(np.arange(self.worlds), [len(contacts) for contacts in each])
        contacts = np.concatenate(each) if each else np.zeros(0, CONTACT)
        forces = PairForces(np.zeros((self.worlds, 3)), np.zeros((self.worlds, 3)), np.zeros(self.worlds, int))
        for mine, other, sign in (("body_a", "body_b", 1.0), ("body_b", "body_a", -1.0)):
            chosen = (contacts[mine] == a) & (contacts[other] != a)
            if b is not None:
                chosen &= contacts[other] == b
            rows, which = world[chosen], contacts[chosen]
            np.add.at(forces.normal, rows, sign * which["fn"][:, None] * which["n_W"])
            np.add.at(forces.friction, rows, sign * which["ft"])
            np.add.at(forces.contacts, rows, 1)
        return forces

    def get_state(self, world: int) -> State:
        """A copy of a world's state."""
        state = State(self.model, self.max_memory)
        self._get_state(world, state)
        return state

    def set_state(self, world: int, state: State) -> None:
        """Puts a world at a state, bit for bit."""
        self._set_state(world, state)

    def set_states(self, states: State | Iterable[State], mask: Any = None) -> None:
        """Puts worlds at states, bit for bit: all at one, or each at one of its own. mask: which worlds, as in
        :meth:`reset`; then there are as many states as worlds in the mask, in ascending order."""
        chosen = mask_bytes(mask, self.worlds)
        worlds = np.arange(self.worlds) if chosen is None else np.flatnonzero(chosen)
        each = [states] * len(worlds) if isinstance(states, State) else _list_of_states(states)
        if len(each) != len(worlds):
            raise ValueError(f"there are {len(each)} states for {len(worlds)} worlds")
        for world, state in zip(worlds.tolist(), each):
            self._set_state(world, state)

    def __reduce__(self) -> Any:
        raise TypeError("a batch cannot be pickled or copied: pickle or copy its model and its states (get_state), and make another batch of the model")

    def __repr__(self) -> str:
        return f"<holdfast.Batch: {self.worlds} worlds on {self.threads} threads, {self.model!r}>"


class PairForces(NamedTuple):
    """Forces on a body from contacts with another in all worlds [N], world axes: (worlds, 3), and numbers of contacts."""

    normal: np.ndarray
    friction: np.ndarray
    contacts: np.ndarray

    @property
    def total(self) -> np.ndarray:
        return self.normal + self.friction


class Rollout(NamedTuple):
    """Results of a run: arrays (worlds, rows, n) or None where not wanted, reports of the worlds, and a message. The
    arrays have names: ``run.q["elbow"]`` is (worlds, rows)."""

    time: np.ndarray | None
    q: NamedArray | None
    v: NamedArray | None
    act: NamedArray | None
    sensors: NamedArray | None
    reports: np.ndarray
    message: str


def _list_of_states(states: Any) -> list[State]:
    each = list(states) if isinstance(states, Iterable) else [states]
    for state in each:
        if not isinstance(state, State):
            raise TypeError(f"states must be State objects, not {type(state).__name__}: make a State of the model, or sim.state.copy(), and write its q, v and time")
    return each


def rollout(model: Model, states: State | Iterable[State], controls: Any, threads: int = 0, *, every: int = 1,
            want: Iterable[str] = ("time", "q", "v", "sensors"), input: Input | None = None, **options: Any) -> Rollout:
    """Open-loop rollouts: worlds from initial states, each with its own controls.

    states: one for all worlds, or one a world. controls: (worlds, steps, nu), or (steps, nu) for all. input: what
    else acts in all worlds (forces, wrenches, mocap poses, velocity targets), for example ``sim.input``; None: mocap
    bodies stand where the model has them, and nothing acts. Options are those of a sim. Worlds that are refused are
    flagged in ``reports`` and their rows are NaN.
    """
    a = np.asarray(controls)
    starts = [states] if isinstance(states, State) else _list_of_states(states)
    if input is not None and not isinstance(input, Input):
        raise TypeError(f"input must be an Input, as sim.input is, not {type(input).__name__}")
    worlds = a.shape[0] if a.ndim == 3 else len(starts)
    if not starts or len(starts) not in (1, worlds):
        raise ValueError(f"there are {len(starts)} states and controls for {worlds} worlds")
    batch = Batch(model, worlds, threads=threads, max_memory=starts[0].max_memory, max_contacts=0, **options)
    batch.set_states(starts if len(starts) > 1 else starts[0])
    if input is not None:
        for name in ("force", "wrench", "mocap_pos", "mocap_quat", "velocity_target", "force_limit"):
            setattr(batch, name, getattr(input, name))
    return batch.run(controls, every=every, want=want)
