"""Gymnasium's own checks, seeds, and the vector against single environments."""

import gc
import importlib
import weakref

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env

import holdfast.envs
from conftest import FULL

NAMES = [f"holdfast/{n}" for n in holdfast.envs.TASKS]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:.*A Box observation space.*")
def test_check_env(name):
    env = gymnasium.make(name, render_mode="rgb_array", disable_env_checker=True)
    check_env(env.unwrapped, skip_render_check=not FULL)
    env.close()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("randomise", [False, True])
def test_seeds_reproduce(name, randomise):
    def run(seed):
        env = gymnasium.make(name, randomise=randomise)
        out = [env.reset(seed=seed)[0]]
        env.action_space.seed(seed)
        for _ in range(8):
            out.append(env.step(env.action_space.sample())[0])
        env.close()
        return np.array(out)

    assert np.array_equal(run(3), run(3))
    assert not np.array_equal(run(3), run(4))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("randomise", [False, True])
def test_vector_is_many_singles(name, randomise):
    """Environment i of a vector seeded with s is a single one seeded with s + i, bit for bit."""
    n, steps = 3, 6
    vector = gymnasium.make_vec(name, num_envs=n, threads=2, randomise=randomise)
    singles = [gymnasium.make(name, randomise=randomise) for _ in range(n)]
    obs, _ = vector.reset(seed=11)
    assert obs in vector.observation_space
    for i, env in enumerate(singles):
        assert np.array_equal(obs[i], env.reset(seed=11 + i)[0])
    rng = np.random.default_rng(0)
    for _ in range(steps):
        actions = rng.uniform(-1, 1, vector.action_space.shape).astype(np.float32)
        obs, reward, terminated, truncated, info = vector.step(actions)
        for i, env in enumerate(singles):
            o, r, t, _, single_info = env.step(actions[i])
            assert np.array_equal(obs[i], o) and reward[i] == r and terminated[i] == t and info["success"][i] == single_info["success"]
    vector.close()


@pytest.mark.parametrize("name", NAMES)
def test_vector_is_many_singles_over_episodes(name):
    """The action of the step that begins a new episode is ignored, NaN included: the episode is that of a single environment."""
    n = 2
    vector = gymnasium.make_vec(name, num_envs=n, threads=1, max_episode_steps=3)
    singles = [gymnasium.make(name, max_episode_steps=3) for _ in range(n)]
    vector.reset(seed=7)
    for i, env in enumerate(singles):
        env.reset(seed=7 + i)
    rng = np.random.default_rng(0)
    for step in range(10):
        begins = step % 4 == 3
        actions = rng.uniform(-1, 1, vector.action_space.shape).astype(np.float32)
        if step == 7:
            actions[0] = np.nan
        obs, reward, _, truncated, _ = vector.step(actions)
        for i, env in enumerate(singles):
            o, r, _, t, _ = (env.reset()[0], 0, False, False, {}) if begins else env.step(actions[i])
            assert np.array_equal(obs[i], o) and reward[i] == r and truncated[i] == t
    vector.close()


def test_autoreset_at_the_next_step():
    vector = gymnasium.make_vec("holdfast/Pinch-v0", num_envs=2, threads=1)
    assert vector.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    vector.reset(seed=0)
    zero = np.zeros(vector.action_space.shape, np.float32)
    for step in range(50):
        obs, reward, terminated, truncated, _ = vector.step(zero)
    assert truncated.all() and not terminated.any()
    before = obs
    obs, reward, terminated, truncated, _ = vector.step(zero)
    assert not truncated.any() and (reward == 0).all() and not np.array_equal(obs, before)
    assert (vector.unwrapped.task.batch.time == 0).all()
    obs, *_ = vector.step(zero)
    assert (vector.unwrapped.task.batch.time > 0).all()


def test_gymnasiums_vectors_work_too():
    envs = gymnasium.make_vec("holdfast/PegInHole-v0", num_envs=2, vectorization_mode="sync")
    obs, _ = envs.reset(seed=1)
    assert obs.shape == (2, 16)
    envs.step(envs.action_space.sample())
    envs.close()


def test_a_world_that_breaks_ends_its_episode():
    vector = gymnasium.make_vec("holdfast/Pinch-v0", num_envs=3, threads=1)
    vector.reset(seed=0)
    vector.unwrapped.task.batch.v[1, 0] = np.nan
    _, reward, terminated, _, _ = vector.step(np.zeros(vector.action_space.shape, np.float32))
    assert terminated.tolist() == [False, True, False] and reward[1] == -1
    obs, *_ = vector.step(np.zeros(vector.action_space.shape, np.float32))
    assert np.isfinite(obs).all()


def test_an_environment_that_was_drawn_leaves_nothing():
    env = gymnasium.make("holdfast/Pinch-v0", render_mode="rgb_array")
    env.reset(seed=0)
    env.render()
    model = weakref.ref(env.unwrapped.task.model)
    env.close()
    del env
    gc.collect()
    assert model() is None


