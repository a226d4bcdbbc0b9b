"""A small picture of a world by casting rays: no graphics driver is needed."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..dynamics import Dynamics
from ..model import Model

_dynamics: WeakKeyDictionary[Model, Dynamics] = WeakKeyDictionary()


def render(model: Model, q: Any, eye: Any, target: Any, width: int = 96, height: int = 72, fov: float = 0.8) -> np.ndarray:
    """(height, width, 3) bytes: geoms in their colours, lit from the eye and from above. eye, target [m], fov [rad]."""
    d = _dynamics.get(model) or _dynamics.setdefault(model, Dynamics(model))
    d.set(np.asarray(q, np.float64))
    eye, target = np.asarray(eye, float), np.asarray(target, float)
    forward = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(forward, (0, 0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    xs = np.tan(fov / 2) * np.linspace(-1, 1, width) * width / height
    ys = np.tan(fov / 2) * np.linspace(1, -1, height)
    image = np.full((height, width, 3), 235, np.uint8)
    colours = np.asarray(model.geom_rgba)[:, :3]
    for i, y in enumerate(ys):
        for j, x in enumerate(xs):
            ray = forward + x * right + y * up
            hit = d._ray(eye, ray, np.inf, -1)
            if hit is not None:
                n = np.array(hit[3])
                light = 0.35 + 0.4 * abs(n @ ray) / np.linalg.norm(ray) + 0.25 * max(n[2], 0)
                image[i, j] = np.clip(255 * colours[hit[0]] * light, 0, 255)
    return image
