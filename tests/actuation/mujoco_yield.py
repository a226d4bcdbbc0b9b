"""Where MuJoCo's springs rest after they have yielded.

  mujoco_yield.py OUT POSTURES SEED

Writes OUT/scene.xml, joints and tendons whose springs yield, and OUT/states.txt: for each random posture, which is held for a step
without velocity, "step", the positions ("qpos") and where the springs rest then ("plastic"). No spring has a stiffness: it would move them.
"""

import mujoco
import numpy as np
from mujoco_states import write_states

SCENE = """<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><default><geom contype="0" conaffinity="0"/></default><worldbody><site name="o" pos="0 0 1"/>
<body><joint name="s" type="slide" springyield=".05" springref=".02"/><geom size=".1" mass="1"/></body>
<body><joint name="h" springyield=".3" axis="0 1 0"/><geom size=".1" mass="1" pos=".1 0 0"/><site name="p" pos=".3 0 0"/></body>
<body><joint type="ball" springyield=".2"/><geom size=".1" mass="1"/></body></worldbody>
<tendon><fixed springyield=".03" springlength=".1 .2"><joint joint="s" coef="1"/></fixed><fixed springyield=".03" springlength="0 .1"><joint joint="s" coef="1"/></fixed>
<fixed springyield=".03"><joint joint="s" coef="2"/></fixed><spatial springyield=".1" springlength=".9"><site site="o"/><site site="p"/></spatial></tendon></mujoco>"""


def rows_of(model, data, rng):
    data.qpos[:2] += rng.normal(scale=(0.05, 0.3))
    turn = data.qpos[2:].copy()
    mujoco.mju_quatIntegrate(turn, rng.normal(scale=0.2, size=3), 1)
    data.qpos[2:] = turn / np.linalg.norm(turn)
    data.qvel[:] = 0
    held = data.qpos.copy()
    mujoco.mj_step(model, data)
    return {"step": [], "qpos": held, "plastic": data.plastic}


write_states(SCENE, rows_of)
