"""Bodies of every shape as ellipsoids in a streaming medium, and the forces that MuJoCo finds for them.

  mujoco_fluid.py OUT STATES SEED

Writes OUT/scene.xml and OUT/states.txt: STATES times the lines
  qpos, qvel, carried (ngeom x 6: mass and moment that the medium carries), passive (nv)
MuJoCo integrates what the medium carries by 15 points with coefficients of eight digits. Here 300 points of Gauss take their place, so
that forces can be compared to more digits; MuJoCo's own numbers must be near.
"""

import mujoco
import numpy as np
from mujoco_states import write_states

SHAPES = {"sphere": ".1", "capsule": ".05 .2", "cylinder": ".2 .05", "ellipsoid": ".1 .2 .3", "box": ".3 .1 .05"}
MESH = "0 0 0 .3 0 0 0 .2 0 0 0 .1 .1 .2 0 .1 .2 .3"


def scene():
    bodies = ""
    for i, (shape, size) in enumerate(SHAPES.items()):
        coefficients = "" if i % 2 else ' fluidcoef=".7 .1 2 .5 .3"'
        bodies += f'<body><freejoint/><geom type="{shape}" size="{size}" pos=".1 .02 .3" euler="20 {10 * i} 40" mass="{1 + i}" fluidshape="ellipsoid"{coefficients}/>'
        bodies += f'<body pos=".3 0 0"><joint axis="1 2 3"/><geom size=".05"/><geom type="{shape}" size="{size}" pos="0 .1 0" fluidshape="ellipsoid"/></body></body>'
    bodies += '<body><freejoint/><geom type="mesh" mesh="m" fluidshape="ellipsoid"/></body>'
    bodies += '<body><freejoint/><geom type="box" mesh="m" fitscale=".7" fluidshape="ellipsoid"/></body>'
    return f"""<mujoco><option density="1.3" viscosity=".02" wind=".3 -.2 .1"/><asset><mesh name="m" vertex="{MESH}"/></asset>
<worldbody>{bodies}</worldbody></mujoco>"""


NODES, WEIGHTS = np.polynomial.legendre.leggauss(300)


def kappa(a, b, c):
    """The integral over l = s (t/(1 - t))^2, in which the integrand is smooth up to both ends."""
    t, scale = (NODES + 1) / 2, (a * b * c) ** (2 / 3)
    l, weight = scale * (t / (1 - t)) ** 2, WEIGHTS / 2 * scale * 2 * t / (1 - t) ** 3
    return a * b * c * np.sum(weight / ((a * a + l) * np.sqrt((a * a + l) * (b * b + l) * (c * c + l))))


def half_axes(model, g):
    size, kind = model.geom_size[g], mujoco.mjtGeom(model.geom_type[g])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return size[[0, 0, 0]]
    if kind in (mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER):
        return np.array([size[0], size[0], size[1] + (size[0] if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else 0)])
    return size


def set_carried(model):
    for g in np.flatnonzero(model.geom_fluid[:, 0] > 0):
        r = half_axes(model, g)
        volume, k = 4 / 3 * np.pi * np.prod(r), [kappa(*np.roll(r, -i)) for i in range(3)]
        exact = np.zeros(6)
        for i in range(3):
            b, c, kb, kc = r[(i + 1) % 3] ** 2, r[(i + 2) % 3] ** 2, k[(i + 1) % 3], k[(i + 2) % 3]
            part = 2 * (b - c) + (b + c) * (kb - kc)
            exact[i] = volume * k[i] / (2 - k[i])
            exact[3 + i] = volume / 5 * (b - c) ** 2 * abs(kc - kb) / max(1e-15, abs(part))
        assert np.allclose(model.geom_fluid[g, 6:], exact, rtol=2e-3, atol=1e-6), (model.geom_fluid[g, 6:], exact)
        model.geom_fluid[g, 6:] = exact


ready = set()


def rows_of(model, data, rng):
    if not ready:
        set_carried(model)
        ready.add(model)
    data.qpos[:] = rng.normal(size=model.nq)
    mujoco.mj_normalizeQuat(model, data.qpos)
    data.qvel[:] = rng.normal(size=model.nv) * rng.choice([.1, 1, 10])
    mujoco.mj_forward(model, data)
    return {"qpos": data.qpos, "qvel": data.qvel, "carried": model.geom_fluid[:, 6:], "passive": data.qfrc_passive}


write_states(scene(), rows_of)
