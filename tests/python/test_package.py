"""The package does what C does: the same bits, and results against closed forms."""

import copy
import pickle
import subprocess
import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import holdfast as hf
from conftest import FALL


def test_model_fields_and_names(fall):
    assert (fall.nq, fall.nv, fall.nu, fall.nbody) == (8, 7, 1, 3)
    assert fall.timestep == 0.001 and list(fall.gravity) == [0, 0, -9.81]
    assert fall.body_mass[fall.body("ball").id] == 2.0
    assert fall.joint("rail").type == 2 and fall.joint("rail").qposadr == 7
    assert fall.actuator("push").name == "push"
    assert fall.names("joint") == ["free", "rail"]
    with pytest.raises(KeyError, match="elbow.*rail"):
        fall.joint("elbow")
    with pytest.raises(ValueError):
        fall.body_mass[1] = 3  # a model is immutable
    with pytest.raises(AttributeError):
        fall.no_such_field


def test_shapes_of_fields():
    """Those of MuJoCo, whatever the numbers of a model are: keyframes of one joint had no axis for its position."""
    mujoco = pytest.importorskip("mujoco")
    body = """<body pos="0 0 {0}"><joint name="h{0}"/><geom name="g{0}" size=".1"/><site name="s{0}"/></body>"""
    actuator, mocap = """<general joint="h{0}" dyntype="integrator"/>""", """<body mocap="true" pos="{0} 0 0"><geom size=".1"/></body>"""
    other_columns = {"body_inertia", "hfield_size", "eq_data", "actuator_dynprm", "actuator_gainprm", "actuator_biasprm"}  # of our own
    for joints, actuators, mocaps, keys in [(1, 1, 1, 2), (1, 0, 0, 1), (2, 1, 1, 1), (3, 2, 2, 3), (1, 1, 0, 0)]:
        text = f"""<mujoco><worldbody>{"".join(body.format(i) for i in range(joints))}{"".join(mocap.format(i) for i in range(mocaps))}</worldbody>
          <actuator>{"".join(actuator.format(i) for i in range(actuators))}</actuator><sensor><clock/></sensor>
          <keyframe>{"<key/>" * keys}</keyframe></mujoco>"""
        ours, theirs = hf.Model.from_string(text), mujoco.MjModel.from_xml_string(text)
        same = [f for f in ours._field_info if isinstance(getattr(theirs, f, None), np.ndarray) and f not in other_columns]
        assert len(same) > 40 and {"key_qpos", "key_qvel", "key_act", "key_ctrl", "key_mpos", "key_mquat"} <= set(same)
        for field in same:
            assert getattr(ours, field).shape == getattr(theirs, field).shape, field
        for name in ("body_mass", "dof_damping", "geom_size"):
            assert getattr(hf.Params(ours), name).shape == getattr(theirs, name).shape
            assert getattr(hf.Batch(ours, 2).params, name).shape == (2, *getattr(theirs, name).shape)
        if keys:
            sim = hf.Sim(ours)
            sim.state.q, sim.input.ctrl, sim.state.act = ours.key(0).qpos, ours.key(0).ctrl, ours.key(0).act
            hf.Dynamics(ours).set(ours.key(0).qpos, ours.key(0).qvel)


def test_named_arrays(fall):
    state = hf.State(fall)
    state.q["rail"] = 0.5
    before = state.q["rail"]
    state.q["rail"] += 0.25
    assert isinstance(before, float) and before == 0.5  # a number, not a view: it stays when the state goes on
    assert state.q[7] == 0.75 and state.q["rail"] == 0.75
    state.q["free"][:3] = 1, 2, 3  # a view
    assert list(state.q[:3]) == [1, 2, 3]
    assert state.q.names == ["free", "rail"]
    with pytest.raises(KeyError):
        state.q["nothing"]
    with pytest.raises(KeyError):
        state.q[:3]["rail"]  # a part has no names
    assert (state.q + 1)["rail"] == 1.75


def test_names_go_where_the_order_changes(fall):
    """What has the numbers at other places answers to no name: a name must not give a number of something else. Arithmetic, copies and functions of each
    number keep the names."""
    state = hf.State(fall)
    state.q[:] = [8, 7, 6, 5, 4, 3, 2, 1]
    q, places, square = state.q, [7, 6, 5, 4, 3, 2, 1, 0], np.eye(8)[::-1]
    for other in (np.sort(q), np.roll(q, 1), np.take(q, places), np.partition(q, 3), np.argsort(q), np.flip(q), np.tile(q, 1), square @ q, np.dot(square, q),
                  np.linalg.solve(square, q), np.delete(q, 0), np.append(q[1:], 0), q.take(places), q.argsort(), q.argpartition(2), q.dot(square),
                  np.einsum("ij,j", square, q), np.random.default_rng(1).permutation(q), np.split(q, 1)[0]):
        assert getattr(other, "names", []) == []
    mine = q.copy()
    assert mine["rail"] == 1 and mine.names == q.names
    mine.sort()
    assert mine.names == [] and list(mine) == [1, 2, 3, 4, 5, 6, 7, 8]
    with pytest.raises(KeyError, match="no names"):
        mine["rail"]
    q.sort()  # the library's own memory: the last number still is the rail's
    assert q["rail"] == state.q["rail"] == 8
    for same in (q.copy(), 2 * q, np.sin(q), np.clip(q, 0, 9), np.round(q), np.zeros_like(q), abs(q), q + np.arange(8.0), q.astype(np.float32)):
        assert same.names == q.names
    out = q.copy()
    assert np.cumsum(np.ones(8), out=out) is out and out.names == q.names and out["rail"] == 8
    batch = hf.Batch(fall, 8)  # as many worlds as coordinates
    assert batch.q.names == q.names and np.sort(batch.q, axis=0).names == [] and (batch.q @ square).names == []


def test_lists_of_names(fall):
    sim, batch = hf.Sim(fall), hf.Batch(fall, 3)
    sim.state.q[["rail", "free"]] = np.arange(8)
    assert sim.state.q["rail"] == 0 and list(sim.state.q["free"]) == [1, 2, 3, 4, 5, 6, 7]
    assert list(sim.state.q[["rail", "free"]]) == list(range(8))
    batch.v[["rail"]] = 5
    assert batch.v[["rail", "free"]].shape == (3, 7) and np.all(batch.v["rail"] == 5) and np.all(batch.v["free"] == 0)
    with pytest.raises(KeyError, match="there are: free, rail"):
        sim.state.q[["rail", "no"]]


def test_columns_are_those_of_logs(tmp_path):
    """Names of all numbers, against the first line of the CSV that the library writes."""
    model = hf.Model.from_string("""<mujoco><worldbody><body name='cup'><freejoint name='cup'/><geom size='.1' mass='1'/><site name='s'/></body>
      <body pos='1 0 0'><joint name='hip' type='ball'/><geom size='.1' mass='1'/></body><body pos='2 0 0'><joint/><geom size='.1' mass='1'/></body></worldbody>
      <actuator><motor name='turn' joint='hip' gear='1 0 0'/></actuator><sensor><gyro name='gyro' site='s'/><clock name='clock'/></sensor></mujoco>""")
    sim = hf.Sim(model)
    with sim.record(states=tmp_path / "run.csv", sensors=True):
        sim.step()
    header = (tmp_path / "run.csv").read_text().splitlines()[0].split(",")
    named = {"q": sim.state.q, "v": sim.state.v, "u": sim.input.ctrl, "s": sim.sensors}
    assert header == ["time", *(f"{letter}[{column}]" for letter, array in named.items() for column in array.columns)]
    run = hf.Batch(model, 2).run(steps=3)
    assert run.q.columns == sim.state.q.columns and len(run.q.columns) == model.nq


def test_a_pushed_cart(fall):
    """Implicit Euler: after n steps of h, v = F n h/m and x = F h^2 n (n + 1)/(2 m)."""
    sim = hf.Sim(fall)
    sim.input.ctrl["push"] = 5.0
    assert sim.step(steps=10) == 0
    assert sim.state.q["rail"] == pytest.approx(5e-6 * 55, rel=1e-12)
    assert sim.state.v["rail"] == pytest.approx(0.05, rel=1e-12)
    assert sim.sensors["place"] == sim.state.q["rail"]
    assert sim.actuator_force["push"] == 5.0
    assert sim.sensors["tip"] == pytest.approx(sim.pose("cart")[0] + [0.1, 0, 0], abs=1e-15)


def test_weight_on_the_floor(fall):
    sim = hf.Sim(fall)
    sim.reset("low")
    sim.step(steps=3000)
    contacts = sim.contacts()
    assert contacts["fn"].sum() == pytest.approx(2 * 9.81, rel=1e-6)  # at rest
    pair = sim.pair_force("ball", "world")
    assert pair.total == pytest.approx([0, 0, 2 * 9.81], abs=1e-5) and pair.contacts == len(contacts)
    assert fall.name("geom", contacts["geom_a"][0]) in ("ball", "floor")
    assert sim.stats["ncontact"] == 1 and sim.stats["energy_gain"] == 0


def test_violations():
    """A slide starts 3 cm beyond its limit, and two hinges 0.2 rad off their coupling."""
    world = hf.Model.from_string(
        "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body><joint name='rail' type='slide' range='-1 1'/><geom size='.1' mass='1'/></body>"
        "<body pos='0 1 0'><joint name='a'/><geom size='.1' mass='1'/></body><body pos='0 2 0'><joint name='b'/><geom size='.1' mass='1'/></body></worldbody>"
        "<equality><joint joint1='a' joint2='b'/></equality></mujoco>")
    for model in (world, hf.Params(world)):
        sim = hf.Sim(model)
        sim.step()
        assert sim.stats["violation.limit_distance"] == 0 and sim.stats["violation.limit_distance.name"] == sim.stats["violation.limit_distance.kind"] == ""
        sim.state.q["rail"], sim.state.q["a"] = 1.03, 0.2
        sim.step()
        stats = sim.stats
        assert stats["violation.limit_distance"] == pytest.approx(sim.state.q["rail"] - 1, abs=1e-15) and stats["violation.limit_angle"] == 0
        assert (stats["violation.limit_distance.kind"], stats["violation.limit_distance.name"]) == ("joint", "rail")
        assert stats["violation.equality_angle"] == pytest.approx(sim.state.q["a"] - sim.state.q["b"], abs=1e-15) and stats["violation.equality_distance"] == 0
        assert (stats["violation.equality_angle.kind"], stats["violation.equality_angle.name"]) == ("equality", "#0")
        assert stats["nlet_go"] == 0 and stats["let_go"] == stats["let_go_kind"] == ""
    batch = hf.Batch(world, 2)
    batch.q[1, 0] = 1.03
    batch.step(1)
    worst = batch.q[1, 0] - 1
    assert batch.reports["violation.limit_distance.amount"] == pytest.approx([0, worst], abs=1e-15)
    batch.q[1, 0] = 1.03
    batch.step(10)
    assert 0 < batch.reports["violation.limit_distance.amount"][1] <= worst + 1e-15
    assert world.name("joint", batch.reports["violation.limit_distance.id"][1]) == "rail"


