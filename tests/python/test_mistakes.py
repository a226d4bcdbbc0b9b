"""Mistakes of people who come from other simulators: each is answered by a text that says what, where and what to do."""

import os
import re
import subprocess
import warnings

import numpy as np
import pytest

import holdfast as hf
from conftest import FALL

COMMAND = os.environ["HOLDFAST_COMMAND"]

POINT = "<mujoco><worldbody><body name='a'><joint/><geoms size='.1'/></body></worldbody></mujoco>"
SUNK = "<mujoco><worldbody><geom name='f' type='plane' size='1 1 1'/><body name='box' pos='0 0 .05'><freejoint/><geom size='.1'/></body></worldbody>{}</mujoco>"


class FakeMujocoModel:
    """What tells an mjModel: the package mujoco is not needed for the refusal."""

    jnt_qposadr = nbody = 0


def set_friction(model):
    model.geom_friction[0, 0] = 0.5


def set_row(model):
    model.geom_friction[0][0] = 0.5


def scale_masses(model):
    masses = model.body_mass
    masses *= 2


# call, exception, texts that say what is wrong and what to do
REFUSED = [
    (lambda m: setattr(m, "opt", 1), AttributeError, "a model never changes: opt .* Params .* Builder"),
    (set_friction, ValueError, "a model never changes.*hf.Params.*Builder"),
    (set_row, ValueError, "a model never changes.*hf.Params.*Builder"),
    (scale_masses, ValueError, "a model never changes.*hf.Params.*Builder"),
    (lambda m: np.add(m.body_mass, 1, out=m.body_mass), ValueError, "a model never changes"),
    (lambda m: hf.Sim("file.xml"), TypeError, r"a Model is needed, not str; read the file first: hf.Sim\(hf.Model.from_file\('file.xml'\)\)"),
    (lambda m: hf.Batch("file.xml", 2), TypeError, "hf.Batch.hf.Model.from_file"),
    (lambda m: hf.State("file.xml"), TypeError, "hf.State.hf.Model.from_file"),
    (lambda m: hf.Params("file.xml"), TypeError, "hf.Params.hf.Model.from_file"),
    (lambda m: hf.Dynamics("file.xml"), TypeError, "hf.Dynamics.hf.Model.from_file"),
    (lambda m: hf.Sim(FakeMujocoModel()), TypeError, r"hf.Sim\(hf.from_mujoco\(model\)\)"),
    (lambda m: hf.Sim(hf.Builder()), TypeError, r"hf.Sim\(builder.finish\(\)\)"),
    (lambda m: hf.viewer, AttributeError, 'has no "viewer"; holdfast view FILE'),
    (lambda m: hf.MjModel, AttributeError, "it is hf.Model"),
    (lambda m: hf.Modle, AttributeError, "perhaps Model"),
    (lambda m: hf.Model.from_xml_path, AttributeError, r'has no "from_xml_path"; it is Model.from_file\(PATH\)'),
    (lambda m: hf.Model.from_xml_string, AttributeError, "Model.from_string"),
    (lambda m: hf.Model.from_fil, AttributeError, "perhaps from_file"),
    (lambda m: hf.load("run.rec"), ValueError, r"hf.Recording\('run.rec'\)"),
    (lambda m: hf.Input(m).ctrl.__setitem__(slice(None), np.zeros(7)), ValueError, r"shape \(7,\) does not fit the shape \(1,\).*its columns are push"),
    (lambda m: hf.Sim(m).step(hf.State(hf.Model.from_string(SUNK.format(""), name="other.xml"))), hf.ArgumentError, r"another model, other.xml \(1 bodies, nq 7.*than the sim, <string> \(2 bodies, nq 8"),
    (lambda m: hf.Model.from_string(SUNK.format("")).sensor("force"), KeyError, 'no sensor is named "force": the model has no sensors'),
    (lambda m: m.camera("front"), KeyError, 'no camera is named "front": the model has no cameras'),
    (lambda m: m.equality("weld"), KeyError, "the model has no equalities"),
    (lambda m: hf.Sim(m).report(), RuntimeError, r"hf.Sim\(model, report=True\)"),
    (lambda m: hf.Sim(m).step(5, steps=3), TypeError, "given twice, 5 and 3"),
    (lambda m: hf.Builder().attach(m), TypeError, "hf.Builder.from_file"),
    (lambda m: hf.Builder().add_geom(rgba=(255, 0, 0)), ValueError, "rgba has numbers from 0 to 1.*divide by 255"),
    (lambda m: hf.Builder().add_body("a", euler=(0, 0, 1), quat=(1, 0, 0, 0)), ValueError, "by quat or by euler"),
    (lambda m: hf.Builder().add_actuator("position", name="a"), KeyError, 'no joint is named "position"'),
    (lambda m: hf.Builder().add_joint(0, "prismatic"), ValueError, "perhaps slide"),
    (lambda m: hf.Builder().add_joint(0, "revolute"), ValueError, "perhaps hinge"),
    (lambda m: hf.Builder().add_geom(0, "cylindr"), ValueError, "perhaps cylinder"),
    (lambda m: hf.Builder().add_actuator(), ValueError, "give one of joint, tendon"),
]


