"""Studies: plans, expressions, what parameters change, what a store holds, and that nothing but the study decides the bits."""

import csv
import io
import json
import math
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from conftest import FALL, ROOT
from holdfast.study import Study, StudyError, Store, merge
from holdfast.study.__main__ import main
from holdfast.study.call import ExperimentRunner, FunctionRunner
from holdfast.study.draw import Run, run_seed
from holdfast.study.export import to_columns, to_csv
from holdfast.study.expression import Expression
from holdfast.study.plots import draw_distribution, draw_map, draw_share, make_axis
from holdfast.study.report import make_page, replay_page, worst_runs
from holdfast.study.scene import SceneRunner
from holdfast.study.store import Lock, is_running

PINCH = dict(name="pinch", scene="pinch.xml", keyframe="soft", time=0.1, keep={"drop": "-final(q('capsule')[2])", "state": True},
             success="drop < 0.002",
             parameters={"mu": {"set": "geom.*.friction[0]", "values": [0.005, 0.02, 0.5]},
                         "squeeze": {"set": ["ctrl.left", "ctrl.right"], "grid": {"from": 2, "to": 12, "count": 5}}})


@pytest.fixture
def fall_scene(tmp_path):
    (tmp_path / "fall.xml").write_text(FALL)
    return {"name": "fall", "scene": "fall.xml", "folder": str(tmp_path), "time": 0.2}


def rows(study, path, **settings):
    store = study.run(path, **{"workers": 1, **settings})
    return list(store.rows())


# ---- plans ----------------------------------------------------------------------------------------------------


def test_a_grid_has_every_combination_in_order():
    plan = Study(name="g", function="m:f", repetitions=2, parameters={"a": {"values": [1, "x"]}, "b": {"grid": {"from": 1, "to": 100, "count": 3, "log": True}}}).plan
    assert [r.index for r in plan] == list(range(12))
    assert [(r.parameters["a"], round(r.parameters["b"], 9)) for r in plan[::2]] == [(a, b) for a in (1, "x") for b in (1, 10, 100)]
    assert len({r.seed for r in plan}) == 12 and plan[3].seed == run_seed(0, 3)


def test_numbers_of_numpy_are_numbers():
    """A study with arrays, ranges and paths is that with lists and numbers, in all its runs; numpy.int64(2) became the text "2"."""
    plain = {**PINCH, "time": 0.25, "seed": 3, "repetitions": 2, "options": {"step": 0.001953125}, "limits": {"time": 60},
             "parameters": {"a": {"set": "mass.capsule", "values": [1, 2]}, "b": {"values": [0.5, 0.75]}, "c": {"values": [True, False]},
                            "d": {"grid": {"from": 0.5, "to": 2.5, "count": 3}}, "e": {"uniform": [0.25, 4]}}}
    given = {**plain, "scene": Path("pinch.xml"), "time": np.float32(0.25), "seed": np.int64(3), "repetitions": np.uint8(2), "options": {"step": np.float32(0.001953125)},
             "limits": {"time": np.int32(60)},
             "parameters": {"a": {"set": "mass.capsule", "values": list(np.arange(1, 3))}, "b": {"values": np.array([0.5, 0.75], np.float32)},
                            "c": {"values": (np.bool_(True), np.False_)}, "d": {"grid": {"from": np.float16(0.5), "to": np.array(2.5), "count": np.int16(3)}},
                            "e": {"uniform": (np.float32(0.25), np.int8(4))}}}
    ours, theirs = Study(**given), Study(**plain)
    assert ours.hash == theirs.hash and ours.to_dict() == theirs.to_dict()
    assert [repr(run) for run in ours.plan] == [repr(run) for run in theirs.plan]
    assert Study(**{**plain, "parameters": {"a": {"values": range(1, 3)}}, "success": None, "keep": {}}).plan[-1].parameters["a"] == 2
    with pytest.raises(StudyError, match="values needs a list, has 3"):
        Study(**{**plain, "parameters": {"a": {"values": np.array(3)}}})


def test_sobol_points_are_scipys():
    qmc = pytest.importorskip("scipy.stats").qmc
    spec = {"u": {"uniform": [2, 4]}, "n": {"normal": [5, 2]}, "c": {"choice": ["a", "b"]}, "l": {"loguniform": [1, 100]}}
    plan = Study(name="s", function="m:f", seed=3, parameters=spec, sampling={"method": "sobol", "count": 64}).plan
    cube = qmc.Sobol(4, rng=3).random(64)
    from scipy.stats import norm  # its quantiles and the library's differ by rounding

    for r, u in zip(plan, cube):
        p = r.parameters
        assert p["u"] == pytest.approx(2 + 2 * u[0]) and p["n"] == pytest.approx(norm(5, 2).ppf(u[1]), rel=1e-9)
        assert p["c"] == "ab"[int(2 * u[2])] and math.log10(p["l"]) == pytest.approx(2 * u[3])


def test_a_latin_hypercube_has_one_point_in_every_stratum():
    pytest.importorskip("scipy.stats")
    spec = {n: {"uniform": [0, 1]} for n in "xyz"}
    plan = Study(name="l", function="m:f", parameters=spec, sampling={"method": "latin-hypercube", "count": 50}).plan
    for n in "xyz":
        assert sorted(int(50 * r.parameters[n]) for r in plan) == list(range(50))


def test_without_a_design_every_run_draws_its_own():
    spec = {"cell": {"values": [1, 2]}, "x": {"uniform": [0, 1]}}
    plan = Study(name="r", function="m:f", parameters=spec, repetitions=200).plan
    x = np.array([r.parameters["x"] for r in plan])
    assert len(set(x)) == 400 and abs(x.mean() - 0.5) < 4 / math.sqrt(12 * 400)  # four deviations of the mean
    more = Study(name="r", function="m:f", parameters=spec, repetitions=200, seed=1).plan
    assert not set(x) & {r.parameters["x"] for r in more}


def test_rows_that_are_listed():
    plan = Study(name="r", function="m:f", parameters={"a": {}, "b": {}, "c": {"values": [7, 8]}}, runs=[{"a": 1, "b": 2}, {"a": 3, "b": 4}]).plan
    assert [r.parameters for r in plan] == [{"a": 1, "b": 2, "c": 7}, {"a": 1, "b": 2, "c": 8}, {"a": 3, "b": 4, "c": 7}, {"a": 3, "b": 4, "c": 8}]


