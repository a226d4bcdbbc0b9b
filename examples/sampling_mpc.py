"""Sampling MPC with rollouts: swing a pole up by trying 64 random plans at every turn."""

# %%
import numpy as np

import holdfast as hf

model = hf.Model.from_string("""<mujoco><option timestep="0.02"/><worldbody>
<body name="cart"><joint name="cart" type="slide" axis="1 0 0" range="-1.5 1.5" damping="0.1"/><geom type="box" size=".1 .05 .03" mass="1"/>
<body name="pole"><joint name="pole" type="hinge" axis="0 1 0" damping="0.002"/><geom type="capsule" fromto="0 0 0 0 0 -0.6" size="0.02" mass="0.2"
contype="0" conaffinity="0"/></body></body></worldbody>
<actuator><motor name="push" joint="cart" ctrlrange="-15 15" gear="1"/></actuator></mujoco>""")
HORIZON, PLANS = 40, 64
rng = np.random.default_rng(0)

# %% [markdown]
# Each turn: add noise to the best plan so far, roll all plans out in parallel from the present state, keep a weighted mean of the best.


# %%
def cost(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    height = -np.cos(q[..., 1])            # 1 upright, -1 hanging
    return ((1 - height) + 0.05 * q[..., 0] ** 2 + 0.01 * (v**2).sum(-1)).sum(1)


sim, plan = hf.Sim(model), np.zeros((HORIZON, 1))
heights = []
for turn in range(150):
    noise = np.repeat(rng.normal(scale=8.0, size=(PLANS, HORIZON // 5, 1)), 5, axis=1)
    noise[0] = 0
    plans = np.clip(plan + noise, -15, 15)
    r = hf.rollout(model, sim.state, plans, want=("q", "v"))
    costs = cost(r.q, r.v)
    weights = np.exp(-(costs - costs.min()) / 3.0)
    plan = np.tensordot(weights / weights.sum(), plans, 1)
    sim.input.ctrl[:] = plan[0]
    sim.step()
    plan = np.vstack([plan[1:], plan[-1:]])
    heights.append(-np.cos(sim.state.q["pole"]))
print("height of the pole (1: upright) every 0.5 s:", np.round(heights[::25], 2))
result = {"upright": float(np.mean(np.array(heights[-20:]) > 0.9)), "turns": len(heights)}
print(result)
