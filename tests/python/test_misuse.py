"""Misuse: a clear exception or a defined result, never a crash."""

import ast
import base64
import copy
import gc
import gzip
import inspect
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import holdfast as hf
from conftest import FALL


def test_wrong_shapes(fall):
    state, sim = hf.State(fall), hf.Sim(fall)
    with pytest.raises(ValueError, match="shape"):
        state.q = np.zeros(7)
    with pytest.raises(ValueError):
        state.q[:] = np.zeros(7)
    with pytest.raises(ValueError, match="v1"):
        sim.inverse(np.zeros(8))
    with pytest.raises(ValueError, match="shape"):
        hf.Dynamics(fall).set(np.zeros((8, 1)))
    with pytest.raises(ValueError):
        hf.lcp.solve(np.eye(3), np.zeros(2))
    with pytest.raises(ValueError):
        hf.lcp.solve(np.zeros((2, 3)), np.zeros(2))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(hnp.arrays(st.sampled_from([np.float64, np.float32, np.int64, np.uint8, np.complex128, np.dtype("U3"), np.dtype(object)]),
                  hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=9)))
def test_any_array_as_positions(array):
    """Any array at all: taken where it is numbers of the right shape, refused by ValueError or TypeError else."""
    model = hf.Model.from_string(FALL)
    state = hf.State(model)
    before = state.to_bytes()
    try:
        state.q = array
    except (ValueError, TypeError):
        assert state.to_bytes() == before
    else:
        assert array.shape == (8,) and array.dtype.kind in "fiub"
        with_nan = np.array_equal(np.asarray(state.q), array.astype(float), equal_nan=True)
        assert with_nan


def test_dtypes_and_order(fall):
    d = hf.Dynamics(fall)
    d.set(np.array([0, 0, 1, 1, 0, 0, 0, 0], np.float32))
    q = np.zeros((8, 2))
    q[2:4] = 1
    d.set(q[:, 0])  # not contiguous: copied
    d.set([0, 0, 1, 1, 0, 0, 0, 0])
    for bad in (np.zeros(8, complex), np.array(["a"] * 8), np.zeros(8, object), None, "text", {}):
        with pytest.raises((TypeError, ValueError)):
            d.set(bad)
    assert np.allclose(hf.lcp.solve(np.asfortranarray([[2.0, 1], [0, 2]]), [-1, -1]).z, [0.25, 0.5])


def test_the_extension_checks_for_itself(fall):
    """The plain layer below does not trust the one above."""
    core = hf._core
    state = hf.State(fall)
    for bad in (np.zeros(7), np.zeros(8, np.float32), np.zeros((8, 2))[:, 0], b"12345678" * 8, 3, None):
        with pytest.raises((TypeError, ValueError, BufferError)):
            fall._integrate(bad, np.zeros(7), 0.1)
    for bad in (b"", b"x" * 100, state.to_bytes()[:-1], b"\xff" * len(state.to_bytes())):
        with pytest.raises(ValueError):
            state._assign(bad)
    for call in (lambda: core.Sim(), lambda: core.Sim(3), lambda: core.State(None), lambda: core.Model(), lambda: core.View(),
                 lambda: core.Batch(fall, {"nworld": "x"}, {}), lambda: core.Batch(fall, {"nworld": 10**12}, {}),
                 lambda: core.Sim(fall, {"step": 3}), lambda: core.lcp_solve(1, 2, 3, 4, 5, 6),
                 lambda: core.matrix_rank(np.eye(2), 3, 3), lambda: core.matrix_minors(np.eye(2), 30)):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            call()


@pytest.mark.parametrize("counts, message", [
    ({"dim": -3, "ncontact": -1}, "no negative counts"),
    ({"dim": 3, "ncontact": -1}, "no negative counts"),
    ({"dim": 3, "ncontact": 0, "nequality": -1}, "no negative counts"),
    ({"dim": 3, "ncontact": 0, "nv": -2}, "no negative counts"),
    ({"dim": 3, "ncontact": 2**30}, "at most 2147483647 rows"),
])
def test_the_extension_refuses_counts_of_friction_problems(tmp_path, counts, message):
    """Sizes of arrays are computed from the counts; -3 times -1 was three rows."""
    core = hf._core
    arrays = {"q": np.zeros(3), "mu": np.zeros(1)}
    for call in (lambda: core.friction_solve(counts, arrays, None, None, {}),
                 lambda: core.friction_evaluate(counts, arrays, np.zeros(3), np.zeros(0)),
                 lambda: core.friction_write(counts, arrays, str(tmp_path / "a"))):
        with pytest.raises(ValueError, match=message):
            call()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("world, step, error", [
    (-10, 0, ValueError), (0, -10, ValueError), (-1, 1, ValueError),  # the last has as many numbers as one world has
    (2**62, 0, OverflowError), (0, 2**63 - 1, OverflowError), (2**61, 2**61, OverflowError),
])
def test_the_extension_refuses_strides_of_controls(fall, world, step, error):
    """A negative number of controls let every array pass, and the steps read before its beginning."""
    batch = hf.Batch(fall, 3)
    with pytest.raises(error, match="strides of ctrl"):
        batch._step(4, None, np.zeros(fall.nu), world, step, 1, None)
    assert not batch.time.any()
    batch._step(4, None, np.zeros(fall.nu), 0, 0, 1, None)  # the same controls for all worlds and steps
    assert np.allclose(batch.time, 4 * 0.001, rtol=0, atol=1e-12)  # sums of four steps round by less


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=400), st.integers(0, 10**6))
def test_bytes_that_are_no_model(noise, place):
    good = hf.Model.from_string(FALL).to_bytes()
    for data in (noise, good[: place % len(good)], good[:100] + noise + good[100 + len(noise):]):
        try:
            model = hf.Model.from_bytes(data)
        except hf.HoldfastError:
            continue
        assert model.nq >= 0  # a change that does no harm


def test_not_a_number(fall):
    sim = hf.Sim(fall)
    for array, index, word in ((sim.state.q, 7, "rail"), (sim.state.v, 2, "free"), (sim.input.ctrl, 0, "ctrl"), (sim.input.wrench, (1, 2), "wrench")):
        sim.reset()
        array[index] = np.nan
        before = sim.state.to_bytes()
        with pytest.raises(hf.NonFiniteError, match=word):
            sim.step(steps=3)
        assert sim.state.to_bytes() == before  # as it was
        array[index] = 0
    sim.reset()
    sim.state.q[2] = np.inf
    with pytest.raises(hf.NonFiniteError):
        sim.evaluate()
    sim.reset()
    v1 = np.zeros(fall.nv)
    v1[-1] = np.nan
    with pytest.raises(hf.NonFiniteError, match='the velocity v1 of joint "rail"'):
        sim.inverse(v1)


