"""Models and states of MuJoCo, stepped here; compared with MuJoCo itself and with our own reading of the same files."""

import numpy as np
import pytest

import holdfast as hf

mujoco = pytest.importorskip("mujoco")

SCENES = ["pinch.xml", "gripper_mug.xml", "allegro_mug_gravity.xml", "iiwa_pick.xml", "peg_in_hole.xml", "quadruped.xml", "stack.xml",
          "lift_shake_turn.xml", "wsg50.xml"]


def test_data_of_another_model(models):
    one = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
    data, model = mujoco.MjData(one), hf.Model.from_file(models / "gripper_mug.xml")
    state = hf.State(model)
    state.time = 3.0
    before = state.to_bytes()
    for refused in (lambda: hf.state_from_mujoco(model, data), lambda: hf.state_from_mujoco(model, data, state), lambda: hf.state_to_mujoco(state, data),
                    lambda: hf.state_from_mujoco(hf.from_mujoco(one), data, state)):
        with pytest.raises(ValueError, match="nq 1 and nv 1, the model 9 and 8"):
            refused()
    assert state.to_bytes() == before and data.time == 0


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


@pytest.mark.parametrize("scene", ["gripper_mug.xml", "stack.xml", "iiwa_pick.xml", "three_finger_pinch.xml"])
def test_a_model_has_the_names_of_its_file(models, scene):
    """Also of what has no name: a free joint is called like its body, and a geom "#3"."""
    direct, over = hf.Model.from_file(models / scene), hf.from_mujoco(mujoco.MjModel.from_xml_path(str(models / scene)))
    for kind in ("body", "joint", "geom", "site", "camera", "actuator", "sensor", "tendon", "key"):
        assert over.labels(kind) == direct.labels(kind), kind


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


# A block with a dent that is not watertight, so that each rule of inertia finds another centre of mass.
DENTED = """<mesh name="{0}" inertia="{0}" vertex="-.1 -.1 0 .1 -.1 0 -.1 .1 0 .1 .1 0 -.1 -.1 .3 .1 -.1 .2 -.1 .1 .2 .1 .1 .2 .03 .02 .05"
face="0 2 1 1 2 3 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5 4 5 8 5 7 8 7 6 8"/>"""


def test_frames_of_meshes():
    """The frame of a mesh geom stands in the centre of mass that the mesh's rule of inertia gives, and a compiled model does not name the rule."""
    rules = ("legacy", "exact", "convex", "shell")
    geoms = "".join(f'<body pos="{i} 0 0"><joint/><geom name="{rule}" type="mesh" mesh="{rule}" euler="20 30 40"/></body>' for i, rule in enumerate(rules))
    m = mujoco.MjModel.from_xml_string(f"<mujoco><asset>{''.join(DENTED.format(rule) for rule in rules)}</asset><worldbody>{geoms}</worldbody></mujoco>")
    assert np.ptp(m.geom_pos, axis=0).max() > 1e-3  # They differ.
    model = hf.from_mujoco(m)
    assert np.allclose(model.geom_pos, m.geom_pos, atol=1e-7)


def test_inertia_without_mass():
    """boundinertia gives a body inertia that has no mass."""
    m = mujoco.MjModel.from_xml_string("""<mujoco><compiler boundinertia=".05"/><worldbody><body><joint axis="0 1 0"/><geom size=".1"/>
        <body pos=".2 0 0"><geom size=".1" mass="0"/></body></body></worldbody></mujoco>""")
    assert m.body_mass[2] == 0 and m.body_inertia[2, 1] == 0.05
    assert np.allclose(hf.from_mujoco(m).body_inertia[2, :3], 0.05)


def test_mujoco_reads_planes_without_a_size(tmp_path):
    """MuJoCo refuses a plane whose third size, the spacing of its grid, is not positive: planes of programs and of URDF have none."""
    builder = hf.Builder()
    builder.add_geom(type="plane", name="floor")
    builder.write(tmp_path / "floor.xml")
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "floor.xml")).geom_size[0].tolist() == [0, 0, 1]


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


