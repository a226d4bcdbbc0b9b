"""What all parts of the MJCF writer share: names of objects, words for MuJoCo's numbers, elements and their
attributes."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import mujoco
import numpy as np


def words_of(enumeration: Any) -> dict[int, str]:
    """Of one of MuJoCo's enumerations, the word behind the prefix for each number: ``mjGEOM_BOX`` is "box"."""
    return {int(value.value): name.split("_", 1)[1].lower() for name, value in enumeration.__members__.items() if "_" in name}


GEOM, OBJECT = words_of(mujoco.mjtGeom), words_of(mujoco.mjtObj)


def text(x: Any) -> str:
    return " ".join(repr(float(v)) for v in np.ravel(x))


def add(parent: ET.Element, tag: str, **attributes: Any) -> ET.Element:
    """Adds an element. Attributes that are None are left out."""
    values = {k: v if isinstance(v, str) else text(v) for k, v in attributes.items() if v is not None}
    return ET.SubElement(parent, tag, values)


def field(m: Any, name: str, i: Any) -> Any:
    """Entry i of an array of the model; 0 if this version of MuJoCo does not have the array."""
    return getattr(m, name)[i] if hasattr(m, name) else 0


def polynomial(m: Any, name: str, i: int) -> Any:
    """The first coefficient of a polynomial and, from MuJoCo 4 on, those of higher powers."""
    return np.append(np.ravel(getattr(m, name)[i])[0], getattr(m, name + "poly")[i] if hasattr(m, name + "poly") else [])


def solver_values(solref: Any, solimp: Any, of: str = "") -> dict[str, Any]:
    """Attributes solref and solimp of a contact; with ``of`` those of a limit or friction loss. Values that are
    MuJoCo's defaults are left out, so that Holdfast's own stiffness acts."""
    values: dict[str, Any] = {}
    if not np.allclose(solref, (0.02, 1)):
        values["solref" + of] = solref
    if not np.allclose(solimp, (0.9, 0.95, 0.001, 0.5, 2)):
        values["solimp" + of] = solimp
    return values


def set_range(element: ET.Element, name: str, limits: Any) -> None:
    """Switches a limit on and sets its range: ``set_range(e, "ctrl", ...)`` sets ctrllimited and ctrlrange."""
    element.set(name + "limited", "true")
    element.set(name + "range", text(limits))


def set_samples(element: ET.Element, history: Any, delay: Any) -> None:
    """How many samples an actuator or sensor keeps, how it reads between them, and its delay."""
    element.set("nsample", str(int(history[0])))
    element.set("interp", ("zoh", "linear", "cubic")[int(history[1])])
    element.set("delay", text(delay))


def actuator_count(m: Any) -> int:
    """How many actuators there are. Since MuJoCo 4 an actuator may have several controls, or none."""
    return int(getattr(m, "nactuator", m.nu))


class Source:
    """An ``mjModel`` with names for everything, unnamed parts included, so that parts can refer to each other."""

    def __init__(self, m: Any):
        self.m = m
        self._name = {}
        self._made: set[str] = set()  # names of what has none in the model
        for kind, count in (("body", m.nbody), ("joint", m.njnt), ("geom", m.ngeom), ("site", m.nsite), ("camera", m.ncam), ("tendon", m.ntendon),
                            ("actuator", actuator_count(m)), ("sensor", m.nsensor), ("key", m.nkey), ("mesh", m.nmesh), ("hfield", m.nhfield)):
            number = getattr(mujoco.mjtObj, "mjOBJ_" + kind.upper())
            for i in range(count):
                given = mujoco.mj_id2name(m, number, i)
                self._name[kind, i] = given or f"#{kind}{i}"
                if not given:
                    self._made.add(self._name[kind, i])

    def name(self, kind: str, i: Any) -> str:
        return self._name[kind, int(i)]

    def remove_made_names(self, root: ET.Element) -> None:
        """Takes names away from parts that have none in the model, if nothing refers to them: they are called as when
        a file is read, a free joint like its body."""
        needed = {value for element in root.iter() for key, value in element.attrib.items() if key != "name"}
        for element in root.iter():
            if element.tag not in ("mesh", "hfield") and element.get("name") in self._made - needed:
                del element.attrib["name"]