def test_not_a_number_is_not_far_away(fall):
    """A distance beyond the largest one and a ray that hits nothing are None: NaN must not look like these, nor like no rotation."""
    dynamics = hf.Dynamics(fall).set(fall.qpos0)
    for i in (0, 4):
        q = np.array(fall.qpos0)
        q[i] = np.nan
        with pytest.raises(hf.NonFiniteError, match=rf"q\[{i}\] is nan"):
            dynamics.set(q)
    with pytest.raises(hf.NonFiniteError, match=r"v\[6\] is inf"):
        dynamics.set(fall.qpos0, [0] * 6 + [np.inf])
    assert dynamics.distance("ball", "box").distance == pytest.approx(2.8, abs=1e-12)  # where it was
    for call in (lambda: dynamics.ray([0, 0, 5], [0, 0, -1], np.nan), lambda: dynamics.distance("ball", "box", np.nan)):
        with pytest.raises(ValueError, match="max_distance is not a number"):
            call()
    q, v = np.array(fall.qpos0), np.zeros(fall.nv)
    with pytest.raises(hf.NonFiniteError, match=r"v\[4\] is nan"):
        fall.integrate(q, [0, 0, 0, 0, np.nan, 0, 0], 1)  # a turn by NaN was none
    with pytest.raises(hf.NonFiniteError, match=r"q1\[3\] is inf"):
        fall.difference(q, [0, 0, 0, np.inf, 0, 0, 0, 0])
    for h in (np.nan, np.inf):
        for call in (lambda: fall.integrate(q, v, h), lambda: fall.difference(q, q, h)):
            with pytest.raises(ValueError, match="h must be a finite time"):
                call()
    with pytest.raises(ValueError, match="that is not zero"):
        fall.difference(q, q, 0)


def test_a_state_with_the_same_dofs():
    """A chain of two hinges has one tree, two pendulums have two: equal nq and nv do not make their states exchangeable."""
    link = "<joint/><geom size='.1'/>"
    chain = hf.Model.from_string(f"<mujoco><worldbody><body>{link}<body pos='1 0 0'>{link}</body></body></worldbody></mujoco>")
    pair = hf.Model.from_string(f"<mujoco><worldbody><body>{link}</body><body pos='1 0 0'>{link}</body></worldbody></mujoco>")
    assert (chain.nq, chain.nv) == (pair.nq, pair.nv)
    with pytest.raises(ValueError, match="another model"):
        hf.Sim(pair).step(hf.State(chain))
    with pytest.raises(ValueError, match="another model"):
        hf.Sim(pair).evaluate(hf.State(chain))


def test_everything_has_a_docstring():
    for name in hf.__all__:
        thing = getattr(hf, name)
        parts = {f"{name}.{k}": v for k, v in vars(thing).items() if not k.startswith("_")} if isinstance(thing, type) else {}
        for part, value in {name: thing, **parts}.items():
            if callable(value) or isinstance(value, (property, classmethod)):
                assert (value.__doc__ or "").strip(), part


def test_help_shows_arguments():
    """Every class that is made by a call, and every method, has a signature; a class of the extension has none of its own."""
    for name in hf.__all__:
        thing = getattr(hf, name)
        parts = {f"{name}.{k}": getattr(thing, k) for k in vars(thing) if not k.startswith("_")} if isinstance(thing, type) else {}
        for part, value in {name: thing, **parts}.items():
            if callable(value) and not (isinstance(value, type) and issubclass(value, Exception)):
                assert inspect.signature(value), part
    assert list(inspect.signature(hf.State).parameters) == ["model", "max_memory"] and inspect.signature(hf.Grip).parameters["damping"].default == 60


def test_how_models_are_made(fall):
    for arguments in ((), ("scene.xml",), (fall,)):
        with pytest.raises(TypeError, match="from_file"):
            hf.Model(*arguments)
    with pytest.raises(TypeError, match="State is needed"):
        hf.State(fall).assign(None)


def test_type_checkers_see_every_method(fall):
    """The stub declares what the extension has, so that a name that it lacks is a slip of the pen. Models and parameters have fields of their own."""
    stub = ast.parse((Path(hf.__file__).parent / "_core.pyi").read_text())
    for found in (c for c in stub.body if isinstance(c, ast.ClassDef) and hasattr(hf._core, c.name) and not any(isinstance(b, ast.Name) for b in c.bases)):
        lines = [line.target if isinstance(line, ast.AnnAssign) else line for line in found.body]
        declared = {getattr(line, "name", getattr(line, "id", "")) for line in lines}
        assert {name for name in vars(getattr(hf._core, found.name)) if not name.startswith("__")} <= declared, found.name


def test_names_of_statuses_and_ids(fall):
    sim = hf.Sim(fall)
    assert hf.status_name(sim.step()) == "ok"
    with pytest.raises(TypeError):
        fall.id("body", 0.5)
    with pytest.raises(KeyError, match='there is no kind "bodies"'):
        fall.id("bodies", 0)
    for call in (lambda: fall.name("bodies", 0), lambda: fall.names("bodies"), lambda: fall.labels("bodies")):
        with pytest.raises(KeyError, match='there is no kind "bodies"'):
            call()
    sim.state.time = np.nan
    with pytest.raises(hf.NonFiniteError, match="time"):
        sim.step()


def test_names_follow_their_places(fall):
    q = hf.State(fall).q
    q["rail"] = 0.5
    batch = hf.Batch(fall, fall.nq)
    batch.q["rail"] = np.arange(fall.nq)
    assert q.copy()["rail"] == (2 * q)["rail"] / 2 == q[...]["rail"] == 0.5 and (batch.q + 0)["rail"][3] == 3
    run = batch.run(steps=1)
    for other in (run.q.T, run.q[:, 0].T, q[::-1], q[np.arange(fall.nq)[::-1]], q[:], batch.q.T, batch.q[:, ::-1], batch.q[::-1]):  # as many numbers, in another order perhaps
        assert other.names == []
        with pytest.raises(KeyError, match="no names"):
            other["rail"]


def test_a_model_never_changes(fall):
    for name in ("body_mass", "nq", "timestep", "gravity"):
        before = np.copy(getattr(fall, name))
        with pytest.raises(AttributeError, match="never changes"):
            setattr(fall, name, 3.0)
        assert (getattr(fall, name) == before).all()
    with pytest.raises(AttributeError, match="never changes"):
        fall.mine = "a note"


def test_what_a_sim_has_not(fall):
    """State and input are checked when they are set, an option that comes too late is refused, and 0 is no number of steps."""
    sim = hf.Sim(fall)
    own = sim.state, sim.input
    for refused in (lambda: setattr(sim, "state", 5), lambda: setattr(sim, "state", sim.input), lambda: setattr(sim, "input", None), lambda: sim.step(sim.input),
                    lambda: sim.evaluate(sim.state, 0), lambda: sim.problem(0), lambda: sim.inverse(np.zeros(fall.nv), 0)):
        with pytest.raises(TypeError):
            refused()
    with pytest.raises(AttributeError, match="options are given when it is made"):
        sim.method = "rk3"
    assert (sim.state, sim.input) == own and sim.state.time == 0
    other = hf.State(fall)
    sim.state = other
    sim.step()
    assert sim.state is other and other.time > 0 and own[0].time == 0


def test_measurements_of_a_grip_that_are_no_numbers():
    """They are refused and leave no trace in the memory of the grip, which returned NaN from then on."""
    grip = hf.Grip()
    grip.close(0.1, 10)
    grip.control(0.1, 0, 0, 0.001)
    before = grip.memory
    for wrong in ((np.nan, 0, 0, 0.001), (0.1, np.inf, 0, 0.001), (0.1, 0, np.nan, 0.001), (0.1, 0, 0, 0), (0.1, 0, 0, -1)):
        with pytest.raises(ValueError, match="h positive"):
            grip.control(*wrong)
    for command in (grip.open, grip.close):
        for wrong in ((np.nan, 0.1), (0.1, np.nan), (0.1, np.inf)):
            with pytest.raises(ValueError, match="must be finite"):
                command(*wrong)
    with pytest.raises(ValueError, match="an option is not a number"):
        hf.Grip(stiffness=np.nan)
    hf.Grip(force_limit=np.inf)
    assert grip.memory == before and np.isfinite(grip.control(0.1, 0, 0, 0.001))


