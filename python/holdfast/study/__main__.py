"""The verb ``holdfast study``, also ``python -m holdfast.study``."""

from __future__ import annotations

import argparse
import json
import os
import re
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any, Callable

from . import Interrupted, Store, Study, StudyError, merge, run_study
from .cluster import is_job_time, job_script, parse_shard
from .drive import ENGINES, default_store
from .progress import duration
from .store import is_running

_ABOUT = """Run a scene, a Python function or an experiment many times over parameters, and keep every result in one file.

  run FILE.yaml        run a study; goes on where an earlier call ended
  resume STORE         the same, from the store alone
  status STORE         how far it is
  export STORE -o FILE write FILE.csv or FILE.parquet
  report STORE -o FILE write a page with maps, distributions, the worst runs and the failures
  replay STORE RUN -o FILE  repeat one run and write its recording (FILE.hfr) or its report (FILE.html)
  merge STORE SHARD... join the stores of shards
  script FILE.yaml     print a job script for Slurm or PBS

Exit status: 0 success, 1 the work failed or was interrupted, 2 the call was wrong."""


def _whole(least: int) -> Callable[[str], int]:
    """Reads a whole number that is written in digits alone. int also takes 1_0, and numbers that SQLite cannot hold."""
    most = 10**9

    def read(text: str) -> int:
        if not re.fullmatch("[0-9]{1,10}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f'must be a whole number from {least} to {most}, is "{text}"')
        return int(text)

    return read


def _job_time(text: str) -> str:
    if not is_job_time(text):
        raise argparse.ArgumentTypeError(f'must be a time as HH:MM:SS, is "{text}"')
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("holdfast study", description=_ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    def verb(name: str, *names: str) -> argparse.ArgumentParser:
        sub = verbs.add_parser(name)
        for n in names:
            sub.add_argument(n)
        return sub

    for sub in (verb("run", "file"), verb("resume", "store_file")):
        sub.add_argument("--engine", choices=sorted(ENGINES), default="local")
        sub.add_argument("--workers", type=_whole(0), default=0, help="processes, or tasks at a time in Ray; 0: one a processor")
        sub.add_argument("--size", type=_whole(1), default=None, help="runs in a task")
        sub.add_argument("--retry", action="store_true", help="run again what failed or took too long")
        sub.add_argument("--quiet", action="store_true", help="no progress")
        if sub.prog.endswith("run"):
            sub.add_argument("--store", help="the store (default: NAME.db)")
            sub.add_argument("--shard", help="i/n: every n-th run from the i-th; slurm, pbs/n: the shard of this task of a job array")
    verb("status", "store").add_argument("--json", action="store_true")
    verb("export", "store").add_argument("-o", dest="output", required=True)
    report = verb("report", "store")
    report.add_argument("-o", dest="output", required=True)
    report.add_argument("--replays", type=_whole(0), default=6, help="worst runs with a replay (default 6)")
    replay = verb("replay", "store")
    replay.add_argument("run", type=_whole(0))
    replay.add_argument("-o", dest="output", required=True)
    verb("merge", "store").add_argument("shards", nargs="+")
    script = verb("script", "file")
    script.add_argument("--shards", type=_whole(1), required=True)
    script.add_argument("--system", choices=("slurm", "pbs"), default="slurm")
    script.add_argument("--cores", type=_whole(1), default=1)
    script.add_argument("--time", type=_job_time, default="01:00:00", help="limit of the job, as HH:MM:SS (default 01:00:00)")
    script.add_argument("--python", default=sys.executable)
    return parser


def _say(text: str, end: str = "\n") -> None:
    """Prints a result. A reader of a pipe that has ended, or a full disk, is no fault of the program: it becomes a message."""
    try:
        print(text, end=end, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes the rest at its end, and would complain again
        raise StudyError(f"cannot write to standard output: {error.strerror}") from None


def _say_outcome(store: Store) -> None:
    counts = store.counts()
    judged = counts["successes"] + counts["misses"]
    _say(f"{store.path}: {counts['done']} of {counts['runs']} runs done, {counts['failed']} failed, {counts['timeout']} took too long, "
         f"{counts['planned']} to do")
    if judged:
        _say(f"success: {counts['successes']} of {judged} ({100 * counts['successes'] / judged:.1f} %)")
    rows = store.db.execute("SELECT count(*), min(idx), message FROM run WHERE status IN ('failed', 'timeout') "
                            "GROUP BY message ORDER BY count(*) DESC LIMIT 5")
    for count, first, message in rows:
        _say(f"  {count} x {message} (run {first})")


def _run(study: Study, path: Path, a: argparse.Namespace, shard: tuple[int, int] | None) -> int:
    try:
        store = run_study(study, path, engine=a.engine, workers=a.workers, shard=shard, size=a.size, quiet=a.quiet, retry=a.retry)
    except Interrupted:
        print(f"holdfast study: interrupted; what was finished is stored, and holdfast study resume {path} goes on", file=sys.stderr)
        return 1
    _say_outcome(store)
    return 0


def _verb_run(a: argparse.Namespace) -> int:
    study = Study.from_file(a.file)
    shard = parse_shard(a.shard) if a.shard else None
    return _run(study, Path(a.store) if a.store else default_store(study, shard), a, shard)


def _verb_resume(a: argparse.Namespace) -> int:
    store = Store(a.store_file)
    study, (i, n) = store.study, (int(x) for x in store.about["shard"].split("/"))
    store.close()
    return _run(study, Path(a.store_file), a, None if n == 1 else (i, n))


def _rate(store: Store) -> float:
    """Runs a second in the last minutes."""
    count, first = store.db.execute("SELECT count(*), min(finished) FROM run WHERE finished > ?", (time.time() - 300,)).fetchone()
    return count / max(time.time() - first, 1e-3) if count else 0.0


def _verb_status(a: argparse.Namespace) -> int:
    store = Store(a.store)
    counts, running = store.counts(), is_running(store.path)
    if a.json:
        _say(json.dumps({"name": store.study.name, "hash": store.about["hash"], "shard": store.about["shard"],
                         "version": store.about["version"], "running": running, "digest": store.digest(), **counts}))
        return 0
    _say(f"study {store.study.name} ({store.about['hash'][:12]}), version {store.about['version']}"
         + (f", shard {store.about['shard']}" if store.about["shard"] != "1/1" else ""))
    _say_outcome(store)
    rate = _rate(store)
    if running and counts["planned"]:
        _say(f"running, {duration(counts['planned'] / rate)} left" if rate else "running")
    elif counts["planned"]:
        _say(f"not running; holdfast study resume {store.path} goes on")
    else:
        _say(f"complete; digest {store.digest()[:16]}")
    return 0


def _verb_export(a: argparse.Namespace) -> int:
    from .export import export

    export(Store(a.store), a.output)
    return 0


def _verb_report(a: argparse.Namespace) -> int:
    from .report import write_report

    write_report(Store(a.store), a.output, a.replays)
    return 0


def _verb_replay(a: argparse.Namespace) -> int:
    from .report import write_replay

    write_replay(Store(a.store), a.run, a.output)
    return 0


def _verb_merge(a: argparse.Namespace) -> int:
    store = merge(a.store, a.shards)
    _say_outcome(store)
    store.close()
    return 0


def _verb_script(a: argparse.Namespace) -> int:
    _say(job_script(a.file, a.shards, a.system, a.cores, a.time, a.python), end="")
    return 0


def main(arguments: list[str] | None = None) -> int:
    verbs: dict[str, Any] = {"run": _verb_run, "resume": _verb_resume, "status": _verb_status, "export": _verb_export,
                             "report": _verb_report, "replay": _verb_replay, "merge": _verb_merge, "script": _verb_script}
    try:
        try:
            a = _parser().parse_args(arguments)
        except SystemExit:  # after --help, for example
            _say("", end="")
            raise
        return verbs[a.verb](a)
    except StudyError as error:
        print(f"holdfast study: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("holdfast study: interrupted", file=sys.stderr)
        return 1
    except sqlite3.Error as error:
        store = getattr(a, "store", None) or "the store"
        print(f"holdfast study: {store} cannot be read or written: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
