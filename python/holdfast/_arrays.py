"""Arrays: checked on the way in, named on the way out."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _core

_FORMATS = {"d": "<f8", "f": "<f4", "i": "<i4", "I": "<u4", "q": "<i8", "Q": "<u8", "b": "?"}


def floats(x: Any, shape: tuple[int, ...] | None, name: str) -> np.ndarray:
    """``x`` as a contiguous array of float64 of this shape; copied only where it is not one already."""
    a = np.asarray(x)
    if a.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be numbers that fit float64, not dtype {a.dtype}")
    if shape is not None and a.shape != tuple(shape):
        raise ValueError(f"{name} must have shape {tuple(shape)}, has {a.shape}")
    return np.ascontiguousarray(a, dtype=np.float64)


def finite(x: Any, shape: tuple[int, ...] | None, name: str) -> np.ndarray:
    """As ``floats``; numbers that are not finite are refused."""
    a = floats(x, shape, name)
    if not np.isfinite(a).all():
        place = np.argwhere(~np.isfinite(a))[0].tolist()
        raise _core.NonFiniteError(f"{name} must be finite: {name}{place} is {a[tuple(place)]}")
    return a


def mask_bytes(mask: Any, n: int) -> np.ndarray | None:
    """A mask over worlds as bytes, from booleans (n) or indices of worlds."""
    if mask is None:
        return None
    a = np.asarray(mask)
    if a.dtype == bool:
        if a.shape != (n,):
            raise ValueError(f"mask must have shape ({n},), has {a.shape}")
        return np.ascontiguousarray(a).view(np.uint8)
    if a.size and a.dtype.kind not in "iu":
        raise TypeError(f"mask must be booleans or indices of worlds, not dtype {a.dtype}")
    out = np.zeros(n, np.uint8)
    out[a.astype(np.intp)] = 1
    return out


def struct_dtype(description: tuple[int, list[tuple[str, str, int, int]]]) -> np.dtype:
    """The dtype of a struct of the library, as the extension describes it."""
    size, members = description[0], sorted(description[1], key=lambda m: m[3])  # numpy.save refuses fields that do not ascend
    return np.dtype(
        {
            "names": [m[0] for m in members],
            "formats": [_FORMATS[m[1]] if m[2] == 1 else (_FORMATS[m[1]], (m[2],)) for m in members],
            "offsets": [m[3] for m in members],
            "itemsize": size,
        }
    )


def columns(records: np.ndarray) -> dict[str, np.ndarray]:
    """The fields of a structured array, as ``sim.contacts()`` and ``batch.reports`` are, as arrays of one dimension:
    a vector of three becomes ``p_W.x``, ``p_W.y``, ``p_W.z``, others ``NAME.0`` and so on. For a table:
    ``pandas.DataFrame(hf.columns(sim.contacts()))``."""
    names = getattr(records, "dtype", np.dtype(float)).names
    if names is None or records.ndim != 1:
        raise TypeError("columns are made of a structured array with one dimension, as sim.contacts() is")

    out: dict[str, np.ndarray] = {}

    for name in names:
        values = records[name]
        if values.ndim == 1:
            out[name] = values
        else:
            flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
            parts = "xyz" if values.shape[1:] == (3,) else range(flat.shape[1])
            out.update({f"{name}.{part}": flat[:, i] for i, part in enumerate(parts)})
    return out


def assign(array: np.ndarray, value: Any, name: str) -> None:
    """``array[...] = value`` for numbers that broadcast; a refusal has the name of the array."""
    numbers = floats(value, None, name)
    if not array.flags.writeable:
        raise ValueError(f"{name} is a result, for reading only")
    try:
        array[...] = numbers
    except ValueError:
        raise ValueError(f"{name} has shape {array.shape}: numbers of shape {numbers.shape} do not fit") from None


_MUJOCO = {"qpos": "q", "qvel": "v", "qacc": "acceleration", "qfrc_applied": "force", "xfrc_applied": "wrench", "sensordata": "sensors",
           "xpos": "pose", "xquat": "pose", "opt": "world"}  # names of mjData and mjModel, and what is called so here


def near(name: str, known: Sequence[str]) -> str:
    """How the message about an unknown name ends: with names that are like it, or with the one of what MuJoCo calls
    so."""
    if _MUJOCO.get(name) in known:
        return f"; what MuJoCo calls {name} is {_MUJOCO[name]}"
    names = difflib.get_close_matches(name, [k for k in known if not k.startswith("_")], 3, 0.6)
    return f"; perhaps {' or '.join(names)}" if names else ""


_MOST_NAMES = 20  # that a message lists


def many(kind: str) -> str:
    """The plural of a kind of objects."""
    first, *rest = kind.rsplit(" ", 1)
    noun = rest[0] if rest else first
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{first} {plural}" if rest else plural


def no_name(kind: str, name: str, known: Sequence[str]) -> str:
    """The message about a name that no object of a kind has: with names that are like it, and with the names that
    there are."""
    if not known:
        return f'no {kind} is named "{name}": the model has no {many(kind)}'
    more = f", and {len(known) - _MOST_NAMES} more" if len(known) > _MOST_NAMES else ""
    return f'no {kind} is named "{name}"{near(name, known) if more else ""}; there are: {", ".join(known[:_MOST_NAMES])}{more}'


_JOINT_PARTS = {7: ("x", "y", "z", "qw", "qx", "qy", "qz"), 6: ("vx", "vy", "vz", "wx", "wy", "wz"), 4: ("qw", "qx", "qy", "qz"),
                3: ("wx", "wy", "wz")}  # coordinates of free and ball joints, by their number


class Places(dict[str, slice]):
    """Places of names in an array. It also finds, but does not list, other words for some of these names."""

    def __init__(self, places: dict[str, slice], other_words: dict[str, str]):
        super().__init__(places)
        self._other_words = {word: name for word, name in other_words.items() if word not in places}

    def __missing__(self, word: str) -> slice:
        return self[self._other_words[word]]


def _is_names(key: Any) -> bool:
    return isinstance(key, list) and bool(key) and all(isinstance(k, str) for k in key)


# Functions of NumPy whose result has the numbers of an array at their places.
_KEEP_PLACES = frozenset((np.clip, np.round, np.around, np.nan_to_num, np.real, np.imag, np.empty_like, np.zeros_like, np.ones_like, np.full_like,
                          np.reshape, np.ravel, np.squeeze, np.cumsum, np.cumprod, np.isclose))


def _without_names(result: Any, given: Sequence[Any]) -> Any:
    """A result of NumPy, or several, without names; what was given to the function, as ``out`` is, keeps them."""
    if isinstance(result, (tuple, list)):
        for part in result:
            _without_names(part, given)
    elif isinstance(result, NamedArray) and not any(result is x for x in given):
        result._slices = None
    return result


class NamedArray(np.ndarray):
    """An array whose last axis also answers to names: ``q["elbow"]``. A list of names gives a copy of all their
    numbers, ``q[["elbow", "wrist"]]``, and may be assigned to. Of an array with a row for each body names select
    rows: ``wrench["cup"]``.

    A name gives a number where the object has one coordinate and a view of several where it has more (a free joint has
    seven positions). A view is the library's memory: copy it to keep it. ``array.names`` lists the names,
    ``array.columns`` one for each number of the last axis, which has none if names select rows.

    Copies, arithmetic and functions of each number keep the names. What NumPy makes of an array in another order or
    another shape (``sort``, ``roll``, ``take``, products with matrices) has none.
    """

    _slices: dict[str, slice] | None = None
    _kind = ""
    _rows = False  # Names select rows and not numbers of the last axis.
    _layout: Any = None  # shape and strides for which the names hold; a transpose gets its own after __array_finalize__

    def __array_finalize__(self, other: Any) -> None:
        # Only a whole array keeps the names: a part has other places, and so has a view with other strides (a transpose).
        same = getattr(other, "shape", None) == self.shape
        if same and self.strides != other.strides:
            same = not np.may_share_memory(self, other)
        self._slices = getattr(other, "_slices", None) if same else None
        self._kind = getattr(other, "_kind", "") if same else ""
        self._rows = getattr(other, "_rows", False) if same else False
        self._layout = self.shape, self.strides

    def _known(self) -> dict[str, slice] | None:
        """Places of the names; None if the array has none, or no longer the layout for which they hold."""
        return self._slices if self._layout == (self.shape, self.strides) else None

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        """A sum or a comparison of everything is a number, as of other arrays. A product with a matrix has no names."""
        if array.ndim == 0:
            return array[()]
        result = super().__array_wrap__(array, context)
        return _without_names(result, ()) if context is not None and context[0].signature is not None else result

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        result = super().__array_function__(func, types, args, kwargs)
        return result if func in _KEEP_PLACES or result is NotImplemented else _without_names(result, (*args, *kwargs.values()))

    def _forget_order(self) -> None:
        """Forgets the names after the numbers of a copy were put in another order. Those of the library's own memory
        stay what they are called."""
        if self.flags.owndata:
            self._slices = None

    def sort(self, *args: Any, **kwargs: Any) -> None:
        super().sort(*args, **kwargs)
        self._forget_order()

    def partition(self, *args: Any, **kwargs: Any) -> None:
        super().partition(*args, **kwargs)
        self._forget_order()

    def argsort(self, *args: Any, **kwargs: Any) -> Any:
        return np.asarray(self).argsort(*args, **kwargs)

    def argpartition(self, *args: Any, **kwargs: Any) -> Any:
        return np.asarray(self).argpartition(*args, **kwargs)

    def take(self, *args: Any, **kwargs: Any) -> Any:
        return np.asarray(self).take(*args, **kwargs)

    def choose(self, *args: Any, **kwargs: Any) -> Any:
        return np.asarray(self).choose(*args, **kwargs)

    def dot(self, *args: Any, **kwargs: Any) -> Any:
        return np.asarray(self).dot(*args, **kwargs)

    @property
    def names(self) -> list[str]:
        return list(self._known() or ())

    @property
    def columns(self) -> list[str]:
        """A name for each number of the last axis, as in the columns of logs: ``elbow``, ``cup.x``, ``gyro.0``. For a
        table: ``pandas.DataFrame(run.q[0], columns=run.q.columns)``."""
        if self._rows:
            return []
        return [f"{name}.{part}" if part else name for name, place in (self._known() or {}).items() for part in self._parts(place.stop - place.start)]

    def _parts(self, count: int) -> Sequence[str]:
        if count == 1:
            return ("",)
        return _JOINT_PARTS[count] if self._kind == "joint" else [str(i) for i in range(count)]

    def _place(self, name: str) -> Any:
        slices = self._known()
        if slices is None:
            raise KeyError("this array has no names; a part of a named array loses them")
        try:
            s = slices[name]
        except KeyError:
            raise KeyError(no_name(self._kind, name, list(slices))) from None
        return s.start if s.stop - s.start == 1 else s

    def _places(self, names: list[str]) -> list[int]:
        places = [self._place(name) for name in names]
        return [i for p in places for i in (range(p.start, p.stop) if isinstance(p, slice) else (p,))]

    def _index(self, place: Any) -> Any:
        """The index of a place in the last axis, or of a row; with an ellipsis a number would be a view."""
        return (..., place, slice(None)) if self._rows else place if self.ndim == 1 else (..., place)

    def __getitem__(self, key: Any) -> Any:
        if _is_names(key):
            return np.asarray(self)[self._index(self._places(key))]
        if isinstance(key, str):
            return np.asarray(self)[self._index(self._place(key))]
        part = super().__getitem__(key)
        if isinstance(part, NamedArray) and key is not Ellipsis:
            part._slices = None  # as many as before, but perhaps in another order
        return part

    def __setitem__(self, key: Any, value: Any) -> None:
        if _is_names(key):
            np.asarray(self)[self._index(self._places(key))] = value
        elif isinstance(key, str):
            np.asarray(self)[self._index(self._place(key))] = value
        else:
            try:
                super().__setitem__(key, value)
            except ValueError:
                if not self.flags.writeable or np.shape(self[key]) == np.shape(value):
                    raise
                raise ValueError(f"an array of shape {np.shape(value)} does not fit the shape {np.shape(self[key])} of what is written"
                                 f"{'; its columns are ' + ', '.join(self.columns[:_MOST_NAMES]) if self.columns else ''}") from None

    def __reduce__(self) -> Any:  # a pickled array is a plain copy
        return np.array(self).__reduce__()


if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    class NamedField:
        """How a type checker sees a field that gives a named array and takes all that NumPy takes for numbers:
        ``state.q = [0, 1]``."""

        def __get__(self, owner: Any, kind: Any = None) -> NamedArray: ...
        def __set__(self, owner: Any, value: ArrayLike) -> None: ...

    class ArrayField:
        """The same without names."""

        def __get__(self, owner: Any, kind: Any = None) -> np.ndarray: ...
        def __set__(self, owner: Any, value: ArrayLike) -> None: ...


def named(view: Any, slices: dict[str, slice], kind: str, rows: bool = False) -> NamedArray:
    array = np.asarray(view).view(NamedArray)
    array._slices = slices
    array._kind = kind
    array._rows = rows
    return array
