"""Time a step of the package costs over C, and the times of MuJoCo's Python in the same run.

    python bench/python_overhead.py [--scene gripper|allegro] [--json]

Overhead of a step: n calls of one step against one call of n. Overhead of a batch call: a call in which no world steps, over the number
of worlds (64). Each time is processor time, the least of
several rounds, which a busy machine disturbs least. All on one thread. MuJoCo runs the same
files from the same states, with the keyframe's controls.
"""

import argparse
import json
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np

import holdfast as hf

SCENES = {"gripper": ("gripper_mug.xml", "middle"), "allegro": ("allegro_mug_gravity.xml", "grasp")}


def least(action, rounds=100):
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        action()
        times.append(time.process_time() - begin)
    return min(times)


def measure(scene):
    import mujoco
    import mujoco.batch
    import mujoco.rollout

    file, key = SCENES[scene]
    path = str(hf.models_path(file))
    model = hf.Model.from_file(path)
    sim = hf.Sim(model)
    sim.reset(key)
    if scene == "allegro":  # targets beyond the grasp: the servos squeeze
        sim.input.ctrl[:] = sim.state.q[:16]
        sim.input.ctrl[[1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 15]] += 0.25
    sim.step(steps=20)
    start = sim.state.copy()
    n = 20 # steps in which the thing stays in the hand of both
    state = start.copy()

    def ours_single():
        state.assign(start)
        for _ in range(n):
            sim.step(state)

    def ours_many():
        state.assign(start)
        sim.step(state, steps=n)

    m = mujoco.MjModel.from_xml_path(path)
    d = mujoco.MjData(m)

    def theirs_single():
        mujoco.mj_resetDataKeyframe(m, d, m.key(key).id)
        d.qpos[:], d.qvel[:], d.ctrl[:] = start.q, start.v, sim.input.ctrl
        for _ in range(n):
            mujoco.mj_step(m, d)

    worlds, steps = 64, 10
    batch = hf.Batch(model, worlds, threads=1)
    controls = np.broadcast_to(np.asarray(sim.input.ctrl), (worlds, steps, model.nu)).copy()

    def put():
        for w in range(worlds):
            batch.set_state(w, start)

    def ours_batch():
        for _ in range(steps):
            batch.step(1)

    nobody = np.zeros(worlds, bool)

    def empty_call():
        for _ in range(1000):
            batch.step(1, mask=nobody)

    def timed(action):
        def run():
            put()
            begin = time.process_time()
            action()
            return time.process_time() - begin
        return min(run() for _ in range(30))

    state0 = np.zeros(mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    d.qpos[:], d.qvel[:] = start.q, start.v
    mujoco.mj_getState(m, d, state0, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    states = np.tile(state0, (worlds, 1))
    datas = [mujoco.MjData(m)]
    roll = mujoco.rollout.Rollout(nthread=0)

    def theirs_rollout():
        roll.rollout(m, datas, states, controls, nstep=steps)

    theirs = mujoco.batch.Batch(m, nsim=worlds, nthread=1)

    def theirs_batch():
        theirs.qpos, theirs.qvel, theirs.ctrl = np.asarray(start.q), np.asarray(start.v), controls[0, 0]
        begin = time.process_time()
        for _ in range(steps):
            theirs.step()
        return time.process_time() - begin

    def ours_rollout():
        batch.run(controls, want=("time", "q", "v", "sensors"))

    single, many = least(ours_single), least(ours_many)
    one = timed(ours_batch)
    us = 1e6
    mj = least(theirs_single)
    return {
        "contacts at the end, here": float(sim.stats["ncontact"]),
        "contacts at the end, MuJoCo": float(d.ncon),
        "step() [us]": us * single / n,
        "step(steps=n) [us a step]": us * many / n,
        "overhead of step() [us]": us * (single - many) / n,
        "mj_step [us]": us * mj / n,
        "batch.step(1) [us a world]": us * one / worlds / steps,
        "overhead of a batch call [us a world]": us * least(empty_call) / 1000 / worlds,
        "mujoco.batch step [us a world]": us * min(theirs_batch() for _ in range(30)) / worlds / steps,
        "batch.run [us a world and step]": us * timed(ours_rollout) / worlds / steps,
        "mujoco.rollout [us a world and step]": us * least(theirs_rollout) / worlds / steps,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", choices=SCENES)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    result = {scene: measure(scene) for scene in ([args.scene] if args.scene else SCENES)}
    if args.json:
        print(json.dumps(result))
        return
    for scene, figures in result.items():
        print(scene)
        for name, value in figures.items():
            print(f"  {name:40s} {value:8.2f}")


if __name__ == "__main__":
    main()
