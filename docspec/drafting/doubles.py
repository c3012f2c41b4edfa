"""Characters that a file prints twice, one upon the other, to look bold. MuPDF tells each print; where it collects
styles it tells one, but then takes time that grows with the square of their number, and loses letters of ligatures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from docspec.core.geometry import runs_of

LEVEL = 1.0
"""Most points between the baselines of two prints."""

UPON = 0.1
"""Most distance of two prints of one character, in sizes of the type: the narrowest letters are 0.2 wide."""


def without_doubles(blocks: Sequence[dict[str, Any]]) -> None:
    """Takes the second prints out of the level lines of ``blocks``, a page as MuPDF's raw dictionary, and the lines
    that have no others."""
    lines = [line for block in blocks for line in block.get("lines", ()) if line["dir"] == (1.0, 0.0) and line["spans"]]
    lines.sort(key=lambda line: float(line["spans"][0]["origin"][1]))
    for row in runs_of(lines, lambda a, b: b["spans"][0]["origin"][1] - a["spans"][0]["origin"][1] < LEVEL):
        if len(row) > 1 and _overlap(row):
            _print_once(row)
    for block in blocks:
        if "lines" in block:
            block["lines"] = [line for line in block["lines"] if any(span["chars"] for span in line["spans"])]


def _overlap(row: Sequence[dict[str, Any]]) -> bool:
    spans = sorted((line["bbox"][0], line["bbox"][2]) for line in row)
    return any(b[0] < a[1] - 0.5 * (a[1] - a[0]) for a, b in pairwise(spans))


def _print_once(row: Sequence[dict[str, Any]]) -> None:
    known: dict[str, list[tuple[float, float]]] = {}
    for span in (span for line in row for span in line["spans"]):
        kept = []
        for char in span["chars"]:
            (x, y), near = char["origin"], UPON * span["size"]
            places = known.setdefault(char["c"], [])
            if not any(abs(x - x0) < near and abs(y - y0) < near for x0, y0 in places):
                places.append((x, y))
                kept.append(char)
        span["chars"] = kept
