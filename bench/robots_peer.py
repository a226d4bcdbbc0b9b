"""Runs one MJCF scene in MuJoCo and prints what it did, for `holdfast bench robots`.

    python robots_peer.py SCENE STEPS CONTROLS OURS BINARY RECIPE RUN...

Geoms whose meshes are missing are left out, as Holdfast does with geoms that are only drawn, and bodies stay apart where the file has
`fusestatic`. The model is written to the file BINARY, for whoever measures time, and with MuJoCo's recipe for grasps (elliptic cones,
impratio 100, 10 noslip iterations) to RECIPE. The scene starts at its first keyframe, or at qpos0. CONTROLS is a file of STEPS x nu
doubles, the controls of each step; OURS one of nq + na doubles, the end of a run of Holdfast. The lines that are printed:

    sizes NQ NV NBODY NU
    run NAME SPEED QPOS...          after STEPS steps; SPEED is the largest |qvel|, inf if MuJoCo found accelerations that are not
                                    finite or huge, upon which it starts the scene again
    contact BODY1 BODY2 DEPTH FX FY FZ NX NY NZ FELT X Y Z      of the run before it: depth below the margin, force on BODY2 in world
                                    axes, the part of it along the normal, the largest force or torque that a joint feels of it, and
                                    the place

A RUN is one of

    default       as the file says
    shifted       from a start whose velocities differ by 1e-6
    half          with steps of half the length
    recipe        with the recipe for grasps and hard joint friction, solved to the end, with which MuJoCo creeps least
    fine          with steps of an eighth of the length
    creepless     the same, with the recipe for grasps and hard joint friction, solved to the end
    frictionless  with steps of an eighth of the length and hard joint friction, and no geom has friction
    contactless   the same with the friction of geoms, and there are no contacts
    limitless     the same with contacts, and joints and tendons have no limits
    stays         as the file says, from the end of our run, at rest, with the controls of the last step
"""

import copy
import os
import sys

import mujoco
import numpy as np


def load(scene):
    spec = mujoco.MjSpec.from_file(scene)
    folder = os.path.join(os.path.dirname(os.path.abspath(scene)), spec.compiler.meshdir)
    missing = {mesh.name or os.path.splitext(os.path.basename(mesh.file))[0]: mesh for mesh in spec.meshes
               if mesh.file and not os.path.exists(os.path.join(folder, mesh.file))}
    for geom in [geom for geom in spec.geoms if geom.meshname in missing]:
        spec.delete(geom)
    for mesh in missing.values():
        spec.delete(mesh)
    fused, spec.compiler.fusestatic = spec.compiler.fusestatic, False
    return spec.compile() if missing or fused else mujoco.MjModel.from_xml_path(scene)


def start(model):
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    return data


def run(model, data, controls, substeps):
    for ctrl in controls:
        data.ctrl[:] = ctrl
        mujoco.mj_step(model, data, substeps)


def report(name, data):
    speed = np.abs(data.qvel).max() if data.qvel.size else 0.0
    warnings = mujoco.mjtWarning
    if any(data.warning[int(w)].number for w in (warnings.mjWARN_BADQPOS, warnings.mjWARN_BADQVEL, warnings.mjWARN_BADQACC)):
        speed = np.inf
    print("run", name, repr(float(speed)), *(repr(float(x)) for x in data.qpos))


def report_contacts(model, data):
    force = np.zeros(6)
    for i, contact in enumerate(data.contact[: data.ncon]):
        if contact.efc_address < 0:
            continue
        mujoco.mj_contactForce(model, data, i, force)
        world = contact.frame.reshape(3, 3).T @ force[:3]
        first, second = model.geom_bodyid[contact.geom1], model.geom_bodyid[contact.geom2]
        normal = force[0] * contact.frame[:3]
        numbers = [contact.includemargin - contact.dist, *world, *normal, felt(model, data, contact.pos, world, first, second), *contact.pos]
        print("contact", first, second, *(repr(float(x)) for x in numbers))


def felt(model, data, place, force, first, second):
    """The largest force or torque of a joint that balances a force between two bodies: 0 if no joint moves their contact along it."""
    joints, torque = np.zeros(model.nv), np.zeros(3)
    mujoco.mj_applyFT(model, data, force, torque, place, second, joints)
    mujoco.mj_applyFT(model, data, -force, torque, place, first, joints)
    return np.abs(joints).max(initial=0)


def set_recipe(model):
    model.opt.cone, model.opt.impratio, model.opt.noslip_iterations = mujoco.mjtCone.mjCONE_ELLIPTIC, 100, 10


def save_with_recipe(model, path):
    model = copy.copy(model)
    set_recipe(model)
    mujoco.mj_saveModel(model, path)


def vary(model, name):
    """The model of a run, and into how many steps it divides each step of the file."""
    model = copy.copy(model)
    substeps = {"half": 2, "fine": 8, "creepless": 8, "frictionless": 8, "contactless": 8, "limitless": 8}.get(name, 1)
    model.opt.timestep /= substeps
    if name in ("recipe", "creepless"):
        set_recipe(model)
        model.opt.iterations, model.opt.ls_iterations, model.opt.tolerance = 200, 50, 1e-10
    if name in ("recipe", "creepless", "frictionless", "contactless", "limitless"):
        model.dof_solref[:, 0], model.dof_solimp[:, :2] = 2 * model.opt.timestep, 0.9999
    if name == "frictionless":
        model.geom_condim[:] = 1
    if name == "contactless":
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    if name == "limitless":
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    return model, substeps


def start_at(data, ours):
    """Puts the positions and activations of a file in the place of those of the start, at rest."""
    numbers, nq = np.fromfile(ours), data.qpos.size
    data.qpos[:], data.act[:], data.qvel[:] = numbers[:nq], numbers[nq:], 0


def drop_warning(message):
    """MuJoCo calls this in the place of adding a warning to MUJOCO_LOG.TXT in the present folder; ``report`` says what became unstable."""


def main(scene, steps, controls_file, ours, binary, recipe, *runs):
    model = load(scene)
    mujoco.mj_saveModel(model, binary)
    save_with_recipe(model, recipe)
    print("sizes", model.nq, model.nv, model.nbody, model.nu)
    sys.stdout.flush()
    controls = np.fromfile(controls_file).reshape(steps, model.nu)
    for name in runs:
        varied, substeps = vary(model, name)
        data = start(varied)
        if name == "shifted":
            data.qvel += 1e-6
        if name == "stays":
            start_at(data, ours)
            controls[:] = controls[-1]
        run(varied, data, controls, substeps)
        report(name, data)
        report_contacts(varied, data)


mujoco.set_mju_user_warning(drop_warning)
main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
