"""Stepping one world."""

from __future__ import annotations

import difflib
import html
import os
import tempfile
import warnings
import weakref
from io import FileIO
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, cast

import numpy as np

from . import _core
from ._arrays import NamedArray, floats, near, struct_dtype
from ._contacts import contact_columns
from ._files import FilePath, file_name, refuse_ending, refuse_same_file, written_beside
from ._hints import HoldfastWarning, refuse_no_model
from .model import Model, Params, _kind_name
from .problem import Problem
from .state import Input, State

CONTACT = struct_dtype(_core.contact_dtype())
_DEEP_OVERLAP = 5e-3  # [m], of bodies without keyframes; as the command
_LONG_STEP = 0.1  # [s]


def option_names() -> list[str]:
    """Names of all options of a sim, as in C: "method", "solver.tolerance", ..."""
    return _core.option_names()


def flatten_options(options: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """Nested options as the texts that the library reads: {"solver": {"tolerance": 1e-9}} -> {"solver.tolerance":
    "1e-09"}."""
    flat: dict[str, str] = {}

    for name, value in options.items():
        if isinstance(value, dict):
            flat.update(flatten_options(value, f"{prefix}{name}."))
        elif isinstance(value, (bool, np.bool_)):
            flat[prefix + name] = "1" if value else "0"
        elif isinstance(value, (int, np.integer)):
            flat[prefix + name] = str(int(value))
        elif isinstance(value, (float, np.floating)):
            flat[prefix + name] = repr(float(value))
        elif isinstance(value, str):
            flat[prefix + name] = value
        else:
            raise TypeError(f"option {prefix}{name} must be a number or a name, not {type(value).__name__}")

    return flat


def checked_options(options: dict[str, Any]) -> dict[str, str]:
    """Options of a sim as texts; a name that is none is refused with the nearest ones."""
    flat, known = flatten_options(options), option_names()
    for name in flat:
        if name not in known:
            near = difflib.get_close_matches(name, known, 3, 0.5)
            hint = f"; perhaps {' or '.join(near)}" if near else ""
            raise _core.ArgumentError(f'there is no option "{name}"{hint}; hf.option_names() lists all')
    return flat


def _checked(value: Any, kind: type, name: str) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be of the class {kind.__name__}, is of {type(value).__name__}")
    return value


class PairForce(NamedTuple):
    """Force on a body from contacts with another [N], world axes."""

    normal: np.ndarray
    friction: np.ndarray
    contacts: int

    @property
    def total(self) -> np.ndarray:
        return self.normal + self.friction


class Linear(NamedTuple):
    """A step near a state and an input: dx1 = A dx + B du, ds = C dx + D du, with x = (positions along the manifold
    (nv), velocities (nv), activations (na)), controls u (nu) and sensors s at the end of the step (nsensordata)."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


_ELSEWHERE = {"q": "state.q", "v": "state.v", "act": "state.act", "time": "state.time", "qpos": "state.q", "qvel": "state.v", "force": "input.force",
              "wrench": "input.wrench", "qfrc_applied": "input.force", "xfrc_applied": "input.wrench, torques first", "mocap_pos": "input.mocap_pos",
              "mocap_quat": "input.mocap_quat", "qacc": "acceleration", "sensordata": "sensors", "contact": "contacts()", "xpos": "poses", "xquat": "poses",
              "data": "state", "body": "pose(NAME)", "joint": "state.q[NAME] and sim.state.v[NAME]", "actuator": "input.ctrl[NAME]",
              "sensor": "sensors[NAME]"}  # what may be looked for in a sim, and where it is


class Report:
    """A page about a run: it replays the motion or plots it. Shows itself in a notebook; :meth:`save` writes it."""

    def __init__(self, text: str):
        self.html = text

    def save(self, path: FilePath) -> None:
        """Writes the page to a file, which any browser shows. Endings of other formats are refused."""
        refuse_ending(path, "this is a page", ".html", ".htm")
        with written_beside(path) as temporary:
            temporary.write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.html)}" style="width:100%;height:600px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<holdfast.Report: {len(self.html)} characters of HTML>"


class Sim(_core.Sim):
    """Steps a world.

        sim = hf.Sim(model, step=0.002, method="tamsi", solver={"tolerance": 1e-8})

    Options have the names of the C header ``sim.h`` (:func:`option_names` lists them); groups are dicts. The sim has a
    state and an input of its own; another state of the model can be given to every call. A sim holds nothing that
    changes a result. One thread may use it at a time: another gets a RuntimeError. Steps release the interpreter's
    lock, and the interrupt key ends a call of many steps with the state after the last whole one.
    """

    model: Model

    def __new__(cls, model: Model | Params, *, report: bool = False, **options: Any) -> Sim:
        refuse_no_model(model, "hf.Sim")
        return super().__new__(cls, model, checked_options(options))

    def __init__(self, model: Model | Params, *, report: bool = False, **options: Any):
        self._state, self._input = State(self.model), Input(self.model)
        self._made_of = model, options
        self._params = model if isinstance(model, Params) else None
        self._has_stepped = False
        self._probe: Sim | None = None
        self._page: FileIO | None = None  # the file of the report, which has no name: nothing is left of it, however the process ends
        if report:
            self._begin_report()
        if self.step_size > _LONG_STEP:
            warnings.warn(f"a step of {self.step_size:g} s is long: grips need about 0.002 s, and the unit is the second", HoldfastWarning, stacklevel=2)

    @property
    def state(self) -> State:
        """The sim's own state; another state of the model may take its place."""
        return self._state

    @state.setter
    def state(self, value: State) -> None:
        self._state = _checked(value, State, "state")

    @property
    def input(self) -> Input:
        """The sim's own input; another input of the model may take its place."""
        return self._input

    @input.setter
    def input(self, value: Input) -> None:
        self._input = _checked(value, Input, "input")

    def __setattr__(self, name: str, value: Any) -> None:
        field = getattr(type(self), name, None)
        if not name.startswith("_") and not hasattr(type(self), name):
            hint = f"it is sim.{_ELSEWHERE[name]}" if name in _ELSEWHERE else "options are given when it is made, as in hf.Sim(model, step=0.001)"
            raise AttributeError(f'a sim has no field "{name}" to set; {hint}')
        if isinstance(field, property) and field.fset is None:
            hint = "; set sim.input.ctrl" if name == "ctrl" else ""
            raise AttributeError(f"sim.{name} is a result of the last step, for reading{hint}")
        super().__setattr__(name, value)

    if not TYPE_CHECKING:  # a type checker knows the fields

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            hint = f"; it is sim.{_ELSEWHERE[name]}" if name in _ELSEWHERE else near(name, dir(type(self)))
            raise AttributeError(f'a sim has no field "{name}"{hint}')

    # ---- steps --------------------------------------------------------------------------------------------

    def _given(self, state: State | None, input: Input | None) -> tuple[State, Input]:
        """A state and an input of a call, where those that it leaves out are the sim's own."""
        return self._state if state is None else state, self._input if input is None else input

    def step(self, state: State | int | None = None, input: Input | None = None, steps: int = 1) -> int:
        """Takes steps, ``step(1000)`` or ``step(steps=1000)``; returns 0, or the number of the first numerical
        difficulty (:func:`status_name`).

        A refusal (NaN, a state of another model) raises and leaves the state as it was before that step. The first
        step of a sim warns of bodies that overlap where nobody chose how they start, and each step of parameters
        that were written without ``update()``.
        """
        if isinstance(state, (int, np.integer)):
            if steps != 1:
                raise TypeError(f"the number of steps is given twice, {state} and {steps}")
            given, steps = self._given(None, input), int(state)
        else:
            given = self._given(state, input)
        if self._params is not None:
            self._params._warn_of_written(stacklevel=2)

        try:
            if not self._has_stepped:
                return self._take_first_step(*given, steps)
            return self._step(*given, steps)
        except ValueError as error:
            raise self._about_models(error, *given) from None

    def _take_first_step(self, state: State, input: Input, steps: int) -> int:
        """Takes the first step of this sim alone, to see how bodies start, and then the others."""
        self._has_stepped = True
        m = self.model
        is_default = isinstance(state, State) and state.time == 0 and np.array_equal(state.q, m.qpos0)
        if not is_default or not isinstance(steps, (int, np.integer)) or steps < 1:
            return self._step(state, input, steps)

        status = self._step(state, input, 1)
        warning = self._describe_overlap()
        if warning:
            warnings.warn(warning, HoldfastWarning, stacklevel=3)
        later = self._step(state, input, steps - 1) if steps > 1 else 0
        return status or later

    def _describe_overlap(self) -> str:
        """What the command says of bodies that overlap at the start; "" where they do not."""
        m, contacts = self.model, self.contacts()
        worth_saying = 1e-3 if m.nkey else _DEEP_OVERLAP
        if not len(contacts) or contacts["depth"].max() <= worth_saying:
            return ""
        deepest = contacts[contacts["depth"].argmax()]
        bodies = m.labels("body")
        a, b = bodies[m.geom_body[deepest["geom_a"]]], bodies[m.geom_body[deepest["geom_b"]]]
        keys = m.labels("key")
        way_out = (f'start from a keyframe of the model: sim.reset("{"home" if "home" in keys else keys[0]}")' if keys
                   else "move one of them; if they are meant to overlap, exclude their contact (builder.add_exclude, <exclude> in MJCF)")
        return f"bodies overlap at the start, {a} and {b} by {deepest['depth']:.2g} m; {way_out}"

    def _about_models(self, error: ValueError, state: State, input: Input) -> ValueError:
        """The refusal of a step; that of a state or an input of another model names both models."""
        for name, part in (("state", state), ("input", input)):
            theirs = getattr(part, "model", self.model)
            if theirs is not self.model and "another model" in str(error):
                return type(error)(f"the {name} is of another model, {theirs._title()}, than the sim, {self.model._title()}: "
                                   f"make it of sim.model, or make another sim. {error}")
        return error

    def evaluate(self, state: State | None = None, input: Input | None = None) -> None:
        """Computes poses, contacts, sensors and forces at a state without stepping. Contacts have the normal forces
        of their overlaps, without friction, also if their bodies sleep. They act on nothing: accelerations are those
        without contacts, equalities and limits, and sensors find contacts and measure no forces of them."""
        self._evaluate(*self._given(state, input))

    def reset(self, key: str | int | None = None) -> None:
        """Puts the sim's own state and input at a keyframe, or at the model's reference. Results (poses, sensors,
        contacts) are those of the last step until :meth:`evaluate` or :meth:`step` is called."""
        self.state.reset(key, self.input)
        self.input.force[:] = 0
        self.input.wrench[:] = 0
        self.input.velocity_target[:] = np.nan
        self.input.force_limit[:] = np.inf

    def problem(self, state: State | None = None, input: Input | None = None) -> Problem:
        """The step problem that the next step would solve, as an object of its own."""
        return Problem(self._problem(*self._given(state, input)))

    def inverse(self, v1: Any, state: State | None = None, input: Input | None = None) -> np.ndarray:
        """Generalised force (nv) [N or N m] with which the step ends at velocities v1 (nv), contacts included.

        It is the inverse of the step problem of ``tamsi`` and ``convex``. A step does more where contacts close that
        only its solution shows, where a link turns by more than 0.014 rad, where nothing but gravity acts on a tree,
        and where a free body turns by about a radian: there the inverse of a step's own velocities may be far from
        zero. With ``gyroscopic="off"`` and ``anticipate="off"`` it is not."""
        return np.asarray(self._inverse(*self._given(state, input), floats(v1, (self.model.nv,), "v1")))

    def linearise(self, state: State | None = None, input: Input | None = None, *, eps: float = 1e-6) -> Linear:
        """Derivatives of one step by central differences, with steps of eps [m, rad, m/s, ...]; contacts, friction
        and their memory are in them.

        The state stays as it is, and so do the results of the last step. At an end of its range a control moves to
        one side only. A control that is left to a signal of the scene (NaN) moves about what the signal gives in this
        step."""
        if not 0 < eps < float("inf"):
            raise ValueError(f"eps must be a number > 0, is {eps!r}")
        start, given = self._given(state, input)
        _checked(start, State, "state"), _checked(given, Input, "input")
        m = self.model
        self._probe = self._probe or Sim(self._made_of[0], **self._made_of[1])
        self._probe._has_stepped = True  # it warns of nothing
        nx = 2 * m.nv + m.na
        columns = [self._slope(start, given, np.eye(1, nx + m.nu, k)[0], eps, eps) for k in range(nx)]
        acting = given.copy()
        if np.isnan(given.ctrl).any():
            self._probe.step(start.copy(), given)
            acting.ctrl = np.where(np.isnan(given.ctrl), self._probe.ctrl, given.ctrl)
        for u in range(m.nu):
            low, high = m.actuator_ctrlrange[u] if m.actuator_ctrllimited[u] else (-np.inf, np.inf)
            up, down = (eps if acting.ctrl[u] + eps <= high else 0.0), (eps if acting.ctrl[u] - eps >= low else 0.0)
            columns.append(self._slope(start, acting, np.eye(1, nx + m.nu, nx + u)[0], up, down))
        slopes = np.array(columns).reshape(nx + m.nu, nx + m.nsensordata).T
        return Linear(slopes[:nx, :nx], slopes[:nx, nx:], slopes[nx:, :nx], slopes[nx:, nx:])

    def _slope(self, start: State, given: Input, direction: np.ndarray, up: float, down: float) -> np.ndarray:
        """Change of the end of a step and of its sensors along a direction of (x, u), over up + down."""
        m = self.model
        if up + down == 0:
            return np.zeros(2 * m.nv + m.na + m.nsensordata)
        (high, high_sensors), (low, low_sensors) = (self._step_beside(start, given, amount * direction) for amount in (up, -down))
        ends = m.difference(low.q, high.q), high.v - low.v, high.act - low.act, high_sensors - low_sensors
        return np.concatenate(ends) / (up + down)

    def _step_beside(self, start: State, given: Input, change: np.ndarray) -> tuple[State, np.ndarray]:
        """Change the start and the controls by `change` and take a step. Returns its end and its sensors."""
        m, state, input, probe = self.model, start.copy(), given.copy(), self._probe
        assert probe is not None
        dq, dv, act, u = np.split(change, np.cumsum([m.nv, m.nv, m.na]))
        if dq.any():
            state.q = m.integrate(state.q, dq, 1.0)
        state.v += dv
        state.act += act
        input.ctrl += u
        probe.step(state, input)
        return state, probe.sensors

    # ---- results of the last step ---------------------------------------------------------------------------

    def contacts(self) -> np.ndarray:
        """Contacts of the last step as a structured array: geom_a, geom_b, body_a, body_b, p_W [m], n_W (from B into
        A), depth [m], fn [N], ft [N] (forces on A, world axes), torque [N m], vt, vn [m/s], stick, mu. A copy."""
        return np.frombuffer(self._contacts(), CONTACT)

    def contacts_table(self) -> dict[str, np.ndarray]:
        """Contacts of the last step as columns for a table, with the time of the state [s] and the names of bodies
        and geoms: ``pandas.DataFrame(sim.contacts_table())``. :meth:`Recording.contacts_table` has those of a whole
        run."""
        contacts = self.contacts()
        return contact_columns(self.model, np.full(len(contacts), self.state.time), contacts)

    def pair_force(self, body_a: str | int, body_b: str | int | None = None) -> PairForce:
        """Force on body A from contacts with body B (None: with any body), normal and friction apart. Contacts among
        bodies that sleep, and of these with what is fixed, are not counted."""
        a = self.model.id("body", body_a)
        b = _core.any_body if body_b is None else self.model.id("body", body_b)
        n, f, count = self._pair_force(a, b)
        return PairForce(np.array(n), np.array(f), count)

    @property
    def sensors(self) -> NamedArray:
        """Sensor data at the end of the last step, with names. A copy, like all results below."""
        return self.model._named(self._array("sensors"), "sensor")

    @property
    def ctrl(self) -> NamedArray:
        """Controls that acted in the last step (nu), for reading; ``sim.input.ctrl`` sets those of the next."""
        ctrl = self.model._named(self._array("ctrl"), "u")
        ctrl.flags.writeable = False
        return ctrl

    @property
    def actuator_force(self) -> NamedArray:
        """Forces of the actuators (nu) [N or N m], before limits of their joints (`effort` of URDF,
        `actuatorfrcrange` of MJCF); a sensor `jointactuatorfrc` has what acts on a joint."""
        return self.model._named(self._array("actuator_force"), "u")

    @property
    def target_force(self) -> NamedArray:
        """Forces of the velocity targets (nv) [N or N m]."""
        return self.model._named(self._array("target_force"), "v")

    @property
    def acceleration(self) -> NamedArray:
        """(v1 - v0)/h (nv)."""
        return self.model._named(self._array("acceleration"), "v")

    @property
    def poses(self) -> NamedArray:
        """Poses of all bodies at the end of the step (nbody, 7): position [m], quaternion w x y z; ``poses["cup"]``
        is a row."""
        return self.model._named(self._poses(), "body")

    def pose(self, body: str | int) -> tuple[np.ndarray, np.ndarray]:
        """(position (3) [m], quaternion (4) w x y z) of a body."""
        row = np.asarray(self._poses())[self.model.id("body", body)]
        return row[:3], row[3:]

    @property
    def stats(self) -> dict[str, Any]:
        """What the last step has to say: status, contacts, iterations, residuals, rung, and the worst violations of
        equalities and limits at its start.

        ``stats["violation.equality_distance"]`` is how far points that should meet are apart [m], with
        ``.equality_angle`` [rad], ``.limit_distance`` [m] and ``.limit_angle`` [rad]. The same key with ``.kind`` and
        ``.name`` says which equality, joint or tendon it is: "" where nothing is violated, and a name "#ID" where it
        has none. ``stats["nlet_go"]`` counts equalities that open though they pull as hard as they may and limits
        that are passed further and further; ``stats["let_go"]`` names the first of them, and ``stats["let_go_kind"]``
        says whether it is an "equality", "joint" or "tendon"."""
        stats = self._last_report()
        stats["let_go_kind"] = _kind_name(stats["let_go_kind"]) if stats["nlet_go"] else ""
        stats["let_go"] = self.model.labels(stats["let_go_kind"])[stats["let_go"]] if stats["nlet_go"] else ""
        for key in [k.removesuffix(".amount") for k in stats if k.endswith(".amount")]:
            amount, kind, index = (stats.pop(f"{key}.{part}") for part in ("amount", "kind", "id"))
            stats[key] = amount
            stats[f"{key}.kind"] = _kind_name(kind) if amount > 0 else ""
            stats[f"{key}.name"] = (self.model._name(kind, index) or f"#{index}") if amount > 0 else ""
        return stats

    @property
    def switches(self) -> list[dict[str, Any]]:
        """Method "switching": switches between rigid and compliant contact in the last step."""
        return self._switches()

    # ---- files ------------------------------------------------------------------------------------------------

    def record(self, recording: FilePath | None = None, *, states: FilePath | None = None,
               contacts: FilePath | None = None, interval: float = 1 / 60, actuator_forces: bool = False,
               sensors: bool = False, bodies: Iterable[str] = ()) -> Sim:
        """Writes every following step to files: a recording, a CSV of states, a CSV of contacts. :meth:`stop` ends it;
        so does leaving ``with sim.record(...):``.

        interval: time between frames of the recording [s], 0: every step. The last frame is the end of the run,
        whenever that is. The CSV of states has forces of the actuators, sensors and poses of these bodies too where
        they are asked for. Where one of the files is refused, none is written. A recording holds one run: a step from
        an earlier time than the last one, as after a reset, or with parameters that were updated since the first
        step, is refused until :meth:`stop`, and leaves the state as it was. CSV files take any states. After a fork
        only the process that opened the files writes them.
        """
        if not 0 <= interval < float("inf"):
            raise ValueError(f"interval must be a time >= 0 [s], is {interval!r}")
        if isinstance(bodies, str):
            raise TypeError(f'bodies must be a list of names, for example ["{bodies}"]')
        if recording is None and states is None and contacts is None:
            raise ValueError("which file? Give a recording, states or contacts")
        if states is None and (actuator_forces or sensors or bodies):
            raise ValueError("actuator_forces, sensors and bodies are columns of the CSV of states, which is not asked for")
        refuse_same_file({"recording": recording, "states": states, "contacts": contacts})
        if recording is not None:
            refuse_ending(recording, "this is a recording", ".rec", ".hfr")
        for table in (states, contacts):
            if table is not None:
                refuse_ending(table, "this is a table", ".csv", ".txt")
        opened = [False, False]
        _WRITING.add(self)
        try:
            if recording is not None:
                self._record(file_name(recording), float(interval))
                opened[0] = True
            if states is not None:
                self._log_states(file_name(states), actuator_forces, sensors, list(bodies))
                opened[1] = True
            if contacts is not None:
                self._log_contacts(file_name(contacts))
        except BaseException:
            self._give_up(*opened)
            raise
        return self

    def stop(self) -> None:
        """Writes the end of the run to the recording, and closes the files."""
        self._detach()

    def __enter__(self) -> Sim:
        return self

    def __exit__(self, *error: Any) -> None:
        self._detach()

    def _begin_report(self) -> None:
        self._page = cast(FileIO, tempfile.TemporaryFile(buffering=0))
        _WRITING.add(self)
        self._begin_report_file(f"/dev/fd/{self._page.fileno()}")

    def _leave_files_to_parent(self) -> None:
        """In a forked process: what this sim writes belongs to the process that began it, which goes on writing."""
        self._leave_files()
        self._page = None

    def report(self, title: str = "Holdfast", lines: dict[str, Any] | None = None) -> Report:
        """The report of all steps since the sim was made with ``report=True``, or since the last report. One that
        cannot be written is lost; the next one begins at once."""
        if self._page is None:
            raise RuntimeError("no report is being made: make the sim with hf.Sim(model, report=True), and in this process, not in the one from which it was forked")
        place = f"/dev/fd/{self._page.fileno()}"
        try:
            self._close_report(title, [(str(k), str(v)) for k, v in (lines or {}).items()], place)
            self._page.seek(0)
            return Report(self._page.read().decode("utf-8"))
        except _core.FileError as error:
            raise _core.FileError(str(error).replace(place, f"the report, a file in {tempfile.gettempdir()}")) from None
        finally:
            self._page.seek(0)
            self._page.truncate()

    def __reduce__(self) -> Any:
        raise TypeError("a sim cannot be pickled or copied: pickle or copy its model, state and input, and make another sim of the model")

    def __repr__(self) -> str:
        return f"<holdfast.Sim: {self.model!r}, step {self.step_size:g} s>"


_WRITING: weakref.WeakSet[Sim] = weakref.WeakSet()  # sims that write files, or did


def _leave_files_to_parent() -> None:
    for sim in _WRITING:
        sim._leave_files_to_parent()


os.register_at_fork(after_in_child=_leave_files_to_parent)


def status_name(status: int) -> str:
    """Short name of a status, for example "not converged"."""
    return _core.status_name(status)
