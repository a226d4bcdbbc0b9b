"""Writes actuators and sensors of an ``mjModel`` as MJCF."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import mujoco

from ._mujoco_xml import OBJECT, Source, actuator_count, add, field, set_range, set_samples, text, words_of

_TRANSMISSION, _GAIN, _BIAS, _DYNAMICS = (words_of(e) for e in (mujoco.mjtTrn, mujoco.mjtGain, mujoco.mjtBias, mujoco.mjtDyn))
# The laws of the element "general" that Holdfast has.
_GAINS, _BIASES = ("fixed", "affine", "muscle", "so3"), ("none", "affine", "muscle", "so3")
_ACTIVATIONS = ("none", "integrator", "filter", "filterexact", "muscle")
# What an actuator acts on, by its transmission: the attribute, and the kind of object that it names.
_TARGETS = {"joint": ("joint", "joint"), "jointinparent": ("jointinparent", "joint"), "slidercrank": ("cranksite", "site"),
            "tendon": ("tendon", "tendon"), "site": ("site", "site"), "body": ("body", "body")}
_SENSOR = {int(kind.value): kind.name.split("_", 1)[1].lower() for kind in mujoco.mjtSensor.__members__.values()}
# Elements of sensors that are not called as the enumeration calls them.
_SENSOR_TAG = {"jointactfrc": "jointactuatorfrc", "tendonactfrc": "tendonactuatorfrc", "geomdist": "distance", "geomnormal": "normal", "geomfromto": "fromto"}
# Bits of the data of a sensor, from the lowest.
_SENSOR_DATA = {"contact": ("found", "force", "torque", "dist", "pos", "normal", "tangent", "linvel", "angvel"),
                "rangefinder": ("dist", "dir", "origin", "point", "normal", "depth")}


# ---- actuators -----------------------------------------------------------------------------------------------------


def write_actuators(source: Source, parent: ET.Element) -> None:
    for i in range(actuator_count(source.m)):
        _write_actuator(source, parent, i)


def _target_of(m: Any, i: int) -> tuple[str, str] | None:
    """The attribute that names what actuator i acts on, and the kind of that; None where Holdfast has no such
    transmission."""
    kind = _TRANSMISSION[int(m.actuator_trntype[i])]
    if kind == "so3":  # on a ball, or on a site with a reference
        kind = "site" if m.actuator_trnid[i][1] >= 0 else "joint"
    return _TARGETS.get(kind)


def _write_actuator(source: Source, parent: ET.Element, i: int) -> None:
    """Writes an actuator with its force law and what it acts on."""
    m, name = source.m, source.name("actuator", i)
    target = _target_of(m, i)
    element = _write_force_law(m, parent, i) if target else None
    if target is None or element is None:
        raise ValueError(f'actuator "{name}" is of a type that Holdfast does not simulate')

    first, second = m.actuator_trnid[i]
    for word, value in (("name", name), ("gear", text(m.actuator_gear[i])), ("group", str(int(m.actuator_group[i]))), (target[0], source.name(target[1], first))):
        element.set(word, value)

    if target[0] == "site" and second >= 0:
        element.set("refsite", source.name("site", second))
    if target[0] == "cranksite":
        element.set("slidersite", source.name("site", second))
        element.set("cranklength", text([m.actuator_cranklength[i]]))

    if hasattr(m, "actuator_history") and m.actuator_history[i][0]:
        set_samples(element, m.actuator_history[i], m.actuator_delay[i])
    if field(m, "actuator_armature", i) or field(m, "actuator_damping", i):
        element.set("armature", text(m.actuator_armature[i]))
        element.set("damping", text([m.actuator_damping[i], *m.actuator_dampingpoly[i]]))


def _write_force_law(m: Any, parent: ET.Element, i: int) -> ET.Element | None:
    """The element of an actuator, with what makes its force; None where there is none in Holdfast."""
    gain, bias, dynamics = _GAIN[int(m.actuator_gaintype[i])], _BIAS[int(m.actuator_biastype[i])], _DYNAMICS[int(m.actuator_dyntype[i])]
    if gain == "dcmotor" and dynamics == "dcmotor":
        return _write_dc_motor(m, parent, i)
    if gain == "pid":
        return _write_pid(m, parent, i)
    if gain in _GAINS and bias in _BIASES and dynamics in _ACTIVATIONS:
        return _write_general(m, parent, i, gain, bias, dynamics)
    return None


def _write_general(m: Any, parent: ET.Element, i: int, gain: str, bias: str, dynamics: str) -> ET.Element:
    """Writes the force law of a <general> actuator, with its limits."""
    element = add(parent, "general", gaintype=gain, biastype=bias, dyntype=dynamics,
                  gainprm=m.actuator_gainprm[i][:9 if gain == "muscle" else 3], biasprm=m.actuator_biasprm[i][:9 if bias == "muscle" else 3],
                  dynprm=m.actuator_dynprm[i][:3 if dynamics == "muscle" else 1])

    if gain == "so3":
        element.set("input", {1: "expmap", 2: "quat"}[int(m.actuator_ctrlspec[i])])
    if "muscle" in (gain, bias):
        element.set("lengthrange", text(m.actuator_lengthrange[i]))

    for limit, row in (("ctrl", getattr(m, "actuator_ctrladr", range(m.nu))[i]), ("force", i), ("act", i)):
        if getattr(m, f"actuator_{limit}limited")[row]:
            set_range(element, limit, getattr(m, f"actuator_{limit}range")[row])
    if m.actuator_actearly[i]:
        element.set("actearly", "true")

    return element


def _inputs(m: Any, i: int) -> list[tuple[str, Any]]:
    """The names of an actuator's controls, and the range of each, None where it has none."""
    names = [word for bit, word in enumerate(("pos", "vel", "ff", "voltage")) if int(m.actuator_ctrlspec[i]) >> bit & 1]
    rows = range(int(m.actuator_ctrladr[i]), int(m.actuator_ctrladr[i]) + len(names))
    return [(word, m.actuator_ctrlrange[r] if m.actuator_ctrllimited[r] else None) for word, r in zip(names, rows)]