def test_yaml(tmp_path):
    pytest.importorskip("yaml")
    (tmp_path / "s.yaml").write_text("scene: pinch.xml\noptions: {step: 1e-3}\nparameters:\n  mu: {set: 'geom.*.friction[0]', uniform: [1e-2, 1]}\n")
    study = Study.from_file(tmp_path / "s.yaml")
    assert study.name == "s" and study.options == {"step": 1e-3} and study.parameters["mu"]["uniform"] == [0.01, 1]
    assert Study.from_dict(study.to_dict()).hash == study.hash
    (tmp_path / "bad.yaml").write_text("scene: [")
    with pytest.raises(StudyError, match="bad.yaml"):
        Study.from_file(tmp_path / "bad.yaml")
    (tmp_path / "bad.yaml").write_text("scene: pinch.xml\nparameters:\n  mu: {values: [1]}\n  mu: {values: [2]}\n")
    with pytest.raises(StudyError, match='(?s)bad.yaml: "mu" stands twice.*line 4'):
        Study.from_file(tmp_path / "bad.yaml")
    (tmp_path / "bad.yaml").write_bytes(b"scene: pinch\xff.xml")
    with pytest.raises(StudyError, match="bad.yaml: not UTF-8 from byte 12 on"):
        Study.from_file(tmp_path / "bad.yaml")
    (tmp_path / "bad.yaml").write_text("scene: pinch.xml\nfolder: 5\n")
    with pytest.raises(StudyError, match="bad.yaml: folder must be a text, is 5"):
        Study.from_file(tmp_path / "bad.yaml")


@pytest.mark.parametrize("change, message", [
    (dict(scene=None), "one of: a scene"),
    (dict(function="m:f"), "one of: a scene"),
    (dict(parameters={"mu": {"values": [1], "uniform": [0, 1]}}), "exactly one"),
    (dict(parameters={"mu": {"uniform": [0, "x"]}}), "mu: uniform needs 2 finite numbers"),
    (dict(parameters={"mu": {"uniform": [1, 0.5]}}), "mu: uniform needs its lower end first, has [1, 0.5]"),
    (dict(parameters={"mu": {"loguniform": [10, 1]}}), "mu: loguniform needs its lower end first, has [10, 1]"),
    (dict(parameters={"mu": {"value": [1]}}), '"value" is not known'),
    (dict(parameters={"my mu": {"values": [1]}}), "my mu"),
    (dict(sampling={"method": "halton", "count": 3}), "halton"),
    (dict(sampling={"method": "sobol", "count": 3}), "a parameter with a distribution"),
    (dict(repetitions=0), "repetitions"),
    (dict(parameters=["mu"]), "parameters must be a mapping"),
    (dict(time="1 s"), "time must be a number, is '1 s'"),
    (dict(time=-1), "positive"),
    (dict(time=float("inf")), "time and sample must be positive and finite"),
    (dict(sample=float("inf")), "time and sample must be positive and finite"),
    (dict(keep="drop"), "keep must be a mapping"),
    (dict(limits={"seconds": 1}), "seconds"),
    (dict(limits={"time": -1}), "limits.time must be a positive number, is -1"),
    (dict(parameters={3: {"values": [1]}}), 'parameter "3"'),
    (dict(worst="drip"), "worst: drip is neither a parameter nor in keep"),
    (dict(worst="final(q('capsule')[2])"), "worst: q() is neither"),
    (dict(keep={"x": "__import__('os')"}), "no known function"),
    (dict(keep={"x": "q('a').tofile"}), "not allowed"),
    (dict(keep={"x": "final(q)("}), "no expression"),
    (dict(keep={"x": "-" * 20000 + "1"}), "x: an expression of 20001 characters is nested too deeply"),
    (dict(keep={"recordings": "some"}), "recordings"),
    (dict(keep={"mu": "final(time)"}), '"mu" must consist of'),
    (dict(keep={"state": "maybe"}), "keep.state must be true or false, is 'maybe'"),
    (dict(scene=""), "scene is empty"),
    (dict(seed=-1), "seed must not be negative, is -1"),
    (dict(time=True), "time must be a number, is True"),
    (dict(runs=[5]), "each row must be a mapping from parameters to values, one is 5"),
    (dict(parameters={"mu": {"set": 5, "values": [1]}}), "mu: set needs a path or a list of paths, has 5"),
    (dict(parameters={"mu": {"times": None, "values": [1]}}), "mu: times needs a path or a list of paths, has None"),
    (dict(parameters={"mu": {"add": [], "values": [1]}}), "mu: add needs a path or a list of paths, has []"),
    (dict(parameters={"mu": {"set": ["mass.capsule", 1], "values": [1]}}), "mu: set needs a path or a list of paths"),
])
def test_a_wrong_study_is_refused(change, message):
    with pytest.raises(StudyError, match=re.escape(message)):
        Study(**{**PINCH, **change})


