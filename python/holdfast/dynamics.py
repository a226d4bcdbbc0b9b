"""Exact multibody dynamics without a sim."""

from __future__ import annotations

import math
import operator
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import finite, floats
from ._hints import refuse_no_model
from .model import Model, Params


class RayHit(NamedTuple):
    geom: int
    distance: float  # [m]
    point: np.ndarray
    normal: np.ndarray


class Picture(NamedTuple):
    rgb: np.ndarray    # (height, width, 3) bytes
    depth: np.ndarray  # (height, width) along the optical axis [m]; inf where there is nothing
    geom: np.ndarray   # (height, width) ids, -1 where there is nothing


class Distance(NamedTuple):
    distance: float  # signed: negative where the geoms overlap [m]
    point_a: np.ndarray
    point_b: np.ndarray
    normal: np.ndarray  # from b into a


def _refuse_nan(max_distance: float) -> None:
    if math.isnan(max_distance):
        raise ValueError("max_distance is not a number")


class Dynamics(_core.Dynamics):
    """Kinematics, mass matrix, forces, Jacobians and energies at a configuration.

        d = hf.Dynamics(model)
        d.set(q, v)
        tau = d.mass_matrix() @ vdot + d.bias()
        same = d.inverse(vdot=vdot)

    Spatial vectors have the angular part first. Units: SI. One thread at a time.
    """

    def __new__(cls, model: Model | Params) -> Dynamics:
        refuse_no_model(model, "hf.Dynamics")
        return super().__new__(cls, model)

    def __init__(self, model: Model | Params):
        self.model: Model = model.model if isinstance(model, Params) else model
        self._q = self.model.qpos0
        self._v: np.ndarray | None = None

    def __reduce__(self) -> Any:
        raise TypeError("a Dynamics cannot be pickled or copied: pickle or copy its model, and make another one of it")

    def __repr__(self) -> str:
        return f"<holdfast.Dynamics: {self.model!r}>"

    def set(self, q: Any, v: Any = None) -> Dynamics:
        """Goes to positions q (nq) and velocities v (nv). Only velocities, bias and energies need v. Numbers that are
        not finite are refused: with them a distance or a ray would be wrong without an error."""
        place = finite(q, (self.model.nq,), "q").copy()
        speed = None if v is None else finite(v, (self.model.nv,), "v").copy()
        self._q, self._v = place, speed
        self._set(place, speed)
        return self

    def mass_matrix(self) -> np.ndarray:
        """M (nv, nv), armature included [kg, kg m^2]."""
        return np.asarray(self._mass_matrix())

    def bias(self) -> np.ndarray:
        """Gravity, Coriolis and centrifugal forces (nv): M vdot + bias = tau [N or N m]."""
        return np.asarray(self._bias())

    def solve(self, x: Any) -> np.ndarray:
        """M^-1 x."""
        return np.asarray(self._solve(floats(x, (self.model.nv,), "x")))

    def inverse(self, v: Any = None, vdot: Any = None, wrench: Any = None) -> np.ndarray:
        """tau (nv) of accelerations vdot (nv) at the positions of :meth:`set`, by RNEA: ``d.inverse(vdot=a)``, or
        ``d.inverse(v=v, vdot=a)`` for other velocities than those of ``set(q, v)``. wrench (nbody, 6): torques and
        forces at the bodies' centres of mass."""
        return self._call(self._inverse, v, vdot, "vdot", wrench)

    def forward(self, v: Any = None, tau: Any = None, wrench: Any = None) -> np.ndarray:
        """Accelerations (nv) under forces tau (nv) at the positions of :meth:`set`, by ABA: ``d.forward(tau=tau)``, or
        ``d.forward(v=v, tau=tau)`` for other velocities than those of ``set(q, v)``. wrench as in :meth:`inverse`."""
        return self._call(self._forward, v, tau, "tau", wrench)

    def _call(self, function: Any, v: Any, x: Any, name: str, wrench: Any) -> np.ndarray:
        m = self.model
        speed = self._v if v is None else v
        if x is None:
            raise TypeError(f"{name} is missing: write {name}=...; positions are given to set")
        if speed is None:
            raise RuntimeError("call set(q, v) first, or give v")
        if wrench is not None and np.shape(wrench) == (m.nv,):
            raise ValueError(f"wrench must have shape ({m.nbody}, 6), has ({m.nv},): positions are given to set, and not here; write v=... and {name}=...")
        w = None if wrench is None else floats(wrench, (m.nbody, 6), "wrench")
        return np.asarray(function(floats(speed, (m.nv,), "v"), floats(x, (m.nv,), name), w))

    def inverse_derivatives(self, q: Any, v: Any, vdot: Any) -> tuple[np.ndarray, np.ndarray]:
        """d tau/dq along the manifold and d tau/dv (nv, nv) of the inverse dynamics, at positions and velocities of
        its own."""
        m = self.model
        a, b = self._derivatives(floats(q, (m.nq,), "q"), floats(v, (m.nv,), "v"), floats(vdot, (m.nv,), "vdot"))
        return np.asarray(a), np.asarray(b)

    def _place(self, kind: str, name: str | int) -> tuple[np.ndarray, np.ndarray]:
        p, R = self._pose(kind, self.model.id(kind, name))
        return np.array(p), np.array(R).reshape(3, 3)

    def body_pose(self, body: str | int) -> tuple[np.ndarray, np.ndarray]:
        """(position (3) [m], rotation matrix (3, 3)) of a body in the world."""
        return self._place("body", body)

    def geom_pose(self, geom: str | int) -> tuple[np.ndarray, np.ndarray]:
        """The same of a geom."""
        return self._place("geom", geom)

    def site_pose(self, site: str | int) -> tuple[np.ndarray, np.ndarray]:
        """The same of a site."""
        return self._place("site", site)

    def camera_pose(self, camera: str | int) -> tuple[np.ndarray, np.ndarray]:
        """The same of a camera, which looks along its -z axis with y up."""
        return self._place("camera", camera)

    def _point(self, body: str | int, point: Any) -> tuple[int, np.ndarray]:
        b = self.model.id("body", body)
        return b, np.array(self._pose("body", b)[0]) if point is None else floats(point, (3,), "point")

    def jacobian(self, body: str | int, point: Any = None) -> np.ndarray:
        """Jacobian (6, nv), angular then linear, of a body at a world point (default: its origin)."""
        return np.asarray(self._jacobian(*self._point(body, point)))

    def velocity(self, body: str | int, point: Any = None) -> np.ndarray:
        """Angular and linear velocity (6) [rad/s, m/s] of a body at a world point."""
        return np.array(self._velocity_at(*self._point(body, point)))

    def com(self, body: str | int = 0) -> np.ndarray:
        """Centre of mass of a body and all that hangs on it [m]."""
        return np.array(self._com(self.model.id("body", body)))

    def energy(self) -> tuple[float, float]:
        """(kinetic, potential) energy [J]."""
        return self._energy(self._q)

    def momentum(self, about: Any = (0.0, 0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
        """(linear [kg m/s], angular [kg m^2/s]) momentum about a world point."""
        a, b = self._momentum(floats(about, (3,), "about"))
        return np.array(a), np.array(b)

    def ray(self, origin: Any, direction: Any, max_distance: float = math.inf, exclude: str | int | None = None) -> RayHit | None:
        """The nearest surface along a ray, or None. exclude: a body whose geoms let it pass. A plane is without end,
        as it is for contacts, and is met from below, too; for MuJoCo's rays, and rangefinders in both, it ends where
        it is drawn and has one side."""
        _refuse_nan(max_distance)
        body = -1 if exclude is None else self.model.id("body", exclude)
        hit = self._ray(floats(origin, (3,), "origin"), floats(direction, (3,), "direction"), float(max_distance), body)
        return None if hit is None else RayHit(hit[0], hit[1], np.array(hit[2]), np.array(hit[3]))

    def picture(self, camera: str | int, width: int | None = None, height: int | None = None) -> Picture:
        """Returns what a camera of the model sees, by a ray for each pixel. Without a size the picture has the
        resolution of the camera. The camera sees its own body, too. It does not see geoms of alpha 0."""
        if (width is None) != (height is None):
            raise ValueError("give both width and height, or none")
        size = (0, 0) if width is None or height is None else (operator.index(width), operator.index(height))
        if width is not None and min(size) < 1:
            raise ValueError(f"a picture has at least one pixel, not {width} x {height}")
        i = self.model.id("camera", camera)
        p, R = self._pose("camera", i)
        return self._drawn(p, R, self._lens(i, *size))

    def _drawn(self, p: Any, R: Any, lens: Any) -> Picture:
        rgb, depth, geom = self._picture(np.asarray(p, float), np.asarray(R, float).ravel(), lens, -1)
        width, height = lens[:2]
        return Picture(np.frombuffer(rgb, np.uint8).reshape(height, width, 3), np.asarray(depth), np.frombuffer(geom, np.int32).reshape(height, width))

    def distance(self, geom_a: str | int, geom_b: str | int, max_distance: float = math.inf) -> Distance | None:
        """Signed distance of two geoms, or None beyond max_distance."""
        _refuse_nan(max_distance)
        d = self._distance(self.model.id("geom", geom_a), self.model.id("geom", geom_b), float(max_distance))
        return None if d is None else Distance(d[0], np.array(d[1]), np.array(d[2]), np.array(d[3]))
