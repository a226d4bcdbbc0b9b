"""Studies in trouble: workers, drivers and all of it killed at random moments, full disks, folders without write access,
functions that raise, crash or never end. The oracle is an undisturbed run of the same study."""

import importlib.util
import io
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from conftest import FULL, ROOT
from killing import Strikes, alive, check_none_ran_twice, children, end_process, finished, remove_store
from holdfast.study import Study, StudyError, Store, merge
from holdfast.study.__main__ import main
from holdfast.study.export import export
from holdfast.study.progress import Progress
from holdfast.study.report import replay_page, write_report
from holdfast.study.results import Result

LOCAL = ("worker", "driver", "everything")
TRIALS = """
import math, os, signal, time

def walk(x, seed, log):
    with open(log, "a") as file:      # one write a line: workers may append at the same time
        file.write(f"{x} {time.time()!r}\\n")
    time.sleep(0.01)
    return {"y": math.sin(x + seed % 1000), "success": x % 3 > 0}

def trouble(x):
    if x == 1: raise RuntimeError("no grasp")
    if x == 2:
        while True: pass
    if x == 3: os.kill(os.getpid(), signal.SIGSEGV)
    if x == 4: time.sleep(60)
    if x == 5: return {"bad": object()}
    if x == 6: os._exit(3)
    return x * 2
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "trials.py").write_text(TRIALS)
    return tmp_path


def walk_study(folder, runs):
    return Study(name="walk", function="trials:walk", folder=str(folder),
                 parameters={"x": {"values": list(range(runs))}, "log": {"values": [str(Path(folder) / "log")]}})


def start(folder, runs, store="s.db", **settings):
    code = ("import sys; sys.path.insert(0, %r)\nfrom test_study_trouble import walk_study\n"
            "walk_study(%r, %d).run(%r, workers=2, **%r)" % (str(Path(__file__).parent), str(folder), runs, str(folder / store), settings))
    return subprocess.Popen([sys.executable, "-c", code], start_new_session=True)


FOLDERS = """
import os, signal, time

def f(x, run):
    open(run.recording, "w").write("half of it")
    if x == 1:
        while True: time.sleep(1)
    if x == 2: os.kill(os.getpid(), signal.SIGKILL)
    if x == 3: os._exit(3)
    if x == 4: raise RuntimeError
    return x
