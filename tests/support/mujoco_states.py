"""What the scripts that ask MuJoCo share: the files that they write, and matrices that MuJoCo stores by rows."""

import os
import sys

import mujoco
import numpy as np


def write_rows(out, rows):
    """One line for each name: the name, then its numbers with all their digits."""
    for key, value in rows.items():
        out.write(key + "".join(f" {float(x):.17g}" for x in np.ravel(value)) + "\n")


def write_states(xml, rows_of):
    """For a script OUT STATES SEED: writes OUT/scene.xml and, STATES times, rows_of(model, data, rng) to OUT/states.txt."""
    folder, states, seed = sys.argv[1], *map(int, sys.argv[2:4])
    with open(os.path.join(folder, "scene.xml"), "w", encoding="utf-8") as out:
        out.write(xml)
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(seed)
    with open(os.path.join(folder, "states.txt"), "w", encoding="utf-8") as out:
        for _ in range(states):
            write_rows(out, rows_of(model, data, rng))


def dense(number, address, column, value, columns):
    """A matrix of which row i holds number[i] entries from address[i] on, each with its column and value."""
    out = np.zeros((len(number), columns))
    for i, (count, first) in enumerate(zip(number, address)):
        for at in range(first, first + count):
            out[i, column[at]] += value[at]
    return out