@pytest.mark.parametrize("change, message", [
    (dict(scene="missing.xml"), "missing.xml"),
    (dict(keyframe="hard"), 'no key is named "hard"'),
    (dict(parameters={"m": {"set": "mass.mug", "values": [1]}}), 'no body is named "mug"'),
    (dict(parameters={"m": {"set": "geom.capsule.pos[0]", "values": [1]}}), "pos is no field that a world may have of its own"),
    (dict(parameters={"m": {"set": "geom.capsule.friction[7]", "values": [1]}}), "no component 7"),
    (dict(parameters={"m": {"set": "colour.capsule", "values": [1]}}), "is no path"),
    (dict(parameters={"m": {"set": "geom.*.friction[0]", "values": ["much"]}}), "needs numbers"),
    (dict(parameters={"m": {"set": "option.stepp", "values": [1]}}), "stepp"),
    (dict(keep={"x": "q('capsule')[2]"}, success=None), "has a value at every time"),
    (dict(keep={"x": "final(q('cap'))"}, success=None), 'no joint is named "cap"'),
    (dict(success="drip < 1"), "drip"),
    (dict(limits={"steps": 10}), "limits.steps"),
    (dict(parameters={"m": {"set": "xml:.//geom[@name='ball']@size", "values": [1]}}), "has no such element"),
    (dict(parameters={"m": {"set": "xml:geom", "values": [1]}}), "xml:XPATH@ATTRIBUTE"),
    (dict(parameters={"m": {"set": "xml:[[@size", "values": [1]}}), "is no XPath that can be read"),
])
def test_a_study_that_does_not_fit_its_scene_is_refused_before_it_runs(change, message, tmp_path):
    with pytest.raises(StudyError, match=re.escape(message)):
        Study(**{**PINCH, **change}).run(tmp_path / "s.db", workers=1)
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize("first, second, refused", [
    (dict(set="geom.*.friction[0]"), dict(set="geom.*.friction[0]"), True),
    (dict(times="mass.capsule"), dict(set="mass.capsule"), True),
    (dict(set="geom.capsule.friction[0]"), dict(set="geom.*.friction"), True),
    (dict(set=["ctrl.left", "ctrl.right"]), dict(set="ctrl.*"), True),
    (dict(set="time"), dict(set="time"), True),
    (dict(set="option.step"), dict(set="option.step"), True),
    (dict(set="mass.capsule"), dict(times="mass.capsule"), False),        # they act together
    (dict(set="geom.*.friction[0]"), dict(set="geom.capsule.friction[0]"), False),  # an exception from what all have
    (dict(set="gravity[0]"), dict(set="gravity[2]"), False),
    (dict(set="dq.capsule[0]"), dict(set="dq.capsule[0]"), False),        # one moves on from where the other moved to
    (dict(set="option.step"), dict(set="option.solver.tolerance"), False),
])
def test_a_parameter_that_another_undoes_is_refused(first, second, refused, tmp_path):
    """The values of the second would be those of every run, and the report would show an effect of the first that it cannot have."""
    study = Study(**{**PINCH, "parameters": {"a": {**first, "values": [0.001]}, "b": {**second, "values": [0.002]}}})
    if refused:
        with pytest.raises(StudyError, match=r"parameter a, path .*: parameter b sets this again.*, so that a would change nothing"):
            study.run(tmp_path / "s.db", workers=1)
    else:
        assert len(rows(study, tmp_path / "s.db")) == 1


# ---- expressions ----------------------------------------------------------------------------------------------


def test_expressions():
    times = np.linspace(0, 1, 11)
    x = np.stack([times**2, 3 - times])
    v = np.stack([np.stack([times, 2 * times, 2 * times], axis=1)] * 2)
    signals = {("q", ("a",)): x, ("position", ("b",)): v}
    names = {"k": np.array([[2.0], [3.0]]), "shape": np.array([["box"], ["ball"]], object)}

    def value(text):
        return np.asarray(Expression("e", text).evaluate(signals, names))[:, 0].tolist()

    assert value("final(q('a'))") == [1.0, 2.0] and value("max(q('a')) - min(q('a'))") == [1.0, 1.0]
    assert value("mean(q('a'))") == pytest.approx([0.35, 2.5]) and value("rms(position('b'))[1]") == pytest.approx([math.sqrt(1.4)] * 2)
    assert value("max(norm(position('b')))") == [3.0, 3.0] and value("final(norm(k * position('b')))") == [6.0, 9.0]
    assert value("final(q('a')) < k < 3 and not k == 5") == [True, False]
    assert value("shape == 'box' or k > 10") == [True, False]
    assert value("k ** 2 + sqrt(4) - exp(0)") == [5.0, 10.0] and math.isnan(value("log(k - 2)")[0])
    assert math.isnan(value("9 ** 9 ** 9")[0]) and math.isnan(value("(k - 2) ** -1")[0]) and math.isnan(value("(-k) ** 0.5")[0])


# ---- what parameters change -------------------------------------------------------------------------------------


def test_gravity_start_and_time_by_closed_form(fall_scene, tmp_path):
    study = Study(**fall_scene, sample=0.05, keep={"z": "final(q('free')[2])", "x": "final(q('free')[0])", "fastest": "max(abs(v('free')[2]))", "t": "final(time)"},
                  parameters={"g": {"set": "gravity[2]", "values": [-9.81, -1.62]}, "z0": {"add": "q.free[2]", "values": [0.0, 2.0]},
                              "vx": {"set": "v.free[0]", "values": [0.5]}, "span": {"set": "time", "values": [0.2, 0.3]}})
    for r in rows(study, tmp_path / "s.db"):
        p, m = r["parameters"], r["metrics"]
        assert m["t"] == pytest.approx(p["span"], abs=1e-9)
        assert m["z"] == pytest.approx(1 + p["z0"] + p["g"] * p["span"] ** 2 / 2, abs=1e-9)  # a throw is an exact parabola
        assert m["x"] == pytest.approx(0.5 * p["span"], abs=1e-9) and m["fastest"] == pytest.approx(-p["g"] * p["span"], abs=1e-9)


def test_mass_gain_and_control_by_closed_form(fall_scene, tmp_path):
    study = Study(**fall_scene, keep={"x": "final(q('rail'))", "f": "mean(force('push'))", "place": "final(sensor('place'))"},
                  parameters={"m": {"set": "mass.cart", "values": [0.5, 4.0]}, "gain": {"times": "actuator.push.gainprm[0]", "values": [1.0, 3.0]},
                              "u": {"set": "ctrl.push", "values": [2.0]}})
    for r in rows(study, tmp_path / "s.db"):
        p, m = r["parameters"], r["metrics"]
        # The step is implicit Euler for a constant force: x = a h^2 n (n + 1)/2.
        assert m["x"] == pytest.approx(p["gain"] * 2.0 / p["m"] * 1e-6 * 200 * 201 / 2, rel=1e-6)
        assert m["place"] == m["x"]


def test_shapes_options_and_turns(fall_scene, tmp_path):
    study = Study(**{**fall_scene, "time": 1.0}, keep={"z": "final(position('ball'))[2]", "turned": "final(turned('ball', 'world'))", "n": "final(contacts('ball', 'world'))", "fn": "final(normal('ball', 'world'))"},
                  parameters={"r": {"set": "xml:.//geom[@name='ball']@size", "values": [0.1, 0.2]}, "h": {"set": "option.step", "values": [0.001, 0.004]},
                              "turn": {"set": "dq.free[4]", "values": [0.3]}})
    for r in rows(study, tmp_path / "s.db"):
        assert r["metrics"]["z"] == pytest.approx(r["parameters"]["r"], abs=1e-3)  # at rest on the floor, a little into it
        assert r["metrics"]["n"] == 1 and r["metrics"]["fn"] == pytest.approx(2 * 9.81, rel=1e-3) and r["metrics"]["turned"] < 1e-6
    assert len({r["model"] for r in Store(tmp_path / "s.db").rows()}) == 2


