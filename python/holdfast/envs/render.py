"""A small picture of a world by casting rays: no graphics driver is needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics import Dynamics


def render(d: Dynamics, q: Any, eye: Any, target: Any, width: int = 96, height: int = 72, fov: float = 0.8) -> np.ndarray:
    """(height, width, 3) bytes: geoms in their colours, lit from the eye and from above. d goes to positions q; eye,
    target [m], fov [rad]."""
    d.set(np.asarray(q, np.float64))
    eye, target = np.asarray(eye, float), np.asarray(target, float)
    forward = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(forward, (0, 0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    f = height / 2 / np.tan(fov / 2)
    return d._drawn(eye, np.column_stack([right, up, -forward]), (width, height, 0, (f, f), (width / 2, height / 2))).rgb
