"""What the tests share: scenes, and lines that ./check counts (tests/support/count.awk)."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FULL = bool(os.environ.get("HF_FULL"))


def pytest_configure(config):
    config.addinivalue_line("markers", "long: the long form, with HF_FULL=1")


def pytest_runtest_logreport(report):
    if os.environ.get("HF_COUNT") is None:
        return
    name = report.nodeid.split("::", 1)[-1].replace(" ", "_")
    if report.outcome == "skipped":
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        print(f"\n[  SKIPPED ] {name} {why}", flush=True)
    elif report.outcome == "failed":
        print(f"\n[  FAILED  ] {name}", flush=True)
    elif report.when == "call":
        print(f"\n[       OK ] {name}", flush=True)


@pytest.fixture(scope="session")
def models():
    return ROOT / "models"


FALL = """<mujoco><option timestep='0.001'/>
<worldbody><geom name='floor' type='plane' size='1 1 1'/>
<body name='ball' pos='0 0 1'><freejoint name='free'/><geom name='ball' type='sphere' size='0.1' mass='2'/></body>
<body name='cart' pos='0 3 1'><joint name='rail' type='slide' axis='1 0 0'/><geom name='box' type='box' size='.1 .1 .1' mass='1'/>
<site name='tip' pos='.1 0 0'/></body>
</worldbody><actuator><motor name='push' joint='rail'/></actuator>
<sensor><jointpos name='place' joint='rail'/><framepos name='tip' objtype='site' objname='tip'/></sensor>
<keyframe><key name='low' qpos='0 0 0.1 1 0 0 0 0.25' ctrl='3'/></keyframe></mujoco>"""


@pytest.fixture
def fall():
    import holdfast as hf

    return hf.Model.from_string(FALL)
