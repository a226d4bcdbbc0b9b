"""The annotations of the package, by mypy: inside, and as a program sees them."""

import importlib.util
import subprocess
import sys

import pytest

from conftest import ROOT

pytestmark = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")


def mypy(*arguments, cwd):
    return subprocess.run([sys.executable, "-m", "mypy", "--no-error-summary", f"--cache-dir={cwd / 'cache'}", *arguments], cwd=cwd, capture_output=True, text=True)


def test_the_package_has_no_errors(tmp_path):
    done = mypy("--config-file", str(ROOT / "python" / "pyproject.toml"), str(ROOT / "python" / "holdfast"), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_program_is_checked(tmp_path, monkeypatch):
    """What objects have is accepted, and what they do not have is found, at its line."""
    monkeypatch.setenv("MYPYPATH", str(ROOT / "python"))
    (tmp_path / "program.py").write_text("""import holdfast as hf
model = hf.Model.from_file("a.urdf", srdf="a.srdf", actuators="position")
sim = hf.Sim(model)
sim.state.q = [0, 1]
forces = hf.columns(sim.contacts())["fn"].sum()
sim.stat.q = 1
hf.Model.from_file("a.urdf", srdff="a.srdf")
mass = model.body_mass.sum() / model.nbody
masses = model.body_mas
hf.Params(model).geom_friction = 1
hf.Params(model).geom_type
""")
    done = mypy("--ignore-missing-imports", "program.py", cwd=tmp_path)
    assert [line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line] == ["6", "7", "9", "11"], done.stdout + done.stderr
