"""Batches from Python: the bits of single sims, runs, parameters, worlds that go wrong."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import holdfast as hf


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds=st.integers(1, 7), threads=st.integers(1, 8), steps=st.integers(1, 20), seed=st.integers(0, 2**31))
def test_the_bits_of_single_sims(models, worlds, threads, steps, seed):
    model = hf.Model.from_file(models / "three_finger_pinch.xml")
    rng = np.random.default_rng(seed)
    controls = rng.normal(size=(worlds, steps, model.nu))
    batch = hf.Batch(model, worlds, threads=threads)
    batch.v[:] = rng.normal(scale=0.05, size=batch.v.shape)
    starts = [batch.get_state(w) for w in range(worlds)]
    result = batch.run(controls, want=("time", "q", "v", "sensors"))
    assert result.message == "" and (result.reports["steps"] == steps).all()
    sim = hf.Sim(model)
    for w, state in enumerate(starts):
        for i in range(steps):
            sim.input.ctrl[:] = controls[w, i]
            sim.step(state)
            assert np.array_equal(result.q[w, i], state.q) and np.array_equal(result.v[w, i], state.v)
        assert state.to_bytes() == batch.get_state(w).to_bytes()
    again = hf.rollout(model, [hf.State.from_bytes(model, hf.State(model).to_bytes())] * worlds, controls, threads=1)
    assert again.q.shape == result.q.shape


def test_arrays_are_the_worlds(fall):
    batch = hf.Batch(fall, 3, threads=2)
    batch.q[1]["rail" if False else 7] = 0.5
    batch.q["rail"][2] = 0.25
    batch.ctrl[:, 0] = [1, 2, 3]
    batch.step(4)
    assert batch.q.shape == (3, 8) and batch.time.shape == (3,) and batch.sensors.shape == (3, 4)
    h = 1e-3
    assert batch.q["rail"] == pytest.approx(np.array([0, 0.5, 0.25]) + np.array([1, 2, 3]) * h * h * 10, abs=1e-15)
    assert np.isfinite(batch.pose).all()
    with pytest.raises(ValueError):
        batch.sensors[0] = 1  # results are read-only
    with pytest.raises(AttributeError):
        batch.nothing


def test_reset_by_mask_and_key(fall):
    batch = hf.Batch(fall, 4)
    batch.step(50)
    batch.reset([1, 3], key="low")
    assert batch.time.tolist() == pytest.approx([0.05, 0, 0.05, 0])
    batch.reset(np.array([True, False, False, False]))
    assert batch.q[0, 2] == 1.0
    with pytest.raises(KeyError):
        batch.reset(key="nothing")
    with pytest.raises(IndexError):
        batch.reset([7])
    with pytest.raises(ValueError):
        batch.reset(np.ones(3, bool))


def test_reset_refuses_what_may_be_a_world_or_a_keyframe(fall):
    batch = hf.Batch(fall, 4)
    batch.step(50)
    for single in (0, np.int64(0)):
        with pytest.raises(TypeError, match=r"world or a keyframe.*reset\(\[.*reset\(key="):
            batch.reset(single)
    assert batch.time.tolist() == pytest.approx([0.05] * 4)  # nothing was reset
    batch.reset(key=0)
    assert batch.time.tolist() == [0] * 4


def test_rows_of_worlds_that_are_left_out_are_nan(fall):
    batch = hf.Batch(fall, 3)
    np.full((3, 200, fall.nq), 7.0)  # numbers in memory that is free again: rows that nobody writes may have them
    result = batch.run(steps=200, mask=[1], want=("time", "q", "v", "sensors"))
    for rows in (result.time, result.q, result.v, result.sensors):
        assert np.isfinite(rows[1]).all() and np.isnan(rows[[0, 2]]).all()
    assert result.reports["steps"].tolist() == [0, 200, 0]


def test_a_bad_world_is_flagged(fall):
    batch, good = hf.Batch(fall, 4, threads=2), hf.Batch(fall, 4, threads=1)
    batch.v[2, 6] = np.nan
    message = batch.step(10)
    good.step(10)
    assert "world 2" in message and "rail" in message
    assert (batch.reports["status"] < 0).tolist() == [False, False, True, False]
    for w in (0, 1, 3):
        assert np.array_equal(batch.q[w], good.q[w])
    result = batch.run(steps=6, every=2)
    assert result.q.shape == (4, 3, 8) and np.isnan(result.q[2]).all() and np.isfinite(result.q[[0, 1, 3]]).all()


def test_parameters_of_each_world(fall):
    batch = hf.Batch(fall, 3)
    batch.reset(key="low")
    batch.params.body_mass[:, 1] = [1, 2, 3]
    batch.params.gravity[:, 2] = [-1, -2, -3]
    batch.params.update()
    batch.step(3000)
    weights = [batch.contacts(w)["fn"].sum() for w in range(3)]
    assert weights == pytest.approx([1, 4, 9], rel=1e-6)  # at rest
    batch.params.body_mass[1, 1] = -1
    batch.params.body_mass[2, 1] = 5
    with pytest.raises(hf.ModelError, match="world 1"):
        batch.params.update()
    assert list(batch.reports["status"] < 0) == [False, True, False]
    batch.step(3000)
    weights = [batch.contacts(w)["fn"].sum() for w in range(3)]
    assert weights == pytest.approx([1, 4, 15], rel=1e-6)  # world 1 keeps its mass, world 2 has the new one
    with pytest.raises(AttributeError):
        batch.params.body_parent


def test_parameters_that_follow_from_others(fall):
    """Sums of masses, M at the reference and principal axes are those of a single world with the same masses."""
    early, late, one = hf.Batch(fall, 2), hf.Batch(fall, 2), hf.Params(fall)
    derived = ("body_subtreemass", "dof_M0", "body_iquat", "geom_rbound")
    for name in derived:
        getattr(early.params, name)[:] = 99  # computed, whatever is written
    for params, rows in ((early.params, 1), (late.params, 1), (one, slice(None))):
        params.body_mass[rows] *= 3
        params.body_inertia[rows] = params.body_inertia[rows][..., [2, 0, 1, 3, 4, 5]] * 3
        params.geom_size[rows] *= 1.5
        params.update()
    for name in derived:
        for batch in (early, late):  # asked for before and after the update
            assert np.array_equal(getattr(batch.params, name)[0], getattr(fall, name))
            assert np.array_equal(getattr(batch.params, name)[1], getattr(one, name))


def test_sizes_of_worlds():
    """A ball rests with its centre one radius above the floor; a size that is none is refused by name and place."""
    ball = hf.Model.from_string("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'><joint type='slide' axis='0 0 1'/>"
                                "<geom name='ball' size='.1' mass='1'/></body></worldbody></mujoco>")
    batch, radius = hf.Batch(ball, 3), np.array([0.05, 0.1, 0.3])
    batch.params.geom_size[:, ball.id("geom", "ball"), 0] = radius
    batch.params.update()
    batch.step(3000)
    assert batch.q[:, 0] + 1 == pytest.approx(radius, abs=1e-4)  # but for the depth that carries its weight
    batch.params.geom_size[1, 1, 0] = 0
    with pytest.raises(hf.HoldfastError, match=r"world 1: parameter geom_size\[1, 0\] = 0: it must be positive"):
        batch.params.update()


BY_DENSITY = """<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='can' pos='0 0 1'><freejoint/>
<geom name='wall' type='cylinder' size='.03 .06' density='2000'/><geom name='lid' type='sphere' pos='0 0 .06' size='.03' mass='.1'/></body></worldbody></mujoco>"""


def test_a_new_size_leaves_the_mass():
    """As in MuJoCo: what a size has to do with a mass only the file knows."""
    can = hf.Model.from_string(BY_DENSITY)
    params, batch = hf.Params(can), hf.Batch(can, 2)
    for p in (params, batch.params):
        p.geom_size[..., 1, :] *= 2
        p.update()
    for name in ("body_mass", "body_inertia", "body_com"):
        assert np.array_equal(getattr(params, name), getattr(can, name)) and np.array_equal(getattr(batch.params, name)[1], getattr(can, name))


def test_worlds_take_the_parameters_of_another_model():
    """A builder computes the mass of a new size from the density, and worlds have the bits of its model. Fixed things of the models must be the same."""
    builder = hf.Builder.from_string(BY_DENSITY)
    can = builder.finish()
    builder.set_geom("wall", size=(0.06, 0.06, 0))
    wide = builder.finish()
    assert wide.body_mass[1] - 0.1 == pytest.approx(4 * (can.body_mass[1] - 0.1), rel=1e-14)
    params, batch, alone = hf.Params(can), hf.Batch(can, 2), hf.Sim(wide)
    params.take(wide)
    params.update()
    batch.params.take(-1, wide)
    batch.params.update()
    assert batch.params.body_mass[:, 1].tolist() == [can.body_mass[1], wide.body_mass[1]]
    with pytest.raises(IndexError):
        batch.params.take(2, wide)
    sim = hf.Sim(params)
    for run in (alone, sim):
        run.step(steps=800)
    batch.step(800)
    assert alone.state.to_bytes() == sim.state.to_bytes() == batch.get_state(1).to_bytes() and len(alone.contacts())
    builder.set_geom("lid", pos=(0, 0, 0.07))
    with pytest.raises(ValueError, match='"geom_pos" of the other model'):
        params.take(builder.finish())
    with pytest.raises(ValueError, match="has nq 0, this one 7"):
        params.take(hf.Model.from_string("<mujoco><worldbody><body><geom size='1'/></body><body><geom size='1'/></body></worldbody></mujoco>"))
    with pytest.raises(ValueError, match='"timestep"'):
        params.take(hf.Model.from_string(BY_DENSITY.replace("<worldbody>", "<option timestep='.001'/><worldbody>")))
    with pytest.raises(TypeError, match="Model is needed"):
        params.take(params)


def test_states_of_many_worlds(fall):
    sim, batch = hf.Sim(fall), hf.Batch(fall, 4)
    sim.reset("low")
    sim.step(steps=5)
    later = sim.state.copy()
    sim.step(steps=5)
    batch.set_states(later)
    assert all(batch.get_state(w).to_bytes() == later.to_bytes() for w in range(4))
    batch.set_states([sim.state, later], [3, 1])  # in ascending order of the worlds
    assert [batch.get_state(w).to_bytes() == sim.state.to_bytes() for w in range(4)] == [False, True, False, False]
    for states, mask in (([later] * 3, None), ([later], [0, 1]), ([], None)):
        with pytest.raises(ValueError, match="states for"):
            batch.set_states(states, mask)


def test_rollouts_with_an_input():
    """A mocap body pulls a ball, and a wrench and a force push: a rollout has the bits of single steps."""
    model = hf.Model.from_string("""<mujoco><worldbody><body name='hand' mocap='true'/><body name='ball' pos='0 0 .1'><freejoint/><geom size='.1' mass='1'/></body>
      <body pos='1 0 0'><joint name='j'/><geom size='.1' mass='1'/></body></worldbody>
      <equality><weld body1='hand' body2='ball'/></equality><actuator><motor joint='j'/></actuator></mujoco>""")
    sim, controls = hf.Sim(model), np.linspace(0, 1, 20)[:, None]
    sim.input.mocap_pos[0] = 0.3, 0, 0.2
    sim.input.wrench[model.body("ball").id] = 0, 0, 0.1, 0.2, 0, 0
    sim.input.force["j"] = 0.5
    start, without = sim.state.copy(), hf.rollout(model, sim.state, controls)
    run = hf.rollout(model, start, np.stack([controls, controls]), threads=2, input=sim.input)
    for k, u in enumerate(controls):
        sim.input.ctrl = u
        sim.step()
        assert np.array_equal(run.q[0, k], sim.state.q) and np.array_equal(run.q[1, k], sim.state.q)
    assert not np.allclose(without.q[0, -1], sim.state.q, atol=1e-3)


def test_results_of_a_run_have_names(fall):
    batch = hf.Batch(fall, 2)
    run = batch.run(np.full((5, 1), 2.0), want=("q", "v", "sensors", "time"))
    assert run.q["rail"].shape == (2, 5) and np.array_equal(run.q["rail"][:, -1], batch.q["rail"]) and run.v["free"].shape == (2, 5, 6)
    assert np.array_equal(run.sensors["place"], run.q["rail"]) and run.act is None
    with pytest.raises(KeyError, match="no joint is named"):
        run.q["no"]


def test_many_steps_are_one_run(fall):
    """A long run is split for the interrupt key; the split must not show."""
    a, b = hf.Batch(fall, 2), hf.Batch(fall, 2)
    controls = np.random.default_rng(0).normal(size=(3000, 1))
    run = a.run(controls, every=100, want=("q", "time"))
    for i in range(3000):
        b.ctrl[:] = controls[i]
        b.step()
        if i % 100 == 99:
            assert np.array_equal(run.q[:, i // 100], b.q) and np.array_equal(run.time[:, i // 100], b.time)
    assert (run.reports["steps"] == 3000).all()


def test_dlpack(fall):
    batch = hf.Batch(fall, 3)
    view = batch._tensor("q")
    batch.q[1, 7] = 0.75
    shared = np.from_dlpack(view)  # NumPy makes it read-only
    assert shared.strides == batch.q.strides and shared.ctypes.data == batch.q.ctypes.data
    batch.q[1, 7] = 0.5
    assert shared[1, 7] == 0.5
    del batch, view
    assert shared[1, 7] == 0.5  # the capsule keeps the memory


def test_refusals(fall):
    with pytest.raises(hf.ArgumentError):
        hf.Batch(fall, 0)
    batch = hf.Batch(fall, 2)
    for shape in ((5, 2), (3, 5, 1), (5,), (2, 5, 2)):
        with pytest.raises(ValueError, match="shape"):
            batch.run(np.zeros(shape))
    with pytest.raises(ValueError):
        batch.run(steps=0)
    with pytest.raises(ValueError, match="want"):
        batch.run(steps=1, want=("colour",))
    other = hf.State(hf.Model.from_string("<mujoco/>"))
    with pytest.raises(hf.ArgumentError):
        batch.set_state(0, other)
    with pytest.raises(IndexError):
        batch.contacts(2)


def test_controls_win_over_signals():
    """v = h F/m of a motor whose scene has the signal 3: world 0 leaves it to the signal, world 1 gives 5."""
    model = hf.Model.from_string("<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/>"
                           "<geom size='.1' mass='2' contype='0' conaffinity='0'/></body></worldbody><actuator><motor name='m' joint='x'/></actuator>"
                           "<custom><text name='hf.signal.m' data='constant 3'/></custom></mujoco>")
    batch = hf.Batch(model, 2)
    assert np.isnan(batch.ctrl).all()
    batch.ctrl[1] = 5
    batch.step()
    assert np.allclose(batch.v[:, 0], [0.01 * 3 / 2, 0.01 * 5 / 2], rtol=1e-14)
    sim = hf.Sim(model)
    sim.step()
    assert sim.ctrl["m"] == 3
    sim.input.ctrl["m"] = 0
    sim.step()
    assert sim.ctrl["m"] == 0
    sim.reset()
    sim.step()
    assert sim.ctrl["m"] == 3


def test_springs_rest_in_the_states():
    """A spring that gives way under a force rests elsewhere, in a sim and in a world of a batch alike; a rest that is written counts."""
    model = hf.Model.from_string("<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='slide' stiffness='100' damping='20' springyield='.05'/>"
                                 "<geom size='.1' mass='1'/></body></worldbody></mujoco>")
    batch, sim = hf.Batch(model, 2), hf.Sim(model)
    batch.rest[1, 0] = sim.state.rest[0] = 0.02
    batch.v[1, 0] = sim.state.v[0] = 3
    batch.step(50)
    sim.step(steps=50)
    assert np.array_equal(batch.rest[1], sim.state.rest) and np.array_equal(batch.q[1], sim.state.q)
    assert batch.rest[1, 0] > 0.03 and not batch.rest[0].any()
