"""MuJoCo's models and states, stepped here. The package mujoco is needed only by those who call these functions.

A compiled ``mjModel`` is written as MJCF, number by number, and read by Holdfast's own reader, so that what it means here
is what docs/reference/mjcf.md says. Orders and layouts are the same on both sides: positions, velocities, activations,
controls and keyframes carry over as they are.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from .model import Model
from .state import State

_GEOM = {0: "plane", 1: "hfield", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}
_JOINT = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}


def from_mujoco(source: Any) -> Model:
    """A model from an ``mjModel``, an ``mjSpec`` or a path. What Holdfast does not use is in ``model.diagnostics``."""
    if isinstance(source, (str, bytes, os.PathLike)):
        return Model.from_file(source)
    if hasattr(source, "to_xml"):  # mjSpec
        source = source.compile()
    if not hasattr(source, "nbody") or not hasattr(source, "jnt_qposadr"):
        raise TypeError(f"an mjModel or mjSpec is needed, not {type(source).__name__}")
    model = Model.from_string(_write(source), name="<mjModel>", folder=tempfile.gettempdir())
    sizes = {n: (int(getattr(source, n)), getattr(model, n)) for n in ("nq", "nv", "nbody")}
    for name, (theirs, ours) in sizes.items():
        if theirs != ours:
            raise ValueError(f"{name} is {theirs} in MuJoCo and {ours} here: see model.diagnostics for what was left out")
    return model


def _refuse_other_sizes(model: Model, data: Any) -> None:
    if (len(data.qpos), len(data.qvel)) != (model.nq, model.nv):
        raise ValueError(f"the mjData is of another model: it has nq {len(data.qpos)} and nv {len(data.qvel)}, the model {model.nq} and {model.nv}")


def state_from_mujoco(model: Model, data: Any, state: State | None = None) -> State:
    """Time, positions, velocities, activations and what is under way of an ``mjData`` as a state; contacts are remembered from here on."""
    state = state or State(model)
    _refuse_other_sizes(model, data)
    _refuse_other_sizes(state.model, data)
    state.reset()
    state.time = float(data.time)
    state.q[:] = np.asarray(data.qpos)
    state.v[:] = np.asarray(data.qvel)
    if model.na == len(data.act):
        state.act[:] = np.asarray(data.act)
    if len(state.history):
        _take_histories(model, data, state)
    return state


def state_to_mujoco(state: State, data: Any) -> None:
    """The other way. Call ``mujoco.mj_forward`` afterwards."""
    _refuse_other_sizes(state.model, data)
    data.time = state.time
    data.qpos[:] = state.q
    data.qvel[:] = state.v
    if len(data.act) == state.model.na:
        data.act[:] = state.act


def _ring(data: Any, adr: int, count: int, dim: int) -> tuple[float, np.ndarray, np.ndarray]:
    """A buffer of ``mjData.history``: the number of its owner, times, and a row of values for each time, the oldest first."""
    x = np.asarray(data.history)
    order = (int(x[adr + 1]) + 1 + np.arange(count)) % count
    times, values = x[adr + 2:adr + 2 + count], x[adr + 2 + count:adr + 2 + count * (1 + dim)].reshape(count, dim)
    return float(x[adr]), times[order], values[order]


def _take_histories(model: Model, data: Any, state: State) -> None:
    """Controls under way, and measurements that have not arrived. A sensor keeps one more here: the one of the moment, which the next
    step measures; before the others stands a copy of the oldest."""
    m = data.model
    if model.nu == m.nu:
        for i in np.flatnonzero(m.actuator_history[:, 0]):
            n, dim, first = int(m.actuator_history[i][0]), int(m.actuator_ctrlnum[i]), int(m.actuator_ctrladr[i])
            _, times, values = _ring(data, int(m.actuator_historyadr[i]), n, dim)
            for k in range(dim):
                adr = int(model.actuator_historyadr[first + k])
                state.history[adr:adr + 2 * n] = np.concatenate([times, values[:, k]])
    if model.nsensor != m.nsensor:
        return
    for i in np.flatnonzero(m.sensor_history[:, 0]):
        n, dim, adr = int(m.sensor_history[i][0]), int(m.sensor_dim[i]), int(model.sensor_historyadr[i])
        due, times, values = _ring(data, int(m.sensor_historyadr[i]), n, dim)
        times, values = np.append(times[0] - m.opt.timestep, times), np.vstack([values[:1], values])
        state.history[adr:adr + 1 + (n + 1) * (1 + dim)] = np.concatenate([[due], times, np.ravel(values)])


# ---- writing MJCF ------------------------------------------------------------------------------------------------


def _text(x: Any) -> str:
    return " ".join(repr(float(v)) for v in np.ravel(x))


def _add(parent: ET.Element, tag: str, **attributes: Any) -> ET.Element:
    values = {k.rstrip("_"): v if isinstance(v, str) else _text(v) for k, v in attributes.items() if v is not None}
    return ET.SubElement(parent, tag, values)


def _polynomial(m: Any, field: str, i: int) -> Any:
    """A coefficient and, since MuJoCo 4, those of higher powers."""
    return np.append(np.ravel(getattr(m, field)[i])[0], getattr(m, field + "poly", np.zeros((i + 1, 0)))[i])


def _actuators(m: Any) -> int:
    """How many actuators there are. Since MuJoCo 4 an actuator may have several controls, or none."""
    return int(getattr(m, "nactuator", m.nu))


def _samples(element: ET.Element, history: Any, delay: Any) -> None:
    element.set("nsample", str(int(history[0])))
    element.set("interp", ("zoh", "linear", "cubic")[int(history[1])])
    element.set("delay", _text(delay))


class _Writer:
    """Names for everything, unnamed parts included, so that parts can refer to each other."""

    def __init__(self, m: Any):
        import mujoco

        self.m, self.kinds = m, mujoco.mjtObj
        self.root = ET.Element("mujoco", model="from_mujoco")
        self.object_name = {}
        for kind, count in (("BODY", m.nbody), ("JOINT", m.njnt), ("GEOM", m.ngeom), ("SITE", m.nsite), ("CAMERA", m.ncam), ("TENDON", m.ntendon),
                            ("ACTUATOR", _actuators(m)), ("SENSOR", m.nsensor), ("KEY", m.nkey), ("MESH", m.nmesh), ("HFIELD", m.nhfield)):
            number = getattr(mujoco.mjtObj, "mjOBJ_" + kind)
            for i in range(count):
                self.object_name[kind, i] = mujoco.mj_id2name(m, number, i) or f"#{kind.lower()}{i}"

    def name(self, kind: str, i: Any) -> str:
        return self.object_name[kind, int(i)]

    def write(self) -> str:
        m = self.m
        _add(self.root, "compiler", angle="radian", autolimits="false", inertiafromgeom="false", boundmass=0, boundinertia=0)
        self.options()
        assets = _add(self.root, "asset")
        for i in sorted({int(m.geom_dataid[g]) for g in range(m.ngeom) if m.geom_type[g] == 7}):
            self.mesh(assets, i)
        for i in sorted({int(m.geom_dataid[g]) for g in range(m.ngeom) if m.geom_type[g] == 1}):
            self.height_field(assets, i)
        world = _add(self.root, "worldbody")
        elements = {0: world}
        for b in range(m.nbody):
            if b:
                elements[b] = self.body(elements[int(m.body_parentid[b])], b)
            self.content(elements[b], b)
        self.rest()
        return ET.tostring(self.root, encoding="unicode")

    def options(self) -> None:
        o = self.m.opt
        option = _add(self.root, "option", timestep=o.timestep, gravity=o.gravity, impratio=o.impratio, magnetic=o.magnetic,
                      density=o.density, viscosity=o.viscosity, wind=o.wind, cone=("pyramidal", "elliptic")[int(o.cone)])
        if o.disableactuator:
            option.set("actuatorgroupdisable", " ".join(str(g) for g in range(31) if o.disableactuator >> g & 1))
        names = ("constraint", "equality", "frictionloss", "limit", "contact")
        flags = {n: "disable" for i, n in enumerate(names) if o.disableflags >> i & 1}
        import mujoco

        for n in ("spring", "damper", "gravity", "clampctrl", "filterparent", "actuation"):
            bit = getattr(mujoco.mjtDisableBit, "mjDSBL_" + n.upper(), None)
            if bit is not None and o.disableflags & int(bit):
                flags[n] = "disable"
        if o.enableflags & int(mujoco.mjtEnableBit.mjENBL_OVERRIDE):
            flags["override"] = "enable"
            for n in ("o_margin", "o_solref", "o_solimp", "o_friction"):
                option.set(n, _text(getattr(o, n)))
        if flags:
            _add(option, "flag", **flags)

    def mesh(self, assets: ET.Element, i: int) -> None:
        m = self.m
        v, f = int(m.mesh_vertadr[i]), int(m.mesh_faceadr[i])
        vertices = m.mesh_vert[v:v + int(m.mesh_vertnum[i])]
        faces = m.mesh_face[f:f + int(m.mesh_facenum[i])]
        _add(assets, "mesh", name=self.name("MESH", i), vertex=vertices, face=" ".join(str(int(x)) for x in np.ravel(faces)))

    def height_field(self, assets: ET.Element, i: int) -> None:
        m = self.m
        nrow, ncol, at = int(m.hfield_nrow[i]), int(m.hfield_ncol[i]), int(m.hfield_adr[i])
        rows = np.asarray(m.hfield_data[at:at + nrow * ncol], dtype=float).reshape(nrow, ncol)
        _add(assets, "hfield", name=self.name("HFIELD", i), nrow=str(nrow), ncol=str(ncol), size=m.hfield_size[i], elevation=rows[::-1])

    def body(self, parent: ET.Element, b: int) -> ET.Element:
        m = self.m
        body = _add(parent, "body", name=self.name("BODY", b), pos=m.body_pos[b], quat=m.body_quat[b])
        if m.body_mocapid[b] >= 0:
            body.set("mocap", "true")
        if m.body_gravcomp[b]:
            body.set("gravcomp", _text(m.body_gravcomp[b]))
        if m.body_mass[b] > 0:
            _add(body, "inertial", pos=m.body_ipos[b], quat=m.body_iquat[b], mass=m.body_mass[b], diaginertia=m.body_inertia[b])
        return body

    def content(self, body: ET.Element, b: int) -> None:
        m = self.m
        for j in range(int(m.body_jntadr[b]), int(m.body_jntadr[b] + m.body_jntnum[b])):
            self.joint(body, j)
        for g in range(int(m.body_geomadr[b]), int(m.body_geomadr[b] + m.body_geomnum[b])):
            self.geom(body, g)
        for s in (s for s in range(m.nsite) if m.site_bodyid[s] == b):
            _add(body, "site", name=self.name("SITE", s), pos=m.site_pos[s], quat=m.site_quat[s],
                 type=_GEOM.get(int(m.site_type[s]), "sphere"), size=m.site_size[s])
        for c in (c for c in range(m.ncam) if m.cam_bodyid[c] == b):
            self.camera(body, c)

    def camera(self, body: ET.Element, c: int) -> None:
        m = self.m
        chip = float(m.cam_sensorsize[c][1]) > 0
        camera = _add(body, "camera", name=self.name("CAMERA", c), pos=m.cam_pos[c], quat=m.cam_quat[c], resolution=" ".join(str(int(n)) for n in m.cam_resolution[c]),
                      mode=("fixed", "track", "trackcom", "targetbody", "targetbodycom")[int(m.cam_mode[c])])
        if m.cam_targetbodyid[c] >= 0:
            camera.set("target", self.name("BODY", m.cam_targetbodyid[c]))
        parallel = m.cam_projection[c] if hasattr(m, "cam_projection") else m.cam_orthographic[c] if hasattr(m, "cam_orthographic") else 0
        if parallel:
            camera.set("projection", "orthographic")
        if chip:
            for word, numbers in (("sensorsize", m.cam_sensorsize[c]), ("focal", m.cam_intrinsic[c][:2]), ("principal", m.cam_intrinsic[c][2:])):
                camera.set(word, _text(numbers))
        else:
            camera.set("fovy", _text([m.cam_fovy[c]]))

    def joint(self, body: ET.Element, j: int) -> None:
        m = self.m
        kind, dof, q = _JOINT[int(m.jnt_type[j])], int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
        joint = _add(body, "joint", name=self.name("JOINT", j), type=kind, armature=m.dof_armature[dof],
                     damping=_polynomial(m, "dof_damping", dof), frictionloss=m.dof_frictionloss[dof],
                     stiffness=_polynomial(m, "jnt_stiffness", j), margin=m.jnt_margin[j],
                     **self.contact_values(m.jnt_solref[j], m.jnt_solimp[j], "limit"),
                     **self.contact_values(m.dof_solref[dof], m.dof_solimp[dof], "friction"))
        if kind == "free":
            return
        if getattr(m, "jnt_springyield", np.zeros(m.njnt))[j]:
            joint.set("springyield", _text(m.jnt_springyield[j]))
        joint.set("pos", _text(m.jnt_pos[j]))
        if kind != "ball":
            joint.set("axis", _text(m.jnt_axis[j]))
            joint.set("ref", _text(m.qpos0[q]))
            joint.set("springref", _text(m.qpos_spring[q]))
        if m.jnt_limited[j]:
            joint.set("limited", "true")
            joint.set("range", _text(m.jnt_range[j]))
        if m.jnt_actfrclimited[j]:
            joint.set("actuatorfrclimited", "true")
            joint.set("actuatorfrcrange", _text(m.jnt_actfrcrange[j]))
        if m.jnt_actgravcomp[j]:
            joint.set("actuatorgravcomp", "true")

    def contact_values(self, solref: Any, solimp: Any, of: str = "") -> dict[str, Any]:
        """solref and solimp of a contact, or ``of`` a limit or friction loss, only where they are not MuJoCo's defaults: elsewhere Holdfast's own stiffness acts."""
        values: dict[str, Any] = {}
        if not np.allclose(solref, (0.02, 1)):
            values["solref" + of] = solref
        if not np.allclose(solimp, (0.9, 0.95, 0.001, 0.5, 2)):
            values["solimp" + of] = solimp
        return values

    def geom(self, body: ET.Element, g: int) -> None:
        m = self.m
        kind = _GEOM.get(int(m.geom_type[g]))
        if kind is None:
            return
        geom = _add(body, "geom", name=self.name("GEOM", g), type=kind, pos=m.geom_pos[g], quat=m.geom_quat[g],
                    friction=m.geom_friction[g], margin=m.geom_margin[g], gap=m.geom_gap[g], solmix=m.geom_solmix[g],
                    rgba=m.geom_rgba[g], **self.contact_values(m.geom_solref[g], m.geom_solimp[g]))
        for field in ("contype", "conaffinity", "condim", "priority", "group"):
            geom.set(field, str(int(getattr(m, "geom_" + field)[g])))
        if np.any(getattr(m, "geom_surfacevel", np.zeros((m.ngeom, 6)))[g]):
            geom.set("surfacevel", _text(m.geom_surfacevel[g]))
        if getattr(m, "geom_adhesion", np.zeros(m.ngeom))[g]:
            geom.set("adhesion", _text(m.geom_adhesion[g]))
        if m.geom_fluid[g][0]:
            geom.set("fluidshape", "ellipsoid")
            geom.set("fluidcoef", _text(m.geom_fluid[g][1:6]))
        if kind == "mesh":
            geom.set("mesh", self.name("MESH", m.geom_dataid[g]))
        elif kind == "hfield":
            geom.set("hfield", self.name("HFIELD", m.geom_dataid[g]))
        else:
            geom.set("size", _text(m.geom_size[g]))

    def rest(self) -> None:
        m = self.m
        self.contacts()
        self.equalities()
        self.tendons()
        actuators = _add(self.root, "actuator")
        for i in range(_actuators(m)):
            self.actuator(actuators, i)
        self.sensors()
        if m.nkey:
            keys = _add(self.root, "keyframe")
            for k in range(m.nkey):
                _add(keys, "key", name=self.name("KEY", k), time=m.key_time[k], qpos=m.key_qpos[k], qvel=m.key_qvel[k],
                     **{a: v for a, v in (("act", m.key_act[k]), ("ctrl", m.key_ctrl[k]), ("mpos", m.key_mpos[k]),
                                          ("mquat", m.key_mquat[k])) if np.size(v)})

    def contacts(self) -> None:
        m = self.m
        contact = _add(self.root, "contact")
        for i in range(m.npair):
            _add(contact, "pair", geom1=self.name("GEOM", m.pair_geom1[i]), geom2=self.name("GEOM", m.pair_geom2[i]),
                 condim=str(int(m.pair_dim[i])), friction=m.pair_friction[i], margin=m.pair_margin[i], gap=m.pair_gap[i],
                 adhesion=getattr(m, "pair_adhesion", np.zeros(m.npair))[i], **self.contact_values(m.pair_solref[i], m.pair_solimp[i]))
        for i in range(m.nexclude):
            signature = int(m.exclude_signature[i])
            _add(contact, "exclude", body1=self.name("BODY", signature >> 16), body2=self.name("BODY", signature & 0xFFFF))

    def equalities(self) -> None:
        m = self.m
        equality = _add(self.root, "equality")
        for i in range(m.neq):
            kind, data = int(m.eq_type[i]), m.eq_data[i]
            common = {"active": "true" if m.eq_active0[i] else "false", **self.contact_values(m.eq_solref[i], m.eq_solimp[i])}
            a, b = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
            on_sites = int(m.eq_objtype[i]) == int(self.kinds.mjOBJ_SITE)
            where = "SITE" if on_sites else "BODY"
            pair = {where.lower() + "1": self.name(where, a), where.lower() + "2": self.name(where, b)} if kind < 2 else {}
            if kind == 0:
                _add(equality, "connect", **pair, **({} if on_sites else {"anchor": data[:3]}), **common)
            elif kind == 1:
                _add(equality, "weld", **pair, **({} if on_sites else {"anchor": data[:3], "relpose": data[3:10]}), torquescale=data[10], **common)
            elif kind in (2, 3):
                what = "JOINT" if kind == 2 else "TENDON"
                second = {what.lower() + "2": self.name(what, b)} if b >= 0 else {}
                _add(equality, what.lower(), **{what.lower() + "1": self.name(what, a)}, **second, polycoef=data[:5], **common)

    def tendons(self) -> None:
        m = self.m
        tendon = _add(self.root, "tendon")
        for t in range(m.ntendon):
            first, count = int(m.tendon_adr[t]), int(m.tendon_num[t])
            is_fixed = int(m.wrap_type[first]) == 1  # mjWRAP_JOINT
            fixed = _add(tendon, "fixed" if is_fixed else "spatial", name=self.name("TENDON", t), stiffness=_polynomial(m, "tendon_stiffness", t),
                         damping=_polynomial(m, "tendon_damping", t), frictionloss=m.tendon_frictionloss[t], armature=m.tendon_armature[t],
                         springlength=m.tendon_lengthspring[t], margin=m.tendon_margin[t],
                         **self.contact_values(m.tendon_solref_lim[t], m.tendon_solimp_lim[t], "limit"),
                         **self.contact_values(m.tendon_solref_fri[t], m.tendon_solimp_fri[t], "friction"))
            if getattr(m, "tendon_springyield", np.zeros(m.ntendon))[t]:
                fixed.set("springyield", _text(m.tendon_springyield[t]))
            if m.tendon_limited[t]:
                fixed.set("limited", "true")
                fixed.set("range", _text(m.tendon_range[t]))
            if m.tendon_actfrclimited[t]:
                fixed.set("actuatorfrclimited", "true")
                fixed.set("actuatorfrcrange", _text(m.tendon_actfrcrange[t]))
            for w in range(first, first + count):
                kind, obj, value = int(m.wrap_type[w]), int(m.wrap_objid[w]), float(m.wrap_prm[w])
                if kind == 1:
                    _add(fixed, "joint", joint=self.name("JOINT", obj), coef=value)
                elif kind == 2:  # mjWRAP_PULLEY
                    _add(fixed, "pulley", divisor=value)
                elif kind == 3:  # mjWRAP_SITE
                    _add(fixed, "site", site=self.name("SITE", obj))
                else:  # mjWRAP_SPHERE, mjWRAP_CYLINDER; the parameter is the side site
                    side = {"sidesite": self.name("SITE", int(value))} if value >= 0 else {}
                    _add(fixed, "geom", geom=self.name("GEOM", obj), **side)

    def actuator(self, parent: ET.Element, i: int) -> None:
        m = self.m
        where = {6: ("site", "SITE") if m.actuator_trnid[i][1] >= 0 else ("joint", "JOINT"), 0: ("joint", "JOINT"), 1: ("jointinparent", "JOINT"), 2: ("cranksite", "SITE"), 3: ("tendon", "TENDON"), 4: ("site", "SITE"), 5: ("body", "BODY")}
        kind = where.get(int(m.actuator_trntype[i]))
        a = self.force_law(parent, i) if kind else None
        if kind is None or a is None:
            raise ValueError(f'actuator "{self.name("ACTUATOR", i)}" is of a type that Holdfast does not simulate')
        for name, value in (("name", self.name("ACTUATOR", i)), ("gear", _text(m.actuator_gear[i])), ("group", str(int(m.actuator_group[i])))):
            a.set(name, value)
        a.set(kind[0], self.name(kind[1], m.actuator_trnid[i][0]))
        if kind[0] == "site" and m.actuator_trnid[i][1] >= 0:
            a.set("refsite", self.name("SITE", m.actuator_trnid[i][1]))
        if kind[0] == "cranksite":
            a.set("slidersite", self.name("SITE", m.actuator_trnid[i][1]))
            a.set("cranklength", _text([m.actuator_cranklength[i]]))
        if hasattr(m, "actuator_history") and m.actuator_history[i][0]:
            _samples(a, m.actuator_history[i], m.actuator_delay[i])
        if hasattr(m, "actuator_armature") and (m.actuator_armature[i] or m.actuator_damping[i]):
            a.set("armature", _text(m.actuator_armature[i]))
            a.set("damping", _text([m.actuator_damping[i], *np.ravel(m.actuator_dampingpoly[i])]))

    def force_law(self, parent: ET.Element, i: int) -> ET.Element | None:
        """The element of an actuator, with what makes its force; None where there is none in Holdfast."""
        m = self.m
        codes = (int(m.actuator_gaintype[i]), int(m.actuator_biastype[i]), int(m.actuator_dyntype[i]))
        if codes[0] == 3 and codes[2] == 5 and hasattr(m, "nactuator"):  # mjGAIN_DCMOTOR, mjDYN_DCMOTOR
            return self.dc_motor(parent, i)
        if codes[0] == 5 and hasattr(m, "nactuator"):  # mjGAIN_PID
            return self.pid(parent, i)
        orients = codes[0] == 4 and hasattr(m, "nactuator")  # mjGAIN_SO3, mjBIAS_SO3
        gains, biases = {0: "fixed", 1: "affine", 2: "muscle"}, {0: "none", 1: "affine", 2: "muscle"}
        if orients:
            gains[4] = biases[4] = "so3"
        dynamics = {0: "none", 1: "integrator", 2: "filter", 3: "filterexact", 4: "muscle"}
        if codes[0] not in gains or codes[1] not in biases or codes[2] not in dynamics:
            return None
        numbers = [9 if c == 2 else 3 for c in codes[:2]]
        a = _add(parent, "general", gaintype=gains[codes[0]], biastype=biases[codes[1]], dyntype=dynamics[codes[2]],
                 gainprm=m.actuator_gainprm[i][:numbers[0]], biasprm=m.actuator_biasprm[i][:numbers[1]],
                 dynprm=m.actuator_dynprm[i][:3 if codes[2] == 4 else 1])
        if orients:
            a.set("input", {1: "expmap", 2: "quat"}[int(m.actuator_ctrlspec[i])])
        if 2 in codes[:2]:
            a.set("lengthrange", _text(m.actuator_lengthrange[i]))
        for limit, row in (("ctrl", getattr(m, "actuator_ctrladr", range(m.nu))[i]), ("force", i), ("act", i)):
            if getattr(m, f"actuator_{limit}limited")[row]:
                a.set(limit + "limited", "true")
                a.set(limit + "range", _text(getattr(m, f"actuator_{limit}range")[row]))
        if m.actuator_actearly[i]:
            a.set("actearly", "true")
        return a

    def inputs(self, i: int) -> list[tuple[str, Any]]:
        """The names of an actuator's controls, and the range of each, None where it has none."""
        m = self.m
        names = [w for k, w in enumerate(("pos", "vel", "ff", "voltage")) if int(m.actuator_ctrlspec[i]) >> k & 1]
        rows = range(int(m.actuator_ctrladr[i]), int(m.actuator_ctrladr[i]) + len(names))
        return [(w, m.actuator_ctrlrange[r] if m.actuator_ctrllimited[r] else None) for w, r in zip(names, rows)]

    def dc_motor(self, parent: ET.Element, i: int) -> ET.Element:
        m = self.m
        gain, bias, dyn, inputs = m.actuator_gainprm[i], m.actuator_biasprm[i], m.actuator_dynprm[i], self.inputs(i)
        most = m.actuator_forcerange[i][1] if m.actuator_forcelimited[i] else 0
        a = _add(parent, "dcmotor", resistance=gain[0], motorconst=gain[1], inductance=(0, dyn[0]),
                 thermal=(dyn[2], dyn[3], 0, gain[2], gain[3], dyn[4]), saturation=(most, 0, dyn[1]), cogging=bias[:3],
                 lugre=(dyn[5], dyn[6], *bias[3:6]), controller=(*gain[4:7], dyn[7], dyn[8], gain[7]),
                 input=" ".join(w for w, _ in inputs) or "none")
        if inputs and inputs[0][1] is not None:
            a.set("ctrllimited", "true")
            a.set("ctrlrange", _text(inputs[0][1]))
        return a

    def pid(self, parent: ET.Element, i: int) -> ET.Element:
        m = self.m
        bias, dyn, inputs = m.actuator_biasprm[i], m.actuator_dynprm[i], self.inputs(i)
        integrates = int(m.actuator_dyntype[i]) == 6  # mjDYN_PID
        a = _add(parent, "pid", kp=-bias[1], kv=-bias[2], ki=m.actuator_gainprm[i][0], input=" ".join(w for w, _ in inputs),
                 imax=dyn[0] if integrates else None, slewmax=dyn[1] if integrates else None)
        a.set("ctrllimited", "true" if inputs and inputs[0][1] is not None else "false")
        for word, limits in inputs:
            if limits is not None:
                a.set(word + "range", _text(limits))
        if m.actuator_forcelimited[i]:
            a.set("forcelimited", "true")
            a.set("forcerange", _text(m.actuator_forcerange[i]))
        return a

    def sensors(self) -> None:
        m = self.m
        import mujoco

        sensor = _add(self.root, "sensor")
        kinds = {int(k.value): k.name[7:].lower() for k in mujoco.mjtSensor.__members__.values()}
        words = {"jointactfrc": "jointactuatorfrc", "tendonactfrc": "tendonactuatorfrc", "geomdist": "distance", "geomnormal": "normal", "geomfromto": "fromto"}
        for i in range(m.nsensor):
            kind = kinds[int(m.sensor_type[i])]
            s = _add(sensor, words.get(kind, kind), name=self.name("SENSOR", i), cutoff=m.sensor_cutoff[i], noise=m.sensor_noise[i])
            if hasattr(m, "sensor_history") and m.sensor_history[i][0]:
                _samples(s, m.sensor_history[i], m.sensor_delay[i])
                s.set("interval", _text(m.sensor_interval[i]))
            self.sensor_objects(s, i, kind)
            self.sensor_parameters(s, i, kind)

    def sensor_object(self, kind: Any, i: Any) -> tuple[str, str] | None:
        """The word for a kind of objects and the name of one of them."""
        objects = {1: ("body", "BODY"), 2: ("xbody", "BODY"), 3: ("joint", "JOINT"), 5: ("geom", "GEOM"), 6: ("site", "SITE"), 7: ("camera", "CAMERA"),
                   18: ("tendon", "TENDON"), 19: ("actuator", "ACTUATOR")}
        word = objects.get(int(kind))
        return None if word is None or i < 0 else (word[0], self.name(word[1], i))

    def sensor_objects(self, s: ET.Element, i: int, kind: str) -> None:
        m = self.m
        one, two = self.sensor_object(m.sensor_objtype[i], m.sensor_objid[i]), self.sensor_object(m.sensor_reftype[i], m.sensor_refid[i])
        plain = {"xbody": "subtree" if kind == "contact" else "body"}
        if kind in ("geomdist", "geomnormal", "geomfromto", "contact"):
            for number, end in (("1", one), ("2", two)):
                if end:
                    s.set("site" if end[0] == "site" else plain.get(end[0], end[0]) + number, end[1])
        elif kind == "insidesite" or kind.startswith("frame"):
            for prefix, end in (("obj", one), ("ref", two)):
                if end and prefix == "ref" and kind == "insidesite":
                    s.set("site", end[1])
                elif end:
                    s.set(prefix + "type", end[0])
                    s.set(prefix + "name", end[1])
        elif kind == "camprojection":
            s.set("site", one[1])
            s.set("camera", two[1])
        elif one:
            s.set(plain.get(one[0], one[0]), one[1])

    def sensor_parameters(self, s: ET.Element, i: int, kind: str) -> None:
        """What stands in numbers of its own: the data of contacts and rays, how contacts are reduced, the size of a user's sensor."""
        m = self.m
        data = {"contact": "found force torque dist pos normal tangent linvel angvel", "rangefinder": "dist dir origin point normal depth"}
        numbers = m.sensor_intprm[i] if hasattr(m, "sensor_intprm") else (0, 0, 0)
        if kind in data and numbers[0]:
            s.set("data", " ".join(word for bit, word in enumerate(data[kind].split()) if int(numbers[0]) >> bit & 1))
        if kind == "contact":
            s.set("reduce", ("none", "mindist", "maxforce", "netforce")[int(numbers[1])])
            s.set("num", str(int(numbers[2])))
        if kind == "insidesite" and numbers[0]:
            s.set("enclosed", "true")
        if kind == "user":
            s.set("dim", str(int(m.sensor_dim[i])))


def _write(m: Any) -> str:
    return _Writer(m).write()