def test_letting_go():
    """Two balls of 1 g under 1000 kg that swing: no step of 10 ms holds them, nor does a limit hold a link of 0.1 g against 10 N m, and the step says so."""
    ball = "<freejoint/><geom size='.02' mass='.001' contype='0' conaffinity='0'/></body>"
    chain = hf.Model.from_string(
        f"<mujoco><option timestep='0.01'/><worldbody><body name='a'>{ball}<body name='b' pos='0 0 -.04'>{ball}"
        "<body name='load' pos='.1 0 -.2'><freejoint/><geom size='.05' mass='1000' contype='0' conaffinity='0'/></body></worldbody>"
        "<equality><connect name='top' body1='a' anchor='0 0 .02'/><connect name='middle' body1='b' body2='a' anchor='0 0 .02'/>"
        "<connect name='low' body1='load' body2='b' anchor='-.1 0 .14'/></equality></mujoco>")
    sim = hf.Sim(chain)
    status = next((s for s in (sim.step() for _ in range(300)) if s), 0)
    assert hf.status_name(status) == "an equality or limit lets go"
    assert sim.stats["nlet_go"] >= 1 and sim.stats["let_go"] in ("top", "middle", "low") and sim.stats["let_go_kind"] == "equality"
    link = hf.Model.from_string(
        "<mujoco><worldbody><body><joint name='elbow' axis='0 1 0' range='-30 30'/><geom size='.01' mass='1e-4'/></body></worldbody>"
        "<actuator><motor joint='elbow' gear='10'/></actuator></mujoco>")
    sim = hf.Sim(link)
    sim.input.ctrl[0] = 1
    assert hf.status_name(sim.step()) == "an equality or limit lets go"
    assert (sim.stats["nlet_go"], sim.stats["let_go_kind"], sim.stats["let_go"]) == (1, "joint", "elbow")
    batch = hf.Batch(link, 2)
    batch.ctrl[1, 0] = 1
    assert batch.step(10) == 'world 1: an equality or limit lets go: joint "elbow"'
    assert list(batch.reports["steps_letting_go"]) == [0, 10]
    batch.ctrl[0, 0] = 1
    assert batch.step() == 'world 0: an equality or limit lets go: joint "elbow"; other worlds report difficulties, too'
    assert batch.step(mask=[1]) == 'world 1: an equality or limit lets go: joint "elbow"'
    assert link.name("joint", batch.reports["let_go"][1]) == "elbow"


def test_estimated_error():
    """With an accuracy the report has the largest estimate of the steps of discrete time, each of which may have a tenth of the accuracy."""
    pendulum = "<mujoco><worldbody><body><joint axis='0 1 0' frictionloss='.01'/><geom size='.05' pos='.3 0 0' mass='1'/></body></worldbody></mujoco>"
    sim = hf.Sim(hf.Model.from_string(pendulum), step=0.01, accuracy=1e-4)
    errors = []
    for _ in range(20):
        sim.step()
        errors.append(sim.stats["continuous.error"])
    assert 0 < max(errors) <= 1e-5


@pytest.mark.parametrize("scene,key", [("gripper_mug.xml", "rim"), ("allegro_mug_gravity.xml", "grasp"), ("pinch.xml", "firm"),
                                       ("painleve_rod.xml", "drag")])
def test_same_bits_as_the_command(models, scene, key, tmp_path):
    """The command writes states with 17 digits, which is every bit; the package must write the same file."""
    import os

    command = os.environ.get("HOLDFAST_COMMAND")
    if not command or not os.path.exists(command):
        pytest.skip("no command in this build")
    ours, theirs = tmp_path / "python.csv", tmp_path / "c.csv"
    subprocess.run([command, "run", models / scene, "--keyframe", key, "--time", "0.2", "--log", theirs], check=True, capture_output=True)
    model = hf.Model.from_file(models / scene)
    sim = hf.Sim(model)
    sim.reset(key)
    rows = len(theirs.read_text().splitlines()) - 1
    with sim.record(states=ours):
        sim.step(steps=rows)
    mine, their_lines = ours.read_text().splitlines(), theirs.read_text().splitlines()
    # the command may log the start too
    start = next(i for i, line in enumerate(their_lines) if line == mine[1])
    assert mine[1:1 + rows - start + 1] == their_lines[start:] or mine[1:] == their_lines[start:start + len(mine) - 1]


def test_states_copy_save_and_pickle(fall, tmp_path):
    sim = hf.Sim(fall)
    sim.reset("low")
    sim.step(steps=200)
    copy, loaded = sim.state.copy(), pickle.loads(pickle.dumps(sim.state))
    sim.state.save(tmp_path / "state")
    sim.step(steps=100)
    after = sim.state.to_bytes()
    for other in (copy, loaded):
        sim.step(other, steps=100)
        assert other.to_bytes() == after
    sim.state.restore(tmp_path / "state")
    assert sim.state.to_bytes() != after
    sim.step(steps=100)
    assert sim.state.to_bytes() == after


def test_models_pickle_and_save(fall, tmp_path):
    again = pickle.loads(pickle.dumps(fall))
    assert again.to_bytes() == fall.to_bytes()
    fall.save(tmp_path / "model.hfm")
    assert hf.Model.from_file(tmp_path / "model.hfm").to_bytes() == fall.to_bytes()


def test_models_are_written_for_gazebo_and_ros(tmp_path, models):
    arm = hf.Model.from_file(models / "iiwa14_wsg50.xml")
    arm.save(tmp_path / "arm.hfm")
    for name in ("arm.sdf", "arm.urdf"):
        said = hf.Model.from_file(tmp_path / "arm.hfm").write(tmp_path / name)
        assert [d for d in said if "tendons" in d.message][0].severity == "warning"
        again = hf.Model.from_file(tmp_path / name)
        assert again.names("joint")[:7] == arm.names("joint")[:7] and again.nv == arm.nv
        assert hf.Builder.from_file(models / "iiwa14_wsg50.xml").write(tmp_path / name) == said
    with pytest.raises(hf.UnsupportedError, match="floats"):
        hf.Model.from_file(models / "stack.xml").write(tmp_path / "arm.urdf")
    assert hf.Model.from_file(tmp_path / "arm.urdf").nv == arm.nv  # the older file stays
    with pytest.raises(ValueError, match="must end in"):
        arm.write(tmp_path / "arm.json")
    with pytest.raises(ValueError, match="must end in .xml"):
        hf.Builder().write(tmp_path / "arm.png")
    for name, call in {"arm.xml": arm.save, "run.mcap": hf.Sim(arm).record}.items():
        with pytest.raises(ValueError, match="which ends in"):
            call(tmp_path / name)
        assert not (tmp_path / name).exists()
    with pytest.raises(ValueError, match="which file"):
        hf.Sim(arm).record()
    with pytest.raises(ValueError, match="columns of the CSV of states"):
        hf.Sim(arm).record(tmp_path / "run.hfr", sensors=True)
    with pytest.raises(ValueError, match="this is a table, which ends in .csv"):
        hf.Sim(arm).record(states=tmp_path / "states.parquet")


def test_options_that_cannot_act_are_refused(fall):
    with pytest.raises(hf.UnsupportedError, match=r"continuous.newton = quasi cannot act: it belongs to the methods"):
        hf.Sim(fall, continuous={"newton": "quasi"})
    with pytest.raises(hf.UnsupportedError, match="Coulomb's friction"):
        hf.Batch(fall, 2, method="mlcp", friction="anchored")


def test_every_option_is_settable(fall):
    names = hf.option_names()
    assert "solver.tolerance" in names and "method" in names
    for method in ("tamsi", "convex", "mlcp", "rk3", "implicit-euler", "sdirk", "switching"):
        sim = hf.Sim(fall, method=method)
        sim.reset("low")
        sim.step(steps=5)
        assert np.isfinite(sim.state.q).all()
    with pytest.raises(hf.ArgumentError, match="nonsense"):
        hf.Sim(fall, nonsense=1)
    with pytest.raises(hf.ArgumentError):
        hf.Sim(fall, solver={"tolerance": -1.0})
    with pytest.raises(TypeError):
        hf.Sim(fall, step=[1])


def test_diagnostics_and_refusals(tmp_path):
    with pytest.raises(hf.ModelError, match=r"bad.xml:1.*"):
        hf.Model.from_string("<mujoco><worldbody><geom type='pyramid'/></worldbody></mujoco>", name="bad.xml")
    with pytest.raises(hf.ModelError):
        hf.Model.from_string("<mujoco>")
    with pytest.raises(hf.FileError):
        hf.Model.from_file(tmp_path / "missing.xml")
    with pytest.raises(OSError):  # the same, as Python's own kind
        hf.Model.from_file(tmp_path / "missing.xml")
    model = hf.Model.from_string("<mujoco><size njmax='5'/><worldbody/></mujoco>", name="a.xml")
    assert any("a.xml:1" in str(d) for d in model.diagnostics)


def test_problem_solved_alone_is_the_step(models, tmp_path):
    model = hf.Model.from_file(models / "gripper_mug.xml")
    sim = hf.Sim(model, gyroscopic="off")  # else a spinning body turns on after the solution
    sim.reset("rim")
    sim.step(steps=50)
    problem = sim.problem()
    problem.write(tmp_path / "problem.txt")
    again = hf.Problem.read(tmp_path / "problem.txt").solve()
    solution = problem.solve()
    sim.step()
    assert np.array_equal(solution.v, np.asarray(sim.state.v))
    assert np.array_equal(again.v, solution.v) and np.array_equal(again.impulse, solution.impulse)
    # the equation itself, with NumPy
    M, J = problem.dense_mass(), problem.dense_jacobian()
    r = M @ solution.v + problem.diag * solution.v - problem.p - J.T @ solution.impulse
    assert np.abs(r).max() < 1e-7 * np.abs(problem.p).max()
    problem.p[0] = np.nan
    with pytest.raises(hf.HoldfastError):
        problem.solve()


