"""Printing: composes blocks into strips, pours the strips through frames, and draws the page.

A block that does not fit, a word wider than its measure, or print over print raises `LayoutError`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from samples.press.blocks import (
    Block,
    Bullets,
    Caption,
    Figure,
    Formula,
    Frame,
    Furniture,
    Heading,
    NextFrame,
    Numbered,
    Options,
    Para,
    Role,
    Roles,
    Sheet,
    Space,
    Table,
    Title,
    Zone,
)
from samples.press.canvas import ROW, Canvas, LayoutError, text_width
from samples.press.formula import formula_box
from samples.press.inline import Line, Setting, atoms_of, break_lines, draw_line

_BASELINE = 0.74
"""Share of a row above the baseline."""


@dataclass(frozen=True)
class Strip:
    """A piece that no frame divides: height in rows, and how to draw it at (left, top) in points."""

    rows: float
    draw: Callable[[Canvas, float, float], None] | None = None
    keep: bool = False
    ends_frame: bool = False


def _role_name(block: Block) -> str:
    names: dict[type, str] = {
        Title: "title", Heading: "heading", Caption: "caption", Table: "table", Formula: "formula",
        Bullets: "item", Numbered: "item", Options: "option", Figure: "figure",
    }  # fmt: skip
    return block.role if isinstance(block, Para) else names.get(type(block), "body")


def _text(source: str, role: Role, width: float, first: float = 0.0, left: float = 0.0) -> list[Strip]:
    """Strips of a paragraph whose first line is indented by `first` and all lines by `left`."""
    lines = break_lines(atoms_of(source, role.font, role.size), width - left, first, role.font, role.size)
    setting = Setting(role.font, role.size, role.align, role.ink)

    def strip(index: int, line: Line) -> Strip:
        shift = left + (first if index == 0 else 0.0)

        def draw(canvas: Canvas, x: float, top: float) -> None:
            base = top + _BASELINE * role.rows * ROW - (role.rows - 1) * 0.8
            draw_line(canvas, line, x + shift, base, width - shift, setting)

        return Strip(role.rows, draw, keep=index == 0 and not line.last)

    return [strip(i, line) for i, line in enumerate(lines)]


def _items(labels: list[str], items: tuple[str, ...], role: Role, width: float, left: float = 0.0) -> list[Strip]:
    """A list: labels stand at `left` and hang in the indent of their items."""
    strips: list[Strip] = []
    for label, item in zip(labels, items, strict=True):
        body = _text(item, replace(role, indent=0.0), width, left=left + role.indent)
        strips.append(_labelled(label, body[0], role, left))
        strips += body[1:]
    return strips


def _labelled(label: str, first: Strip, role: Role, left: float) -> Strip:
    def draw(canvas: Canvas, x: float, top: float) -> None:
        canvas.text((x + left, top + _BASELINE * ROW), label, role.font, role.size, ink=role.ink)
        canvas.claim(x + left, top + 2, x + left + text_width(label, role.font, role.size), top + ROW - 2, label)
        assert first.draw is not None
        first.draw(canvas, x, top)

    return replace(first, draw=draw)


def _table(table: Table, role: Role, width: float) -> list[Strip]:
    edges = [0.0]
    for share in table.widths:
        edges.append(edges[-1] + share / sum(table.widths) * width)

    def row(cells: tuple[str, ...], bold: bool, ruled: bool) -> Strip:
        def draw(canvas: Canvas, x: float, top: float) -> None:
            for i, cell in enumerate(cells):
                _cell(canvas, cell, (x + edges[i], x + edges[i + 1]), top, table.aligns[i], bold, role)
            if ruled:
                canvas.line(x, x + width, top + ROW - 0.4, 0.6)

        return Strip(1.0, draw, keep=True)

    def rule(canvas: Canvas, x: float, top: float) -> None:
        canvas.line(x, x + width, top - 0.4, 0.9)

    last = len(table.rows) - 1
    before_bold = {i - 1 for i in table.bold_rows}
    body = [row(cells, i in table.bold_rows, i in before_bold or i == last) for i, cells in enumerate(table.rows)]
    return [Strip(0.0, rule, keep=True), row(table.header, True, True), *body]


def _cell(
    canvas: Canvas, text: str, edges: tuple[float, float], top: float, align: str, bold: bool, role: Role
) -> None:
    font = role.font.split("-")[0] + ("-b" if bold else "")
    size, gap = role.size, 2.0
    room = edges[1] - edges[0] - 2 * gap
    setting = Setting(font, size, {"l": "left", "r": "right", "c": "center"}[align], role.ink)
    line = Line(tuple(atoms_of(text, font, size)), True)
    draw_line(canvas, line, edges[0] + gap, top + 0.7 * ROW, room, setting)


def _formula(block: Formula, role: Role, width: float) -> list[Strip]:
    box = formula_box(block.latex, role.size, display=True)
    if box.width > width:
        raise LayoutError(f"formula {block.latex} is {box.width - width:.1f} pt too wide")
    rows = -(-(box.up + box.down) // (ROW / 2)) / 2

    def draw(canvas: Canvas, x: float, top: float) -> None:
        y = top + (rows * ROW - box.up - box.down) / 2 + box.up
        left = x + (width - box.width) / 2
        box.draw(canvas, left, y)
        canvas.claim(left, y - box.up, left + box.width, y + box.down, block.latex)
        if block.number:
            label = f"({block.number})"
            canvas.text((x + width - text_width(label, role.font, role.size), y), label, role.font, role.size)

    return [Strip(rows, draw)]


def _figure(block: Figure, width: float) -> list[Strip]:
    def draw(canvas: Canvas, x: float, top: float) -> None:
        block.draw(canvas, x, top, width, block.rows * ROW)
        canvas.claim(x, top, x + width, top + block.rows * ROW, "figure")

    return [Strip(block.rows, draw, keep=True)]


def _strips(block: Block, before: Block | None, roles: Roles, width: float) -> list[Strip]:
    role = roles[_role_name(block)]
    match block:
        case Title(text) | Heading(text):
            return [replace(strip, keep=True) for strip in _text(text, role, width)]
        case Para(text):
            first = role.indent if isinstance(before, Para) and before.role == block.role else 0.0
            return _text(text, role, width, first=first)
        case Caption(text):
            return _text(text, role, width)
        case Bullets(items):
            return _items(["•"] * len(items), items, role, width)
        case Numbered(items, start):
            return _items([f"{start + i}." for i in range(len(items))], items, role, width)
        case Options(items):
            return _items([f"{chr(97 + i)})" for i in range(len(items))], items, role, width, role.indent)
        case Table():
            return _table(block, role, width)
        case Formula():
            return _formula(block, role, width)
        case Figure():
            return _figure(block, width)
        case Space(rows):
            return [Strip(rows)]
        case NextFrame():
            return [Strip(0.0, ends_frame=True)]


def _composed(zone: Zone, width: float) -> Iterator[Strip]:
    """All strips of a zone with the gaps between its blocks."""
    before: Block | None = None
    for block in zone.blocks:
        role = zone.roles[_role_name(block)]
        if before is not None and not isinstance(block, Space | NextFrame):
            gap = max(zone.roles[_role_name(before)].after, role.before)
            keep = isinstance(before, Title | Heading | Figure)
            same = isinstance(before, Para) and isinstance(block, Para) and role.indent and before.role == block.role
            yield Strip(0.0 if same or isinstance(before, Space) else gap, keep=keep)
        yield from _strips(block, before, zone.roles, width)
        before = block


def _chunks(strips: Iterator[Strip]) -> Iterator[list[Strip]]:
    """Group strips with the ones they must stay with."""
    chunk: list[Strip] = []
    for strip in strips:
        chunk.append(strip)
        if not strip.keep:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _pour(canvas: Canvas, zone: Zone) -> list[float]:
    """Draw a zone; returns the rows left free in each frame."""
    frames, free = list(zone.frames), []
    frame, used = frames.pop(0), 0.0
    chunks = list(_chunks(_composed(zone, zone.frames[0].width)))
    for i, chunk in enumerate(chunks):
        blank = all(strip.draw is None for strip in chunk)
        if chunk[0].ends_frame or (not blank and used + sum(s.rows for s in chunk) > frame.rows + 1e-6):
            free.append(frame.rows - used)
            if not frames:
                left = sum(strip.rows for rest in chunks[i:] for strip in rest)
                raise LayoutError(f"{left - free[-1]:.2f} rows too many for the frames of {zone.blocks[0]}")
            frame, used = frames.pop(0), 0.0
        if blank and used == 0.0:
            continue
        used = _draw_chunk(canvas, chunk, frame, used)
    return [*free, frame.rows - used, *(rest.rows for rest in frames)]


def _draw_chunk(canvas: Canvas, chunk: list[Strip], frame: Frame, used: float) -> float:
    for strip in chunk:
        if strip.draw:
            strip.draw(canvas, frame.left, (frame.top + used) * ROW)
        used += strip.rows
    return used


def _furnish(canvas: Canvas, item: Furniture) -> None:
    setting = Setting(item.font, item.size, item.align, item.ink)
    line = Line(tuple(atoms_of(item.text, item.font, item.size)), True)
    room = canvas.width - 2 * item.margin
    draw_line(canvas, line, item.margin, (item.row + _BASELINE) * ROW, room, setting)


def print_sheet(sheet: Sheet) -> tuple[Canvas, list[float]]:
    """Draw one page; returns it with the rows left free in each frame."""
    canvas = Canvas(*sheet.size)
    if sheet.backdrop:
        sheet.backdrop(canvas)
    free = [rows for zone in sheet.zones for rows in _pour(canvas, zone)]
    for item in sheet.furniture:
        _furnish(canvas, item)
    return canvas, free
