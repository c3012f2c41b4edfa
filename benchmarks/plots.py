"""Charts of the benchmarks, one idea each, written as PNG or SVG with matplotlib (extra ``bench``).

``dots`` compares values row by row (pages against modes), ``lines`` shows how one value follows another, ``bars`` what
a whole is put together of. The title says what is shown and whether the target was simulated, the line below it what
was measured with what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.extras import require
from docspec.core import OutputError, UsageError

SUFFIXES = (".png", ".svg")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours: told apart by colour-blind readers and in print."""

RAMP = ("#08306b", "#2f7ebc", "#f0b429", "#9ecae1", "#dcdcdc")
"""Parts of a bar: each lighter or darker than its neighbours, so that they are told apart in grey."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LABEL_PLACES = ((1, 1), (1, -1), (-1, 1), (-1, -1))
"""Where a spot's label stands, right and up, by the number of its line, so that close lines keep theirs apart."""

GREY = "#6b6b6b"
DPI = 160
SIMULATED = " (simulated target)"
"""What the title of a chart ends with where the target's weights were never trained."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with the extremes of its repetitions."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Spot:
    """A point of a line; ``label`` is written beside it."""

    x: float
    y: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: what it shows with its unit, whether logarithmic, and a reference line with its name."""

    label: str
    log: bool = False
    reference: float | None = None
    reference_name: str = ""


def check_plot(path: Path | None) -> None:
    """Raises :class:`UsageError` before anything is measured if ``path`` could not be drawn in the end."""
    if path is None:
        return
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"--plot {path}: the file's name must end in {' or '.join(SUFFIXES)}")
    require("matplotlib", "--plot")


