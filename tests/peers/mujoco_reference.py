"""Writes what MuJoCo computes for models at random states, for tests/peers/test_mujoco.c to compare.

  mujoco_reference.py OUT STATES SEED MODEL...

For model number i, OUT/i.txt says, as lines of a keyword and values:
  refused MESSAGE            MuJoCo does not load it; nothing follows
  sizes nq nv nu na nbody nsensordata meshmass spatial
  body NAME                  nbody times, "-" for a body without a name
  state, then qpos qvel ctrl act pose M bias force drive passive sensor    STATES times
pose holds x y z qw qx qy qz of each body; M is dense; meshmass is 1 when masses come from meshes,
spatial the number of spatial tendons.

Meshes that are only drawn and whose files are missing are dropped, as Holdfast does. URDF models are given to MuJoCo with static links unfused, package:// resolved, and inertias that no
matter has balanced, which is what Holdfast does with them.
"""

import os
import re
import sys

import mujoco
import numpy as np


def find_package(name, start):
    folder = os.path.abspath(start)
    while True:
        for candidate in (name, name.replace("-", "_")):
            if os.path.basename(folder) == candidate:
                return folder
            if os.path.isdir(os.path.join(folder, candidate)):
                return os.path.join(folder, candidate)
        if os.path.dirname(folder) == folder:
            return None
        folder = os.path.dirname(folder)


def urdf_text(path):
    folder = os.path.dirname(os.path.abspath(path))
    text = open(path, encoding="utf-8", errors="replace").read()

    def resolve(match):
        found = find_package(match.group(1), folder)
        return f"{found}/" if found else match.group(0)

    text = re.sub(r"package://([^/\"]+)/", resolve, text)
    compiler = f'<mujoco><compiler fusestatic="false" balanceinertia="true" meshdir="{folder}"/></mujoco>'
    return re.sub(r"(<robot\b[^>]*>)", r"\1" + compiler, text, count=1)


def drop_missing_meshes(spec, path):
    folder = os.path.join(os.path.dirname(path), spec.meshdir or "")
    missing = {m.name or os.path.splitext(os.path.basename(m.file))[0] for m in spec.meshes
               if m.file and not os.path.exists(os.path.join(folder, m.file))}
    for geom in list(spec.geoms):
        drawn = geom.contype == 0 and geom.conaffinity == 0 and geom.parent.explicitinertial
        if geom.meshname in missing and drawn:
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        name = mesh.name or os.path.splitext(os.path.basename(mesh.file))[0]
        if name in missing and name not in used:
            spec.delete(mesh)


def load(path):
    if path.lower().endswith(".urdf"):
        spec = mujoco.MjSpec.from_string(urdf_text(path))
    else:
        spec = mujoco.MjSpec.from_file(path)
        drop_missing_meshes(spec, path)
    from_mesh = any(
        not body.explicitinertial and any(g.meshname for g in body.geoms) for body in spec.bodies[1:]
    )
    return spec.compile(), from_mesh


def random_qpos(model, rng):
    qpos = rng.uniform(-1.5, 1.5, model.nq)
    for j in range(model.njnt):
        adr = model.jnt_qposadr[j]
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
            adr += 3
        elif model.jnt_type[j] != mujoco.mjtJoint.mjJNT_BALL:
            continue
        quat = rng.normal(size=4)
        qpos[adr : adr + 4] = quat / np.linalg.norm(quat)
    return qpos


def write_state(out, model, data, rng):
    data.qpos[:] = random_qpos(model, rng)
    data.qvel[:] = rng.normal(size=model.nv)
    data.ctrl[:] = rng.normal(size=model.nu)
    if model.na:
        data.act[:] = rng.normal(size=model.na)
    mujoco.mj_forward(model, data)
    mass = np.zeros((model.nv, model.nv))
    if model.nv:
        mujoco.mj_fullM(model, data, mass)
    out.write("state\n")
    rows = {
        "qpos": data.qpos,
        "qvel": data.qvel,
        "ctrl": data.ctrl,
        "act": data.act,
        "pose": np.hstack([data.xpos, data.xquat]),
        "M": mass,
        "bias": data.qfrc_bias,
        "force": data.actuator_force,
        "drive": data.qfrc_actuator,
        "passive": data.qfrc_passive,
        "sensor": data.sensordata,
    }
    for key, value in rows.items():
        out.write(key + "".join(f" {x:.17g}" for x in np.ravel(value)) + "\n")


def write_model(out, path, states, seed):
    try:
        model, from_mesh = load(path)
    except Exception as error:  # MuJoCo's refusals are ValueErrors, files' are OSErrors
        out.write("refused " + " ".join(str(error).split()) + "\n")
        return
    # Sensors and forces of a world without contacts, limits and equalities: those are each engine's own.
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    spatial = sum(model.wrap_type[model.tendon_adr[i]] != mujoco.mjtWrap.mjWRAP_JOINT for i in range(model.ntendon))
    sizes = model.nq, model.nv, model.nu, model.na, model.nbody, model.nsensordata, int(from_mesh), spatial
    out.write("sizes " + " ".join(map(str, sizes)) + "\n")
    for body in range(model.nbody):
        out.write(f"body {model.body(body).name or '-'}\n")
    data = mujoco.MjData(model)
    rng = np.random.default_rng(seed)
    for _ in range(states):
        write_state(out, model, data, rng)


def main():
    folder, states, seed, models = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    for i, path in enumerate(models):
        with open(os.path.join(folder, f"{i}.txt"), "w", encoding="utf-8") as out:
            write_model(out, path, states, seed + i)


main()