def test_rows_without_numbers():
    """A keyframe of a model without activations and mocap bodies has none of them; the arrays had numbers of whatever lay behind."""
    model = hf.Model.from_string("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody><keyframe><key/></keyframe></mujoco>")
    assert [getattr(model, "key_" + n).shape for n in ("qpos", "act", "ctrl", "mpos", "mquat")] == [(1, 1), (1, 0), (1, 0), (1, 0), (1, 0)]


def test_arrays_that_a_batch_has_not(fall):
    batch = hf.Batch(fall, 2)
    with pytest.raises(AttributeError, match="qpos"):
        batch.qpos = 3
    with pytest.raises(AttributeError, match="keeps its worlds"):
        batch.worlds = 5
    assert batch.worlds == 2 and batch.threads >= 1
    batch.q = 3
    assert (batch.q == 3).all()


def test_what_is_no_state(fall):
    """Positions in the place of states, as other rollouts take them, and a state in the place of an input: each is named by what it should be."""
    batch, positions, state = hf.Batch(fall, 2), np.zeros((2, fall.nq)), hf.State(fall)
    for states in (positions, None, [state, None], fall):
        with pytest.raises(TypeError, match="states must be State objects, not (ndarray|NoneType|Model)"):
            hf.rollout(fall, states, np.zeros((2, 3, 1)))
        with pytest.raises(TypeError, match="states must be State objects"):
            batch.set_states(states)
    with pytest.raises(TypeError, match="input must be an Input, as sim.input is, not State"):
        hf.rollout(fall, state, np.zeros((2, 3, 1)), input=state)
    with pytest.raises(TypeError, match="state must be of the class State, is of ndarray"):
        hf.Sim(fall).linearise(positions)


def test_one_file_in_two_roles(fall, tmp_path):
    sim = hf.Sim(fall)
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(ValueError, match="recording and states are the same file"):
        sim.record(tmp_path / "a", states=tmp_path / "b" / ".." / "a")
    with pytest.raises(ValueError, match="states and contacts are the same file"):
        sim.record(states=tmp_path / "a.csv", contacts=tmp_path / "link.csv")
    with pytest.raises(TypeError, match="list of names"):
        sim.record(states=tmp_path / "a.csv", bodies="ball")
    with sim.record(tmp_path / "a.hfr", states=tmp_path / "a.csv", bodies=["ball"]):
        sim.step()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv", "a.hfr", "link.csv"]


def test_the_longest_names_of_files(fall, tmp_path):
    """A file may have 255 letters, and an older one of that name is replaced; one letter more is refused before the first step."""
    longest = tmp_path / ("n" * 255)
    sim = hf.Sim(fall, report=True)
    for _ in range(2):
        sim.step()
        sim.report().save(longest)
        sim.evaluate()
        with sim.record(longest):
            sim.step()
        assert len(hf.Recording(longest)) > 0
    for bad in ("n" * 256, "", "\0"):
        with pytest.raises((OSError, ValueError, hf.FileError)):
            sim.record(tmp_path / bad if bad != "" else "")
    assert [f.name for f in tmp_path.iterdir()] == [longest.name]


def test_a_file_that_is_removed_while_it_is_written(fall, tmp_path):
    sim = hf.Sim(fall).record(states=tmp_path / "s.csv")
    sim.step(steps=3)
    (tmp_path / "s.csv").unlink()
    sim.step(steps=3)
    with pytest.raises(hf.FileError, match="s.csv: the file was removed or replaced while it was being written"):
        sim.stop()
    sim.record(states=tmp_path / "s.csv").step()
    sim.stop()
    assert (tmp_path / "s.csv").exists()


def test_a_range_limits():
    builder = hf.Builder()
    body = builder.add_body("arm")
    builder.add_joint(body, "slide", "rail", range=(-1, 1))
    builder.add_geom(body, size=(0.1, 0, 0))
    site, other = builder.add_site(body, "tip"), builder.add_site(0, "post")
    builder.add_tendon(["rail"], [1.0], range=(-0.1, 0.1))
    builder.add_tendon(["rail"], [1.0], range=(-0.1, 0.1), limited=0)
    builder.add_spatial_tendon([site, other], range=(0, 2))
    builder.add_actuator("rail", ctrlrange=(-1, 1), forcerange=(-5, 5))
    model = builder.finish()
    assert list(model.jnt_limited) == [1] and list(model.tendon_limited) == [1, 0, 1] and list(model.actuator_ctrllimited) == [1]


def test_names_of_bodies_select_rows(tmp_path):
    """Of an array with a row for each body; the oracle is the id of the body."""
    model = hf.Model.from_string("""<mujoco><worldbody><body name='hand' mocap='true'/><body name='b' pos='0 0 1'><freejoint/><geom size='.1' mass='2'/></body>
<body pos='1 0 0' mocap='true'/></worldbody></mujoco>""")
    sim, batch = hf.Sim(model), hf.Batch(model, 3)
    b, weight = model.id("body", "b"), 2 * 9.81
    for array, places in ((sim.input.wrench, {"world": 0, "hand": 1, "b": 2, "#3": 3}), (batch.wrench, {"b": 2}), (sim.input.mocap_pos, {"hand": 0, "#3": 1}),
                          (sim.input.mocap_quat, {"hand": 0}), (batch.mocap_pos, {"#3": 1})):
        for name, row in places.items():
            array[name] = np.arange(array.shape[-1])
            assert np.array_equal(np.asarray(array)[..., row, :], np.broadcast_to(np.arange(array.shape[-1]), (*array.shape[:-2], array.shape[-1])))
            array[name][..., -1] = 7  # a view
            assert (np.asarray(array)[..., row, -1] == 7).all() and array[[name, name]].shape == (*array.shape[:-2], 2, array.shape[-1])
    with pytest.raises(KeyError, match='no body is named "c"; there are: world, hand, b, #3'):
        sim.input.wrench["c"]
    with pytest.raises(KeyError, match='no mocap body is named "b"; there are: hand, #3'):
        sim.input.mocap_pos["b"]
    sim.reset()
    sim.input.mocap_pos["hand"] = (0, 0, 3)
    sim.input.wrench["b"] = (0, 0, 0, 0, 0, weight)
    with sim.record(tmp_path / "run.hfr", interval=0):
        sim.step(steps=10)
    assert sim.poses["b"].tolist() == [0, 0, 1, 1, 0, 0, 0] and sim.poses["hand"][:3].tolist() == [0, 0, 3]
    run = hf.Recording(tmp_path / "run.hfr")
    assert np.array_equal(run.poses["b"], run.poses[:, b]) and np.array_equal(run[-1].poses["b"], run.poses[-1, b])
    assert batch.pose["b"].shape == (3, 7) and sim.poses.columns == [] and sim.poses.names == ["world", "hand", "b", "#3"]
    assert (2 * sim.poses)["b"][2] == 2 and sim.poses.T.names == []


def test_numbers_of_named_arrays(fall):
    batch = hf.Batch(fall, 3)
    q = batch.q
    assert type(q.sum()) is np.float64 and type((q == q).all()) is np.bool_ and f"{q.max():.1f}" == "1.0"
    assert type(q[0] @ q[0]) is np.float64 and q.sum(axis=0).shape == (fall.nq,) and (2 * q).names == q.names


