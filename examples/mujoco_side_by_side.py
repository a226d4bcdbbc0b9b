"""The same scene in MuJoCo and here: a pinched capsule that should hang still, and creeps there."""

# %%
import mujoco
import numpy as np

import holdfast as hf

path = str(hf.models_path("pinch.xml"))
m = mujoco.MjModel.from_xml_path(path)
d = mujoco.MjData(m)
mujoco.mj_resetDataKeyframe(m, d, m.key("firm").id)

# %% [markdown]
# The mjModel itself is stepped by both. Controls and state carry over as they are.

# %%
sim = hf.Sim(hf.from_mujoco(m))
sim.reset("firm")
for _ in range(500):
    mujoco.mj_step(m, d)
sim.step(steps=500)
start = d.qpos[4], sim.state.q[4]
for _ in range(1000):
    mujoco.mj_step(m, d)
sim.step(steps=1000)
seconds = 1000 * m.opt.timestep
creep = [(d.qpos[4] - start[0]) / seconds, (sim.state.q[4] - start[1]) / seconds]
print(f"creep after the first second [um/s]: MuJoCo {1e6 * creep[0]:.2f}, Holdfast {1e6 * creep[1]:.4f}")
result = {"mujoco": float(creep[0]), "holdfast": float(creep[1])}
