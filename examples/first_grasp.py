"""First grasp: a gripper closes on a block, lifts it, and we read the forces."""

# %% [markdown]
# A scene, a sim, three phases of controls. Forces come out by pair of bodies, normal and friction apart.

# %%
import numpy as np

import holdfast as hf
import holdfast.envs  # the scene of holdfast/Pinch-v0
from pathlib import Path

model = hf.Model.from_file(Path(holdfast.envs.__file__).parent / "pinch.xml")
sim = hf.Sim(model, report=True)
print(model, "\nactuators:", model.names("actuator"))

# %%
sim.input.ctrl["z"] = -0.095       # down to the block [m]
sim.step(steps=250)
sim.input.ctrl["left"] = sim.input.ctrl["right"] = 0.04   # close
sim.step(steps=150)
squeeze = sim.pair_force("block", "left")
print("squeeze of the left finger [N]:", squeeze.normal)

# %%
sim.input.ctrl["z"] = 0.05         # lift
sim.step(steps=400)
left, right = sim.pair_force("block", "left"), sim.pair_force("block", "right")
weight = 9.81 * model.body("block").mass
print(f"height of the block: {sim.state.q['block'][2]:.4f} m")
print(f"friction of both fingers, upward: {left.friction[2] + right.friction[2]:.4f} N; weight {weight:.4f} N")

# %% [markdown]
# The report replays the run; in a notebook it shows itself.

# %%
report = sim.report("First grasp", {"weight [N]": f"{weight:.3f}"})
result = {"height": float(sim.state.q["block"][2]), "friction": float(left.friction[2] + right.friction[2]), "weight": float(weight),
          "report": len(report.html)}
report