"""


def test_workers_that_are_killed_leave_no_folder(tmp_path, monkeypatch):
    """A worker that took too long, crashed or was killed left the folder of its run among the temporary files."""
    (tmp_path / "folders.py").write_text(FOLDERS)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    study = Study(name="t", function="folders:f", folder=str(tmp_path), parameters={"x": {"values": list(range(6))}}, limits={"time": 3, "attempts": 2})
    store = study.run(tmp_path / "s.db", workers=2)
    assert [r["status"] for r in store.rows()] == ["done", "timeout", "failed", "failed", "failed", "done"]
    assert not list((tmp_path / "temporary").iterdir())


def test_kill_at_random_moments(folder):
    """kill -9 of a worker, of the driver and of everything. What was stored is never lost nor run again, the end is the same."""
    runs, strikes = 600 if FULL else 150, Strikes(LOCAL, 20 if FULL else 2)
    digest = walk_study(folder, runs).run(folder / "calm.db", workers=2).digest()
    while strikes.next:
        (folder / "log").unlink()
        kill_until_complete(strikes, folder / "s.db", lambda: start(folder, runs))
        assert Store(folder / "s.db").digest() == digest
        check_none_ran_twice(folder / "s.db", folder / "log")
        remove_store(folder / "s.db")
    strikes.check()


def test_a_scene_that_is_killed_ends_with_the_same_bytes(folder):
    fields = dict(name="pinch", scene="pinch.xml", keyframe="soft", time=0.3, keep={"drop": "-final(q('capsule')[2])", "state": True},
                  parameters={"mu": {"set": "geom.*.friction[0]", "uniform": [0.01, 0.5]}}, repetitions=2000 if FULL else 400)
    digest = Study(**fields).run(folder / "calm.db").digest()
    code = f"from holdfast.study import Study; Study(**{fields!r}).run({str(folder / 's.db')!r}, workers=2, size=20)"
    strikes = Strikes(LOCAL, 20 if FULL else 1)
    while strikes.next:
        kill_until_complete(strikes, folder / "s.db", lambda: subprocess.Popen([sys.executable, "-c", code]))
        assert Store(folder / "s.db").digest() == digest
        remove_store(folder / "s.db")
    strikes.check()


def kill_until_complete(strikes, path, start_driver):
    """Starts a driver again and again until it ends by itself, and kills meanwhile."""
    while True:
        before, driver, seen = finished(path), start_driver(), set()
        while driver.poll() is None and strikes.next:
            strikes.pause(0.1, 1.0)
            seen.update(children(driver.pid))
            if driver.poll() is None and kill(strikes.next, driver, strikes.random):
                strikes.count()
        driver.wait(120)
        end = time.monotonic() + 10
        while any(alive(w) for w in seen) and time.monotonic() < end:
            time.sleep(0.01)
        assert not any(alive(w) for w in seen), "a worker outlived its driver"
        assert before <= finished(path), "a run that was stored is lost"
        if driver.returncode != -signal.SIGKILL:
            assert driver.returncode == 0
            return


def kill(kind, driver, rng):
    """Kills the driver, one of its workers or all; False where there is no such process yet."""
    workers = children(driver.pid)
    if not workers and kind != "driver":
        return False
    victims = {"worker": workers and [rng.choice(workers)], "driver": [driver.pid], "everything": [driver.pid, *workers]}[kind]
    return [end_process(pid) for pid in victims][0]


def kill_in_a_write(path, mode):
    """Ends a process with kill -9 in the middle of a transaction on a store, after pages were written."""
    code = (f"import os, sqlite3; db = sqlite3.connect({str(path)!r}, isolation_level=None); db.execute('PRAGMA journal_mode = {mode}')\n"
            "db.execute('PRAGMA cache_size = 2'); db.execute('PRAGMA wal_autocheckpoint = 0')\n"
            "db.execute('BEGIN IMMEDIATE'); db.execute('UPDATE run SET message = hex(randomblob(3000))')\n"
            "if 'wal' in db.execute('PRAGMA journal_mode').fetchone(): db.execute('COMMIT')\n"
            "os.kill(os.getpid(), 9)")
    assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGKILL


def test_a_write_that_was_cut_off_is_taken_back_by_a_reader(folder):
    """Both ends of a run write without a log: the journal changes its mode. A reader said that the store is none."""
    store = walk_study(folder, 30).run(folder / "s.db", workers=1)
    digest = store.digest()
    store.close()
    kill_in_a_write(folder / "s.db", "delete")
    assert (folder / "s.db-journal").stat().st_size > 0
    assert Store(folder / "s.db").digest() == digest
    assert not (folder / "s.db-journal").exists()


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_journals_of_a_store_that_was_removed(folder, mode):
    """They lie beside the file; SQLite takes them for those of the new store of this name."""
    digest = walk_study(folder, 30).run(folder / "s.db", workers=1).digest()
    kill_in_a_write(folder / "s.db", mode)
    (folder / "s.db").unlink()
    assert len(list(folder.glob("s.db-*"))) > 0
    assert walk_study(folder, 30).run(folder / "s.db", workers=1).digest() == digest


def test_the_interrupt_key_ends_it_and_it_goes_on(folder):
    driver = start(folder, 300)
    deadline = time.monotonic() + 20
    while len(finished(folder / "s.db")) < 10 and time.monotonic() < deadline:
        time.sleep(0.05)
    workers = children(driver.pid)
    driver.send_signal(signal.SIGINT)
    assert driver.wait(10) != 0 and not any(alive(w) for w in workers)
    store = walk_study(folder, 300).run(folder / "s.db", workers=2)
    assert store.counts()["done"] == 300
    done = [line.split()[0] for line in (folder / "log").read_text().splitlines()]
    assert len(done) - len(set(done)) <= 2  # those that the two workers had in hand


def test_a_study_that_was_stopped_loses_no_run(folder):
    """Ctrl-Z, a suspended job, a closed laptop: everything stands still for longer than a run may take."""
    limit, rest = 4, 8  # [s]
    (folder / "slow.py").write_text("import time\ndef f(x):\n    for _ in range(20): time.sleep(0.05)\n    return x\n")
    code = ("from holdfast.study import Study\nStudy(name='s', function='slow:f', folder=%r, parameters={'x': {'values': list(range(6))}}, "
            "limits={'time': %d}).run(%r, workers=2)" % (str(folder), limit, str(folder / "s.db")))
    driver = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    deadline = time.monotonic() + 30
    while not finished(folder / "s.db") and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(driver.pid, signal.SIGSTOP)
    time.sleep(rest)
    os.killpg(driver.pid, signal.SIGCONT)
    assert driver.wait(60) == 0
    assert Store(folder / "s.db").counts()["done"] == 6


@pytest.mark.parametrize("damage", [
    "UPDATE run SET metrics='{\"y\": ' WHERE idx=1", "UPDATE run SET metrics=5 WHERE idx=1",
    "UPDATE run SET parameters='[1]' WHERE idx=1", "UPDATE run SET metrics=CAST(x'7bff7d' AS TEXT) WHERE idx=1",
    "UPDATE run SET metrics='" + "[" * 100000 + "' WHERE idx=1", "UPDATE study SET value='{' WHERE key='study'"])
def test_a_damaged_store_is_a_message(folder, damage, capsys):
    walk_study(folder, 3).run(folder / "s.db", workers=1).close()
    with sqlite3.connect(folder / "s.db") as db:
        db.execute(damage)
    db.close()
    for verb in ("status", "export", "report"):
        arguments = [verb, str(folder / "s.db")] + {"status": [], "export": ["-o", str(folder / "out.csv")], "report": ["-o", str(folder / "out.html")]}[verb]
        code = main(arguments)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        if code:
            assert "s.db" in said.err and code == 1


def test_what_goes_on_counts_earlier_runs_too(folder):
    study = walk_study(folder, 9)
    store = Store.create(folder / "s.db", study)
    store.add([Result(i, "done", "", i % 3 > 0, {}) for i in range(5)] + [Result(5, "failed", "no grasp", None, {})])
    said = io.StringIO()
    progress = Progress(store.counts(), stream=said)
    progress.count([Result(6, "done", "", False, {}), Result(7, "done", "", True, {})])
    progress.show(end=True)
    store.close()
    assert said.getvalue() == "8 of 9 runs, 0 s left, 3 without success, 1 failed\n"  # runs 0, 3 and 6; run 5


def test_folders_whose_names_mean_something_in_addresses(folder):
    odd = folder / "a#b?c%20d &=e"
    odd.mkdir()
    study = walk_study(folder, 3)
    store = study.run(odd / "s.db", workers=1, quiet=True)
    assert store.counts()["done"] == 3
    assert study.run(odd / "s.db", workers=1, quiet=True).digest() == store.digest()
    assert merge(odd / "all?.db", [odd / "s.db"]).counts()["done"] == 3
    assert sorted(p.name for p in folder.iterdir() if p.name.startswith("a")) == [odd.name]  # nothing beside it


def test_two_drivers_do_not_share_a_store(folder):
    driver = start(folder, 200)
    deadline = time.monotonic() + 20
    while not finished(folder / "s.db") and time.monotonic() < deadline:
        time.sleep(0.05)
    with pytest.raises(StudyError, match="another process is running this study"):
        walk_study(folder, 200).run(folder / "s.db")
    driver.kill(), driver.wait()


def test_functions_that_raise_crash_or_never_end(folder):
    limit = 20 if "asan" in os.environ.get("LD_PRELOAD", "") else 1.5  # [s]; the sanitizer takes its time to describe a crash
    study = Study(name="t", function="trials:trouble", folder=str(folder), parameters={"x": {"values": list(range(9))}}, limits={"time": limit, "attempts": 2})
    begin = time.monotonic()
    rows = list(study.run(folder / "s.db", workers=3).rows())
    assert time.monotonic() - begin < 20 * limit
    assert [r["status"] for r in rows] == ["done", "failed", "timeout", "failed", "timeout", "failed", "failed", "done", "done"]
    assert "RuntimeError: no grasp (trials.py:11 in trouble)" in rows[1]["message"] and f"longer than {limit:g} s" in rows[2]["message"]
    assert ("SIGSEGV" if limit < 20 else "the process ended") in rows[3]["message"] and "2 times" in rows[3]["message"] and "exit status 3" in rows[6]["message"]
    assert "object" in rows[5]["message"] and rows[8]["metrics"] == {"value": 16}


def test_workers_that_end_before_they_read_their_study(folder, monkeypatch):
    """The driver neither stops nor tries for ever: every run is a row that says how its process ended."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    rows = list(walk_study(folder, 4).run(folder / "s.db", workers=2).rows())
    assert all(r["status"] == "failed" and r["message"] == "the process ended with exit status 1, 3 times" for r in rows)