def test_linearise():
    """A damped cart: v1 = (v0 + h u/m)/(1 + h d/m), x1 = x0 + h v1. A ball in free flight keeps its velocity."""
    model = hf.Model.from_string("""<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody>
      <body><joint name='rail' type='slide' axis='1 0 0' damping='3'/><geom size='.1' mass='2'/></body>
      <body pos='0 1 0'><freejoint/><geom size='.1' mass='1'/></body></worldbody>
      <actuator><motor joint='rail' ctrlrange='-1 1' ctrllimited='true'/></actuator><sensor><jointvel joint='rail'/></sensor></mujoco>""")
    sim, h, slow = hf.Sim(model), 0.01, 1 / (1 + 0.01 * 3 / 2)
    sim.state.v[1:4] = 1, 2, 3
    for u in (0.0, 1.0, -1.0):  # also at the ends of the range
        sim.input.ctrl = [u]
        sim.step()
        before, results = sim.state.to_bytes(), sim.acceleration
        A, B, C, D = sim.linearise()
        assert sim.state.to_bytes() == before and np.array_equal(sim.acceleration, results)
        assert np.allclose(A[[0, 7]][:, [0, 7]], [[1, h * slow], [0, slow]], atol=1e-9) and np.allclose(B[[0, 7], 0], [h * h / 2 * slow, h / 2 * slow], atol=1e-9)
        assert np.allclose(C[0], A[7], atol=1e-15) and np.allclose(D[0], B[7], atol=1e-15)
        linear = [1, 2, 3, 8, 9, 10]
        assert np.allclose(A[np.ix_(linear, linear)], np.block([[np.eye(3), h * np.eye(3)], [np.zeros((3, 3)), np.eye(3)]]), atol=1e-8)
    with pytest.raises(ValueError, match="eps"):
        sim.linearise(eps=0)


def test_linearise_a_grip(models, tmp_path):
    """The linear step predicts a step from a state nearby, with contacts, friction and parameters; a recording does not see the trials."""
    params = hf.Params(hf.Model.from_file(models / "gripper_mug.xml"))
    params.geom_friction[:, 0] *= 2
    params.update()
    sim, m = hf.Sim(params, step=0.001), params.model
    sim.reset("rim")
    sim.step(steps=300)
    start = sim.state.copy()
    A, B = sim.linearise()[:2]
    given = sim.input.copy()
    assert np.isnan(given.ctrl["lift"])  # a signal of the scene
    sim.step(start.copy())
    given.ctrl = sim.ctrl
    assert B[:, 0].any() and np.array_equal(sim.linearise(start, given).B, B)
    recorded = hf.Sim(params.to_model(), step=0.001)
    with recorded.record(tmp_path / "run.hfr", interval=0):
        recorded.step()
        assert np.array_equal(recorded.linearise(start, sim.input).A, A)
        recorded.step()
    assert len(hf.Recording(tmp_path / "run.hfr")) == 3
    random = np.random.default_rng(1)
    dx = 1e-7 * random.standard_normal(2 * m.nv)
    near, there = start.copy(), start.copy()
    near.q, near.v = m.integrate(start.q, dx[:m.nv], 1), start.v + dx[m.nv:]
    sim.step(near)
    sim.step(there)
    moved = np.concatenate([m.difference(there.q, near.q), near.v - there.v])
    assert np.linalg.norm(A @ dx - moved) < 0.02 * np.linalg.norm(moved)


def test_inverse_of_a_step(fall):
    """A force found for given velocities gives them: inverse and forward agree."""
    sim = hf.Sim(fall)
    sim.reset("low")
    sim.step(steps=100)
    start = sim.state.copy()
    v1 = np.asarray(start.v).copy()
    v1[6] += 0.3
    sim.input.force[:] = sim.inverse(v1, start)
    sim.step(start)
    assert np.abs(np.asarray(start.v) - v1).max() < 1e-9


def test_dynamics_against_numpy(models):
    model = hf.Model.from_file(models / "iiwa14.xml")
    rng = np.random.default_rng(1)
    q, v, a = (rng.uniform(-1, 1, model.nv) for _ in range(3))
    d = hf.Dynamics(model).set(q, v)
    M, bias = d.mass_matrix(), d.bias()
    assert np.allclose(M, M.T) and np.linalg.eigvalsh(M).min() > 0
    tau = M @ a + bias
    assert np.allclose(d.inverse(v, a), tau, atol=1e-10) and (d.inverse(vdot=a) == d.inverse(v, a)).all()
    assert np.allclose(d.forward(v, tau), a, atol=1e-8) and (d.forward(tau=tau) == d.forward(v, tau)).all()
    assert np.allclose(d.inverse(v=-v, vdot=a), hf.Dynamics(model).set(q, -v).inverse(vdot=a), rtol=0, atol=0)
    assert np.allclose(d.solve(tau - bias), a, atol=1e-8)
    d.inverse_derivatives(-q, -v, a)  # none of these moves d away from q and v
    assert (d.mass_matrix() == M).all() and (d.bias() == bias).all()
    J = d.jacobian(model.nbody - 1)
    assert np.allclose(J @ v, d.velocity(model.nbody - 1), atol=1e-12)
    kinetic, _ = d.energy()
    assert kinetic == pytest.approx(0.5 * v @ M @ v)
    e = 1e-6  # central difference of the pose: error e^2
    ahead, behind = (hf.Dynamics(model).set(model.integrate(q, v, s)).body_pose(model.nbody - 1)[0] for s in (e, -e))
    assert np.allclose((ahead - behind) / (2 * e), J[3:] @ v, atol=1e-7)


def test_the_order_of_calls_of_dynamics(models):
    model = hf.Model.from_file(models / "gripper_mug.xml")
    rng = np.random.default_rng(2)
    q, v, a = model.integrate(model.qpos0, rng.uniform(-1, 1, model.nv), 1.0), *rng.uniform(-1, 1, (2, model.nv))
    calls = {"inverse": lambda d: d.inverse(a, v), "forward": lambda d: d.forward(a, v), "derivatives": lambda d: d.inverse_derivatives(model.qpos0, a, v)[0],
             "mass": hf.Dynamics.mass_matrix, "bias": hf.Dynamics.bias, "solve": lambda d: d.solve(a), "energy": hf.Dynamics.energy,
             "jacobian": lambda d: d.jacobian("mug"), "velocity": lambda d: d.velocity("mug"), "momentum": hf.Dynamics.momentum, "com": hf.Dynamics.com}
    alone = {name: np.hstack(call(hf.Dynamics(model).set(q, v))) for name, call in calls.items()}
    d = hf.Dynamics(model).set(q, v)
    for name in rng.choice(list(calls), 200):
        assert (np.hstack(calls[name](d)) == alone[name]).all(), name
    d.set(q)
    d.inverse(v, a)
    for call in (d.bias, lambda: d.inverse(vdot=a), lambda: d.forward(tau=a)):
        with pytest.raises(RuntimeError, match=r"set\(q, v\)"):
            call()
    with pytest.raises(TypeError, match="vdot is missing"):
        d.inverse(v)
    for call in (lambda: d.inverse(a, v, a), lambda: d.forward(a, v, a)):  # as other libraries have it: positions, velocities, accelerations or forces
        with pytest.raises(ValueError, match="positions are given to set"):
            call()


def test_rays_and_distances(fall):
    d = hf.Dynamics(fall).set(fall.qpos0)
    hit = d.ray((0, 0, 5), (0, 0, -1))
    assert fall.name("geom", hit.geom) == "ball" and hit.distance == pytest.approx(3.9)
    assert d.ray((10, 10, 5), (0, 0, 1)) is None
    for size in (1e-308, 1e-200, 1e200, 1.7e308):  # of a direction that has one, however long it is
        assert d.ray((0, 0, 5), (0, 0, -size)).distance == hit.distance
    assert d.distance("ball", "floor").distance == pytest.approx(0.9)
    with pytest.raises(ValueError):
        d.ray((0, 0, 0), (0, 0, 0))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_lcp_of_definite_matrices(n, seed):
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(n, n))
    A, b = G @ G.T + 0.1 * np.eye(n), rng.normal(size=n)
    for method in ("lemke", "dantzig"):
        s = hf.lcp.solve(A, b, method=method)
        assert s.status == "ok"
        assert (s.z >= -1e-12).all() and (s.w >= -1e-9 * (1 + np.abs(A).max())).all() and abs(s.z @ s.w) < 1e-8 * (1 + np.abs(A).max())
        assert hf.lcp.residual(A, b, s.z) < 1e-9
    if n <= 4:
        every, _ = hf.lcp.enumerate(A, b)
        assert len(every) == 1 and np.allclose(every[0], s.z, atol=1e-7)  # definite: exactly one
    assert hf.lcp.is_p_matrix(A)["is_p"]
    assert np.allclose(np.sort(hf.lcp.eigenvalues(A).real), np.linalg.eigvalsh(A), atol=1e-8 * np.abs(A).max())
    assert hf.lcp.minors(A)[-1] == pytest.approx(np.linalg.det(A), rel=1e-8)


def largest_inverse(model, key, steps, **options):
    """Largest force that the inverse of a step's own velocities has, where zero is right."""
    sim, asked = hf.Sim(model, **options), hf.Sim(model, **options)
    if key:
        sim.reset(key)
    else:
        sim.state.v[-3:] = 3.0  # what is free begins to turn
    worst = 0.0
    for _ in range(steps):
        before = sim.state.copy()
        sim.step()
        worst = max(worst, np.abs(asked.inverse(sim.state.v, before, sim.input)).max())
    return worst


