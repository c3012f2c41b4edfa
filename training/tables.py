"""Tables and figures: what a page holds besides running text."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pymupdf

from training.prose import UNITS
from training.render import advances
from training.templates import NUMBERS, drawn
from training.typeset import Setter

HEADS = ("n", "%", "p", "Mean", "SD", "Total", "2019", "2020", "Cost", "No.", "F1", "Δ", "Q1", "Q2", "95% CI")
NAMES = ("«8|9|19|89»", "«19|20»99", "«A|B|C|S|T»«8|9|89»", "«8|9».9", "Q«1|2|3|4» «19|20»99")


@dataclass(frozen=True)
class Look:
    """How a table is set: font of each row, where each column's cells stand (0 left to 1 right), lines, tints."""

    fonts: list[pymupdf.Font]
    places: list[float]
    size: float
    pitch: float
    grid: str
    dark: float | None  # grey of a header's ground that is printed in white
    zebra: float | None  # grey of every second row's ground


def _cells(setter: Setter, rows: int, columns: int) -> list[list[str]]:
    """The texts of a table, header first; tables of one kind of figures are common, the first column names its row."""
    rng, writer = setter.rng, setter.writer
    head = [writer.phrase(1, rng.choice((1, 2, 2, 3)))[:20] for _ in range(columns)]
    for c in range(columns):
        if rng.random() < 0.15:
            head[c] += f" ({rng.choice(UNITS)})"
        elif c and rng.random() < 0.2:
            head[c] = rng.choice(HEADS)
    if rng.random() < 0.1:
        head[0] = ""
    longest, names = rng.choice((1, 2, 3, 5)), rng.choice(NAMES) if rng.random() < 0.15 else None
    cells = [head]
    cells += [[drawn(rng, names) if names else writer.phrase(1, longest)[:32]] for _ in range(rows)]
    same = rng.choice(NUMBERS) if rng.random() < 0.4 else None
    words, empty = rng.random() < 0.25, rng.choice((0.0, 0.0, 0.0, 0.1, 0.3))
    for _ in range(columns - 1):
        form = None if words and rng.random() < 0.6 else same or rng.choice(NUMBERS)
        known = [drawn(rng, form) for _ in range(rng.choice((2, 20)))] if form else []
        for line in cells[1:]:
            if rng.random() < empty:
                line.append("")
            elif form is None:
                line.append(writer.label() if rng.random() < 0.5 else writer.phrase(1, 3)[:24])
            else:
                line.append(rng.choice(known) if rng.random() < 0.85 else writer.figure())
    return cells


def _look(setter: Setter, rows: int, columns: int) -> Look:
    rng, style = setter.rng, setter.style
    plain, bold = style.face.regular, style.face.bold
    head = bold if rng.random() < 0.7 else plain
    total = 0.12 if rng.random() < 0.4 else 0.0
    place = rng.choice((0.0, 0.5, 1.0, 1.0))
    first = 0.0 if rng.random() < 0.9 else place
    places = [place if rng.random() < 0.8 else rng.choice((0.0, 0.5, 1.0)) for _ in range(columns - 1)]
    return Look(
        [head] + [bold if rng.random() < total else plain for _ in range(rows)],
        [first, *places],
        style.size * rng.choice((1.0, 1.0, 0.95, 0.9)),
        style.pitch * rng.choice((rng.uniform(1.0, 1.1), rng.uniform(1.0, 1.4))),
        rng.choice(("full", "rows", "book", "book", "book", "none", "columns")),
        rng.uniform(0.0, 0.45) if rng.random() < 0.12 else None,
        rng.uniform(0.85, 0.96) if rng.random() < 0.12 else None,
    )


