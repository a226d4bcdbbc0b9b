"""Time a step of the package costs over C, and the times of MuJoCo's Python in the same run.

    python bench/python_overhead.py [--scene gripper|allegro] [--json]

Every form of stepping takes the same number of steps from the same state with the same controls: one world by single calls, one world
by one call, a batch by single calls, a batch with controls given and results kept for every step. MuJoCo runs the same files. Each
time is processor time of one thread, the least of many rounds, in each of which all forms run one after the other. A ratio
is the median of the ratios within the rounds: what else the machine does acts on both of its sides. The overhead of a batch call is that of a call in which no world steps.
"""

import argparse
import json
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np

import holdfast as hf

SCENES = {"gripper": ("gripper_mug.xml", "middle"), "allegro": ("allegro_mug_gravity.xml", "grasp")}
STEPS, WORLDS, ROUNDS = 20, 64, 60
PAIRS = (("step()", "mj_step"), ("batch.step(1)", "mujoco.batch"), ("batch.run", "mujoco.rollout"))
SQUEEZE = [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 15]  # joints of the Allegro hand that close the fingers


def clocked(action):
    """Processor time of an action [s]."""
    begin = time.process_time()
    action()
    return time.process_time() - begin


def repeat(action, count):
    for _ in range(count):
        action()


def our_forms(sim, start, ctrl):
    """Functions that return the processor time of a step, or of a step of one world of a batch."""
    state = start.copy()
    batch = hf.Batch(sim.model, WORLDS, threads=1, max_contacts=0)  # MuJoCo's batch keeps no contacts either
    given = np.broadcast_to(ctrl, (WORLDS, STEPS, len(ctrl))).copy()
    nobody = np.zeros(WORLDS, bool)

    def single(action):
        state.assign(start)
        return clocked(action) / STEPS

    def many(action):
        batch.ctrl[:] = ctrl
        for w in range(WORLDS):
            batch.set_state(w, start)
        return clocked(action) / (STEPS * WORLDS)

    return {
        "step()": lambda: single(lambda: repeat(lambda: sim.step(state), STEPS)),
        "step(steps=n)": lambda: single(lambda: sim.step(state, steps=STEPS)),
        "batch.step(1)": lambda: many(lambda: repeat(lambda: batch.step(1), STEPS)),
        "batch.run": lambda: many(lambda: batch.run(given, want=("time", "q", "v", "sensors"))),
        "empty batch call": lambda: clocked(lambda: repeat(lambda: batch.step(1, mask=nobody), 1000)) / (1000 * WORLDS),
    }


def their_forms(path, key, start, ctrl):
    """The same of MuJoCo."""
    import mujoco
    import mujoco.batch
    import mujoco.rollout

    m = mujoco.MjModel.from_xml_path(path)
    d, data = mujoco.MjData(m), [mujoco.MjData(m)]
    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    batch, rollout = mujoco.batch.Batch(m, nsim=WORLDS, nthread=1), mujoco.rollout.Rollout(nthread=0)
    given = np.broadcast_to(ctrl, (WORLDS, STEPS, len(ctrl))).copy()

    def again():
        mujoco.mj_resetDataKeyframe(m, d, m.key(key).id)
        d.qpos[:], d.qvel[:], d.ctrl[:], d.time = start.q, start.v, ctrl, start.time

    def single():
        again()
        return clocked(lambda: repeat(lambda: mujoco.mj_step(m, d), STEPS)) / STEPS

    def of_batch():
        batch.qpos, batch.qvel, batch.ctrl = np.asarray(start.q), np.asarray(start.v), ctrl
        return clocked(lambda: repeat(batch.step, STEPS)) / (STEPS * WORLDS)

    def of_rollout():
        again()
        first = np.zeros(mujoco.mj_stateSize(m, full))
        mujoco.mj_getState(m, d, first, full)
        states = np.tile(first, (WORLDS, 1))
        return clocked(lambda: rollout.rollout(m, data, states, given, nstep=STEPS)) / (STEPS * WORLDS)

    return {"mj_step": single, "mujoco.batch": of_batch, "mujoco.rollout": of_rollout}, d


def measure(scene):
    file, key = SCENES[scene]
    path = str(hf.models_path(file))
    sim = hf.Sim(hf.Model.from_file(path))
    sim.reset(key)
    if scene == "allegro":  # targets beyond the grasp: the servos squeeze
        sim.input.ctrl[:] = sim.state.q[:16]
        sim.input.ctrl[SQUEEZE] += 0.25
    else:  # the keyframe's, because MuJoCo does not know the scene's signals
        sim.input.ctrl[:] = sim.model.key_ctrl[sim.model.key(key).id]
    sim.step(steps=20)
    start, ctrl = sim.state.copy(), np.array(sim.input.ctrl)
    theirs, d = their_forms(path, key, start, ctrl)
    ours = our_forms(sim, start, ctrl)
    forms = {name: form for pair in PAIRS for name, form in ((pair[0], ours.pop(pair[0])), (pair[1], theirs[pair[1]]))} | ours
    times = {name: [] for name in forms}
    for _ in range(ROUNDS):
        for name, form in forms.items():
            form()  # so that its data are in the caches
            times[name].append(1e6 * form())
    sim.step(start.copy(), steps=STEPS)
    contacts = {"contacts at the end, here": float(sim.stats["ncontact"])}
    theirs["mj_step"]()
    contacts["contacts at the end, MuJoCo"] = float(d.ncon)
    over = float(np.median(np.subtract(times["step()"], times["step(steps=n)"])))
    ratios = {f"{a} / {b}": float(np.median(np.divide(times[a], times[b]))) for a, b in PAIRS}
    return {**contacts, **{f"{name} [us]": min(t) for name, t in times.items()}, "overhead of step() [us]": over, **ratios}


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
            print(f"  {name:40s} {value:8.3f}")


if __name__ == "__main__":
    main()
