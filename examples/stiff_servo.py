"""A stiff servo and contact at 10 ms: a finger of 10 g with gains far beyond what explicit servos bear."""

# %%
import numpy as np

import holdfast as hf

scene = """<mujoco><option timestep="0.01"/><worldbody>
<body name="finger" pos="0 0 0.1"><joint name="slide" type="slide" axis="0 0 1"/><geom type="box" size="0.01 0.01 0.01" mass="0.01"/></body>
<geom name="wall" type="box" size="0.05 0.05 0.01" pos="0 0 0"/></worldbody>
<actuator><position name="servo" joint="slide" kp="{kp}" kv="{kv}" forcerange="-{limit} {limit}"/></actuator></mujoco>"""

# %% [markdown]
# The servo pushes the finger into a wall with its largest force, at gains from 1e2 to 1e6 N/m. An explicit servo needs
# h < 2 sqrt(m/kp): at 1e6 N/m that is 0.2 ms. Here the servo is implicit in the step.

# %%
result = {}
for kp in (1e2, 1e4, 1e6):
    sim = hf.Sim(hf.Model.from_string(scene.format(kp=kp, kv=kp * 1e-3, limit=20)))
    sim.input.ctrl["servo"] = -0.2
    speeds, forces = [], []
    for _ in range(200):
        sim.step()
        speeds.append(abs(sim.state.v["slide"]))
        forces.append(sim.contacts()["fn"].sum())
    result[kp] = {"fastest at rest": float(max(speeds[-50:])), "force": float(forces[-1]), "spread": float(np.ptp(forces[-50:]))}
    print(f"kp {kp:8.0e} N/m: contact force {forces[-1]:8.4f} N, moves {max(speeds[-50:]):.1e} m/s at rest")
