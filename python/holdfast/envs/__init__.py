"""Gymnasium environments over batches: ``gymnasium.make("holdfast/Pinch-v0")`` after ``import holdfast.envs``.

``gymnasium.make_vec("holdfast/Pinch-v0", num_envs=64)`` steps all worlds in one batch. Environment i of a vector
seeded with s does what a single environment seeded with s + i does, bit for bit.
"""

from __future__ import annotations

from .base import HoldfastEnv, HoldfastVectorEnv, Task
from .tasks import AllegroReorient, IiwaPick, PegInHole, Pinch

__all__ = ["AllegroReorient", "HoldfastEnv", "HoldfastVectorEnv", "IiwaPick", "PegInHole", "Pinch", "Task", "register"]

TASKS = {"Pinch-v0": Pinch, "AllegroReorient-v0": AllegroReorient, "IiwaPick-v0": IiwaPick, "PegInHole-v0": PegInHole}


def make_single(task: str, **options) -> HoldfastEnv:
    return HoldfastEnv(TASKS[task], **options)


def make_vector(num_envs: int, task: str, **options) -> HoldfastVectorEnv:
    return HoldfastVectorEnv(TASKS[task], num_envs, **options)


def register() -> None:
    """Adds the environments to Gymnasium's registry; importing this module does it."""
    import gymnasium

    for name, task in TASKS.items():
        full = f"holdfast/{name}"
        if full not in gymnasium.registry:
            gymnasium.register(full, entry_point=f"{__name__}:make_single", vector_entry_point=f"{__name__}:make_vector",
                               max_episode_steps=task.horizon, kwargs={"task": name})


register()
