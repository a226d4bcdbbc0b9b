"""A wheel, built and used in an environment of its own (the long form: it needs minutes and the network)."""

import os
import subprocess
import sys

import pytest

from conftest import FULL, ROOT


@pytest.mark.skipif(not FULL, reason="the long form, with HF_FULL=1")
def test_a_wheel_works_alone(tmp_path):
    done = subprocess.run([ROOT / "python" / "make_wheel", tmp_path], env={**os.environ, "PYTHON": sys.executable, "PYTHONPATH": ""},
                          capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip().endswith(".whl") and "abi3" in done.stdout
