"""The pictures of the documentation, drawn from the JSON files that the benchmarks write.

Nothing is measured here: a picture shows what its file says, and its second line says what that was measured with.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.plots import SIMULATED, Axis, Dot, bars, dots
from docspec.bench.cli.common import page_names
from docspec.core import InputError

Record = Mapping[str, Any]

PHASES = {"draft": "draft", "prefill": "prefill", "stage1": "Stage 1", "stage2": "Stage 2 decoding"}


def draw(files: Sequence[Path], folder: Path) -> list[Path]:
    """Draws what each of ``files`` can show into ``folder`` as SVG and returns the files written.

    Raises :class:`docspec.core.InputError` for a file that no benchmark with a picture wrote.
    """
    drawn = []
    for file in files:
        record = _record(file)
        for name, draw_one in PICTURES[record["schema"]].items():
            path = folder / f"{name}.svg"
            draw_one(path, record)
            drawn.append(path)
    return drawn


def where_time_goes(path: Path, record: Record) -> None:
    """Seconds a page of every mode by phase; what is left of the total is rendering, parsing and writing."""
    parts: dict[str, dict[str, float]] = {shown: {} for shown in PHASES.values()}
    rest: dict[str, float] = {}
    for mode in record["modes"]:
        row, pages = mode["mode"], mode["pages"]
        for phase, shown in PHASES.items():
            parts[shown][row] = mode[phase] / pages
        rest[row] = max(0.0, mode["total"] - sum(mode[phase] for phase in PHASES)) / pages
    used = {shown: values for shown, values in parts.items() if any(values.values())}
    title = "Where the time of a page goes" + SIMULATED * record["simulated"]
    bars(path, title, _measured(record), {**used, "rest": rest}, "Seconds a page (mean over pages of medians)")


def speed_by_page(path: Path, record: Record) -> None:
    """SR_e2e of every mode by page, with its slowest and fastest run."""
    series: dict[str, dict[str, Dot]] = {}
    rows = record["rows"]
    for name, row in zip(page_names([(row["source"], row["page"]) for row in rows]), rows, strict=True):
        plain = next(one["total"] for one in row["samples"] if one["mode"] == "plain")
        for own in row["samples"]:
            if own["mode"] != "plain":
                dot = Dot(plain / own["total"], plain / own["high"], plain / own["low"])
                series.setdefault(own["mode"], {})[name] = dot
    _dots_of_modes(path, "page", record, series)


def speed_by_kind(path: Path, record: Record) -> None:
    """SR_e2e of every mode by kind of page, with its slowest and fastest run."""
    series: dict[str, dict[str, Dot]] = {}
    for one in record["kinds"]:
        if one["mode"] != "plain":
            dot = Dot(one["sr_e2e"], one["sr_low"], one["sr_high"])
            series.setdefault(one["mode"], {})[one["kind"]] = dot
    _dots_of_modes(path, "kind of page", record, series)


def _dots_of_modes(path: Path, row: str, record: Record, series: Mapping[str, Mapping[str, Dot]]) -> None:
    mode = f" ({next(iter(series))})" if len(series) == 1 else ""
    title = f"How much faster each {row} is read{mode}" + SIMULATED * record["simulated"]
    axis = Axis("Speed-up end to end, draft included (times plain decoding)", True, 1.0, "plain decoding")
    dots(path, title, _measured(record), series, axis)


def policies(path: Path, record: Record) -> None:
    """Tokens per step of every policy on outputs written earlier, with the copy bound."""
    series: dict[str, dict[str, Dot]] = {}
    bound = {}
    for page in record["pages"]:
        bound[page["name"]] = Dot(page["bound_tokens_per_step"])
        for one in page["replays"]:
            series.setdefault(one["align"], {})[page["name"]] = Dot(one["tokens_per_step"])
    note = f"replayed, no model runs; tree budget {record['budget']}"
    axis = Axis("Tokens per verification step", True, 1.0, "plain decoding")
    dots(path, "What drafts are worth by policy", note, {**series, "copy bound": bound}, axis)


PICTURES: dict[str, dict[str, Callable[[Path, Record], None]]] = {
    "docspec.bench.speed/1": {
        "where-time-goes": where_time_goes,
        "speed-by-kind": speed_by_kind,
        "speed-by-page": speed_by_page,
    },
    "docspec.bench.transcripts/1": {"policies": policies},
}
"""What can be drawn of a file, by its ``schema``."""


def _measured(record: Record) -> str:
    target = record["target"]
    return f"{target['name']}, {target['device']}, {target['dtype']}; medians of {record['repeats']} interleaved runs"


def _record(file: Path) -> Record:
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        schema = record["schema"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file}: no JSON of a benchmark ({error})") from error
    if schema not in PICTURES:
        raise InputError(f"{file}: {schema} has no picture; those of {', '.join(PICTURES)} have")
    return dict(record)