@pytest.mark.parametrize("call, kind, says", REFUSED, ids=range(len(REFUSED)))
def test_refusal_says_the_way_out(fall, call, kind, says):
    with pytest.raises(kind, match=says):
        call(fall)


# what other simulators call so, names with slips, numbers in the wrong form: an expression, its exception, the way out
KNOWN = [
    ("hf.State(m).qpos", AttributeError, "what MuJoCo calls qpos is q"),
    ("setattr(hf.State(m), 'qpos', 1)", AttributeError, "what MuJoCo calls qpos is q"),
    ("hf.Sim(m).data", AttributeError, "it is sim.state"),
    ("hf.Sim(m).contact", AttributeError, r"it is sim.contacts\(\)"),
    ("hf.Sim(m).xpos", AttributeError, "it is sim.poses"),
    ("m.opt", AttributeError, "what MuJoCo calls opt is world"),
    ("m.body_mas", AttributeError, "perhaps body_mass"),
    ("hf.Sim(m).step(steps='100')", TypeError, "a whole number, not '100'"),
    ("hf.Sim(m, stepp=1)", hf.ArgumentError, "perhaps step"),
    ("hf.Sim(m, timestep=.001)", hf.ArgumentError, "perhaps step"),
    ("hf.Sim(m, method='tams')", hf.ArgumentError, '"tams" is not a value; known: tamsi'),
    ("hf.Sim(m, step=-1)", hf.ArgumentError, "step = -1: allowed is"),
    ("hf.State(m).q['cartt']", KeyError, 'no joint is named "cartt"; there are: free, rail'),
    ("hf.Input(m).ctrl['grip']", KeyError, 'no actuator is named "grip"; there are: push'),
    ("m.joint('mugg')", KeyError, 'no joint is named "mugg"; there are: free, rail'),
    ("hf.Sim(m).reset('hgh')", KeyError, 'no key is named "hgh"; there are: low'),
    ("hf.Sim(m).pair_force('a')", KeyError, 'no body is named "a"; there are: world, ball, cart'),
    ("hf.Sim(m).pose('cart')", RuntimeError, r"call step\(\) or evaluate\(\) first"),
    ("setattr(hf.Sim(m), 'ctrl', 1)", AttributeError, "set sim.input.ctrl"),
    ("hf.Sim(m).record('a.csv')", ValueError, "a recording, which ends in .rec or .hfr"),
    ("hf.Batch(m, 2).qpos", AttributeError, "what MuJoCo calls qpos is q"),
    ("hf.Batch(m, 2).run(np.zeros((3, 7)))", ValueError, r"controls must have shape \(steps, 1\)"),
    ("hf.rollout(m, hf.State(m), np.zeros((3, 7)))", ValueError, r"controls must have shape \(steps, 1\)"),
    ("hf.Batch(m, 2).params.geom_type", AttributeError, "change it with a Builder"),
    ("hf.Params(m).geom_type", AttributeError, "change it with a Builder"),
    ("hf.Model()", TypeError, r"Model.from_file\(path\)"),
    ("hf.Model.from_file('a.xml', actuator='position')", TypeError, "there are: search, actuators"),
    ("hf.load('nowhere.xml')", hf.FileError, "cannot read nowhere.xml: No such file"),
    ("hf.load('models/pinch.xml')", hf.FileError, 'hf.models_path."pinch.xml"'),
    ("hf.Builder().add_mesh(np.zeros((4, 3)), np.array([[1, 2, 4]]))", ValueError, "triangles name vertices 1 to 4; there are 4"),
    ("hf.Builder().add_geom(tpye='box')", TypeError, 'no option "tpye"; it has name, body, type'),
    ("hf.Builder().add_geom(type='box', size=(1, 2, 3, 4))", ValueError, "size: it needs 3 numbers, got 4"),
    ("hf.Builder().compile()", AttributeError, r"it is finish\(\)"),
    ("hf.Builder().worldbody", AttributeError, 'it is body."world"'),
    ("hf.Builder().add_sensor('jointposs')", ValueError, "perhaps jointpos"),
    ("hf.Builder().add_equality('weldd', 'body', 'a')", ValueError, "perhaps weld"),
    ("hf.Builder().add_joint('x')", KeyError, 'no body is named "x"; there are: world'),
    ("hf.Builder().add_body(position=(0, 0, 1))", TypeError, 'no option "position"; it has name, parent, pos'),
]


