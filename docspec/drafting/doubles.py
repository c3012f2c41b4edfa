"""Characters that a file prints twice, one upon the other, to look bold. MuPDF tells each print; where it collects
styles it tells one, but then takes time that grows with the square of their number, and loses letters of ligatures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    for row in _doubled(blocks):
        _print_once(row)
    for block in blocks:
        if "lines" in block:
            block["lines"] = [line for line in block["lines"] if any(span["chars"] for span in line["spans"])]


def has_doubles(blocks: Sequence[dict[str, Any]]) -> bool:
    """Whether ``blocks``, a page as MuPDF's dictionary, have level lines that are printed upon others."""
    return any(True for _ in _doubled(blocks))


def _doubled(blocks: Sequence[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    """The lines on each baseline on which one lies upon another."""
    lines = [line for block in blocks for line in block.get("lines", ()) if line["dir"] == (1.0, 0.0) and line["spans"]]
    lines.sort(key=lambda line: float(line["spans"][0]["origin"][1]))
    for row in runs_of(lines, lambda a, b: b["spans"][0]["origin"][1] - a["spans"][0]["origin"][1] < LEVEL):
        if len(row) > 1 and _overlap(row):
            yield row


def _overlap(row: Sequence[dict[str, Any]]) -> bool:
    spans = sorted((line["bbox"][0], line["bbox"][2]) for line in row)
    return any(b[0] < a[1] - 0.5 * (a[1] - a[0]) for a, b in pairwise(spans))


def _print_once(row: Sequence[dict[str, Any]]) -> None:
    """Keeps one print of each character: that in the longer word, then in the longer line, as a print may lack some of
    a word's characters."""
    words: list[tuple[int, int, float, list[dict[str, Any]]]] = []
    for line in row:
        length = sum(len(span["chars"]) for span in line["spans"])
        for span in line["spans"]:
            for word in runs_of(span["chars"], lambda a, b: not (a["c"].isspace() or b["c"].isspace())):
                words.append((len(word), length, UPON * span["size"], word))
    known: dict[str, list[tuple[float, float]]] = {}
    kept: set[int] = set()
    for _, _, near, word in sorted(words, key=lambda one: one[:2], reverse=True):
        for char in word:
            x, y = char["origin"]
            places = known.setdefault(char["c"], [])
            if not any(abs(x - x0) < near and abs(y - y0) < near for x0, y0 in places):
                places.append((x, y))
                kept.add(id(char))
    for line in row:
        for span in line["spans"]:
            left = [char for char in span["chars"] if id(char) in kept]
            if len(left) < len(span["chars"]):
                span["chars"] = left
                span["bbox"] = _around(left) or span["bbox"]
        inked = any(not char["c"].isspace() for span in line["spans"] for char in span["chars"])
        line["spans"] = [span for span in line["spans"] if span["chars"]] if inked else []
        line["bbox"] = _around(line["spans"]) or line["bbox"]


def _around(parts: Sequence[dict[str, Any]]) -> tuple[float, float, float, float] | None:
    """The box of all ``parts``; ``None`` if there are none."""
    if not parts:
        return None
    x0, y0, x1, y1 = zip(*(part["bbox"] for part in parts), strict=True)
    return min(x0), min(y0), max(x1), max(y1)
