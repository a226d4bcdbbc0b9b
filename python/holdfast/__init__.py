"""Holdfast simulates robots that grip: contact and friction by strongly coupled implicit methods.

    import holdfast as hf

    model = hf.Model.from_file("scene.xml")   # MJCF, URDF or SDFormat
    sim = hf.Sim(model)                       # its own state: sim.state, and inputs: sim.input
    sim.input.ctrl["grip"] = 20.0             # [N]
    sim.step(steps=1000)
    print(sim.state.time, sim.state.q["elbow"], sim.contacts()["fn"])

SI units everywhere. Arrays are views of the library's memory, without copies: what you write into ``state.q`` is the
state, and what you keep of it changes with the next step. Write ``state.q.copy()`` to keep numbers. A view keeps its
memory alive for as long as it lives.
"""

from ._core import (
    ArgumentError,
    FileError,
    HoldfastError,
    ModelError,
    NonFiniteError,
    UnsupportedError,
)
from ._arrays import columns
from ._core import version as __version__
from ._hints import Diagnostic, HoldfastWarning, no_name_in_package
from . import control, fclib, lcp, quat, rigid
from .arm import Arm, Grip
from .batch import Batch, Rollout, rollout
from .builder import Builder
from .dynamics import Dynamics
from .friction import FrictionProblem, Sparse
from .model import Model, Params, load, models_path
from .mujoco import from_mujoco, state_from_mujoco, state_to_mujoco
from .problem import Problem
from .record import Recording
from .sim import Report, Sim, option_names, status_name
from .state import Input, State

__all__ = [
    "ArgumentError", "Arm", "Batch", "Builder", "Diagnostic", "Dynamics", "FileError", "FrictionProblem", "Grip",
    "HoldfastError", "HoldfastWarning", "Input", "Model", "ModelError", "NonFiniteError", "Params", "Problem", "Recording", "Report", "Rollout",
    "Sim", "Sparse", "State", "UnsupportedError", "__version__", "columns", "control", "fclib", "from_mujoco", "lcp", "load", "models_path", "option_names", "quat", "rigid",
    "rollout", "state_from_mujoco", "state_to_mujoco", "status_name",
]


def __getattr__(name: str) -> object:
    """Refuses a name that the package does not have, with the one that is like it."""
    if name.startswith("_") or name in ("envs", "study"):  # folders that are imported by their names
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    raise no_name_in_package(name, __all__)