def test_a_slow_import_is_no_slow_run(folder):
    """The clock of a run starts when its process is ready for it."""
    (folder / "heavy.py").write_text("import time\ntime.sleep(1.5)\ndef f(x): return x\n")
    study = Study(name="t", function="heavy:f", folder=str(folder), parameters={"x": {"values": [1, 2]}}, limits={"time": 1})
    assert study.run(folder / "s.db", workers=1).counts()["done"] == 2


def test_the_function_of_the_guide(folder):
    """The example of docs/guide/studies.md runs, and its failures are recorded."""
    text = (ROOT / "docs" / "guide" / "studies.md").read_text()
    (folder / "trials.py").write_text(text[text.index("# trials.py"):].split("```")[0])
    study = Study(name="t", function="trials:lift", folder=str(folder), parameters={"force": {"values": [0.1, 12]}}, keep={"recordings": "failures"})
    store = study.run(folder / "s.db", workers=1)
    assert [r["success"] for r in store.rows()] == [False, True] and store.recording(0) and not store.recording(1)
    assert "<" in replay_page(store, 0) if os.environ.get("HOLDFAST_COMMAND") else True


def test_failures_can_be_tried_again(folder):
    study = Study(name="t", function="late:late", folder=str(folder), parameters={"x": {"values": [0, 1, 2]}})
    (folder / "late.py").write_text("import os\ndef late(x):\n    if x and not os.path.exists('ready'): raise OSError('not yet')\n    return x\n".replace("'ready'", repr(str(folder / "ready"))))
    assert study.run(folder / "s.db", workers=1).counts()["failed"] == 2
    (folder / "ready").touch()
    assert study.run(folder / "s.db", workers=1).counts()["failed"] == 2  # a result is a result
    counts = study.run(folder / "s.db", workers=1, retry=True).counts()
    assert counts["failed"] == 0 and counts["done"] == 3