BELTS = """<mujoco><asset><mesh name="belt" vertex="0 0 0  1 0 0  0 3 0  1 3 0  0 0 .2  1 0 .2  0 3 .2  1 3 .2"/></asset><worldbody>
<geom name="plane" type="plane" size="5 5 1" euler="10 0 30" surfacevel="1 .3 0 .2 -.4 .7"/>
<body pos="4 0 2" euler="20 30 40"><geom name="box" type="box" size=".5 .5 .1" pos=".1 .2 .3" euler="0 20 0" surfacevel=".5 -1 0 0 0 2"/></body>
<geom name="mesh" type="mesh" mesh="belt" pos="-4 0 2" euler="0 0 25" surfacevel="1 .2 0 0 .3 2"/>
<geom name="roller" type="cylinder" size=".2 1" pos="0 6 2" euler="90 0 0" surfacevel="0 0 0 0 0 -3"/>
<body name="tread" pos="0 0 .1"><freejoint/><geom name="tread" type="capsule" size=".1 .4" euler="0 90 0" surfacevel="0 .4 0"/></body>
<body name="a"><freejoint/><geom name="a" size=".1"/></body><body name="b"><freejoint/><geom name="b" size=".1"/></body>
<body name="c"><freejoint/><geom name="c" size=".1"/></body></worldbody></mujoco>"""


@pytest.mark.skipif(not hasattr(mujoco.MjModel, "geom_surfacevel"), reason="a MuJoCo without surface velocities")
@pytest.mark.parametrize("read", [lambda m: hf.Model.from_string(BELTS), hf.from_mujoco], ids=["file", "mjModel"])
def test_surfaces_move_as_in_mujoco(read):
    """The slip of contacts at rest is what the surfaces do: plane, box, mesh, roller and a tread on a body, at random poses of what touches them."""
    m = mujoco.MjModel.from_xml_string(BELTS)
    model = read(m)
    sim, d = hf.Sim(model), mujoco.MjData(m)
    rng, seen = np.random.default_rng(3), set()
    for _ in range(40):
        mujoco.mj_resetData(m, d)
        mujoco.mj_kinematics(m, d)
        for i, g in enumerate(("box", "mesh", "roller")):
            mid = {"mesh": [.5, 1.5, 0]}.get(g, [0, 0, 0])
            X, R = d.geom(g).xpos, d.geom(g).xmat.reshape(3, 3)
            along = rng.normal(size=3)
            top = {"box": R @ np.array([along[0] * .2, along[1] * .2, .195]), "roller": R @ np.array([.29 * np.cos(along[0]), .29 * np.sin(along[0]), along[1] * .3]),
                   "mesh": np.array([along[0] * .1, along[1] * .1, .195])}[g]
            d.qpos[7 * (i + 1):7 * (i + 1) + 3] = X + top
        mujoco.mj_forward(m, d)
        state = hf.state_from_mujoco(model, d)
        sim.evaluate(state)
        ours = sim.contacts()
        for c in d.contact:
            g0, g1 = (model.id("geom", mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_GEOM, int(g))) for g in c.geom)
            between = c.surfacevel[0] * c.frame[3:6] + c.surfacevel[1] * c.frame[6:9]  # of geom 1 over geom 0
            same = [x for x in ours if {x["geom_a"], x["geom_b"]} == {g0, g1} and np.linalg.norm(x["p_W"] - c.pos) < 0.01]
            if not same:
                continue  # a graze that one engine counts and the other does not
            seen.add(frozenset((g0, g1)))
            way = 1 if same[0]["geom_a"] == g1 else -1
            # Contact points of the two engines differ by a share of the depth, 5 mm, and the fields turn by 3 rad/s at most.
            assert np.allclose(same[0]["vt"], way * between, atol=0.02), (g0, g1, same[0]["vt"], between)
    assert len(seen) >= 4


CRANK = """<mujoco><option actuatorgroupdisable="4" gravity="0 0 0"/><worldbody><site name="cylinder" pos="0.5 0 0" zaxis="-1 0 0"/>
<body name="wheel"><joint name="turn" axis="0 1 0"/><geom type="cylinder" size="0.2 0.02" euler="90 0 0" mass="1"/><site name="pin" pos="0 0 0.15"/></body></worldbody>
<actuator><motor name="piston" cranksite="pin" slidersite="cylinder" cranklength="0.4" gear="2"/><motor name="off" joint="turn" group="4"/></actuator></mujoco>"""


