"""What all environments share: a task over a batch, as a single environment and as a vector."""

from __future__ import annotations

import operator
import sys
from functools import cached_property
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..batch import Batch
from ..dynamics import Dynamics
from ..model import Model, models_path
from .render import render


class Task:
    """A task says what worlds start with, what actions do, what is observed and what it is worth. Rows are worlds.

    Randomisation (``randomise=True``) draws for each world and episode: masses of all bodies by a common factor from
    0.7 to 1.3, friction of all geoms likewise, and contact stiffness from 0.5 to 2.
    """

    scene: str  # a file beside the module of the task, a path, or a scene that comes with Holdfast
    key: str | None = None
    skip = 10  # steps of the sim in one of the environment
    horizon = 100  # steps of an episode
    actions = 1
    camera = ((0.3, -0.5, 0.3), (0.0, 0.0, 0.05))  # from, to [m]

    def __init__(self, worlds: int, *, threads: int = 0, randomise: bool = False, **options: Any):
        self.model = Model.from_file(self._scene_path())
        self.batch = Batch(self.model, worlds, threads=threads, **options)
        self.worlds, self.randomise = worlds, randomise
        self.prepare()
        self.observations = self.observe().shape[1]

    def _scene_path(self) -> Path:
        """Where the scene is: beside the module of the class that names it, at the path from the folder of the
        program, or in the package."""
        owner = next((c for c in type(self).__mro__ if "scene" in vars(c)), None)
        if owner is None:
            raise TypeError(f'a task needs a scene: write scene = "NAME.xml" in the class {type(self).__name__}')
        scene = vars(owner)["scene"]
        module = getattr(sys.modules.get(owner.__module__), "__file__", None)  # None in a notebook
        places = [Path(module).parent / scene] if module else []
        places += [Path(scene), models_path(scene)]
        return next((p for p in places if p.is_file()), Path(scene))

    def prepare(self) -> None:
        """Allocates what the task remembers of each world."""

    def start(self, world: int, rng: np.random.Generator) -> None:
        """Draws the start of an episode; the batch is at the keyframe already."""

    def act(self, action: np.ndarray) -> None:
        raise NotImplementedError

    def observe(self) -> np.ndarray:
        raise NotImplementedError

    def judge(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(reward, terminated, success) of each world."""
        raise NotImplementedError

    def reset(self, worlds: np.ndarray, generators: list[np.random.Generator]) -> None:
        self.batch.reset(worlds, self.key)
        if self.randomise:
            self.draw_parameters(worlds, generators)
        for w in worlds:
            self.start(int(w), generators[w])
        self.batch.evaluate(worlds)

    def draw_parameters(self, worlds: np.ndarray, generators: list[np.random.Generator]) -> None:
        p, m = self.batch.params, self.model
        k = np.where(m.geom_stiffness < 0, m.world["stiffness"], m.geom_stiffness)
        for w in worlds:
            mass, friction = generators[w].uniform(0.7, 1.3, 2)
            p.body_mass[w] = m.body_mass * mass
            p.body_inertia[w] = m.body_inertia * mass
            p.geom_friction[w] = m.geom_friction * friction
            p.geom_stiffness[w] = k * 2 ** generators[w].uniform(-1, 1)
        p.update(worlds)

    def advance(self, action: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Steps the worlds in the mask; returns which of them were refused, which ends their episode."""
        self.act(np.clip(np.asarray(action, np.float64), -1, 1))
        self.batch.step(self.skip, mask=mask)
        return (self.batch.reports["status"] < 0) & mask

    @cached_property
    def _places(self) -> Dynamics:
        """Where things are in the world that is drawn."""
        return Dynamics(self.model)

    def draw(self, world: int) -> np.ndarray:
        """A picture of a world (height, width, 3)."""
        return render(self._places, self.batch.q[world], *self.camera)


def _refuse_nan(actions: np.ndarray) -> None:
    """Refuses actions that are no number; infinite ones are cut to the space like all that lie beyond it."""
    at = np.argwhere(np.isnan(actions.astype(np.float64)))
    if len(at):
        raise ValueError(f"action[{', '.join(str(i) for i in at[0])}] is NaN")


class HoldfastEnv(gymnasium.Env):
    """One world of a task."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 25}

    def __init__(self, task: type[Task], render_mode: str | None = None, **options: Any):
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f'render_mode must be None or "rgb_array", is "{render_mode}"')
        self.render_mode = render_mode
        self.task = task(1, **{"threads": 1, **options})
        self.observation_space = spaces.Box(-np.inf, np.inf, (self.task.observations,), np.float32)
        self.action_space = spaces.Box(-1, 1, (self.task.actions,), np.float32)

    def _observe(self) -> np.ndarray:
        return self.task.observe()[0].astype(np.float32)

    def reset(self, *, seed: int | None = None, options: dict | None = None):
        super().reset(seed=seed)
        self.task.reset(np.array([0]), [self.np_random])
        return self._observe(), {}

    def step(self, action: Any):
        action = np.asarray(action)
        if action.shape != self.action_space.shape:
            raise ValueError(f"the action must have shape {self.action_space.shape}, has {action.shape}")
        _refuse_nan(action)
        refused = self.task.advance(action[None], np.array([True]))
        reward, terminated, success = self.task.judge()
        obs = self._observe()
        if refused[0]:
            reward[0] = -1.0
        return obs, float(reward[0]), bool(terminated[0] or refused[0]), False, {"success": bool(success[0])}

    def render(self):
        if self.render_mode is None:
            return None
        return self.task.draw(0)


class HoldfastVectorEnv(VectorEnv):
    """Many worlds of a task in one batch. Autoreset is ``NEXT_STEP``: the step after the end of an episode ignores the
    action of that world, starts a new episode and returns its first observation, with reward 0."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 25, "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, task: type[Task], num_envs: int, render_mode: str | None = None,
                 max_episode_steps: int | None = None, **options: Any):
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f'render_mode must be None or "rgb_array", is "{render_mode}"')
        self.num_envs, self.render_mode = num_envs, render_mode
        self.task = task(num_envs, **options)
        self.horizon = max_episode_steps or task.horizon
        self.single_observation_space = spaces.Box(-np.inf, np.inf, (self.task.observations,), np.float32)
        self.single_action_space = spaces.Box(-1, 1, (self.task.actions,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._generators = [np.random.default_rng() for _ in range(num_envs)]
        self._ended = np.zeros(num_envs, bool)
        self._age = np.zeros(num_envs, int)

    def _seeds(self, seed: Any) -> list[int | None]:
        """A seed for each environment, of one number (the first has it, the next one more, ...) or of one for each."""
        if seed is None:
            return [None] * self.num_envs
        if np.ndim(seed) == 0:
            return [operator.index(seed) + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"there are {len(seed)} seeds for {self.num_envs} environments")
        return [None if s is None else operator.index(s) for s in seed]

    def reset(self, *, seed: int | list[int | None] | None = None, options: dict | None = None):
        seeds = self._seeds(seed)
        super().reset(seed=None if isinstance(seed, (list, tuple, np.ndarray)) else seeds[0])
        for i, s in enumerate(seeds):
            if s is not None:
                self._generators[i] = gymnasium.utils.seeding.np_random(s)[0]
        mask = np.ones(self.num_envs, bool)
        if options and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"], bool)
            if mask.shape != (self.num_envs,):
                raise ValueError(f"reset_mask must have shape ({self.num_envs},), has {mask.shape}")
        self.task.reset(np.flatnonzero(mask), self._generators)
        self._ended[mask] = False
        self._age[mask] = 0
        return self.task.observe().astype(np.float32), {}

    def step(self, actions: Any):
        actions = np.asarray(actions)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"actions must have shape {self.action_space.shape}, have {actions.shape}")
        again = self._ended.copy()
        _refuse_nan(np.where(again[:, None], 0, actions))
        refused = self.task.advance(actions, ~again)
        self._age[~again] += 1
        if again.any():  # after the actions, which set targets and controls of all worlds: those of a new episode are its own
            self.task.reset(np.flatnonzero(again), self._generators)
            self._age[again] = 0
        reward, terminated, success = self.task.judge()
        reward = np.where(refused, -1.0, reward)
        reward[again] = 0.0
        terminated = (terminated | refused) & ~again
        truncated = (self._age >= self.horizon) & ~terminated & ~again
        self._ended = terminated | truncated
        info = {"success": success & ~again, "_success": np.ones(self.num_envs, bool)}
        return self.task.observe().astype(np.float32), reward, terminated, truncated, info

    def render(self):
        if self.render_mode is None:
            return None
        return tuple(self.task.draw(w) for w in range(self.num_envs))