def test_a_function_that_is_not_there(folder):
    for function, message in (("nothing:f", "cannot import"), ("trials:gone", "no function"), ("trials:math", "cannot be called")):
        with pytest.raises(StudyError, match=message):
            Study(name="t", function=function, folder=str(folder), parameters={"x": {"values": [1]}}).run(folder / "s.db")


@pytest.fixture
def small_disk(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("mounting a small disk needs privileges")
    yield place
    subprocess.run(["umount", place])


def test_a_full_disk(folder, small_disk):
    fields = dict(name="pinch", scene="pinch.xml", keyframe="soft", time=0.02, keep={"state": True}, repetitions=300,
                  parameters={"mu": {"set": "geom.*.friction[0]", "uniform": [0.01, 0.5]}})
    digest = Study(**fields).run(folder / "calm.db").digest()
    with pytest.raises(StudyError, match="disk is full|disk I/O"):
        Study(**fields).run(small_disk / "s.db", workers=1, size=8)
    stored = finished(small_disk / "s.db")
    assert len(stored) > 0
    subprocess.run(["mount", "-o", "remount,size=50m", small_disk], check=True)
    store = Study(**fields).run(small_disk / "s.db")
    assert store.digest() == digest and stored <= finished(small_disk / "s.db")
    store.close()


def test_a_disk_without_room_for_the_plan(folder, small_disk):
    with pytest.raises(StudyError, match="cannot write .*s.db"):
        walk_study(folder, 200_000).run(small_disk / "s.db", workers=1)
    assert list(small_disk.iterdir()) == []


def test_a_full_disk_while_shards_are_joined_or_tables_written(folder, small_disk):
    """A message, nothing half written, and the same call goes on when there is room again."""
    study = Study(name="pinch", scene="pinch.xml", keyframe="soft", time=0.02, keep={"state": True}, repetitions=300,
                  parameters={"mu": {"set": "geom.*.friction[0]", "uniform": [0.01, 0.5]}})
    shards = [folder / f"{i}.db" for i in (1, 2)]
    for i, path in enumerate(shards, 1):
        study.run(path, shard=(i, 2)).close()
    digest = merge(folder / "all.db", shards).digest()
    with pytest.raises(StudyError, match="disk is full|disk I/O"):
        merge(small_disk / "all.db", shards)
    Path(small_disk / "fill").write_bytes(bytes(os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize))
    sanitized = "asan" in os.environ.get("LD_PRELOAD", "")  # a preloaded sanitizer does not know the exceptions of pyarrow's C++
    for name in ("t.csv", "t.parquet") if importlib.util.find_spec("pyarrow") and not sanitized else ("t.csv",):
        with pytest.raises(StudyError, match=f"{name}: cannot write: No space left"):
            export(Store(folder / "all.db"), small_disk / name)
    assert not list(small_disk.glob("t.*"))
    subprocess.run(["mount", "-o", "remount,size=50m", small_disk], check=True)
    joined = merge(small_disk / "all.db", shards)  # the lock was released
    assert joined.digest() == digest
    joined.close()


def test_a_damaged_store(folder):
    """The command says so, whatever it is asked to do; it never shows a traceback."""
    walk_study(folder, 30).run(folder / "s.db").close()
    data = bytearray((folder / "s.db").read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    (folder / "s.db").write_bytes(data)
    for verb in (["status"], ["resume"], ["export", "-o", str(folder / "t.csv")], ["report", "-o", str(folder / "t.html")]):
        done = subprocess.run([sys.executable, "-m", "holdfast.study", verb[0], str(folder / "s.db"), *verb[1:]], capture_output=True, text=True)
        assert done.returncode == 1 and "Traceback" not in done.stderr and done.stderr, done.stderr
    assert not list(folder.glob("t.*"))


def test_what_is_no_file_stays(folder):
    """A device or a pipe keeps its place: a store there is refused, and a table or a page goes through it."""
    pipe = folder / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(StudyError, match="it is no file, and a store would take its place"):
        walk_study(folder, 3).run(pipe)
    store = walk_study(folder, 3).run(folder / "s.db", workers=1)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    export(store, pipe)
    reader.join(60)
    assert stat.S_ISFIFO(pipe.stat().st_mode) and got[0].startswith("index,status,") and got[0].count("\n") == 4


def test_an_output_that_takes_nothing(folder):
    """A full disk, or a reader of a pipe that has ended, is a message; it was a traceback."""
    walk_study(folder, 3).run(folder / "s.db", workers=1).close()
    ended, into = os.pipe()
    os.close(ended)
    for arguments in (["status", str(folder / "s.db")], ["status", str(folder / "s.db"), "--json"], ["run", "--help"]):
        for output, why in ((os.open("/dev/full", os.O_WRONLY), "No space left on device"), (os.dup(into), "Broken pipe")):
            done = subprocess.run([sys.executable, "-m", "holdfast.study", *arguments], stdout=output, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "PYTHONUNBUFFERED": ""})  # without a buffer, argparse keeps silent about help that nobody reads
            os.close(output)
            assert done.returncode == 1 and done.stderr == f"holdfast study: cannot write to standard output: {why}\n", (arguments, done.stderr)
    os.close(into)


def test_a_store_in_the_place_of_a_study(folder, capsys):
    pytest.importorskip("yaml")
    walk_study(folder, 3).run(folder / "s.db", workers=1).close()
    assert main(["run", str(folder / "s.db")]) == 1
    assert f"s.db is a store and no study: holdfast study resume {folder / 's.db'} goes on with it" in capsys.readouterr().err


def test_a_page_is_no_picture(folder):
    store = walk_study(folder, 3).run(folder / "s.db", workers=1)
    with pytest.raises(StudyError, match="the number of replays must not be negative, is -1"):
        write_report(store, folder / "page.html", -1)  # made a replay of all runs but the best
    assert not (folder / "page.html").exists()
    with pytest.raises(StudyError, match="this is a page, which ends in .html or .htm"):
        write_report(store, folder / "page.pdf")
    assert not (folder / "page.pdf").exists()


def test_an_interrupt_before_the_first_run(monkeypatch, capsys):
    """Reading and planning a study takes seconds; Ctrl-C in them showed a traceback."""
    def interrupt(path):
        raise KeyboardInterrupt
    monkeypatch.setattr(Study, "from_file", interrupt)
    assert main(["run", "study.yaml"]) == 1
    assert capsys.readouterr().err == "holdfast study: interrupted\n"


@pytest.fixture
def closed_folder(tmp_path):
    place = tmp_path / "closed"
    place.mkdir(mode=0o555)
    mounted = os.geteuid() == 0  # the mode does not stop root
    if mounted and subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("closing a folder to root needs the privilege to mount")
    yield place
    if mounted:
        subprocess.run(["umount", place])


def test_a_folder_without_write_access(folder, closed_folder):
    with pytest.raises(StudyError, match="cannot write .*(Read-only|Permission denied)"):
        walk_study(folder, 3).run(closed_folder / "s.db")