def test_slider_cranks_and_groups():
    """A piston drives a wheel, built by hand, read from MJCF and taken from MuJoCo: it turns as MuJoCo turns it.

    MuJoCo's Euler step takes the force at its start as ours does; 1e-9: only rounding differs."""
    b = hf.Builder(gravity=(0, 0, 0), disabled_groups=1 << 4)
    b.add_site(0, "cylinder", pos=(0.5, 0, 0), quat=(0.5**0.5, 0, -(0.5**0.5), 0))
    b.add_body("wheel")
    b.add_joint("wheel", "hinge", name="turn", axis=(0, 1, 0))
    b.add_geom("wheel", "cylinder", size=(0.2, 0.02, 0), quat=(0.5**0.5, 0.5**0.5, 0, 0), mass=1)
    b.add_site("wheel", "pin", pos=(0, 0, 0.15))
    b.add_actuator(slider_crank=("pin", "cylinder", 0.4), name="piston", gear=(2, 0, 0, 0, 0, 0))
    b.add_actuator("turn", "off", group=4)
    m = mujoco.MjModel.from_xml_string(CRANK)
    ends = []
    for model in (b.finish(), hf.Model.from_string(CRANK), hf.from_mujoco(m)):
        sim = hf.Sim(model, step=0.001)
        sim.input.ctrl[:] = (1.5, 1000)
        sim.step(steps=100)
        ends.append((float(sim.state.q[0]), float(sim.state.v[0])))
    d = mujoco.MjData(m)
    m.opt.timestep = 0.001
    d.ctrl[:] = (1.5, 1000)
    mujoco.mj_step(m, d, 100)
    for end in ends:
        assert end == pytest.approx((d.qpos[0], d.qvel[0]), rel=1e-9)
    assert abs(d.qvel[0]) > 1


MOTOR = """<mujoco><option gravity="0 0 0" timestep="1e-4"/><worldbody><body name="wheel"><joint name="turn" axis="0 1 0"/>
<geom type="cylinder" size="0.2 0.02" euler="90 0 0" mass="1"/></body></worldbody><actuator><dcmotor name="m" joint="turn" gear="3" resistance="2" motorconst="0.05"
inductance="0 0.004" cogging="0.02 6 0.3" lugre="50 0.5 0.02 0.03 0.2" input="pos voltage" controller="2 1 0.2 3 0.5 20"/></actuator></mujoco>"""


def test_dc_motors():
    """Built by hand and read from MJCF a motor has the same bits; in steps of 0.1 ms it turns as MuJoCo turns it, to the errors of both steps."""
    b = hf.Builder(gravity=(0, 0, 0), timestep=1e-4)
    b.add_body("wheel")
    b.add_joint("wheel", "hinge", name="turn", axis=(0, 1, 0))
    b.add_geom("wheel", "cylinder", size=(0.2, 0.02, 0), quat=(0.5**0.5, 0.5**0.5, 0, 0), mass=1)
    b.add_actuator("turn", "m", kind="dcmotor", inputs=("voltage", "pos"), gear=(3, 0, 0, 0, 0, 0),
                   motor=dict(resistance=2, constant=0.05, time_constant=0.004, cogging=0.02, poles=6, phase=0.3, bristle_stiffness=50, bristle_damping=0.5,
                              coulomb=0.02, static=0.03, stribeck=0.2, kp=2, ki=1, kd=0.2, slewmax=3, imax=0.5, vmax=20))
    models = [b.finish(), hf.Model.from_string(MOTOR)]
    assert list(models[0].names("actuator")) == ["m", "m.voltage"]
    m = mujoco.MjModel.from_xml_string(MOTOR)
    d = mujoco.MjData(m)
    d.ctrl[:] = (1, 1)
    mujoco.mj_step(m, d, 5000)
    ends = []
    for model in models:
        sim = hf.Sim(model)
        sim.input.ctrl[:] = (1, 1)
        sim.step(steps=5000)
        ends.append(np.concatenate([sim.state.q, sim.state.v, sim.state.act]))
    assert np.allclose(ends[0], ends[1], rtol=0, atol=1e-12)
    assert ends[1][0] == pytest.approx(d.qpos[0], abs=2e-4) and np.allclose(ends[1][2:], d.act, atol=2e-3)
    with pytest.raises(ValueError, match="no 'ohm'"):
        b.add_actuator("turn", "x", kind="dcmotor", motor=dict(ohm=3))