@pytest.mark.parametrize("expression, kind, says", KNOWN, ids=[row[0] for row in KNOWN])
def test_known_mistake(fall, tmp_path, monkeypatch, expression, kind, says):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=says):
        eval(expression, {"hf": hf, "np": np, "m": fall})


def test_the_reader_is_heard_when_it_refuses():
    """The element that nobody knows is the reason why the joint moves nothing: the warning comes with the refusal."""
    with pytest.raises(hf.ModelError, match="(?s)moves no inertia.*the reader had said before:.*<string>:1: warning: <geoms>: unknown element") as caught:
        hf.Model.from_string(POINT)
    assert [type(d) for d in caught.value.diagnostics] == [hf.Diagnostic] and caught.value.diagnostics[0].line == 1
    with pytest.raises(hf.ModelError, match="hing") as caught:
        hf.Builder.from_string(POINT.replace("<joint/>", "<joint type='hing'/>"))
    assert all(isinstance(d, hf.Diagnostic) for d in caught.value.diagnostics)
    with pytest.raises(hf.FileError) as caught:
        hf.load("missing.xml")
    assert caught.value.diagnostics == []


def test_mass_without_inertia():
    """The message does not ask for the mass that was given."""
    b = hf.Builder()
    b.add_joint(b.add_body("a", mass=1), "hinge")
    with pytest.raises(hf.ModelError, match=r'body "a".*it has a mass at a point and no inertia: give add_body\(\'a\', ...\) inertia='):
        b.finish()


# ---- warnings ---------------------------------------------------------------------------------------


