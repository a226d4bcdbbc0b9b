"""Identify friction from a recorded slide: which mu explains the motion of a block on a slope?"""

# %%
import numpy as np

import holdfast as hf

scene = """<mujoco><option timestep="0.002" gravity="4.0 0 -8.95"/><worldbody>
<geom name="slope" type="plane" size="5 5 1" friction="{mu} 0 0"/>
<body name="block" pos="0 0 0.05"><freejoint name="block"/><geom name="block" type="box" size=".05 .05 .05" mass="0.5" friction="{mu} 0 0"/></body>
</worldbody></mujoco>"""
TRUE = 0.27

# %% [markdown]
# The record: positions at 50 Hz with noise of 0.5 mm, as a camera would give them.

# %%
rng = np.random.default_rng(4)
model = hf.Model.from_string(scene.format(mu=TRUE))
record = hf.rollout(model, hf.State(model), np.zeros((400, 0)), every=10, want=("time", "q"))
seen = record.q[0, :, 0] + rng.normal(scale=5e-4, size=record.q.shape[1])

# %% [markdown]
# All candidates at once, a world for each; then a finer search around the best.

# %%
def misfit(mus: np.ndarray) -> np.ndarray:
    batch = hf.Batch(model, len(mus))
    batch.params.geom_friction[:, :, 0] = mus[:, None]
    batch.params.update()
    run = batch.run(steps=400, every=10, want=("q",))
    return ((run.q[:, :, 0] - seen) ** 2).mean(1)


coarse = np.linspace(0.05, 0.6, 45)
best = coarse[misfit(coarse).argmin()]
fine = best + np.linspace(-0.02, 0.02, 41)
best = fine[misfit(fine).argmin()]
closed_form = (4.0 - 2 * np.polyfit(record.time[0], seen, 2)[0]) / 8.95    # a = g sin - mu g cos
print(f"friction: true {TRUE}, found {best:.4f}, from the parabola alone {closed_form:.4f}")
result = {"found": float(best), "closed_form": float(closed_form), "true": TRUE}
