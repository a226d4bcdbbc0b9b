"""Studies on clusters give the bytes of the local engine: a Ray cluster of three nodes, a Slurm on this machine, submitit.

What is not installed is skipped. Where there is no Slurm, the job script is run by a stand-in that sets Slurm's variables."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import FULL
from killing import Strikes, check_none_ran_twice, children, end_process, finished, remove_store
from holdfast.study import Study, StudyError, Store, merge
from holdfast.study.cluster import job_script, parse_shard

pytestmark = pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="other programs do not run under our sanitizer")
YAML = """
name: pinch
scene: pinch.xml
keyframe: soft
time: 0.2
repetitions: %d
parameters:
  mu: {set: "geom.*.friction[0]", uniform: [0.01, 0.5]}
keep: {drop: "-final(q('capsule')[2])", state: true, recordings: failures}
success: drop < 0.01
"""
SLOW = """
import math, time
def trial(x, seed, log):
    with open(log, "a") as file:      # one write a line: workers may append at the same time
        file.write(f"{x} {time.time()!r}\\n")
    time.sleep(0.05)
    return {"y": math.sin(x + seed % 1000)}
"""


@pytest.fixture
def pinch(tmp_path):
    pytest.importorskip("yaml")
    (tmp_path / "pinch.yaml").write_text(YAML % (2000 if FULL else 40))
    return tmp_path / "pinch.yaml"


@pytest.fixture
def local_digest(pinch):
    return Study.from_file(pinch).run(pinch.parent / "local.db").digest()


def slow_study(folder, runs):
    (folder / "slow.py").write_text(SLOW)
    return Study(name="slow", function="slow:trial", folder=str(folder),
                 parameters={"x": {"values": list(range(runs))}, "log": {"values": [str(folder / "log")]}})


# ---- job arrays -------------------------------------------------------------------------------------------------


def test_shards_from_the_environment():
    slurm = {"SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_COUNT": "5"}
    assert parse_shard("slurm", slurm) == (3, 5) and parse_shard("pbs/7", {"PBS_ARRAY_INDEX": "2"}) == (2, 7)
    assert parse_shard("2/9", {}) == (2, 9)
    for text, message in (("slurm", "SLURM_ARRAY_TASK_MIN is not set"), ("pbs/4", "PBS_ARRAYID"), ("three", "must be i/n"), ("0/4", "0/4")):
        with pytest.raises(StudyError, match=message):
            parse_shard(text, {})


@pytest.mark.parametrize("system", ["slurm", "pbs"])
def test_a_job_script_run_by_a_stand_in(pinch, local_digest, system):
    """Each task of the array runs the script in a shell with the variables that Slurm or PBS sets."""
    script = pinch.parent / "job.sh"
    script.write_text(job_script(pinch, 3, system, python=sys.executable))
    assert ("#SBATCH --array=1-3" if system == "slurm" else "#PBS -J 1-3") in script.read_text()
    for task in (3, 1, 2):
        variables = ({"SLURM_ARRAY_TASK_ID": task, "SLURM_ARRAY_TASK_MIN": 1, "SLURM_ARRAY_TASK_COUNT": 3} if system == "slurm"
                     else {"PBS_ARRAY_INDEX": task})
        environment = {**os.environ, **{k: str(v) for k, v in variables.items()}}
        done = subprocess.run(["sh", script], env=environment, capture_output=True, text=True, cwd="/")
        assert done.returncode == 0, done.stderr
    shards = sorted(pinch.parent.glob("pinch.shard-*-of-3.db"))
    assert len(shards) == 3 and merge(pinch.parent / "all.db", shards).digest() == local_digest


def command_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/ctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={ctld}
SlurmdPort={slurmd}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """A Slurm of one node on this machine: munged, slurmctld and slurmd with files and ports of their own."""
    if os.geteuid() != 0 or not all(shutil.which(p) for p in ("munged", "slurmctld", "slurmd", "sbatch")):
        pytest.skip("a Slurm of our own needs root and the packages slurmd, slurmctld, slurm-client and munge")
    folder = tmp_path / "slurm"
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    for place in [folder, *folder.parents]:
        if place != Path("/tmp") and place.stat().st_mode & 0o55 != 0o55 and str(place).startswith("/tmp/"):
            place.chmod(0o755)  # munged refuses a socket that others cannot reach
    (folder / "key").write_bytes(os.urandom(1024))
    (folder / "key").chmod(0o400)
    ctld, slurmd = free_ports(2)
    host = socket.gethostname().split(".")[0]
    (folder / "slurm.conf").write_text(CONF.format(host=host, folder=folder, ctld=ctld, slurmd=slurmd, cpus=os.cpu_count()))
    monkeypatch.setenv("SLURM_CONF", str(folder / "slurm.conf"))
    names = {"key-file": "key", "socket": "munge.sock", "pid-file": "munged.pid", "log-file": "munged.log", "seed-file": "munge.seed"}
    try:
        subprocess.run(["munged", "--force", *(f"--{k}={folder / v}" for k, v in names.items())], check=True, capture_output=True)
        subprocess.run(["slurmctld", "-c"], check=True, capture_output=True)
        subprocess.run(["slurmd"], check=True, capture_output=True)
        end = time.monotonic() + 30
        while "idle" not in subprocess.run(["sinfo", "-h", "-o", "%t"], capture_output=True, text=True).stdout:
            if time.monotonic() > end:
                pytest.skip("Slurm does not start here")
            time.sleep(0.2)
        yield folder
    except subprocess.CalledProcessError as error:
        pytest.skip(f"Slurm does not start here: {error.stderr[-200:]}")
    finally:
        for name in ("slurmd", "ctld", "munged"):
            try:
                os.kill(int((folder / f"{name}.pid").read_text()), signal.SIGTERM)
            except (OSError, ValueError):
                pass


def wait_for_jobs(seconds):
    end = time.monotonic() + seconds
    while subprocess.run(["squeue", "-h"], capture_output=True, text=True).stdout.strip():
        assert time.monotonic() < end, "the jobs do not end"
        time.sleep(0.2)


def test_slurm_gives_the_same_bytes(pinch, local_digest, slurm):
    script = pinch.parent / "job.sh"
    script.write_text(job_script(pinch, 4, "slurm", python=sys.executable))
    submitted = subprocess.run(["sbatch", script], capture_output=True, text=True, cwd=pinch.parent)
    assert submitted.returncode == 0, submitted.stderr
    wait_for_jobs(120)
    logs = "\n".join(p.read_text() for p in sorted(pinch.parent.glob("pinch-*.log")))
    shards = sorted(pinch.parent.glob("pinch.shard-*-of-4.db"))
    assert len(shards) == 4, logs
    assert merge(pinch.parent / "slurm.db", shards).digest() == local_digest


def test_submitit(pinch, local_digest, tmp_path):
    pytest.importorskip("submitit")
    from holdfast.study.cluster import submit

    assert submit(Study.from_file(pinch), 2, tmp_path / "out", cluster="local", timeout_min=5).digest() == local_digest


# ---- Ray ----------------------------------------------------------------------------------------------------------


def patiently(start):
    """Starts a part of a cluster. Ray gives up after 30 s, which are not enough on a busy machine."""
    for attempt in range(6):
        try:
            return start()
        except Exception as error:
            if attempt == 5 or "timed out" not in str(error):
                raise


class Nodes:
    """A Ray cluster of three nodes, each with one processor: processes of this machine. It can be lost and made again."""

    def __init__(self):
        self._start()

    def _start(self):
        from ray.cluster_utils import Cluster

        self.cluster = patiently(lambda: Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}))
        for _ in range(2):
            self._add_node()
        os.environ["RAY_ADDRESS"] = self.cluster.address

    def _add_node(self):
        patiently(lambda: self.cluster.add_node(num_cpus=1))

    def processes(self):
        """Ray's own processes on all nodes, and its workers, by the node."""
        return {node: [p.process.pid for kind in node.all_processes.values() for p in kind] for node in self.cluster.list_all_nodes()}

    def workers(self):
        """Ray's workers that execute a task, and the processes in which those execute runs."""
        own = [c for pids in self.processes().values() for pid in pids for c in children(pid)]
        busy = [c for c in own if b"ray::execute" in command_of(c)]
        return busy + [grandchild for c in busy for grandchild in children(c)]

    def lose_node(self, node):
        for pid in self.processes()[node]:
            end_process(pid)
        self.cluster.remove_node(node, allow_graceful=False)
        self._add_node()

    def lose_everything(self):
        for pid in [*self.workers(), *(pid for pids in self.processes().values() for pid in pids)]:
            end_process(pid)
        self.cluster.shutdown()
        self._start()