def heard(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [w for w in caught if issubclass(w.category, hf.HoldfastWarning)]


def test_bodies_that_overlap_at_the_start():
    """As the command: at the first step of the reference, with the bodies, the depth and the way out; from this line."""
    model = hf.Model.from_string(SUNK.format(""))
    sim = hf.Sim(model)
    (warning,) = heard(lambda: sim.step(3))
    assert re.search(r"world and box by 0.05 m; .*exclude", str(warning.message)) and warning.filename == __file__
    assert sim.state.time == pytest.approx(3 * sim.step_size, rel=1e-12)  # sums of three numbers
    assert not heard(sim.step)

    with_key = hf.Model.from_string(SUNK.format("<keyframe><key name='home' qpos='0 0 .1 1 0 0 0'/></keyframe>"))
    assert 'sim.reset("home")' in str(heard(hf.Sim(with_key).step)[0].message)
    chosen = hf.Sim(with_key)
    chosen.reset("home")
    assert not heard(chosen.step)


def test_the_first_step_alone_changes_no_bit():
    """The steps that the warning takes apart end in the bits of a sim that has stepped before."""
    model = hf.Model.from_string(SUNK.format(""))
    first, other = hf.Sim(model), hf.Sim(model)
    other.step(hf.State(model))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first.step(50)
    other.step(50)
    assert first.state.to_bytes() == other.state.to_bytes()


def test_parameters_without_update(fall):
    params = hf.Params(fall)
    params.geom_friction[:, 0] = 0.4
    sim = hf.Sim(params)
    (warning,) = heard(sim.step)
    assert "geom_friction was written and does not act: params.update()" in str(warning.message)
    assert not heard(sim.step)  # once
    params.update()
    assert not heard(sim.step)
    params.geom_friction[:, 0] = 0.5
    assert heard(sim.step)

    batch = hf.Batch(fall, 2)
    batch.params.geom_friction[1] = 0.4
    assert "batch.params.update()" in str(heard(batch.step)[0].message)
    batch.params.geom_friction[1] = 0.3
    batch.params.update()
    assert not heard(batch.step) and not heard(lambda: batch.run(steps=2))


def test_a_mesh_in_millimetres():
    b = hf.Builder()
    body = b.add_body("cup")
    b.add_joint(body, "free")
    corners = 40.0 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    b.add_geom(body, "mesh", mesh=b.add_mesh(corners, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])))
    assert any("millimetres" in str(w.message) for w in heard(b.finish))


def test_units_that_are_not_si(fall):
    assert "1200 kg/m^3" in str(heard(lambda: hf.Builder().add_geom(size=0.1, density=1.2))[0].message)
    assert not heard(lambda: hf.Builder().add_geom(size=0.1, density=1200))
    assert "a step of 1 s is long" in str(heard(lambda: hf.Sim(fall, step=1.0))[0].message)
    assert not heard(lambda: hf.Sim(fall))


# ---- the command ------------------------------------------------------------------------------------


@pytest.mark.parametrize("call, says", [
    ("run --duration 3 a.xml", "there is no option --duration; perhaps --time"), ("run -t 3 a.xml", "there is no option -t; perhaps --time"),
    ("run --keyfrme a.xml", "perhaps --keyframe"), ("info --jsn a.xml", "perhaps --json"), ("run --frobnicate a.xml", "unrecognized option '--frobnicate'"),
    ("simulate a.xml", 'there is no verb "simulate"; perhaps run'), ("rn a.xml", "perhaps run"), ("fly a.xml", "holdfast --help lists them"),
])
def test_words_that_the_command_has_not(call, says):
    done = subprocess.run([COMMAND, *call.split()], capture_output=True, text=True)
    assert done.returncode == 2 and says in done.stderr
    assert "perhaps" in says or "perhaps" not in done.stderr


