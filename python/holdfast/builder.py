"""Models from definitions."""

from __future__ import annotations

import operator
import os
import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any, Iterable, Sequence, Unpack
from xml.sax import saxutils

import numpy as np

from . import _core, quat
from ._arrays import floats, near, no_name
from ._files import FilePath, file_name, file_names
from ._hints import Diagnostic, HoldfastWarning, with_diagnostics
from .model import GEOM_TYPES, JOINT_TYPES, ImportOptions, Model, _kind_number, hint_at_shipped, import_options, servo_gain, warn_of_shapes

_MOTOR = ("resistance", "constant", "tempcoef", "reftemp", "ambient", "thermal_resistance", "thermal_capacity", "time_constant", "current_rate",
          "cogging", "poles", "phase", "bristle_stiffness", "bristle_damping", "coulomb", "static", "stribeck", "kp", "ki", "kd", "slewmax", "imax", "vmax")
_INPUTS = ("pos", "vel", "ff", "voltage")
_TRANSMISSIONS = ("joint", "joint_in_parent", "tendon", "site", "body", "slider_crank")
_SENSORS = ("touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "jointpos", "jointvel", "tendonpos",
            "tendonvel", "actuatorpos", "actuatorvel", "actuatorfrc", "jointactuatorfrc", "ballquat", "ballangvel",
            "jointlimitpos", "jointlimitvel", "jointlimitfrc", "framepos", "framequat", "framexaxis", "frameyaxis",
            "framezaxis", "framelinvel", "frameangvel", "framelinacc", "frameangacc", "subtreecom", "subtreelinvel",
            "subtreeangmom", "clock", "e_potential", "e_kinetic", "contact", "tendonactuatorfrc",
            "tendonlimitpos", "tendonlimitvel", "tendonlimitfrc", "magnetometer", "rangefinder", "insidesite", "distance",
            "normal", "fromto", "user", "camprojection")
_CAMERA_MODES = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")


_KINDS = ("body", "joint", "geom", "site", "camera", "mesh", "hfield", "tendon", "equality", "pair", "actuator", "sensor", "key")
_CHOICES = {"method": ("tamsi", "convex", "mlcp", "rk3", "implicit-euler", "sdirk", "switching"),
            "friction": ("regularised", "smooth", "anchored", "coulomb"), "friction_rule": ("max", "harmonic")}


# Fields whose numbers have names, in the order of the enums of the library.
_WORDS = {"interp": ("zoh", "linear", "cubic"), "sleep": ("auto", "never", "allowed", "init"), "trntype": _TRANSMISSIONS,
          "dyntype": ("none", "integrator", "filter", "filterexact", "error", "slew", "muscle", "motor"),
          "gaintype": ("fixed", "affine", "muscle", "motor", "orientation"), "biastype": ("none", "affine", "muscle"),
          "drive": ("servo", "constraint", "computed-torque"), "reduce": ("none", "mindist", "maxforce", "netforce")}
_EQUALITIES = ("connect", "weld", "joint", "tendon")


_ELSEWHERE = {"compile": "finish()", "to_xml": "write(PATH)", "to_file": "write(PATH)", "worldbody": 'body("world")', "option": "world and set_world()",
              "opt": "world and set_world()", "delete": "remove(KIND, NAME)", **{kind + "s": f'names("{kind}")' for kind in ("geom", "joint", "site", "camera", "mesh",
              "hfield", "tendon", "pair", "actuator", "sensor", "key")}, "bodies": 'names("body")',
              "equalities": 'names("equality")'}  # what may be looked for in an mjSpec, and what it is here


_LIGHT = 10.0  # [kg/m^3]: a third of the lightest foams
_ACTUATOR_KINDS = ("motor", "position", "velocity", "general", "dcmotor", "orientation")