@pytest.fixture(scope="module")
def nodes():
    ray = pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("RAY_ADDRESS", "")
        made = Nodes()
        yield made
        ray.shutdown()
        made.cluster.shutdown()


def test_three_ray_nodes_give_the_same_bytes(pinch, local_digest, nodes, tmp_path):
    store = Study.from_file(pinch).run(tmp_path / "ray.db", engine="ray", size=5)
    assert store.digest() == local_digest
    import ray

    assert len(ray.nodes()) == 3


def test_ray_runs_that_raise_crash_or_never_end(nodes, tmp_path):
    (tmp_path / "bad.py").write_text("import os\ndef trial(x):\n    if x == 3: os.abort()\n    if x == 5: raise ValueError('five')\n    while x == 7: pass\n    return x\n")
    study = Study(name="bad", function="bad:trial", folder=str(tmp_path), parameters={"x": {"values": list(range(20))}}, limits={"time": 2, "attempts": 2})
    store = study.run(tmp_path / "ray.db", engine="ray", size=10)
    assert {r["index"]: r["status"] for r in store.rows() if r["status"] != "done"} == {3: "failed", 5: "failed", 7: "timeout"}
    assert store.digest() == study.run(tmp_path / "local.db").digest()


def test_ray_nodes_and_workers_that_are_killed(nodes, tmp_path):
    """kill -9 of a worker, of a whole node, of the driver, and of the driver with the whole cluster, at random moments: the store
    is that of an undisturbed run, and nothing that was stored is lost or run again."""
    import ray

    ray.shutdown()  # Ray ends a process that is connected to a cluster which is lost
    runs, strikes = 400 if FULL else 80, Strikes(("worker", "node", "driver", "everything"), 20 if FULL else 1)
    study, path, log = slow_study(tmp_path, runs), tmp_path / "s.db", tmp_path / "log"
    digest = study.run(tmp_path / "local.db").digest()
    while strikes.next:
        log.unlink()
        kill_until_complete(strikes, tmp_path, runs, nodes)
        assert Store(path).digest() == digest
        check_none_ran_twice(path, log)
        remove_store(path)
    strikes.check()


