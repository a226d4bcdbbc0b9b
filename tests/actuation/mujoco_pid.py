"""The element <pid> in MuJoCo, every choice of inputs, at random states.

  mujoco_pid.py OUT STATES SEED

Writes OUT/scene.xml and OUT/states.txt: STATES times the lines qpos, qvel, ctrl, act, jointforce and actnext (act a step later).
"""

import mujoco
import numpy as np
from mujoco_states import write_states

CHOICES = ['kp="10" kv="2"', 'kp="10" kv="2" input="pos"', 'kp="7" kv="3" input="vel" velrange="-.5 .4"', 'kp="3" kv="2" input="ff" gear="2"',
           'kp="10" kv="2" input="pos vel ff" posrange="-.3 .6" ffrange="-1 .5" gear="-1.5"', 'kp="5" kv="1" ki="8"',
           'kp="5" ki="8" imax=".3" input="pos ff"', 'kp="4" kv="1" slewmax="3"', 'kp="4" slewmax="300" input="pos"', 'class="soft"']


def scene():
    bodies = "".join(f'<body pos="{i} 0 0"><joint name="j{i}" type="{"slide" if i % 2 else "hinge"}" axis="0 1 0"/><geom size=".1" mass="1"/></body>'
                     for i in range(len(CHOICES)))
    actuators = "".join(f'<pid name="p{i}" joint="j{i}" {choice}/>' for i, choice in enumerate(CHOICES))
    return f"""<mujoco><option timestep="0.004"/><default><default class="soft"><pid kp="2" kv=".5" input="pos vel"/></default></default>
<worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>"""


def rows_of(model, data, rng):
    data.qpos[:], data.qvel[:] = rng.normal(size=model.nq), rng.normal(size=model.nv)
    data.ctrl[:], data.act[:] = rng.normal(size=model.nu), rng.uniform(-.25, .25, model.na)
    mujoco.mj_forward(model, data)
    rows = {k: np.array(getattr(data, v)) for k, v in (("qpos", "qpos"), ("qvel", "qvel"), ("ctrl", "ctrl"), ("act", "act"),
                                                      ("jointforce", "qfrc_actuator"))}
    mujoco.mj_step(model, data)
    return {**rows, "actnext": data.act}


write_states(scene(), rows_of)