def test_inverse_of_the_step_problem(models):
    """What a step does beside its problem is the only reason for which the inverse of its velocities is not zero (docs/theory/drives.md)."""
    boxes = "".join(f"<body pos='{1e-4 * i} 0 {1.5e-3 + 2.2e-3 * i}' euler='10 {20 * i} 0'><freejoint/><geom type='box' size='.001 .001 .0005'/></body>" for i in range(4))
    tiny = hf.Model.from_string(f"<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 1'/>{boxes}</worldbody></mujoco>")
    links = hf.Model.from_string("<mujoco><worldbody><body><freejoint/><geom type='box' size='.1 .05 .02' mass='1'/><body pos='.1 0 0'>"
                                 "<joint axis='0 1 0'/><geom type='capsule' size='.02 .1' pos='.1 0 0' mass='.5'/></body></body></worldbody></mujoco>")
    cases = [(hf.Model.from_file(models / "gripper_mug.xml"), "rim", {"step": 0.01}), (hf.Model.from_file(models / "ur10_tracking.xml"), None, {}), (tiny, None, {}), (links, None, {})]
    plain = [largest_inverse(m, key, 60, **o, gyroscopic="off", anticipate="off") for m, key, o in cases]
    assert max(plain) < 1e-5  # the solver ends at 1e-8 of forces of up to 1e3 N
    assert min(largest_inverse(m, key, 60, **o) for m, key, o in cases) > 1e-4  # the options matter in all of them


def test_inverse_kinematics(models):
    model = hf.Model.from_file(models / "iiwa14.xml")
    arm = hf.Arm(model, model.names("body")[-1])
    q = np.array([0.2, 0.5, -0.1, -1.2, 0.3, 0.7, 0.0])[: arm.n]
    arm.set(model.qpos0, q)
    p, R = arm.pose
    found = arm.set(model.qpos0).solve(p, R, start=q + 0.1)
    assert found.status == "ok"
    arm.set(model.qpos0, found.q)
    assert np.allclose(arm.pose[0], p, atol=1e-4)
    quat = np.zeros(4)
    quat[0] = np.sqrt(1 + np.trace(R)) / 2  # of a rotation by less than half a turn
    quat[1:] = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * quat[0])
    again = arm.set(model.qpos0, q).solve(p, quat)
    assert again.status == "ok" and np.allclose(again.q, q, atol=1e-6)  # it begins where the arm is, which is there
    for wrong in (np.zeros((3, 3)), np.diag([1, 1, -1]), R * 1.01, np.zeros(4), np.full((3, 3), np.nan)):
        with pytest.raises(ValueError, match="rotation"):
            arm.solve(p, wrong)
    wanted = np.column_stack([q, np.zeros((arm.n, 2))])
    world = np.array(model.qpos0)
    tau, _ = arm.torque(world, np.zeros(model.nv), wanted, (400, 0, 40), 0.002)  # without an integral
    same, _ = arm.torque(world, np.zeros(model.nv), wanted, (400, 0, 40), 0.002, np.zeros(arm.n))
    assert np.array_equal(tau, same) and np.abs(tau).max() > 0
    far = arm.solve((10, 0, 0))
    assert far.status != "ok" and far.report["position_error"] > 5


def test_controllers():
    s = hf.control.quintic(0.0, 1.0, 2.0, 1.0)
    assert s.q == pytest.approx(0.5) and s.v == pytest.approx(15 / 16) and s.a == pytest.approx(0, abs=1e-12)
    force, integral = hf.control.pid((10, 2, 1), 1.0, 0.5, 0.2, 0.01, 0.1)
    assert integral == pytest.approx(0.105) and force == pytest.approx(10 * 0.5 + 2 * 0.1 - 0.2)
    x, value, used = hf.control.minimise(lambda a: (a[0] - 1) ** 2 + 3 * (a[1] + 2) ** 2, [0, 0], seed=3)
    assert np.allclose(x, [1, -2], atol=1e-3) and used > 10
    with pytest.raises(ZeroDivisionError):
        hf.control.minimise(lambda a: 1 / 0, [0.0])
    grip = hf.Grip(stiffness=500.0)
    grip.close(0.05, 10.0)
    assert grip.control(0.05, 0.0, 0.0, 0.01) > 0 and not grip.settled


def test_the_defaults_of_a_grip_are_those_of_c():
    """Its signature shows them: grips with and without it do the same while they open, close and squeeze."""
    ours, plain, random = hf.Grip(), hf._core.Grip(), np.random.default_rng(0)
    ours.open(width_now=0.02, width=0.1), plain._open(0.02, 0.1)
    for k in range(600):
        if k == 200:
            ours.close(width_now=0.09, squeeze=20.0), plain._close(0.09, 20.0)
        width, rate, squeeze = 0.05 + 0.04 * random.random(), 0.1 * random.normal(), (20 + random.normal() if k > 400 else 0.9 if k > 380 else 0.0)
        assert ours.control(width=width, rate=rate, squeeze=squeeze, h=0.002) == plain._control(width, rate, squeeze, 0.002)
        assert ours.memory == plain.memory and ours.settled == plain.settled
    assert ours.memory["mode"] == 2


def test_a_grip_closes_light_fingers():
    """Two fingers of mass m_f, both pushed by the drive, have a width of mass m_f/2: a force that acts for h is stable while damping h < m_f."""
    model = hf.Model.from_string("""<mujoco><option timestep=".002" gravity="0 0 0"/><worldbody>
      <body pos=".05 0 0"><joint name="a" type="slide" axis="1 0 0"/><geom type="sphere" size=".01" mass=".05" contype="0" conaffinity="0"/></body>
      <body pos="-.05 0 0"><joint name="b" type="slide" axis="-1 0 0"/><geom type="sphere" size=".01" mass=".05" contype="0" conaffinity="0"/></body></worldbody>
      <tendon><fixed name="width"><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed></tendon>
      <actuator><motor name="drive" tendon="width"/></actuator></mujoco>""")

    def largest_force(damping):
        sim, grip, forces = hf.Sim(model), hf.Grip(stiffness=100, damping=damping), []
        grip.close(0.1, 10)
        for _ in range(200):
            width, rate = 0.1 + sim.state.q["a"] + sim.state.q["b"], sim.state.v["a"] + sim.state.v["b"]
            forces.append(grip.control(width, rate, 0.0, sim.step_size))
            sim.input.ctrl["drive"] = -forces[-1]
            sim.step()
        return max(abs(f) for f in forces[100:])

    m, h = 0.05 / 2, 0.002
    assert largest_force(m / h) < 0.1 and largest_force(2.5 * m / h) == 80  # the second reaches its limit again and again


def test_certificate_of_a_resting_ball(fall):
    state = hf.State(fall)
    state.reset("low")
    problem = hf.rigid.evaluate(fall, state, touch=1e-6)
    assert problem.A.shape[0] == 3 and problem.certificate["holds"]
    fn = problem.contacts["fn"][0]
    assert fn == pytest.approx(2 * 9.81, rel=1e-9)  # a rigid ball at rest bears its weight
    again = hf.lcp.certify(problem.A, problem.rolling, problem.k, problem.c)
    assert again == problem.certificate


def test_builder_makes_the_same_world():
    b = hf.Builder(timestep=0.001)
    b.add_geom(type="plane", name="floor", size=(1, 1, 1))
    b.add_body("ball", pos=(0, 0, 1))
    b.add_joint("ball", "free", name="free")
    b.add_geom("ball", "sphere", name="ball", size=(0.1, 0, 0), mass=2)
    b.add_body("cart", pos=(0, 3, 1))
    b.add_joint("cart", "slide", name="rail", axis=(1, 0, 0))
    b.add_geom("cart", "box", name="box", size=(0.1, 0.1, 0.1), mass=1)
    b.add_site("cart", "tip", pos=(0.1, 0, 0))
    b.add_actuator("rail", "push")
    b.add_sensor("jointpos", "joint", "rail", name="place")
    b.add_sensor("framepos", "site", "tip", name="tip")
    b.add_key("low", qpos=[0, 0, 0.1, 1, 0, 0, 0, 0.25], ctrl=[3])
    built, read = hf.Sim(b.finish()), hf.Sim(hf.Model.from_string(FALL))
    for sim in (built, read):
        sim.reset("low")
        sim.step(steps=300)
    assert np.array_equal(built.state.q, read.state.q) and np.array_equal(built.sensors, read.sensors)
    with pytest.raises(TypeError, match="no option"):
        b.add_body("x", nonsense=1)
    with pytest.raises(hf.HoldfastError):
        b.add_geom(99)


def same_fields(a, b):
    """Numbers of two models agree to rounding: quaternions are normalised again by reading."""
    for name in a._field_info:
        if not name.endswith("name") and name != "names":
            x, y = np.asarray(getattr(a, name)), np.asarray(getattr(b, name))
            assert x.shape == y.shape and np.allclose(x, y, rtol=1e-14, atol=1e-14), name


def test_builder_edits_files(tmp_path, models):
    """Load, change, attach, write, load: the oracle is the model that the builder itself finishes."""
    scene = hf.Builder.from_file(models / "table.xml")
    hand = hf.Builder.from_file(models / "wsg50.xml")
    alone, empty = hand.finish(), scene.finish()
    scene.attach(hand, pos=(0, 0, 1), quat=(0, 1, 0, 0), prefix="left/")
    scene.attach(hand, pos=(0, 1, 1), prefix="right/")
    scene.set_world(timestep=0.0015)
    scene.set_joint("left/" + alone.names("joint")[0], damping=7)
    scene.write(tmp_path / "scene.xml")
    built, read = scene.finish(), hf.Model.from_file(tmp_path / "scene.xml")
    assert built.nbody == empty.nbody + 2 * (alone.nbody - 1) and built.nu == 2 * alone.nu
    assert built.timestep == 0.0015 and built.dof_damping[0] == 7
    same_fields(built, read)
    scene.write(tmp_path / "scene.hfm")  # the end of the name decides, as in the command
    assert (tmp_path / "scene.hfm").read_bytes()[:8] == b"HFMODEL\0" and hf.Model.from_file(tmp_path / "scene.hfm").to_bytes() == built.to_bytes()
    with pytest.raises(hf.ModelError, match="is used already"):
        scene.attach(hand, prefix="left/")
    with pytest.raises(hf.HoldfastError, match="nothing.xml"):
        hf.Builder.from_file(tmp_path / "nothing.xml")
    with pytest.raises(KeyError, match="no geom is named"):
        scene.set_geom("nothing", mass=1)
    same_fields(scene.finish(), built)  # refusals changed nothing


@pytest.mark.parametrize("scene", ["iiwa_pick.xml", "linkage_gripper.xml", "gripper_mug.xml", "allegro_mug.xml", "quadruped_terrain.xml"])
def test_builders_are_copied(models, scene):
    """The copy makes the same bytes, and changes of it leave the original."""
    builder = hf.Builder.from_file(models / scene)
    made = builder.finish().to_bytes()
    for twin in (builder.copy(), copy.copy(builder), copy.deepcopy(builder)):
        assert twin.finish().to_bytes() == made and twin.world == builder.world
        twin.set_world(timestep=0.0123)
        twin.set_geom(0, friction=(0.123, 0, 0))
        twin.add_body("one more")
        assert twin.finish().to_bytes() != made and builder.finish().to_bytes() == made
    with pytest.raises(TypeError, match="copy"):
        pickle.dumps(builder)


