"""What is said to those who take one thing for another: warnings, and refusals that name the way out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import near


class HoldfastWarning(UserWarning):
    """Something that is allowed and that is seldom meant: a body that starts inside another, parameters that were
    written and do not act, meshes that collide as another shape. ``warnings.filterwarnings("error",
    category=hf.HoldfastWarning)`` makes it an error."""


class Diagnostic(NamedTuple):
    """What the reader has to say about a file."""

    severity: str  # "warning": not used, and the motion may differ; "note": without effect on the motion
    file: str
    line: int  # 0: the file has no lines, for example a saved model
    message: str
    places: int  # in how many places; only the first of them is reported

    def __str__(self) -> str:
        times = f" ({self.places} times)" if self.places > 1 else ""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.severity}: {self.message}{times}"


@contextmanager
def with_diagnostics() -> Iterator[None]:
    """Adds to the refusal of a file what its reader had said before: its warnings to the text, all of it to the
    attribute ``diagnostics``. An element that nobody knows is often the reason why another one is refused."""
    try:
        yield
    except _core.HoldfastError as error:
        said = [Diagnostic(*d) for d in getattr(error, "diagnostics", ())]
        error.diagnostics = said  # type: ignore[attr-defined]
        heard = [str(d) for d in said if d.severity == "warning"]
        if heard:
            error.args = ("\n".join([str(error), "the reader had said before:", *(f"  {line}" for line in heard)]),)
        raise


def refuse_no_model(given: Any, what: str) -> None:
    """Refuses what is often given instead of a model, with the call that makes a model of it. what: "hf.Sim", ..."""
    if isinstance(given, (str, bytes, os.PathLike)):
        hint = f'read the file first: {what}(hf.Model.from_file({os.fsdecode(given)!r}))'
    elif isinstance(given, _core.Builder):
        hint = f"finish the builder first: {what}(builder.finish())"
    elif hasattr(given, "jnt_qposadr") and not isinstance(given, (_core.Model, _core.Params)) or hasattr(given, "worldbody"):
        hint = f"this is MuJoCo's: {what}(hf.from_mujoco(model))"
    else:
        return
    raise TypeError(f"a Model is needed, not {type(given).__name__}; {hint}")


# ---- arrays that nobody may write -------------------------------------------------------------------------


class ModelField(np.ndarray):
    """A field of a model, for reading. What is computed from it is a plain array; a refused assignment says what to
    do instead."""

    def _refuse(self) -> ValueError:
        return ValueError("a model never changes: its fields are for reading; write the same field of hf.Params(model) for one world, or use a Builder")

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.flags.writeable:
            raise self._refuse()
        super().__setitem__(key, value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        for target in options.get("out", ()):
            if isinstance(target, ModelField) and not target.flags.writeable:
                raise target._refuse()
        if "out" in options:
            options["out"] = tuple(_plain(target) for target in options["out"])
        return getattr(ufunc, method)(*(_plain(x) for x in inputs), **options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _plain(super().__array_function__(func, types, args, kwargs))

    def copy(self, order: Any = "C") -> np.ndarray:  # type: ignore[override]
        return np.array(self, order=order)

    def astype(self, *args: Any, **kwargs: Any) -> np.ndarray:
        return np.asarray(self).astype(*args, **kwargs)

    def __copy__(self) -> np.ndarray:  # type: ignore[override]
        return np.array(self)

    def __deepcopy__(self, memo: Any) -> np.ndarray:  # type: ignore[override]
        return np.array(self)

    def __reduce__(self) -> Any:  # a pickled array is a plain copy
        return np.array(self).__reduce__()

    def __repr__(self) -> str:
        return repr(np.asarray(self))


def _plain(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, ModelField) else x


# ---- names that are looked for in the wrong place -------------------------------------------------------------

_OF_MODEL = {"from_xml_path": "Model.from_file(PATH)", "from_xml_string": "Model.from_string(TEXT)", "from_path": "Model.from_file(PATH)", "load": "Model.from_file(PATH)",
             "from_urdf": "Model.from_file(PATH)", "from_mjcf": "Model.from_file(PATH)", "from_mujoco": "hf.from_mujoco(MODEL)", "from_binary_path": "Model.from_file(PATH)"}


class ModelType(type):
    """The class of the class Model: it says what a function of another library is called here."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        hint = f"; it is {_OF_MODEL[name]}" if name in _OF_MODEL else near(name, dir(cls))
        raise AttributeError(f'the class {cls.__name__} has no "{name}"{hint}')


_OF_PACKAGE = {
    "view": "holdfast view FILE, a command, shows a scene in the browser; hf.Sim(model, report=True).report() gives a page that replays a run",
    "viewer": "holdfast view FILE, a command, shows a scene in the browser",
    "render": "holdfast render FILE, a command, draws a picture of a scene; hf.Dynamics(model).picture draws from a camera of the model",
    "MjModel": "it is hf.Model", "MjData": "it is hf.State, which a sim has: sim.state", "MjSpec": "it is hf.Builder",
    "World": "a world is hf.Sim(model)", "Simulation": "it is hf.Sim", "Scene": "a scene is hf.Model.from_file(PATH)", "Robot": "a robot is hf.Model.from_file(PATH)",
    "mj_step": "it is sim.step()", "step": "it is sim.step()", "read": "it is hf.load(PATH)", "open": "it is hf.load(PATH)", "parse": "it is hf.Model.from_string(TEXT)",
    "make": "environments are Gymnasium's: gymnasium.make(\"holdfast/Pinch-v0\")",
}


def no_name_in_package(name: str, known: list[str]) -> AttributeError:
    """The refusal of a name that the package does not have."""
    hint = f"; {_OF_PACKAGE[name]}" if name in _OF_PACKAGE else near(name, known)
    return AttributeError(f'module "holdfast" has no "{name}"{hint}')
