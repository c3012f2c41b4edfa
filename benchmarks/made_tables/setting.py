"""What kinds of pages have in common: heads, rows, and text around a table."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from benchmarks.made_tables.content import PROSE, figure, gapped
from benchmarks.made_tables.sheet import Head, Row, Sheet, width_of

LEFT, RIGHT, WIDE = 60.0, 552.0, 492.0
"""Margins of an upright page of 612 by 792 points, and what is between them."""

NUMBERS = ("int", "pct", "small", "dec3", "signed", "paren", "percent")


def heads_of(names: Sequence[str], level: int = 0) -> list[Head]:
    """``names`` over the columns from ``level`` on; ``|`` parts their lines, and an empty name is no head."""
    return [Head(tuple(name.split("|")), n, n) for n, name in enumerate(names, start=level) if name]


def rows_of(rng: Random, labels: Sequence[str], kinds: Sequence[str], gaps: float = 0.06, **more: float) -> list[Row]:
    return [
        Row((tuple(label.split("|")), *((gapped(rng, figure(rng, kind), gaps),) for kind in kinds)), **more)  # type: ignore[arg-type]
        for label in labels
    ]


def wrapped(text: str, width: float, font: str, size: float) -> tuple[str, ...]:
    """``text`` in lines of this ``width``."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}", font, size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return tuple(lines)


def opening(sheet: Sheet, rng: Random, title: str, prose: bool = True) -> float:
    """A running head, perhaps a paragraph, and the title of a table; returns where the table begins."""
    y = rng.uniform(50, 70)
    if rng.random() < 0.5:
        sheet.text(LEFT, 36, "U.S. Department of Public Statistics", "helv", 7)
        sheet.text(RIGHT, 36, str(rng.randint(2, 140)), "helv", 7, "r")
    if prose:
        y = sheet.prose(LEFT, y, WIDE, PROSE * rng.randint(1, 2), rng.choice(("tiro", "helv")), 9.5) + 12
    align = rng.choice("lc")
    sheet.text(LEFT if align == "l" else 306, y, title, rng.choice(("hebo", "tibo", "helv")), 9.5, align)
    return y + rng.uniform(6, 14)


def closing(sheet: Sheet, rng: Random, y: float, prose: bool = True) -> None:
    """Notes below a table, and perhaps a paragraph."""
    y += 14
    for note in ("NOTE: Details may not add to totals because of rounding.", "SOURCE: Annual survey, 2003 to 2009."):
        if rng.random() < 0.7:
            sheet.text(LEFT, y, note, "tiro", 7.5)
            y += 10
    if prose and y < 640:
        sheet.prose(LEFT, y + 14, WIDE, PROSE * 2, "tiro", 9.5, 740)
    if rng.random() < 0.5:
        sheet.text(306, 766, str(rng.randint(2, 140)), "tiro", 8, "c")