def test_builders_from_text_and_their_names(tmp_path):
    (tmp_path / "fall.xml").write_text(FALL)
    builder = hf.Builder.from_string(FALL)
    assert builder.finish().to_bytes() == hf.Builder.from_file(tmp_path / "fall.xml").finish().to_bytes()
    assert builder.names("body") == ["world", "ball", "cart"] and builder.names("joint") == ["free", "rail"] and builder.names("actuator") == ["push"]
    assert builder.names("key") == builder.names("keyframe") == ["low"]
    builder.add_mesh(np.vstack([np.zeros(3), np.eye(3)]), name="corner")
    builder.add_height_field(np.zeros((2, 2)), (1, 1))
    assert builder.names("mesh") == ["corner"] and builder.names("hfield") == [""]
    assert builder.world["timestep"] == 0.001 and "2 bodies" in repr(builder)
    for call, says in [(lambda: builder.joint("rial"), "there are: free, rail"), (lambda: builder.add_sensor("framepos", "sit", "tip"), 'no kind "sit"'),
                       (lambda: builder.add_sensor("framepos", "site", "top"), "there are: tip"), (lambda: builder.remove("key", "high"), "there are: low")]:
        with pytest.raises(KeyError, match=says):
            call()
    with pytest.raises(ValueError, match="kind must be one of"):
        builder.names("wheel")
    with pytest.raises(hf.ModelError, match="text.xml:1"):
        hf.Builder.from_string("<mujoco><worldbody><geom size='-1'/></worldbody></mujoco>", name="text.xml").finish()
    with pytest.raises(TypeError, match="size: it needs 3 numbers"):
        builder.add_geom("cart", "sphere", size=None)
    with pytest.raises(ValueError, match="size: it needs 3 numbers, got 4"):
        builder.add_geom("cart", "sphere", size=(0.1, 0.1, 0.1, 0.1))


def test_a_builder_calls_objects_as_logs_do():
    builder = hf.Builder.from_string("""<mujoco><worldbody><geom size=".1" contype="0"/><body name="cup"><freejoint/><geom size=".1"/></body>
      <body name="cart"><joint type="slide"/><geom size=".1"/><body><joint type="hinge" name="lid"/><geom size=".1" name="lid"/></body></body>
      <body name="lid"><freejoint/><geom size=".1"/></body></worldbody></mujoco>""")
    model = builder.finish()
    for kind in ("joint", "geom", "body"):
        for i, label in enumerate(model.labels(kind)):
            assert getattr(builder, kind)(label) == getattr(builder, kind)(i)
    assert model.labels("joint") == ["cup", "#1", "lid", "#3"]
    with pytest.raises(KeyError, match='no joint is named "cart"; there are: cup, #1, lid, #3'):
        builder.joint("cart")
    with pytest.raises(KeyError, match="#9"):
        builder.remove("joint", "#9")
    builder.remove("joint", "cup")
    assert builder.names("joint") == ["", "lid", ""] and builder.finish().nq == 1 + 1 + 7


def test_gains_of_servos():
    """Stiffness and damping stand where add_actuator puts them."""
    b = hf.Builder()
    body = b.add_body("link")
    b.add_joint(body, "hinge", "joint", axis=(0, 1, 0))
    b.add_geom(body, "sphere", size=(0.1, 0, 0), mass=1)
    b.add_actuator("joint", "place", kind="position", kp=10, kv=1)
    b.add_actuator("joint", "rate", kind="velocity", kv=3)
    b.add_actuator("joint", "torque")
    b.set_actuator("place", kp=20)
    assert (b.actuator("place")["gainprm"], b.actuator("place")["biasprm"]) == ([20, 0, 0], [0, -20, -1])
    b.set_actuator("place", kv=2, forcerange=(-5, 5))
    assert b.actuator("place")["biasprm"] == [0, -20, -2] and b.actuator("place")["forcelimited"] == 1
    b.set_actuator("rate", kv=4)
    assert (b.actuator("rate")["gainprm"], b.actuator("rate")["biasprm"]) == ([4, 0, 0], [0, 0, -4])
    for name, gains in (("torque", {"kp": 1}), ("torque", {"kv": 1}), ("rate", {"kp": 1}), ("place", {"kp": 1, "gainprm": (1, 0, 0)})):
        with pytest.raises(ValueError, match="servo|kp and kv"):
            b.set_actuator(name, **gains)
    before = [b.actuator(name) for name in ("place", "rate")]
    for wrong in ({"kp": -5}, {"kv": -1}, {"kp": np.nan}, {"kv": np.inf}):
        (gain, value), = wrong.items()
        for call in (lambda: b.set_actuator("place", **wrong), lambda: b.set_actuator("rate", **wrong), lambda: b.add_actuator("joint", kind="position", **wrong),
                     lambda: hf.Builder.from_string("<robot name='r'><link name='a'/></robot>", **wrong)):
            with pytest.raises(ValueError, match=f"^{gain} must be a number >= 0, is {value}$"):
                call()
    assert [b.actuator(name) for name in ("place", "rate")] == before and b.names("actuator") == ["place", "rate", "torque"]
    b.set_actuator("place", gainprm=(-5, 0, 0), biasprm=(0, 5, 0))  # a general affine gain may be negative, as in MuJoCo
    assert b.finish().actuator_gainprm[0, 0] == -5


def test_words_for_numbers():
    """Fields that are enums in C take names; the oracle is the reader of MJCF, which knows these words. What stays is called by its name."""
    text = """<mujoco><worldbody><body name='link'><joint name='joint' axis='0 1 0'/><geom size='.1'/></body></worldbody><actuator>%s</actuator></mujoco>"""
    words = [("filterexact", "affine", "affine"), ("muscle", "affine", "none"), ("integrator", "fixed", "none"), ("filter", "fixed", "affine"), ("none", "affine", "none")]
    given = [f"<general joint='joint' dyntype='{d}' gaintype='{g}' biastype='{b}' dynprm='.1 .1' gainprm='1 2 3' biasprm='0 -1 -1' lengthrange='0 1' actlimited='false'/>"
             for d, g, b in words]
    read, b = hf.Model.from_string(text % "".join(given)), hf.Builder.from_string(text % "")
    for d, g, bias in words:
        b.add_actuator("joint", kind="general", dyntype=d, gaintype=g, biastype=bias, dynprm=(0.1, 0.1, 0), gainprm=(1, 2, 3), biasprm=(0, -1, -1), lengthrange=(0, 1))
    made = b.finish()
    for field in ("dyntype", "gaintype", "biastype", "trntype"):
        assert getattr(made, f"actuator_{field}").tolist() == getattr(read, f"actuator_{field}").tolist()
    b.set_actuator(0, biastype="none")
    assert b.actuator(0)["biastype"] == 0
    b.set_body("link", sleep="never")
    assert b.body("link")["sleep"] == 1
    b.add_body("other")
    b.add_equality("weld", "body", "link", "other", "glue")
    b.set_equality("glue", type="connect", objkind="body")
    assert b.equality("glue")["type"] == 0
    for call, message in ((lambda: b.set_joint("joint", type="slide"), "the type of a joint stays: 'hinge' cannot become 'slide'"),
                          (lambda: b.set_joint("joint", body="other"), "the body of a joint stays: 'link' cannot become 'other'"),
                          (lambda: b.set_body("other", parent="link"), "the parent of a body stays: 'world' cannot become 'link'"),
                          (lambda: b.set_joint("joint", name="knee"), "the name of a joint stays: 'joint' cannot become 'knee'"),
                          (lambda: b.add_actuator("joint", kind="general", dyntype="mussel"), 'dyntype must be one of none, .*, is "mussel"')):
        with pytest.raises(ValueError, match=message):
            call()


def test_attach_at_a_site():
    """A tool at the flange of an arm; the oracle is the pose of the flange, times that of the tool in it."""
    arm, tool = hf.Builder(), hf.Builder()
    link = arm.add_body("link", pos=(0, 0, 0.5))
    arm.add_joint(link, "hinge", "elbow", axis=(0, 1, 0))
    arm.add_geom(link, "capsule", size=(0.05, 0.2, 0), mass=1)
    arm.add_site(link, "flange", pos=(0.1, 0, 0.3), quat=(1, 1, 0, 0))
    body = tool.add_body("tip", pos=(0, 0, 0.2))
    tool.add_geom(body, "sphere", size=(0.01, 0, 0), mass=0.1)
    arm.attach(tool, site="flange", pos=(0.01, 0, 0), prefix="tool/")
    d = hf.Dynamics(arm.finish())
    d.set([0.7])
    p, R = d.site_pose("flange")
    q, S = d.body_pose("tool/tip")
    assert np.allclose(q, p + R @ (0.01, 0, 0.2), atol=1e-15) and np.allclose(S, R, atol=1e-15)
    assert arm.site("flange")["pos"] == [0.1, 0, 0.3] and arm.joint("elbow")["axis"] == [0, 1, 0]
    assert arm.body("tool/tip")["parent"] == link and arm.geom(0)["mass"] == 1
    with pytest.raises(hf.ModelError, match='no site is named "nowhere"'):
        arm.attach(tool, site="nowhere", prefix="second/")
    with pytest.raises(hf.ModelError, match="belongs to body"):
        arm.attach(tool, "tool/tip", site="flange", prefix="second/")