def test_render_and_refusals():
    env = gymnasium.make("holdfast/Pinch-v0", render_mode="rgb_array")
    env.reset(seed=0)
    image = env.render()
    assert image.shape == (72, 96, 3) and image.dtype == np.uint8 and len(np.unique(image.reshape(-1, 3), axis=0)) > 20
    with pytest.raises(ValueError):
        holdfast.envs.make_single("Pinch-v0", render_mode="hologram")
    with pytest.raises(ValueError, match="shape"):
        env.unwrapped.step(np.zeros(4, np.float32))
    before = env.unwrapped.task.batch.q.copy()
    with pytest.raises(ValueError, match=r"action\[1\] is NaN"):
        env.step(np.array([0, np.nan, 0], np.float32))
    assert np.array_equal(env.unwrapped.task.batch.q, before)
    assert np.isfinite(env.step(np.array([np.inf, -np.inf, 0], np.float32))[0]).all()
    vector = holdfast.envs.make_vector(2, "Pinch-v0")
    vector.reset()
    with pytest.raises(ValueError, match=r"action\[1, 2\] is NaN"):
        vector.step(np.array([[0, 0, 0], [0, 0, np.nan]], np.float32))
    with pytest.raises(ValueError, match="3 seeds for 2"):
        vector.reset(seed=[1, 2, 3])
    assert np.array_equal(vector.reset(seed=np.int64(7))[0], vector.reset(seed=np.array([7, 8]))[0])
    with pytest.raises(TypeError):
        vector.reset(seed=1.5)
    with pytest.raises(ValueError, match="reset_mask"):
        vector.reset(options={"reset_mask": np.ones(3, bool)})
    with pytest.raises(ValueError, match="shape"):
        vector.step(np.zeros((3, 3), np.float32))


def scripted_pinch(obs, t):
    """Over the block, down, close, up: what a hand-written controller does."""
    dx, dz = obs[:, 8] / 10, obs[:, 9] / 10
    action = np.zeros((len(obs), 3), np.float32)
    action[:, 0] = np.clip(30 * dx, -1, 1)
    action[:, 1] = np.where(t < 18, np.clip(30 * dz, -1, 1), np.where(t < 26, 0, 0.5))
    action[:, 2] = -1 if t < 18 else 1
    return action


def test_pinch_can_be_done():
    vector = gymnasium.make_vec("holdfast/Pinch-v0", num_envs=16, threads=2, randomise=True)
    obs, _ = vector.reset(seed=5)
    for t in range(50):
        obs, _, _, _, info = vector.step(scripted_pinch(obs, t))
    assert info["success"].mean() > 0.9


PENDULUM = """<mujoco><option timestep="0.001"/><worldbody><body><joint name="hinge" axis="0 1 0"/>
<geom type="sphere" pos="0 0 -%s" size="0.001" mass="1"/></body></worldbody><actuator><motor name="drive" joint="hinge"/></actuator></mujoco>"""
TASK = """
from holdfast.envs import Task

class Swing(Task):
    scene = "swing.xml"
    skip = 1

    def prepare(self):
        self.q = self.batch.q

    def start(self, world, rng):
        self.q["hinge"][world] = rng.uniform(-0.1, 0.1)

    def act(self, action):
        self.batch.ctrl[:] = 0 * action

    def observe(self):
        return self.q.copy()

    def judge(self):
        none = self.q["hinge"] > 1e9
        return -self.q["hinge"] ** 2, none, none
"""


def length_of(task):
    """Length of a task's pendulum [m], from the acceleration -g/l sin(q) of its first step at a small angle."""
    env = holdfast.envs.HoldfastEnv(task)
    start = float(env.reset(seed=3)[0][0])
    env.step(np.zeros(1, np.float32))
    return -9.81 * np.sin(start) * 0.001 / float(env.task.batch.v[0, 0])


def test_the_scene_of_a_task(tmp_path, monkeypatch):
    """It lies beside the module of the task, also for a class that another module derives from it; else where the program runs; else in the package."""
    (tmp_path / "here").mkdir(), (tmp_path / "there").mkdir()
    (tmp_path / "there" / "swing_task.py").write_text(TASK)
    (tmp_path / "here" / "swing.xml").write_text(PENDULUM % 2)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.syspath_prepend(tmp_path / "there")
    swing = importlib.import_module("swing_task").Swing

    class Derived(swing):
        pass

    class Absolute(swing):
        scene = str(tmp_path / "here" / "swing.xml")

    class Shipped(swing):
        scene = "iiwa14.xml"

    class Nowhere(swing):
        scene = "nowhere.xml"

    class Without(holdfast.envs.Task):
        pass

    assert length_of(swing) == pytest.approx(2, rel=1e-3)
    (tmp_path / "there" / "swing.xml").write_text(PENDULUM % 0.5)
    assert length_of(swing) == pytest.approx(0.5, rel=1e-3)
    assert length_of(Derived) == pytest.approx(0.5, rel=1e-3)
    assert length_of(Absolute) == pytest.approx(2, rel=1e-3)
    monkeypatch.delattr("swing_task.__file__")  # as in a notebook
    assert length_of(swing) == pytest.approx(2, rel=1e-3)
    assert Shipped._scene_path(Shipped.__new__(Shipped)) == holdfast.models_path("iiwa14.xml")
    with pytest.raises(holdfast.FileError, match="cannot read nowhere.xml"):
        Nowhere(1)
    with pytest.raises(TypeError, match='write scene = "NAME.xml" in the class Without'):
        Without(1)
