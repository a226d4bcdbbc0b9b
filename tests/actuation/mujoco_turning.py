"""Connects and welds with a solref between bodies that turn: MuJoCo's accelerations at random velocities.

  mujoco_turning.py OUT STATES SEED

Writes OUT/scene.xml and OUT/states.txt: for each state the lines qvel and qacc.
"""

import mujoco
from mujoco_states import write_states

SOFT = 'solref=".05 1" solimp=".8 .95 .02"'


def pair(name, y):
    """A free box of which three moments differ, and a link of two hinges that it could hold on to."""
    return f"""<body name="{name}" pos="0 {y} 0"><freejoint/><geom type="box" size=".1 .05 .2" pos=".02 .01 .03" mass="1.5"/><site name="{name}" pos=".25 0 .1"/></body>
<body pos=".5 {y} 0"><joint axis="0 1 0" damping=".01"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass="1"/>
  <body name="{name}_link" pos=".2 0 0"><joint axis="1 0 1"/><geom type="box" size=".1 .03 .05" pos=".1 0 0" mass="1"/><site name="{name}_link" pos="-.45 0 .1"/></body></body>
"""


SCENE = f"""<mujoco><compiler angle="radian"/><option timestep=".002"/><default><geom contype="0" conaffinity="0"/></default>
<worldbody>{"".join(pair(name, y) for y, name in enumerate("abcdef"))}</worldbody><equality>
<connect body1="a" body2="a_link" anchor=".3 .1 .1" {SOFT}/><connect body1="b_link" anchor=".2 .1 .1" {SOFT}/><connect site1="c" site2="c_link" {SOFT}/>
<weld body1="d" body2="d_link" anchor=".1 .2 .1" torquescale=".7" {SOFT}/><weld body1="e" {SOFT}/><weld site1="f_link" site2="f" {SOFT}/>
</equality></mujoco>"""


def accelerate(model, data, rng):
    mujoco.mj_resetData(model, data)
    data.qvel[:] = 5 * rng.normal(size=model.nv)
    mujoco.mj_forward(model, data)
    return {"qvel": data.qvel, "qacc": data.qacc}


write_states(SCENE, accelerate)