def test_fields_that_do_not_exist(fall):
    """What MuJoCo calls otherwise, or a slip of the pen, is refused instead of acting on nothing."""
    sim = hf.Sim(fall)
    for what, field in ((sim.state, "qpos"), (sim.state, "qvel"), (sim.input, "control"), (sim.input, "ctlr")):
        with pytest.raises(AttributeError, match=f'no field "{field}".*; it has .*{"ctrl" if what is sim.input else "q"}'):
            setattr(what, field, 0)
    batch, params = hf.Batch(fall, 2), hf.Params(fall)
    for read, says in [(lambda: sim.qpos, "it is sim.state.q"), (lambda: sim.contact, r"contacts\(\)"), (lambda: sim.state.qvel, "what MuJoCo calls qvel is v"),
                       (lambda: sim.input.xfrc_applied, "is wrench"), (lambda: batch.qpos, "is q$"), (lambda: fall.bodymass, "perhaps body_mass"),
                       (lambda: fall.geom("box").radius, "it has .*size"), (lambda: params.geom_pos, "with a Builder"),
                       (lambda: params.geom_frictions, "perhaps geom_friction"), (lambda: batch.params.geom_pos, "with a Builder")]:
        with pytest.raises(AttributeError, match=says):
            read()
    for what, value, says in [(batch, np.zeros((3, 8)), r"q has shape \(2, 8\)"), (params, [1, 2], r"body_mass has shape \(3,\)"), (batch, 0, "pose is a result")]:
        with pytest.raises(ValueError, match=says):
            setattr(what, says.split()[0], value)
    with pytest.raises(TypeError, match="to_model"):
        hf.Batch(params, 2)
    for what, names in ((batch, ("q", "ctrl", "worlds")), (params, ("body_mass", "gravity")), (batch.params, ("body_mass", "gravity")), (fall.geom("box"), ("size",))):
        assert set(names) <= set(dir(what))  # completion
    sim.state.time = 3.0
    sim.state.q = fall.qpos0
    sim.step()
    with pytest.raises(ValueError):
        sim.ctrl["push"] = 1  # those of the last step


def test_reset_of_mocap_bodies():
    b = hf.Builder()
    b.add_body("hand", pos=(1, 2, 3), quat=(0, 1, 0, 0), mocap=1)
    b.add_body("other", pos=(4, 5, 6), mocap=1)
    sim = hf.Sim(b.finish())
    sim.input.mocap_pos[:] = 7
    sim.input.mocap_quat[:] = (0, 0, 1, 0)
    sim.reset()
    assert sim.input.mocap_pos.tolist() == [[1, 2, 3], [4, 5, 6]] and sim.input.mocap_quat.tolist() == [[0, 1, 0, 0], [1, 0, 0, 0]]


def test_mesh_from_arrays():
    """A box as a mesh weighs and turns like the box, with its triangles and by its hull alone."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * (0.1, 0.2, 0.3)
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    made = []
    for triangles in (faces, None, "box"):
        b = hf.Builder()
        body = b.add_body("body", pos=(0, 0, 0.29))
        b.add_joint(body, "free")
        if triangles == "box":
            b.add_geom(body, "box", size=(0.1, 0.2, 0.3), density=500)
        else:
            b.add_mesh(corners, triangles, name="block")
            b.add_geom(body, "mesh", mesh="block", density=500)
        b.add_geom(type="plane")
        made.append(b.finish())
    for mesh in made[:2]:
        assert mesh.body_mass[1] == pytest.approx(24, rel=1e-12) and np.allclose(mesh.body_inertia[1], made[2].body_inertia[1], rtol=1e-12, atol=1e-14)
        sim = hf.Sim(mesh)
        sim.step()
        assert len(sim.contacts()) == 4
    for vertices, triangles in ((corners[:, :2], None), (corners[:3], None), (corners, [(0, 1, 8)]), (corners, [(0, 1)]), (corners * np.nan, None)):
        with pytest.raises((ValueError, hf.HoldfastError)):
            hf.Builder().add_mesh(vertices, triangles)


def test_world_values():
    """A world that cannot be is refused by the builder at once, which stays as it was; -1 for the method ended the process."""
    for wrong in ({"method": -1}, {"method": 7}, {"friction": 4}, {"friction_rule": -1}, {"timestep": -1}, {"timestep": np.nan},
                  {"gravity": (0, 0, np.inf)}, {"dissipation": -1}, {"density": np.nan}):
        with pytest.raises(hf.HoldfastError, match="the world's"):
            hf.Builder(**wrong)
        builder = hf.Builder(timestep=0.003)
        with pytest.raises(hf.HoldfastError, match="the world's"):
            builder.set_world(**{"stiffness": 1e5, **wrong})
        assert builder.world == hf.Builder(timestep=0.003).world and builder.finish().world["timestep"] == 0.003
    world = hf.Builder(method="convex", friction="regularised", friction_rule="harmonic").finish().world
    assert (world["method"], world["friction"], world["friction_rule"]) == (1, 0, 1)
    with pytest.raises(ValueError, match="newton"):
        hf.Builder(method="newton")


# Free joints without a name: on a body with a name, on one that is called like another joint, and on one without a name.
NAMELESS = """<mujoco><worldbody><body name='box'><freejoint/><geom size='.1'/></body>
<body name='door' pos='1 0 0'><freejoint/><geom size='.1'/><body pos='0 0 1'><joint name='door'/><geom size='.1' pos='.3 0 0'/></body></body>
<body pos='2 0 0'><freejoint/><geom size='.1'/></body><body pos='3 0 0'><joint type='ball'/><geom size='.1'/></body></worldbody></mujoco>"""


def test_arrays_have_the_names_of_logs(tmp_path):
    """The log, which the library in C writes, is the oracle of the names in Python."""
    model = hf.Model.from_string(NAMELESS)
    sim = hf.Sim(model)
    with sim.record(states=tmp_path / "log.csv"):
        sim.step()
    state, batch = sim.state, hf.Batch(model, 2)
    assert (tmp_path / "log.csv").read_text().splitlines()[0].split(",") == ["time", *(f"q[{c}]" for c in state.q.columns), *(f"v[{c}]" for c in state.v.columns)]
    assert state.q.names == model.labels("joint") == ["box", "#1", "door", "#3", "#4"]
    run = hf.rollout(model, state, np.zeros((2, 3, 0)))
    for array in (state.q, batch.q, run.q, batch.run(steps=1).q):
        assert array.names == state.q.names and np.array_equal(array["box"], np.asarray(array)[..., :7])
        assert np.array_equal(array["#0"], array["box"])  # the number of a joint without a name is understood, too
    assert state.q["door"] == state.q[14] and model.id("joint", "box") == model.id("joint", "#0") == 0 and model.id("joint", "#1") == 1
    with pytest.raises(KeyError, match="there are: box, #1, door, #3, #4"):
        state.q["#2"]  # the door, which has a name


def test_forces_of_a_body_that_sleeps():
    """What the guide says of a block of 1 kg that rests on the floor; the oracle is its weight."""
    model = hf.Model.from_string("""<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='block' pos='0 0 .1'><freejoint/>
