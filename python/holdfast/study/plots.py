"""Plots of a report as SVG text: maps over two parameters, shares over one, distributions."""

from __future__ import annotations

import html
import math
from typing import Any, Callable, NamedTuple, Sequence

_CELLS = 12  # most bins of a parameter that has many values
_GOOD, _BAD, _PLAIN, _INK, _FAINT = "#1b7f4d", "#c2452d", "#4a7fb5", "#333", "#ccc"


def short(value: Any) -> str:
    """A value in few characters."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return "(" + ", ".join(short(v) for v in value) + ")"
    return str(value)


def distinct_texts(values: Sequence[Any]) -> dict[Any, str]:
    """A text for each value: ``short``, but numbers have as many more digits as they need to differ."""
    texts: dict[Any, str] = {}
    for digits in range(4, 18):
        texts = {v: f"{v:.{digits}g}" if isinstance(v, float) else short(v) for v in values}
        if len(set(texts.values())) == len(texts):
            break
    return texts


_MOST_LETTERS = 14  # of a label, which is drawn askew below a plot


def _clip(label: str) -> str:
    return label if len(label) <= _MOST_LETTERS else label[:_MOST_LETTERS - 1] + "…"


def _brief(values: Sequence[float]) -> list[str]:
    """Numbers with two digits, or as many more as they need to differ."""
    texts: list[str] = []
    for digits in range(2, 7):
        texts = [f"{float(f'{value:.{digits}g}'):g}" for value in values]  # 150, not 1.5e+02
        if len(set(texts)) == len(texts):
            break
    return texts


def _text(x: float, y: float, content: str, anchor: str = "middle", turn: float = 0, size: int = 11) -> str:
    place = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{_INK}"{place}>{html.escape(content)}</text>'


def _rect(x: float, y: float, w: float, h: float, fill: str, title: str = "") -> str:
    inner = f"<title>{html.escape(title)}</title>" if title else ""
    return f'<rect x="{x:.2f}" y="{y:.2f}" width="{w:.2f}" height="{h:.2f}" fill="{fill}">{inner}</rect>'


def _svg(width: float, height: float, parts: Sequence[str], label: str) -> str:
    return (f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img" aria-label="{html.escape(label)}">'
            + "".join(parts) + "</svg>")


class Axis(NamedTuple):
    """The bins of a parameter: labels, and the bin of a value."""

    name: str
    labels: list[str]
    bin: Callable[[Any], int]


def make_axis(name: str, values: Sequence[Any]) -> Axis:
    """The axis of a parameter. A few values are shown as they are. Many numbers are divided into bins of equal width
    from the least to the greatest; if they span more than two powers of ten, the bins are equal in the logarithm."""
    numeric = all(isinstance(v, (int, float)) and not isinstance(v, bool) and not math.isnan(v) for v in values)
    distinct: list[Any] = sorted(set(values)) if numeric else sorted({short(v) for v in values})
    if len(distinct) <= _CELLS or not numeric:
        texts = distinct_texts(distinct)
        place = {v: i for i, v in enumerate(distinct)}
        return Axis(name, list(texts.values()), lambda v: place[v if numeric else short(v)])
    low, high = distinct[0], distinct[-1]
    logs = low > 0 and high / low > 100
    scale = math.log if logs else float
    a, width = scale(low), (scale(high) - scale(low)) / _CELLS
    edges = [(math.exp if logs else float)(a + i * width) for i in range(_CELLS + 1)]
    labels = _brief([float(math.sqrt(p * q) if logs else (p + q) / 2) for p, q in zip(edges, edges[1:])])
    return Axis(name, labels, lambda v: min(int((scale(v) - a) / width), _CELLS - 1))


def mix(share: float) -> str:
    """A colour from failure (0, red) over yellow to success (1, green)."""
    ends = ((194, 69, 45), (244, 208, 96), (27, 127, 77))
    a, b, t = (ends[0], ends[1], 2 * share) if share < 0.5 else (ends[1], ends[2], 2 * share - 1)
    return "#" + "".join(f"{round(p + (q - p) * t):02x}" for p, q in zip(a, b))


def shade(share: float) -> str:
    """A colour from pale (0) to dark blue (1), for numbers that are neither good nor bad."""
    return "#" + "".join(f"{round(p + (q - p) * share):02x}" for p, q in zip((233, 239, 245), (24, 68, 120)))


def draw_map(x: Axis, y: Axis, xs: Sequence, ys: Sequence, good: Sequence[bool]) -> str:
    """Share of successes over two parameters; a cell says how many runs it has when pointed at."""
    def describe(members: list) -> tuple[str, str]:
        return mix(sum(members) / len(members)), f"{sum(members)} of {len(members)} succeed"

    return _draw_cells(x, y, xs, ys, good, describe, "success")


def draw_means(name: str, x: Axis, y: Axis, xs: Sequence, ys: Sequence, values: Sequence[float]) -> str:
    """Means of a metric over two parameters, from its least to its greatest mean."""
    cells = _group(x, y, xs, ys, values).values()
    means = [math.fsum(c) / len(c) for c in cells]
    low, span = min(means), max(means) - min(means) or 1.0

    def describe(members: list) -> tuple[str, str]:
        mean = math.fsum(members) / len(members)
        return shade((mean - low) / span), f"mean {name} {short(mean)} of {len(members)} runs"

    return _draw_cells(x, y, xs, ys, values, describe, f"mean {name}")


def _group(x: Axis, y: Axis, xs: Sequence, ys: Sequence, values: Sequence) -> dict[tuple[int, int], list]:
    cells: dict[tuple[int, int], list] = {}
    for a, b, v in zip(xs, ys, values):
        cells.setdefault((x.bin(a), y.bin(b)), []).append(v)
    return cells


def _draw_cells(x: Axis, y: Axis, xs: Sequence, ys: Sequence, values: Sequence, describe: Callable[[list], tuple[str, str]], what: str) -> str:
    side, top = 24, 8
    left = max(86, 28 + 6 * max(len(label) for label in y.labels))  # a character of the labels is about 6 wide
    width, height = side * len(x.labels), side * len(y.labels)
    parts = [_rect(left, top, width, height, "#f4f4f4")]
    for (i, j), members in _group(x, y, xs, ys, values).items():
        colour, text = describe(members)
        title = f"{x.name} {x.labels[i]}, {y.name} {y.labels[j]}: {text}"
        parts.append(_rect(left + i * side, top + height - (j + 1) * side, side - 1, side - 1, colour, title))
    for i, label in enumerate(x.labels):
        parts.append(_text(left + (i + 0.7) * side, top + height + 12, _clip(label), "end", -45, 10))
    for j, label in enumerate(y.labels):
        parts.append(_text(left - 5, top + height - (j + 0.35) * side, label, "end", size=10))
    parts += [_text(left + width / 2, top + height + 62, x.name), _text(12, top + height / 2, y.name, turn=-90)]
    return _svg(left + width + 12, top + height + 72, parts, f"{what} over {x.name} and {y.name}")


def interval(k: int, n: int) -> tuple[float, float]:
    """Wilson's interval of a share k/n with 95 % confidence."""
    z = 1.959964
    centre, spread = (k + z * z / 2) / (n + z * z), z / (n + z * z) * math.sqrt(k * (n - k) / n + z * z / 4)
    return max(0.0, centre - spread), min(1.0, centre + spread)


