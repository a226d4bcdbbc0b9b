"""Cables of MJCF. The oracle is MuJoCo 3.3.7, whose numbers stand in tests/data/import/cables.json: MuJoCo 4 has no composites."""

import json
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf

CABLES = json.loads((Path(__file__).parents[1] / "data" / "import" / "cables.json").read_text())


@pytest.mark.parametrize("cable", CABLES)
def test_bodies_are_those_of_mujoco(cable):
    want = CABLES[cable]
    model = hf.Model.from_string(want["xml"])
    for kind, names in want["names"].items():
        assert model.names({"jnt": "joint"}.get(kind, kind)) == names
    assert sorted(map(sorted, want["excludes"])) == sorted(sorted(map(int, pair)) for pair in model.exclude_body.reshape(-1, 2))
    assert np.allclose(hf.State(model).q, want["qpos0"], atol=1e-12)
    d = hf.Dynamics(model)
    for state in want["states"]:
        d.set(state["q"], np.zeros(model.nv))
        for b in range(1, model.nbody):
            p, R = d.body_pose(b)
            assert np.allclose(p, state["xpos"][b], atol=1e-9)
            w, x, y, z = state["xquat"][b]
            assert np.allclose(R[:, 0], (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)), atol=1e-9)
            assert np.allclose(R[:, 1], (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)), atol=1e-9)
        assert np.allclose([d.geom_pose(g)[0] for g in range(model.ngeom)], state["geom"], atol=1e-9)
        assert np.allclose([d.site_pose(s)[0] for s in range(model.nsite)], state["site"], atol=1e-9)
        assert np.allclose((np.trace(d.mass_matrix()), np.linalg.slogdet(d.mass_matrix())[1]), state["trace"], rtol=1e-9)  # mass and inertia
        assert np.allclose(d.bias(), state["bias"], rtol=1e-9, atol=1e-9)


def passive_force(model, q, qfrc_bias):
    """The force of springs at rest: M a + bias, of the acceleration without contacts and equalities."""
    sim = hf.Sim(model)
    sim.state.q[:] = q
    sim.evaluate()
    d = hf.Dynamics(model).set(q, np.zeros(model.nv))
    return d.mass_matrix() @ np.asarray(sim.acceleration) + qfrc_bias


@pytest.mark.parametrize("cable", CABLES)
def test_forces_are_those_of_mujoco(cable):
    """Springs, and the elasticity of cables: twist and bend, with and without curvature at rest, of circles and rectangles."""
    model = hf.Model.from_string(CABLES[cable]["xml"])
    assert (np.abs(model.jnt_bend).sum() > 0) == cable.startswith("elastic")
    for state in CABLES[cable]["states"]:
        want, got = np.array(state["passive"]), passive_force(model, state["q"], state["bias"])
        assert np.allclose(got, want, rtol=1e-9, atol=1e-9 * max(1, np.abs(want).max()))


CHAIN = """<mujoco><extension><plugin plugin="mujoco.elasticity.cable"><instance name="rod"><config key="twist" value="1e6"/><config key="bend" value="2e6"/></instance></plugin>
</extension><worldbody><body name="a">PLUGIN<geom type="capsule" size=".01" fromto="0 0 0 .2 0 0"/><body name="b" pos=".2 0 0">PLUGIN<joint type="ball"/><geom type="capsule" size=".01" fromto="0 0 0 .2 0 0"/>
</body></body></worldbody></mujoco>"""


def test_the_plugin_in_bodies():
    """Bodies with one instance are a cable, whose stiffness is that of a beam; the oracle is the formula for a circle. Bodies with a plugin each are none."""
    model = hf.Model.from_string(CHAIN.replace("PLUGIN", '<plugin plugin="mujoco.elasticity.cable" instance="rod"/>'))
    assert np.allclose(model.jnt_bend, [[1e6 * np.pi * 1e-8 / 2 / 0.2, 2e6 * np.pi * 1e-8 / 4 / 0.2, 2e6 * np.pi * 1e-8 / 4 / 0.2]], rtol=1e-12)
    assert not model.diagnostics
    own = '<plugin plugin="mujoco.elasticity.cable"><config key="twist" value="1"/><config key="bend" value="1"/></plugin>'
    alone = hf.Model.from_string(CHAIN.replace("PLUGIN", own))
    assert not alone.jnt_bend.any() and any("one body alone is no cable" in d.message for d in alone.diagnostics)
    for wrong, says in ((own.replace("twist", "twirl"), 'has no parameter "twirl"'), (own.replace('value="1"', 'value="-1"'), "cannot be negative"),
                        ('<plugin plugin="mujoco.elasticity.cable" instance="nothing"/>', 'there is no instance "nothing"')):
        with pytest.raises(hf.ModelError, match=says):
            hf.Model.from_string(CHAIN.replace("PLUGIN", wrong))


