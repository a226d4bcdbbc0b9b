"""What is called written survives a loss of power: every file of outputs.py, judged by the calls of the system that strace shows.

The rule is POSIX's. A file must be synchronised after its last write and before it gets its name, and its folder after that. So the
oracle knows no code of ours, only the order of ``write``, ``fsync``, ``linkat``, ``rename`` and the end of the process.
tests/base/test_durable.c says what a disk would have at each moment.
"""

import re
import shutil

import pytest
from outputs import OUTPUTS, call, environment, finish, missing
from test_whole_files import folder, sources  # noqa: F401 (fixtures)

CALLS = "write,pwrite64,writev,ftruncate,fsync,fdatasync,linkat,rename,renameat,renameat2"
LINE = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\d+)")


def can_trace():
    import subprocess

    tracer = shutil.which("strace")
    return tracer and subprocess.run([tracer, "-o", "/dev/null", "true"], capture_output=True).returncode == 0


needs_tracer = pytest.mark.skipif(not can_trace(), reason="no strace, or the system does not allow it")


def read_trace(path):
    """The calls that succeeded, as (name, arguments), in order. Calls that another thread interrupted are joined again."""
    begun, calls = {}, []
    for line in path.read_text(errors="replace").splitlines():
        process, _, rest = line.partition(" ")
        if rest.rstrip().endswith("<unfinished ...>"):
            begun[process] = rest.rsplit("<unfinished", 1)[0].strip()
            continue
        resumed = re.match(r" *<\.\.\. \w+ resumed>(.*)", rest)
        if resumed:
            line = f"{process} {begun.pop(process, '')}{resumed[1]}"
        match = LINE.match(line)
        if match and int(match[3]) >= 0:
            calls.append((match[1], match[2]))
    return calls


def descriptor(arguments):
    """The number of the first argument and the file behind it, which strace -yy writes behind the number."""
    match = re.match(r"(\d+)<([^>]*)>", arguments)
    return (match[1], match[2].split(" (deleted)")[0]) if match else ("", "")


def find_dangers(calls, folder, names):
    """What a loss of power could destroy, in words."""
    dangers, unsynced, folder_synced = [], {}, True
    opened, file_of = {}, {}  # the file of a descriptor's number, and of a name
    for name, arguments in calls:
        if name in ("write", "pwrite64", "writev", "ftruncate"):
            number, file = descriptor(arguments)
            opened[number] = file
            if file.startswith(str(folder)):
                unsynced[file] = True
        elif name in ("fsync", "fdatasync"):
            number, file = descriptor(arguments)
            opened[number] = file
            unsynced[file] = False
            if file == str(folder):
                folder_synced = True
        else:  # a file gets a name
            quoted = re.findall(r'"([^"]*)"', arguments)
            target = quoted[-1].rsplit("/", 1)[-1]
            number = quoted[0].removeprefix("/proc/self/fd/")
            source = opened.get(number, "") if number != quoted[0] else file_of.get(quoted[0], quoted[0])
            if target in names and unsynced.get(source):
                dangers.append(f"{target} gets its name before its content is on the disk")
            if target in names:
                folder_synced = False
            file_of[quoted[-1]] = source
    if not folder_synced:
        dangers.append("the folder is not synchronised after the last name")
    dangers += [f"{file} is not synchronised after its last write" for file, is_open in unsynced.items() if is_open and "in.db" not in file]
    return dangers


def trace(output, folder, **variables):
    log = folder.parent / "calls.txt"
    under = ("strace", "-f", "-yy", "-e", f"trace={CALLS}", "-s", "0", "-o", str(log))
    status, _, err = finish(call(output, folder, under, env=environment(**variables)))
    assert status == 0, err
    names = {p.name for p in folder.iterdir()}
    return find_dangers(read_trace(log), folder.resolve(), names)


# Chromium and ffmpeg do not run under strace here; the files that they help to write are written by the same function as the others.
TRACED = [o for o in OUTPUTS if "render" not in o.name]


@needs_tracer
@pytest.mark.parametrize("output", TRACED, ids=lambda o: o.name)
def test_a_loss_of_power_destroys_nothing(output, folder):  # noqa: F811
    if missing(output):
        pytest.skip(f"{output.needs} is not here")
    assert trace(output, folder) == []


@needs_tracer
def test_the_oracle_sees_files_that_are_not_synchronised(folder):  # noqa: F811
    dangers = trace(OUTPUTS[0], folder, HOLDFAST_FSYNC="off")
    assert any("before its content" in d for d in dangers) and any("folder" in d for d in dangers), dangers
