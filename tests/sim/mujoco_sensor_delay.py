"""What MuJoCo makes of sensors whose numbers arrive later, or that measure at intervals.

  mujoco_sensor_delay.py OUT STEPS SEED

Writes OUT/scene.xml, a cart with sensors of random delays, intervals and interpolations, and OUT/states.txt: for each step the
line "step", the control of the step ("ctrl") and the sensors at its end ("sensor"). The force on the cart does not depend on its motion,
so that the two engines do the same arithmetic.
"""

import sys

import mujoco
import numpy as np

from mujoco_states import write_states

STEP = 0.002


def samples(rng):
    """Attributes of a sensor whose history reaches back far enough."""
    interval = rng.choice([0.0, 0.001, 0.003, 0.004, 0.005, 0.0071, 0.02])
    n = int(rng.integers(1, 7))
    delay = rng.choice([0.0, 0.001, 0.002, 0.004, 0.0053, n * max(interval, STEP)])
    delay = min(delay, n * max(interval, STEP))
    phase = -rng.choice([0.0, 0.2, 0.5, 0.9]) * interval
    interp = rng.choice(["zoh", "linear", "cubic"])
    return f'nsample="{n}" delay="{delay:.9g}" interval="{interval:.9g} {phase:.9g}" interp="{interp}"'


def scene(rng):
    kinds = ['jointpos joint="j"', 'jointvel joint="j"', 'framepos objtype="site" objname="s"', "clock"]
    sensors = "".join(f"<{kinds[k % 4]} {samples(rng)}/>" for k in range(120))
    return f"""<mujoco><option timestep="{STEP}" gravity="0 0 0"/><worldbody><body pos="1 2 3"><joint name="j" type="slide" axis="1 2 2" ref=".5"/>
<geom size=".1" mass="2"/><site name="s" pos=".1 0 0"/></body></worldbody><actuator><motor joint="j"/></actuator><sensor>{sensors}</sensor></mujoco>"""


def rows_of(model, data, rng):
    data.ctrl[:] = 50 * rng.normal(size=model.nu)
    mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)  # measures at the end of the step, and keeps nothing
    return {"step": [], "ctrl": data.ctrl, "sensor": data.sensordata}


write_states(scene(np.random.default_rng(int(sys.argv[3]))), rows_of)
