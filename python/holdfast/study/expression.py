"""Expressions over the signals of runs: ``max(slip("mug", "gripper")) < 0.002``.

They are Python's arithmetic, comparisons, ``and or not`` and the functions listed here; nothing else is evaluated. Values
are arrays: (runs, times) for a number, (runs, times, n) for a vector; what does not change in a run has one time.
Sums are exact (``math.fsum``) and functions are called number by number, so that a run's bits do not depend on the runs
beside it.
"""

from __future__ import annotations

import ast
import math
from typing import Any, Callable, cast

import numpy as np

from .errors import StudyError

# Signals: name -> how many names of objects they take. scene.py computes them.
SIGNALS = {"q": 1, "v": 1, "sensor": 1, "force": 1, "position": 1, "offset": 2, "slip": 2, "turned": 2, "normal": 2,
           "friction": 2, "contacts": 2, "sliding": 2}
_OPERATORS: dict[type, Callable] = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide,
              ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal,
              ast.Eq: np.equal, ast.NotEq: np.not_equal, ast.USub: np.negative, ast.UAdd: np.positive, ast.Not: np.logical_not,
              ast.And: np.logical_and, ast.Or: np.logical_or}


def _over_times(f: Callable[[np.ndarray], float]) -> Callable[[np.ndarray], np.ndarray]:
    def reduce(x: np.ndarray) -> np.ndarray:
        rows = np.moveaxis(x, 1, -1)
        return np.moveaxis(np.apply_along_axis(lambda row: np.array([f(row)]), -1, rows), -1, 1)

    return reduce


def _each(f: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    def safe(value: float) -> float:
        try:
            return f(value)
        except (ValueError, OverflowError):
            return math.nan

    return lambda x: np.array([safe(float(v)) for v in x.ravel()]).reshape(x.shape)


def _power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except (ValueError, OverflowError):
        return math.nan


def _norm(x: np.ndarray) -> np.ndarray:
    if x.ndim == 2:
        return np.abs(x)
    total = np.zeros(x.shape[:2])
    for i in range(x.shape[2]):
        total = total + x[:, :, i] * x[:, :, i]
    return np.sqrt(total)


FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "initial": lambda x: x[:, :1], "final": lambda x: x[:, -1:],
    "max": lambda x: x.max(1, keepdims=True), "min": lambda x: x.min(1, keepdims=True),
    "mean": _over_times(lambda r: math.fsum(r) / len(r)),
    "rms": _over_times(lambda r: math.sqrt(math.fsum(float(v) * float(v) for v in r) / len(r))),
    "norm": _norm, "abs": np.abs, "sqrt": np.sqrt,
    "sin": _each(math.sin), "cos": _each(math.cos), "exp": _each(math.exp), "log": _each(math.log),
}


