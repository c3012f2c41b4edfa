"""A table as HTML: borders, grounds, paddings and alignments as style sheets of all kinds set them."""

from __future__ import annotations

import random
from collections.abc import Callable

from training.structure.pages.table import Cell, Table
from training.structure.pages.text import Text

GREYS = ("#000", "#000", "#333", "#666", "#999", "#bbb", "#00509e", "#8a1c1c")
GROUNDS = ("#eee", "#f5f5f5", "#ddd", "#e6f0fa", "#fdf3d8", "#e8f5e9", "#fbe9e7")


def table_source(
    rng: random.Random, table: Table, ink: Callable[[Cell, str], str], written: Callable[[Text], str]
) -> str:
    """The `<table>`; `ink` colours what is in a cell. Some rules between columns are left out."""
    rules = rng.choices(
        ("grid", "rows", "head", "frame", "none", "outer", "columns", "body"), (4, 4, 5, 1.5, 2.5, 1, 1, 0.6)
    )[0]
    rules = rules if table.room < 0 else "ledger"
    gaps = [at for at in range(1, len(table.columns)) if rng.random() < 0.3] if rng.random() < 0.2 else []
    line = (
        f"{rng.choice((0.3, 0.5, 0.5, 0.75, 1, 1.5))}pt "
        f"{rng.choice(('solid', 'solid', 'solid', 'solid', 'dotted', 'dashed'))} "
        f"{rng.choice(GREYS)}"
    )
    strong = f"{rng.choice((0.75, 1, 1.5, 2))}pt solid {rng.choice(GREYS)}"
    padding = f"{rng.choice((0, 0.5, 1, 2, 3, 5, 8))}pt {rng.choice((1, 2, 3, 4, 6, 9, 14))}pt"
    ground, head_ground = rng.choice(GROUNDS), rng.choice(("", "", "", *GROUNDS))
    zebra = rng.random() < 0.15
    numbers, names, heads = (
        rng.choice(("right", "right", "center", "left")),
        rng.choice(("left", "left", "left", "center")),
        rng.choice(("same", "same", "center", "left")),
    )
    valign, head_valign = rng.choice(("top", "top", "middle", "bottom")), rng.choice(("bottom", "middle", "top"))
    bold_head, size = rng.choice((400, 600, 700)), rng.choice((70, 80, 85, 90, 100, 100))
    width = rng.choice(("100%", "100%", "auto", "auto", f"{rng.randint(50, 95)}%"))
    wrap = rng.random() < 0.85
    narrow = rng.choice((0, 0, 0, rng.randint(40, 120)))
    fixed = (
        f"table-layout:fixed;width:{rng.choice(('100%', '80%'))}"
        if rng.random() < 0.08 and len(table.columns) < 8
        else f"width:{width}"
    )
    place = rng.choice(("", "", "margin:auto", "margin-left:auto"))
    spanned = rng.choice(("center", "center", "left"))
    group_ground = rng.choice(("", "", ground))
    rows: dict[int, list[str]] = {row: [] for row in range(table.rows)}
    last = len(table.columns)
    upper = rng.random() < 0.06
    for cell in table.cells:
        kind = table.columns[cell.column]
        align = numbers if kind == "value" else names
        style = [f"padding:{padding}", f"vertical-align:{head_valign if cell.head else valign}"]
        if cell.head:
            align = align if heads == "same" else heads
            align = spanned if cell.columns > 1 else align
            style += [f"font-weight:{bold_head}", f"background:{head_ground}" if head_ground else ""]
            style.append("text-transform:uppercase" if upper else "")
        elif cell.kind == "group":
            align = rng.choice(("left", "left", "left", "center")) if cell.columns > 1 else names
            style.append(f"background:{group_ground}" if group_ground else "")
        elif cell.kind == "total":
            align = rng.choice(("left", "right", "right"))
        elif zebra and (cell.row - table.head_rows) % 2:
            style.append(f"background:{ground}")
        if narrow and kind in ("value", "word") and cell.columns == 1:
            style.append(f"max-width:{narrow}pt")
        style.append(f"text-align:{align}")
        style.append("" if wrap or cell.kind == "text" else "white-space:nowrap")
        style += _borders(rules, line, strong, table, cell, last)
        style += ["border-left-style:hidden"] if cell.column in gaps else []
        style += ["border-right-style:hidden"] if cell.column + cell.columns in gaps else []
        spans = (f' rowspan="{cell.rows}"' if cell.rows > 1 else "") + (
            f' colspan="{cell.columns}"' if cell.columns > 1 else ""
        )
        content = ink(cell, written(cell.text)) if cell.text else ""
        rows[cell.row].append(f'<td{spans} style="{";".join(one for one in style if one)}">{content}</td>')
    height = f' style="height:{rng.choice((14, 18, 24))}pt"' if rng.random() < 0.15 else ""
    heights = {table.room: f' style="height:{rng.randint(20, 330)}pt"'}
    lines = [f"<tr{heights.get(row, height)}>{''.join(cells)}</tr>" for row, cells in rows.items()]
    body = "".join(lines)
    if table.head_rows and rng.random() < 0.5:  # a head that stands again where the table goes on
        body = f"<thead>{''.join(lines[: table.head_rows])}</thead><tbody>{''.join(lines[table.head_rows :])}</tbody>"
    return f'<table style="font-size:{size}%;{fixed};{place}">{body}</table>'


def _borders(rules: str, line: str, strong: str, table: Table, cell: Cell, last: int) -> list[str]:
    """The lines around one cell."""
    top, bottom = cell.row == 0, cell.row + cell.rows == table.rows
    borders = []
    if rules == "grid" or (rules == "body" and not cell.head and cell.column):
        return [f"border:{line}"]
    if rules in ("rows", "head", "outer", "frame"):
        borders += [f"border-top:{strong}"] if top else []
        borders += (
            [f"border-bottom:{strong}"]
            if bottom or (cell.row + cell.rows == table.head_rows and rules != "outer")
            else []
        )
    if rules == "rows" and not bottom:
        borders.append(f"border-bottom:{line}")
    if rules == "head" and cell.row in table.breaks:
        borders.append(f"border-top:{line}")
    if rules == "head" and cell.head and cell.columns > 1:
        borders.append(f"border-bottom:{line}")
    if rules == "ledger":  # as forms of programs are drawn: bars between columns, a rule below heads and above totals
        below = cell.row + cell.rows
        borders += [f"border-left:{line}", f"border-right:{line}"]
        borders += [f"border-top:{line}"] if top or cell.row in table.breaks else []
        borders += [f"border-bottom:{line}"] if bottom or below in (table.head_rows, table.room + 1) else []
    if rules in ("outer", "frame", "columns"):
        borders += [f"border-left:{line}"] if cell.column == 0 or rules == "columns" else []
        borders += [f"border-right:{line}"] if cell.column + cell.columns == last or rules == "columns" else []
    return borders