def table(setter: Setter, rows: int, columns: int) -> bool:
    """A table with a header row, spelt as a compact pipe table; False where it does not fit."""
    rng, style, sheet = setter.rng, setter.style, setter.sheet
    look = _look(setter, rows, columns)
    fonts, size, pitch = look.fonts, look.size, look.pitch
    cells = [
        [" ".join(setter.fit(text.replace("|", ""), fonts[i])) for text in row]
        for i, row in enumerate(_cells(setter, rows, columns))
    ]
    space = setter.column.right - setter.column.left
    gap = size * rng.choice((0.7, 0.7, 1.0, 1.6))
    needs = [max(setter.length([row[c]], fonts[i], size) for i, row in enumerate(cells)) + gap for c in range(columns)]
    while sum(needs) > space and columns > 2:
        columns -= 1
        cells, needs = [row[:columns] for row in cells], needs[:columns]
    fits = int((setter.room - 4) / pitch) - 1
    if sum(needs) > space or fits < 1:
        return False
    cells = cells[: fits + 1]
    slack = (space - sum(needs)) * rng.choice((0.0, 0.3, 1.0, 1.0))
    wide = 0.5 * slack if rng.random() < 0.3 else slack / columns  # what the first column takes of it
    edges = [setter.column.left, setter.column.left + needs[0] + wide]
    for need in needs[1:]:
        edges.append(edges[-1] + need + (slack - wide) / (columns - 1))
    setter.begin(gap=max(style.gap, 0.3 * style.pitch))
    top = setter.column.top
    for i, row in enumerate(cells):
        here = setter.column.top
        grey = style.grey
        if not i and look.dark is not None:
            sheet.box(edges[0], here, edges[-1], here + pitch, look.dark, look.dark)
            grey = 1.0
        elif look.zebra is not None and i % 2:
            sheet.box(edges[0], here, edges[-1], here + pitch, look.zebra, look.zebra)
        baseline = here + pitch / 2 + 0.3 * size
        sheet.write(("\n" if i else "") + "|")
        for c, cell in enumerate(row):
            sheet.write(" ")
            rest = edges[c + 1] - edges[c] - gap - setter.length([cell], fonts[i], size)
            x = edges[c] + gap / 2 + look.places[c] * max(0.0, rest)
            for k, word in enumerate(cell.split()):
                if k:
                    sheet.write(" ")
                    x += advances(fonts[i])[" "] * size
                x = sheet.put(word, x, baseline, fonts[i], size, grey)
            sheet.write(" |")
        if not i:
            sheet.write("\n|" + " --- |" * columns)
        setter.column.top += pitch
        if look.grid in ("full", "rows") or (look.grid == "book" and i in (0, len(cells) - 1)):
            sheet.rule(edges[0], setter.column.top, edges[-1], setter.column.top, 1.0)
    if look.grid not in ("none", "columns"):
        sheet.rule(edges[0], top, edges[-1], top, rng.choice((1.0, 1.0, 2.0)))
    if look.grid in ("full", "columns"):
        for edge in edges if look.grid == "full" else edges[1:-1]:
            sheet.rule(edge, top, edge, setter.column.top, 1.0)
    setter.column.top += 4
    return True


def figure(setter: Setter, height: float) -> bool:
    """A drawing without text; its caption is set by the caller. False where it does not fit."""
    rng, sheet, column = setter.rng, setter.sheet, setter.column
    if setter.room < height + setter.style.pitch * 2:
        return False
    if not setter.fresh:
        column.top += setter.style.gap
    left = column.left + (column.right - column.left) * rng.choice((0.0, 0.1, 0.2))
    right = column.right - (left - column.left)
    sheet.box(left, column.top, right, column.top + height, rng.choice((None, 0.85, 0.6, 0.95)))
    points = [(left + (right - left) * k / 6, column.top + height * rng.uniform(0.1, 0.9)) for k in range(7)]
    if rng.random() < 0.7:
        for (x0, y0), (x1, y1) in pairwise(points):
            if rng.random() < 0.3:
                sheet.box(x0 + 3, min(y0, column.top + height - 4), x1 - 3, column.top + height - 1, 0.4)
            else:
                sheet.rule(x0, y0, x1, y1, rng.uniform(0.7, 3.0), 0.2)
    column.top += height + 4
    setter.fresh = False
    return True