def kill_until_complete(strikes, folder, runs, nodes):
    """Starts a driver again and again until it ends with a complete store, and kills meanwhile."""
    code = f"from test_study_cluster import slow_study; from pathlib import Path; slow_study(Path({str(folder)!r}), {runs}).run({str(folder / 's.db')!r}, engine='ray', size=4)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])}
    while len(before := finished(folder / "s.db")) < runs:
        driver = subprocess.Popen([sys.executable, "-c", code], env={**environment, "RAY_ADDRESS": nodes.cluster.address}, stdout=subprocess.DEVNULL)
        while driver.poll() is None:
            strikes.pause(0.3, 2.0)
            if strikes.next and driver.poll() is None and strike(strikes.next, driver, nodes, strikes.random):
                strikes.count()
        assert before <= finished(folder / "s.db"), "a run that was stored is lost"


def strike(kind, driver, nodes, rng):
    """Kills something; False where there was nothing of the kind."""
    if kind == "worker":
        end = time.monotonic() + 2
        while not (workers := nodes.workers()) and time.monotonic() < end:
            time.sleep(0.02)
        return bool(workers) and end_process(rng.choice(workers))
    if kind == "node":
        nodes.lose_node(rng.choice(list(nodes.cluster.worker_nodes)))
    else:
        driver.kill(), driver.wait()
        if kind == "everything":
            nodes.lose_everything()
    return True


def test_without_ray_there_is_a_message(pinch, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(StudyError, match="pip install ray"):
        Study.from_file(pinch).run(tmp_path / "s.db", engine="ray")
