"""Files that appear whole: an older file of the same name stays until the new one is complete, and a process that is
killed leaves nothing beside it."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from . import _core

FilePath = str | bytes | os.PathLike


def file_name(path: FilePath) -> str:
    """The name of a file as text; bytes are names as the system has them, as for ``open``."""
    return os.fsdecode(path)


def file_names(paths: FilePath | Iterable[FilePath]) -> list[str]:
    """The names of several files or folders; one alone is a list of one, not of its letters."""
    return [file_name(p) for p in ([paths] if isinstance(paths, FilePath) else paths)]


_FORMATS = (".csv", ".json", ".html", ".pdf", ".rec", ".hfr", ".mcap", ".png", ".jpg", ".gif", ".mp4", ".xml", ".urdf", ".sdf", ".hfm", ".xlsx", ".parquet", ".npz")


def refuse_ending(path: FilePath, written: str, *endings: str) -> None:
    """Refuses a name that promises another format than the one that is written."""
    ending = os.path.splitext(file_name(path))[1].lower()
    if ending in _FORMATS and ending not in endings:
        raise ValueError(f"{file_name(path)}: {written}, which ends in {' or '.join(endings)}")


def _open_nameless(folder: Path) -> int | None:
    """A file of the folder that has no name, so that nothing is left of it when the process ends; None where there
    are none."""
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except (AttributeError, OSError):
        return None


def _give_name(file: int, name: Path) -> None:
    """Gives a name to a file that has none."""
    folder = os.open(name.parent, os.O_RDONLY)  # with a folder given, link follows the symbolic link of /proc
    try:
        os.link(f"/proc/self/fd/{file}", name, src_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _sync(path: FilePath | int) -> None:
    """Waits until the disk has a file or the names of a folder, unless the environment says HOLDFAST_FSYNC=off. What
    cannot be synchronised (a pipe, a folder that may not be read) is left to the system."""
    if os.environ.get("HOLDFAST_FSYNC") == "off":
        return

    try:
        file = os.dup(path) if isinstance(path, int) else os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EROFS):
            raise
    finally:
        os.close(file)


def refuse_same_file(files: dict[str, FilePath | None]) -> None:
    """Refuses one file in two roles; the keys are the roles."""
    seen: dict[str, str] = {}
    for role, path in files.items():
        if path is None:
            continue
        real = os.path.realpath(file_name(path))
        if real in seen:
            raise ValueError(f"{seen[real]} and {role} are the same file: {file_name(path)}")
        seen[real] = role


@contextmanager
def written_beside(path: FilePath) -> Iterator[Path]:
    """A path to which the new file is written. The file takes the place of the older one when the block ends, with
    its permissions; when the block fails, the older file stays. What is no file, as a device or a pipe, is written
    itself: a file must not take its place. What the system refuses is a FileError that names the file as the library
    does, and not the path to which the new file is written."""
    try:
        with _written_beside(path) as temporary:
            yield temporary
    except _core.HoldfastError:
        raise
    except OSError as error:
        name, reason = file_name(path) or '""', os.strerror(error.errno) if error.errno else error
        raise _core.FileError(f"{name}: cannot write: {reason}") from None


@contextmanager
def _written_beside(path: FilePath) -> Iterator[Path]:
    """Does the work of written_beside; what the system refuses is an OSError here."""
    target = Path(file_name(path)).resolve()  # a link stays a link
    if target.exists() and not target.is_file():
        yield target
        return

    temporary = target.with_name(f".{os.getpid()}-{time.monotonic_ns():x}{target.suffix[:16]}")  # the whole name may be as long as a name can be
    file = _open_nameless(target.parent)
    if file is None:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))  # so that a folder that cannot be written is refused before the block

    try:
        yield Path(f"/proc/self/fd/{file}") if file is not None else temporary
        _sync(file if file is not None else temporary)
        if file is not None:
            _give_name(file, temporary)
        if target.exists():
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
        os.replace(temporary, target)
        _sync(target.parent)
    finally:
        temporary.unlink(missing_ok=True)
        if file is not None:
            os.close(file)
