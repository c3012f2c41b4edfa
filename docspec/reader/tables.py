"""Tables and figures: what a page holds besides running text."""

from __future__ import annotations

from itertools import pairwise

from docspec.reader.phrases import NUMBERS, drawn
from docspec.reader.render import advances
from docspec.reader.typeset import Setter


def table(setter: Setter, rows: int, columns: int) -> bool:
    """A simple table with a header row, spelt as a compact pipe table; False where it does not fit."""
    rng, style, sheet = setter.rng, setter.style, setter.sheet
    font, bold = style.face.regular, style.face.bold if rng.random() < 0.7 else style.face.regular
    size = style.size * rng.choice((1.0, 1.0, 0.95, 0.9))
    pitch = style.pitch * rng.uniform(1.0, 1.35)
    numeric, form = rng.random() < 0.7, rng.choice(NUMBERS)
    same = rng.random() < 0.3

    def value() -> str:
        if rng.random() < 0.5:
            return drawn(rng, form if same else rng.choice(NUMBERS))
        return setter.writer.figure() if numeric else setter.writer.label()

    cells = [[setter.writer.phrase(1, 2)[:16] for _ in range(columns)]]
    for _ in range(rows):
        first = setter.writer.phrase(1, 3)[:20]
        cells.append([first, *(value() for _ in range(columns - 1))])
    total = 0.12 if rng.random() < 0.4 else 0.0
    fonts = [bold] + [style.face.bold if rng.random() < total else font for _ in range(rows)]
    cells = [
        [" ".join(setter.fit(text.replace("|", ""), fonts[i])) or "0" for text in row]
        for i, row in enumerate(cells)
    ]
    space = setter.column.right - setter.column.left
    needs = [
        max(setter.length([row[c]], fonts[i], size) for i, row in enumerate(cells)) + size * 0.7
        for c in range(columns)
    ]
    while sum(needs) > space and columns > 2:
        columns -= 1
        cells, needs = [row[:columns] for row in cells], needs[:columns]
    fits = int((setter.room - 4) / pitch) - 1
    if sum(needs) > space or fits < 1:
        return False
    cells = cells[: fits + 1]
    slack = (space - sum(needs)) * rng.choice((0.0, 0.3, 1.0, 1.0)) / columns
    edges = [setter.column.left]
    for need in needs:
        edges.append(edges[-1] + need + slack)
    setter.begin(gap=max(style.gap, 0.3 * style.pitch))
    top = setter.column.top
    grid = rng.choice(("full", "rows", "book", "none"))
    right_aligned = rng.random() < 0.5
    for i, row in enumerate(cells):
        baseline = setter.column.top + pitch / 2 + 0.3 * size
        sheet.write(("\n" if i else "") + "|")
        for c, cell in enumerate(row):
            sheet.write(" ")
            x = edges[c] + 0.35 * size
            if c and right_aligned:
                x = edges[c + 1] - 0.35 * size - setter.length([cell], fonts[i], size)
            for k, word in enumerate(cell.split(" ")):
                if k:
                    sheet.write(" ")
                    x += advances(fonts[i])[" "] * size
                x = sheet.put(word, x, baseline, fonts[i], size, style.grey)
            sheet.write(" |")
        if not i:
            sheet.write("\n|" + " --- |" * columns)
        setter.column.top += pitch
        if grid in ("full", "rows") or (grid == "book" and i in (0, len(cells) - 1)):
            sheet.rule(edges[0], setter.column.top, edges[-1], setter.column.top, 1.0)
    if grid != "none":
        sheet.rule(edges[0], top, edges[-1], top, 1.0)
    if grid == "full":
        for edge in edges:
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
