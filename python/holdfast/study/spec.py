"""Studies: what to run, over which parameters, and what to keep. docs/guide/studies.md has the file format."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from . import draw
from .draw import Run
from .errors import StudyError
from .expression import Expression

_KEEP_FLAGS = ("state", "recordings")
_CHANGES = ("set", "times", "add")  # what a parameter does to the paths that it has under this name
_LIMITS = {"time": 3600.0, "steps": 10_000_000, "attempts": 3}


def _refuse_unknown(what: str, given: dict, known: Any) -> None:
    unknown = [k for k in given if k not in known]
    if unknown:
        raise StudyError(f'{what}: "{unknown[0]}" is not known; there are: {", ".join(sorted(known))}')


_KINDS: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(("scene", "function", "experiment", "keyframe", "controls", "success", "worst"), ((str, type(None)), "a text")),
    **dict.fromkeys(("options", "parameters", "keep", "limits"), (dict, "a mapping of names")), "folder": (str, "a text"),
    **dict.fromkeys(("time", "sample"), ((int, float), "a number")),
    "sampling": ((dict, type(None)), "a mapping with method and count"), "runs": ((list, type(None)), "a list of mappings"),
    "seed": (int, "a whole number"),
}


def _check_count(what: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise StudyError(f"{what} must be a whole number of at least 1, is {value!r}")


def _loader(yaml: Any) -> Any:
    """The safe loader, which also reads 1e-3 as a number (YAML 1.1 takes it for a text) and refuses a name that stands twice in a mapping (YAML's
    readers keep the last value)."""
    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen: set[Any] = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and (name := (key.tag, key.value)) in seen:
                    raise yaml.constructor.ConstructorError(None, None, f'"{key.value}" stands twice', key.start_mark)
                elif isinstance(key, yaml.ScalarNode):
                    seen.add(name)
            return super().construct_mapping(node, deep)

    Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"), list("-+0123456789"))
    return Loader


def _plain(value: Any) -> Any:
    """A value of a field as YAML would give it: NumPy's numbers and arrays, ranges and paths as numbers, lists and texts. A number of NumPy
    that is no float would become a text in the store."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple, range)):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {_plain(k): _plain(v) for k, v in value.items()}
    return os.fspath(value) if isinstance(value, os.PathLike) else value