def _with_quat(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with a quat in the place of euler [rad], about axes that turn along, as MJCF's eulerseq "xyz"."""
    if "euler" not in fields:
        return fields
    if "quat" in fields:
        raise ValueError("an orientation is given once: by quat or by euler")
    turn = quat.from_euler(fields["euler"])
    return {**{name: value for name, value in fields.items() if name != "euler"}, "quat": tuple(turn.tolist())}


def _filled(value: Any, defaults: Sequence[float], name: str) -> Any:
    """The numbers of a field, with its defaults behind those that are given: friction=0.5, as in MJCF."""
    given = np.atleast_1d(floats(value, None, name))
    if given.ndim != 1 or not 0 < given.size < len(defaults):
        return value
    return (*given.tolist(), *defaults[given.size:])


def _geom_fields(fields: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """The fields of a geom or a site, where friction, size and rgba may be as short as in MJCF. now: the numbers that
    hold where none are given; a size that is left out is 0."""
    fields = _with_quat(fields)
    for name, behind in (("friction", now.get("friction", (1, 0.005, 0.0001))), ("rgba", (0.5, 0.5, 0.5, 1.0)), ("size", (0.0, 0.0, 0.0))):
        if fields.get(name) is not None:
            fields = {**fields, name: _filled(fields[name], behind, name)}
    if fields.get("rgba") is not None and np.max(floats(fields["rgba"], None, "rgba"), initial=0) > 1:
        raise ValueError(f"rgba has numbers from 0 to 1, is {tuple(fields['rgba'])}: divide by 255")
    return fields


_OTHER_WORDS = {"prismatic": "slide", "revolute": "hinge", "continuous": "hinge", "spherical": "ball", "floating": "free", "cube": "box",
                "cuboid": "box", "fixed": "weld", "orientation": "framequat", "position": "framepos", "joint_position": "jointpos"}  # of other formats


def _number(value: Any, names: Sequence[str], what: str) -> int:
    if not isinstance(value, str):
        return operator.index(value)
    if value not in names:
        hint = f"; perhaps {_OTHER_WORDS[value]}" if _OTHER_WORDS.get(value) in names else near(value, names)
        raise ValueError(f'{what} must be one of {", ".join(names)}, is "{value}"{hint}')
    return names.index(value)


def _known_kind(kind: str) -> str:
    """The name of a kind of objects in the library; "key" is short for "keyframe"."""
    if kind not in (*_KINDS, "keyframe"):
        raise ValueError(f'kind must be one of {", ".join(_KINDS)}, is {kind!r}')
    return "keyframe" if kind == "key" else kind


def _with_numbers(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with numbers instead of the names of _WORDS."""
    return {name: _number(value, _WORDS[name], name) if name in _WORDS else value for name, value in fields.items()}


class Builder(_core.Builder):
    """Makes a model from definitions; each ``add_`` returns the new id.

        b = hf.Builder(timestep=0.002)
        b.add_geom(type="plane", name="floor")
        ball = b.add_body(name="ball", pos=(0, 0, 1))
        b.add_joint(ball, "free")
        b.add_geom(ball, type="sphere", size=(0.05, 0, 0), mass=0.2)
        model = b.finish()

    Fields have the names of the C header ``builder.h``; angles are radians, lengths metres. Bodies, joints, sites and
    so on may be given by name; a free joint without a name is called like its body, unless a joint has that name, any
    other object without a name ``#ID``. :meth:`from_file` opens a file as a builder: change it with the ``set_``
    functions, :meth:`attach` other builders, :meth:`finish` it or :meth:`write` it as one MJCF file.
    """

    diagnostics: list[Diagnostic]
    """What the reader of :meth:`from_file` had to say."""

    def __init__(self, **world: Any):
        self.diagnostics = []
        self.set_world(**world)

    @cached_property
    def _without_inertia(self) -> list[int]:
        """Bodies that were added with a mass and without an inertia."""
        return []

    @classmethod
    def from_file(cls, path: FilePath, *, search: FilePath | Iterable[FilePath] = (), **options: Unpack[ImportOptions]) -> Builder:
        """Reads MJCF, URDF or SDFormat; the arguments are those of :meth:`Model.from_file`."""
        name = file_name(path)
        with with_diagnostics(), hint_at_shipped(name):
            builder, said = cls._load(name, file_names(search), import_options(options))
        builder.diagnostics = [Diagnostic(*d) for d in said]
        return builder

    @classmethod
    def from_string(cls, text: str, *, name: str = "<string>", folder: FilePath = ".",
                    search: FilePath | Iterable[FilePath] = (), **options: Unpack[ImportOptions]) -> Builder:
        """The same from text; the arguments are those of :meth:`Model.from_string`."""
        with with_diagnostics():
            builder, said = cls._parse(text, name, file_name(folder), file_names(search), import_options(options))
        builder.diagnostics = [Diagnostic(*d) for d in said]
        return builder

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not hasattr(type(self), name) and name in self.world:
            raise AttributeError(f"write set_world({name}=...): what is set on a builder itself acts on nothing")
        super().__setattr__(name, value)

    if not TYPE_CHECKING:  # a type checker knows the methods

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            hint = f"; it is {_ELSEWHERE[name]}" if name in _ELSEWHERE else near(name, dir(type(self)))
            raise AttributeError(f'a builder has no "{name}"{hint}')

    def copy(self) -> Builder:
        """An independent builder with the same definitions, for example to try several sizes of a finger from one
        robot."""
        other = type(self)()
        self._copy_to(other)
        other.diagnostics = list(self.diagnostics)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict) -> Builder:
        return self.copy()

    def names(self, kind: str) -> list[str]:
        """Names of all objects of a kind ("body", "joint", "geom", "site", "camera", "mesh", "hfield", "tendon",
        "equality", "pair", "actuator", "sensor" or "key") in order of their ids; "" for those that have none."""
        return self._names(_core.object_kinds[_known_kind(kind)])

    @property
    def world(self) -> dict[str, Any]:
        """World-wide values as they stand, by the names that :meth:`set_world` takes. A copy. A stiffness of 0 is
        chosen by :meth:`finish`."""
        return self._get_world()

    def attach(self, guest: Builder | FilePath, parent: Any = 0, *, pos: Any = (0, 0, 0), quat: Any = (1, 0, 0, 0), prefix: str | None = None,
               suffix: str | None = None, body: str | None = None, site: str | None = None,
               euler: Any = None) -> None:
        """Copies what another builder holds: its tree, then contacts, tendons, equalities, actuators, sensors and
        keyframes.

        guest: a builder, or a file, which is read. euler: three angles [rad] in the place of quat. parent: the body that takes the place of the guest's world, at pos [m] and quat in it. prefix, suffix: of all
        names that are attached. body: only the subtree of this body of the guest. site: a site of this builder, for
        example the flange of an arm; its body is the parent, and pos and quat are in its frame. On a refusal, for
        example of a name that both have, nothing changes.
        """
        if isinstance(guest, Model):
            raise TypeError("attach takes a Builder or a file: read the model's file as hf.Builder.from_file(PATH)")
        if not isinstance(guest, _core.Builder):
            guest = Builder.from_file(guest)
        turned = _with_quat({"quat": quat} if euler is None else {"euler": euler})
        self._attach(guest, {"parent": self._id("body", parent), "pos": pos, **turned, "prefix": prefix, "suffix": suffix,
                             "body": body, "site": site})

    def write(self, path: FilePath) -> list[Diagnostic]:
        """Writes everything as one MJCF file, which gives the same model again; an older file stays if that is refused.

        A path that ends in ``.sdf`` or ``.urdf`` gets SDFormat or URDF, as from :meth:`Model.write`: then what is
        returned says what the format cannot say. One that ends in ``.hfm`` gets the block of :meth:`Model.save`, as
        from ``holdfast convert``.
        """
        name = file_name(path)
        if name.endswith((".sdf", ".urdf")):
            return self.finish().write(name)
        if name.endswith(".hfm"):
            self.finish().save(name)
        elif os.path.splitext(name)[1] in (".xml", ".mjcf", ""):
            self._write(name)
        else:
            raise ValueError(f"{name}: the name must end in .xml (MJCF), .sdf, .urdf or .hfm")
        return []

    def body(self, body: Any) -> dict[str, Any]:
        """The definition of a body as it stands, by the names that ``set_body`` takes. A copy, as of all these
        functions."""
        return self._get_body(self._id("body", body))

    def joint(self, joint: Any) -> dict[str, Any]:
        """The definition of a joint."""
        return self._get_joint(self._id("joint", joint))

    def geom(self, geom: Any) -> dict[str, Any]:
        """The definition of a geom."""
        return self._get_geom(self._id("geom", geom))

    def site(self, site: Any) -> dict[str, Any]:
        """The definition of a site."""
        return self._get_site(self._id("site", site))

    def camera(self, camera: Any) -> dict[str, Any]:
        """The definition of a camera."""
        return self._get_camera(self._id("camera", camera))

    def tendon(self, tendon: Any) -> dict[str, Any]:
        """The definition of a tendon, without its joints or path."""
        return self._get_tendon(self._id("tendon", tendon))

    def equality(self, equality: Any) -> dict[str, Any]:
        """The definition of an equality."""
        return self._get_equality(self._id("equality", equality))

    def pair(self, pair: Any) -> dict[str, Any]:
        """The definition of a contact pair."""
        return self._get_pair(self._id("pair", pair))

    def actuator(self, actuator: Any) -> dict[str, Any]:
        """The definition of an actuator."""
        return self._get_actuator(self._id("actuator", actuator))

    def sensor(self, sensor: Any) -> dict[str, Any]:
        """The definition of a sensor."""
        return self._get_sensor(self._id("sensor", sensor))

    def remove(self, kind: str, name: Any) -> None:
        """Removes an object, ``remove("body", "cup")``, with all that is in it and all that refers to it: with a body
        its subtree, with a joint the tendons, equalities, actuators and sensors on it, with a mesh its geoms, with
        one input of a DC motor or orientation servo the others. Keyframes lose its numbers. Ids of what stays have no
        gaps and keep their order; names stay. On a refusal nothing changes.
        """
        kind = _known_kind(kind)
        self._remove(_core.object_kinds[kind], self._id(kind, name))

    def set_world(self, **fields: Any) -> None:
        """Changes world-wide values: timestep [s], gravity [m/s^2], stiffness [N/m], method and friction by name, ...
        A refusal leaves all of them as they were."""
        for name, choices in _CHOICES.items():
            if name in fields:
                fields[name] = _number(fields[name], choices, name)
        self._set_world(fields)

    def set_body(self, body: Any, **fields: Any) -> None:
        """Changes a body; its name and parent stay. A refusal leaves it as it was, as for all ``set_`` functions."""
        if "mass" in fields or "inertia" in fields:
            fields.setdefault("has_inertial", 1)
        if "parent" in fields:
            fields["parent"] = self._id("body", fields["parent"])
        self._change("body", body, _with_numbers(_with_quat(fields)), "parent")

    def set_joint(self, joint: Any, **fields: Any) -> None:
        """Changes a joint; its name, body and type stay."""
        if "range" in fields:
            fields.setdefault("limited", 1)
        if "type" in fields:
            fields["type"] = _number(fields["type"], JOINT_TYPES, "type")
        if "body" in fields:
            fields["body"] = self._id("body", fields["body"])
        self._change("joint", joint, fields, "body", "type")

    def set_geom(self, geom: Any, **fields: Any) -> None:
        """Changes a geom; its name stays."""
        if "type" in fields:
            fields["type"] = _number(fields["type"], GEOM_TYPES, "type")
        for kind in ("body", "mesh", "hfield"):
            if isinstance(fields.get(kind), str):
                fields[kind] = self._id(kind, fields[kind])
        self._change("geom", geom, _geom_fields(fields, self.geom(geom)))

    def set_site(self, site: Any, **fields: Any) -> None:
        """Changes a site; its name stays."""
        if "type" in fields:
            fields["type"] = _number(fields["type"], GEOM_TYPES, "type")
        if "body" in fields:
            fields["body"] = self._id("body", fields["body"])
        self._change("site", site, _geom_fields(fields, {}))

    def set_camera(self, camera: Any, **fields: Any) -> None:
        """Changes a camera; its name stays."""
        if "body" in fields:
            fields["body"] = self._id("body", fields["body"])
        self._change("camera", camera, self._camera_fields(fields))

    def _camera_fields(self, fields: dict[str, Any]) -> dict[str, Any]:
        fields = dict(_with_quat(fields))
        if "mode" in fields:
            fields["mode"] = _number(fields["mode"], _CAMERA_MODES, "mode")
        if fields.get("target") is not None:
            fields["target"] = self._id("body", fields["target"])
        return fields

    def set_tendon(self, tendon: Any, **fields: Any) -> None:
        """Changes a tendon; its name stays, and so do its joints or path."""
        if "range" in fields:
            fields.setdefault("limited", 1)
        self._change("tendon", tendon, fields)

    def set_equality(self, equality: Any, **fields: Any) -> None:
        """Changes an equality; its name stays. type and objkind, the kind of its objects, by number or name."""
        if "type" in fields:
            fields["type"] = _number(fields["type"], _EQUALITIES, "type")
        if isinstance(fields.get("objkind"), str):
            fields["objkind"] = _kind_number(fields["objkind"])
        self._change("equality", equality, fields)

    def set_actuator(self, actuator: Any, *, kp: float | None = None, kv: float | None = None, **fields: Any) -> None:
        """Changes an actuator; its name stays. kp, kv: gains of a servo, as of :meth:`add_actuator`; what is left out
        stays. They are >= 0: a negative stiffness is given by gainprm and biasprm."""
        kp, kv = (None if gain is None else servo_gain(name, gain) for name, gain in (("kp", kp), ("kv", kv)))
        if kp is not None or kv is not None:
            fields.update(self._servo_gains(actuator, kp, kv, fields))
        for limit in ("ctrl", "force", "act"):
            if limit + "range" in fields:
                fields.setdefault(limit + "limited", 1)
        self._change("actuator", actuator, _with_numbers(fields))

    def _servo_gains(self, actuator: Any, kp: float | None, kv: float | None, fields: dict[str, Any]) -> dict[str, Any]:
        """Fields of an actuator that is a servo with these gains, which are None where they stay."""
        clash = [f for f in ("gainprm", "biasprm") if f in fields]
        if clash:
            raise ValueError(f"kp and kv are numbers of gainprm and biasprm: give them or {clash[0]}")
        now = self._get_actuator(self._id("actuator", actuator))
        gain, bias = now["gainprm"], now["biasprm"]
        is_position, is_velocity = bias[1] != 0 and gain[0] == -bias[1], bias[1] == 0 and bias[2] != 0 and gain[0] == -bias[2]
        if now["biastype"] != 1 or now["gaintype"] != 0 or not (is_position or (is_velocity and kp is None)):
            raise ValueError(f"{now['name'] or actuator!r} is no {'position ' if kp is not None else ''}servo: set gainprm, biasprm and biastype")
        if is_velocity:
            return {"gainprm": (kv, *gain[1:]), "biasprm": (bias[0], 0, -kv)}  # type: ignore[operator]
        stiffness, damping = gain[0] if kp is None else kp, -bias[2] if kv is None else kv
        return {"gainprm": (stiffness, *gain[1:]), "biasprm": (bias[0], -stiffness, -damping)}

    def set_pair(self, pair: Any, **fields: Any) -> None:
        """Changes a contact pair; its name stays."""
        for geom in ("geom1", "geom2"):
            if geom in fields:
                fields[geom] = self._id("geom", fields[geom])
        self._change("pair", pair, fields)

    def set_sensor(self, sensor: Any, **fields: Any) -> None:
        """Changes a sensor; its name stays. type by its MJCF name, kind and obj, refkind and ref as of
        :meth:`add_sensor`."""
        if "type" in fields:
            fields["type"] = _number(fields["type"], _SENSORS, "type")
        for kind, name, words in (("objkind", "obj", fields.pop("kind", fields.get("objkind"))), ("refkind", "ref", fields.get("refkind"))):
            if isinstance(words, str):
                fields[kind] = _kind_number(words)
            if isinstance(fields.get(name), str):
                if not isinstance(words, str):
                    raise ValueError(f"{name} is given by name: {kind if name == 'ref' else 'kind'} must say of which kind it is")
                fields[name] = self._id(words, fields[name])
        self._change("sensor", sensor, _with_numbers(fields))

    def _change(self, kind: str, name: Any, fields: dict[str, Any], *kept: str) -> None:
        """Sets fields of an object. Its name and the fields that are kept may be given as they are, as from
        ``builder.joint("elbow")``."""
        index = self._id(kind, name)
        now = getattr(self, f"_get_{kind}")(index)
        for field in ("name", *kept):
            if field in fields and (fields[field] or None) != (now[field] or None):
                raise ValueError(f"the {field} of a {kind} stays: {self._word(field, now[field])} cannot become {self._word(field, fields[field])}")
        getattr(self, f"_set_{kind}")(index, fields)

    def _word(self, field: str, value: Any) -> str:
        """The value of a field that stays, by its name if it has one."""
        names: Sequence[str] = {"type": JOINT_TYPES, "body": self.names("body"), "parent": self.names("body")}.get(field, ())
        return repr(names[value] or value if isinstance(value, int) and 0 <= value < len(names) else value)

    def _labels(self, kind: str) -> list[str]:
        """What :meth:`Model.labels` of the finished model calls all objects of a kind."""
        names = self._names(_kind_number(kind))
        labels = [name or f"#{i}" for i, name in enumerate(names)]
        if kind == "joint":
            bodies = self._names(_kind_number("body"))
            for i in (i for i, name in enumerate(names) if not name):
                joint = self._get_joint(i)
                body = bodies[joint["body"]]
                if joint["type"] == 0 and body and body not in names:
                    labels[i] = body
        return labels

    def _id(self, kind: str, name: Any) -> int:
        """Id of an object by its name or by what logs call it. An id is returned; the library checks it."""
        if not isinstance(name, str):
            return operator.index(name)
        index = self._find(_kind_number(kind), name)
        if index < 0:
            labels = self._labels(kind)
            if name in labels:
                return labels.index(name)
            raise KeyError(no_name(kind, name, labels))
        return index

    def add_body(self, name: str | None = None, parent: Any = 0, **fields: Any) -> int:
        """A body: pos [m], quat or euler [rad], mass [kg], com [m], inertia (xx yy zz xy xz yz) [kg m^2], inertia_quat (the inertial
        frame, if the inertia is diagonal there), gravcomp, mocap. Without a mass the inertia is that of its geoms."""
        if "mass" in fields or "inertia" in fields:
            fields.setdefault("has_inertial", 1)
        index = self._add_body({"name": name, "parent": self._id("body", parent), **_with_numbers(_with_quat(fields))})
        if np.any(fields.get("mass", 0)) and not np.any(fields.get("inertia", 0)):
            self._without_inertia.append(index)
        return index

    def add_joint(self, body: Any, type: str | int = "hinge", name: str | None = None, **fields: Any) -> int:
        """A joint: "free", "ball", "slide", "hinge" or "screw"; axis, pos [m], pitch [m/rad], range [m or rad],
        stiffness, damping, armature, ..."""
        if "range" in fields:
            fields.setdefault("limited", 1)
        return self._add_joint({"body": self._id("body", body), "type": _number(type, JOINT_TYPES, "type"), "name": name, **fields})

    def add_geom(self, body: Any = 0, type: str | int = "sphere", name: str | None = None, **fields: Any) -> int:
        """A shape: size [m], pos [m], quat or euler [rad], mass [kg] or density [kg/m^3], friction, stiffness [N/m],
        dissipation [s/m], ... friction, size and rgba may be as short as in MJCF: ``size=0.05`` of a sphere,
        ``friction=0.5``, ``rgba=(1, 0, 0)``."""
        for shape in ("mesh", "hfield"):
            if shape in fields:
                fields[shape] = self._id(shape, fields[shape])
        if 0 < fields.get("density", -1) < _LIGHT:
            warnings.warn(f"a density of {fields['density']} kg/m^3 is nearly that of air: {fields['density']} g/cm^3 are {1000 * fields['density']:g} kg/m^3",
                          HoldfastWarning, stacklevel=2)
        return self._add_geom({"body": self._id("body", body), "type": _number(type, GEOM_TYPES, "type"), "name": name, **_geom_fields(fields, {})})

    def add_mesh(self, vertices: Any, triangles: Any = None, name: str | None = None, max_hull_vertices: int = 0, *,
                 scale: Any = 1.0) -> int:
        """A mesh from an array of vertices (n, 3) [m] and one of triangles (m, 3), indices of vertices, outward; or
        from a file (STL, OBJ, ...), or from an object that has vertices and faces, as those of trimesh. scale: of all
        lengths, 0.001 for a file in millimetres. It
        collides by its convex hull, of at most max_hull_vertices vertices (0: all). Its mass is that of the volume
        within the triangles, or of the hull where there are none. A geom shows it: ``add_geom(body, "mesh",
        mesh=mesh)``."""
        if isinstance(vertices, (str, bytes, os.PathLike)):
            return self._add_mesh_file(file_name(vertices), name, operator.index(max_hull_vertices), scale)
        if hasattr(vertices, "vertices") and hasattr(vertices, "faces"):
            vertices, triangles = vertices.vertices, vertices.faces if triangles is None else triangles
        v = floats(vertices, None, "vertices") * floats(scale, None, "scale")
        if v.ndim != 2 or v.shape[1] != 3:
            raise ValueError(f"vertices must have shape (n, 3), has {v.shape}")
        t = None
        if triangles is not None:
            t = np.asarray(triangles)
            if t.ndim != 2 or t.shape[1] != 3 or t.dtype.kind not in "iu":
                raise ValueError(f"triangles must be integers of shape (m, 3), are {t.dtype} of shape {t.shape}")
            if t.size and not 0 <= t.min() <= t.max() < len(v):
                raise ValueError(f"triangles name vertices {t.min()} to {t.max()}; there are {len(v)}")
            t = np.ascontiguousarray(t, np.int32)
        return self._add_mesh(name, v, t, operator.index(max_hull_vertices))

    def _add_mesh_file(self, path: str, name: str | None, max_hull_vertices: int, scale: Any) -> int:
        """Adds the mesh of a file, by a guest that has a geom of it: a mesh is attached with what uses it."""
        stem = os.path.splitext(os.path.basename(path))[0]
        names = self.names("mesh")
        label = name or next(n for n in (stem, *(f"{stem}-{i}" for i in range(len(names) + 1))) if n not in names)
        file, mesh = saxutils.quoteattr(os.path.abspath(path)), saxutils.quoteattr(label)
        factors = " ".join(repr(float(s)) for s in np.broadcast_to(floats(scale, None, "scale"), 3))
        hull = f' maxhullvert="{max_hull_vertices}"' if max_hull_vertices else ""

        self.attach(Builder.from_string(f"""<mujoco><asset><mesh name={mesh} file={file} scale="{factors}"{hull}/></asset>
<worldbody><body name="#add_mesh"><geom type="mesh" mesh={mesh}/></body></worldbody></mujoco>""", name=f"add_mesh({path!r})"))
        self.remove("body", "#add_mesh")
        return self._id("mesh", label)

    def add_height_field(self, heights: Any, half_size: Sequence[float], base: float = 1.0, name: str | None = None) -> int:
        """Heights [m] over a rectangle, an array of rows from -y to +y and columns from -x to +x, and the matter
        below them down to z = -base [m]. half_size: half lengths along x and y [m]. Each cell has two triangles. A
        geom shows it: ``add_geom(type="hfield", hfield=field)``."""
        z = floats(heights, None, "heights")
        if z.ndim != 2:
            raise ValueError(f"heights must have two dimensions, rows and columns, has {z.ndim}")
        return self._add_height_field({"name": name, "nrow": z.shape[0], "ncol": z.shape[1], "half_size": half_size, "base": base}, z)

    def add_site(self, body: Any, name: str | None = None, **fields: Any) -> int:
        """A frame fixed to a body: pos [m], quat or euler [rad], size [m]."""
        if "type" in fields:
            fields["type"] = _number(fields["type"], GEOM_TYPES, "type")
        return self._add_site({"body": self._id("body", body), "name": name, **_geom_fields(fields, {})})

    def add_camera(self, body: Any = 0, name: str | None = None, **fields: Any) -> int:
        """A camera on a body, which looks along its -z axis with y up: pos [m], quat, fovy [rad], resolution (width,
        height); mode "fixed", "track", "trackcom", "targetbody" or "targetbodycom", the last two with target, a
        body."""
        return self._add_camera({"body": self._id("body", body), "name": name, **self._camera_fields(fields)})

    def add_tendon(self, joints: Sequence[Any], coef: Any, name: str | None = None, **fields: Any) -> int:
        """A fixed tendon: length = sum of coef times joint coordinate."""
        ids = [self._id("joint", j) for j in joints]
        if "range" in fields:
            fields.setdefault("limited", 1)
        return self._add_tendon({"name": name, **fields}, ids, floats(coef, (len(ids),), "coef"))

    def add_spatial_tendon(self, path: Sequence[Any], name: str | None = None, **fields: Any) -> int:
        """A tendon along a path: sites by name or id, ``("geom", geom)`` or ``("geom", geom, side_site)`` to wrap
        around a sphere or cylinder between two sites, ``("pulley", divisor)`` to begin a branch. Fields as of a fixed
        tendon."""
        if "range" in fields:
            fields.setdefault("limited", 1)
        return self._add_spatial_tendon({"name": name, **fields}, [self._place(p) for p in path])

    def _place(self, place: Any) -> tuple[int, int, int, float]:
        """A place on the path of a spatial tendon, as (type, object, side, divisor) of C."""
        if not isinstance(place, tuple):
            return (1, self._id("site", place), -1, 1.0)  # HF_WRAP_SITE
        if place[0] == "geom" and len(place) in (2, 3):
            return (2, self._id("geom", place[1]), self._id("site", place[2]) if len(place) == 3 else -1, 1.0)  # HF_WRAP_GEOM
        if place[0] == "pulley" and len(place) == 2:
            return (3, -1, -1, float(place[1]))  # HF_WRAP_PULLEY
        raise ValueError(f'a place on a path is a site, ("geom", geom[, side]) or ("pulley", divisor), not {place!r}')

    def add_actuator(self, kind_or_joint: Any = None, name: str | None = None, *, joint: Any = None, tendon: Any = None, site: Any = None, refsite: Any = None, body: Any = None,
                     slider_crank: tuple[Any, Any, float] | None = None, kind: str | None = None, kp: float = 1.0, kv: float = 0.0, **fields: Any) -> int:
        """An actuator on a joint, tendon or site, or on a body, at whose contacts it then pulls (adhesion):
        ``add_actuator("position", joint="elbow", kp=20)`` or ``add_actuator("elbow", kind="position", kp=20)``.
        slider_crank: the site of the crank, that of the slider, along whose z axis it moves, and the length of the
        rod between them [m]. kind "motor": force = control; "position": kp (control - length) - kv rate; "velocity":
        kv (control - rate); "general": gainprm and biasprm as given, with gaintype, biastype and dyntype by number or
        name ("affine", "filterexact", ...); "dcmotor": a DC motor with motor={"resistance": 2, "constant": 0.05, ...}
        (hfMotorParameter) and inputs=("pos", "voltage"), for example, by default ("voltage",); each input but the
        first becomes an actuator NAME.INPUT behind it. "orientation": kp log(q^-1 q_d) - kv w, a torque on a ball
        joint or on a site in its refsite, whose controls are the rotation vector of q_d, or its quaternion with
        inputs="quat"; the actuators NAME.x, NAME.y and NAME.z behind NAME have its other controls, and forcerange is
        0 and the largest torque. Its control acts later by delay [s] of nsample steps at most, interp "zoh", "linear"
        or "cubic"."""
        kp, kv = servo_gain("kp", kp), servo_gain("kv", kv)

        is_kind = isinstance(kind_or_joint, str) and kind_or_joint in _ACTUATOR_KINDS and kind is None
        if is_kind and any(t is not None for t in (joint, tendon, site, body, slider_crank)):
            kind = kind_or_joint
        elif kind_or_joint is not None and joint is not None:
            raise ValueError(f'the actuator is of the joint {joint!r}: kind must be one of {", ".join(_ACTUATOR_KINDS)}, is {kind_or_joint!r}')
        elif kind_or_joint is not None:
            joint = kind_or_joint
        kind = kind or "motor"

        target = [("joint", joint), ("tendon", tendon), ("site", site), ("body", body), ("slider_crank", slider_crank)]
        given = [(k, t) for k, t in target if t is not None]
        if len(given) != 1:
            raise ValueError('give one of joint, tendon, site, body and slider_crank, as in add_actuator("position", joint="elbow")')

        what, which = given[0]
        fields.setdefault("trntype", _TRANSMISSIONS.index(what))
        if what == "slider_crank":
            crank, slider, rod = which
            fields.update(trnid=(self._id("site", crank), self._id("site", slider)), cranklength=rod)
        else:
            fields.setdefault("trnid", (self._id(what, which), -1 if refsite is None else self._id("site", refsite)))

        if kind == "position":
            fields.update(gainprm=(kp, 0, 0), biastype=1, biasprm=(0, -kp, -kv))
        elif kind == "velocity":
            fields.update(gainprm=(kv, 0, 0), biastype=1, biasprm=(0, 0, -kv))
        elif kind == "dcmotor":
            return self._add_motor(name, fields.pop("motor", {}), tuple(fields.pop("inputs", ("voltage",))), _with_numbers(fields))
        elif kind not in ("motor", "general", "orientation"):
            raise ValueError(f'kind must be motor, position, velocity, orientation, general or dcmotor, is "{kind}"')

        for limit in ("ctrl", "force", "act"):
            if limit + "range" in fields:
                fields.setdefault(limit + "limited", 1)
        if kind == "orientation":
            return self._add_orientation(name, fields.pop("inputs", "expmap"), {"gainprm": (kp, 0, 0), "biasprm": (0, -kp, -kv), **_with_numbers(fields)})
        return self._add_actuator({"name": name, **_with_numbers(fields)})

    def _add_orientation(self, name: str | None, inputs: str, fields: dict[str, Any]) -> int:
        """Adds the three or four actuators of an orientation servo; returns the id of the first."""
        if inputs not in ("expmap", "quat"):
            raise ValueError(f'inputs of an orientation servo must be "expmap" or "quat", are {inputs!r}')
        bits = {"w": 16, "x": 32, "y": 64, "z": 128}  # hfOrientationInput
        letters = "wxyz" if inputs == "quat" else "xyz"
        same = {**fields, "gaintype": 4, "biastype": 1}  # HF_GAIN_ORIENTATION, HF_BIAS_AFFINE

        first = self._add_actuator({"name": name, **same, "inputs": sum(bits[k] for k in letters)})
        for k in letters[1:]:
            self._add_actuator({"name": f"{name}.{k}" if name else None, **same, "inputs": bits[k]})
        return first

    def _add_motor(self, name: str | None, motor: dict[str, float], inputs: tuple[str, ...], fields: dict[str, Any]) -> int:
        """Adds a DC motor, and an actuator for each input behind the first; returns the id of the first."""
        unknown = [k for k in motor if k not in _MOTOR] + [w for w in inputs if w not in _INPUTS]
        if unknown:
            raise ValueError(f"a DC motor has no {unknown[0]!r}: parameters are {', '.join(_MOTOR)}; inputs are {', '.join(_INPUTS)}")

        words = [w for w in _INPUTS if w in inputs]
        states = any(motor.get(k, 0) > 0 for k in ("slewmax", "ki", "thermal_resistance", "bristle_stiffness", "time_constant"))

        for limit in ("ctrl", "force"):
            if limit + "range" in fields:
                fields.setdefault(limit + "limited", 1)

        first = self._add_actuator({"name": name, **fields, "gaintype": 3, "dyntype": 7 if states else 0, "inputs": sum(1 << _INPUTS.index(w) for w in words),
                                    "motor": tuple(float(motor.get(k, 0)) for k in _MOTOR)})  # HF_GAIN_MOTOR, HF_ACTIVATION_MOTOR

        for word in words[1:]:
            same = {k: v for k, v in fields.items() if not k.startswith("force")}
            self._add_actuator({"name": f"{name}.{word}" if name else None, **same, "gainprm": (0, 0, 0)})
        return first

    def add_sensor(self, type: str | int, kind: str | None = None, obj: Any = None, name: str | None = None,
                   refkind: str | int | None = None, ref: Any = None, **fields: Any) -> int:
        """A sensor, by its MJCF name, on an object: ``add_sensor("framepos", "site", "tip")``; of a frame relative to
        another, or between two objects, ``refkind="body", ref="base"``. delay [s], interval (time between
        measurements, when they begin) [s], nsample and interp "zoh", "linear" or "cubic": how its numbers arrive."""
        if refkind is not None:
            fields["refkind"] = _kind_number(refkind) if isinstance(refkind, str) else refkind
            fields["ref"] = self._id(refkind, ref) if isinstance(refkind, str) else ref
        if kind is not None:
            fields.setdefault("objkind", _kind_number(kind))
            fields.setdefault("obj", self._id(kind, obj))
        return self._add_sensor({"type": _number(type, _SENSORS, "type"), "name": name, **_with_numbers(fields)})

    def add_equality(self, type: str | int, kind: str, obj1: Any, obj2: Any = None, name: str | None = None, **fields: Any) -> int:
        """An equality "connect", "weld", "joint" or "tendon" between two objects of a kind, "body", "joint" or
        "tendon". data: of connect the anchor in obj1 (3) [m]; of weld the anchor in obj2 (3) [m], the pose of obj2 in
        obj1 (position 3, quaternion 4, which is 0 for the pose at the reference), and torquescale; of joint and tendon
        the five coefficients of the polynomial that gives obj1 as a function of obj2."""
        fields.setdefault("objkind", _kind_number(kind))
        return self._add_equality({"type": _number(type, _EQUALITIES, "type"), "name": name,
                                   "obj1": self._id(kind, obj1), "obj2": -1 if obj2 is None else self._id(kind, obj2), **fields})

    def add_pair(self, geom1: Any, geom2: Any, name: str | None = None, **fields: Any) -> int:
        """A contact pair with values of its own."""
        return self._add_pair({"geom1": self._id("geom", geom1), "geom2": self._id("geom", geom2), "name": name, **fields})

    def add_exclude(self, body1: Any, body2: Any) -> int:
        """No contacts between two bodies."""
        return self._add_exclude(self._id("body", body1), self._id("body", body2))

    def add_key(self, name: str | None = None, time: float = 0.0, qpos: Any = None, qvel: Any = None, act: Any = None,
                ctrl: Any = None, mpos: Any = None, mquat: Any = None) -> int:
        """A keyframe; arrays left out are the model's reference, and what is added later stands at its reference too.
        mpos, mquat: poses of the mocap bodies."""
        given = {"qpos": qpos, "qvel": qvel, "act": act, "ctrl": ctrl, "mpos": mpos, "mquat": mquat}
        arrays = [None if a is None else floats(a, None, n).reshape(-1) for n, a in given.items()]
        return self._add_key(name, float(time), *arrays)

    def __reduce__(self) -> Any:
        raise TypeError("a builder cannot be pickled: copy it with copy(), or pickle the model of finish()")

    def __repr__(self) -> str:
        counts = ", ".join(f"{self._count(_core.object_kinds[k])} {k}s" for k in ("joint", "geom", "actuator", "sensor"))
        return f"<holdfast.Builder: {self._count(_core.object_kinds['body']) - 1} bodies, {counts}>"

    def finish(self) -> Model:
        """Validates everything and makes the model. The builder stays usable."""
        try:
            model = self._finish(Model)
        except _core.ModelError as error:
            names = self.names("body")
            at_fault = [names[b] for b in self._without_inertia if b < len(names) and names[b] and f'body "{names[b]}"' in str(error)]
            if at_fault and "moves no inertia" in str(error):
                raise _core.ModelError(f"{error}: it has a mass at a point and no inertia: give add_body({at_fault[0]!r}, ...) inertia=(xx, yy, zz, xy, xz, yz), "
                                       "or leave its mass out and give it a geom") from None
            raise
        return warn_of_shapes(model)
