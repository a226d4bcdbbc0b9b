"""Types of the extension module. Its functions have plain arguments; the package's classes are for users."""

from typing import Any

from ._fields import ModelFields, ParameterFields

version: str
any_body: int
object_kinds: dict[str, int]

class HoldfastError(Exception): ...
class ArgumentError(HoldfastError, ValueError): ...
class FileError(HoldfastError, OSError): ...
class ModelError(HoldfastError, ValueError): ...
class NonFiniteError(HoldfastError, ValueError): ...
class UnsupportedError(HoldfastError, NotImplementedError): ...

class View:
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __dlpack__(self, **options: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class _Object:  # has attributes that are not listed here, such as the fields of a model
    def __getattr__(self, name: str) -> Any: ...

class Model(ModelFields):  # and the world's values
    timestep: float
    gravity: list[float]
    magnetic: list[float]
    density: float
    viscosity: float
    wind: list[float]
    stiffness: float
    dissipation: float
    stiction_speed: float
    tangential_ratio: float
    release_speed: float
    impratio: float
    sleep: int
    sleep_speed: float
    method: int
    friction: int
    friction_rule: int
    filter_parent: int
    disable_contact: int
    disable_limit: int
    disable_frictionloss: int
    disable_spring: int
    disable_damper: int
    disable_gravity: int
    disable_equality: int
    disable_actuation: int
    disable_clamp_control: int
    disabled_groups: int
    _diagnostics: Any
    _diagnose: Any
    _counts: Any
    _world: Any
    _fields: Any
    _field: Any
    _find: Any
    _name: Any
    _labels: Any
    _object_count: Any
    _to_bytes: Any
    _save: Any
    _write_sdf: Any
    _write_urdf: Any
    _integrate: Any
    _difference: Any
    @classmethod
    def _load(cls, *args: Any) -> Any: ...
    @classmethod
    def _parse(cls, *args: Any) -> Any: ...
    @classmethod
    def _from_bytes(cls, data: bytes) -> Any: ...

class Params(ParameterFields):
    model: Any
    _field: Any
    _to_bytes: Any
    _update: Any
    def __new__(cls, model: Any) -> Any: ...

class Builder:
    _add_body: Any
    _add_joint: Any
    _add_geom: Any
    _add_site: Any
    _add_camera: Any
    _add_tendon: Any
    _add_spatial_tendon: Any
    _add_equality: Any
    _add_pair: Any
    _add_height_field: Any
    _add_mesh: Any
    _add_exclude: Any
    _add_actuator: Any
    _add_sensor: Any
    _add_key: Any
    _set_world: Any
    _set_body: Any
    _set_joint: Any
    _set_geom: Any
    _set_site: Any
    _set_camera: Any
    _set_equality: Any
    _set_actuator: Any
    _set_tendon: Any
    _set_pair: Any
    _set_sensor: Any
    _get_world: Any
    _count: Any
    _find: Any
    _names: Any
    _copy_to: Any
    _write: Any
    _attach: Any
    _get_actuator: Any
    _get_body: Any
    _get_joint: Any
    _get_geom: Any
    _get_site: Any
    _get_camera: Any
    _get_equality: Any
    _get_tendon: Any
    _get_pair: Any
    _get_sensor: Any
    _remove: Any
    _finish: Any
    @classmethod
    def _load(cls, path: str, search: list[str], options: dict[str, Any]) -> tuple[Any, list[tuple[str, str, int, str, int]]]: ...
    @classmethod
    def _parse(cls, text: str, name: str, folder: str, search: list[str], options: dict[str, Any]) -> tuple[Any, list[tuple[str, str, int, str, int]]]: ...

class State:
    _view: Any
    _reset: Any
    _set_key: Any
    _to_bytes: Any
    _assign: Any
    _copy: Any
    _save: Any
    _restore: Any
    time: float
    nmemory: int
    max_memory: int
    model: Any
    def __new__(cls, model: Any, max_memory: int = 0) -> Any: ...

class Input:
    _view: Any
    model: Any
    def __new__(cls, model: Any) -> Any: ...

class Sim:
    _step: Any
    _evaluate: Any
    _problem: Any
    _inverse: Any
    _contacts: Any
    _switches: Any
    _pair_force: Any
    _array: Any
    _poses: Any
    _last_report: Any
    _record: Any
    _log_states: Any
    _log_contacts: Any
    _give_up: Any
    _begin_report_file: Any
    _detach: Any
    _leave_files: Any
    _close_report: Any
    step_size: float
    model: Any
    def __new__(cls, model: Any, options: dict[str, str] = ...) -> Any: ...

class Batch:
    _tensor: Any
    _param: Any
    _update: Any
    _reset: Any
    _evaluate: Any
    _step: Any
    _get_state: Any
    _set_state: Any
    _reports: Any
    _contacts: Any
    _info: Any
    model: Any
    def __new__(cls, model: Any, settings: dict[str, Any], options: dict[str, str]) -> Any: ...

class Dynamics:
    _set: Any
    _mass_matrix: Any
    _bias: Any
    _solve: Any
    _inverse: Any
    _forward: Any
    _derivatives: Any
    _pose: Any
    _jacobian: Any
    _velocity_at: Any
    _com: Any
    _energy: Any
    _momentum: Any
    _ray: Any
    _distance: Any
    _lens: Any
    _picture: Any
    def __new__(cls, model: Any) -> Any: ...

class Problem(_Object):
    @classmethod
    def _read(cls, path: str) -> Any: ...

class Arm(_Object):
    def __new__(cls, model: Any, tip: str, base: str | None = None) -> Any: ...

class Grip:
    settled: bool
    memory: dict[str, Any]
    def __new__(cls, **options: float) -> Any: ...
    def _open(self, width_now: float, width: float, /) -> None: ...
    def _close(self, width_now: float, squeeze: float, /) -> None: ...
    def _control(self, width: float, rate: float, squeeze: float, h: float, /) -> float: ...

class ControlTable(_Object):
    def __new__(cls, model: Any, path: str) -> Any: ...

class Recording(_Object):
    scene: str
    def __new__(cls, path: str) -> Any: ...
    def __len__(self) -> int: ...

def __getattr__(name: str) -> Any: ...
