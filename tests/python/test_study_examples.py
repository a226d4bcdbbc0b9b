"""The example studies, reduced, and what their pages say of them."""

import os

import pytest

from conftest import FULL, ROOT
from holdfast.study import Study

STUDIES = ROOT / "studies"


@pytest.fixture
def study(monkeypatch, tmp_path):
    """Reads an example with some fields changed; MuJoCo writes its log into the present folder."""
    pytest.importorskip("yaml")
    monkeypatch.chdir(tmp_path)

    def read(name, **changes):
        return Study.from_dict({**Study.from_file(STUDIES / name / f"{name}.yaml").to_dict(), **changes})

    return read


def test_every_example_has_a_page_and_is_listed(study):
    listed, index = (STUDIES / "README.md").read_text(), (ROOT / "docs" / "README.md").read_text()
    for folder in sorted(p for p in STUDIES.iterdir() if p.is_dir() and not p.name.startswith("_")):
        assert study(folder.name).name == folder.name
        assert f"`{folder.name}`" in listed and f"studies/{folder.name}.md" in index
        assert (ROOT / "docs" / "studies" / f"{folder.name}.md").exists()


def test_grasp(study, tmp_path):
    """Success rises with friction and with force; no run fails. A block that is squeezed by less than its friction can bear falls."""
    pytest.importorskip("scipy")
    before = os.times()
    store = study("grasp", sampling={"method": "sobol", "count": 10000 if FULL else 160}).run(tmp_path / "s.db")
    after = os.times()
    if FULL:  # 10,000 runs of 1 s take two cores at most three minutes; the machine may be busy, so processor time counts
        used = after.user + after.system + after.children_user + after.children_system - sum(before[:4])
        print(f"{used / 2:.0f} s on two cores")
        assert used / 2 < 180
    rows = list(store.rows())
    assert all(r["status"] == "done" for r in rows)

    def share(rows):
        return sum(r["success"] for r in rows) / len(rows)

    for name, middle in (("friction", 0.5), ("force", 11)):
        assert share([r for r in rows if r["parameters"][name] > middle]) > share([r for r in rows if r["parameters"][name] < middle]) + 0.2
    hopeless = [r for r in rows if 2 * r["parameters"]["friction"] * r["parameters"]["force"] < 0.9 * 0.25 * 9.81]
    assert hopeless and not any(r["success"] for r in hopeless)


def test_shapes(study, tmp_path):
    """The critical friction is m g/(2 F) = 0.0981 for every shape; the test asks 1 % below and above it."""
    parameters = study("shapes").parameters
    parameters["friction"] = {"set": "geom.*.friction[0]", "values": [0.0971, 0.0991]}
    for r in study("shapes", parameters=parameters).run(tmp_path / "s.db").rows():
        assert r["success"] == (r["parameters"]["friction"] > 0.0981), r


def test_step(study, tmp_path):
    """Holdfast's grasp does not depend on the step; what MuJoCo's does is on the page."""
    pytest.importorskip("mujoco")
    parameters = study("step").parameters
    if not FULL:
        parameters.update(step={"values": [1e-3, 1e-2]}, force={"values": [10]}, friction={"values": [0.5]})
    rows = list(study("step", parameters=parameters).run(tmp_path / "s.db").rows())
    slips = [r["metrics"]["slip"] for r in rows if r["parameters"]["engine"] == "holdfast"]
    assert max(map(abs, slips)) < 1e-5  # of the friction's own elasticity: the load over the tangential stiffness, some micrometres
    assert any(not r["success"] for r in rows if r["parameters"]["engine"] == "mujoco-default")


def test_toss(study, tmp_path):
    """The best of the design is near the truth: friction within 2 %, stiffness within 35 %; the truth itself fits to the noise."""
    pytest.importorskip("scipy")
    count = 2048 if FULL else 128
    parameters = study("toss").parameters
    if not FULL:  # fewer points, nearer to the truth
        parameters = {"friction": {"uniform": [0.16, 0.2]}, "stiffness": {"loguniform": [5e3, 5e4]}}
    rows = list(study("toss", parameters=parameters, sampling={"method": "sobol", "count": count}).run(tmp_path / "s.db").rows())
    best = min(rows, key=lambda r: r["metrics"]["misfit"])
    assert best["parameters"]["friction"] == pytest.approx(0.18, rel=0.02) and best["metrics"]["misfit"] < 1.3
    assert 1.5e4 / 1.35 < best["parameters"]["stiffness"] < 1.5e4 * 1.35