def test_a_row_is_what_a_sim_gives(tmp_path):
    """The last state of a run, bit for bit, from a sim that is told the same by hand."""
    store = Study(**PINCH).run(tmp_path / "s.db", workers=1)
    model = hf.Model.from_file(hf.models_path("pinch.xml"))
    for r in list(store.rows())[::4]:
        params = hf.Params(model)
        params.geom_friction[:, 0] = r["parameters"]["mu"]
        params.update()
        sim = hf.Sim(params)
        sim.reset("soft")
        sim.input.ctrl[:] = r["parameters"]["squeeze"]
        sim.step(steps=50)
        assert r["metrics"]["drop"] == -sim.state.q["capsule"][2]
        assert hf.State.from_bytes(model, store.state(r["index"])).q.tolist() == sim.state.q.tolist()
        assert r["success"] == (r["metrics"]["drop"] < 0.002)


def test_success_follows_the_closed_form(tmp_path):
    """A pinch holds where 2 mu F > m g; well away from the edge of that."""
    for r in rows(Study(**{**PINCH, "time": 0.5}), tmp_path / "s.db"):
        ratio = 2 * r["parameters"]["mu"] * r["parameters"]["squeeze"] / (0.045 * 9.81)
        if abs(ratio - 1) > 0.2:
            assert r["success"] == (ratio > 1)


def test_objects_without_a_name_are_called_by_number(tmp_path):
    """A free joint without a name, as in most published robots, is called like its body, too, and an actuator without one by its number: a throw by closed form."""
    text = FALL.replace("<freejoint name='free'/>", "<freejoint/>").replace("<motor name='push'", "<motor").replace("ctrl='3'", "ctrl='0'")
    (tmp_path / "fall.xml").write_text(text)
    study = Study(name="fall", scene="fall.xml", folder=str(tmp_path), time=0.2, keep={"z": "final(q('ball')[2])", "w": "final(q('#0')[2])", "x": "final(q('rail'))", "f": "final(force('#0'))"},
                  parameters={"z0": {"add": "q.#0[2]", "values": [0.5]}, "up": {"set": "v.ball[2]", "values": [1.0]}, "u": {"set": "ctrl.#0", "values": [2.0]},
                              "damp": {"set": "dof.*.damping", "values": [0.0]}})
    (row,) = rows(study, tmp_path / "s.db")
    assert row["metrics"]["w"] == row["metrics"]["z"] == pytest.approx(1.5 + 0.2 - 9.81 * 0.02, abs=1e-9) and row["metrics"]["f"] == 2.0
    state = hf.Sim(hf.Model.from_file(tmp_path / "fall.xml")).state
    assert state.q["#0"].tolist() == state.q["ball"].tolist() == state.q[:7].tolist() and state.q.names == ["ball", "rail"]
    with pytest.raises(KeyError, match="there are: ball, rail"):
        state.q["#1"]


def test_controls_over_time(fall_scene, tmp_path):
    (tmp_path / "c.csv").write_text("time,push\n0,1\n0.1,-1\n")
    study = Study(**fall_scene, controls="c.csv", keep={"v": "final(v('rail'))", "top": "max(v('rail'))"}, sample=0.01, parameters={"m": {"set": "mass.cart", "values": [1.0, 2.0]}})
    for r in rows(study, tmp_path / "s.db"):
        assert abs(r["metrics"]["v"]) < 1e-12 and r["metrics"]["top"] == pytest.approx(0.1 / r["parameters"]["m"], rel=1e-9)


def test_controls_from_a_log(fall_scene, tmp_path):
    """A row of a log acts before its time: 1 N until 0.1 s, -1 N until 0.2 s."""
    (tmp_path / "log.csv").write_text("time,q[rail],u[push]\n0.05,0,1\n0.1,0,1\n0.15,0,-1\n0.2,0,-1\n")
    study = Study(**fall_scene, controls="log.csv", keep={"v": "final(v('rail'))", "top": "max(v('rail'))"}, sample=0.01, parameters={"m": {"set": "mass.cart", "values": [1.0, 2.0]}})
    for r in rows(study, tmp_path / "s.db"):
        assert abs(r["metrics"]["v"]) < 1e-12 and r["metrics"]["top"] == pytest.approx(0.1 / r["parameters"]["m"], rel=1e-9)
    (tmp_path / "log.csv").write_text("time,u[push],push\n0.05,1,1\n")
    with pytest.raises(StudyError, match="log.csv:1: a log has .* no column `push`"):
        study.run(tmp_path / "t.db", workers=1)


def test_controls_are_read_as_the_command_reads_them(fall_scene, tmp_path):
    """With a byte order mark, comments, empty lines and blanks; times are those of the state, which begins at the time of its keyframe."""
    (tmp_path / "fall.xml").write_text(FALL.replace("key name='low'", "key name='low' time='3'"))
    (tmp_path / "c.csv").write_text("\ufefftime, push\n# from a spreadsheet\n\n0, 1\n3.1, -2\n")
    study = Study(**fall_scene, keyframe="low", controls="c.csv", keep={"v": "final(v('rail'))", "t": "final(time)"}, sample=0.01)
    (row,) = rows(study, tmp_path / "s.db")
    assert row["metrics"]["t"] == pytest.approx(3.2) and row["metrics"]["v"] == pytest.approx(0.1 - 0.2, abs=1e-12)
    holdfast = os.environ.get("HOLDFAST_COMMAND")
    if not holdfast:
        pytest.skip("HOLDFAST_COMMAND does not name the command")
    out = subprocess.run([holdfast, "run", "fall.xml", "--keyframe", "low", "--time", "0.2", "--controls", "c.csv", "--json"], cwd=tmp_path, check=True, capture_output=True)
    assert json.loads(out.stdout)["final"]["qvel"][6] == row["metrics"]["v"]
    table = hf.control.ControlTable(hf.Model.from_file(tmp_path / "fall.xml"), tmp_path / "c.csv")
    assert table.controls(3, 0.1, -0.1, held=[7.0]).tolist() == [[7.0], [1.0], [1.0]] and table.controls(0, 0.1).shape == (0, 1)
    for bad in ((-1, 0.1), (1, 0), (1, np.nan), (1, 0.1, np.inf)):
        with pytest.raises(ValueError, match="are needed"):
            table.controls(*bad)
    for text, message in (("time,pull\n0,1\n", "c.csv:1: there is no actuator `pull`"), ("time,push\n0,1\n0,2\n", "c.csv:3: times must increase")):
        (tmp_path / "c.csv").write_text(text)
        with pytest.raises(StudyError, match=message):
            study.run(tmp_path / "t.db", workers=1)


