"""Writes a compiled ``mjModel`` as MJCF, number by number: options, meshes, bodies with all that they carry,
constraints, keyframes. _mujoco_acting.py writes actuators and sensors."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import mujoco
import numpy as np

from ._mujoco_acting import write_actuators, write_sensors
from ._mujoco_xml import GEOM, OBJECT, Source, add, field, polynomial, set_range, solver_values, text, words_of

_SHAPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")  # those that Holdfast has
_DISABLED = ("constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl", "filterparent", "actuation")
_JOINT, _EQUALITY, _WRAP = words_of(mujoco.mjtJoint), words_of(mujoco.mjtEq), words_of(mujoco.mjtWrap)


def write_mjcf(m: Any) -> str:
    """The MJCF of an ``mjModel``."""
    source, root = Source(m), ET.Element("mujoco", model="from_mujoco")
    add(root, "compiler", angle="radian", autolimits="false", inertiafromgeom="false", boundmass=0, boundinertia=0)

    _write_options(m, root)
    _write_assets(source, add(root, "asset"))
    _write_bodies(source, add(root, "worldbody"))
    _write_contacts(source, add(root, "contact"))
    _write_equalities(source, add(root, "equality"))
    _write_tendons(source, add(root, "tendon"))
    write_actuators(source, add(root, "actuator"))
    write_sensors(source, add(root, "sensor"))

    if m.nkey:
        _write_keys(source, add(root, "keyframe"))

    source.remove_made_names(root)
    return ET.tostring(root, encoding="unicode")


def _write_options(m: Any, root: ET.Element) -> None:
    """Writes the options of a scene, with its flags."""
    o = m.opt
    option = add(root, "option", timestep=o.timestep, gravity=o.gravity, impratio=o.impratio, magnetic=o.magnetic,
                 density=o.density, viscosity=o.viscosity, wind=o.wind, cone=("pyramidal", "elliptic")[int(o.cone)])

    if o.disableactuator:
        option.set("actuatorgroupdisable", " ".join(str(g) for g in range(31) if o.disableactuator >> g & 1))

    flags = {}
    for word in _DISABLED:
        bit = getattr(mujoco.mjtDisableBit, "mjDSBL_" + word.upper(), None)  # None: this version of MuJoCo has no such flag
        if bit is not None and o.disableflags & int(bit):
            flags[word] = "disable"

    if o.enableflags & int(mujoco.mjtEnableBit.mjENBL_OVERRIDE):
        flags["override"] = "enable"
        for word in ("o_margin", "o_solref", "o_solimp", "o_friction"):
            option.set(word, text(getattr(o, word)))

    if flags:
        add(option, "flag", **flags)


# ---- meshes and height fields --------------------------------------------------------------------------------------


def _write_assets(source: Source, assets: ET.Element) -> None:
    m = source.m
    for shape, write in (("mesh", _write_mesh), ("hfield", _write_height_field)):
        for i in sorted({int(m.geom_dataid[g]) for g in range(m.ngeom) if GEOM[int(m.geom_type[g])] == shape}):
            write(source, assets, i)


def _hull_faces(m: Any, i: int) -> np.ndarray | None:
    """The triangles of the convex hull of a mesh, as indices of its vertices; None if MuJoCo made no hull."""
    at = int(m.mesh_graphadr[i])
    if at < 0:
        return None
    nvert, nface = (int(n) for n in m.mesh_graph[at:at + 2])
    first = at + 2 + 3 * nvert + 3 * nface
    return np.asarray(m.mesh_graph[first:first + 3 * nface]).reshape(nface, 3)


def _centre(corners: np.ndarray, inertia: str) -> np.ndarray:
    """Centre of mass of a mesh, whose triangles have these corners (n, 3, 3), by one of MJCF's rules of inertia."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    middle, area = corners.mean(axis=1), np.linalg.norm(normal, axis=1)
    of_area = area @ middle / area.sum()
    if inertia == "shell":
        return np.asarray(of_area)
    volume = np.einsum("ij,ij->i", normal, middle - of_area)  # of pyramids over the triangles, six times
    if inertia == "legacy":
        volume = np.abs(volume)
    return np.asarray(of_area + volume @ (0.75 * (middle - of_area)) / volume.sum())


