"""The plan of a study: which runs there are, with which parameters and seeds.

A grid gives every combination of its values. Distributions are drawn by a design (``sampling``: Sobol, Latin hypercube
or random points, the same points in every cell of the grid) or, without one, anew in every run from the run's own seed.
Order: cells of the grid slowest, then points of the design, then repetitions.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import warnings
from statistics import NormalDist
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np

from .errors import StudyError


class Run(NamedTuple):
    """One run of a study: its number, its parameters by name, and its seed."""

    index: int  # type: ignore[assignment]  # the name takes the place of tuple.index, which nobody needs here
    parameters: dict[str, Any]
    seed: int


def _numbers(name: str, kind: str, value: Any, count: int) -> list[float]:
    good = isinstance(value, (list, tuple)) and len(value) == count
    if not good or not all(isinstance(x, (int, float)) and not isinstance(x, bool) and math.isfinite(x) for x in value):
        raise StudyError(f"parameter {name}: {kind} needs {count} finite numbers, has {value!r}")
    return [float(x) for x in value]


def _ends(name: str, kind: str, value: Any) -> list[float]:
    a, b = _numbers(name, kind, value, 2)
    if a > b:
        raise StudyError(f"parameter {name}: {kind} needs its lower end first, has {value!r}")
    return [a, b]


def _uniform(name: str, value: Any) -> Callable[[float], Any]:
    a, b = _ends(name, "uniform", value)
    return lambda u: a + (b - a) * u


def _loguniform(name: str, value: Any) -> Callable[[float], Any]:
    a, b = _ends(name, "loguniform", value)
    if a <= 0:
        raise StudyError(f"parameter {name}: loguniform needs two positive numbers, has {value!r}")
    return lambda u: a * (b / a) ** u


def _normal(name: str, value: Any) -> Callable[[float], Any]:
    mean, deviation = _numbers(name, "normal", value, 2)
    if deviation <= 0:
        raise StudyError(f"parameter {name}: normal needs a mean and a positive deviation, has {value!r}")
    law = NormalDist(mean, deviation)
    # A design may have a point at 0, whose quantile is infinite.
    return lambda u: law.inv_cdf(min(max(u, 1e-12), 1 - 1e-12))


def _choice(name: str, value: Any) -> Callable[[float], Any]:
    if not isinstance(value, (list, tuple)) or not value:
        raise StudyError(f"parameter {name}: choice needs a list of values, has {value!r}")
    return lambda u: value[min(int(u * len(value)), len(value) - 1)]


# From a point of the unit interval to a value: the inverse of the distribution function.
DISTRIBUTIONS = {"uniform": _uniform, "loguniform": _loguniform, "normal": _normal, "choice": _choice}
GRIDS = ("values", "grid")
DESIGNS = ("sobol", "latin-hypercube", "random")


def grid_values(name: str, spec: dict[str, Any]) -> list[Any]:
    """The values of a parameter of the grid."""
    if "values" in spec:
        if not isinstance(spec["values"], list) or not spec["values"]:
            raise StudyError(f"parameter {name}: values needs a list, has {spec['values']!r}")
        return spec["values"]
    grid = spec["grid"]
    if not isinstance(grid, dict) or set(grid) - {"from", "to", "count", "log"} or not {"from", "to", "count"} <= set(grid):
        raise StudyError(f"parameter {name}: grid needs from, to, count and may have log, has {grid!r}")
    a, b = _numbers(name, "grid", [grid["from"], grid["to"]], 2)
    count = grid["count"]
    if not isinstance(count, int) or count < 2:
        raise StudyError(f"parameter {name}: grid.count must be at least 2, is {count!r}")
    if grid.get("log"):
        if a <= 0 or b <= 0:
            raise StudyError(f"parameter {name}: a logarithmic grid needs positive ends, has {a:g} and {b:g}")
        return [a * (b / a) ** (i / (count - 1)) for i in range(count)]
    return [a + (b - a) * i / (count - 1) for i in range(count)]


def run_seed(seed: int, index: int) -> int:
    """The seed of a run: 63 bits that depend on the study's seed and the run's number alone."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{index}".encode()).digest()[:8], "big") >> 1


def _design(method: str, count: int, dimension: int, seed: int) -> np.ndarray:
    if method == "random":
        return np.random.Generator(np.random.PCG64(seed)).random((count, dimension))
    try:
        from scipy.stats import qmc
    except ImportError:
        raise StudyError(f"sampling by {method} needs the Python package scipy") from None
    engine = qmc.LatinHypercube if method == "latin-hypercube" else qmc.Sobol
    try:
        points = engine(dimension, rng=seed)
    except TypeError:
        points = engine(dimension, seed=seed)  # the name of this argument before scipy 1.15
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy wishes for a power of two of Sobol's points; any number is allowed here
        return points.random(count)


def _points(drawn: dict[str, Callable], sampling: dict[str, Any] | None, seed: int) -> list[dict[str, Any] | None]:
    """The points of the design as parameters; [None] where every run draws its own."""
    if sampling is None or not drawn:
        return [None]
    cube = _design(sampling["method"], sampling["count"], len(drawn), seed)
    return [{n: law(float(u)) for (n, law), u in zip(drawn.items(), row)} for row in cube]


def plan_runs(parameters: dict[str, dict], sampling: dict | None, rows: list[dict] | None, repetitions: int,
              seed: int) -> Iterator[Run]:
    """All runs of a study in order."""
    grids = {n: grid_values(n, s) for n, s in parameters.items() if any(g in s for g in GRIDS)}
    drawn = {n: DISTRIBUTIONS[k](n, s[k]) for n, s in parameters.items() for k in DISTRIBUTIONS if k in s}
    points = _points(drawn, sampling, seed)
    index = 0
    for row in rows if rows is not None else [{}]:
        for cell in itertools.product(*grids.values()):
            for point in points:
                for _ in range(repetitions):
                    run = run_seed(seed, index)
                    values = point
                    if values is None:
                        own = np.random.Generator(np.random.PCG64(run))
                        values = {n: law(float(own.random())) for n, law in drawn.items()}
                    yield Run(index, {**row, **dict(zip(grids, cell)), **values}, run)
                    index += 1