@pytest.mark.parametrize("read", [hf.Model.from_file, hf.Builder.from_file])
def test_files_that_are_no_models(fall, tmp_path, read):
    """A recording and a state say what they are, and which call reads them."""
    sim = hf.Sim(fall)
    with sim.record(tmp_path / "run.hfr"):
        sim.step()
    sim.state.save(tmp_path / "run.state")
    with pytest.raises(hf.HoldfastError, match=r"run.hfr:1: this is a recording and no model: .*Recording\(PATH\)\.model in Python"):
        read(tmp_path / "run.hfr")
    with pytest.raises(hf.HoldfastError, match=r"run.state:1: this is a state and no model: .*State\.restore in Python"):
        read(tmp_path / "run.state")


def test_a_recording_without_frames(fall, tmp_path):
    hf.Sim(fall).record(tmp_path / "a.hfr").stop()
    run = hf.Recording(tmp_path / "a.hfr")
    assert len(run) == 0 and list(run) == [] and run.times.shape == run.kinetic.shape == (0,) and run.poses.shape == (0, fall.nbody, 7)
    assert run.q.shape == (0, fall.nq) and run.v.shape == (0, fall.nv) and run.ctrl.shape == run.actuator_force.shape == (0, fall.nu)
    assert run.sensors.shape == (0, fall.nsensordata) and run.q["rail"].shape == (0,)
    with pytest.raises(IndexError):
        run[-1]


def test_modes_of_rigid_contacts(fall):
    with pytest.raises(ValueError, match="separated, sliding, rolling, is 'gliding'"):
        hf.rigid.evaluate(fall, hf.State(fall), choices=[("ball", "floor", "gliding")])


def test_options_that_are_none(fall):
    for make in (lambda **o: hf.Sim(fall, **o), lambda **o: hf.Batch(fall, 1, **o)):
        with pytest.raises(hf.ArgumentError, match="perhaps solver.tolerance.*option_names"):
            make(solver={"tolerence": 1e-9})
        with pytest.raises(hf.ArgumentError, match="timestep"):
            make(timestep=0.1)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["copy", "deepcopy", "pickle"])
def test_copies_of_inputs_and_parameters(fall, twin):
    inputs = hf.Input(fall)
    inputs.ctrl["push"], inputs.force["rail"], inputs.wrench[1, 5], inputs.velocity_target["rail"] = 3, 2, 1, 0.5
    other = twin(inputs)
    for name in ("ctrl", "force", "wrench", "mocap_pos", "mocap_quat", "velocity_target", "force_limit"):
        assert np.array_equal(getattr(other, name), getattr(inputs, name), equal_nan=True)
    other.ctrl["push"] = 7
    assert inputs.ctrl["push"] == 3 and other.model.nq == fall.nq

    params = hf.Params(fall)
    params.body_mass[1], params.gravity[2] = 5, -1.62
    params.update()
    params.body_mass[2] = 9  # written and not yet in force
    same = twin(params)
    assert same.to_model().to_bytes() == params.to_model().to_bytes() and same.body_mass[2] == 9
    same.update()
    assert same.to_model().body_mass[2] == 9 and params.to_model().body_mass[2] == 1
    for whole in (hf.Sim(fall), hf.Batch(fall, 2)):
        with pytest.raises(TypeError, match="model"):
            twin(whole)


def test_inverse_kinematics_refuses(models):
    model = hf.Model.from_file(models / "iiwa14.xml")
    arm = hf.Arm(model, "flange")
    q = np.array([0.1, 0.5, 0.2, -1, 0.3, 0.7, 0.1])
    for options in ({"start": q * np.nan}, {"posture": q * np.nan}):
        with pytest.raises(hf.NonFiniteError):
            arm.set(q).solve((0.5, 0, 0.4), (0, 1, 0, 0), **options)
    for options in ({"position_tolerance": -1.0}, {"length": 0.0}, {"restarts": -1}):
        with pytest.raises(hf.ArgumentError, match="length"):
            arm.set(q).solve((0.5, 0, 0.4), (0, 1, 0, 0), **options)
    for options in ({"period": 0.0}, {"speed": -np.ones(7)}):
        with pytest.raises(hf.ArgumentError, match="period"):
            arm.set(q).rate((0, 0, 0, 0.1, 0, 0), **options)


def test_arms_refuse_what_is_not_finite(models):
    """They took it silently, and gave poses and torques of NaN."""
    model = hf.Model.from_file(models / "iiwa14.xml")
    arm = hf.Arm(model, "flange")
    q, v, wanted = np.array([0.1, 0.5, 0.2, -1, 0.3, 0.7, 0.1]), np.zeros(7), np.zeros((7, 3))
    pose = arm.set(q).pose[0]
    for wrong in (np.nan, np.inf):
        bad = q.copy()
        bad[3] = wrong
        for name, call in {"q_world": lambda: arm.set(bad), "q": lambda: arm.set(q, bad), "tau": lambda: arm.apply(bad, hf.Input(model)),
                           "v_world": lambda: arm.torque(q, bad, wanted, (400, 0, 40), 0.002),
                           "integral": lambda: arm.torque(q, v, wanted, (400, 0, 40), 0.002, bad)}.items():
            with pytest.raises(hf.NonFiniteError, match=rf"^{name} must be finite: {name}\[3\] is {wrong}$"):
                call()
        with pytest.raises(hf.NonFiniteError, match="q_world"):
            arm.torque(bad, v, wanted, (400, 0, 40), 0.002)
        with pytest.raises(hf.NonFiniteError, match=r"wanted\[0, 1\]"):
            arm.torque(q, v, [[0, wrong, 0]] + [[0, 0, 0]] * 6, (400, 0, 40), 0.002)
        with pytest.raises(hf.NonFiniteError, match="gains"):
            arm.torque(q, v, wanted, (400, wrong, 40), 0.002)
        with pytest.raises(ValueError, match="h must be a time"):
            arm.torque(q, v, wanted, (400, 0, 40), wrong)
        with pytest.raises(hf.NonFiniteError, match="times"):
            hf.control.keyframes([0, wrong], [0, 1], 0.5)
        with pytest.raises(hf.NonFiniteError, match="values"):
            hf.control.keyframes([0, 1], [0, wrong], 0.5)
        with pytest.raises(hf.NonFiniteError, match="x must be finite"):
            hf.control.minimise(lambda x: 0.0, [wrong])
    assert np.array_equal(arm.pose[0], pose)


def test_another_models_things(fall, models):
    other = hf.Model.from_file(models / "gripper_mug.xml")
    sim = hf.Sim(fall)
    with pytest.raises((hf.HoldfastError, ValueError)):
        sim.step(hf.State(other))
    with pytest.raises(ValueError, match="another model"):
        sim.step(sim.state, hf.Input(other))
    with pytest.raises(ValueError):
        sim.state.assign(hf.State(other))
    key = "<body name='hand' mocap='true'/></worldbody><keyframe><key mpos='1 2 3'/></keyframe></mujoco>"
    moved = hf.Model.from_string("<mujoco><worldbody><body><joint/><geom size='1'/></body>" + key)
    still = hf.Input(hf.Model.from_string("<mujoco><worldbody><body><joint/><geom size='1'/></body><body/></worldbody></mujoco>"))
    with pytest.raises(ValueError, match="another model"):  # it has no room for the mocap pose of the keyframe
        hf.State(moved).reset(0, still)
    with pytest.raises(ValueError, match="another model"):
        hf.rigid.evaluate(moved, hf.State(moved), still)
    arm, copied = hf.Arm(fall, "cart"), hf.Input(pickle.loads(pickle.dumps(fall)))
    arm.apply([2.5], copied)  # of an equal model, as everywhere
    assert copied.ctrl["push"] == 2.5
    with pytest.raises(ValueError, match="another model"):
        arm.apply([2.5], still)
    with pytest.raises(TypeError):
        sim.step("state")
    with pytest.raises(TypeError):
        hf.Sim(sim)


