"""Recordings of earlier runs."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, Iterator, NamedTuple

import numpy as np

from . import _core
from ._arrays import struct_dtype
from .model import Model

CONTACT = struct_dtype(_core.frame_contact_dtype())


class Frame(NamedTuple):
    """A frame: time [s], poses of all bodies (nbody, 7) as position and quaternion, contacts as a structured array."""

    time: float
    poses: np.ndarray
    contacts: np.ndarray


class Recording(_core.Recording):
    """A recording: a sequence of frames, with the model that was recorded."""

    def __new__(cls, path: str | os.PathLike) -> Recording:
        return super().__new__(cls, os.fspath(path))

    @cached_property
    def model(self) -> Model:
        return Model.from_bytes(self._model_bytes())

    def __getitem__(self, index: int) -> Frame:
        i = index + len(self) if index < 0 else index
        time, poses, contacts = self._frame(i)
        return Frame(time, np.asarray(poses), np.frombuffer(contacts, CONTACT))

    def __iter__(self) -> Iterator[Frame]:
        return (self[i] for i in range(len(self)))

    @property
    def times(self) -> np.ndarray:
        """Times of all frames [s]."""
        return np.array([self._frame(i)[0] for i in range(len(self))])

    def __repr__(self) -> str:
        return f"<holdfast.Recording: {len(self)} frames>"
