"""Sensors of shapes, contacts and cameras in MuJoCo: a scene, states, MuJoCo's contacts there and what its sensors read.

  mujoco_sensors.py OUT STATES SEED

Writes OUT/scene.xml and OUT/states.txt: STATES times the lines
  qpos, qvel, ncontact
  contact (ncontact x 22): geom1 geom2 dist, pos (3), frame (9: normal, tangents), force in that frame (3), torque (3), active
  sensor
"""

import mujoco
import numpy as np
from mujoco_states import write_states

SHAPES = {"a": ("sphere", ".2"), "b": ("capsule", ".12 .2"), "c": ("box", ".2 .15 .1"), "d": ("ellipsoid", ".2 .15 .1"), "e": ("cylinder", ".15 .2")}
CAMERAS = {"a": "", "b": 'mode="track"', "c": 'mode="trackcom"', "d": 'mode="targetbody" target="a"', "e": 'mode="targetbodycom" target="b"'}
DATA = "found force torque dist pos normal tangent linvel angvel"


def scene():
    bodies = ""
    for n, (shape, size) in SHAPES.items():
        bodies += f'<body name="{n}" pos="0 0 1"><freejoint/><geom name="g{n}" type="{shape}" size="{size}" mass="1"/>'
        bodies += f'<geom name="h{n}" size=".1" pos=".3 0 .1" mass="1"/><site name="s{n}" pos=".1 .1 .4" euler="20 70 {10 * ord(n)}"/>'
        bodies += f'<camera name="c{n}" pos=".1 -.2 .3" euler="30 {ord(n)} 50" fovy="60" resolution="4 3" {CAMERAS[n]}/></body>'
    bodies += '<site name="volume" type="box" size=".5 .4 .6" pos="0 0 .4" euler="10 20 30"/><site name="ball" type="sphere" size=".6"/>'
    bodies += '<site name="tube" type="cylinder" size=".5 .7"/>'
    bodies += '<camera name="wide" pos="0 -2 1" xyaxes="1 0 0 0 .5 1" resolution="5 4" fovy="50"/>'
    bodies += '<camera name="flat" pos="0 -2 1" xyaxes="1 0 0 0 .5 1" resolution="4 4" fovy="2" projection="orthographic"/>'
    bodies += '<camera name="chip" pos="0 -2 1" xyaxes="1 0 0 0 .5 1" resolution="640 480" sensorsize=".0064 .0048" focal=".005 .006"/>'
    bodies += '<camera name="watch" mode="targetbody" target="c" pos="1 1 2"/>'
    sensors = ""
    for n in SHAPES:
        sensors += f'<magnetometer site="s{n}"/><rangefinder site="s{n}"/><rangefinder site="s{n}" data="dist dir origin point normal depth"/>'
        sensors += f'<rangefinder site="s{n}" cutoff=".4"/>'
        for volume in ("volume", "ball", "tube"):
            sensors += f'<insidesite site="{volume}" objtype="xbody" objname="{n}"/><insidesite site="{volume}" objtype="geom" objname="h{n}"/>'
        sensors += f'<camprojection site="s{n}" camera="wide"/><camprojection site="s{n}" camera="chip"/><camprojection site="sa" camera="c{n}"/>'
    for camera in ("ca", "cb", "cc", "cd", "ce", "watch"):
        sensors += "".join(f'<frame{kind} objtype="camera" objname="{camera}"/>' for kind in ("pos", "xaxis", "yaxis", "zaxis", "linvel", "angvel"))
        sensors += f'<framepos objtype="site" objname="sa" reftype="camera" refname="{camera}"/>'
        sensors += f'<insidesite site="ball" objtype="camera" objname="{camera}"/>'
    # MuJoCo's orientation of the other cameras is not that in which they look.
    sensors += '<framequat objtype="camera" objname="ca"/><framequat objtype="site" objname="sb" reftype="camera" refname="ca"/>'
    for camera in ("ca", "cb", "cc", "cd", "ce", "wide", "flat"):
        sensors += f'<rangefinder camera="{camera}"/><rangefinder camera="{camera}" data="dist dir origin point normal depth"/>'
    for kind in ("distance", "normal", "fromto"):
        for ends in ('geom1="ga" geom2="hb"', 'geom1="hc" geom2="gb"', 'geom1="hd" geom2="gc"', 'geom1="floor" geom2="he"'):
            sensors += "".join(f'<{kind} {ends} cutoff="{c}"/>' for c in (0, .3, 5))
    matches = ("", 'geom1="ga"', 'geom2="hb"', 'body1="a" body2="world"', 'body1="world" body2="b"', 'subtree1="c"', 'site="volume"',
               'site="ball" body2="d"', 'subtree2="world"', 'subtree1="world" subtree2="world"', 'body1="e" subtree2="world"')
    for match in matches:
        for num, reduce in ((1, "none"), (3, "none"), (2, "mindist"), (4, "maxforce")):
            sensors += f'<contact {match} num="{num}" reduce="{reduce}" data="{DATA}"/>'
        sensors += f'<contact {match} reduce="netforce" data="found force torque dist pos normal tangent"/><contact {match}/>'
    return f"""<mujoco><option magnetic=".1 -.4 .3"/><worldbody><geom name="floor" type="plane" size="0 0 1" condim="6"/>{bodies}</worldbody>
<sensor>{sensors}<user dim="3"/></sensor></mujoco>"""


def place(model, data, rng):
    for j in range(model.njnt):
        data.qpos[7 * j : 7 * j + 3] = rng.uniform([-.4, -.4, .05], [.4, .4, .8])
        quat = rng.normal(size=4)
        data.qpos[7 * j + 3 : 7 * j + 7] = quat / np.linalg.norm(quat)
    data.qvel[:] = rng.normal(size=model.nv)


def contacts(model, data):
    rows = np.zeros((data.ncon, 22))
    for i in range(data.ncon):
        c, wrench = data.contact[i], np.zeros(6)
        mujoco.mj_contactForce(model, data, i, wrench)
        rows[i] = np.concatenate([c.geom, [c.dist], c.pos, c.frame, wrench, [0]])
    return rows


def has_plain_frames(data):
    """Whether all contacts have the tangent that follows from the normal alone; some pairs, as plane and capsule, choose their own."""
    for i in range(data.ncon):
        normal, tangent = data.contact[i].frame[:3], data.contact[i].frame[3:6]
        axis = np.array([0, 1, 0] if abs(normal[1]) < .5 else [0, 0, 1])
        plain = axis - axis @ normal * normal
        if np.abs(tangent - plain / np.linalg.norm(plain)).max() > 1e-9:
            return False
    return True


def rows_of(model, data, rng):
    while True:
        place(model, data, rng)
        mujoco.mj_forward(model, data)
        if has_plain_frames(data):
            break
    return {"qpos": data.qpos, "qvel": data.qvel, "ncontact": [data.ncon], "contact": contacts(model, data), "sensor": data.sensordata}


write_states(scene(), rows_of)