@dataclass
class Study:
    """A study: a scene, an experiment or a Python function, run over parameters.

        study = Study(name="grasp", scene="pinch.xml", keyframe="soft", time=1.0,
                      parameters={"friction": {"set": "geom.*.friction[0]", "uniform": [0.1, 1.0]}},
                      sampling={"method": "sobol", "count": 1000},
                      keep={"drop": "-final(q('capsule')[2])"}, success="drop < 0.002")
        study.run("grasp.db")

    ``Study.from_file("study.yaml")`` reads the same fields from YAML. Values may be numbers and arrays of NumPy, too.
    """

    name: str
    scene: str | None = None            # MJCF, URDF or SDFormat; parameters change it by path
    function: str | None = None         # "module:function", called with the parameters
    experiment: str | None = None       # an experiment of the command
    keyframe: str | None = None         # scene: where runs start
    time: float = 1.0                   # scene: simulated time of a run [s]
    sample: float = 0.02                # scene: time between the samples that expressions see [s]
    controls: str | None = None         # scene: a CSV of controls over time, as for holdfast run
    options: dict[str, Any] = field(default_factory=dict)      # scene: options of the sim
    parameters: dict[str, dict] = field(default_factory=dict)  # name -> what it sets, and its values
    runs: list[dict] | None = None      # explicit combinations of values
    sampling: dict[str, Any] | None = None                     # {"method": "sobol", "count": 1000}
    repetitions: int = 1
    seed: int = 0
    keep: dict[str, Any] = field(default_factory=dict)         # name -> expression; state, recordings
    success: str | None = None          # an expression over what is kept
    worst: str | None = None            # an expression: runs with the largest value lead the report
    limits: dict[str, float] = field(default_factory=dict)     # of one run: time of the clock [s], steps, attempts
    folder: str = "."                   # relative files and modules are looked for here

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            setattr(self, name, _plain(value))
        if not isinstance(self.name, str) or not self.name:
            raise StudyError("a study needs a name")
        for name, (kind, what) in _KINDS.items():
            if not isinstance(getattr(self, name), kind) or isinstance(getattr(self, name), bool):
                raise StudyError(f"{name} must be {what}, is {getattr(self, name)!r}")
        if self.seed < 0:
            raise StudyError(f"seed must not be negative, is {self.seed}")
        empty = [name for name in ("scene", "function", "experiment") if getattr(self, name) == ""]
        if empty:
            raise StudyError(f"{empty[0]} is empty")
        if sum(x is not None for x in (self.scene, self.function, self.experiment)) != 1:
            raise StudyError("a study runs one of: a scene, a function, an experiment")
        self.folder = os.path.abspath(self.folder)
        self._check_parameters()
        self._check_sampling()
        _check_count("repetitions", self.repetitions)
        _refuse_unknown("limits", self.limits, _LIMITS)
        for name, value in self.limits.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
                raise StudyError(f"limits.{name} must be a positive number, is {value!r}")
        if not 0 < self.time < float("inf") or not 0 < self.sample < float("inf"):
            raise StudyError(f"time and sample must be positive and finite, are {self.time!r} and {self.sample!r}")
        if not isinstance(self.keep.get("state", False), bool):
            raise StudyError(f'keep.state must be true or false, is {self.keep["state"]!r}')
        if self.keep.get("recordings", "none") not in ("none", "failures", "all"):
            raise StudyError(f'keep.recordings must be none, failures or all, is {self.keep["recordings"]!r}')
        self._check_expressions()

    def _check_parameters(self) -> None:
        for row in self.runs or []:
            if not isinstance(row, dict):
                raise StudyError(f"runs: each row must be a mapping from parameters to values, one is {row!r}")
            _refuse_unknown("runs", row, self.parameters)
        known = (*_CHANGES, *draw.GRIDS, *draw.DISTRIBUTIONS)
        for name, spec in self.parameters.items():
            if not str(name).isidentifier():
                raise StudyError(f'parameter "{name}": a name must consist of letters, digits and _')
            if not isinstance(spec, dict):
                raise StudyError(f"parameter {name} needs fields such as set and values, has {spec!r}")
            _refuse_unknown(f"parameter {name}", spec, known)
            for change in [c for c in _CHANGES if c in spec]:
                paths = [spec[change]] if isinstance(spec[change], str) else spec[change]
                if not isinstance(paths, list) or not paths or not all(isinstance(path, str) for path in paths):
                    raise StudyError(f"parameter {name}: {change} needs a path or a list of paths, has {spec[change]!r}")
            sources = [k for k in (*draw.GRIDS, *draw.DISTRIBUTIONS) if k in spec]
            listed = self.runs is not None and all(name in r for r in self.runs)
            if len(sources) != (0 if listed else 1):
                ways = ", ".join((*draw.GRIDS, *draw.DISTRIBUTIONS))
                raise StudyError(f"parameter {name} needs exactly one of {ways}, or a value in every row of runs")
            if sources and sources[0] in draw.GRIDS:
                draw.grid_values(name, spec)
            elif sources:
                draw.DISTRIBUTIONS[sources[0]](name, spec[sources[0]])

    def _check_sampling(self) -> None:
        if self.sampling is None:
            return
        _refuse_unknown("sampling", self.sampling, ("method", "count"))
        if self.sampling.get("method") not in draw.DESIGNS:
            raise StudyError(f'sampling.method must be one of {", ".join(draw.DESIGNS)}, is {self.sampling.get("method")!r}')
        _check_count("sampling.count", self.sampling.get("count"))
        if not any(k in spec for spec in self.parameters.values() for k in draw.DISTRIBUTIONS):
            raise StudyError("sampling needs a parameter with a distribution")

    def _check_expressions(self) -> None:
        for name in self.metrics:
            if not str(name).isidentifier() or name in self.parameters:
                raise StudyError(f'keep: "{name}" must consist of letters, digits and _, and must not be the name of a parameter')
        for name, text in {**self.metrics, "success": self.success, "worst": self.worst}.items():
            if text is not None:
                Expression(name, text)
        self._check_worst()
        if self.scene is None and self.metrics:
            raise StudyError("keep: expressions are for scenes; a function returns what is to be kept")

    def _check_worst(self) -> None:
        if self.scene is None or self.worst is None:
            return  # what a function returns is known later
        expression, known = Expression("worst", self.worst), {**self.parameters, **self.metrics}
        unknown = [n for n in expression.names if n not in known] + [name + "()" for name, _ in expression.signals]
        if unknown:
            raise StudyError(f"worst: {unknown[0]} is neither a parameter nor in keep; there are: {', '.join(known)}")

    # ---- files ----------------------------------------------------------------------------------------------

    @classmethod
    def from_file(cls, path: str | os.PathLike) -> Study:
        """Reads a YAML file."""
        try:
            import yaml
        except ImportError:
            raise StudyError("reading a study needs the Python package PyYAML: pip install pyyaml") from None
        path = Path(path)
        try:
            data = yaml.load(path.read_text(encoding="utf-8"), _loader(yaml))
        except OSError as error:
            raise StudyError(f"cannot read {path}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            if path.read_bytes().startswith(b"SQLite format 3"):
                raise StudyError(f"{path} is a store and no study: holdfast study resume {path} goes on with it") from None
            raise StudyError(f"{path}: not UTF-8 from byte {error.start} on") from None
        except yaml.YAMLError as error:
            raise StudyError(f"{path}: {error}") from None
        if not isinstance(data, dict):
            raise StudyError(f"{path}: a study is a mapping of fields")
        if not isinstance(data.get("folder", "."), str):
            raise StudyError(f"{path}: folder must be a text, is {data['folder']!r}")
        try:
            return cls.from_dict({"name": path.stem, **data, "folder": str(path.parent / data.get("folder", "."))})
        except StudyError as error:
            raise StudyError(f"{path}: {error}") from None

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Study:
        """A study from its fields, as :meth:`to_dict` gives them."""
        _refuse_unknown("study", data, cls.__dataclass_fields__)
        return cls(**data)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def path(self, name: str) -> str:
        """A file named in the study; a model that comes with Holdfast where the folder has no such file."""
        own = os.path.join(self.folder, name)
        if not os.path.exists(own):
            from ..model import models_path

            if models_path(name).exists():
                return str(models_path(name))
        return own

    # ---- what follows from it -------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        return "scene" if self.scene else "function" if self.function else "experiment"

    @property
    def metrics(self) -> dict[str, str]:
        """Names and expressions of what is kept of a scene's run."""
        return {k: str(v) for k, v in self.keep.items() if k not in _KEEP_FLAGS}

    def limit(self, name: str) -> Any:
        return self.limits.get(name, _LIMITS[name])

    @cached_property
    def plan(self) -> list[Run]:
        """All runs, in order of their numbers."""
        return list(draw.plan_runs(self.parameters, self.sampling, self.runs, self.repetitions, self.seed))

    @cached_property
    def hash(self) -> str:
        """Identifies the study: its definition, and the values of all parameters as drawn. Not its folder, so that a
        copy of the folder elsewhere is the same study; the models are hashed run by run."""
        fields = {k: v for k, v in self.to_dict().items() if k != "folder"}
        text = json.dumps([fields, [[r.parameters, r.seed] for r in self.plan]], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def run(self, store: str | os.PathLike, **settings: Any) -> Any:
        """Runs what is missing in a store, a file that is made if there is none, and returns the :class:`Store`.

        Settings: engine="local" or "ray"; workers=0, one for each processor; shard=(i, n) for every n-th run from the i-th (1 to n); size, the runs of
        a task; quiet=True, without a line of progress; retry=False, True to run again what failed. Interrupted or killed, a second call goes on."""
        from .drive import run_study

        return run_study(self, store, **settings)
