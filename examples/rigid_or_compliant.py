"""Rigid or compliant? A rod dragged along a table, where rigid contact with friction may have no solution (Painleve)."""

# %%
import numpy as np

import holdfast as hf

model = hf.Model.from_file(hf.models_path("painleve_rod.xml"))
state = hf.State(model)
state.reset("drag")

# %% [markdown]
# The certificate of the rigid problem at the start, for frictions from 0.2 to 2. Where A is no P-matrix, the rigid model has no
# solution or several, and no solver can repair that.

# %%
params = hf.Params(model)
rows = []
for mu in np.linspace(0.2, 2.0, 10):
    params.geom_friction[:, 0] = mu
    params.update()
    problem = hf.rigid.evaluate(params, state)
    c = problem.certificate
    rows.append((float(mu), bool(c["p_matrix"]), bool(c["holds"]), float(problem.A[0, 0])))
    print(f"mu {mu:.1f}: A = {problem.A[0, 0]:8.4f}  P-matrix {bool(c['p_matrix'])!s:5}  certified {bool(c['holds'])}")

# %% [markdown]
# The method "switching" follows the rigid model while it is certified and a stiff compliant layer where it is not.

# %%
sim = hf.Sim(model, method="switching")
sim.reset("drag")
switches = []
for _ in range(50):
    sim.step()
    switches += sim.switches
print(f"{len(switches)} switches;", sim.state, "rigid at the end:", bool(sim.stats["switching.rigid"]))
result = {"rows": rows, "switches": len(switches), "finite": bool(np.isfinite(sim.state.q).all())}
