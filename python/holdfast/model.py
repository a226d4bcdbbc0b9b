"""Models and parameters of one world."""

from __future__ import annotations

import operator
import os
import warnings
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Iterator, TypedDict, Unpack

import numpy as np

from . import _core
from ._arrays import NamedArray, Places, assign, finite, floats, named, near, no_name
from ._files import FilePath, file_name, file_names, refuse_ending
from ._hints import Diagnostic, HoldfastWarning, ModelField, ModelType, refuse_no_model, with_diagnostics

_KINDS: dict[str, int] = {**_core.object_kinds, "key": _core.object_kinds["keyframe"]}
_NQ = (7, 4, 1, 1, 1)  # free, ball, slide, hinge, screw
_NV = (6, 3, 1, 1, 1)
JOINT_TYPES = ("free", "ball", "slide", "hinge", "screw")
GEOM_TYPES = ("plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "hfield")


def _kind_name(number: int) -> str:
    """Name of a kind of objects ("joint") by its number in C."""
    return next(name for name, n in _core.object_kinds.items() if n == number)


def _kind_number(name: str) -> int:
    """Number in C of a kind of objects."""
    if name not in _KINDS:
        raise KeyError(f'there is no kind "{name}" of objects; there are: {", ".join(_KINDS)}')
    return _KINDS[name]


def models_path(name: str = "") -> Path:
    """Folder of the scenes that come with Holdfast, or the file of one: ``models_path("pinch.xml")``."""
    return Path(__file__).parent / "models" / name


@contextmanager
def hint_at_shipped(path: str) -> Iterator[None]:
    """Adds to the refusal of a file that is not there how its namesake among the scenes that come with Holdfast is
    called, for which the command looks by itself: models/pinch.xml, or pinch.xml."""
    try:
        yield
    except _core.FileError as error:
        parts = Path(path).parts
        name = "/".join(parts[1:] if parts[:1] == ("models",) else parts)
        if not name or os.path.isabs(path) or ".." in parts or os.path.exists(path) or not models_path(name).is_file():
            raise
        raise _core.FileError(f'{error}; the file that comes with Holdfast is hf.models_path("{name}")') from None


_ACTUATORS = (None, "position", "velocity", "motor", "none")


class ImportOptions(TypedDict, total=False):
    """How :meth:`Model.from_file` reads a file."""

    merge_fixed: bool
    floating: bool
    fixed: bool
    skip_meshes: bool
    actuators: str | None
    kp: float
    kv: float
    srdf: FilePath | None


def servo_gain(name: str, value: Any) -> float:
    """A gain of a servo that is given as kp or kv."""
    if not 0 <= float(value) < float("inf"):
        raise ValueError(f"{name} must be a number >= 0, is {value!r}")
    return float(value)


def import_options(options: ImportOptions) -> dict[str, Any]:
    """The fields of ``hfImportConfig`` for the arguments of :meth:`Model.from_file`."""
    known = {"merge_fixed": "merge_fixed_links", "floating": "floating_base", "fixed": "fixed_base", "skip_meshes": "skip_meshes",
             "kp": "servo_kp", "kv": "servo_kv"}

    fields: dict[str, Any] = {}
    value: Any

    for name, value in options.items():
        if name == "actuators":
            if value not in _ACTUATORS:
                raise ValueError(f'actuators must be position, velocity, motor, none or None, is {value!r}')
            fields["urdf_actuators"] = _ACTUATORS.index(value)
        elif name in ("kp", "kv"):
            fields[known[name]] = servo_gain(name, value)
        elif name == "srdf":
            if value is not None:
                fields["srdf"] = file_name(value)
        elif name in known:
            fields[known[name]] = bool(value)
        else:
            raise TypeError(f"there is no option {name} for reading a file; there are: search, actuators, srdf, {', '.join(known)}")

    return fields


class Object:
    """A named part of a model: its id and its rows of the model's fields.

    ``model.joint("elbow").range`` is row ``id`` of ``model.jnt_range``.
    """

    model: Model
    kind: str
    id: int
    _prefix: str

    def __init__(self, model: Model, kind: str, prefix: str, index: int):
        self.__dict__.update(model=model, kind=kind, id=index, _prefix=prefix)

    @property
    def name(self) -> str:
        return self.model._name(_KINDS[self.kind], self.id)

    def __getattr__(self, field: str) -> Any:
        if field.startswith("__"):
            raise AttributeError(field)
        try:
            return getattr(self.model, f"{self._prefix}_{field}")[self.id]
        except AttributeError:
            if self.kind == "joint" and f"dof_{field}" in self.model._field_info:
                raise AttributeError(f"each velocity of a joint has its own {field}: model.dof_{field}[joint.dofadr]") from None
            raise AttributeError(f'a {self.kind} has no field "{field}"; it has {", ".join(self._field_names())}') from None

    def __setattr__(self, field: str, value: Any) -> None:
        raise AttributeError(f"a model never changes: {field} of a {self.kind} cannot be set; use Params for one world, or a Builder")

    def _field_names(self) -> list[str]:
        return [f.removeprefix(self._prefix + "_") for f in self.model._field_info if f.startswith(self._prefix + "_")]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._field_names()]

    def __index__(self) -> int:
        return self.id

    def __repr__(self) -> str:
        return f'<{self.kind} {self.id} "{self.name}">'