def test_a_control_wins_over_a_signal_that_cannot_be_scaled(tmp_path):
    scene = tmp_path / "cart.xml"
    scene.write_text("<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody><body><joint name='rail' type='slide' axis='1 0 0'/>"
                     "<geom size='.1' mass='2' contype='0' conaffinity='0'/></body></worldbody><actuator><motor name='push' joint='rail'/></actuator>"
                     "<custom><text name='hf.signal.push' data='constant 3'/></custom></mujoco>")
    given = dict(name="g", scene="cart.xml", folder=str(tmp_path), time=0.1, keep={"v": "final(v('rail'))"})
    study = Study(**given, parameters={"push": {"set": "ctrl.push", "values": [5.0]}})
    assert rows(study, tmp_path / "s.db")[0]["metrics"]["v"] == pytest.approx(5 * 0.1 / 2, rel=1e-12)
    study = Study(**given, parameters={"push": {"times": "ctrl.push", "values": [2]}})
    with pytest.raises(StudyError, match="signal drives this actuator"):
        study.run(tmp_path / "t.db", workers=1)


# ---- the same bits ----------------------------------------------------------------------------------------------


def test_workers_tasks_shards_and_order_do_not_matter(tmp_path):
    study = Study(**PINCH)
    digest = study.run(tmp_path / "one.db", workers=1, size=100).digest()
    assert study.run(tmp_path / "three.db", workers=3, size=2).digest() == digest
    assert study.run(tmp_path / "single.db", workers=2, size=1).digest() == digest
    shards = [tmp_path / f"{i}.db" for i in (1, 2, 3, 4)]
    for i, path in enumerate(shards, 1):
        study.run(path, shard=(i, 4), workers=1)
    assert merge(tmp_path / "merged.db", reversed(shards)).digest() == digest
    runs = study.plan
    backwards = SceneRunner(study).execute(runs[::-1])
    assert {r.index: r.metrics for r in backwards} == {r["index"]: r["metrics"] for r in Store(tmp_path / "one.db").rows()}


def test_merge_refuses_strangers(tmp_path):
    Study(**PINCH).run(tmp_path / "1.db", shard=(1, 2))
    Study(**{**PINCH, "seed": 1}).run(tmp_path / "2.db", shard=(2, 2))
    with pytest.raises(StudyError, match="hash"):
        merge(tmp_path / "all.db", [tmp_path / "1.db", tmp_path / "2.db"])


def test_another_study_or_scene_is_not_mixed_in(fall_scene, tmp_path):
    fields = {**fall_scene, "parameters": {"g": {"set": "gravity[2]", "values": [-1, -2]}}}
    Study(**fields).run(tmp_path / "s.db", shard=(1, 2))
    with pytest.raises(StudyError, match="another study"):
        Study(**{**fields, "seed": 5}).run(tmp_path / "s.db", shard=(1, 2))
    with pytest.raises(StudyError, match="shard 1/2"):
        Study(**fields).run(tmp_path / "s.db", workers=1)
    (tmp_path / "fall.xml").write_text(FALL.replace("mass='2'", "mass='3'"))
    with pytest.raises(StudyError, match="scene or function has changed"):
        Study(**fields).run(tmp_path / "s.db", shard=(1, 2))


# ---- failures -----------------------------------------------------------------------------------------------------


def test_refused_scenes_and_parameters_are_rows(fall_scene, tmp_path):
    (tmp_path / "broken.xml").write_text("<mujoco><worldbody><geom type='blob'/></worldbody></mujoco>")
    study = Study(**fall_scene, keep={"z": "final(q('free')[2])"}, parameters={"which": {"set": "scene", "values": ["fall.xml", "broken.xml", "gone.xml"]},
                                                                          "m": {"set": "mass.ball", "values": [1.0, -1.0]}})
    by = {(r["parameters"]["which"], r["parameters"]["m"]): r for r in rows(study, tmp_path / "s.db")}
    assert by["fall.xml", 1.0]["status"] == "done"
    assert by["fall.xml", -1.0]["status"] == "failed" and "mass" in by["fall.xml", -1.0]["message"]
    assert "broken.xml:1" in by["broken.xml", 1.0]["message"] and "gone.xml" in by["gone.xml", 1.0]["message"]


def test_a_value_that_makes_no_sense_is_a_row(fall_scene, tmp_path):
    study = Study(**fall_scene, keep={"end": "final(time)"}, parameters={"t": {"set": "time", "values": [0.1, "long", 0.2, -1, float("inf")]}})
    r = rows(study, tmp_path / "s.db")
    assert [x["status"] for x in r] == ["done", "failed", "done", "failed", "failed"] and "long" in r[1]["message"]
    assert all("time must be positive and finite" in x["message"] for x in r[3:])


def test_a_world_that_blows_up_is_a_row(fall_scene, tmp_path):
    study = Study(**fall_scene, keep={"z": "final(q('free')[2])"}, parameters={"v": {"set": "v.free[0]", "values": [0.0, 1e308, 1.0]}})
    r = rows(study, tmp_path / "s.db")
    assert [x["status"] for x in r] == ["done", "failed", "done"] and "s: " in r[1]["message"]


def test_a_step_that_is_not_taken_is_a_row(tmp_path):
    """A drive that no force resists pushes into a wall: the rigid problem has no solution from 0.4 s on, as holdfast run says too."""
    (tmp_path / "wall.xml").write_text(
        "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><geom type='box' size='.1 1 1' pos='.6 0 0'/>"
        "<body><joint name='x' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body></worldbody>"
        "<actuator><velocity name='push' joint='x' kv='100'/></actuator><keyframe><key name='go' ctrl='1'/></keyframe></mujoco>")
    study = Study(name="w", scene="wall.xml", folder=str(tmp_path), keyframe="go", options={"method": "mlcp", "drive_law": "constraint"}, keep={"x": "final(q('x'))"},
                  parameters={"time": {"set": "time", "values": [0.2, 1.0]}})
    short, long = rows(study, tmp_path / "s.db")
    assert short["status"] == "done" and long["status"] == "failed" and "the step was not taken (no solution)" in long["message"]


