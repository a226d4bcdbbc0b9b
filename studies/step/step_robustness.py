"""One trial of the study `step`: a grasp that is lifted and shaken, in Holdfast or MuJoCo, at a given step."""

import math
from functools import lru_cache
from pathlib import Path

import numpy as np

SCENE = Path(__file__).parents[1] / "grasp" / "grasp.xml"
LIFT = np.loadtxt(SCENE.with_name("lift.csv"))
TIME = 1.0  # [s]


@lru_cache(maxsize=2)
def load_holdfast():
    import holdfast as hf

    return hf.Model.from_file(SCENE)


def run_holdfast(step, force, friction):
    """Position of the block in the hand at the end, and its fall from where it was when the lift began [m]."""
    import holdfast as hf

    params = hf.Params(load_holdfast())
    params.geom_friction[:, 0] = friction
    params.update()
    sim = hf.Sim(params, step=step)
    sim.input.ctrl["left"] = sim.input.ctrl["right"] = force
    heights = []
    for _ in range(round(TIME / step)):
        sim.step()
        heights.append(float(sim.state.q["block"][2] - sim.state.q["lift"]))
    return heights


SETTINGS = {
    "mujoco-default": {},
    "mujoco-recipe": {"integrator": "implicitfast", "cone": "elliptic", "impratio": "10"},
    "mujoco-discrete": {"integrator": "discrete", "cone": "elliptic", "impratio": "10"},
}


def run_mujoco(engine, step, force, friction):
    import mujoco

    spec = mujoco.MjSpec.from_file(str(SCENE))
    spec.option.timestep = step
    for name, value in SETTINGS[engine].items():
        kind = {"integrator": "mjtIntegrator.mjINT_", "cone": "mjtCone.mjCONE_"}.get(name)
        if kind:
            enum, prefix = kind.split(".")
            setattr(spec.option, name, getattr(getattr(mujoco, enum), prefix + value.upper()))
        else:
            setattr(spec.option, name, float(value))
    model = spec.compile()
    model.geom_friction[:, 0] = friction
    data = mujoco.MjData(model)
    block, lift = model.joint("block").qposadr[0], model.joint("lift").qposadr[0]
    heights = []
    for _ in range(round(TIME / step)):
        data.ctrl[:] = np.interp(data.time, *LIFT.T), force, force
        mujoco.mj_step(model, data)
        heights.append(float(data.qpos[block + 2] - data.qpos[lift]))
        if data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:  # it has put the world back to the start
            raise ArithmeticError(f"unstable at {len(heights) * step:g} s")
    return heights


def trial(engine, step, force, friction):
    heights = run_holdfast(step, force, friction) if engine == "holdfast" else run_mujoco(engine, step, force, friction)
    at_rest = heights[round(0.15 / step) - 1]  # before the lift begins
    slip = at_rest - heights[-1]
    if not math.isfinite(slip):
        raise ArithmeticError("the motion is no longer finite")
    need = 2 * friction * force / (0.25 * 9.81)  # friction that there is over the weight
    return {"slip": slip, "load": 1 / need, "success": abs(slip) < 1e-3}
