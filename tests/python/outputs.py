"""Every file that the command and the package write, and how: a table for tests of whole files and of locales.

A row has a name, the file, how it is written (a call of the command, or Python text that sees `hf` and `path`), and whether it grows
by rows: then a file that is cut short by a kill holds whole rows. Where the call names FOLDER it writes several files there, of which the
row names one.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from conftest import ROOT

COMMAND = os.environ.get("HOLDFAST_COMMAND", "holdfast")
SCENE = str(ROOT / "models/pinch.xml")


@dataclass(frozen=True)
class Output:
    name: str
    file: str
    command: tuple = ()  # of the command holdfast; FILE and FOLDER are replaced
    python: str = ""
    rows: bool = False
    same: bool = True  # the same bytes in every run
    needs: str = ""  # a program or Python package without which it cannot be written


RUN = ("run", SCENE, "--time", "1")
OUTPUTS = [
    Output("run --log", "log.csv", (*RUN, "--log", "FILE"), rows=True),
    Output("run --contacts", "contacts.csv", (*RUN, "--contacts", "FILE"), rows=True),
    Output("run --steps", "steps.csv", (*RUN, "--steps", "FILE"), rows=True, same=False),
    Output("run --record", "run.hfr", (*RUN, "--record", "FILE"), rows=True, same=False),
    Output("run --report", "report.html", (*RUN, "--report", "FILE"), same=False),
    Output("convert to MJCF", "scene.xml", ("convert", SCENE, "FILE")),
    Output("convert to SDFormat", "scene.sdf", ("convert", SCENE, "FILE")),
    Output("convert to URDF", "scene.urdf", ("convert", SCENE, "FILE")),
    Output("convert to a block", "scene.hfm", ("convert", SCENE, "FILE")),
    Output("convert to MCAP", "run.mcap", ("convert", "in.hfr", "FILE"), same=False),
    Output("convert to a report", "run.html", ("convert", "in.hfr", "FILE"), same=False),
    Output("render", "picture.png", ("render", SCENE, "--time", "0.1", "-o", "FILE"), same=False, needs="chromium"),
    Output("render --video", "video.mp4", ("render", SCENE, "--time", "0", "--until", "0.2", "--video", "FILE"), same=False, needs="ffmpeg"),
    Output("Model.save", "model.hfm", python="hf.Model.from_file(scene).save(path)"),
    Output("Model.write", "model.sdf", python="hf.Model.from_file(scene).write(path)"),
    Output("State.save", "state.hfs", python="sim = hf.Sim(hf.Model.from_file(scene)); sim.step(steps=9); sim.state.save(path)"),
    Output("Problem.write", "problem.txt", python="sim = hf.Sim(hf.Model.from_file(scene)); sim.step(steps=9); sim.problem().write(path)"),
    Output("FrictionProblem.write", "friction.txt",
           python="hf.FrictionProblem(mu=[0.5], W=[[2.0, 0, 0], [0, 2, 0], [0, 0, 2]], q=[-1.0, 0.25, 0]).write(path)"),
    Output("fclib.write", "friction.hdf5",
           python="import holdfast.fclib; "
                  "holdfast.fclib.write(path, hf.FrictionProblem(mu=[0.5], W=[[2.0, 0, 0], [0, 2, 0], [0, 0, 2]], q=[-1.0, 0.25, 0]))",
           same=False, needs="h5py"),
    Output("Report.save", "page.html",
           python="sim = hf.Sim(hf.Model.from_file(scene), report=True); sim.step(steps=50); sim.report('a').save(path)", same=False),
    Output("study export", "table.csv", ("study", "export", "in.db", "-o", "FILE")),
    Output("study export to Parquet", "table.parquet", ("study", "export", "in.db", "-o", "FILE"), needs="pyarrow"),
    Output("experiment --out", "painleve_force.csv", ("experiment", "painleve", "--quick", "--out", "FOLDER")),
    Output("study report", "study.html", ("study", "report", "in.db", "-o", "FILE"), same=False),
]

STUDY = """from holdfast.study import Study
Study(name="pinch", scene=%r, time=0.05, keep={"drop": "-final(q('capsule')[2])"},
      parameters={"mu": {"set": "geom.*.friction[0]", "uniform": [0.01, 0.5]}}, repetitions=3).run("in.db", workers=1)
"""


def environment(**more):
    return {**os.environ, "HOLDFAST_PYTHON": sys.executable, **more}


def call(output, folder, under=(), **options):
    """The process that writes the output into the folder. ``under``: a program with its arguments that runs it."""
    path = str(Path(folder, output.file))
    if output.command:
        arguments = [COMMAND, *({"FILE": path, "FOLDER": str(folder)}.get(a, a) for a in output.command)]
    else:
        arguments = [sys.executable, "-c", f"import holdfast as hf; scene, path = {SCENE!r}, {path!r}; {output.python}"]
    options.setdefault("env", environment())
    if "render" in output.name:  # Chromium does not run under our sanitizer; the command brings its own.
        options["env"].pop("LD_PRELOAD", None)
    return subprocess.Popen([*under, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def finish(process):
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


def prepare(folder):
    """What some outputs are made from: a recording and a finished study."""
    subprocess.run([COMMAND, *RUN, "--record", "in.hfr"], cwd=folder, check=True, capture_output=True)
    subprocess.run([sys.executable, "-c", STUDY % SCENE], cwd=folder, check=True, stdout=subprocess.PIPE)


def missing(output):
    return output.needs and not shutil.which(output.needs) and not importlib.util.find_spec(output.needs)
