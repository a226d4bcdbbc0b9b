"""Linear complementarity problems with bounds, and certificates of matrices.

w = A z + b, lo <= z <= hi, and for each i one of: z = lo and w >= 0, z = hi and w <= 0, or w = 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import floats

METHODS = ("lemke", "dantzig", "gauss-seidel")
_STATUS = {0: "ok", 1: "not converged", 2: "singular", 3: "no solution", 4: "overflow"}


class Solution(NamedTuple):
    """z, w = A z + b, a status ("ok", "no solution", "not converged", "singular") and the solver's report."""

    z: np.ndarray
    w: np.ndarray
    status: str
    report: dict[str, Any]


def _square(A: Any) -> tuple[np.ndarray, int]:
    a = floats(A, None, "A")
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"A must be square, has shape {a.shape}")
    return a, a.shape[0]


def _problem(A: Any, b: Any, lo: Any, hi: Any) -> tuple:
    a, n = _square(A)
    bound = [None if x is None else floats(np.broadcast_to(x, (n,)), (n,), name) for x, name in ((lo, "lo"), (hi, "hi"))]
    return a, floats(b, (n,), "b"), *bound


def solve(A: Any, b: Any, lo: Any = None, hi: Any = None, *, method: str = "lemke", start: Any = None, **options: Any) -> Solution:
    """Solves the problem; lo None: 0, hi None: infinite. method: lemke, dantzig or gauss-seidel (which may ``start``
    from a z). Options: max_pivots, tolerance, tikhonov, relaxation."""
    if method not in METHODS:
        raise ValueError(f'method must be one of {", ".join(METHODS)}, is "{method}"')
    problem = _problem(A, b, lo, hi)
    first = None if start is None else floats(start, problem[1].shape, "start")
    z, w, report = _core.lcp_solve(*problem, first, {"method": METHODS.index(method), **options})
    return Solution(np.asarray(z), np.asarray(w), _STATUS[report["status"]], report)


def residual(A: Any, b: Any, z: Any, lo: Any = None, hi: Any = None) -> float:
    """Natural-map residual of z, relative: a small multiple of 1e-16 is rounding."""
    problem = _problem(A, b, lo, hi)
    return _core.lcp_residual(*problem, floats(z, problem[1].shape, "z"))


def enumerate(A: Any, b: Any, lo: Any = None, hi: Any = None, *, capacity: int = 64) -> tuple[np.ndarray, bool]:
    """All solutions (count, n) of at most 8 rows, and whether they may not be isolated."""
    z, continuum = _core.lcp_enumerate(*_problem(A, b, lo, hi), capacity)
    return np.asarray(z), continuum


def rank(A: Any) -> tuple[int, float]:
    """Numerical rank of a matrix and its margin |R_kk|/|R_11|."""
    a = floats(A, None, "A")
    if a.ndim != 2:
        raise ValueError(f"A must be a matrix, has shape {a.shape}")
    return _core.matrix_rank(a, *a.shape)


def eigenvalues(A: Any) -> np.ndarray:
    """Eigenvalues (n), complex."""
    re, im, status = _core.matrix_eigenvalues(*_square(A))
    if status:
        raise _core.HoldfastError("the eigenvalues were not found: the iteration did not converge")
    return np.asarray(re) + 1j * np.asarray(im)


def minors(A: Any) -> np.ndarray:
    """All 2^n principal minors of at most 20 rows; bit i of the index is row i."""
    return np.asarray(_core.matrix_minors(*_square(A)))


def is_p_matrix(A: Any, *, exact: bool = False) -> dict[str, Any]:
    """Whether every principal minor is positive: is_p, decided, by, margin, witness (rows of a minor that is not)."""
    return _core.matrix_test_p(*_square(A), exact)


def boundary_layer(A: Any, k: Any, c: Any) -> dict[str, Any]:
    """Stability of delta'' = -A (K delta + C delta'): stable, abscissa [1/s]. k [N/m] and c [N s/m] of each row."""
    a, n = _square(A)
    return _core.boundary_layer(a, n, floats(np.broadcast_to(k, (n,)), (n,), "k"), floats(np.broadcast_to(c, (n,)), (n,), "c"))


def certify(A: Any, rolling: Any, k: Any, c: Any) -> dict[str, Any]:
    """Certificate of a rigid contact problem: full_rank, rolling, p_matrix, stable, holds, and their margins. rolling
    (n): rows that are equalities."""
    a, n = _square(A)
    flags = np.ascontiguousarray(np.broadcast_to(np.asarray(rolling, bool), (n,))).view(np.uint8)
    return _core.certify(a, n, flags, floats(np.broadcast_to(k, (n,)), (n,), "k"), floats(np.broadcast_to(c, (n,)), (n,), "c"))
