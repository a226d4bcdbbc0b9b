"""What MuJoCo makes of controls that act later.

  mujoco_delay.py OUT STEPS SEED

Writes OUT/scene.xml, a scene with actuators of all interpolations and delays, and OUT/states.txt: for each step the line
"step", the controls that are given ("ctrl"), the forces that act ("force"), and position, velocity and activations at its end. No force
depends on the motion, so that the two engines do the same arithmetic.
"""

import mujoco
from mujoco_states import write_states

CASES = [(3, 0.006), (3, 0.004), (3, 0.005), (3, 0.002), (3, 0.0005), (4, 0.007), (5, 0.01), (5, 0.0073), (1, 0.002), (6, 0.0), (12, 0.0219)]


def scene():
    actuators = "".join(f'<motor joint="j" nsample="{n}" delay="{delay}" interp="{interp}"/>' for interp in ("zoh", "linear", "cubic") for n, delay in CASES)
    return f"""<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody><body><joint name="j" type="slide"/><geom size=".1" mass="50"/></body></worldbody>
<actuator>{actuators}<motor joint="j" ctrlrange="-1 1" nsample="2" delay="0.003"/><motor joint="j"/>
<general joint="j" dyntype="integrator" nsample="4" delay="0.0061" interp="linear"/><general joint="j" dyntype="filterexact" dynprm="0.03" nsample="4" delay="0.004"/></actuator></mujoco>"""


def rows_of(model, data, rng):
    data.ctrl[:] = 2 * rng.normal(size=model.nu)
    mujoco.mj_step(model, data)
    return {"step": [], "ctrl": data.ctrl, "force": data.actuator_force, "qpos": data.qpos, "qvel": data.qvel, "act": data.act}


write_states(scene(), rows_of)