def test_a_cantilever_bends_as_a_beam():
    """A rod of n pieces that carries its own weight, in steps of 2 ms with tamsi and in continuous time. The oracle for small angles is the sag w L^4/(8 E I) of a beam, of which the
    n - 1 joints have the share (1 - 1/n)^2: the sum of the moments w (L - x)^2/2 at the joints times l/(E I) and the lever L - x, with the sum of cubes."""
    r, length, bend, density = 0.005, 0.5, 2e9, 1000
    xml = f"""<mujoco><worldbody><composite type="cable" curve="s" count="41" size="{length}" initial="none"><plugin plugin="mujoco.elasticity.cable"><config key="twist" value="1e9"/>
<config key="bend" value="{bend}"/></plugin><joint kind="main" damping="0.02"/><geom type="cylinder" size="{r}" density="{density}"/></composite></worldbody></mujoco>"""
    model = hf.Model.from_string(xml)
    sag = density * np.pi * r**2 * 9.81 * length**4 / (8 * bend * np.pi * r**4 / 4)
    sim = hf.Sim(model, step=0.002)
    sim.step(steps=1500)
    d = hf.Dynamics(model).set(sim.state.q)
    assert abs(-d.site_pose("S_last")[0][2] / (sag * (1 - 1 / 40) ** 2) - 1) < 1e-3  # it hangs by 1.2 % of its length
    assert np.abs(sim.state.v).max() < 1e-3
    still = sim.state.copy()
    other = hf.Sim(model, step=0.002, method="implicit-euler")
    other.state.q[:] = still.q
    other.step(steps=100)
    assert np.abs(hf.Dynamics(model).set(other.state.q).site_pose("S_last")[0] - d.site_pose("S_last")[0]).max() < 1e-5


def test_cables_are_written_and_refused(tmp_path):
    (tmp_path / "cable.xml").write_text(CABLES["elastic capsules"]["xml"])
    builder = hf.Builder.from_file(tmp_path / "cable.xml")
    builder.write(tmp_path / "again.xml")
    a, b = builder.finish(), hf.Model.from_file(tmp_path / "again.xml")
    assert np.allclose(a.jnt_bend, b.jnt_bend, rtol=1e-14) and np.allclose(a.jnt_bend_rest, b.jnt_bend_rest, rtol=1e-13, atol=1e-15) and a.names("body") == b.names("body")
    assert any("joint" in d.message for d in b.write(tmp_path / "cable.sdf"))  # what SDFormat cannot say
    two = hf.Model.from_string('<mujoco><worldbody><composite type="cable" count="3" curve="s" size="1"><geom type="capsule" size=".01"/></composite></worldbody></mujoco>')
    assert two.names("body") == ["world", "B_first", "B_last"]  # MuJoCo refuses its own names here
    scene = '<mujoco><worldbody><composite type="cable" {}><geom type="{}" size=".01"/></composite></worldbody></mujoco>'
    for what, shape, says in (('count="1" curve="s"', "capsule", "a cable has 2 to"), ('count="3" curve="t"', "capsule", "want three of s"), ('count="3"', "capsule", "are one: give a curve"),
                              ('count="3" curve="s"', "sphere", "type"), ('count="3" vertex="0 0 0 1 1 1"', "capsule", "both vertex and count"), ('vertex="0 0 0 1 1"', "capsule", "not 5 numbers"),
                              ('count="3 2" curve="s"', "capsule", "1 in the other"), ('count="5000" curve="s"', "capsule", "a cable has 2 to"), ('count="3" curve="s" initial="up"', "capsule", "up")):
        with pytest.raises(hf.ModelError, match=says):
            hf.Model.from_string(scene.format(what, shape))
    with pytest.raises(hf.ModelError, match="only a ball joint has it"):
        other = hf.Builder()
        other.add_joint(other.add_body("a"), "hinge", bend=(1, 1, 1))
