"""A grasp quality map: which squeeze holds at which friction? One world for each point of the map."""

# %%
import numpy as np

import holdfast as hf

model = hf.Model.from_file(hf.models_path("pinch.xml"))
frictions = np.linspace(0.02, 0.4, 16)
squeezes = np.linspace(0.5, 12.0, 16)      # [N]
mu, force = (a.ravel() for a in np.meshgrid(frictions, squeezes))
batch = hf.Batch(model, len(mu))

# %%
batch.params.geom_friction[:, :, 0] = mu[:, None]
batch.params.update()
batch.ctrl["left"] = batch.ctrl["right"] = force
batch.step(500)                             # 1 s
drop = -np.asarray(batch.q["capsule"])[:, 2]
holds = (drop < 0.002).reshape(16, 16)

# %% [markdown]
# Two pads bear the weight by friction: it holds where 2 mu F > m g. The map shows it, row by row of squeeze.

# %%
weight = 9.81 * model.body("capsule").mass
for i in range(15, -1, -1):
    print(f"{squeezes[i]:5.1f} N ", "".join("#" if h else "." for h in holds[i]))
print("        mu", frictions[0], "to", frictions[-1], "  # holds")
margin = (2 * mu * force / weight).reshape(16, 16)
result = {"wrong": int((holds != (margin > 1))[np.abs(margin - 1) > 0.15].sum()), "held": int(holds.sum())}
print(result)