@pytest.mark.parametrize("given, stored, success", [("np.array(0.5)", 0.5, True), ("np.array([False])", [False], False), ("np.array([True, True])", [True, True], True),
                                                    ("[True, 0]", [True, 0], False), ("np.float32(0)", 0.0, False), ("'no'", None, None), ("float('nan')", None, None),
                                                    ("[]", None, None), ("[True, float('nan')]", None, None), ("None", None, None)])
def test_what_a_function_may_give_as_success(given, stored, success, tmp_path):
    (tmp_path / "judged.py").write_text(f"import numpy as np\n\n\ndef f(x):\n    return {{'success': {given}}}\n")
    runner = FunctionRunner(Study(name="judged", function="judged:f", folder=str(tmp_path), parameters={"x": {"values": [1]}}))
    [result] = runner.execute([Run(0, {"x": 1}, 7)])
    sys.modules.pop("judged"), sys.path.remove(str(tmp_path))
    if success is None:
        assert result.status == "failed" and not result.good
        assert re.fullmatch("TypeError: (success must be a truth value or a number, is .*|a result must be .*, not NoneType)", result.message)
    else:
        assert (result.status, result.metrics, result.success) == ("done", {"success": stored}, success)


def test_failures_are_recorded_by_request(fall_scene, tmp_path):
    study = Study(**{**fall_scene, "time": 0.4}, keep={"z": "final(q('free')[2])", "recordings": "failures"}, success="z > 0.5",
                  parameters={"g": {"set": "gravity[2]", "values": [-1.0, -9.81]}})
    store = study.run(tmp_path / "s.db", workers=1)
    assert store.recording(0) is None
    (tmp_path / "r.hfr").write_bytes(store.recording(1))
    recording = hf.Recording(tmp_path / "r.hfr")
    assert recording[-1].poses[1][2] == pytest.approx(list(store.rows())[1]["metrics"]["z"], abs=0.1)  # the last frame may be 1/60 s early
    assert recording.model.world["gravity"][2] == -9.81


def test_a_replay_ends_where_the_run_did(tmp_path):
    store = Study(**PINCH).run(tmp_path / "s.db", workers=1)
    study = store.study
    for run in study.plan[::5]:
        sim = SceneRunner(study).replay(run)
        assert -sim.state.q["capsule"][2] == list(store.rows())[run.index]["metrics"]["drop"]


# ---- tables and pages -----------------------------------------------------------------------------------------------


def test_tables_keep_the_bits(tmp_path):
    store = Study(**PINCH).run(tmp_path / "s.db", workers=1)
    table = list(csv.DictReader(io.StringIO(to_csv(store))))
    for row, r in zip(table, store.rows(), strict=True):
        assert float(row["drop"]) == r["metrics"]["drop"] and float(row["mu"]) == r["parameters"]["mu"]
        assert int(row["seed"]) == r["seed"] and row["success"] == str(int(r["success"]))
    assert to_columns(store)["index"] == list(range(15))


def test_parameters_and_metrics_hide_no_column(tmp_path):
    names = ("index", "status", "success", "message", "seed", "model", "version", "wall")
    study = Study(**{**PINCH, "parameters": {n: {"values": [float(i)]} for i, n in enumerate(names[:6])}, "success": None,
                     "keep": {"version": "final(time)", "wall": "2", "drop": "3"}})
    columns = to_columns(study.run(tmp_path / "s.db", workers=1))
    assert columns["index"] == [0] and columns["status"] == ["done"] and columns["success"] == [None] and columns["message"] == [""]
    assert [columns[f"parameter.{n}"] for n in names[:6]] == [[float(i)] for i in range(6)]
    assert columns["metric.wall"] == [2.0] and columns["drop"] == [3.0] and isinstance(columns["version"][0], str)


def test_parquet_pandas_polars(tmp_path):
    from holdfast.study.export import export, to_pandas, to_polars

    store = Study(**PINCH).run(tmp_path / "s.db", workers=1)
    wanted = to_columns(store)["drop"]
    pandas = pytest.importorskip("pandas")
    assert to_pandas(store)["drop"].tolist() == wanted
    pytest.importorskip("pyarrow")
    export(store, tmp_path / "s.parquet")
    assert pandas.read_parquet(tmp_path / "s.parquet")["drop"].tolist() == wanted
    pytest.importorskip("polars")
    assert to_polars(store)["drop"].to_list() == wanted


def test_the_store_is_plain_sqlite(tmp_path):
    Study(**PINCH).run(tmp_path / "s.db").close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["s.db"]
    db = sqlite3.connect(tmp_path / "s.db")
    assert db.execute("SELECT count(*) FROM run WHERE json_extract(parameters, '$.mu') > 0.1 AND status = 'done'").fetchone() == (5,)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_sizes_are_paths(fall_scene, tmp_path):
    """A ball rests with its centre one radius above the floor, but for the depth that carries its weight. All sizes share one batch."""
    study = Study(**{**fall_scene, "time": 3}, keep={"height": "final(q('free')[2])"}, parameters={"r": {"set": "geom.ball.size[0]", "values": [0.05, 0.1, 0.3]}})
    table = to_columns(study.run(tmp_path / "size.db", workers=1))
    assert table["height"] == pytest.approx(table["r"], abs=1e-4)


def test_a_refused_store_leaves_no_lock_behind(tmp_path):
    (tmp_path / "other.db").write_text("no database")
    (tmp_path / "other.db.lock").write_text("somebody's own")
    with pytest.raises(StudyError, match="is no store of a study|cannot open"):
        Study(**PINCH).run(tmp_path / "other.db")
    assert (tmp_path / "other.db.lock").read_text() == "somebody's own"
    (tmp_path / "other.db.lock").unlink()
    with pytest.raises(StudyError, match="is no store of a study|cannot open"):
        Study(**PINCH).run(tmp_path / "other.db")
    assert [p.name for p in tmp_path.iterdir()] == ["other.db"]


