"""MuJoCo's models and states, stepped here. Needs the package mujoco only where one of these functions is called."""
from __future__ import annotations
from typing import Any
from .model import Model
from .state import State
def from_mujoco(source: Any) -> Model: raise NotImplementedError
def state_from_mujoco(model: Model, data: Any, state: State | None = None) -> State: raise NotImplementedError
def state_to_mujoco(state: State, data: Any) -> None: raise NotImplementedError
