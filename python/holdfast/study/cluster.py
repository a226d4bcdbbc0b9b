"""Job arrays: which shard this process has, scripts for Slurm and PBS, and submitit."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any, Mapping

from .drive import default_store, run_study
from .errors import StudyError
from .spec import Study
from .store import Store, merge


def parse_shard(text: str, environment: Mapping[str, str] = os.environ) -> tuple[int, int]:
    """i/n, or "slurm" or "pbs/n": the shard of this task of a job array."""
    try:
        if text == "slurm":
            first = int(environment["SLURM_ARRAY_TASK_MIN"])
            return int(environment["SLURM_ARRAY_TASK_ID"]) - first + 1, int(environment["SLURM_ARRAY_TASK_COUNT"])
        if text.startswith("pbs/"):  # PBS tells a task its number only
            number = environment.get("PBS_ARRAY_INDEX") or environment["PBS_ARRAYID"]
            return int(number), int(text[4:])
        if not re.fullmatch("[0-9]{1,9}/[0-9]{1,9}", text):
            raise ValueError
        i, n = (int(x) for x in text.split("/"))
    except KeyError as error:
        raise StudyError(f"--shard {text}: this is no task of a job array, {error.args[0]} is not set") from None
    except ValueError:
        raise StudyError(f'--shard must be i/n, slurm or pbs/n, is "{text}"') from None
    if not 1 <= i <= n:
        raise StudyError(f"--shard must be i/n with 1 <= i <= n, is {i}/{n}")
    return i, n


def _slurm(name: str, shards: int, cores: int, time: str) -> list[str]:
    return [f"#SBATCH --job-name={name}", f"#SBATCH --array=1-{shards}", f"#SBATCH --cpus-per-task={cores}",
            f"#SBATCH --time={time}", "#SBATCH --output=%x-%a.log", "#SBATCH --requeue"]


def _pbs(name: str, shards: int, cores: int, time: str) -> list[str]:
    return [f"#PBS -N {name}", f"#PBS -J 1-{shards}", f"#PBS -l select=1:ncpus={cores}", f"#PBS -l walltime={time}",
            "#PBS -j oe", "#PBS -r y"]


def is_job_time(text: str, system: str = "slurm") -> bool:
    """Whether a text is the limit of a job, HH:MM:SS, for Slurm also with days before it, D-HH:MM:SS. Both systems read other texts, too, but 90 means
    minutes for the one and seconds for the other, and what they cannot read they refuse when the script is submitted."""
    days = "([0-9]+-)?" if system == "slurm" else ""
    return re.fullmatch(days + "[0-9]{1,4}:[0-5][0-9]:[0-5][0-9]", text) is not None and re.search("[1-9]", text) is not None


def job_script(file: str | os.PathLike, shards: int, system: str = "slurm", cores: int = 1, time: str = "01:00:00",
               python: str = "python3") -> str:
    """A script for sbatch or qsub: each task of the array runs one shard. Submitted again, it goes on where it ended."""
    if system not in ("slurm", "pbs"):
        raise StudyError(f'scripts are made for slurm and pbs, not for "{system}"')
    if shards < 1 or cores < 1:
        raise StudyError(f"shards and cores must be at least 1, are {shards} and {cores}")
    if not is_job_time(time, system):
        raise StudyError(f'the limit of the job must be a time as {"D-HH:MM:SS or " if system == "slurm" else ""}HH:MM:SS, is "{time}"')
    study, path = Study.from_file(file), Path(file).absolute()
    head = (_slurm if system == "slurm" else _pbs)(study.name, shards, cores, time)
    shard = "slurm" if system == "slurm" else f"pbs/{shards}"
    pattern = default_store(study, (0, shards)).name.replace("shard-0-", "shard-*-")
    body = f"exec {python} -m holdfast.study run {shlex.quote(str(path))} --shard {shard} --workers {cores}"
    return "\n".join(["#!/bin/sh", *head, f"# When all tasks are done: {python} -m holdfast.study merge {study.name}.db {pattern}",
                      f"cd {shlex.quote(str(path.parent))} || exit 1", body, ""])


def run_shard(study: dict, folder: str, shard: tuple[int, int], workers: int) -> str:
    """One task of submitit: runs a shard and returns the path of its store."""
    made = Study.from_dict(study)
    path = Path(folder) / default_store(made, shard)
    run_study(made, path, shard=shard, workers=workers).close()
    return str(path)


def submit(study: Study, shards: int, folder: str | os.PathLike, *, workers: int = 1, cluster: str | None = None,
           **parameters: Any) -> Store:
    """Runs a study as a job array by submitit, waits for it, and returns the joined store FOLDER/NAME.db.

    cluster: "slurm", "local" (processes here) or None for what there is. Parameters go to submitit's executor, for
    example ``timeout_min=60, slurm_partition="cpu"``.
    """
    try:
        import submitit
    except ImportError:
        raise StudyError("this needs the Python package submitit: pip install submitit") from None
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    executor = submitit.AutoExecutor(folder=folder / "submitit", cluster=cluster)
    executor.update_parameters(cpus_per_task=workers, **parameters)
    numbers = [(i + 1, shards) for i in range(shards)]
    jobs = executor.map_array(run_shard, [study.to_dict()] * shards, [str(folder)] * shards, numbers, [workers] * shards)
    return merge(folder / default_store(study), [job.result() for job in jobs])