@pytest.mark.skipif(not hasattr(mujoco.mjtTrn, "mjTRN_SO3"), reason="MuJoCo before 4 has no orientation servos")
@pytest.mark.parametrize("inputs, ctrl", [("expmap", (0.5, -0.3, 0.8)), ("quat", (2, 0.3, -0.4, 0.6))])
@pytest.mark.parametrize("target", ["joint", "site"])
def test_orientation_servos(inputs, ctrl, target):
    """Built by hand, read from MJCF and taken from MuJoCo: the same bits; in steps of 0.1 ms it turns as MuJoCo turns it, to the errors of both steps.

    4e-3: they differ by 2.7e-3 rad/s, and by a fifth of that in steps of a fifth."""
    where = 'joint="ball"' if target == "joint" else 'site="tip" refsite="base"'
    xml = f"""<mujoco><option gravity="0 0 0" timestep="1e-4"/><worldbody><site name="base"/><body name="arm"><joint name="ball" type="ball"/>
<geom type="box" size="0.1 0.2 0.3" mass="2"/><site name="tip"/></body></worldbody>
<actuator><orientation name="turn" {where} kp="5" kv="0.5" input="{inputs}" forcerange="0 3"/></actuator><sensor><actuatorfrc actuator="turn"/></sensor></mujoco>"""
    b = hf.Builder(gravity=(0, 0, 0), timestep=1e-4)
    b.add_site(0, "base")
    b.add_body("arm")
    b.add_joint("arm", "ball", name="ball")
    b.add_geom("arm", "box", size=(0.1, 0.2, 0.3), mass=2)
    b.add_site("arm", "tip")
    on = {"joint": "ball"} if target == "joint" else {"site": "tip", "refsite": "base"}
    b.add_actuator(name="turn", kind="orientation", kp=5, kv=0.5, inputs=inputs, forcerange=(0, 3), **on)
    b.add_sensor("actuatorfrc", "actuator", "turn")
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    d.ctrl[:] = ctrl
    mujoco.mj_step(m, d, 3000)
    ends = []
    for model in (b.finish(), hf.Model.from_string(xml), hf.from_mujoco(m)):
        assert list(model.names("actuator")) == ["turn", *(f"turn.{k}" for k in "xyz"[4 - m.nu:])]
        sim = hf.Sim(model)
        sim.input.ctrl[:] = ctrl
        sim.step(steps=3000)
        ends.append(np.concatenate([sim.state.q, sim.state.v, sim.sensors]))
    assert np.array_equal(ends[0], ends[1]) and np.array_equal(ends[1], ends[2])
    assert np.allclose(ends[0], np.concatenate([d.qpos, d.qvel, d.sensordata]), rtol=0, atol=4e-3)
    with pytest.raises(ValueError, match="expmap"):
        b.add_actuator("ball", kind="orientation", inputs="euler")


def test_controls_act_later():
    """A cart whose control is under way for 5 ms, built by hand and read from MJCF, in a sim and in a batch: the same bits; MuJoCo is there too.

    1e-9: a motor's force is known at the start of a step in both engines."""
    xml = """<mujoco><option gravity="0 0 0"/><worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/></body></worldbody>
<actuator><motor name="push" joint="rail" delay="0.005" nsample="3" interp="linear"/></actuator></mujoco>"""
    b = hf.Builder(gravity=(0, 0, 0))
    b.add_body("cart")
    b.add_joint("cart", "slide", name="rail", axis=(1, 0, 0))
    b.add_geom("cart", "sphere", size=(0.1, 0, 0), mass=2)
    b.add_actuator("rail", "push", delay=0.005, nsample=3, interp=1)
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    sims = [hf.Sim(b.finish()), hf.Sim(hf.Model.from_string(xml)), hf.Sim(hf.from_mujoco(m))]
    batch = hf.Batch(sims[1].model, 3)
    for k in range(50):
        u = np.sin(0.3 * k)
        d.ctrl[0] = u
        mujoco.mj_step(m, d)
        for sim in sims:
            sim.input.ctrl[0] = u
            sim.step()
        batch.ctrl[:] = u
        batch.step()
    assert float(sims[0].state.q[0]) == float(sims[1].state.q[0]) == float(sims[2].state.q[0]) == float(batch.q[1][0])
    assert np.array_equal(sims[0].state.history, batch.history[2]) and sims[0].state.history[-1] == u
    state = sims[0].state.copy()
    state.history[3:] = 0  # forgets what is under way
    assert sims[0].state.history[-1] == u and not np.any(state.history[3:])
    assert sims[0].state.q[0] == pytest.approx(d.qpos[0], rel=1e-9) and sims[0].state.v[0] == pytest.approx(d.qvel[0], rel=1e-9)


