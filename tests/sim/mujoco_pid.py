"""A two-link arm under mujoco.pid, stepped by MuJoCo: OUT/pid.xml and OUT/pid.txt with rows of q, v, act, force.

  mujoco_pid.py OUT STEPS
"""

import os
import sys

import mujoco
import numpy as np

XML = """<mujoco><option timestep="0.002" integrator="Euler"/>
<extension><plugin plugin="mujoco.pid">
  <instance name="stiff"><config key="kp" value="30"/><config key="ki" value="60"/><config key="kd" value="3"/></instance>
  <instance name="bounded"><config key="kp" value="8"/><config key="ki" value="40"/><config key="kd" value="1"/>
    <config key="imax" value="0.6"/></instance>
</plugin></extension>
<worldbody><body><joint name="a" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="1"/>
  <body pos="0.3 0 0"><joint name="b" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="0.5"/>
  </body></body></worldbody>
<actuator><plugin name="pa" joint="a" gear="2" plugin="mujoco.pid" instance="stiff" actdim="1"/>
  <plugin name="pb" joint="b" plugin="mujoco.pid" instance="bounded" actdim="1" forcerange="-3 3"/></actuator></mujoco>"""


def main():
    folder, steps = sys.argv[1], int(sys.argv[2])
    model = mujoco.MjModel.from_xml_string(XML)
    data = mujoco.MjData(model)
    data.ctrl[:] = [0.4, -0.3]
    with open(os.path.join(folder, "pid.xml"), "w", encoding="utf-8") as out:
        out.write(XML)
    with open(os.path.join(folder, "pid.txt"), "w", encoding="utf-8") as out:
        out.write(f"na {model.na}\n")
        for _ in range(steps):
            mujoco.mj_step(model, data)
            values = np.concatenate([data.qpos, data.qvel, data.act, data.actuator_force])
            out.write("row" + "".join(f" {x:.17g}" for x in values) + "\n")


main()
