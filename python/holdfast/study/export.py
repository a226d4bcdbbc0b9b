"""Tables of a store: CSV, Parquet, pandas, polars."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

from .._files import written_beside
from .errors import StudyError
from .store import Store

_FIRST = ("index", "status", "success", "message", "seed", "model", "version")
_OWN = (*_FIRST, "wall")


def _flat(prefix: str, values: dict[str, Any]) -> dict[str, Any]:
    """Lists become one column a component: pose[0], pose[1], ..."""
    out: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, list):
            out.update({f"{prefix}{name}[{i}]": v for i, v in enumerate(value)})
        else:
            out[prefix + name] = value
    return out


def to_columns(store: Store) -> dict[str, list]:
    """All runs as columns by name. A parameter or a metric that has the name of a column of the run itself, or a metric that has the name
    of a parameter, is called parameter.NAME or metric.NAME."""
    rows = []
    for row in store.rows():
        taken = {*row["parameters"], *_OWN}
        parameters = {f"parameter.{k}" if k in _OWN else k: v for k, v in row["parameters"].items()}
        metrics = {f"metric.{k}" if k in taken else k: v for k, v in row["metrics"].items()}
        rows.append({**{k: row[k] for k in _FIRST}, **_flat("", parameters), **_flat("", metrics), "wall": row["wall"]})
    names: dict[str, None] = dict.fromkeys(name for row in rows for name in row if name != "wall")
    return {name: [row.get(name) for row in rows] for name in (*names, "wall")}


def _one_type(column: list) -> list:
    """A column as whole numbers, numbers or texts, so that tables with types take it."""
    kinds = {type(v) for v in column if v is not None}
    if kinds <= {bool} or kinds <= {int} or kinds <= {str}:
        return column
    if kinds <= {int, float}:
        return [None if v is None else float(v) for v in column]
    return [None if v is None else str(v) for v in column]


def to_pandas(store: Store) -> Any:
    """A pandas DataFrame with a row for each run."""
    try:
        import pandas
    except ImportError:
        raise StudyError("this needs the Python package pandas: pip install pandas") from None
    return pandas.DataFrame({k: _one_type(v) for k, v in to_columns(store).items()})


def to_polars(store: Store) -> Any:
    """A polars DataFrame with a row for each run."""
    try:
        import polars
    except ImportError:
        raise StudyError("this needs the Python package polars: pip install polars") from None
    return polars.DataFrame({k: _one_type(v) for k, v in to_columns(store).items()}, strict=False)


def to_csv(store: Store) -> str:
    """CSV text; numbers are written so that reading them gives the same bits."""
    columns = to_columns(store)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*columns.values()):
        writer.writerow(["" if v is None else int(v) if isinstance(v, bool) else repr(v) if isinstance(v, float) else v for v in row])
    return out.getvalue()


def write_parquet(store: Store, path: str | os.PathLike) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise StudyError("Parquet needs the Python package pyarrow: pip install pyarrow") from None
    table = pyarrow.table({k: pyarrow.array(_one_type(v)) for k, v in to_columns(store).items()})
    pyarrow.parquet.write_table(table, os.fspath(path))


def export(store: Store, path: str | os.PathLike) -> None:
    """Writes FILE.csv or FILE.parquet, under a temporary name first."""
    path = Path(path)
    if path.suffix not in (".csv", ".parquet"):
        raise StudyError(f"export writes FILE.csv or FILE.parquet, not {path}")
    try:
        with written_beside(path) as temporary:
            if path.suffix == ".csv":
                temporary.write_text(to_csv(store), encoding="utf-8")
            else:
                write_parquet(store, temporary)
    except OSError as error:
        raise StudyError(str(error)) from None