@pytest.mark.skipif(not hasattr(mujoco.MjModel, "nactuator"), reason="this MuJoCo has no DC motors")
def test_actuators_of_a_compiled_model():
    """DC motors, PID loops, muscles and slider-cranks of an mjModel act as those of the file that it was compiled from: the same bits."""
    xml = """<mujoco><compiler autolimits="true"/><worldbody><site name="base" zaxis="1 0 0"/>
<body><joint name="j" axis="0 1 0" damping=".1"/><geom size=".1" pos=".1 0 0"/><site name="pin" pos=".05 0 .05"/></body>
<body pos="0 1 0"><joint name="k" type="slide"/><geom size=".1"/></body></worldbody><actuator>
<dcmotor name="dc" joint="j" nominal="12 .5 100" inductance=".01" thermal="5 6 0 .004 25 20" saturation="7 0 100" cogging=".1 6 .2" lugre="50 1 .11 .22 .33"
 input="pos ff voltage" controller="3 2 1 4 .5 10" ctrlrange="-1 1"/><dcmotor joint="k" motorconst=".1" resistance="2" delay=".004" nsample="3"/>
<pid name="p" joint="k" kp="5" kv="1" ki="2" imax=".3" posrange="-1 1"/><motor name="m" joint="k" armature=".2" damping=".3"/>
<position cranksite="pin" slidersite="base" cranklength=".4" kp="3"/><muscle joint="k" lengthrange="-1 1" ctrlrange="0 1"/></actuator>
<sensor><actuatorfrc actuator="m"/><jointpos joint="j" delay=".003" nsample="2" interval=".004" interp="linear"/></sensor></mujoco>"""
    sims = [hf.Sim(hf.from_mujoco(mujoco.MjModel.from_xml_string(xml))), hf.Sim(hf.Model.from_string(xml))]
    assert sims[0].model.nu == sims[1].model.nu and sims[0].model.na == sims[1].model.na
    rng = np.random.default_rng(3)
    for _ in range(30):
        u = rng.normal(size=sims[0].model.nu)
        for sim in sims:
            sim.input.ctrl[:] = u
            sim.step()
    assert np.array_equal(sims[0].state.q, sims[1].state.q) and np.array_equal(sims[0].sensors, sims[1].sensors)
    assert np.allclose(sims[0].state.act, sims[1].state.act, rtol=1e-12)


MUSCLES = """<mujoco>{compiler}<default><joint axis="0 1 0" range="-60 80"/><geom type="capsule" size=".02"/></default><worldbody>
<site name="s0" pos="-.1 0 .05"/><site name="b0" pos="-.1 0 -.05"/>
<body><joint name="j"/><geom name="roll" type="cylinder" size=".03 .02" euler="90 0 0" contype="0" conaffinity="0"/><geom fromto="0 0 0 .3 0 0"/>
<site name="s1" pos=".1 0 .02"/><site name="b1" pos=".2 0 -.02"/>
<body pos=".3 0 0"><joint name="k" range="0 120"/><geom fromto="0 0 0 .25 0 0"/><site name="s2" pos=".1 0 .02"/><site name="b2" pos=".08 0 -.02"/>
<body pos=".25 0 0"><joint name="l" range="-90 90"/><geom fromto="0 0 0 .1 0 0"/></body></body></body></worldbody>
<tendon><fixed name="f" range="-5 5"><joint joint="j" coef=".5"/><joint joint="k" coef="-.3"/></fixed>
<spatial name="round"><site site="s0"/><geom geom="roll"/><site site="s1"/></spatial>
<spatial name="under"><site site="b0"/><site site="b1"/><site site="b2"/></spatial>
<spatial name="over"><site site="s0"/><geom geom="roll"/><site site="s1"/><site site="s2"/></spatial></tendon>
<equality><joint joint1="l" joint2="k" polycoef="0 .5 0 0 0"/></equality>
<actuator><muscle joint="j"/><muscle tendon="f"/><muscle tendon="round"/><muscle tendon="under"/><muscle joint="l" gear="-2"/>
<muscle joint="k" lengthrange="0 1"/>{more}</actuator></mujoco>"""


@pytest.mark.parametrize("compiler", ["", '<compiler><lengthrange accel="5" timeconst=".2" timestep=".005" inttotal="20" interval="1"/></compiler>',
                                      '<compiler><lengthrange useexisting="false" maxforce=".5" inttotal="20"/></compiler>'])
def test_lengths_of_muscles(compiler):
    """Lengths of muscles that the file leaves out are those that MuJoCo's compiler finds: limits yield a little, as each engine's solver has it. Where MuJoCo
    refuses a muscle because its length swings for ever, it is left out here."""
    xml = MUSCLES.format(compiler=compiler, more="")
    m, b = mujoco.MjModel.from_xml_string(xml), hf.Builder.from_string(xml)
    for i in range(m.nu):
        assert b.actuator(i)["lengthrange"] == pytest.approx(m.actuator_lengthrange[i], abs=5e-4), i


def test_a_muscle_that_swings():
    xml = MUSCLES.format(compiler="", more='<muscle name="swings" tendon="over"/>')
    with pytest.raises(ValueError, match="did not converge"):
        mujoco.MjModel.from_xml_string(xml)
    model = hf.Model.from_string(xml)
    assert model.nu == 6 and any("a muscle needs lengthrange" in d.message for d in model.diagnostics)


