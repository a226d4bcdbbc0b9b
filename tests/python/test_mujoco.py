"""Models and states of MuJoCo, stepped here; compared with MuJoCo itself and with our own reading of the same files."""

import numpy as np
import pytest

import holdfast as hf

mujoco = pytest.importorskip("mujoco")

SCENES = ["pinch.xml", "gripper_mug.xml", "allegro_mug_gravity.xml", "iiwa_pick.xml", "peg_in_hole.xml", "quadruped.xml", "stack.xml",
          "lift_shake_turn.xml", "wsg50.xml"]


@pytest.mark.parametrize("scene", SCENES)
def test_the_same_dynamics(models, scene):
    """Mass matrix, bias and poses at a random state: MuJoCo's, to rounding."""
    m = mujoco.MjModel.from_xml_path(str(models / scene))
    model = hf.from_mujoco(m)
    assert (model.nq, model.nv, model.nu, model.nbody, model.ngeom) == (m.nq, m.nv, m.nu, m.nbody, m.ngeom)
    d = mujoco.MjData(m)
    rng = np.random.default_rng(7)
    q = np.zeros(m.nq)
    q[:] = model.integrate(m.qpos0, rng.normal(scale=0.2, size=m.nv), 1.0)
    d.qpos[:], d.qvel[:] = q, rng.normal(size=m.nv)
    mujoco.mj_forward(m, d)
    state = hf.state_from_mujoco(model, d)
    ours = hf.Dynamics(model).set(state.q, state.v)
    M = np.zeros((m.nv, m.nv))
    for i in range(m.nv):
        mujoco.mj_mulM(m, d, M[i], np.eye(m.nv)[i])
    assert np.allclose(ours.mass_matrix(), M, rtol=1e-8, atol=1e-10 * np.abs(M).max())
    assert np.allclose(ours.bias(), d.qfrc_bias, rtol=1e-7, atol=1e-8 * (1 + np.abs(d.qfrc_bias).max()))
    for b in range(1, m.nbody):
        assert np.allclose(ours.body_pose(b)[0], d.xpos[b], atol=1e-9)


@pytest.mark.parametrize("scene", ["pinch.xml", "lift_shake_turn.xml"])
def test_a_model_steps_as_its_file_does(models, scene):
    """Through mjModel or by our reader: the same geoms and joints; positions agree closely after a while.

    The <custom> parameters of a file are ours alone, so the two differ in stiffness: hence millimetres."""
    model = hf.from_mujoco(mujoco.MjModel.from_xml_path(str(models / scene)))
    direct = hf.Model.from_file(models / scene)
    assert np.allclose(model.body_mass, direct.body_mass) and np.allclose(model.jnt_range, direct.jnt_range)
    assert np.allclose(model.geom_size[:, 0], direct.geom_size[:, 0]) and np.allclose(model.actuator_gainprm, direct.actuator_gainprm)
    sims = [hf.Sim(model), hf.Sim(direct)]
    for sim in sims:
        sim.reset(0)
        sim.step(steps=200)
    assert np.abs(np.asarray(sims[0].state.q) - np.asarray(sims[1].state.q)).max() < 5e-3


def test_specs_and_meshes():
    spec = mujoco.MjSpec()
    spec.add_mesh(name="tetra", uservert=[0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1])
    body = spec.worldbody.add_body(name="thing", pos=[0, 0, 1])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="tetra", density=500)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    m = spec.compile()
    model = hf.from_mujoco(spec)
    assert model.body_mass[1] == pytest.approx(m.body_mass[1])
    sim = hf.Sim(model)
    sim.step(steps=2000)
    # at rest on a face: the lowest point is on the floor and the weight is borne
    assert sim.contacts()["fn"].sum() == pytest.approx(m.body_mass[1] * 9.81, rel=1e-3)


def test_states_carry_over(models):
    m = mujoco.MjModel.from_xml_path(str(models / "pinch.xml"))
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 1)
    for _ in range(50):
        mujoco.mj_step(m, d)
    model = hf.from_mujoco(m)
    state = hf.state_from_mujoco(model, d)
    assert np.array_equal(state.q, d.qpos) and state.time == d.time
    sim = hf.Sim(model)
    sim.input.ctrl[:] = d.ctrl
    sim.step(state, steps=10)
    back = mujoco.MjData(m)
    hf.state_to_mujoco(state, back)
    mujoco.mj_forward(m, back)
    assert np.array_equal(back.qpos, state.q) and np.isfinite(back.qacc).all()
    with pytest.raises(TypeError):
        hf.from_mujoco(3)
