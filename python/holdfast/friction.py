"""Friction problems given by matrices: rigid contact with Coulomb's law.

    local form    u = W r + V l + q,    V' r + R l + s = 0
    global form   M v = H r + G l + f,  u = H' v + w,  G' v + b = 0

Each contact has ``dim`` rows (n, t1 and, in three dimensions, t2), its reaction r lies in the cone |r_t| <= mu r_n,
and r and u obey Coulomb's law. l are multipliers of equalities. The names are those of FCLIB; ``holdfast.fclib``
reads its files.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import floats
from ._files import FilePath, file_name

_STATUS = {0: "ok", 1: "not converged"}
_FORMS = ("local", "global")
_MATRICES = {"local": ("W", "V", "R"), "global": ("M", "H", "G")}
_VECTORS = {"local": ("mu", "q", "s"), "global": ("mu", "f", "w", "b")}


def _places(x: Any, count: int, name: str) -> np.ndarray:
    """Rows or columns of entries as int32: whole numbers from 0 to ``count`` - 1."""
    a = np.asarray(x)
    if a.size and a.dtype.kind not in "iuf":
        raise TypeError(f"{name}s of entries must be whole numbers, not dtype {a.dtype}")
    wrong = a[~((a >= 0) & (a < count) & (a == np.floor(a)))]  # NaN is none of these
    if wrong.size:
        raise ValueError(f"an entry has {name} {wrong.flat[0]}; {name}s are whole numbers from 0 to {count - 1}")
    return a.astype(np.int32)


class Sparse(NamedTuple):
    """A matrix by compressed rows: entries start[i] to start[i + 1] of ``col`` and ``value`` are those of row i."""

    shape: tuple[int, int]
    start: np.ndarray
    col: np.ndarray
    value: np.ndarray

    @classmethod
    def of(cls, matrix: Any, name: str = "matrix") -> Sparse:
        """From a Sparse, an object of scipy.sparse, or a dense array, whose zeros are left out."""
        if isinstance(matrix, Sparse):
            return matrix
        if hasattr(matrix, "tocsr"):
            m = matrix.tocsr()
            return cls(m.shape, np.array(m.indptr, np.int32), np.array(m.indices, np.int32), np.array(m.data, float))
        dense = floats(matrix, None, name)
        if dense.ndim != 2:
            raise ValueError(f"{name} must be a matrix, has shape {dense.shape}")
        row, col = np.nonzero(dense)
        return cls.from_entries(dense.shape, row, col, dense[row, col])

    @classmethod
    def from_entries(cls, shape: tuple[int, int], row: Any, col: Any, value: Any) -> Sparse:
        """From lists of rows, columns and values; entries of the same place add up."""
        row, col, value = _places(row, shape[0], "row"), _places(col, shape[1], "column"), floats(value, None, "value")
        if not row.shape == col.shape == value.shape or row.ndim != 1:
            raise ValueError(f"rows, columns and values must be lists of one length, have shapes {row.shape}, {col.shape}, {value.shape}")
        order = np.argsort(row, kind="stable")
        start = np.zeros(shape[0] + 1, np.int32)
        np.cumsum(np.bincount(row, minlength=shape[0]), out=start[1:])
        return cls((shape[0], shape[1]), start, col[order], value[order])

    def rows(self) -> np.ndarray:
        """The row of each entry."""
        return np.repeat(np.arange(self.shape[0], dtype=np.int32), np.diff(self.start))

    def dense(self) -> np.ndarray:
        """The same as a dense array."""
        out = np.zeros(self.shape)
        np.add.at(out, (self.rows(), self.col), self.value)
        return out

    def __matmul__(self, x: np.ndarray) -> np.ndarray:
        return np.bincount(self.rows(), self.value * np.asarray(x)[self.col], self.shape[0])


class Solution(NamedTuple):
    """Reactions r (m), velocities u (m), multipliers (p), generalised velocities v (nv; empty in the local form), a
    status ("ok" or "not converged") and the report: natural_map, residual, scaled_residual, steps, iterations,
    islands."""

    r: np.ndarray
    u: np.ndarray
    multiplier: np.ndarray
    v: np.ndarray
    status: str
    report: dict[str, Any]


def _solution(r: Any, u: Any, multiplier: Any, v: Any, report: dict[str, Any]) -> Solution:
    return Solution(np.asarray(r), np.asarray(u), np.asarray(multiplier), np.asarray(v), _STATUS[report["status"]], report)


class FrictionProblem:
    """A friction problem. Give W, q, mu (local form), or M, H, f, w, mu (global form); V, R, s or G, b add equalities.

    Matrices may be dense, of scipy.sparse, or ``Sparse``. ``dim`` is the number of rows of a contact, 2 or 3. W and M
    need not be symmetric.
    """

    def __init__(self, *, mu: Any, dim: int = 3, W: Any = None, q: Any = None, V: Any = None, R: Any = None, s: Any = None,
                 M: Any = None, H: Any = None, f: Any = None, w: Any = None, G: Any = None, b: Any = None):
        if (W is None) == (M is None):
            raise ValueError("a friction problem has either W (local form) or M (global form)")
        self.form = "local" if M is None else "global"

        given = {"W": W, "V": V, "R": R, "M": M, "H": H, "G": G, "q": q, "s": s, "f": f, "w": w, "b": b}
        stray = [n for n, x in given.items() if x is not None and n not in _MATRICES[self.form] + _VECTORS[self.form]]
        if stray:
            raise ValueError(f"{', '.join(stray)} does not belong to the {self.form} form")

        self.dim = int(dim)
        self.mu = np.atleast_1d(np.ascontiguousarray(mu, float))
        rows = self.dim * self.mu.size

        self.matrices = {n: Sparse.of(given[n], n) for n in _MATRICES[self.form] if given[n] is not None}
        self.nv = self.matrices["M"].shape[0] if self.form == "global" else 0
        equality = self.matrices.get("V" if self.form == "local" else "G")
        self.nequality = equality.shape[1] if equality is not None else 0

        sizes = {"q": rows, "w": rows, "f": self.nv, "s": self.nequality, "b": self.nequality}
        self.vectors = {"mu": self.mu}

        for name in _VECTORS[self.form][1:]:
            value = np.zeros(sizes[name]) if given[name] is None else given[name]
            self.vectors[name] = floats(value, (sizes[name],), name)

    @property
    def ncontact(self) -> int:
        """Number of contacts."""
        return self.mu.size

    def __getattr__(self, name: str) -> Any:
        for group in ("matrices", "vectors"):
            if name in self.__dict__.get(group, {}):
                return self.__dict__[group][name]
        raise AttributeError(name)

    def _parts(self) -> tuple[dict, dict]:
        """The counts and the arrays of the problem as the extension takes them; checks the shapes."""
        counts = {"form": _FORMS.index(self.form), "dim": self.dim, "ncontact": self.ncontact,
                  "nequality": self.nequality, "nv": self.nv}
        m, p, nv = self.dim * self.ncontact, self.nequality, self.nv
        shapes = {"W": (m, m), "V": (m, p), "R": (p, p), "M": (nv, nv), "H": (nv, m), "G": (nv, p)}

        for name, matrix in self.matrices.items():
            if tuple(matrix.shape) != shapes[name]:
                raise ValueError(f"{name} must have shape {shapes[name]}, has {tuple(matrix.shape)}")
        return counts, {**self.vectors, **{n: (A.start, A.col, A.value) for n, A in self.matrices.items()}}

    def solve(self, start: Any = None, **options: Any) -> Solution:
        """Solves the problem, from the reactions ``start`` where given. Options: tolerance (default 1e-8, of both
        residuals), max_steps, max_iterations."""
        first = None if start is None else floats(start, (self.dim * self.ncontact,), "start")
        return _solution(*_core.friction_solve(*self._parts(), first, None, options))

    def evaluate(self, r: Any, multiplier: Any = None) -> Solution:
        """u, v and the residuals of given reactions, by FCLIB's natural map and by our scaled one."""
        first = floats(r, (self.dim * self.ncontact,), "r")
        second = None if multiplier is None else floats(multiplier, (self.nequality,), "multiplier")
        return _solution(*_core.friction_evaluate(*self._parts(), first, second))

    def write(self, path: FilePath) -> None:
        """Writes a text file with 17 significant digits (docs/reference/friction-file.md)."""
        _core.friction_write(*self._parts(), file_name(path))

    @classmethod
    def read(cls, path: FilePath) -> FrictionProblem:
        """Reads a text file; what is read is bitwise what was written."""
        counts, arrays = _core.friction_read(file_name(path))
        m, p, nv = counts["dim"] * counts["ncontact"], counts["nequality"], counts["nv"]
        shapes = {"W": (m, m), "V": (m, p), "R": (p, p), "M": (nv, nv), "H": (nv, m), "G": (nv, p)}
        given: dict[str, Any] = {}
        for name, value in arrays.items():
            if name in shapes:
                start, col = (np.frombuffer(x, np.int32) for x in value[:2])
                given[name] = Sparse(shapes[name], start, col, np.asarray(value[2]))
            else:
                given[name] = np.asarray(value)
        return cls(dim=counts["dim"], **given)

    def __repr__(self) -> str:
        return f"<holdfast.FrictionProblem: {self.form}, {self.ncontact} contacts of {self.dim} rows, {self.nequality} equalities>"
