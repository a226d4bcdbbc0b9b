"""Orientation servos, and position servos on one axis of a rotation, in MuJoCo, on ball joints and on sites, at random states.

  mujoco_orientation.py OUT STATES SEED

Writes OUT/scene.xml and OUT/states.txt: STATES times the lines qpos, qvel, ctrl, act, length, velocity, force (of the servos' axes), jointforce
and actnext (act a step later).
"""

import mujoco
import numpy as np
from mujoco_states import write_states

SO3 = 'gaintype="so3" biastype="so3" dyntype="integrator" gainprm="3" biasprm="0 -3 -.2"'
CHOICES = ['orientation kp="3" kv=".2"', 'orientation kp="3" kv=".2" input="quat"', 'orientation kp="5" dampratio="1"', 'orientation kp="5" kv=".4" forcerange="0 2.5"',
           'orientation kp="5" kv="9" forcerange="0 1.5" input="quat" ctrlrange="-.8 .7"', 'orientation class="soft"', 'orientation class="soft" input="expmap"',
           'orientation ctrlrange="-.4 .9"', f'general {SO3} gear="2 3 4" armature=".1" damping=".2"', f'general {SO3} actrange="-.3 .5" actearly="true" forcerange="0 4"']

# Position servos on one axis of a rotation, which take the shorter way round, and others, which do not.
ONE_AXIS = ['position kp="3" kv=".2"', 'position kp="3" timeconst=".05"', 'intvelocity kp="2"', 'intvelocity kp="2" actrange="-2 2"', 'pid kp="2" slewmax="30" input="pos"',
            'general gainprm="2" biastype="affine" biasprm=".5 -2 -1" dyntype="filter" dynprm=".1" actearly="true"', 'pid kp="2" kv="1" input="pos"',
            'general gainprm="2" biastype="affine" biasprm="0 -1"', 'velocity kv="2"']
TARGETS = ['joint="j{0}" gear="1 .2 -.3"', 'jointinparent="j{0}" gear=".5 -.7 1"', 'site="s{0}" refsite="r{0}" gear="0 0 0 1 -.5 .2"',
           'site="s{0}" refsite="r{0}" gear="0 .1 0 1 0 0"', 'joint="h{0}"', 'joint="f" gear="0 0 0 1 0 0"']


def scene():
    bodies, actuators = "", ""
    for i, choice in enumerate(CHOICES):
        bodies += f'<body pos="{i} 0 0"><joint name="j{i}" type="ball"/><geom type="box" size=".1 .2 .3"/><site name="r{i}" euler="10 20 {30 * i}"/>' \
                  f'<body pos="0 0 1"><joint name="h{i}" axis="1 1 0"/><joint axis="0 1 1" pos="0 0 .1"/><geom type="capsule" size=".1 .2"/><site name="s{i}" pos="0 .1 0" euler="{40 * i} 5 0"/></body></body>'
        at_site = choice.replace(' armature=".1" damping=".2"', "")
        actuators += f'<{choice} joint="j{i}"/><{at_site} site="s{i}" refsite="r{i}"/>'
        if i % 3 == 0:
            actuators += f'<orientation site="r{i}" refsite="s{(i + 1) % len(CHOICES)}" kp=".3" dampratio=".5"/><motor joint="j0"/>'
    for i, choice in enumerate(ONE_AXIS):
        actuators += "".join(f"<{choice} {target.format(i)}/>" for target in TARGETS)
    bodies += '<body pos="0 3 0"><freejoint name="f"/><geom size=".2"/></body>'
    return f"""<mujoco><option timestep="0.004"/><default><default class="soft"><orientation kp="2" kv=".5" input="quat"/></default></default>
<worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>"""


def axes_of(model, values):
    """Of the numbers of all outputs those of actuators with three of them."""
    return [x for adr, num in zip(model.actuator_outadr, model.actuator_outnum) if num == 3 for x in values[adr:adr + num]]


def rows_of(model, data, rng):
    data.qpos[:], data.qvel[:] = rng.normal(size=model.nq), rng.normal(size=model.nv)
    mujoco.mj_normalizeQuat(model, data.qpos)
    data.ctrl[:], data.act[:] = 4 * rng.normal(size=model.nu), 4 * rng.normal(size=model.na)
    mujoco.mj_forward(model, data)
    rows = {k: np.array(getattr(data, k)) for k in ("qpos", "qvel", "ctrl", "act")}
    rows |= {k: axes_of(model, getattr(data, "actuator_" + k)) for k in ("length", "velocity", "force")}
    rows["jointforce"] = np.array(data.qfrc_actuator)
    mujoco.mj_step(model, data)
    return {**rows, "actnext": data.act}


write_states(scene(), rows_of)