_PREFIX = {"body": "body", "joint": "jnt", "geom": "geom", "site": "site", "camera": "cam", "mesh": "mesh", "hfield": "hfield", "tendon": "tendon",
           "equality": "eq", "actuator": "actuator", "sensor": "sensor", "key": "key", "pair": "pair"}


def warn_of_shapes(model: Model) -> Model:
    """Warns of meshes of objects that collide as convex hulls of another shape, and of shapes so long that their unit
    may be the millimetre, from the line that made the model."""
    for kind, _, _, message, _ in model._diagnose():
        if kind == "warning" or message.startswith("a very long"):
            warnings.warn(message, HoldfastWarning, stacklevel=3)
    return model


class Model(_core.Model, metaclass=ModelType):
    """An immutable world: bodies, joints, geoms, actuators, sensors.

    Sizes are ``nq`` positions, ``nv`` velocities, ``nu`` controls, ``na`` activations, ``nbody`` and so on. Every field
    of the C header ``model.h`` is a read-only array: ``model.body_mass`` [kg], ``model.jnt_range`` [m or rad], ...
    Layouts and orders are MuJoCo's. Models can be pickled and shared by threads.
    """

    def __new__(cls, *args: Any, **options: Any) -> Model:
        raise TypeError("a model is read or built: Model.from_file(path), Model.from_string(text) or Builder.finish()")

    @classmethod
    def from_file(cls, path: FilePath, *, search: FilePath | Iterable[FilePath] = (), **options: Unpack[ImportOptions]) -> Model:
        """Reads MJCF, URDF or SDFormat, by the root element; or a model that :meth:`save` wrote.

        search: a folder, or several, for ``package://`` and relative files, after the file's own. What the reader has
        to say is in ``diagnostics``; meshes of objects whose convex hull, by which they collide, differs from them
        are a Python warning, too. Options:

        - merge_fixed=True (URDF): fold links on fixed joints into their parent
        - floating=True (URDF): give the root link a free joint
        - fixed=True (SDFormat): fix links that no joint moves in the world
        - actuators="position", "velocity", "motor" or "none" (URDF, SDFormat): one for every joint, whatever the file says
        - kp, kv (URDF): gains of servos; 0: by the joint's effort
        - srdf (URDF): MoveIt's file beside it, whose collision pairs are excluded and whose group states become keyframes
        - skip_meshes=True: leave out geoms whose mesh file is missing, cannot be read or is flat instead of refusing the model
        """
        name = file_name(path)
        with with_diagnostics(), hint_at_shipped(name):
            model = cls._load(name, file_names(search), import_options(options))
        model.__dict__["_source"] = name
        return warn_of_shapes(model)

    @classmethod
    def from_string(cls, text: str, *, name: str = "<string>", folder: FilePath = ".",
                    search: FilePath | Iterable[FilePath] = (), **options: Unpack[ImportOptions]) -> Model:
        """The same from text; ``name`` stands for the file in messages, relative files resolve from ``folder``."""
        with with_diagnostics():
            model = cls._parse(text, name, file_name(folder), file_names(search), import_options(options))
        model.__dict__["_source"] = name
        return warn_of_shapes(model)

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """A model from the bytes of :meth:`to_bytes`; every index in them is checked."""
        return cls._from_bytes(bytes(data))

    def to_bytes(self) -> bytes:
        """The whole model as one relocatable block."""
        return self._to_bytes()

    def save(self, path: FilePath) -> None:
        """Writes the block to a file, usually ``.hfm``, which :meth:`from_file` reads without parsing. Endings of
        other formats are refused."""
        name = file_name(path)
        refuse_ending(name, "save writes a block", ".hfm")
        self._save(name)

    def write(self, path: FilePath) -> list[Diagnostic]:
        """Writes the model as SDFormat (``.sdf``) or URDF (``.urdf``), for Gazebo, Drake and ROS.

        Meshes become OBJ files in the folder PATH.meshes. Returns warnings about what the format cannot say and the
        file lacks. URDF holds one robot: several bodies that float, loops, balls and screws are refused.
        :meth:`Builder.write` writes MJCF.
        """
        path = file_name(path)
        if path.endswith(".sdf"):
            return [Diagnostic(*d) for d in self._write_sdf(path)]
        if path.endswith(".urdf"):
            return [Diagnostic(*d) for d in self._write_urdf(path)]
        raise ValueError(f"{path}: the name must end in .sdf or .urdf; Builder.write writes MJCF, save a block")

    def __reduce__(self) -> Any:
        return (type(self).from_bytes, (self.to_bytes(),))

    # ---- sizes, fields, names -----------------------------------------------------------------------------

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return self._counts()

    @cached_property
    def _field_info(self) -> dict[str, tuple]:
        return {f[0]: f[1:] for f in self._fields()}

    if not TYPE_CHECKING:  # a type checker knows the fields (_fields.pyi), so that others are errors

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            if name in self._sizes:
                value = self._sizes[name]
            elif name in self._field_info:
                value = np.asarray(self._field(name)).view(ModelField)
            elif name in self.world:
                value = self.world[name]
            else:
                raise AttributeError(f'a model has no field "{name}"{near(name, [*self._sizes, *self._field_info, *self.world, *_PREFIX, "world"])}')
            self.__dict__[name] = value
            return value

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"a model never changes: {name} cannot be set; use Params for one world, or a Builder")
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._sizes, *self._field_info]

    @cached_property
    def world(self) -> dict[str, Any]:
        """World-wide values: timestep [s], gravity [m/s^2], default contact parameters, switches."""
        return self._world()

    @property
    def parameters(self) -> list[str]:
        """Fields that a world of its own may change, and those that follow from them: see :class:`Params` and
        ``Batch.params``."""
        return [name for name, info in self._field_info.items() if info[3]] + ["gravity"]

    @cached_property
    def diagnostics(self) -> list[Diagnostic]:
        """Notes and warnings of the reader, with file and line."""
        return [Diagnostic(*d) for d in self._diagnostics]

    def id(self, kind: str, name: str | int) -> int:
        """Id of an object by kind ("body", "joint", ...) and what logs call it (:meth:`labels`). "#ID" means an
        object that has no name, too. An id is checked and returned."""
        number = _kind_number(kind)
        if not isinstance(name, str):
            index = operator.index(name)
            if not 0 <= index < self._object_count(number):
                raise IndexError(f"no {kind} {index}: the model has {self._object_count(number)}")
            return index

        index = self._find(number, name)
        if index < 0:
            labels = self.labels(kind)
            name = self._by_number(kind).get(name, name)
            if name not in labels:
                raise KeyError(no_name(kind, name, labels))
            index = labels.index(name)
        return index

    def name(self, kind: str, index: int) -> str:
        """Name of an object, "" if it has none."""
        return self._name(_kind_number(kind), index)

    def names(self, kind: str) -> list[str]:
        """Names of all objects of a kind, in order of their ids."""
        number = _kind_number(kind)
        return [self._name(number, i) for i in range(self._object_count(number))]

    def labels(self, kind: str) -> list[str]:
        """What logs call all objects of a kind: their names, and "#ID" for those that have none. A free joint without
        a name is called like its body, unless a joint has that name."""
        return self._labels(_kind_number(kind))

    def _by_number(self, kind: str) -> dict[str, str]:
        """The labels of objects without a name, by "#ID"."""
        return {f"#{i}": label for i, (name, label) in enumerate(zip(self.names(kind), self.labels(kind))) if not name}

    def _object(self, kind: str, name: str | int) -> Object:
        return Object(self, kind, _PREFIX[kind], self.id(kind, name))

    def body(self, name: str | int) -> Object:
        """The body of this name or id."""
        return self._object("body", name)

    def joint(self, name: str | int) -> Object:
        """The joint of this name or id."""
        return self._object("joint", name)

    def geom(self, name: str | int) -> Object:
        """The geom of this name or id."""
        return self._object("geom", name)

    def site(self, name: str | int) -> Object:
        """The site of this name or id."""
        return self._object("site", name)

    def camera(self, name: str | int) -> Object:
        """The camera of this name or id."""
        return self._object("camera", name)

    def mesh(self, name: str | int) -> Object:
        """The mesh of this name or id."""
        return self._object("mesh", name)

    def hfield(self, name: str | int) -> Object:
        """The height field of this name or id."""
        return self._object("hfield", name)

    def tendon(self, name: str | int) -> Object:
        """The tendon of this name or id."""
        return self._object("tendon", name)

    def equality(self, name: str | int) -> Object:
        """The equality of this name or id."""
        return self._object("equality", name)

    def pair(self, name: str | int) -> Object:
        """The contact pair of this name or id."""
        return self._object("pair", name)

    def actuator(self, name: str | int) -> Object:
        """The actuator of this name or id."""
        return self._object("actuator", name)

    def sensor(self, name: str | int) -> Object:
        """The sensor of this name or id."""
        return self._object("sensor", name)

    def key(self, name: str | int) -> Object:
        """The keyframe of this name or id."""
        return self._object("key", name)


    # ---- places of names in arrays ------------------------------------------------------------------------

    def _joint_slices(self, starts: np.ndarray, counts: tuple[int, ...]) -> dict[str, slice]:
        places = {name: slice(int(starts[j]), int(starts[j]) + counts[self.jnt_type[j]]) for j, name in enumerate(self.labels("joint"))}
        return Places(places, self._by_number("joint"))

    @cached_property
    def _q_slices(self) -> dict[str, slice]:
        return self._joint_slices(self.jnt_qposadr, _NQ)

    @cached_property
    def _v_slices(self) -> dict[str, slice]:
        return self._joint_slices(self.jnt_dofadr, _NV)

    @cached_property
    def _u_slices(self) -> dict[str, slice]:
        return {n: slice(i, i + 1) for i, n in enumerate(self.labels("actuator"))}

    @cached_property
    def _act_slices(self) -> dict[str, slice]:
        count = [max(1, bin(int(s)).count("1")) for s in self.actuator_states]
        return {n: slice(int(a), int(a) + c) for n, a, c in zip(self.labels("actuator"), self.actuator_actadr, count) if a >= 0}

    @cached_property
    def _sensor_slices(self) -> dict[str, slice]:
        return {n: slice(int(a), int(a) + int(d))
                for n, a, d in zip(self.labels("sensor"), self.sensor_adr, self.sensor_dim)}

    @cached_property
    def _body_slices(self) -> dict[str, slice]:
        return {n: slice(i, i + 1) for i, n in enumerate(self.labels("body"))}

    @cached_property
    def _mocap_slices(self) -> dict[str, slice]:
        labels = self.labels("body")
        return {labels[b]: slice(i, i + 1) for i, b in enumerate(self.mocap_body)}

    def _named(self, view: Any, which: str) -> NamedArray:
        kind = {"q": "joint", "v": "joint", "u": "actuator", "act": "actuator", "sensor": "sensor", "body": "body", "mocap": "mocap body"}[which]
        return named(view, getattr(self, f"_{which}_slices"), kind, rows=which in ("body", "mocap"))

    # ---- the configuration manifold -----------------------------------------------------------------------

    def integrate(self, q: Any, v: Any, h: float) -> np.ndarray:
        """q (+) h v: positions after moving with velocities v (nv) for a time h [s]. Numbers that are not finite are
        refused: a quaternion would become the identity."""
        if not np.isfinite(h):
            raise ValueError(f"h must be a finite time [s], is {h!r}")
        return np.asarray(self._integrate(finite(q, (self.nq,), "q"), finite(v, (self.nv,), "v"), float(h)))

    def difference(self, q0: Any, q1: Any, h: float = 1.0) -> np.ndarray:
        """The shortest v (nv) with q1 = q0 (+) h v, over a time h [s] that is not zero."""
        if not np.isfinite(h) or h == 0:
            raise ValueError(f"h must be a finite time [s] that is not zero, is {h!r}")
        return np.asarray(self._difference(finite(q0, (self.nq,), "q0"), finite(q1, (self.nq,), "q1"), float(h)))

    def _title(self) -> str:
        """What messages call the model: its file if it has one, and its sizes."""
        source = self.__dict__.get("_source")
        return f"{source + ' ' if source else ''}({self.nbody - 1} bodies, nq {self.nq}, nv {self.nv}, nu {self.nu})"

    def __repr__(self) -> str:
        return f"<holdfast.Model: {self.nbody - 1} bodies, nq {self.nq}, nv {self.nv}, nu {self.nu}>"