def test_a_store_behind_a_link(tmp_path):
    """A link stays a link, whether there is a store behind it or not, and both names have one lock."""
    (tmp_path / "far").mkdir()
    (tmp_path / "s.db").symlink_to("far/t.db")
    Study(**PINCH).run(tmp_path / "s.db").close()
    assert (tmp_path / "s.db").is_symlink() and Store(tmp_path / "far" / "t.db").counts()["done"] == len(Study(**PINCH).plan)
    lock = Lock(tmp_path / "far" / "t.db")
    with pytest.raises(StudyError, match="another process is running this study"):
        Lock(tmp_path / "s.db")
    assert is_running(tmp_path / "s.db")
    lock.release()
    assert not is_running(tmp_path / "s.db") and sorted(p.name for p in tmp_path.iterdir()) == ["far", "s.db"]


def test_the_page_says_what_the_store_holds(tmp_path):
    store = Study(**{**PINCH, "success": "drop < 0.01", "time": 0.2}).run(tmp_path / "s.db", workers=1)
    page = make_page(store, 2)
    good = [r for r in store.rows() if r["success"]]
    assert f"success ({len(good)} of 15)" in page and page.count("data-replay=") == 2 and "http" not in re.sub(r"<script.*?</script>", "", page, flags=re.S).replace("http://www.w3.org", "")
    worst = worst_runs(store, list(store.rows()), 1)[0]
    assert worst["metrics"]["drop"] == max(r["metrics"]["drop"] for r in store.rows())
    assert len(replay_page(store, worst["index"])) > 10000
    share = [r for r in store.rows() if r["parameters"]["mu"] == 0.02 and r["parameters"]["squeeze"] == 12]
    assert f"mu 0.02, squeeze 12: {sum(r['success'] for r in share)} of 1 succeed" in page


def test_the_page_says_why_a_run_has_no_replay(tmp_path):
    (tmp_path / "quiet.py").write_text("def f(x):\n    return {'y': x, 'success': x > 1}\n")
    study = Study(name="quiet", function="quiet:f", folder=str(tmp_path), parameters={"x": {"values": [1, 2]}})
    page = make_page(study.run(tmp_path / "s.db", workers=1), 2)
    assert "Run 0 has no replay: run 0 has no recording: the function must record" in page and page.count("<th>success</th>") == 1


def test_cells_of_an_axis_have_labels_that_differ():
    labels = make_axis("squeeze", [1.1 + 10.8 * i / 63 for i in range(64)]).labels
    assert len(set(labels)) == len(labels) and labels[-2:] == ["10.6", "11.4"], labels
    assert make_axis("mu", [0.02 + 0.38 * i / 63 for i in range(64)]).labels[-1] == "0.38"  # two digits are enough


def test_values_that_differ_in_late_digits():
    """Three values of which two agree in four digits: the page ended in an IndexError, and a parameter of such values alone was left out."""
    values = [1.00001, 1.00002, 2.0]
    axis = make_axis("h", values)
    assert [axis.labels[axis.bin(v)] for v in values] == ["1.00001", "1.00002", "2"]
    assert make_axis("h", [1, 2.5, float("nan")]).labels == ["1", "2.5", "nan"]  # what is no number has no order
    xs = [v for v in values for _ in range(2)]
    assert all(f"h {label}, mu 1" in draw_map(axis, make_axis("mu", [1, 3]), xs, [1, 3] * 3, [True] * 6) for label in axis.labels)
    page = draw_distribution("drop", [2.7590001e-07, 2.7590002e-07, 2.7590003e-07], [True] * 3)
    assert all(f">{label}<" in page for label in ("2.7590001e-07", "2.7590002e-07", "2.7590003e-07")) and page.count("2.759e-07") == 0


def test_a_parameter_that_varies_in_late_digits_is_shown(tmp_path):
    study = Study(**{**PINCH, "parameters": {"mu": {"set": "geom.*.friction[0]", "values": [0.50001, 0.50002]}}})
    page = make_page(study.run(tmp_path / "s.db", workers=1), 0)
    assert ">0.50001<" in page and ">0.50002<" in page


def test_long_names_are_cut_below_plots():
    name = "a very long name of a shape"
    assert f">{name}<" not in (plot := draw_share(make_axis("shape", [name, "b"]), [name, "b"], [True, False])) and ">a very long n…<" in plot and f"{name}: 1 of 1" in plot


def test_a_study_without_success_shows_means(tmp_path):
    store = Study(**{**PINCH, "success": None, "repetitions": 2}).run(tmp_path / "s.db", workers=1)
    drop = next(r["metrics"]["drop"] for r in store.rows() if r["parameters"] == {"mu": 0.005, "squeeze": 2.0})
    page = make_page(store, 1)
    text = re.sub(r"<script.*?</script>", "", page, flags=re.S)
    assert f"mu 0.005, squeeze 2: mean drop {drop:.4g} of 2 runs" in text
    assert "without success" not in text and "no success" not in text  # nobody judged these runs


def test_texts_of_users_are_no_html(tmp_path):
    (tmp_path / "odd.py").write_text("def f(x):\n    if x == '<i>2': raise ValueError('<script>alert(1)</script>')\n    return {'success': True}\n")
    study = Study(name="<b>bold", function="odd:f", folder=str(tmp_path), parameters={"x": {"values": ["<i>1", "<i>2"]}, "y": {"values": [1, 2]}})
    page = make_page(study.run(tmp_path / "s.db", workers=1), 1)
    assert "<b>bold" not in page and "<i>" not in page and "<script>alert" not in page and "&lt;i&gt;2" in page


# ---- the command ------------------------------------------------------------------------------------------------------


def command(*arguments, **settings):
    return subprocess.run([sys.executable, "-m", "holdfast.study", *map(str, arguments)], capture_output=True, text=True, timeout=120, **settings)