def draw_share(x: Axis, xs: Sequence, good: Sequence[bool]) -> str:
    """Share of successes over one parameter, with 95 % intervals."""
    bins: dict[int, list[bool]] = {}
    for a, g in zip(xs, good):
        bins.setdefault(x.bin(a), []).append(g)
    side, left, top, height = 26, 44, 10, 130
    width = side * len(x.labels)
    parts = []
    for share in (0, 0.5, 1):
        y = top + height * (1 - share)
        parts += [f'<path d="M{left} {y:.1f}h{width}" stroke="{_FAINT}" fill="none"/>', _text(left - 5, y + 4, f"{100 * share:.0f} %", "end", size=10)]
    points = []
    for i in sorted(bins):
        k, n = sum(bins[i]), len(bins[i])
        low, high = interval(k, n)
        px, py = left + (i + 0.5) * side, top + height * (1 - k / n)
        points.append(f"{px:.1f} {py:.1f}")
        parts.append(f'<path d="M{px:.1f} {top + height * (1 - low):.1f}V{top + height * (1 - high):.1f}" stroke="{_GOOD}" stroke-width="2"/>')
        parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="{_GOOD}"><title>{html.escape(x.labels[i])}: {k} of {n}</title></circle>')
        parts.append(_text(px + 4, top + height + 14, _clip(x.labels[i]), "end", -45, 10))
    parts.append(f'<path d="M{" L".join(points)}" stroke="{_GOOD}" fill="none" opacity="0.5"/>')
    parts.append(_text(left + width / 2, top + height + 62, x.name))
    return _svg(left + width + 12, top + height + 70, parts, f"success over {x.name}")


def draw_distribution(name: str, values: Sequence[float], good: Sequence[bool | None]) -> str:
    """A histogram of a metric: successes and others above each other, or one colour where no run was judged."""
    pairs = [(float(v), g) for v, g in zip(values, good) if isinstance(v, (int, float)) and math.isfinite(v)]
    if not pairs:
        return ""
    low, high = min(v for v, _ in pairs), max(v for v, _ in pairs)
    logs = low > 0 and high / low > 100
    scale, back = (math.log, math.exp) if logs else (float, float)
    span = scale(high) - scale(low) or 1.0
    judged = any(g is not None for _, g in pairs)
    bins = 40
    edges = [back(scale(low) + i * span / bins) for i in range(bins + 1)]
    texts, counts = distinct_texts(edges), [[0, 0] for _ in range(bins)]
    for v, g in pairs:
        counts[min(int((scale(v) - scale(low)) / span * bins), bins - 1)][g is not False] += 1
    top, left, height, side = 10, 44, 130, 8
    most = max(a + b for a, b in counts)
    parts = [f'<path d="M{left} {top + height}h{bins * side}" stroke="{_INK}"/>', _text(left - 5, top + 9, str(most), "end", size=10)]
    for i, (bad, fine) in enumerate(counts):
        title = f"{texts[edges[i]]} to {texts[edges[i + 1]]}: {fine}" + (f", and {bad} without success" if judged else "")
        a, b = height * bad / most, height * fine / most
        if bad:
            parts.append(_rect(left + i * side, top + height - a, side - 1, a, _BAD, title))
        if fine:
            parts.append(_rect(left + i * side, top + height - a - b, side - 1, b, _GOOD if judged else _PLAIN, title))
    for i, text in zip((0, bins // 2, bins), distinct_texts(edges[::bins // 2]).values()):
        anchor = "middle" if len(text) <= 10 else "start" if i == 0 else "end" if i == bins else "middle"
        parts.append(_text(left + i * side, top + height + 15, text, anchor, size=10))
    parts.append(_text(left + bins * side / 2, top + height + 34, f"{name} (logarithmic)" if logs else name))
    return _svg(left + bins * side + 30, top + height + 42, parts, f"distribution of {name}")