def test_views_outlive_their_owners(fall):
    q = hf.State(fall).q
    ctrl = hf.Input(fall).ctrl
    mass = hf.Model.from_string(FALL).body_mass
    batch = hf.Batch(fall, 4, threads=2)
    bq, forces = batch.q, batch.params.gravity
    friction = hf.Params(fall).geom_friction
    problem = hf.Sim(fall).problem()
    M = problem.M
    del batch, problem
    gc.collect()
    junk = [np.full(4096, np.nan) for _ in range(200)]  # would land in freed memory
    assert q[2] == 1.0 and ctrl[0] == 0 and mass[1] == 2.0 and bq[3, 2] == 1.0 and forces[0, 2] == -9.81
    assert friction.shape == (3, 3) and np.isfinite(M).all()
    q[:] = 5
    bq[:] = 7
    del junk


def test_no_results_yet(fall):
    sim = hf.Sim(fall)
    for read in (sim.contacts, lambda: sim.sensors, lambda: sim.poses, lambda: sim.stats, lambda: sim.pair_force("ball")):
        with pytest.raises(RuntimeError, match="no results"):
            read()
    d = hf.Dynamics(fall)
    for read in (d.mass_matrix, d.bias, lambda: d.body_pose(0)):
        with pytest.raises(RuntimeError, match="set"):
            read()
    with pytest.raises(KeyError):
        sim.pair_force("nobody")
    with pytest.raises(IndexError):
        fall.body(99)


def message_of(call):
    """What a call is refused with; an empty text where it is done."""
    try:
        call()
    except RuntimeError as error:
        return str(error)
    return ""


def refusal_while(begin, work, read, call):
    """What a call is refused with while a thread does its work; the work is begun anew until the two meet."""
    until = time.monotonic() + 60  # a thread may wait long for a core
    refused = ""
    while not refused and time.monotonic() < until:
        begin()
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive() and "another thread" not in message_of(read):
            pass
        refused = message_of(call)
        thread.join()
    return refused


def test_threads_that_share_a_sim(models):
    """The second thread gets an exception; the first comes to the end that it has alone."""
    model = hf.Model.from_file(models / "allegro_mug_gravity.xml")
    sim, lone, other = hf.Sim(model), hf.Sim(model), hf.Sim(model)
    lone.reset("grasp")
    lone.step(steps=2000)
    for call in (sim.step, sim.contacts, sim.evaluate, lambda: other.step(sim.state), lambda: sim.state.save(os.devnull)):
        refused = refusal_while(lambda: sim.reset("grasp"), lambda: sim.step(steps=2000), sim.contacts, call)
        assert "in use by another thread" in refused and sim.state.to_bytes() == lone.state.to_bytes()


def test_parameters_that_change_while_a_thread_steps(fall):
    """Parameters are put in force between two calls of a step, never within one."""
    params = hf.Params(fall)
    sim = hf.Sim(params)
    refused, done = [], threading.Event()

    def update():
        until = time.monotonic() + 60  # a thread may wait long for a core
        while not refused and time.monotonic() < until:
            refused.extend(filter(None, [message_of(params.update)]))
        done.set()

    thread = threading.Thread(target=update)
    thread.start()
    while not done.is_set():
        sim.step(steps=200)
    thread.join()
    assert refused and "params is in use by another thread" in refused[0]
    params.update()


def test_batches_in_threads_and_in_one(fall):
    """Sims and batches of one model in many threads: the same bits as alone."""
    def run(out, i):
        b = hf.Batch(fall, 5, threads=2)
        b.ctrl[:] = 1
        b.step(500)
        out[i] = np.array(b.q)

    results: dict = {}
    threads = [threading.Thread(target=run, args=(results, i)) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    run(results, "alone")
    assert all(np.array_equal(r, results["alone"]) for r in results.values())


INTERRUPTED = """
import holdfast as hf, numpy as np, sys, time
model = hf.Model.from_file(sys.argv[1])
kind = sys.argv[2]
if kind == "sim":
    world = hf.Sim(model); world.reset(0)
else:
    world = hf.Batch(model, 16, threads=2); world.reset(key=0)
print("ready", flush=True)
try:
    if kind == "run":
        world.run(steps=10**8, every=10**7, want=("q",))
    else:
        world.step(10**8) if kind == "batch" else world.step(steps=10**8)
except KeyboardInterrupt:
    t = world.state.time if kind == "sim" else world.time[0]
    q = world.state.q if kind == "sim" else world.q
    print("interrupted", t > 0, bool(np.isfinite(q).all()), flush=True)
"""


@pytest.mark.parametrize("kind", ["sim", "batch", "run"])
def test_the_interrupt_key(models, kind):
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(models / "gripper_mug.xml"), kind], stdout=subprocess.PIPE,
                               text=True, env=os.environ)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    try:
        out, _ = process.communicate(timeout=30)
    finally:
        process.kill()
    assert out == "interrupted True True\n"
    assert time.monotonic() - begin < 5  # within a fraction of a second, with room for a busy machine


def test_after_a_fork(fall):
    """A forked child has no worker threads; its batch still steps, with the same bits."""
    batch, same = hf.Batch(fall, 4, threads=3), hf.Batch(fall, 4, threads=3)
    same.step(20)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        batch.step(20)
        os.write(write, b"good" if np.array_equal(batch.q, same.q) else b"fail")
        os._exit(0)
    os.close(write)
    assert os.read(read, 4) == b"good"
    os.waitpid(child, 0)


