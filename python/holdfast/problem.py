"""Step problems as objects: look at them, change them, solve them alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import struct_dtype
from ._files import FilePath, file_name

_DTYPES = {name: struct_dtype(d) for name, d in _core.problem_dtypes().items()}


class Solution(NamedTuple):
    """Velocities at the end of the step (nv), impulses of the rows (nrow) [N s], and what the solver has to say."""

    v: np.ndarray
    impulse: np.ndarray
    report: dict[str, Any]


class Problem:
    """r(v) = (M + diag) v - p - sum J^T gamma(J v + drift) = 0: everything that a solver of discrete time may know.

    Sizes: ``nv``, ``ntree``, ``nblock``, ``nrow``, ``ncontact``; ``h`` [s]. Arrays: ``M`` (dense blocks by tree),
    ``diag``, ``p``, ``v0``, ``J`` and the laws ``contact`` and ``saturated`` as structured arrays; ``block``,
    ``piece``, ``cols``, ``tree_start``, ``M_start`` say where things are. ``drift`` (nrow) are the velocities that
    moving surfaces add to the rows of contacts; it is empty where no surface moves. Numbers may be changed; a solve
    checks them first.
    """

    def __init__(self, core: Any):
        self._core = core
        self.__dict__.update(core._counts())

    @classmethod
    def read(cls, path: FilePath) -> Problem:
        """Reads a problem file; what is read is bitwise what was written."""
        return cls(_core.Problem._read(file_name(path)))

    def write(self, path: FilePath) -> None:
        """Writes a text file with 17 significant digits."""
        self._core._write(file_name(path))

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            super().__setattr__(name, value)
        elif name in self.__dict__:
            raise AttributeError(f"a problem keeps its {name}: problem.{name} cannot be set")
        else:
            getattr(self, name)[...] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        array = np.asarray(self._core._view(name))
        return array.view(_DTYPES[name]) if name in _DTYPES else array

    def dense_mass(self) -> np.ndarray:
        """M (nv, nv)."""
        M = np.zeros((self.nv, self.nv))
        for t in range(self.ntree):
            a, b = self.tree_start[t], self.tree_start[t + 1]
            M[a:b, a:b] = self.M[self.M_start[t]:self.M_start[t + 1]].reshape(b - a, b - a)
        return M

    def dense_jacobian(self) -> np.ndarray:
        """J (nrow, nv) of all blocks."""
        J = np.zeros((self.nrow, self.nv))
        cols, values = self.cols, self.J
        for block in self.block:
            for piece in self.piece[block["piece"]:block["piece"] + block["npiece"]]:
                at = self.tree_start[piece["tree"]] + cols[piece["col"]:piece["col"] + piece["ncol"]]
                part = values[piece["jac"]:piece["jac"] + block["dim"] * piece["ncol"]]
                J[block["row"]:block["row"] + block["dim"], at] += part.reshape(block["dim"], piece["ncol"])
        return J

    def solve(self, **options: Any) -> Solution:
        """Solves it by the ladder: TAMSI, then the merit, then the convex rung.

        Options as in ``solver.h``: coupling, first_rung, last_rung, max_iterations, tolerance, theta_max.
        """
        v, impulse, report = self._core._solve(options)
        return Solution(np.asarray(v), np.asarray(impulse), report)

    def solve_mlcp(self, **options: Any) -> Solution:
        """Solves it with rigid contact. Options as in ``mlcp.h``: form, method, edges, tikhonov, recovery,
        tolerance."""
        v, impulse, report = self._core._solve_mlcp(options)
        return Solution(np.asarray(v), np.asarray(impulse), report)

    def __repr__(self) -> str:
        return f"<holdfast.Problem: nv {self.nv}, {self.nrow} rows, {self.ncontact} contacts, h {self.h:g} s>"