<geom type='box' size='.1 .1 .1' mass='1'/><site name='site' type='box' size='.2 .2 .2'/></body></worldbody>
<sensor><touch name='touch' site='site'/><force name='force' site='site'/></sensor></mujoco>""")
    for sleep in (True, False):
        sim = hf.Sim(model, sleep=sleep)
        sim.step(steps=1000)
        assert sim.stats["nsleep"] == sleep
        counted, weight = (0, 9.81) if sleep else (9.81, 0)
        assert sim.pair_force("block").total[2] == pytest.approx(counted, abs=1e-6) and len(sim.contacts()) == (0 if sleep else 4)
        assert sim.sensors["touch"] == pytest.approx(counted, abs=1e-6) and sim.sensors["force"][2] == pytest.approx(weight, abs=1e-6)
        sim.evaluate()
        assert sim.pair_force("block").total[2] == pytest.approx(9.81, abs=1e-6) and len(sim.contacts()) == 4
        assert sim.sensors["touch"] == 0 and sim.acceleration[2] == pytest.approx(-9.81)


def test_files_that_come_with_holdfast(tmp_path, monkeypatch):
    """A file that is not there, but has a namesake among the scenes of the package; the path that the message names can be read."""
    monkeypatch.chdir(tmp_path)
    for read in (hf.Model.from_file, hf.Builder.from_file):
        for path in ("models/pinch.xml", "./models/pinch.xml", "pinch.xml", b"models/pinch.xml"):
            with pytest.raises(hf.FileError, match=r'pinch.xml: No such file or directory; the file .* is hf.models_path\("pinch.xml"\)$'):
                read(path)
        read(hf.models_path("pinch.xml"))
        for path in ("models/pinch.urdf", "/models/pinch.xml", "../pinch.xml", "models", ""):
            with pytest.raises(hf.HoldfastError) as caught:
                read(path)
            assert "models_path" not in str(caught.value)


def test_sensor_between_two_bodies():
    b = hf.Builder()
    for name, x in (("one", 1.0), ("two", 4.0)):
        body = b.add_body(name, pos=(x, 0, 0))
        b.add_geom(body, "sphere", size=(0.1, 0, 0), mass=1, name=name)
    b.add_sensor("framepos", "body", "two", "apart", refkind="body", ref="one")
    b.add_sensor("distance", "geom", "one", "gap", refkind="geom", ref="two", cutoff=10)
    sim = hf.Sim(b.finish())
    sim.evaluate()
    assert sim.sensors["apart"].tolist() == [3, 0, 0] and sim.sensors["gap"] == pytest.approx(2.8)


def test_additions_after_a_keyframe():
    """What is added after a keyframe stands in it at its reference, mocap bodies too."""
    b = hf.Builder()
    hand = b.add_body("hand", mocap=1)
    a = b.add_body("a")
    b.add_joint(a, "hinge", "ja")
    b.add_geom(a, "sphere", size=(0.1, 0, 0), mass=1)
    b.add_key("home", qpos=[0.4], mpos=[(1, 2, 3)], mquat=[(0, 1, 0, 0)])
    ball = b.add_body("ball", pos=(5, 0, 1))
    b.add_joint(ball, "free")
    b.add_geom(ball, "sphere", size=(0.1, 0, 0), mass=1)
    sim = hf.Sim(b.finish())
    sim.reset("home")
    assert sim.state.q.tolist() == [0.4, 5, 0, 1, 1, 0, 0, 0]
    assert sim.input.mocap_pos.tolist() == [[1, 2, 3]] and sim.input.mocap_quat.tolist() == [[0, 1, 0, 0]]
    with pytest.raises(ValueError, match="mpos"):
        b.add_key("short", mpos=[1, 2])
    with pytest.raises(TypeError):
        b.set_body(1.5, pos=(0, 0, 0))
    assert hand == 1


def test_urdf_options(tmp_path):
    """The options of the command for URDF act in Python too, for models and for builders."""
    text = """<robot name="r"><link name="base"/><link name="rod"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
    ixz="0" iyz="0"/></inertial></link><joint name="j" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/></joint></robot>"""
    assert hf.Model.from_string(text).nu == 0
    servo = hf.Model.from_string(text, actuators="position", kp=70, kv=3)
    assert servo.nu == 1 and servo.actuator("j").gainprm[0] == 70 and servo.actuator("j").biasprm[:3].tolist() == [0, -70, -3]
    assert hf.Model.from_string(text, actuators="motor", floating=True).nv == 7
    srdf = tmp_path / "arm.srdf"
    srdf.write_text('<robot name="r"><group_state name="up" group="g"><joint name="j" value="0.5"/></group_state></robot>')
    for path in (srdf, str(srdf), bytes(srdf)):
        assert hf.Model.from_string(text, srdf=path).key("up").qpos == 0.5
    assert hf.Model.from_string(text, srdf=None).nkey == 0
    for wrong, kind in (({"actuators": "servo"}, ValueError), ({"kp": -1}, ValueError), ({"kp": float("nan")}, ValueError), ({"float": 1}, TypeError)):
        with pytest.raises(kind):
            hf.Model.from_string(text, **wrong)


def test_height_field_from_an_array(tmp_path):
    """A ball rests in the hollow of a bowl of heights; the oracle is the geometry: its centre is a radius above the bottom."""
    x, y = np.meshgrid(np.linspace(-1, 1, 41), np.linspace(-0.5, 0.5, 21))
    b = hf.Builder()
    bowl = b.add_height_field(0.3 * (x - 0.2) ** 2 + 0.5 * (y + 0.1) ** 2 - 0.1, half_size=(1, 0.5), base=0.5, name="bowl")
    b.add_geom(type="hfield", hfield="bowl", name="ground", friction=(0, 0, 0))
    ball = b.add_body("ball", pos=(0.25, -0.05, 0.1))
    for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        b.add_joint(ball, "slide", axis=axis, damping=2)
    b.add_geom(ball, "sphere", size=(0.05, 0, 0), mass=1, friction=(0, 0, 0))
    model = b.finish()
    assert (bowl, model.nhfield, model.hfield_ncol[0], model.hfield_nrow[0]) == (0, 1, 41, 21)
    sim = hf.Sim(model)
    sim.step(steps=4000)
    # the hollow is a vertex of the grid; the ball's stiffness is 5e5 N/m
    assert np.asarray(sim.state.q) + (0.25, -0.05, 0.1) == pytest.approx([0.2, -0.1, -0.1 + 0.05], abs=2e-4)
    b.write(tmp_path / "bowl.xml")
    again = hf.Model.from_file(tmp_path / "bowl.xml")
    # MJCF has single precision, and its lowest height is zero
    assert again.hfield_height - 0.1 == pytest.approx(model.hfield_height, abs=1e-7)
    assert again.geom_pos[0] == pytest.approx([0, 0, -0.1], abs=1e-12)
    with pytest.raises(ValueError, match="two dimensions"):
        b.add_height_field(np.zeros(5), half_size=(1, 1))
    with pytest.raises(hf.ModelError, match="at least 2 rows and 2 columns, has 1 and 5"):
        b.add_height_field(np.zeros((1, 5)), half_size=(1, 1))
    with pytest.raises(hf.ModelError, match="row 1, column 0 is not finite"):
        b.add_height_field([[0, 0], [np.nan, 0]], half_size=(1, 1))
    with pytest.raises(hf.ModelError, match="is not above the base"):
        b.add_height_field([[0, 0], [-2, 0]], half_size=(1, 1), base=1)
    with pytest.raises(hf.ModelError, match="half_size must be positive"):
        b.add_height_field(np.zeros((2, 2)), half_size=(0, 1))
    with pytest.raises(hf.ModelError, match="height field 7 does not exist"):
        b.add_geom(type="hfield", hfield=7)


def test_screw(tmp_path):
    """A nut falls along a screw: qdd = -m g p/(I + m p^2), which every step has exactly; written and read again, the screw is the same."""
    b = hf.Builder(timestep=0.001)
    nut = b.add_body("nut", mass=2, inertia=(0.01, 0.01, 0.01, 0, 0, 0), has_inertial=1)
    b.add_joint(nut, "screw", "thread", axis=(0, 0, 1), pitch=0.05)
    sim = hf.Sim(b.finish())
    sim.step(steps=100)
    assert sim.state.v["thread"] == pytest.approx(-0.1 * 2 * 9.81 * 0.05 / (0.01 + 2 * 0.05**2), rel=1e-12)
    b.write(tmp_path / "nut.xml")
    again = hf.Model.from_file(tmp_path / "nut.xml")
    assert (again.jnt_type[0], again.jnt_pitch[0]) == (4, 0.05)


def test_spatial_tendon_over_a_wheel():
    """Two weights on a rope over a wheel: a = g (m2 - m1)/(m2 + m1); the near-rigid rope gives way by 1e-3 of that at most."""
    b = hf.Builder(timestep=0.001)
    b.add_geom(0, "cylinder", "wheel", size=(0.1, 0.02, 0), pos=(0, 0, 1), quat=(0.5 ** 0.5, 0.5 ** 0.5, 0, 0), contype=0, conaffinity=0)
    b.add_site(0, "above", pos=(0, 0, 1.5))
    for name, x, mass in (("right", 0.1, 2.0), ("left", -0.1, 1.0)):
        body = b.add_body(name, pos=(x, 0, 0.5))
        b.add_joint(body, "slide", axis=(0, 0, 1))
        b.add_geom(body, "sphere", size=(0.02, 0, 0), mass=mass)
        b.add_site(body, name)
    b.add_spatial_tendon(["right", ("geom", "wheel", "above"), "left"], "rope", range=(0, 1 + 0.1 * np.pi))
    sim = hf.Sim(b.finish())
    sim.step(steps=100)
    assert sim.state.v == pytest.approx([-0.1 * 9.81 / 3, 0.1 * 9.81 / 3], rel=1e-3)
    with pytest.raises(hf.ModelError, match="between two sites"):
        b.add_spatial_tendon(["right", ("geom", "wheel")])
    with pytest.raises(ValueError, match="pulley"):
        b.add_spatial_tendon([("rope", 1)])


def test_recordings_and_reports(fall, tmp_path):
    sim = hf.Sim(fall, report=True)
    sim.reset("low")
    with sim.record(tmp_path / "run.hfr", contacts=tmp_path / "contacts.csv"):
        sim.step(steps=200)
    recording = hf.Recording(tmp_path / "run.hfr")
    assert len(recording) >= 3 and recording.model.to_bytes() == fall.to_bytes()
    last = recording[-1]
    assert last.poses.shape == (3, 7) and last.time <= 0.2 + 1e-9 and len(last.contacts) == 1
    assert (tmp_path / "contacts.csv").read_text().startswith("time,geom_a")
    report = sim.report("A ball", {"mass": 2})
    assert "A ball" in report.html and "<iframe" in report._repr_html_()
    sim.step(steps=10)
    assert "<html" in sim.report().html.lower()
    with pytest.raises(hf.FileError):
        sim.record(tmp_path / "no" / "such" / "folder")
    with pytest.raises(RuntimeError):
        hf.Sim(fall).report()


def test_a_recording_as_arrays(tmp_path):
    """What a run did, read back: the oracle is the state after every step, in single precision."""
    model = hf.Model.from_string("""<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="cart" pos="0 0 1"><joint name="rail" type="slide"
    axis="1 0 0"/><geom size="0.1" mass="2"/></body><body name="ball" pos="0 1 0.2"><freejoint name="ball"/><geom size="0.1" mass="1"/></body>
    </worldbody><actuator><motor name="push" joint="rail"/></actuator><sensor><jointvel name="speed" joint="rail"/></sensor></mujoco>""")
    sim = hf.Sim(model, step=0.01)
    sim.state.q["rail"] = 0.25
    states = [sim.state.copy()]
    with sim.record(tmp_path / "run.hfr", states=tmp_path / "states.csv", interval=0, actuator_forces=True, sensors=True, bodies=["ball"]):
        for k in range(30):
            sim.input.ctrl["push"] = k
            sim.step()
            states.append(sim.state.copy())
    r = hf.Recording(tmp_path / "run.hfr")
    assert len(r) == 31 and np.array_equal(r.times, [s.time for s in states])  # the start is the first frame
    assert np.array_equal(r.q, np.float32([s.q for s in states])) and np.array_equal(r.v, np.float32([s.v for s in states]))
    assert r.q["rail"][0] == 0.25 and r.q["ball"].shape == (31, 7)
    assert r.ctrl["push"][1:].tolist() == list(range(30)) and np.allclose(r.actuator_force["push"][1:], np.arange(30))
    assert np.array_equal(r.sensors["speed"][1:], r.v["rail"][1:])
    ball = model.id("body", "ball")
    assert r.poses.shape == (31, 3, 7) and np.allclose(r.poses[:, ball], r.q["ball"], atol=1e-6)
    speed = np.array([s.v["rail"] ** 2 * 2 / 2 + s.v["ball"][2] ** 2 / 2 for s in states])
    assert np.allclose(r.kinetic, speed, rtol=1e-9, atol=1e-12) and r.potential.shape == (31,)
    assert ("touch", 0, ball) in [(e.kind, e.body_a, e.body_b) for e in r.events] and r.run["step"] == 0.01 and r.figures == {}
    assert [f.time for f in r[3:6]] == r.times[3:6].tolist() and r[-1].q["rail"] == r.q["rail"][-1]
    for frame in (31, -32):
        with pytest.raises(IndexError, match=f"no frame {frame}: the recording has 31"):
            r[frame]
    with pytest.raises(TypeError):
        r["rail"]
    columns = (tmp_path / "states.csv").read_text().splitlines()[0].split(",")
    assert {"f[push]", "s[speed]", "p[ball.z]"} <= set(columns)


def test_a_refused_file_leaves_nothing_open(fall, tmp_path):
    sim = hf.Sim(fall)
    for wrong in ({"states": tmp_path / "no" / "x.csv"}, {"contacts": tmp_path / "no" / "x.csv"}, {"states": tmp_path / "s.csv", "bodies": ["nobody"]},
                  {"interval": -1}, {"interval": float("nan")}):
        with pytest.raises((hf.HoldfastError, ValueError)):
            sim.record(tmp_path / "run.hfr", **wrong)
    with sim.record(tmp_path / "run.hfr"):
        sim.step(steps=3)
    assert hf.Recording(tmp_path / "run.hfr").times[0] == 0


def test_params_of_one_world(fall):
    params = hf.Params(fall)
    params.body_mass[1] = 5.0
    params.gravity = (0, 0, -2.0)
    params.update()
    sim = hf.Sim(params)
    sim.reset("low")
    sim.step(steps=3000)
    assert sim.contacts()["fn"].sum() == pytest.approx(10.0, rel=1e-6)
    params.body_mass[1] = -1
    with pytest.raises(hf.HoldfastError, match="ball"):
        params.update()
    with pytest.raises(AttributeError):
        params.body_parent


def test_parameters_that_are_not_physical_are_refused(fall):
    """What no builder takes, parameters do not take either; the message has the place as it is written in Python."""
    for name, place, value, says in [
            ("geom_stiffness", 0, 0.0, r"geom_stiffness\[0\] = 0: it must be positive"), ("geom_stiffness", 1, np.inf, "finite"),
            ("geom_friction", (1, 0), np.inf, r"geom_friction\[1, 0\] = inf: it must be finite"), ("geom_friction", (2, 1), -1, r"geom_friction\[2, 1\]"),
            ("geom_restitution", 1, 1.5, "between 0 and 1"), ("jnt_range", 1, (1, -1), r"jnt_range\[1, 0\] = 1: it is above the end"),
            ("actuator_forcerange", 0, (2, 1), "above the end"), ("actuator_gainprm", (0, 0), np.inf, "finite"), ("dof_damping", 6, np.nan, "dof_damping.6. = -?nan"), ("jnt_range", (1, 0), np.nan, "number"),
            ("body_com", (1, 2), -np.inf, "finite")]:
        params = hf.Params(fall)
        getattr(params, name)[place] = value
        with pytest.raises((hf.ModelError, hf.NonFiniteError), match=says):
            params.update()
        assert hf.Sim(params).step() == 0  # with the old values
    params = hf.Params(fall)
    params.jnt_range[1] = (-np.inf, np.inf)
    params.geom_stiffness[:] = -1  # the world's default
    params.update()


def sim_that_touches(model):
    """A sim at the first step with a contact, or after 10 s."""
    sim = hf.Sim(model)
    sim.step()
    while len(sim.contacts()) == 0 and sim.state.time < 10:
        sim.step()
    return sim


def test_contacts_as_columns(fall):
    """Tables want columns of one dimension: pandas and polars refuse fields that are vectors."""
    sim = sim_that_touches(fall)
    for c in (sim.contacts(), sim.contacts()[:0]):
        table = hf.columns(c)
        assert all(column.shape == (len(c),) for column in table.values()) and list(table)[0] == c.dtype.names[0]
        assert (np.stack([table[f"p_W.{k}"] for k in "xyz"], axis=1) == c["p_W"]).all() and (table["fn"] == c["fn"]).all()
    assert len(sim.contacts()) > 0
    reports = hf.Batch(fall, 3).reports
    assert all(column.shape == (3,) for column in hf.columns(reports).values())
    for wrong in (sim.state.q, sim.contacts()[0], sim.contacts().reshape(1, -1), [1, 2]):
        with pytest.raises(TypeError, match="structured array"):
            hf.columns(wrong)


def test_contacts_as_a_table_of_pandas(fall):
    pandas = pytest.importorskip("pandas")
    sim = sim_that_touches(fall)
    assert pandas.DataFrame(hf.columns(sim.contacts()))["n_W.z"].tolist() == sim.contacts()["n_W"][:, 2].tolist()


def test_contacts_are_saved_by_numpy(fall, tmp_path):
    sim = hf.Sim(fall)
    sim.reset("low")
    with sim.record(tmp_path / "run.hfr", interval=0):
        sim.step(steps=2)
    for contacts in (sim.contacts(), hf.Recording(tmp_path / "run.hfr")[-1].contacts):
        assert len(contacts) == 1
        np.save(tmp_path / "contacts.npy", contacts)
        assert np.array_equal(np.load(tmp_path / "contacts.npy"), contacts)


def test_the_lock_is_released(models):
    """While one thread steps, another counts: with the lock held it could not."""
    sim = hf.Sim(hf.Model.from_file(models / "allegro_mug_gravity.xml"))
    sim.reset("grasp")
    ticks, done = 0, threading.Event()

    def work():
        sim.step(steps=50000)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        ticks += 1
    thread.join()
    assert ticks > 1000


REMOVED = {  # what is removed: the elements that go with it
    ("body", "extra"): {"extra", "tip", "extra joint", "extra geom", "extra site", "extra tendon", "extra equality", "extra pair", "extra motor", "extra sensor", "motor sensor", "eye"},
    ("joint", "extra joint"): {"extra joint", "extra tendon", "extra equality", "extra motor", "extra sensor", "motor sensor"},
    ("geom", "extra geom"): {"extra geom", "extra pair"},
    ("site", "extra site"): {"extra site"},
    ("camera", "eye"): {"eye"},
    ("tendon", "extra tendon"): {"extra tendon"},
    ("equality", "extra equality"): {"extra equality"},
    ("pair", "extra pair"): {"extra pair"},
    ("actuator", "extra motor"): {"extra motor", "motor sensor"},
    ("sensor", "extra sensor"): {"extra sensor"},
    ("key", "k"): {"k"},
}


def removal_scene(without):
    """A pendulum with an arm beside it, without some of its elements; the file that a removal must equal."""
    def some(name, text):
        return "" if name in without else text.replace("NAME", f"name='{name}'")
    joint = some("extra joint", "<joint NAME ref='0.3'/>")
    tip = some("tip", "<body NAME pos='0 0 1'><geom size='.1' type='box'/></body>".replace("size='.1'", "size='.1 .2 .3'"))
    extra = some("extra", f"<body NAME pos='1 0 0'>{joint}<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>{some('extra geom', '<geom NAME size=`.2`/>').replace('`', chr(39))}"
                          f"{some('extra site', '<site NAME/>')}{some('eye', '<camera NAME/>')}{tip}</body>")
    q, v = ("0.5 0.25", "1 2") if joint and extra else ("0.5", "1")
    u = "3 4" if "extra motor" not in without else "3"
    return (f"<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='a'><joint name='ja'/><geom name='ga' size='.1'/></body>{extra}</worldbody>"
            f"<contact>{some('extra pair', '<pair NAME geom1=`ga` geom2=`extra geom`/>')}</contact><tendon>{some('extra tendon', '<fixed NAME><joint joint=`ja` coef=`1`/><joint joint=`extra joint` coef=`2`/></fixed>')}</tendon>"
            f"<equality>{some('extra equality', '<joint NAME joint1=`extra joint` joint2=`ja`/>')}</equality>"
            f"<actuator><motor name='m' joint='ja'/>{some('extra motor', '<position NAME joint=`extra joint` kp=`3`/>')}</actuator>"
            f"<sensor>{some('extra sensor', '<jointpos NAME joint=`extra joint`/>')}{some('motor sensor', '<actuatorfrc NAME actuator=`extra motor`/>')}<jointvel name='s' joint='ja'/></sensor>"
            f"<keyframe>{some('k', f'<key NAME qpos=`{q}` qvel=`{v}` ctrl=`{u}`/>')}</keyframe></mujoco>").replace("`", "'")


def test_removal_leaves_what_the_file_without_it_has(tmp_path):
    (tmp_path / "whole.xml").write_text(removal_scene(()))
    for (kind, name), gone in REMOVED.items():
        builder = hf.Builder.from_file(tmp_path / "whole.xml")
        builder.remove(kind, name)
        same_fields(builder.finish(), hf.Model.from_string(removal_scene(gone)))
        with pytest.raises(KeyError, match=f'no {"keyframe" if kind == "key" else kind} is named "{name}"'):
            builder.remove(kind, name)
    builder.add_key(name, qpos=np.ones(2))  # the name is free again, and the builder goes on
    assert builder.finish().nkey == 1


def test_removals_that_are_refused_change_nothing(tmp_path):
    (tmp_path / "whole.xml").write_text(removal_scene(()))
    builder = hf.Builder.from_file(tmp_path / "whole.xml")
    before = builder.finish()
    for kind, name, kind_of_error in (("body", "world", hf.ArgumentError), ("body", 99, hf.ArgumentError), ("joint", -1, hf.ArgumentError), ("inertial frame", 1, ValueError), ("leg", 1, ValueError)):
        with pytest.raises(kind_of_error):
            builder.remove(kind, name)
    same_fields(builder.finish(), before)
    motor = builder.add_actuator("ja", "dc", kind="dcmotor", motor={"resistance": 2, "constant": 0.05}, inputs=("pos", "voltage"))
    builder.add_actuator("ja", "behind")
    builder.remove("actuator", motor + 1)  # its second input: the motor goes with it
    assert builder.finish().names("actuator") == ["m", "extra motor", "behind"]
    builder.add_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], name="unused")
    builder.remove("actuator", "behind")
    builder.add_geom("a", "mesh", mesh="unused")  # a mesh that no geom used yet stayed


def test_tendons_sensors_and_pairs_change(tmp_path):
    (tmp_path / "whole.xml").write_text(removal_scene(()))
    builder = hf.Builder.from_file(tmp_path / "whole.xml")
    builder.set_tendon("extra tendon", stiffness=5, range=(-1, 2))
    builder.set_sensor("s", type="jointpos", kind="joint", obj="extra joint", cutoff=0.5)
    builder.set_pair("extra pair", geom1="floor", condim=4)
    assert builder.tendon("extra tendon")["stiffness"] == 5 and builder.pair("extra pair")["condim"] == 4 and builder.sensor("s")["cutoff"] == 0.5
    text = removal_scene(()).replace("<fixed name='extra tendon'>", "<fixed name='extra tendon' stiffness='5' range='-1 2'>")
    text = text.replace("<jointvel name='s' joint='ja'/>", "<jointpos name='s' joint='extra joint' cutoff='0.5'/>").replace("geom1='ga'", "geom1='floor' condim='4'")
    same_fields(builder.finish(), hf.Model.from_string(text))
    for call in (lambda: builder.set_tendon("extra tendon", stiffness=-1), lambda: builder.set_sensor("s", noise=-1), lambda: builder.set_pair("extra pair", geom2="floor")):
        with pytest.raises(hf.ModelError):
            call()
    with pytest.raises(ValueError, match="kind must say"):
        builder.set_sensor("s", obj="ja")
    with pytest.raises(ValueError, match="the name of a tendon stays"):
        builder.set_tendon("extra tendon", name="other")
    same_fields(builder.finish(), hf.Model.from_string(text))
