"""Spatial tendons around one geom, every way of wrapping, and what MuJoCo makes of them.

  mujoco_tendons.py OUT STATES SEED

Writes OUT/scene.xml, a scene with two free bodies, a geom of each shape on a third, and for each shape a tendon without a side
site, with one outside and with one inside of the geom (which the states move), and OUT/states.txt: STATES times the lines
  qpos, length, wrapped (1: the tendon touches its geom), moment (ntendon x nv)
"""

import mujoco
import numpy as np
from mujoco_states import dense, write_states

SHAPES, SIDES = ("sphere", "cylinder"), ("", "out", "in")


def scene():
    geoms = "".join(f'<geom name="{s}" type="{s}" size=".1 .07" pos="{x} 0 .05" euler="20 40 {70 * x}" mass="1"/>'
                    for s, x in (("sphere", 0), ("cylinder", .4)))
    bodies = "".join(f'<body name="{n}"><freejoint/><geom size=".01" mass="1"/><site name="{n}"/></body>' for n in ("a", "b", "out", "in"))
    tendons = ""
    for s in SHAPES:
        for side in SIDES:
            tendons += f'<spatial name="{s}{side}"><site site="a"/><geom geom="{s}"' + (f' sidesite="{side}"' if side else "")
            tendons += '/><site site="b"/></spatial>'
    return f"""<mujoco><worldbody><body name="wheel"><freejoint/>{geoms}</body>{bodies}</worldbody>
<tendon>{tendons}</tendon></mujoco>"""


def random_direction(rng):
    direction = rng.normal(size=3)
    return direction / np.linalg.norm(direction)


def place(model, data, rng):
    """Puts all bodies somewhere, the side sites inside and outside of one of the geoms."""
    data.qpos[:] = rng.normal(size=model.nq) * rng.choice([.1, .2, .5])
    for j in range(model.njnt):
        quat = data.qpos[7 * j + 3 : 7 * j + 7]
        quat[:] = rng.normal(size=4)
        quat /= np.linalg.norm(quat)
    mujoco.mj_kinematics(model, data)
    centre = data.geom_xpos[model.geom(str(rng.choice(SHAPES))).id]
    others = [data.geom_xpos[model.geom(s).id] for s in SHAPES]
    while True:
        data.qpos[21:24] = centre + rng.uniform(.101, .5) * random_direction(rng)
        if all(np.linalg.norm(data.qpos[21:24] - other) > .101 for other in others):
            break
    data.qpos[28:31] = centre + rng.uniform(0, .099) * random_direction(rng)


def rows_of(model, data, rng):
    place(model, data, rng)
    mujoco.mj_forward(model, data)
    moments = dense(model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind, data.ten_J, model.nv)
    return {"qpos": data.qpos, "length": data.ten_length, "wrapped": data.ten_wrapnum == 4, "moment": moments}


write_states(scene(), rows_of)
