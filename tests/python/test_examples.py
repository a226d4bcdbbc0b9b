"""Every example runs, and what it shows is true."""

import runpy
import subprocess
import sys

import numpy as np
import pytest

from conftest import FULL, ROOT

EXAMPLES = ROOT / "examples"


def run(name):
    return runpy.run_path(str(EXAMPLES / name))["result"]


def test_first_grasp():
    r = run("first_grasp.py")
    assert r["height"] > 0.1 and r["friction"] == pytest.approx(r["weight"], rel=1e-3)  # at rest: friction bears the weight
    assert r["report"] > 10000


def test_grasp_quality():
    r = run("grasp_quality.py")
    assert r["wrong"] == 0 and 100 < r["held"] < 256


def test_stiff_servo():
    for kp, r in run("stiff_servo.py").items():
        assert r["fastest at rest"] < 1e-6 and r["spread"] < 1e-6
        # stopped by the wall 12 cm before its target, or at its limit of 20 N; and the finger's own weight
        assert r["force"] == pytest.approx(min(20, kp * 0.12) + 0.01 * 9.81, rel=1e-3)


def test_rigid_or_compliant():
    r = run("rigid_or_compliant.py")
    assert r["rows"][0][2] and not r["rows"][-1][1]  # certified at small friction, no P-matrix at large
    assert all((a > 0) == p for _, p, _, a in r["rows"])  # one row: P means A > 0
    assert r["finite"]


def test_sampling_mpc():
    assert run("sampling_mpc.py")["upright"] > 0.9


def test_identify_friction():
    r = run("identify_friction.py")
    assert abs(r["found"] - r["true"]) < 0.003 and abs(r["closed_form"] - r["true"]) < 0.02


def test_mujoco_side_by_side():
    pytest.importorskip("mujoco")
    r = run("mujoco_side_by_side.py")
    assert abs(r["holdfast"]) < 1e-9 and abs(r["mujoco"]) > 1e-6


def test_notebooks_are_the_scripts():
    assert subprocess.run([sys.executable, EXAMPLES / "make_notebooks.py", "--check"]).returncode == 0


@pytest.mark.skipif(not FULL, reason="the long form, with HF_FULL=1")
def test_notebooks_run():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    for path in sorted((EXAMPLES / "notebooks").glob("*.ipynb")):
        nbclient.NotebookClient(nbformat.read(path, 4), timeout=300).execute()


def test_ppo_makes_progress():
    """A few rounds of learning: the return rises far above that of the first policy."""
    pytest.importorskip("gymnasium")
    learn = runpy.run_path(str(EXAMPLES / "ppo_pinch.py"))["learn"]
    curve = learn(seed=1, worlds=16, iterations=12, threads=1, quiet=True)
    assert curve[-1]["return"] > curve[0]["return"] + 3


@pytest.mark.skipif(not FULL, reason="the long form, with HF_FULL=1")
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_ppo_learns_pinch(seed):
    learn = runpy.run_path(str(EXAMPLES / "ppo_pinch.py"))["learn"]
    assert learn(seed=seed, iterations=120, quiet=True)[-1]["success"] >= 0.9
