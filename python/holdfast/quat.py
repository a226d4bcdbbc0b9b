"""Quaternions w x y z, as in states and poses. Every function takes one or an array of them, (..., 4), and broadcasts.

    q = hf.quat.multiply(hf.quat.from_axis_angle((0, 0, 1), np.pi / 2), sim.state.q["cup"][3:])
"""

from __future__ import annotations

from typing import Any

import numpy as np

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def _numbers(x: Any, count: int, name: str) -> np.ndarray:
    """x as an array (..., count)."""
    a = np.asarray(x, float)
    if a.shape[-1:] != (count,):
        raise ValueError(f"{name} must have shape (..., {count}), has {a.shape}")
    return a


def normalise(q: Any) -> np.ndarray:
    """q with length 1. A quaternion of length 0 is refused."""
    a = _numbers(q, 4, "q")
    length = np.linalg.norm(a, axis=-1, keepdims=True)
    if not (length > 0).all():
        raise ValueError("a quaternion of length 0 is no rotation")
    return a / length


def multiply(a: Any, b: Any) -> np.ndarray:
    """The rotation b and then a, as of matrices: a b."""
    aw, ax, ay, az = np.moveaxis(_numbers(a, 4, "a"), -1, 0)
    bw, bx, by, bz = np.moveaxis(_numbers(b, 4, "b"), -1, 0)
    return np.stack([aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
                     aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw], axis=-1)


def conjugate(q: Any) -> np.ndarray:
    """The opposite rotation of a quaternion of length 1."""
    return _numbers(q, 4, "q") * (1.0, -1.0, -1.0, -1.0)


def rotate(q: Any, v: Any) -> np.ndarray:
    """The vector v (..., 3), turned by q."""
    return np.einsum("...ij,...j->...i", to_matrix(q), _numbers(v, 3, "v"))


def from_axis_angle(axis: Any, angle: Any) -> np.ndarray:
    """A turn by an angle [rad] about an axis (..., 3), which need not have length 1."""
    a = _numbers(axis, 3, "axis")
    length = np.linalg.norm(a, axis=-1, keepdims=True)
    if not (length > 0).all():
        raise ValueError("an axis of length 0 has no direction")
    half = 0.5 * np.asarray(angle, float)[..., None]
    unit, half = np.broadcast_arrays(a / length, half)
    return np.concatenate([np.cos(half[..., :1]), np.sin(half[..., :1]) * unit], axis=-1)


def from_rotation_vector(v: Any) -> np.ndarray:
    """A turn about the direction of v (..., 3) by its length [rad]."""
    a = _numbers(v, 3, "v")
    angle = np.linalg.norm(a, axis=-1, keepdims=True)
    # sin(x/2)/x has no trouble at 0 as sinc
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * a], axis=-1)


def to_rotation_vector(q: Any) -> np.ndarray:
    """The axis of q times its angle [rad], at most pi."""
    a = normalise(q)
    a = np.where(a[..., :1] < 0, -a, a)
    sine = np.linalg.norm(a[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, a[..., :1])
    # near the identity the angle is twice the sine
    return np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 0) * a[..., 1:]


def from_euler(angles: Any, order: str = "xyz") -> np.ndarray:
    """Three turns [rad] one after the other. Lower-case letters: about axes that turn along, as MJCF's eulerseq
    "xyz". Capitals: about axes that stand still; "XYZ" is roll, pitch and yaw of URDF."""
    a = _numbers(angles, 3, "angles")
    if len(order) != 3 or set(order.lower()) - set("xyz"):
        raise ValueError(f'order must be three of the letters xyz or XYZ, is "{order}"')
    q = np.broadcast_to((1.0, 0.0, 0.0, 0.0), (*a.shape[:-1], 4))
    for letter, angle in zip(order, np.moveaxis(a, -1, 0)):
        turn = from_axis_angle(_AXES[letter.lower()], angle)
        q = multiply(q, turn) if letter.islower() else multiply(turn, q)
    return q


def to_matrix(q: Any) -> np.ndarray:
    """The rotation matrix (..., 3, 3), which turns vectors as q does."""
    w, x, y, z = np.moveaxis(normalise(q), -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def angle(q: Any, r: Any = (1.0, 0.0, 0.0, 0.0)) -> np.ndarray:
    """By how much r must turn to be q [rad], between 0 and pi."""
    return np.linalg.norm(to_rotation_vector(multiply(q, conjugate(normalise(r)))), axis=-1)


def between(a: Any, b: Any) -> np.ndarray:
    """The shortest turn of the direction a (..., 3) into the direction b."""
    u, v = (_numbers(x, 3, name) for x, name in ((a, "a"), (b, "b")))
    u, v = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in np.broadcast_arrays(u, v))
    cosine = (u * v).sum(-1, keepdims=True)
    # opposite directions: half a turn about any axis across u
    across = np.cross(u, np.where(np.abs(u[..., :1]) < 0.9, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    opposite = cosine < -1 + 1e-12
    return normalise(np.concatenate([np.where(opposite, 0.0, 1 + cosine), np.where(opposite, across, np.cross(u, v))], axis=-1))