def test_files_after_a_fork(fall, tmp_path):
    """A forked child that steps and ends as programs do leaves the files of its parent alone. It wrote rows and frames of its own, and removed the
    folder of the report."""
    def end_of_child(sim):
        sim.step(steps=50)
        with pytest.raises(RuntimeError, match="in this process"):
            sim.report()
        os._exit(0)

    files = {}
    for forks in (False, True):
        sim = hf.Sim(fall, report=True)
        names = [tmp_path / f"{forks}{ending}" for ending in (".rec", "_states.csv", "_contacts.csv")]
        sim.record(names[0], states=names[1], contacts=names[2])
        sim.step(steps=400)
        if forks:
            child = os.fork()
            if child == 0:
                try:
                    sim.stop()
                    end_of_child(sim)
                finally:
                    os._exit(1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            ends = subprocess.run([sys.executable, "-c", FORKED, str(tmp_path / "own.rec")], capture_output=True, text=True, timeout=120)
            assert ends.stdout == "report 400\n" and not ends.stderr, ends.stderr
        sim.step(steps=400)
        sim.stop()
        files[forks] = [hf.Recording(names[0]).times.tolist(), names[1].read_text(), names[2].read_text()]
        assert len(sim.report().html) > 1000
    assert files[True] == files[False] and len(files[True][1].splitlines()) == 801


FORKED = """
import holdfast as hf, os, sys
sim = hf.Sim(hf.Model.from_file(hf.models_path("pinch.xml")), report=True)
sim.record(sys.argv[1], interval=0)
sim.step(steps=200)
if os.fork() == 0:
    sys.exit(0)
os.wait()
sim.step(steps=200)
sim.stop()
assert sim.report().html
print("report", len(hf.Recording(sys.argv[1])) - 1)
"""


def test_what_builders_keep():
    """A set function took a name, a type or a parent and left it as it was without a word."""
    builder = hf.Builder()
    a, b = builder.add_body("a"), builder.add_body("b")
    builder.add_joint(a, "hinge", "elbow")
    builder.add_geom(a, "sphere", "ball", size=(0.1, 0, 0), mass=1)
    for change in (lambda: builder.set_joint("elbow", name="knee"), lambda: builder.set_joint("elbow", type="slide"), lambda: builder.set_joint("elbow", body="b"),
                   lambda: builder.set_body("b", parent="a"), lambda: builder.set_body("b", name="c"), lambda: builder.set_geom("ball", name="sphere")):
        with pytest.raises(ValueError, match="stays: .* cannot become"):
            change()
    builder.set_joint("elbow", **{**builder.joint("elbow"), "damping": 2.0})  # a definition as it stands, with a change
    builder.set_joint("elbow", type="hinge", body="a", armature=0.5)
    assert builder.joint("elbow")["damping"] == 2 and builder.joint("elbow")["armature"] == 0.5
    builder.set_geom("ball", body="b")
    assert builder.geom("ball")["body"] == b
    builder.set_geom("ball", type="mesh", mesh=builder.add_mesh(np.eye(4, 3), name="corner"))
    builder.add_mesh(-np.eye(4, 3), name="other")
    builder.set_geom("ball", mesh="other")
    assert builder.geom("ball")["mesh"] == 1


def test_what_problems_keep(fall):
    """A number of a problem that is no array was set on the Python object alone, and the solver did not see it."""
    sim = hf.Sim(fall)
    sim.reset("low")
    problem = sim.problem()
    for name in ("h", "nv", "ncontact"):
        with pytest.raises(AttributeError, match=f"keeps its {name}"):
            setattr(problem, name, 5)
    with pytest.raises(AttributeError, match='no array "momentum"'):
        problem.momentum = 0
    problem.p = 0
    assert not problem.p.any() and np.abs(problem.solve().v).max() < 1e-3  # without momentum nothing moves, but for what springs back


def test_texts_that_c_would_cut(fall, tmp_path):
    """C ends a text at a NUL: "a\\0b" would have been the body "a", and the method "tamsi\\0x" tamsi."""
    builder = hf.Builder()
    for bad in ("a\0b", "\0"):
        with pytest.raises(ValueError, match="has a NUL"):
            builder.add_body(name=bad)
    with pytest.raises(ValueError, match="has a NUL"):
        hf.Sim(fall, method="tamsi\0x")
    with pytest.raises(ValueError, match="has a NUL"):
        hf.Sim(fall).record(states=tmp_path / "s.csv", bodies=["ball\0"])
    with pytest.raises(TypeError, match="a body: name: a text is needed, not 99"):
        builder.add_body(99)
    assert builder.finish().names("body") == ["world"]


def test_arguments_of_objects(fall):
    for call in (lambda: hf.State(fall, -1), lambda: hf.Batch(fall, 2, threads=-1), lambda: hf.Sim(fall).step(steps=0),
                 lambda: hf.Sim(fall).step(steps=-5), lambda: hf.Sim(fall).step(steps=1.5), lambda: hf.Arm(fall, "nobody"),
                 lambda: hf.Recording("/nonexistent"), lambda: hf.lcp.enumerate(np.eye(12), np.ones(12)),
                 lambda: hf.control.keyframes([0, 0], [1, 2], 0.5), lambda: hf.control.quintic(0, 1, 0, 0),
                 lambda: hf.Grip(nonsense=1), lambda: hf.control.minimise(lambda x: 0.0, np.zeros(100))):
        with pytest.raises((TypeError, ValueError, hf.HoldfastError)):
            call()


# ---- the same of batches ------------------------------------------------------------------------------------------------


def test_any_controls_of_a_batch(fall):
    """Controls that are not contiguous, of another dtype or order give the bits of plain ones; what is no number is refused."""
    rng = np.random.default_rng(3)
    plain = rng.integers(-3, 4, size=(4, 6, 1)).astype(float)
    wide = np.zeros((4, 12, 3))
    wide[:, ::2, 1:2] = plain
    want = hf.Batch(fall, 4).run(plain).q
    for same in (plain.astype(np.float32), plain.astype(np.int8), np.asfortranarray(plain), wide[:, ::2, 1:2], plain.tolist(), plain.astype(">f8")):
        assert np.array_equal(hf.Batch(fall, 4).run(same).q, want)
    for bad in (plain.astype(complex), plain.astype(str), plain.astype(object), "text", 3.0, {}):
        with pytest.raises((TypeError, ValueError)):
            hf.Batch(fall, 4).run(bad)
    wanted = hf.Batch(fall, 4).run(plain, want=(name for name in ("q", "v")))
    assert np.array_equal(wanted.q, want) and wanted.v is not None and hf.Batch(fall, 4).run(plain, want="time").time.shape == (4, 6)
    for device in ("cuda", "emulated", "cpu:1", None):
        with pytest.raises(ValueError, match="device must be cpu, is"):
            hf.Batch(fall, 4, device=device)
    for array in ("q", "ctrl", "wrench", "time"):
        with pytest.raises((TypeError, ValueError)):
            setattr(hf.Batch(fall, 4), array, np.zeros((3, 2)))
        with pytest.raises((TypeError, ValueError)):
            setattr(hf.Batch(fall, 4), array, "text")


def test_numbers_of_steps_and_worlds(fall):
    batch = hf.Batch(fall, 2)
    before = batch.get_state(1).to_bytes()
    for call in (lambda: batch.step(0), lambda: batch.step(-1), lambda: batch.step(1.5), lambda: batch.step(10**30), lambda: batch.step("x"),
                 lambda: batch.run(steps=10**30), lambda: batch.run(steps=2, every=0), lambda: batch.step(mask=[0.5]),
                 lambda: batch.set_state(2, hf.State(fall)), lambda: batch.set_state(-1, hf.State(fall)), lambda: batch.get_state(2),
                 lambda: batch.set_state(0, None), lambda: batch.contacts(-1), lambda: batch.step(mask=[-3]),
                 lambda: hf.rollout(fall, [], np.zeros((5, 1))), lambda: hf.rollout(fall, [hf.State(fall)] * 2, np.zeros((3, 5, 1)))):
        with pytest.raises((TypeError, ValueError, OverflowError, IndexError, MemoryError, hf.HoldfastError)) as refusal:
            call()
        assert "list index" not in str(refusal.value)
    assert batch.get_state(1).to_bytes() == before


def test_not_a_number_in_a_batch(fall):
    """NaN anywhere flags its world alone; the others have the bits of a batch without it."""
    def outcome(spoil):
        batch = hf.Batch(fall, 3, threads=2)
        for name in ("ctrl", "force", "wrench"):
            getattr(batch, name)
        spoil(batch)
        return batch.step(5), np.array(batch.q)

    _, calm = outcome(lambda batch: None)
    for name in ("q", "v", "ctrl", "force", "wrench"):
        for value in (np.nan, np.inf):
            def spoil(batch):
                getattr(batch, name)[1].reshape(-1)[0] = value

            message, q = outcome(spoil)
            assert "world 1" in message and np.array_equal(q[[0, 2]], calm[[0, 2]])
    controls = np.zeros((3, 4, 1))
    controls[1, 2] = np.nan
    run = hf.Batch(fall, 3).run(controls)
    assert "world 1" in run.message and np.isnan(run.q[1, 2:]).all() and np.isfinite(run.q[1, :2]).all() and np.isfinite(run.q[[0, 2]]).all()
    batch = hf.Batch(fall, 3)
    batch.params.gravity[2] = np.nan
    with pytest.raises(hf.HoldfastError, match="world 2"):
        batch.params.update()
    batch.params.update([0, 1])  # the worlds that were not refused


def test_threads_that_share_a_batch(models):
    """The second thread gets an exception; the first comes to the end that it has alone."""
    model = hf.Model.from_file(models / "gripper_mug.xml")
    shared, lone = hf.Batch(model, 16, threads=1), hf.Batch(model, 16, threads=1)
    lone.reset(key=0)
    lone.step(200)
    for call in (shared.step, shared.reset, lambda: shared.run(steps=1), shared.evaluate, lambda: shared.contacts(0), lambda: shared.get_state(0),
                 shared.params.update):
        refused = refusal_while(lambda: shared.reset(key=0), lambda: shared.step(200), lambda: shared.get_state(0), call)
        assert "another thread" in refused and np.array_equal(shared.q, lone.q)


def test_views_of_a_batch_through_its_calls(fall):
    """A view that is kept shows the worlds through steps, resets and updates; nothing is allocated anew under it."""
    batch = hf.Batch(fall, 3, threads=2)
    q, gravity, pose = batch.q, batch.params.gravity, batch.pose
    addresses = [a.ctypes.data for a in (q, gravity, pose)]
    gravity[:, 2] = -1
    batch.params.update()
    for _ in range(3):
        batch.step(10)
        batch.reset([0])
        batch.run(steps=5)
    assert [a.ctypes.data for a in (batch.q, batch.params.gravity, batch.pose)] == addresses
    assert np.array_equal(q[1], batch.get_state(1).q) and q[1, 2] == pytest.approx(1 - 0.045**2 / 2, abs=1e-9)


def test_one_folder_to_search(tmp_path):
    """One folder may stand for a list of one. Its letters were searched, of which / is the whole disk."""
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    (tmp_path / "arm" / "meshes" / "tip.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    text = '<robot name="r"><link name="a"><collision><geometry><mesh filename="package://arm/meshes/tip.obj"/></geometry></collision></link></robot>'
    for search in (str(tmp_path), tmp_path, os.fsencode(tmp_path), [tmp_path], (str(tmp_path),)):
        assert hf.Model.from_string(text, search=search).ngeom == 1
        assert hf.Builder.from_string(text, search=search).finish().ngeom == 1
    with pytest.raises(hf.FileError, match="there is no such file"):
        hf.Model.from_string(text, search=str(tmp_path / "arm" / "meshes"))
    said = hf.Model.from_string(text, search=[tmp_path, tmp_path / "typo"]).diagnostics
    assert [d.message for d in said if d.severity == "warning"] == [f'search_path (--search): there is no folder "{tmp_path / "typo"}"']


def test_names_of_files_as_bytes(tmp_path):
    """os.listdir(b"...") and the like give names as bytes; open takes them, and so does all that reads or writes a file."""
    name = lambda text: os.fsencode(tmp_path / text)
    model = hf.Model.from_file(os.fsencode(hf.models_path("pinch.xml")), search=[os.fsencode(tmp_path)])
    builder = hf.Builder.from_file(os.fsencode(hf.models_path("pinch.xml")))
    builder.write(name("a.xml"))
    builder.write(name("a.sdf"))
    model.write(name("b.sdf"))
    model.save(name("a.hfm"))
    for file in ("a.xml", "a.sdf", "b.sdf", "a.hfm"):
        assert hf.Model.from_file(name(file)).nv == model.nv
    sim = hf.Sim(model, report=True)
    with sim.record(name("a.rec"), states=name("a.csv"), contacts=name("c.csv")):
        sim.step(steps=3)
    assert len(hf.Recording(name("a.rec"))) > 0
    sim.report().save(name("a.html"))
    sim.state.save(name("a.state"))
    sim.state.restore(name("a.state"))
    sim.problem().write(name("a.problem"))
    assert hf.Problem.read(name("a.problem"))
    with pytest.raises(ValueError, match="the same file"):
        sim.record(name("a.rec"), states=tmp_path / "a.rec")
    with pytest.raises(hf.FileError, match="nowhere"):
        hf.Model.from_file(name("nowhere.xml"))


@pytest.mark.parametrize("after", ["nothing", "reset", "evaluate", "other state"])
def test_a_recording_ends_with_the_last_state(tmp_path, after):
    """Three steps of 5 ms had one frame. What is done to sim and state before stop() does not matter."""
    sim = hf.Sim(hf.Model.from_string(FALL), step=0.005)
    with sim.record(tmp_path / "a.rec"):
        for _ in range(3):
            sim.step()
        end = sim.state.copy()
        if after == "reset":
            sim.reset()
        elif after == "evaluate":
            sim.evaluate()
        elif after == "other state":
            sim.reset()
            sim.evaluate()
    frames = hf.Recording(tmp_path / "a.rec")
    assert frames.times.tolist() == [0, end.time]
    assert np.allclose(frames[-1].q, end.q, rtol=0, atol=1e-6)  # single precision


def test_a_report_is_no_recording(fall, tmp_path):
    sim = hf.Sim(fall, report=True)
    with pytest.raises(ValueError, match="this is a page, which ends in .html or .htm"):
        sim.report().save(tmp_path / "run.rec")
    assert not list(tmp_path.iterdir())


def test_a_report_after_one_that_could_not_be_written(fall):
    """Once the file of a report was refused, the sim made no report any more. Wrong arguments lose nothing."""
    import resource

    sim = hf.Sim(fall, report=True)
    sim.step(steps=5)
    for wrong in (dict(title=5), dict(title="a\0b"), dict(lines={i: i for i in range(33)})):
        with pytest.raises((TypeError, ValueError)):
            sim.report(**wrong)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))  # as a full disk
    try:
        with pytest.raises(hf.FileError, match="the report, a file in .*: cannot write: File too large"):
            sim.report()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    sim.step(steps=5)
    text = sim.report("the next").html
    assert "the next" in text and text.rstrip().endswith("</html>") and text.count("</html>") == 1