def test_the_verbs(tmp_path):
    pytest.importorskip("yaml")
    (tmp_path / "p.yaml").write_text("scene: pinch.xml\nkeyframe: soft\ntime: 0.1\nparameters:\n  mu: {set: 'geom.*.friction[0]', values: [0.01, 0.5]}\n"
                                     "keep: {drop: \"-final(q('capsule')[2])\"}\nsuccess: drop < 1e-3\n")
    run = command("run", "p.yaml", cwd=tmp_path)
    assert run.returncode == 0 and "2 of 2 runs done" in run.stdout and "success: 1 of 2" in run.stdout, run.stderr
    assert "complete" in command("status", "p.db", cwd=tmp_path).stdout
    assert command("resume", "p.db", cwd=tmp_path).returncode == 0
    for name in ("p.csv", "p.html"):
        assert command("export" if name.endswith("csv") else "report", "p.db", "-o", name, cwd=tmp_path).returncode == 0
        assert (tmp_path / name).stat().st_size > 100
    assert command("replay", "p.db", 0, "-o", "r.hfr", cwd=tmp_path).returncode == 0 and len(hf.Recording(tmp_path / "r.hfr")) > 3
    for call, message in ((("run", "q.yaml"), "q.yaml"), (("status", "q.db"), "q.db"), (("replay", "p.db", 9, "-o", "x.hfr"), "no run 9"),
                          (("export", "p.db", "-o", "x.txt"), "x.txt"), (("run", "p.yaml", "--shard", "5/2"), "5/2"), (("run", "p.yaml", "--shard", "1/1_0"), "1/1_0"),
                          (("status", "p.yaml"), "no store")):
        done = command(*call, cwd=tmp_path)
        assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr, done.stderr


@pytest.mark.parametrize("call, least", [(("run", "p.yaml", "--workers"), 0), (("run", "p.yaml", "--size"), 1), (("resume", "p.db", "--workers"), 0),
                                         (("resume", "p.db", "--size"), 1), (("report", "p.db", "-o", "p.html", "--replays"), 0), (("replay", "p.db", "-o", "p.hfr"), 0),
                                         (("script", "p.yaml", "--shards"), 1), (("script", "p.yaml", "--shards", "2", "--cores"), 1)])
def test_numbers_of_options(call, least, capsys):
    """A wrong number is a wrong call, before any file is read. 1_0 counted as 10, and the run of a replay that SQLite cannot hold ended in a traceback."""
    for number in (str(least - 1), "abc", "nan", "inf", "1.5", "3x", "1_0", " 2", "+2", "", "99999999999999999999"):
        with pytest.raises(SystemExit) as ended:
            main([*call, number])
        assert ended.value.code == 2 and f'must be a whole number from {least} to 1000000000, is "{number}"' in capsys.readouterr().err
    assert main([*call, str(least)]) == 1  # there is no such file


def test_the_time_of_a_job(capsys, tmp_path):
    pytest.importorskip("yaml")
    for text in ("abc", "-1", "nan", "inf", "90", "1:00", "00:00:00", "01:60:00", "01:00:00x", "1e3:00:00", "", "99999:00:00", "x-01:00:00"):
        with pytest.raises(SystemExit) as ended:
            main(["script", "p.yaml", "--shards", "2", f"--time={text}"])
        assert ended.value.code == 2 and f'--time: must be a time as HH:MM:SS, is "{text}"' in capsys.readouterr().err
    (tmp_path / "p.yaml").write_text("scene: pinch.xml\n")
    for text, line in (("72:30:00", "--time=72:30:00"), ("2-00:30:00", "--time=2-00:30:00")):
        assert main(["script", str(tmp_path / "p.yaml"), "--shards", "2", "--time", text]) == 0 and line in capsys.readouterr().out
    assert main(["script", str(tmp_path / "p.yaml"), "--shards", "2", "--system", "pbs", "--time", "2-00:30:00"]) == 1
    assert 'the limit of the job must be a time as HH:MM:SS, is "2-00:30:00"' in capsys.readouterr().err


def test_the_command_hands_over(tmp_path):
    holdfast = os.environ.get("HOLDFAST_COMMAND")
    if not holdfast:
        pytest.skip("HOLDFAST_COMMAND does not name the command")
    def call(verb="--help", **environment):
        return subprocess.run([holdfast, "study", verb], capture_output=True, text=True, env={**os.environ, **environment})

    assert "run FILE.yaml" in call(HOLDFAST_PYTHON=sys.executable).stdout
    gone = call("status", HOLDFAST_PYTHON=str(tmp_path / "no-python"))
    assert gone.returncode == 1 and "Python 3.11" in gone.stderr
    assert "cannot be started" in call(HOLDFAST_PYTHON=str(tmp_path / "no-python")).stdout
    asked = tmp_path / "asked"
    asked.write_text('#!/bin/sh\n[ "$1" = -c ] || echo "$HOLDFAST_COMMAND"\n')
    asked.chmod(0o755)
    environment = {k: v for k, v in os.environ.items() if k != "HOLDFAST_COMMAND"}
    told = subprocess.run([holdfast, "study", "--help"], capture_output=True, text=True, env={**environment, "HOLDFAST_PYTHON": str(asked)})
    assert os.path.samefile(told.stdout.strip(), holdfast)  # the package finds the command that handed over
    bare = call("status", HOLDFAST_PYTHON=sys.executable, PYTHONPATH=str(tmp_path))
    assert bare.returncode == 1 and "package holdfast" in bare.stderr


def test_an_experiment_whose_line_fails_is_done_and_one_that_stops_is_a_failure(tmp_path, monkeypatch):
    # The stand-in answers as the command does: status 1 for a line that fails, and for an experiment that could not end.
    stand_in = tmp_path / "holdfast"
    stand_in.write_text("""#!/bin/sh
line() { echo "{\\"figures\\": {\\"x\\": 2.5}, \\"complete\\": $2, \\"must\\": [{\\"holds\\": $1, \\"full_only\\": false}]}"; }
case $2 in
holds) line true true ;;
fails) line false true; echo "fails: 1 of the 1 lines that it has to show do not hold" >&2; exit 1 ;;
stops) line false false; echo "holdfast: no memory" >&2; exit 1 ;;
esac
""")
    stand_in.chmod(0o755)
    monkeypatch.setenv("HOLDFAST_COMMAND", str(stand_in))
    study = Study(name="e", experiment="holds", folder=str(tmp_path), parameters={"experiment": {"values": ["holds", "fails", "stops"]}})
    results = ExperimentRunner(study).execute(study.plan)
    assert [(r.status, r.good) for r in results] == [("done", True), ("done", False), ("failed", False)]
    assert results[1].metrics["lines_that_hold"] == 0 and results[1].metrics["x"] == 2.5 and "no memory" in results[2].message