def _inertia_rule(m: Any, i: int, vertices: np.ndarray, faces: np.ndarray) -> str:
    """The rule of inertia by which MuJoCo moved the mesh: its centre of mass is the origin. Any other rule would move
    the frame of its geoms."""
    hull = _hull_faces(m, i)
    rules = {"legacy": faces, "exact": faces, "convex": hull, "shell": faces}
    size, distance = float(np.ptp(vertices, axis=0).max()), {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for rule, triangles in rules.items():
            if triangles is not None:
                distance[rule] = float(np.nan_to_num(np.linalg.norm(_centre(vertices[triangles], rule)), nan=np.inf))
    near = [rule for rule in distance if distance[rule] <= 1e-6 * size]  # Vertices are in single precision.
    return near[0] if near else min(distance, key=distance.__getitem__)


def _write_mesh(source: Source, assets: ET.Element, i: int) -> None:
    m = source.m
    v, f = int(m.mesh_vertadr[i]), int(m.mesh_faceadr[i])
    vertices = np.asarray(m.mesh_vert[v:v + int(m.mesh_vertnum[i])], dtype=float)
    faces = np.asarray(m.mesh_face[f:f + int(m.mesh_facenum[i])])
    add(assets, "mesh", name=source.name("mesh", i), vertex=vertices, face=" ".join(str(int(x)) for x in np.ravel(faces)),
        inertia=_inertia_rule(m, i, vertices, faces))


def _write_height_field(source: Source, assets: ET.Element, i: int) -> None:
    m = source.m
    nrow, ncol, at = int(m.hfield_nrow[i]), int(m.hfield_ncol[i]), int(m.hfield_adr[i])
    rows = np.asarray(m.hfield_data[at:at + nrow * ncol], dtype=float).reshape(nrow, ncol)
    add(assets, "hfield", name=source.name("hfield", i), nrow=str(nrow), ncol=str(ncol), size=m.hfield_size[i], elevation=rows[::-1])


# ---- bodies --------------------------------------------------------------------------------------------------------


def _write_bodies(source: Source, world: ET.Element) -> None:
    m = source.m
    elements = {0: world}
    for b in range(m.nbody):
        if b:
            elements[b] = _write_body(source, elements[int(m.body_parentid[b])], b)
        _write_content(source, elements[b], b)


def _write_body(source: Source, parent: ET.Element, b: int) -> ET.Element:
    m = source.m
    body = add(parent, "body", name=source.name("body", b), pos=m.body_pos[b], quat=m.body_quat[b])
    if m.body_mocapid[b] >= 0:
        body.set("mocap", "true")
    if m.body_gravcomp[b]:
        body.set("gravcomp", text(m.body_gravcomp[b]))
    if m.body_mass[b] > 0 or np.any(m.body_inertia[b] > 0):
        add(body, "inertial", pos=m.body_ipos[b], quat=m.body_iquat[b], mass=m.body_mass[b], diaginertia=m.body_inertia[b])
    return body


def _write_content(source: Source, body: ET.Element, b: int) -> None:
    """Joints, geoms, sites and cameras of a body."""
    m = source.m
    for j in range(int(m.body_jntadr[b]), int(m.body_jntadr[b] + m.body_jntnum[b])):
        _write_joint(source, body, j)
    for g in range(int(m.body_geomadr[b]), int(m.body_geomadr[b] + m.body_geomnum[b])):
        if GEOM[int(m.geom_type[g])] in _SHAPES:
            _write_geom(source, body, g)
    for s in np.flatnonzero(m.site_bodyid == b):
        shape = GEOM.get(int(m.site_type[s]))
        add(body, "site", name=source.name("site", s), pos=m.site_pos[s], quat=m.site_quat[s], type=shape if shape in _SHAPES else "sphere", size=m.site_size[s])
    for c in np.flatnonzero(m.cam_bodyid == b):
        _write_camera(source, body, int(c))


def _write_joint(source: Source, body: ET.Element, j: int) -> None:
    """Writes a joint; a free joint has no place, axis or limits."""
    m = source.m
    kind, dof, q = _JOINT[int(m.jnt_type[j])], int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
    joint = add(body, "joint", name=source.name("joint", j), type=kind, armature=m.dof_armature[dof],
                damping=polynomial(m, "dof_damping", dof), frictionloss=m.dof_frictionloss[dof],
                stiffness=polynomial(m, "jnt_stiffness", j), margin=m.jnt_margin[j],
                **solver_values(m.jnt_solref[j], m.jnt_solimp[j], "limit"),
                **solver_values(m.dof_solref[dof], m.dof_solimp[dof], "friction"))

    if kind == "free":
        return
    if field(m, "jnt_springyield", j):
        joint.set("springyield", text(m.jnt_springyield[j]))

    joint.set("pos", text(m.jnt_pos[j]))
    if kind != "ball":
        joint.set("axis", text(m.jnt_axis[j]))
        joint.set("ref", text(m.qpos0[q]))
        joint.set("springref", text(m.qpos_spring[q]))

    if m.jnt_limited[j]:
        set_range(joint, "", m.jnt_range[j])
    if m.jnt_actfrclimited[j]:
        set_range(joint, "actuatorfrc", m.jnt_actfrcrange[j])
    if m.jnt_actgravcomp[j]:
        joint.set("actuatorgravcomp", "true")


def _colour(m: Any, g: int) -> np.ndarray:
    """The colour that MuJoCo draws a geom in: that of its material, unless the geom has one of its own."""
    own, material = m.geom_rgba[g], int(m.geom_matid[g])
    return m.mat_rgba[material] if material >= 0 and np.array_equal(own, np.array([0.5, 0.5, 0.5, 1], np.float32)) else own


def _write_geom(source: Source, body: ET.Element, g: int) -> None:
    """Writes a geom."""
    m = source.m
    shape = GEOM[int(m.geom_type[g])]
    geom = add(body, "geom", name=source.name("geom", g), type=shape, pos=m.geom_pos[g], quat=m.geom_quat[g],
               friction=m.geom_friction[g], margin=m.geom_margin[g], gap=m.geom_gap[g], solmix=m.geom_solmix[g],
               rgba=_colour(m, g), **solver_values(m.geom_solref[g], m.geom_solimp[g]))

    for word in ("contype", "conaffinity", "condim", "priority", "group"):
        geom.set(word, str(int(getattr(m, "geom_" + word)[g])))

    for word in ("surfacevel", "adhesion"):
        if np.any(field(m, "geom_" + word, g)):
            geom.set(word, text(field(m, "geom_" + word, g)))
    if m.geom_fluid[g][0]:
        geom.set("fluidshape", "ellipsoid")
        geom.set("fluidcoef", text(m.geom_fluid[g][1:6]))

    if shape in ("mesh", "hfield"):
        geom.set(shape, source.name(shape, m.geom_dataid[g]))
    else:
        geom.set("size", text(m.geom_size[g]))


def _write_camera(source: Source, body: ET.Element, c: int) -> None:
    """Writes a camera, with its chip or its field of view."""
    m = source.m
    camera = add(body, "camera", name=source.name("camera", c), pos=m.cam_pos[c], quat=m.cam_quat[c], resolution=" ".join(str(int(n)) for n in m.cam_resolution[c]),
                 mode=("fixed", "track", "trackcom", "targetbody", "targetbodycom")[int(m.cam_mode[c])])

    if m.cam_targetbodyid[c] >= 0:
        camera.set("target", source.name("body", m.cam_targetbodyid[c]))
    if field(m, "cam_projection", c) or field(m, "cam_orthographic", c):  # the second is the name in MuJoCo 3
        camera.set("projection", "orthographic")

    has_chip = float(m.cam_sensorsize[c][1]) > 0
    if has_chip:
        for word, numbers in (("sensorsize", m.cam_sensorsize[c]), ("focal", m.cam_intrinsic[c][:2]), ("principal", m.cam_intrinsic[c][2:])):
            camera.set(word, text(numbers))
    else:
        camera.set("fovy", text([m.cam_fovy[c]]))


# ---- contacts, equalities, tendons, keyframes ----------------------------------------------------------------------


def _write_contacts(source: Source, contact: ET.Element) -> None:
    """Writes the pairs of geoms that have their own contact parameters, and the bodies that do not touch."""
    m = source.m
    for i in range(m.npair):
        add(contact, "pair", geom1=source.name("geom", m.pair_geom1[i]), geom2=source.name("geom", m.pair_geom2[i]),
            condim=str(int(m.pair_dim[i])), friction=m.pair_friction[i], margin=m.pair_margin[i], gap=m.pair_gap[i],
            adhesion=field(m, "pair_adhesion", i), **solver_values(m.pair_solref[i], m.pair_solimp[i]))
    for i in range(m.nexclude):
        signature = int(m.exclude_signature[i])
        add(contact, "exclude", body1=source.name("body", signature >> 16), body2=source.name("body", signature & 0xFFFF))


def _write_equalities(source: Source, parent: ET.Element) -> None:
    """Writes the equalities, each by what it joins."""
    m = source.m
    for i in range(m.neq):
        kind, data, objects = _EQUALITY[int(m.eq_type[i])], m.eq_data[i], (m.eq_obj1id[i], m.eq_obj2id[i])
        common = {"active": "true" if m.eq_active0[i] else "false", **solver_values(m.eq_solref[i], m.eq_solimp[i])}
        of = kind if kind in ("joint", "tendon") else "site" if OBJECT[int(m.eq_objtype[i])] == "site" else "body"
        ends = {f"{of}{k + 1}": source.name(of, number) for k, number in enumerate(objects) if number >= 0}

        if kind == "connect":
            add(parent, kind, **ends, anchor=data[:3] if of == "body" else None, **common)
        elif kind == "weld":
            add(parent, kind, **ends, anchor=data[:3] if of == "body" else None, relpose=data[3:10] if of == "body" else None, torquescale=data[10], **common)
        elif kind == of:
            add(parent, kind, **ends, polycoef=data[:5], **common)


def _write_tendons(source: Source, parent: ET.Element) -> None:
    """Writes the tendons with their paths."""
    m = source.m
    for t in range(m.ntendon):
        first, count = int(m.tendon_adr[t]), int(m.tendon_num[t])
        tag = "fixed" if _WRAP[int(m.wrap_type[first])] == "joint" else "spatial"
        tendon = add(parent, tag, name=source.name("tendon", t), stiffness=polynomial(m, "tendon_stiffness", t),
                     damping=polynomial(m, "tendon_damping", t), frictionloss=m.tendon_frictionloss[t], armature=m.tendon_armature[t],
                     springlength=m.tendon_lengthspring[t], margin=m.tendon_margin[t],
                     **solver_values(m.tendon_solref_lim[t], m.tendon_solimp_lim[t], "limit"),
                     **solver_values(m.tendon_solref_fri[t], m.tendon_solimp_fri[t], "friction"))

        if field(m, "tendon_springyield", t):
            tendon.set("springyield", text(m.tendon_springyield[t]))
        if m.tendon_limited[t]:
            set_range(tendon, "", m.tendon_range[t])
        if m.tendon_actfrclimited[t]:
            set_range(tendon, "actuatorfrc", m.tendon_actfrcrange[t])

        for w in range(first, first + count):
            _write_tendon_part(source, tendon, w)


def _write_tendon_part(source: Source, tendon: ET.Element, w: int) -> None:
    """Writes a joint of a fixed tendon, or a place on the path of a spatial one."""
    m = source.m
    kind, number, value = _WRAP[int(m.wrap_type[w])], int(m.wrap_objid[w]), float(m.wrap_prm[w])
    if kind == "joint":
        add(tendon, "joint", joint=source.name("joint", number), coef=value)
    elif kind == "pulley":
        add(tendon, "pulley", divisor=value)
    elif kind == "site":
        add(tendon, "site", site=source.name("site", number))
    else:  # a sphere or cylinder to wrap around; the value is the number of the side site
        add(tendon, "geom", geom=source.name("geom", number), sidesite=source.name("site", value) if value >= 0 else None)


def _write_keys(source: Source, parent: ET.Element) -> None:
    m = source.m
    for k in range(m.nkey):
        add(parent, "key", name=source.name("key", k), time=m.key_time[k], qpos=m.key_qpos[k], qvel=m.key_qvel[k],
            **{a: v for a, v in (("act", m.key_act[k]), ("ctrl", m.key_ctrl[k]), ("mpos", m.key_mpos[k]), ("mquat", m.key_mquat[k])) if np.size(v)})