def dots(path: Path, title: str, subtitle: str, series: Mapping[str, Mapping[str, Dot]], axis: Axis) -> None:
    """One row for each name in ``series``' values, from top to bottom, one mark for each series.

    ``series`` maps a series to its values by row; a row that a series lacks stays empty.
    """
    rows = list(dict.fromkeys(row for values in series.values() for row in values))
    figure, axes = _chart(8.0, 1.9 + 0.36 * len(rows), title, subtitle)
    spread = min(0.16, 0.6 / max(1, len(series)))
    for index, (name, values) in enumerate(series.items()):
        shift = (index - (len(series) - 1) / 2) * spread
        places = [rows.index(row) + shift for row in values]
        found = list(values.values())
        colour, marker = _look(index)
        for place, dot in zip(places, found, strict=True):
            if dot.low is not None and dot.high is not None:
                axes.plot([dot.low, dot.high], [place, place], color=colour, lw=1.4, alpha=0.55, zorder=2)
        axes.plot(
            [dot.value for dot in found],
            places,
            linestyle="",
            marker=marker,
            markersize=6,
            color=colour,
            label=name,
            zorder=3,
        )
    axes.set_yticks(range(len(rows)), [shortened(row) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    for border in range(1, len(rows)):
        axes.axhline(border - 0.5, color="#ececec", lw=0.8, zorder=0)
    _set_axis(axes, "x", axis)
    axes.grid(axis="x", color="#e4e4e4", lw=0.8)
    _finish(figure, axes, path, legend=len(series) > 1)


def lines(
    path: Path,
    title: str,
    subtitle: str,
    series: Mapping[str, Sequence[Spot]],
    x: Axis,
    y: Axis,
    apart: Sequence[str] = (),
) -> None:
    """One line for each of ``series``, its spots joined in the order of x; those named in ``apart`` are not joined."""
    figure, axes = _chart(8.0, 5.4, title, subtitle)
    for index, (name, spots) in enumerate(series.items()):
        colour, marker = _look(index)
        ordered = sorted(spots, key=lambda spot: spot.x)
        axes.plot(
            [spot.x for spot in ordered],
            [spot.y for spot in ordered],
            linestyle="" if name in apart else "-",
            marker=marker,
            markersize=7,
            color=colour,
            lw=1.6,
            label=name,
            zorder=3,
        )
        right, up = LABEL_PLACES[index % len(LABEL_PLACES)]
        for spot in ordered:
            axes.annotate(
                spot.label,
                (spot.x, spot.y),
                xytext=(7 * right, 7 * up),
                textcoords="offset points",
                ha="left" if right > 0 else "right",
                va="bottom" if up > 0 else "top",
                fontsize=8,
                color=colour,
                zorder=4,
            )
    _set_axis(axes, "x", x)
    _set_axis(axes, "y", y)
    axes.margins(x=0.1, y=0.12)
    axes.grid(color="#e4e4e4", lw=0.8)
    _finish(figure, axes, path, legend=len(series) > 1)


def bars(path: Path, title: str, subtitle: str, parts: Mapping[str, Mapping[str, float]], label: str) -> None:
    """One bar for each row, from top to bottom, put together of ``parts`` (a part's name to its value by row)."""
    rows = list(dict.fromkeys(row for values in parts.values() for row in values))
    figure, axes = _chart(8.0, 1.9 + 0.42 * len(rows), title, subtitle)
    ends = dict.fromkeys(rows, 0.0)
    for index, (name, values) in enumerate(parts.items()):
        widths = [values.get(row, 0.0) for row in rows]
        axes.barh(
            range(len(rows)),
            widths,
            left=[ends[row] for row in rows],
            height=0.62,
            color=RAMP[index % len(RAMP)],
            edgecolor="white",
            label=name,
        )
        for row, width in zip(rows, widths, strict=True):
            ends[row] += width
    for place, row in enumerate(rows):
        axes.annotate(
            f"{ends[row]:.1f}", (ends[row], place), xytext=(5, 0), textcoords="offset points", va="center", fontsize=9
        )
    axes.set_yticks(range(len(rows)), [shortened(row) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.margins(x=0.08)
    _set_axis(axes, "x", Axis(label))
    axes.grid(axis="x", color="#e4e4e4", lw=0.8)
    _finish(figure, axes, path, legend=True)


def shortened(name: str, most: int = 28) -> str:
    """``name`` in at most ``most`` characters, its middle left out."""
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"


def _chart(width: float, height: float, title: str, subtitle: str) -> tuple[Any, Any]:
    """A figure of ``width`` x ``height`` inches with one pair of axes, made without a display."""
    figure = require("matplotlib.figure", "--plot").Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(" ", fontsize=12, pad=26)  # keeps room for two lines that begin at the figure's left edge
    for text, up, style in (
        (title, 24, {"fontsize": 12, "fontweight": "bold"}),
        (subtitle, 9, {"fontsize": 9, "color": GREY}),
    ):
        axes.annotate(
            text,
            (0.01, 1),
            xytext=(0, up),
            xycoords=("figure fraction", "axes fraction"),
            textcoords="offset points",
            in_layout=False,
            **style,
        )
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(labelsize=9)
    return figure, axes


def _look(index: int) -> tuple[str, str]:
    return COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]


def _set_axis(axes: Any, which: str, axis: Axis) -> None:
    ticker = require("matplotlib.ticker", "--plot")
    getattr(axes, f"set_{which}label")(axis.label, fontsize=10)
    own = getattr(axes, f"{which}axis")
    if axis.reference is not None:
        line = axes.axvline if which == "x" else axes.axhline
        line(axis.reference, color="#444444", lw=1.2, ls=(0, (4, 3)), zorder=2, label=axis.reference_name)
    if axis.log:
        getattr(axes, f"set_{which}scale")("log")
        low, high = getattr(axes, f"get_{which}lim")()
        marks = (1, 2, 5) if high > 30 * low else (1, 1.5, 2, 3, 4, 6, 8)
        own.set_major_locator(ticker.LogLocator(subs=marks, numticks=50))
        own.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        own.set_minor_locator(ticker.NullLocator())


def _finish(figure: Any, axes: Any, path: Path, legend: bool) -> None:
    if legend:
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with require("matplotlib", "--plot").rc_context({"svg.fonttype": "none", "svg.hashsalt": "docspec"}):
            figure.savefig(path, dpi=DPI, metadata={"Date": None} if path.suffix.lower() == ".svg" else {})
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from error