def go_on_alike(m, d, sim, rng):
    """Both engines take 20 steps with the same random controls, and measure the same after each."""
    for _ in range(20):
        d.ctrl[:] = sim.input.ctrl[:] = rng.normal(size=2)
        mujoco.mj_step(m, d)
        mujoco.mj_forward(m, d)  # measures at the end of the step
        sim.step()
        assert sim.state.q[0] == pytest.approx(d.qpos[0], abs=1e-9) and sim.sensors == pytest.approx(d.sensordata, abs=1e-9)


@pytest.mark.skipif(not hasattr(mujoco.MjModel, "nhistory"), reason="this MuJoCo has no delays")
def test_what_is_under_way_goes_over():
    """A run that goes on here from an mjData: controls and measurements under way arrive as in MuJoCo, to 1e-9."""
    xml = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" type="slide"/><geom size=".1" mass="2"/></body></worldbody>
<actuator><motor joint="j" delay=".007" nsample="5" interp="cubic"/><motor joint="j"/></actuator>
<sensor><jointpos joint="j" delay=".005" nsample="4" interp="linear"/><jointvel joint="j" delay=".01" nsample="3" interval=".0071"/></sensor></mujoco>"""
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    rng = np.random.default_rng(0)
    for _ in range(17):
        d.ctrl[:] = rng.normal(size=2)
        mujoco.mj_step(m, d)
    model = hf.from_mujoco(m)
    sim = hf.Sim(model)
    hf.state_from_mujoco(model, d, sim.state)
    go_on_alike(m, d, sim, rng)


@pytest.mark.skipif(not hasattr(mujoco.MjModel, "nhistory"), reason="this MuJoCo has no delays")
@pytest.mark.parametrize("before", [0, 1, 2, 17])
def test_what_is_under_way_goes_back(before):
    """A run that goes on in MuJoCo from a state: controls and measurements under way arrive as here, to 1e-9."""
    xml = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" type="slide"/><geom size=".1" mass="2"/></body></worldbody>
<actuator><motor joint="j" delay=".007" nsample="5" interp="cubic"/><motor joint="j"/></actuator>
<sensor><jointpos joint="j" delay=".005" nsample="4" interp="linear"/><jointvel joint="j" delay=".01" nsample="3" interval=".0071"/><clock delay=".004" nsample="3"/></sensor></mujoco>"""
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    model = hf.from_mujoco(m)
    sim = hf.Sim(model)
    rng = np.random.default_rng(0)
    for _ in range(before):
        sim.input.ctrl[:] = rng.normal(size=2)
        sim.step()
    hf.state_to_mujoco(sim.state, d)
    back = hf.state_from_mujoco(model, d)
    assert np.array_equal(back.q, sim.state.q) and np.array_equal(back.v, sim.state.v) and back.time == sim.state.time
    go_on_alike(m, d, sim, rng)


@pytest.mark.skipif(not hasattr(mujoco.MjModel, "nplastic"), reason="in this MuJoCo no spring yields")
def test_where_springs_rest_goes_over_and_back():
    """Springs of a slide, a ball joint and a rope that have yielded: their rest is that of the mjData, to the bit."""
    m = mujoco.MjModel.from_xml_string("""<mujoco><worldbody>
<body><joint type="hinge"/><joint name="j" type="slide" axis="1 0 0" stiffness="100" springyield=".01" damping="1"/><geom size=".1" mass="1"/><site name="a"/>
  <body pos="0 0 1"><joint type="ball" stiffness="5" springyield=".1"/><geom size=".1" pos=".1 0 0"/><site name="b"/></body></body></worldbody>
<tendon><fixed><joint joint="j" coef="1"/></fixed><spatial stiffness="50" springyield=".05" springlength="0 .5"><site site="a"/><site site="b"/></spatial></tendon></mujoco>""")
    d, again = mujoco.MjData(m), mujoco.MjData(m)
    d.qvel[:] = (0.5, 3, 1, 2, 3)
    for _ in range(100):
        mujoco.mj_step(m, d)
    model = hf.from_mujoco(m)
    state = hf.state_from_mujoco(model, d)
    slide, ball, rope = d.plastic[:1], d.plastic[1:5], d.plastic[5:]
    assert slide[0] > 0.1 and rope[1] > 0.6  # they have yielded
    assert state.rest.tolist() == [0, *slide, *ball, 0, 0, *rope]
    hf.state_to_mujoco(state, again)
    assert np.array_equal(again.plastic, d.plastic)
    sim = hf.Sim(model)
    sim.state = state
    mujoco.mj_step(m, d)
    sim.step()
    assert sim.acceleration[1] == pytest.approx(d.qacc[1], rel=0.05)  # the slide's spring pulls with 1 N, not with 100 N/m times its way


