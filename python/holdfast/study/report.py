"""The page of a study: success over pairs of parameters, distributions, the worst runs with replays, failures."""

from __future__ import annotations

import html
import itertools
import math
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from .._files import refuse_ending, written_beside
from .call import as_array, find_command
from .draw import Run
from .errors import StudyError
from .expression import Expression
from .plots import draw_distribution, draw_map, draw_means, draw_share, make_axis, short
from .replays import SCRIPT, Replays
from .scene import SceneRunner
from .store import Store

_MOST_MAPS = 15
_MOST_FAILURES = 200
_STYLE = """body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1200px;padding:0 20px 60px;color:#222;background:#fff}
h1{margin:24px 0 4px}h2{margin:36px 0 8px;border-bottom:1px solid #ddd}table{border-collapse:collapse;font-size:13px}
td,th{padding:3px 10px;text-align:left;border-bottom:1px solid #eee;vertical-align:top}th{border-bottom:2px solid #ccc}
.scroll{overflow-x:auto}.plots{display:flex;flex-wrap:wrap;gap:18px;align-items:flex-end}.lead{color:#555;margin:0 0 12px}
.tiles{display:flex;flex-wrap:wrap;gap:14px}.tile{background:#f5f5f2;border-radius:8px;padding:10px 18px}.tile b{display:block;font-size:24px}
button{font:inherit;padding:3px 12px;border:1px solid #888;border-radius:6px;background:#fff;cursor:pointer}
svg{max-width:100%;height:auto}iframe{width:100%;height:560px;border:1px solid #ccc;border-radius:6px;display:none;margin:8px 0 24px}
.key span{display:inline-block;width:14px;height:14px;margin:0 4px 0 12px;vertical-align:-2px}"""


# ---- replays ------------------------------------------------------------------------------------------------


def _find_run(store: Store, index: int) -> Run:
    row = next((r for r in store.rows() if r["index"] == index), None)
    if row is None:
        raise StudyError(f"{store.path} has no run {index}")
    return Run(index, row["parameters"], row["seed"])


def _convert(recording: bytes) -> str:
    """A recording as the page that replays it."""
    command = find_command()
    if command is None:
        raise StudyError("the command holdfast is not found; put it on the search path")
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        source, page = os.path.join(folder, "run.hfr"), os.path.join(folder, "run.html")
        Path(source).write_bytes(recording)
        done = subprocess.run([command, "convert", source, "-o", page], capture_output=True, text=True)
        if done.returncode != 0:
            raise StudyError(done.stderr.strip() or "the recording cannot be converted")
        return Path(page).read_text(encoding="utf-8")


def replay_page(store: Store, index: int) -> str:
    """The page that replays a run: from its recording, or by repeating it, which gives the same bits."""
    recording = store.recording(index)
    if recording is not None:
        return _convert(recording)
    study = store.study
    if study.kind != "scene":
        raise StudyError(f"run {index} has no recording: the function must record, and keep.recordings must be failures or all")
    sim = SceneRunner(study).replay(_find_run(store, index), report=True)
    return sim.report(f"{study.name}, run {index}").html


def write_replay(store: Store, index: int, path: str | os.PathLike) -> None:
    """Writes the recording (.hfr) or the report (.html) of one run."""
    path = Path(path)
    if path.suffix in (".mcap", ".csv", ".png", ".mp4", ".json"):
        raise StudyError(f"{path}: what is written is a recording (.hfr) or a report (.html); holdfast convert makes MCAP of a recording")
    try:
        if path.suffix == ".html":
            with written_beside(path) as temporary:
                temporary.write_text(replay_page(store, index), encoding="utf-8")
        elif store.recording(index) is not None:
            with written_beside(path) as temporary:
                temporary.write_bytes(store.recording(index) or b"")
        elif store.study.kind == "scene":
            SceneRunner(store.study).replay(_find_run(store, index), str(path))
        else:
            raise StudyError(f"run {index} has no recording")
    except OSError as error:
        raise StudyError(str(error)) from None


# ---- the page -----------------------------------------------------------------------------------------------