def _align(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A number beside a vector counts for all its components."""
    if a.ndim < b.ndim:
        return a[..., None], b
    return (a, b[..., None]) if b.ndim < a.ndim else (a, b)


class Expression:
    """An expression that was read and checked. ``signals`` lists the (name, objects) that it uses, ``names`` the others."""

    def __init__(self, name: str, text: str):
        self.name, self.text = name, str(text)
        self.signals: set[tuple[str, tuple[str, ...]]] = set()
        self.names: set[str] = set()
        try:
            self._tree = ast.parse(self.text.strip(), mode="eval").body
            self._check(self._tree)
        except SyntaxError as error:
            raise StudyError(f'{name}: "{self.text}" is no expression: {error.msg}') from None
        except (MemoryError, RecursionError):  # of the parser, of _check
            raise StudyError(f"{name}: an expression of {len(self.text)} characters is nested too deeply") from None

    def _refuse(self, node: ast.AST, why: str = "is not allowed") -> None:
        raise StudyError(f'{self.name}: "{ast.unparse(node)}" in "{self.text}" {why}')

    def _check(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call):
            self._check_call(node)
        elif isinstance(node, ast.Name):
            self.names.add(node.id)
        elif isinstance(node, ast.Constant):
            if not isinstance(node.value, (int, float, bool, str)):
                self._refuse(node)
        elif isinstance(node, ast.Subscript):
            if not isinstance(node.slice, ast.Constant) or not isinstance(node.slice.value, int):
                self._refuse(node, "needs a whole number in the brackets")
            self._check(node.value)
        elif isinstance(node, ast.BinOp) and (type(node.op) in _OPERATORS or isinstance(node.op, ast.Pow)):
            self._check(node.left)
            self._check(node.right)
        elif isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
            self._check(node.operand)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                self._check(value)
        elif isinstance(node, ast.Compare) and all(type(op) in _OPERATORS for op in node.ops):
            for value in (node.left, *node.comparators):
                self._check(value)
        else:
            self._refuse(node)

    def _check_call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if node.keywords or name not in SIGNALS and name not in FUNCTIONS:
            known = ", ".join([*SIGNALS, *FUNCTIONS])
            self._refuse(node, f"calls no known function; there are: {known}")
        if name in FUNCTIONS:
            if len(node.args) != 1:
                self._refuse(node, f"takes one value in {name}()")
            self._check(node.args[0])
            return
        objects = tuple(a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))
        if len(objects) != len(node.args) or len(objects) != SIGNALS[name]:
            self._refuse(node, f"takes {SIGNALS[name]} quoted names in {name}()")
        self.signals.add((name, objects))

    def evaluate(self, signals: dict[tuple, np.ndarray], names: dict[str, Any]) -> Any:
        """The value; signals and names give arrays."""
        with np.errstate(all="ignore"):
            return self._value(self._tree, signals, names)

    def _value(self, node: Any, signals: dict, names: dict) -> Any:
        def value(n: Any) -> Any:
            return self._value(n, signals, names)

        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else np.full((1, 1), float(cast(float, node.value)))
        if isinstance(node, ast.Name):
            if node.id not in names:
                self._refuse(node, f'is not known; there are: {", ".join(names)}')
            return names[node.id]
        if isinstance(node, ast.Call):
            name = cast(ast.Name, node.func).id  # by the check of the tree
            if name in FUNCTIONS:
                return FUNCTIONS[name](value(node.args[0]))
            return signals[name, tuple(cast(ast.Constant, a).value for a in node.args)]
        if isinstance(node, ast.Subscript):
            return self._component(node, value(node.value))
        if isinstance(node, ast.UnaryOp):
            return _OPERATORS[type(node.op)](value(node.operand))
        if isinstance(node, ast.BinOp):
            a, b = _align(value(node.left), value(node.right))
            if isinstance(node.op, ast.Pow):
                a, b = np.broadcast_arrays(a, b)
                return np.array([_power(x, y) for x, y in zip(a.ravel(), b.ravel())]).reshape(a.shape)
            return _OPERATORS[type(node.op)](a, b)
        parts = [value(n) for n in (node.values if isinstance(node, ast.BoolOp) else (node.left, *node.comparators))]
        if isinstance(node, ast.BoolOp):
            result = parts[0]
            for part in parts[1:]:
                result = _OPERATORS[type(node.op)](result, part)
            return result
        results = [_compare(op, a, b) for op, a, b in zip(node.ops, parts, parts[1:])]
        return np.logical_and.reduce(np.broadcast_arrays(*results))

    def _component(self, node: Any, x: np.ndarray) -> np.ndarray:
        i = node.slice.value
        if x.ndim != 3 or not -x.shape[2] <= i < x.shape[2]:
            size = x.shape[2] if x.ndim == 3 else 1
            self._refuse(node, f"asks for component {i} of {size}")
        return x[:, :, i]


def _compare(operator: ast.AST, a: Any, b: Any) -> np.ndarray:
    if isinstance(a, str) or isinstance(b, str) or a.dtype == object or b.dtype == object:
        if not isinstance(operator, (ast.Eq, ast.NotEq)):
            raise StudyError("texts can only be compared by == and !=")
        a, b = (np.full((1, 1), x, object) if isinstance(x, str) else x for x in (a, b))
    a, b = _align(a, b)
    return np.asarray(_OPERATORS[type(operator)](a, b))