@pytest.mark.parametrize("name, content", [("mug.stl", b"solid mug\nendsolid mug\n"), ("mug.STL", b"\0" * 84), ("mug.obj", b"v 0 0 0\n"), ("mug.stl", b"")])
def test_a_mesh_is_no_model(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    says = f'{name}.*: this is a mesh and no model.*<mesh name="m" file=".*{name}"/>.*<geom type="mesh" mesh="m"/>'
    done = subprocess.run([COMMAND, "run", tmp_path / name], capture_output=True, text=True)
    assert done.returncode != 0 and re.search(says, done.stderr), done.stderr
    with pytest.raises(hf.ModelError, match=says):
        hf.load(tmp_path / name)


# ---- what is accepted -------------------------------------------------------------------------------


def test_fields_of_a_model_compute_as_arrays(fall):
    assert type(fall.body_mass * 2) is np.ndarray and type(fall.body_mass.copy()) is np.ndarray
    assert type(fall.geom_friction[0] + 1) is np.ndarray and repr(fall.body_mass).startswith("array(")
    copy = fall.body_mass.copy()
    copy[0] = 3
    assert copy[0] == 3 and fall.body_mass[0] == 0


def test_steps_by_position(fall):
    one, other = hf.Sim(fall), hf.Sim(fall)
    one.step(100)
    other.step(steps=100)
    assert one.state.to_bytes() == other.state.to_bytes()
    assert hf.load(hf.models_path("pinch.xml")).nq == hf.Model.from_file(hf.models_path("pinch.xml")).nq


def test_fields_as_short_as_in_mjcf():
    """A geom of the builder is that of the same words in MJCF."""
    b = hf.Builder()
    body = b.add_body("a", euler=(0.1, 0.2, 0.3))
    b.add_joint(body, "free")
    b.add_geom(body, "cylinder", size=(0.1, 0.2), friction=0.5, rgba=(1, 0, 0))
    b.add_geom(body, "sphere", size=0.1, friction=(0.5, 0.01))
    ours = b.finish()
    theirs = hf.Model.from_string("""<mujoco><compiler angle='radian'/><worldbody><body name='a' euler='.1 .2 .3'><freejoint/>
<geom type='cylinder' size='.1 .2' friction='.5' rgba='1 0 0 1'/><geom size='.1' friction='.5 .01'/></body></worldbody></mujoco>""")
    for name in ("geom_size", "geom_friction", "geom_rgba", "body_mass"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert np.allclose(ours.body_quat, theirs.body_quat, rtol=0, atol=1e-15)  # a few roundings of sines


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def test_meshes_from_files_and_objects(tmp_path):
    """A file, an object with vertices and faces, and arrays give the same mesh. Its volume is 1/6 m^3."""
    (tmp_path / "cone.obj").write_text(TETRAHEDRON)

    class Trimesh:
        vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
        faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])

    b = hf.Builder()
    for mesh, side in ((b.add_mesh(tmp_path / "cone.obj"), 1), (b.add_mesh(tmp_path / "cone.obj"), 1), (b.add_mesh(Trimesh()), 1),
                       (b.add_mesh(Trimesh.vertices, Trimesh.faces), 1), (b.add_mesh(tmp_path / "cone.obj", scale=0.1, name="small"), 0.1)):
        body = b.add_body()
        b.add_joint(body, "free")
        b.add_geom(body, "mesh", mesh=mesh, density=6)
        assert b.finish().body_mass[body] == pytest.approx(side**3, rel=1e-6)  # files may have single precision
    assert b.names("mesh")[:2] == ["cone", "cone-0"] and "small" in b.names("mesh")
    with pytest.raises(hf.FileError, match="nowhere.stl"):
        b.add_mesh("nowhere.stl")


def test_attach_a_file_and_actuators_by_kind(tmp_path):
    (tmp_path / "fall.xml").write_text(FALL)
    b = hf.Builder()
    b.attach(tmp_path / "fall.xml", pos=(0, 0, 1), euler=(0, 0, np.pi / 2), prefix="a/")
    assert "a/cart" in b.names("body")
    b.add_actuator("position", joint="a/rail", kp=20, name="servo")
    b.add_actuator("a/rail", kind="position", kp=20, name="same")
    model = b.finish()
    servo, same = model.actuator("servo"), model.actuator("same")
    assert servo.gainprm[0] == 20 and np.array_equal(servo.biasprm, same.biasprm)