def test_a_report_leaves_no_file_behind(tmp_path):
    """A process that was killed left a folder in the folder of temporary files."""
    code = "import holdfast as hf, os; sim = hf.Sim(hf.Model.from_file(hf.models_path('pinch.xml')), report=True); sim.step(steps=5); sim.report(); sim.step(); os._exit(0)"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)}, check=True, timeout=120)
    assert not list(tmp_path.iterdir())


def test_a_report_holds_one_run():
    """Frames after a reset were left out of a report, too."""
    sim = hf.Sim(hf.Model.from_string(FALL), report=True)
    sim.reset()  # before the first step: the run begins here
    sim.step(steps=5)
    sim.reset()
    with pytest.raises(hf.ArgumentError, match="the time went back .* a report holds one run"):
        sim.step()
    assert sim.state.time == 0  # refused before the step
    sim.report("the first run")
    sim.reset()
    sim.step(steps=3)
    assert "the second run" in sim.report("the second run").html


def test_steps_that_are_no_whole_number(fall):
    """Their number is often a quotient of times, and a beginner writes sim.step(500)."""
    sim, batch = hf.Sim(fall), hf.Batch(fall, 2)
    for call in (lambda n: sim.step(steps=n), batch.step, lambda n: batch.run(steps=n)):
        for wrong in (1 / 0.001, "5", [5]):
            with pytest.raises(TypeError, match="steps must be a whole number, not .*round"):
                call(wrong)
        for wrong in (0, -1, -10**30):
            with pytest.raises(ValueError, match="at least 1"):
                call(wrong)
    for call in (lambda n: sim.step(steps=n), batch.step):
        with pytest.raises(OverflowError, match="steps must be at most 2147483647"):
            call(10**30)
    with pytest.raises(TypeError, match=r"step takes a state first: write step\(steps=5.0\)"):
        sim.step(5.0)
    assert sim.state.time == 0 and not batch.time.any()
    sim.step(steps=np.int64(3)), batch.step(np.uint8(3)), batch.run(steps=np.int32(2))
    assert sim.state.time == 3 * sim.step_size and (batch.time == 5 * sim.step_size).all()