def no_parameter(model: Model, name: str) -> AttributeError:
    """The refusal of a field that a world cannot have of its own."""
    if name in model._field_info:
        return AttributeError(f'"{name}" is the same in all worlds of a model: change it with a Builder; model.parameters lists what a world may have of its own')
    return AttributeError(f'"{name}" is no parameter that a world may have of its own{near(name, model.parameters)}; model.parameters lists all')


def parameters_of(model: Model, other: Model) -> dict[str, np.ndarray]:
    """Parameters of another model, which differs from this one in nothing else."""
    if not isinstance(other, Model):
        raise TypeError(f"a Model is needed, not {type(other).__name__}")
    for name, count in model._sizes.items():
        if other._sizes[name] != count:
            raise ValueError(f"the other model has {name} {other._sizes[name]}, this one {count}: worlds differ in parameters only")
    own = model.parameters
    fixed = [(name, model._field(name), other._field(name)) for name in model._field_info] + [(name, model.world[name], other.world[name]) for name in model.world]
    for name, here, there in fixed:
        if name not in own and not np.array_equal(here, there):
            raise ValueError(f'"{name}" of the other model is not that of this one: worlds differ in parameters only; model.parameters lists them')
    return {name: np.asarray(getattr(other, name)) for name in own}


class Params(_core.Params):
    """Masses, friction, stiffness, gains, gravity of one world, laid over a model that many share.

        params = hf.Params(model)
        params.geom_friction[:, 0] = 0.4
        params.update()                    # refused values raise and leave the old ones in force
        sim = hf.Sim(params)

    Every field in ``model.parameters`` is a writable array. A negative ``geom_stiffness``, ``geom_dissipation`` and
    the like mean the default of the world. ``update`` computes ``body_subtreemass``, ``body_iquat``, ``dof_M0`` and
    ``geom_rbound`` from the others, whatever is written there; a new mass leaves ``body_inertia`` as it is, and a new
    size leaves both, as in MuJoCo; :meth:`take` gives masses that a builder computed from sizes and densities.
    """

    _in_force: dict[str, bytes]  # numbers of the fields that were read, as they are in force

    def __new__(cls, model: Model) -> Params:
        refuse_no_model(model, "hf.Params")
        params = super().__new__(cls, model)
        params.__dict__["_in_force"] = {}
        return params

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            try:
                value = np.asarray(self._field(name))
            except AttributeError:
                raise no_parameter(self.model, name) from None
            self.__dict__[name] = value
            self._in_force[name] = value.tobytes()
            return value

    def __setattr__(self, name: str, value: Any) -> None:
        assign(getattr(self, name), value, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.model.parameters]

    def update(self) -> None:
        """Puts what was written in force and recomputes what depends on it."""
        self._update()
        self.__dict__["_in_force"] = {name: a.tobytes() for name, a in self.__dict__.items() if isinstance(a, np.ndarray)}

    def _warn_of_written(self, stacklevel: int) -> None:
        """Warns once of numbers that were written and do not act."""
        for name, in_force in self._in_force.items():
            if getattr(self, name).tobytes() != in_force:
                self._in_force.clear()
                warnings.warn(f"{name} was written and does not act: params.update() puts it in force", HoldfastWarning, stacklevel=stacklevel + 1)
                return

    def take(self, other: Model) -> None:
        """Writes all parameters of another model, which differs from this one in parameters only: for example one
        that a :class:`Builder` made with other sizes, from which it computed the masses and inertias. They act after
        ``update()``."""
        for name, value in parameters_of(self.model, other).items():
            setattr(self, name, value)

    def copy(self) -> Params:
        """Independent parameters of the same model: with the values in force, and with what was written since the
        last update."""
        return Params._of_values(self.model, self._values_in_force(), self._values_written())

    __copy__ = copy

    def __deepcopy__(self, memo: dict) -> Params:
        return self.copy()

    def __reduce__(self) -> Any:
        return (Params._of_values, (self.model, self._values_in_force(), self._values_written()))

    def _values_written(self) -> dict[str, np.ndarray]:
        return {name: np.array(getattr(self, name)) for name in self.model.parameters}

    def _values_in_force(self) -> dict[str, np.ndarray]:
        own = self.to_model()
        return {name: np.array(getattr(own, name)) for name in self.model.parameters}

    @classmethod
    def _of_values(cls, model: Model, in_force: dict[str, np.ndarray], written: dict[str, np.ndarray]) -> Params:
        params = cls(model)
        for name, value in in_force.items():
            setattr(params, name, value)
        params.update()
        for name, value in written.items():
            setattr(params, name, value)
        return params

    def __repr__(self) -> str:
        return f"<holdfast.Params: {self.model!r}>"

    def to_model(self) -> Model:
        """Returns a new model that has the values of the last ``update()``, for example to make a batch of it."""
        return Model.from_bytes(self._to_bytes())


def load(path: FilePath, *, search: FilePath | Iterable[FilePath] = (), **options: Unpack[ImportOptions]) -> Model:
    """A model from a file in MJCF, URDF, SDFormat or ``.hfm``: :meth:`Model.from_file`, with its arguments."""
    name = file_name(path)
    if os.path.splitext(name)[1].lower() in (".rec", ".hfr"):
        raise ValueError(f"{name} is a recording, not a model: hf.Recording({name!r})")
    return Model.from_file(path, search=search, **options)