OPTIONS = """<mujoco>
  <option cone="elliptic" impratio="7" density="3" viscosity="0.02" wind="1 2 3" magnetic="0.1 0.2 0.3"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body pos="0 0 0.5">
      <joint name="h" axis="0 1 0" range="-0.5 0.5" limited="true" solreflimit="0.01 0.8" solimplimit="0.8 0.9 0.002 0.5 2" damping="1 0.2 0.3" stiffness="4 0.5 0.6"/>
      <geom type="capsule" size="0.05 0.2" solref="0.004 1" fluidshape="ellipsoid" fluidcoef="0.6 0.3 1.4 1.1 0.9"/>
    </body>
  </worldbody>
  <tendon>
    <fixed name="t" range="-1 1" limited="true" solreflimit="0.03 1.2" stiffness="1 0.1 0.2" damping="2 0.3 0.4" actuatorfrcrange="-5 6" actuatorfrclimited="true">
      <joint joint="h" coef="2"/>
    </fixed>
  </tendon>
  <actuator><motor tendon="t"/></actuator>
</mujoco>"""


def test_nothing_that_acts_is_forgotten():
    """Cone, medium, field, laws of limits, polynomials and drag coefficients come over as our own reader takes them from the file."""
    ours, theirs = hf.Model.from_string(OPTIONS), hf.from_mujoco(mujoco.MjModel.from_xml_string(OPTIONS))
    assert ours.world == theirs.world and ours.world["pyramidal_cone"] == 0
    names = [n for n in dir(ours) if n.split("_")[0] in ("jnt", "dof", "geom", "tendon", "actuator", "body") and not n.endswith(("name", "rgba"))]
    assert len(names) > 50
    for name in names:
        x, y = np.asarray(getattr(ours, name)), np.asarray(getattr(theirs, name))
        if x.dtype.kind in "fi":
            assert np.allclose(x, y, rtol=1e-12, atol=1e-12), name  # numbers of MJCF that were turned and turned back


def test_overrides_of_contacts():
    text = OPTIONS.replace('magnetic="0.1 0.2 0.3"/>', 'o_margin="0.01" o_solref="0.05 0.9" o_friction="0.3 0.3 0.01 0.001 0.001"><flag override="enable"/></option>')
    ours, theirs = hf.Model.from_string(text), hf.from_mujoco(mujoco.MjModel.from_xml_string(text))
    for name in ("geom_margin", "geom_solref", "geom_solimp", "geom_friction"):
        assert np.allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-12), name
    assert np.allclose(ours.geom_friction[:, 0], 0.3)


SENSORS = """<mujoco><worldbody><geom name="f" type="plane" size="1 1 1"/><body name="b" pos="0 0 .1"><freejoint/><geom name="g" size=".1"/>
<site name="s" size=".2"/></body><body name="c" pos="1 0 .1"><freejoint/><geom name="g2" size=".1"/></body></worldbody><sensor><magnetometer site="s"/>
<rangefinder site="s"/><rangefinder site="s" data="dist normal"/><distance geom1="g" geom2="g2" cutoff="1"/><normal body1="b" body2="c" cutoff="1"/>
<fromto geom1="g" body2="c" cutoff="1"/><contact geom1="g" geom2="f" data="found force normal" num="3" reduce="mindist"/><contact body1="b" body2="c" reduce="maxforce"/>
<contact subtree1="b" geom2="f" reduce="netforce"/><contact site="s" subtree2="c"/><contact/><user dim="3"/><subtreecom body="b"/><clock noise=".1"/></sensor></mujoco>"""


@pytest.mark.skipif(not hasattr(mujoco.MjModel, "sensor_intprm"), reason="a MuJoCo without contact sensors")
def test_every_sensor_that_the_reader_knows():
    """Sensors of an mjModel are those of its file, noise included."""
    model, direct = hf.from_mujoco(mujoco.MjModel.from_xml_string(SENSORS)), hf.Model.from_string(SENSORS)
    for field in (n for n in dir(direct) if n.startswith("sensor_") and n != "sensor_name"):
        assert np.array_equal(getattr(model, field), getattr(direct, field)), field