def test_quaternions():
    """Against matrices: products, and the turns of MJCF and URDF."""
    rng = np.random.default_rng(1)
    a, b = hf.quat.normalise(rng.normal(size=(2, 50, 4)))
    v = rng.normal(size=(50, 3))
    close = dict(rtol=0, atol=1e-13)  # tens of roundings of numbers near 1
    A, B = hf.quat.to_matrix(a), hf.quat.to_matrix(b)
    assert np.allclose(hf.quat.to_matrix(hf.quat.multiply(a, b)), A @ B, **close)
    assert np.allclose(hf.quat.rotate(a, v), (A @ v[..., None])[..., 0], **close)
    assert np.allclose(hf.quat.to_matrix(hf.quat.conjugate(a)), A.swapaxes(-1, -2), **close)
    assert np.allclose(np.cos(hf.quat.angle(a, b)), (np.trace(A @ B.swapaxes(-1, -2), axis1=-2, axis2=-1) - 1) / 2, **close)
    assert np.allclose(hf.quat.to_matrix(hf.quat.from_rotation_vector(hf.quat.to_rotation_vector(a))), A, **close)
    assert np.allclose(hf.quat.rotate(hf.quat.between(v, v[::-1]), v) / np.linalg.norm(v, axis=1)[:, None], v[::-1] / np.linalg.norm(v[::-1], axis=1)[:, None], **close)
    x, y, z = (lambda t, k=k: hf.quat.to_matrix(hf.quat.from_axis_angle(np.eye(3)[k], t)) for k in range(3))
    assert np.allclose(hf.quat.to_matrix(hf.quat.from_euler((0.1, 0.2, 0.3))), x(0.1) @ y(0.2) @ z(0.3), **close)
    assert np.allclose(hf.quat.to_matrix(hf.quat.from_euler((0.1, 0.2, 0.3), "XYZ")), z(0.3) @ y(0.2) @ x(0.1), **close)
    assert np.allclose(z(0.3)[:2, :2], [[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]], **close)
    assert np.allclose(hf.quat.rotate(hf.quat.between((0, 0, 1), (0, 0, -1)), (0, 0, 1)), (0, 0, -1), **close)
    with pytest.raises(ValueError, match="shape"):
        hf.quat.multiply((1, 0, 0), (1, 0, 0, 0))


def test_forces_of_pairs_in_all_worlds():
    """Each world's forces are those of a sim that does the same."""
    model = hf.Model.from_file(hf.models_path("pinch.xml"))
    batch, sim = hf.Batch(model, 3), hf.Sim(model)
    batch.ctrl[:] = 0  # from now on controls of keyframes act
    batch.reset(key=0)
    sim.reset(0)
    batch.step(30)
    sim.step(30)
    bodies = model.labels("body")
    touched = 0
    for a, b in [(a, b) for a in bodies for b in (*bodies, None) if a != b]:
        one, all_of_them = sim.pair_force(a, b), batch.pair_force(a, b)
        touched += one.contacts
        assert (all_of_them.contacts == one.contacts).all()
        assert np.allclose(all_of_them.normal, one.normal, rtol=1e-12, atol=1e-12)  # sums in another order
        assert np.allclose(all_of_them.total, one.total, rtol=1e-12, atol=1e-12)
    assert touched
    few = hf.Batch(model, 1, max_contacts=1)
    few.ctrl[:] = 0
    few.reset(key=0)
    few.step(30)
    assert few.reports["ncontact"][0] > 1
    with pytest.raises(RuntimeError, match="larger max_contacts"):
        few.pair_force(bodies[0])


def test_tables_of_contacts(tmp_path):
    """Rows have times and names, and numbers of the contacts that they are made of."""
    model = hf.Model.from_file(hf.models_path("pinch.xml"))
    sim = hf.Sim(model)
    sim.reset(0)
    with sim.record(tmp_path / "run.rec", interval=0):
        sim.step(20)
    now = sim.contacts_table()
    contacts = sim.contacts()
    assert len(contacts) and np.array_equal(now["fn"], contacts["fn"]) and (now["time"] == sim.state.time).all()
    assert list(now["body_a"]) == [model.labels("body")[b] for b in contacts["body_a"]]

    recording = hf.Recording(tmp_path / "run.rec")
    table = recording.contacts_table()
    assert len({len(column) for column in table.values()}) == 1 and set(table["time"]) <= set(recording.times)
    last = table["time"] == recording.times[-1]
    assert list(table["body_a"][last]) == list(now["body_a"]) and np.allclose(table["fn"][last], now["fn"], rtol=1e-6)  # single precision
