"""Files of FCLIB, the collection of frictional contact problems, in HDF5. Needs the package ``h5py``.

    problem = holdfast.fclib.read("Capsules-i125-1213.hdf5")
    solution = problem.solve()
    print(solution.report["residual"])

A file has a group ``fclib_local`` (W, q, mu; V, R, s) or ``fclib_global`` (M, H, f, w, mu; G, b), and may have groups
``solution`` and ``guesses``. Matrices are compressed by rows (nz = -2) or columns (-1), or lists of entries (nz >= 0)
in which, as in CSparse and in the collection's files, ``i`` has the rows and ``p`` the columns.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from ._files import FilePath, file_name, written_beside
from .friction import _MATRICES, _VECTORS, FrictionProblem, Solution, Sparse


def _h5py() -> Any:
    try:
        import h5py
    except ImportError as error:
        raise ImportError('FCLIB files need the package h5py: pip install "holdfast-sim[fclib]"') from error
    return h5py


def _number(group: Any, name: str) -> int:
    return int(np.asarray(group[name]).ravel()[0])


def _read_matrix(group: Any) -> Sparse:
    rows, cols, nz = (_number(group, n) for n in ("m", "n", "nz"))
    p, i, x = (np.asarray(group[n]) for n in ("p", "i", "x"))
    if nz == -2:
        return Sparse((rows, cols), np.ascontiguousarray(p, np.int32), i[:p[-1]].astype(np.int32), x[:p[-1]].astype(float))
    if nz == -1:
        columns = np.repeat(np.arange(cols), np.diff(p))
        return Sparse.from_entries((rows, cols), i[:p[-1]], columns, x[:p[-1]])
    if nz < 0:
        raise ValueError(f"{group.name}: nz = {nz} names no known form of a matrix")
    return Sparse.from_entries((rows, cols), i[:nz], p[:nz], x[:nz])


def _form_of(file: Any, path: str) -> str:
    for form in _MATRICES:
        if f"fclib_{form}" in file:
            return form
    raise ValueError(f"{path}: has neither fclib_local nor fclib_global")


def read(path: FilePath) -> FrictionProblem:
    """Reads the problem of a file."""
    with _h5py().File(file_name(path), "r") as file:
        form = _form_of(file, file_name(path))
        group = file[f"fclib_{form}"]
        given: dict[str, Any] = {n: _read_matrix(group[n]) for n in _MATRICES[form] if n in group}
        vectors = group["vectors"]
        given |= {n: np.asarray(vectors[n], float) for n in _VECTORS[form] if n in vectors}
        return FrictionProblem(dim=_number(group, "spacedim"), **given)


def read_solution(path: FilePath) -> dict[str, np.ndarray] | None:
    """The arrays (r, u, and where given v, l) of the solution that a file holds, or None."""
    with _h5py().File(file_name(path), "r") as file:
        if "solution" not in file:
            return None
        return {n: np.asarray(x, float) for n, x in file["solution"].items()}


def _write_matrix(group: Any, A: Sparse) -> None:
    numbers = {"nzmax": A.value.size, "m": A.shape[0], "n": A.shape[1], "nz": -2}
    for name, value in numbers.items():
        group[name] = np.array([value], np.int32)
    group["p"], group["i"], group["x"] = A.start, A.col, A.value


def write(path: FilePath, problem: FrictionProblem, solution: Solution | None = None, *, title: str = "",
          description: str = "") -> None:
    """Writes a problem, and its solution where given, in FCLIB's layout with matrices compressed by rows."""
    content = io.BytesIO()
    with _h5py().File(content, "w") as file:
        group = file.create_group(f"fclib_{problem.form}")
        group["spacedim"] = np.array([problem.dim], np.int32)

        for name, matrix in problem.matrices.items():
            _write_matrix(group.create_group(name), matrix)
        for name, vector in problem.vectors.items():
            if vector.size:
                group[f"vectors/{name}"] = vector

        for name, text in (("title", title), ("description", description), ("math_info", "")):
            group[f"info/{name}"] = np.bytes_(text or " ")

        if solution is not None:
            for name, value in (("v", solution.v), ("u", solution.u), ("r", solution.r), ("l", solution.multiplier)):
                if value.size:
                    file[f"solution/{name}"] = value

    with written_beside(path) as temporary:
        temporary.write_bytes(content.getvalue())