CAMERAS = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><camera name="wide" pos="0 -2 1" xyaxes="1 0 0 0 .4 1" fovy="40" resolution="32 24"/>
<camera name="flat" pos="0 -2 1" projection="orthographic" fovy="2"/><camera name="watch" mode="targetbody" target="b" pos="1 1 1"/>
<camera name="chip" resolution="640 480" sensorsize=".0064 .0048" focal=".005 .006" principal=".0001 .0002"/>
<body name="b" pos="0 0 .3"><freejoint/><geom type="box" size=".1 .2 .1"/><site name="s"/><camera name="on" mode="trackcom" pos="0 0 .6"/></body></worldbody>
<sensor><rangefinder camera="wide" data="depth"/><camprojection site="s" camera="wide"/><framepos objtype="camera" objname="on"/></sensor></mujoco>"""


@pytest.mark.skipif(not hasattr(mujoco.MjModel, "cam_projection"), reason="a MuJoCo without cameras that have a projection")
def test_colours_of_materials():
    """A geom without a colour of its own has that of its material, as when the file is read."""
    text = """<mujoco><asset><material name='red' rgba='1 0 0 1'/></asset><worldbody><geom size='1' material='red'/>
    <geom size='1' material='red' rgba='0 1 0 .5'/><geom size='1'/></worldbody></mujoco>"""
    direct, over = hf.Model.from_string(text), hf.from_mujoco(mujoco.MjModel.from_xml_string(text))
    assert np.array_equal(direct.geom_rgba, over.geom_rgba) and direct.geom_rgba[0].tolist() == [1, 0, 0, 1]


def test_cameras():
    """Cameras of an mjModel are those of its file; a picture has the depths that MuJoCo's rays have."""
    theirs = mujoco.MjModel.from_xml_string(CAMERAS)
    model, direct = hf.from_mujoco(theirs), hf.Model.from_string(CAMERAS)
    assert model.names("camera") == direct.names("camera") == [theirs.cam(i).name for i in range(theirs.ncam)]
    for field in (n for n in dir(direct) if n.startswith("cam_") and n != "cam_name"):
        assert np.allclose(getattr(model, field), getattr(direct, field), rtol=1e-6, atol=1e-12), field  # MuJoCo stores lengths of a chip as floats
    data, sim, d = mujoco.MjData(theirs), hf.Sim(direct), hf.Dynamics(direct)
    mujoco.mj_forward(theirs, data)
    d.set(direct.qpos0)
    for i in range(theirs.ncam):
        p, R = d.camera_pose(i)
        assert np.allclose(p, data.cam_xpos[i]) and np.allclose(R.ravel(), data.cam_xmat[i])
    picture, depth = d.picture("wide"), data.sensordata[: 32 * 24].reshape(24, 32)
    seen = depth > 0  # the floor is of the camera's own body, which rays of MuJoCo pass
    assert seen.sum() > 10 and np.allclose(picture.depth[seen], depth[seen]) and set(picture.geom[seen]) == {1}
    assert picture.rgb.shape == (24, 32, 3) and d.picture("watch", 20, 10).depth.shape == (10, 20)
    assert sim.model.nsensordata == theirs.nsensordata
    with pytest.raises(ValueError):
        d.picture("watch", 20)
    with pytest.raises(KeyError):
        d.picture("nobody")


@pytest.mark.parametrize(("equality", "accepted"), [
    ("<joint joint1='j' joint2='j'/>", False), ("<joint joint1='j' joint2='k'/>", True), ("<joint joint1='j'/>", True),
    ("<connect body1='a' body2='a' anchor='0 0 0'/>", False), ("<weld body1='a' body2='a'/>", False), ("<weld body1='world'/>", False),
    ("<weld body1='a'/>", True), ("<connect site1='s' site2='s'/>", False), ("<weld site1='s' site2='t'/>", True),
    ("<tendon tendon1='T' tendon2='T'/>", False), ("<tendon tendon1='T'/>", True)])
def test_equalities_that_are_refused(equality, accepted):
    """An equality of a thing with itself is refused here and there; one of two sites of a body is not."""
    text = ("<mujoco><worldbody><body name='a'><site name='s'/><site name='t' pos='0 0 1'/><joint name='j'/><joint name='k' axis='1 0 0'/><geom size='1'/></body>"
            f"</worldbody><tendon><fixed name='T'><joint joint='j' coef='1'/></fixed></tendon><equality>{equality}</equality></mujoco>")
    if accepted:
        assert mujoco.MjModel.from_xml_string(text).neq == hf.Model.from_string(text).neq == 1
        return
    with pytest.raises(ValueError, match="is repeated in equality"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(hf.ModelError, match="with itself"):
        hf.Model.from_string(text)
