"""Every output of outputs.py and what the verbs print has the same bytes in de_DE.UTF-8, whose decimal comma would change numbers, and
in C. Oracle: the locale C."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from outputs import COMMAND, OUTPUTS, SCENE, call, environment, finish, missing, prepare

LOCALES = Path(os.environ.get("HF_BUILD_DIR", ""), "locale")
GERMAN = {"LOCPATH": str(LOCALES), "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
ENGLISH = {"LOCPATH": str(LOCALES), "LC_ALL": "C", "LANG": "C"}

# Verbs whose words are compared. What changes from run to run, the times, is masked.
PRINTED = [
    ("check", SCENE), ("check", "--json", SCENE), ("info", SCENE), ("info", "--json", SCENE), ("dynamics", SCENE),
    ("dynamics", "--json", SCENE), ("run", SCENE, "--time", "0.25"), ("run", SCENE, "--time", "0.25", "--json"),
    ("run", SCENE, "--step", "0.0015", "--set", "near_rigid=0.25", "--time", "0.1"), ("run", SCENE, "--time", "0,25"),
    ("problem", "problem.txt"), ("problem", "--json", "problem.txt"), ("experiment",), ("bench",), ("bench", "dynamics", "--quick"),
    ("study", "status", "in.db"), ("experiment", "stiction", "--quick"),
]
TIME_LINES = re.compile(r"^.*(wall|longest step|time|times|\bus\b|µs|rate|seconds?|per step|speed).*$", re.M | re.I)


@pytest.fixture(scope="module", autouse=True)
def german():
    name = subprocess.run([sys.executable, "-c", "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.localeconv()['decimal_point'])"],
                          env=environment(**GERMAN), capture_output=True, text=True)
    if name.stdout.strip() != ",":
        pytest.skip("needs the Debian package locales when CMake configures")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("locale")
    prepare(folder)
    text = f"import holdfast as hf; sim = hf.Sim(hf.Model.from_file({SCENE!r})); sim.step(steps=200); sim.problem().write('problem.txt')"
    subprocess.run([sys.executable, "-c", text], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("output", [o for o in OUTPUTS if not o.name.startswith("render")], ids=lambda o: o.name)
def test_files(output, folder):
    if missing(output):
        pytest.skip(f"needs {output.needs}")
    written = []
    for locale in (ENGLISH, GERMAN):
        status, _, err = finish(call(output, folder, env=environment(**locale)))
        assert status == 0, err
        written.append((folder / output.file).read_bytes())
    if output.same:
        assert written[0] == written[1]
    else:
        assert abs(len(written[0]) - len(written[1])) <= 0.05 * len(written[0]) + 64
    if output.file.endswith(".csv"):  # as many columns everywhere: no comma inside a number
        assert len({line.count(b",") for line in written[1].splitlines()}) == 1


def printed(arguments, folder, locale):
    done = subprocess.run([COMMAND, *arguments], cwd=folder, env=environment(**locale), capture_output=True, text=True, timeout=120)
    return done.returncode, TIME_LINES.sub("", done.stdout), TIME_LINES.sub("", done.stderr), done.stdout


@pytest.mark.parametrize("arguments", PRINTED, ids=lambda a: " ".join(a).replace(str(ROOT), ""))
def test_words(arguments, folder):
    english, german = printed(arguments, folder, ENGLISH), printed(arguments, folder, GERMAN)
    assert german[:3] == english[:3]
    assert len(re.findall(r"\d,\d", german[3])) == len(re.findall(r"\d,\d", english[3])), "a number has a decimal comma"
