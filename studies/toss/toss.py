"""One trial of the study `toss`: how well do a friction and a stiffness explain recorded tosses of a cube?

The record is made here, with noise as of a motion capture system: thirty tosses of a cube of 10 cm, from the true friction and
stiffness below. A trial repeats all tosses from their first frames with its own parameters, in one batch, and returns the
error of position and of rotation.
"""

from functools import lru_cache

import numpy as np

import holdfast as hf

SCENE = """<mujoco><option timestep="0.002"/><worldbody>
<geom name="floor" type="plane" size="5 5 1" friction="0.5 0 0"/>
<body name="cube" pos="0 0 0.2"><freejoint name="cube"/><geom name="cube" type="box" size=".05 .05 .05" mass="0.37" friction="0.5 0 0"/></body>
</worldbody></mujoco>"""
FRICTION, STIFFNESS = 0.18, 1.5e4  # true values: of the pair [-], of a geom [N/m]
TOSSES, STEPS, EVERY = 30, 300, 5  # 0.6 s of each toss, a frame each 10 ms
NOISE_POSITION, NOISE_ROTATION = 5e-4, 5e-3  # [m], [rad]


@lru_cache(maxsize=1)
def model():
    return hf.Model.from_string(SCENE)


def simulate(q0, v0, friction, stiffness):
    """Frames of all tosses (tosses, frames, 7)."""
    batch = hf.Batch(model(), len(q0), threads=1)
    batch.params.geom_friction[:, :, 0] = friction
    batch.params.geom_stiffness[:] = stiffness
    batch.params.update()
    batch.q[:], batch.v[:] = q0, v0
    return batch.run(steps=STEPS, every=EVERY, want=("q",)).q


@lru_cache(maxsize=1)
def record():
    """Starts and noisy frames of the tosses."""
    rng = np.random.default_rng(20)
    q0 = np.zeros((TOSSES, 7))
    q0[:, 2] = rng.uniform(0.1, 0.2, TOSSES)
    turn = rng.normal(size=(TOSSES, 4))
    q0[:, 3:] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
    v0 = np.concatenate([rng.normal(0, [0.8, 0.8, 0.3], (TOSSES, 3)), rng.normal(0, 4, (TOSSES, 3))], axis=1)
    true = simulate(q0, v0, FRICTION, STIFFNESS)
    seen = true.copy()
    seen[..., :3] += rng.normal(0, NOISE_POSITION, seen[..., :3].shape)
    seen[..., 3:] += rng.normal(0, NOISE_ROTATION / 2, seen[..., 3:].shape)  # half the angle, as quaternions have it
    seen[..., 3:] /= np.linalg.norm(seen[..., 3:], axis=-1, keepdims=True)
    return q0, v0, seen


def trial(friction, stiffness):
    q0, v0, seen = record()
    frames = simulate(q0, v0, friction, stiffness)
    position = np.linalg.norm(frames[..., :3] - seen[..., :3], axis=-1)
    cosine = np.abs((frames[..., 3:] * seen[..., 3:]).sum(-1))
    rotation = 2 * np.arccos(np.minimum(cosine, 1))
    # A toss that takes another course after a few bounces says nothing more: large errors count as a bound.
    misfit = np.sqrt(np.mean(np.minimum(position / NOISE_POSITION, 50) ** 2 + np.minimum(rotation / NOISE_ROTATION, 50) ** 2) / 6)
    return {"misfit": misfit, "position": float(np.sqrt(np.mean(position**2))), "rotation": float(np.sqrt(np.mean(rotation**2)))}
