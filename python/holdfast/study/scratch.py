"""Folders of runs, for what they record. A worker that is killed cannot remove its own: the process that started it does, by their names."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile

_mark = ""  # of the names of folders that this process makes


def mark_folders(mark: str) -> None:
    """In a worker: its folders have this mark in their names."""
    global _mark
    _mark = mark


def run_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for one run, which removes itself."""
    return tempfile.TemporaryDirectory(prefix=f"holdfast-{_mark}")


def remove_folders(mark: str) -> None:
    """Removes the folders of a worker that has ended."""
    for folder in glob.glob(os.path.join(glob.escape(tempfile.gettempdir()), f"holdfast-{mark}*")):
        shutil.rmtree(folder, ignore_errors=True)