def _write_dc_motor(m: Any, parent: ET.Element, i: int) -> ET.Element:
    """Writes a <dcmotor>; MuJoCo keeps its numbers in gainprm, biasprm and dynprm."""
    gain, bias, dyn, inputs = m.actuator_gainprm[i], m.actuator_biasprm[i], m.actuator_dynprm[i], _inputs(m, i)
    most = m.actuator_forcerange[i][1] if m.actuator_forcelimited[i] else 0

    element = add(parent, "dcmotor", resistance=gain[0], motorconst=gain[1], inductance=(0, dyn[0]),
                  thermal=(dyn[2], dyn[3], 0, gain[2], gain[3], dyn[4]), saturation=(most, 0, dyn[1]), cogging=bias[:3],
                  lugre=(dyn[5], dyn[6], *bias[3:6]), controller=(*gain[4:7], dyn[7], dyn[8], gain[7]),
                  input=" ".join(word for word, _ in inputs) or "none")

    if inputs and inputs[0][1] is not None:
        set_range(element, "ctrl", inputs[0][1])
    return element


def _write_pid(m: Any, parent: ET.Element, i: int) -> ET.Element:
    """Writes a <pid> controller."""
    bias, dyn, inputs = m.actuator_biasprm[i], m.actuator_dynprm[i], _inputs(m, i)
    integrates = _DYNAMICS[int(m.actuator_dyntype[i])] == "pid"

    element = add(parent, "pid", kp=-bias[1], kv=-bias[2], ki=m.actuator_gainprm[i][0], input=" ".join(word for word, _ in inputs),
                  imax=dyn[0] if integrates else None, slewmax=dyn[1] if integrates else None)

    element.set("ctrllimited", "true" if inputs and inputs[0][1] is not None else "false")
    for word, limits in inputs:
        if limits is not None:
            element.set(word + "range", text(limits))

    if m.actuator_forcelimited[i]:
        set_range(element, "force", m.actuator_forcerange[i])
    return element


# ---- sensors -------------------------------------------------------------------------------------------------------


def write_sensors(source: Source, parent: ET.Element) -> None:
    m = source.m
    for i in range(m.nsensor):
        kind = _SENSOR[int(m.sensor_type[i])]
        sensor = add(parent, _SENSOR_TAG.get(kind, kind), name=source.name("sensor", i), cutoff=m.sensor_cutoff[i], noise=m.sensor_noise[i])
        if hasattr(m, "sensor_history") and m.sensor_history[i][0]:
            set_samples(sensor, m.sensor_history[i], m.sensor_delay[i])
            sensor.set("interval", text(m.sensor_interval[i]))
        _set_objects(source, sensor, i, kind)
        _set_parameters(m, sensor, i, kind)


def _object(source: Source, kind: Any, i: Any) -> tuple[str, str] | None:
    """MuJoCo's word for a kind of objects and the name of one of them. None: there is no object."""
    word = OBJECT.get(int(kind))
    if i < 0 or word not in ("body", "xbody", "joint", "geom", "site", "camera", "tendon", "actuator"):
        return None
    return word, source.name("body" if word == "xbody" else word, i)


def _set_objects(source: Source, sensor: ET.Element, i: int, kind: str) -> None:
    """What a sensor measures, and what relative to."""
    m = source.m
    one, two = _object(source, m.sensor_objtype[i], m.sensor_objid[i]), _object(source, m.sensor_reftype[i], m.sensor_refid[i])
    attribute = {"xbody": "subtree" if kind == "contact" else "body"}  # elsewhere the word itself

    if kind in ("geomdist", "geomnormal", "geomfromto", "contact"):
        for number, end in (("1", one), ("2", two)):
            if end:
                sensor.set("site" if end[0] == "site" else attribute.get(end[0], end[0]) + number, end[1])
    elif kind == "insidesite" or kind.startswith("frame"):
        for prefix, end in (("obj", one), ("ref", two)):
            if end and prefix == "ref" and kind == "insidesite":
                sensor.set("site", end[1])
            elif end:
                sensor.set(prefix + "type", end[0])
                sensor.set(prefix + "name", end[1])
    elif kind == "camprojection" and one and two:
        sensor.set("site", one[1])
        sensor.set("camera", two[1])
    elif one:
        sensor.set(attribute.get(one[0], one[0]), one[1])


def _set_parameters(m: Any, sensor: ET.Element, i: int, kind: str) -> None:
    """What stands in numbers of its own: the data of contacts and rays, how contacts are reduced, the size of a
    user's sensor."""
    numbers = m.sensor_intprm[i] if hasattr(m, "sensor_intprm") else (0, 0, 0)
    if kind in _SENSOR_DATA and numbers[0]:
        sensor.set("data", " ".join(word for bit, word in enumerate(_SENSOR_DATA[kind]) if int(numbers[0]) >> bit & 1))
    if kind == "contact":
        sensor.set("reduce", ("none", "mindist", "maxforce", "netforce")[int(numbers[1])])
        sensor.set("num", str(int(numbers[2])))
    if kind == "insidesite" and numbers[0]:
        sensor.set("enclosed", "true")
    if kind == "user":
        sensor.set("dim", str(int(m.sensor_dim[i])))
