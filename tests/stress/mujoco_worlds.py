"""Runs worlds in MuJoCo (implicitfast) and judges their energy as tests/stress/judge.c does. All that limits and equalities do is work here:
MuJoCo has no release speed that would bound it.

mujoco_worlds.py FOLDER FIRST COUNT STEPS: reads FOLDER/SEED.xml and SEED.released, the energy that the start may release [J],
and writes FOLDER/verdicts, a line "SEED BLOWN" for each world, where BLOWN is 1 for a world whose numbers are not finite, which MuJoCo itself gave up (a warning of bad numbers, after which
it starts again), or whose energy grew by more than work explains.
"""

import sys

import mujoco
import numpy

GROWTH = 1.0  # as in judge.c

BAD = (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)


RELEASING = (mujoco.mjtConstraint.mjCNSTR_EQUALITY, mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)


def release_power(model, data):
    """Power of limits and equalities after a step: their forces in the step times the velocities of its end."""
    speed = numpy.zeros(data.nefc)
    if data.nefc == 0:
        return 0.0
    mujoco.mj_mulJacVec(model, data, speed, data.qvel)
    rows = numpy.isin(data.efc_type, [int(t) for t in RELEASING])
    return float(data.efc_force[rows] @ speed[rows])


def energies(model, data):
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    return data.energy[1], data.energy[0]


def blows_up(model, released, steps):
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    kinetic, potential = energies(model, data)
    work = moved = drop = 0.0
    for _ in range(steps):
        mujoco.mj_step(model, data)
        if any(data.warning[w].number for w in BAD) or not numpy.isfinite(data.qvel).all():
            return 1
        released_power = release_power(model, data)
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        T, V = energies(model, data)
        power = float(data.actuator_force @ data.actuator_velocity)
        work += model.opt.timestep * (power + released_power)
        moved += model.opt.timestep * (abs(power) + abs(released_power))
        drop = max(drop, abs(V - potential))
        growth = (T + V - kinetic - potential - work) / (kinetic + drop + moved + released)
        if not growth <= GROWTH:
            return 1
    return 0


def main():
    folder, first, count, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    with open(f"{folder}/verdicts", "w") as out:
        for seed in range(first, first + count):
            model = mujoco.MjModel.from_xml_path(f"{folder}/{seed}.xml")
            with open(f"{folder}/{seed}.released") as text:
                released = float(text.read())
            out.write(f"{seed} {blows_up(model, released, steps)}\n")


if __name__ == "__main__":
    main()