def test_messages_about_results_that_are_set(fall):
    sim = hf.Sim(fall)
    for name, message in (("ctrl", "sim.ctrl is a result of the last step, for reading; set sim.input.ctrl"), ("sensors", "sim.sensors is a result"),
                          ("qpos", "to set; it is sim.state.q"), ("time", "to set; it is sim.state.time"), ("timestep", "to set; options are given")):
        with pytest.raises(AttributeError, match=message):
            setattr(sim, name, 0)
    for name, message in (("body", r"it is sim.pose\(NAME\)"), ("sensor", r"it is sim.sensors\[NAME\]"), ("actuator", "sim.input.ctrl"), ("joint", "sim.state.q")):
        with pytest.raises(AttributeError, match=message):
            getattr(sim, name)


def test_messages_about_what_mujoco_has_elsewhere(fall):
    with pytest.raises(AttributeError, match='no field "opt"; what MuJoCo calls opt is world'):
        fall.opt.timestep
    with pytest.raises(AttributeError, match=r"each velocity of a joint has its own damping: model.dof_damping\[joint.dofadr\]"):
        fall.joint("rail").damping
    assert fall.dof_damping[fall.joint("rail").dofadr] == 0
    with pytest.raises(AttributeError, match='a joint has no field "nonsense"; it has type, .*, range'):
        fall.joint("rail").nonsense
    builder = hf.Builder()
    for name, here in (("compile", r"finish\(\)"), ("to_xml", r"write\(PATH\)"), ("bodies", r'names\("body"\)'), ("worldbody", r'body\("world"\)')):
        with pytest.raises(AttributeError, match=f'a builder has no "{name}"; it is {here}'):
            getattr(builder, name)
    with pytest.raises(AttributeError, match='a builder has no "atach"; perhaps attach'):
        builder.atach
    with pytest.raises(AttributeError, match='a sim has no field "nstep"; perhaps step'):  # and not _step, which is no interface
        hf.Sim(fall).nstep


def test_what_is_set_in_vain(fall):
    """It was taken by the Python object alone, and the world went on as before."""
    for set_it in (lambda: setattr(fall.joint("rail"), "range", (0, 1)), lambda: setattr(fall.geom("box"), "friction", 0.1), lambda: setattr(fall.body("cart"), "name", "car"),
                   lambda: setattr(fall.body("cart"), "id", 1)):
        with pytest.raises(AttributeError, match="a model never changes: .* use Params for one world, or a Builder"):
            set_it()
    builder = hf.Builder()
    with pytest.raises(AttributeError, match=r"write set_world\(timestep=...\)"):
        builder.timestep = 0.001


def test_messages_about_the_body_of_a_joint():
    builder = hf.Builder()
    builder.add_body("link", mass=1, inertia=(1, 1, 1, 0, 0, 0))
    for body, message in ((0, 'joint "turn": the world cannot have a joint'), ("world", "the world cannot have a joint"), (2, "body 2 does not exist"), (-1, "body -1 does not exist")):
        with pytest.raises(hf.ModelError, match=message):
            builder.add_joint(body, "hinge", "turn")
    builder.add_joint(1, "hinge", "turn")
    assert builder.finish().njnt == 1


def test_messages_about_names(fall):
    """A list that was cut looked whole, and without any names it ended in the air."""
    with pytest.raises(KeyError, match='no camera is named "front": the model has no cameras'):
        fall.id("camera", "front")
    many = hf.Builder()
    for i in range(23):
        many.add_joint(many.add_body(f"link_{i}", mass=1, inertia=(1, 1, 1, 0, 0, 0)), "slide", f"slide_{i}")
    chain = many.finish()
    for look in (lambda: chain.id("joint", "slid_22"), lambda: many.joint("slid_22"), lambda: hf.State(chain).q["slid_22"]):
        with pytest.raises(KeyError, match="perhaps slide_22 .*; there are: slide_0, .*, slide_19, and 3 more"):
            look()


def test_numbers_in_the_wrong_place(fall):
    sim, batch = hf.Sim(fall), hf.Batch(fall, 2)
    for call, says in [(lambda: sim.step(5.0), r"write step\(steps=5.0\)"), (lambda: batch.reset("low"), r"write reset\(key='low'\) for the keyframe in all worlds$"),
                       (lambda: batch.params.take(fall, 0), "the number of a world and a model"), (lambda: batch.params.take([0], fall), "the number of a world")]:
        with pytest.raises(TypeError, match=says):
            call()


@pytest.mark.parametrize("file", ["recording", "report"])
def test_files_of_params_hold_the_values_of_one_run(tmp_path, file):
    """The parameters at the first step are recorded; other ones need another file. The last frame is written after an update, too."""
    params = hf.Params(hf.Model.from_string(FALL))
    sim = hf.Sim(params, report=file == "report")

    def begin(name):
        if file == "recording":
            sim.record(tmp_path / name)

    def end(name):
        if file == "recording":
            sim.stop()
        else:
            packed = re.search('id="recording">([^<]*)<', sim.report().html)
            if packed is None:
                pytest.skip("this build has no page")
            (tmp_path / name).write_bytes(gzip.decompress(base64.b64decode(packed[1])))
        return hf.Recording(tmp_path / name)

    begin("first.hfr")
    params.gravity[2] = -1
    params.update()  # before the first step
    sim.step(steps=3)
    height = sim.state.q[2]  # of the ball of 2 kg
    params.gravity[2] = -2
    params.update()
    with pytest.raises(hf.ArgumentError, match="parameters were updated after 0.003 s: a " + file):
        sim.step()
    assert sim.state.time == 0.003
    first = end("first.hfr")
    assert first.model.gravity == [0, 0, -1] and first.times.tolist() == [0, 0.003] and first.q[-1, 2] == np.float32(height)
    assert np.diff(first.potential)[0] == pytest.approx(2 * (height - 1), abs=1e-12)
    begin("second.hfr")
    sim.step(steps=3)
    assert end("second.hfr").model.gravity == [0, 0, -2]


def test_a_recording_holds_one_run(tmp_path):
    """Frames after a reset were left out until the time came that was recorded already, without a word."""
    sim = hf.Sim(hf.Model.from_string(FALL))
    sim.step(steps=7)
    sim.record(tmp_path / "a.rec", interval=0)
    sim.reset()  # before the first step: the run begins here
    sim.step(steps=5)
    sim.reset()
    with pytest.raises(hf.ArgumentError, match="the time went back .* a recording holds one run"):
        sim.step()
    assert sim.state.time == 0  # refused before the step
    sim.stop()
    with sim.record(tmp_path / "b.rec", interval=0, states=tmp_path / "b.csv"):
        sim.reset()
        sim.step(steps=3)
    assert len(hf.Recording(tmp_path / "a.rec")) == 6 and len(hf.Recording(tmp_path / "b.rec")) == 4
    with sim.record(states=tmp_path / "c.csv"):  # a table takes what comes
        for _ in range(2):
            sim.reset()
            sim.step(steps=3)
    assert len((tmp_path / "c.csv").read_text().splitlines()) == 1 + 6
