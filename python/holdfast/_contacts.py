"""Contacts as columns of a table."""

from __future__ import annotations

import numpy as np

from ._arrays import columns
from .model import Model


def contact_columns(model: Model, times: np.ndarray, contacts: np.ndarray) -> dict[str, np.ndarray]:
    """Columns of contacts at times [s] (n): first time, body_a, body_b, geom_a, geom_b by name, then the numbers. Where
    contacts have no bodies, these are the bodies of their geoms."""
    names = contacts.dtype.names or ()
    geoms, bodies = (np.array(model.labels(kind), object) for kind in ("geom", "body"))
    table: dict[str, np.ndarray] = {"time": times}

    for side in "ab":
        body = contacts[f"body_{side}"] if f"body_{side}" in names else model.geom_body[contacts[f"geom_{side}"]]
        table[f"body_{side}"] = bodies[body]
    for side in "ab":
        if f"geom_{side}" in names:
            table[f"geom_{side}"] = geoms[contacts[f"geom_{side}"]]

    return table | {name: values for name, values in columns(contacts).items() if name not in table}