def _table(header: list[str], rows: list[list[Any]]) -> str:
    head = "".join(f"<th>{html.escape(h)}</th>" for h in header)
    body = "".join("<tr>" + "".join(f"<td>{c if isinstance(c, _Html) else html.escape(short(c))}</td>" for c in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


class _Html(str):
    """Text that is HTML already."""


def _tiles(counts: dict[str, int], rows: list[dict]) -> str:
    judged = counts["successes"] + counts["misses"]
    tiles: list[tuple[Any, str]] = [(counts["runs"], "runs"), (counts["done"], "done"), (counts["failed"] + counts["timeout"], "failed")]
    if judged:
        tiles.insert(2, (f"{100 * counts['successes'] / judged:.1f} %", f"success ({counts['successes']} of {judged})"))
    if counts["planned"]:
        tiles.append((counts["planned"], "to do"))
    tiles.append((f"{math.fsum(r['wall'] or 0 for r in rows):.0f} s", "of the clock, all runs together"))
    return '<div class="tiles">' + "".join(f'<div class="tile"><b>{a}</b>{b}</div>' for a, b in tiles) + "</div>"


def _varied(rows: list[dict]) -> list[str]:
    names = list(rows[0]["parameters"]) if rows else []
    return [n for n in names if len({repr(r["parameters"][n]) for r in rows}) > 1]


def _judged(rows: list[dict]) -> bool:
    return any(r["success"] is not None for r in rows)


def _maps(rows: list[dict], names: list[str]) -> str:
    judged = [r for r in rows if r["success"] is not None]
    if not names:
        return ""
    if not any(r["status"] == "done" for r in judged):
        return _mean_maps(rows, names)
    good = [r["success"] for r in judged]
    columns = {n: [r["parameters"][n] for r in judged] for n in names}
    axes = {n: make_axis(n, columns[n]) for n in names}
    shares = "".join(draw_share(axes[n], columns[n], good) for n in names)
    pairs = list(itertools.combinations(names, 2))
    maps = "".join(draw_map(axes[a], axes[b], columns[a], columns[b], good) for a, b in pairs[:_MOST_MAPS])
    left = f"<p class=lead>The first {_MOST_MAPS} of {len(pairs)} pairs are shown.</p>" if len(pairs) > _MOST_MAPS else ""
    key = ('<p class="lead key">Share of runs that succeed:<span style="background:#c2452d"></span>none'
           '<span style="background:#f4d060"></span>half<span style="background:#1b7f4d"></span>all. Point at a cell for its numbers.</p>')
    section = f'<h2>Success over pairs of parameters</h2>{key}{left}<div class="plots" id="maps">{maps}</div>' if pairs else ""
    return (f'{section}<h2>Success over each parameter</h2><p class="lead">Bars are 95 % intervals.</p>'
            f'<div class="plots" id="shares">{shares}</div>')


def _mean_maps(rows: list[dict], names: list[str]) -> str:
    """Where the study does not say what success is: means of the first metric over pairs of parameters."""
    done = [r for r in rows if r["status"] == "done"]
    metric = next((n for r in done for n, v in r["metrics"].items() if isinstance(v, float)), None)
    chosen = [r for r in done if isinstance(r["metrics"].get(metric), float) and math.isfinite(r["metrics"][metric])]
    pairs = list(itertools.combinations(names, 2))[:_MOST_MAPS]
    if not chosen or not pairs:
        return ""
    columns = {n: [r["parameters"][n] for r in chosen] for n in names}
    axes = {n: make_axis(n, columns[n]) for n in names}
    values = [r["metrics"][metric] for r in chosen]
    maps = "".join(draw_means(str(metric), axes[a], axes[b], columns[a], columns[b], values) for a, b in pairs)
    return f'<h2>Mean {html.escape(str(metric))} over pairs of parameters</h2><div class="plots" id="maps">{maps}</div>'


def _distributions(rows: list[dict]) -> str:
    done = [r for r in rows if r["status"] == "done"]
    names = dict.fromkeys(n for r in done for n, v in r["metrics"].items() if isinstance(v, (int, float)) and not isinstance(v, bool))
    plots = "".join(draw_distribution(n, [r["metrics"].get(n, math.nan) for r in done], [r["success"] for r in done]) for n in names)
    key = '<p class="lead key"><span style="background:#1b7f4d"></span>success<span style="background:#c2452d"></span>no success</p>' if _judged(rows) else ""
    return f'<h2>Distributions</h2>{key}<div class="plots" id="distributions">{plots}</div>' if plots else ""


def worst_runs(store: Store, rows: list[dict], count: int) -> list[dict]:
    """The runs to look at first: largest ``worst`` of the study, else without success, by the first metric."""
    done = [r for r in rows if r["status"] == "done"]
    expression = Expression("worst", store.study.worst) if store.study.worst else None

    def badness(row: dict) -> tuple:
        if expression:
            names = {k: as_array(v) for k, v in {**row["parameters"], **row["metrics"]}.items()}
            value = float(expression.evaluate({}, names).max())
        else:
            value = next((abs(float(v)) for v in row["metrics"].values() if isinstance(v, (int, float))), 0.0)
        missed = row["success"] is False
        return (0 if expression else not missed, -value if math.isfinite(value) else -math.inf, row["index"])

    return sorted(done, key=badness)[:count]


def _worst(store: Store, rows: list[dict], names: list[str], count: int) -> str:
    chosen = worst_runs(store, rows, count)
    if not chosen:
        return ""
    metrics = [n for n in dict.fromkeys(n for r in chosen for n in r["metrics"]) if n != "success"][:8]
    table: list[list[Any]] = []
    replays = Replays()
    missing: dict[str, int] = {}  # by the reason, the first run
    for row in chosen:
        index = row["index"]
        try:
            button: str = _Html(replays.add(index, replay_page(store, index)))
        except (StudyError, ValueError, OSError) as error:
            button = "no replay"
            missing.setdefault(str(error), index)
        table.append([button, index, row["success"], *(row["parameters"][n] for n in names), *(row["metrics"].get(m) for m in metrics)])
    order = f"largest {store.study.worst} first" if store.study.worst else "without success first, then by the size of the first metric"
    if not (store.study.worst or _judged(rows)):
        order = "by the size of the first metric"
    order += "".join(f". Run {index} has no replay: {why}" for why, index in missing.items())
    return (f'<h2>Worst runs</h2><p class="lead">{html.escape(order)}</p>'
            f'<div id="worst">{_table(["", "run", "success", *names, *metrics], table)}</div>' + replays.html())


def _failures(rows: list[dict], names: list[str]) -> str:
    failed = [r for r in rows if r["status"] in ("failed", "timeout")]
    if not failed:
        return '<h2>Failures</h2><p class="lead">Every run came to its end.</p>'
    shown = [[r["index"], r["status"], *(r["parameters"][n] for n in names), r["message"]] for r in failed[:_MOST_FAILURES]]
    left = f"<p class=lead>The first {_MOST_FAILURES} of {len(failed)} are shown.</p>" if len(failed) > _MOST_FAILURES else ""
    return f'<h2>Failures</h2>{left}<div id="failures">{_table(["run", "status", *names, "message"], shown)}</div>'


def make_page(store: Store, replays: int = 6) -> str:
    """The page as text: one file that needs nothing else."""
    rows = list(store.rows())
    study, names = store.study, _varied(rows)
    what = study.scene or study.function or f"experiment {study.experiment}"
    about = f"{what}, version {store.about['version']}, study {store.about['hash'][:12]}, results {store.digest()[:12]}"
    goal = f"<p class=lead>Success: <code>{html.escape(study.success)}</code></p>" if study.success else ""
    body = (f"<h1>{html.escape(study.name)}</h1><p class=lead>{html.escape(about)}</p>{goal}" + _tiles(store.counts(), rows)
            + _maps(rows, names) + _distributions(rows) + _worst(store, rows, names, replays) + _failures(rows, names))
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>{html.escape(study.name)}</title><style>{_STYLE}</style></head><body>{body}<script>{SCRIPT}</script></body></html>\n")


def write_report(store: Store, path: str | os.PathLike, replays: int = 6) -> None:
    """Writes the page, under a temporary name first."""
    path = Path(path)
    if replays < 0:
        raise StudyError(f"the number of replays must not be negative, is {replays}")
    try:
        refuse_ending(path, "this is a page", ".html", ".htm")
    except ValueError as error:
        raise StudyError(str(error)) from None
    try:
        with written_beside(path) as temporary:
            temporary.write_text(make_page(store, replays), encoding="utf-8")
    except OSError as error:
        raise StudyError(str(error)) from None
