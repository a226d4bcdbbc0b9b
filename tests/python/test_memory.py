"""Memory stays flat over steps, loads, views, batches and refusals; HF_FULL=1 runs a million steps and 10,000 loads."""

import gc
import os

import numpy as np
import pytest

import holdfast as hf
from conftest import FALL, FULL

PAGE = os.sysconf("SC_PAGE_SIZE")
pytestmark = pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps freed memory for a while")


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * PAGE


def growth(action, count, rounds=3):
    """Bytes by which the process grows over `count` actions: the least of some rounds, since a leak grows in every round and
    what is allocated once in the first alone."""
    grown = []
    for _ in range(rounds):
        before = resident()
        for _ in range(max(count // rounds, 1)):
            action()
        grown.append(resident() - before)
    return min(grown)


# A leak of 32 bytes an action, the least that malloc gives, would show as this in 2000 actions.
ROOM = 1 << 16


def test_steps(models):
    sim = hf.Sim(hf.Model.from_file(models / "gripper_mug.xml"))
    sim.reset("rim")
    assert growth(lambda: (sim.step(), sim.state.q[0], sim.stats), 10_000) < ROOM
    assert growth(lambda: sim.step(steps=1000), 1000 if FULL else 30) < ROOM
    assert growth(lambda: (sim.contacts(), sim.sensors, sim.poses, sim.pair_force("mug"), sim.problem()), 3000) < ROOM


def test_loads(models):
    path = models / "gripper_mug.xml"
    assert growth(lambda: hf.Model.from_file(path), 10_000 if FULL else 600) < ROOM
    assert growth(lambda: hf.Model.from_string(FALL).body_mass, 1000) < ROOM


def test_objects(fall):
    def make():
        sim = hf.Sim(fall)
        sim.step()
        state = sim.state.copy()
        return state.q, hf.Input(fall).ctrl, hf.Params(fall).body_mass, hf.Dynamics(fall), hf.State.from_bytes(fall, state.to_bytes())

    assert growth(make, 1500) < ROOM

    def batch():
        b = hf.Batch(fall, 8, threads=2)
        b.params.gravity[:] = (0, 0, -1)
        b.params.update()
        b.step(2)
        return b.run(steps=3).q

    assert growth(batch, 1000, rounds=10) < ROOM  # New threads get heaps of their own, up to some number, which takes several rounds on a busy machine.


def test_refusals(fall):
    sim = hf.Sim(fall)

    def refuse():
        sim.state.q[0] = np.nan
        for call in (lambda: sim.step(), lambda: hf.Model.from_string("<mujoco><geom/>"), lambda: hf.Sim(fall, nothing=1),
                     lambda: hf.lcp.solve(np.eye(2), [np.nan, 1]), lambda: hf.Model.from_file("/nonexistent"),
                     lambda: hf.Builder(nothing=1)):
            with pytest.raises((hf.HoldfastError, TypeError)):
                call()

    assert growth(refuse, 500) < ROOM
