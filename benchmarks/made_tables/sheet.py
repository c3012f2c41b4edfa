"""Tables written onto a page, with the truth of their cells as they are written. Everything is in points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

from docspec.documents.mupdf import mupdf

BOLD = {"helv": "hebo", "tiro": "tibo", "cour": "cobo"}
"""The bold face of each base font."""


@dataclass(frozen=True, slots=True)
class Head:
    """A head with its printed ``lines`` over the columns from ``first`` to ``last``."""

    lines: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the body: its cells, each with one or several printed lines. ``across``: its only cell reaches over
    columns, or stands in the middle of all (``low``). ``low`` otherwise: the other cells stand beside the last line of
    the first one."""

    cells: tuple[tuple[str, ...], ...]
    indent: float = 0.0
    bold: bool = False
    across: bool = False
    low: bool = False
    above: float = 0.0


@dataclass(frozen=True, slots=True)
class Style:
    """How a table is set. ``rules`` holds any of ``top``, ``head``, ``foot``, ``spans`` (below heads over several
    columns), ``rows``, ``columns`` and ``frame``; ``aligns`` one of ``l``, ``r``, ``c`` and ``d`` (decimal points below
    each other) a column, ``heads`` the same for heads where they stand otherwise."""

    aligns: str
    heads: str = ""
    font: str = "helv"
    size: float = 8.0
    gap: float = 12.0
    leading: float = 1.3
    rules: frozenset[str] = frozenset({"top", "head", "foot"})
    bold_heads: bool = True
    heads_low: bool = True
    leaders: bool = False
    shaded: str = ""
    money: frozenset[int] = frozenset()
    """Rows of the body whose figures have a sign of currency, at the left edge of their column."""
    width: float = 0.0
    """The whole width; what the columns leave of it goes between them."""


@dataclass(frozen=True, slots=True)
class TrueCell:
    """A cell with words, and its first and last row and column."""

    text: str
    row: int
    column: int
    last_row: int
    last_column: int


@dataclass(slots=True)
class Sheet:
    """A page of a ``pymupdf.Document`` that is being written, and its tables."""

    page: Any
    tables: list[list[TrueCell]] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, font: str = "helv", size: float = 9.0, align: str = "l") -> None:
        """Writes one line with its baseline at ``y``; ``x`` is its left edge, middle, right edge or decimal point."""
        whole = text.partition(".")[0] if align == "d" else text
        x -= {"l": 0.0, "c": 0.5, "r": 1.0, "d": 1.0}[align] * width_of(whole, font, size)
        self.page.insert_text((x, y), text, fontname=font, fontsize=size)

    def prose(
        self, x: float, y: float, width: float, text: str, font: str = "tiro", size: float = 9.0, most: float = 800.0
    ) -> float:
        """Writes a paragraph, justified, down to ``most``; returns the baseline below it."""
        line: list[str] = []
        lines: list[list[str]] = []
        for word in text.split():
            if line and width_of(" ".join([*line, word]), font, size) > width:
                lines.append(line)
                line = []
            line.append(word)
        shape = self.page.new_shape()
        for words in [*lines, line]:
            if y > most:
                break
            own = sum(width_of(word, font, size) for word in words)
            last = words is line or len(words) == 1
            space = width_of(" ", font, size) if last else (width - own) / (len(words) - 1)
            at = x
            for piece in [" ".join(words)] if last else words:
                shape.insert_text((at, y), piece, fontname=font, fontsize=size)
                at += width_of(piece, font, size) + space
            y += 1.25 * size
        shape.commit()  # all at once: each commit reads the whole page
        return y

    def rule(self, x0: float, x1: float, y: float, width: float = 0.6) -> None:
        self.page.draw_line((x0, y), (x1, y), width=width)

    def table(self, x: float, y: float, heads: Sequence[Sequence[Head]], body: Sequence[Row], style: Style) -> float:
        """Writes a table with its top at ``y``; returns its bottom."""
        own = _Columns(x, heads, body, style)
        cells: list[TrueCell] = []
        step, top = style.leading * style.size, y
        bold = BOLD[style.font] if style.bold_heads else style.font
        edges = [y]
        lines_below: list[tuple[float, float, float]] = []
        for number, level in enumerate(heads):
            height = max((len(head.lines) for head in level), default=1)
            for head in level:
                down = height - len(head.lines) if style.heads_low else 0
                left, right = own.lefts[head.first], own.rights[head.last]
                align = "c" if head.last > head.first else (style.heads or style.aligns)[head.first].replace("d", "r")
                for line, words in enumerate(head.lines):
                    self._cell(left, right, y + (down + line + 0.8) * step, words, bold, style.size, align)
                above = [n for n, upper in enumerate(heads[:number]) if not any(_meet(head, one) for one in upper)]
                first = min(above, default=number) if style.rules >= {"rows", "columns"} else number
                cells.append(TrueCell(" ".join(head.lines), first, head.first, number, head.last))
                if head.last > head.first and "spans" in style.rules:
                    out = style.gap / 2 if "columns" in style.rules else 0.0
                    lines_below.append((left - out, right + out, y + height * step + 0.25 * style.size * bool(out)))
            y += height * step + 0.25 * style.size
            edges.append(y)
        head_bottom = y
        y += 0.2 * style.size * bool(heads)
        for number, row in enumerate(body):
            y += row.above
            height = max(len(lines) for lines in row.cells)
            if style.shaded == "zebra" and number % 2:
                box = (own.x0, y, own.x1, y + height * step)
                self.page.draw_rect(box, color=None, fill=(0.9, 0.93, 0.97), overlay=False)
            self._row(own, row, number, y, cells, len(heads) + number, style)
            y += height * step
            edges.append(y)
        if style.shaded == "heads":
            self.page.draw_rect((own.x0, top, own.x1, head_bottom), color=None, fill=(0.8, 0.85, 0.9), overlay=False)
        over = [{n for head in level for n in range(head.first, head.last)} for level in heads]
        self._rules(own, edges, lines_below, over, style)
        self.tables.append(cells)
        return y

    def _row(
        self, own: _Columns, row: Row, number: int, y: float, cells: list[TrueCell], true_row: int, style: Style
    ) -> None:
        step, font = style.leading * style.size, BOLD[style.font] if row.bold else style.font
        if row.across:
            align = "c" if row.low else "l"
            self._cell(own.x0, own.x1, y + 0.8 * step, row.cells[0][0], font, style.size, align)
            last = len(style.aligns) - 1 if row.low else 0
            cells.append(TrueCell(row.cells[0][0], true_row, 0, true_row, last))
            return
        first = len(row.cells[0])
        for column, lines in enumerate(row.cells):
            if not any(lines):
                continue
            left, right = own.lefts[column] + row.indent * (column == 0), own.rights[column]
            down = first - 1 if row.low and column and len(lines) == 1 else 0
            signed = bool(column) and number in style.money and lines[0][0].isdigit()
            for line, words in enumerate(lines):
                base = y + (down + line + 0.8) * step
                point = right - own.fractions[column] if style.aligns[column] == "d" else right
                self._cell(left, point, base, words, font, style.size, style.aligns[column])
                if signed:
                    self.text(left, base, "$", font, style.size)
            if column == 0 and style.leaders and len(row.cells) > 1 and any(map(any, row.cells[1:])):
                self._leader(left, own.lefts[1], y + (first - 0.2) * step, lines[-1], font, style)
            text = ("$" if signed else "") + " ".join(lines)
            cells.append(TrueCell(text, true_row, column, true_row, column))

    def _leader(self, left: float, right: float, base: float, text: str, font: str, style: Style) -> None:
        start = left + width_of(text, font, style.size) + 1
        dot = width_of(".", style.font, style.size)
        count = int((right - start - 2) / dot)
        if count > 3:
            self.text(start, base, "." * count, style.font, style.size)

    def _cell(self, left: float, right: float, base: float, text: str, font: str, size: float, align: str) -> None:
        self.text({"l": left, "c": (left + right) / 2}.get(align, right), base, text, font, size, align)

    def _rules(
        self,
        own: _Columns,
        edges: Sequence[float],
        spans: Sequence[tuple[float, float, float]],
        over: Sequence[set[int]],
        style: Style,
    ) -> None:
        """``over`` are, for each row of heads, the columns whose right edge is inside a head."""
        heads = len(over)
        top, bottom, head = edges[0], edges[-1] + 0.25 * style.size, edges[heads]
        for name, y in (("top", top), ("head", head), ("foot", bottom)):
            if name in style.rules:
                self.rule(own.x0, own.x1, y, 0.8)
        for left, right, y in spans:
            self.rule(left, right, y, 0.5)
        if "rows" in style.rules:
            for y in edges[heads + 1 : -1]:
                self.rule(own.x0, own.x1, y + 0.1 * style.size, 0.4)
        if "columns" in style.rules:
            for column, (right, left) in enumerate(zip(own.rights[:-1], own.lefts[1:], strict=True)):
                begins = max((edges[level + 1] for level in range(heads) if column in over[level]), default=top)
                self.page.draw_line(((right + left) / 2, begins), ((right + left) / 2, bottom), width=0.5)
        if "frame" in style.rules:
            self.page.draw_rect((own.x0, top, own.x1, bottom), width=0.8)


class _Columns:
    """The left and right edges of the columns, as wide as their texts."""

    def __init__(self, x: float, heads: Sequence[Sequence[Head]], body: Sequence[Row], style: Style) -> None:
        count = len(style.aligns)
        bold = BOLD[style.font]
        widths = [0.0] * count
        for level in heads:
            for head in level:
                if head.first == head.last:
                    own = max(width_of(line, bold, style.size) for line in head.lines)
                    widths[head.first] = max(widths[head.first], own)
        for row in body:
            for column, lines in enumerate(row.cells if not row.across else ()):
                own = max((width_of(line, bold if row.bold else style.font, style.size) for line in lines), default=0.0)
                widths[column] = max(widths[column], own + row.indent * (column == 0))
        self.fractions = [0.0] * count
        for column in range(count):
            texts = [row.cells[column][0] for row in body if not row.across and style.aligns[column] == "d"]
            parts = [text.partition(".") for text in texts]
            whole, rest = (
                max((width_of(one, bold, style.size) for one in side), default=0.0)
                for side in ([part[0] for part in parts], ["".join(part[1:]) for part in parts])
            )
            widths[column], self.fractions[column] = max(widths[column], whole + rest), rest
        if style.money:
            widths[1:] = [width + 8 for width in widths[1:]]
        for level in heads:  # a head over several columns makes them as wide as itself
            for head in level:
                own = max(width_of(line, bold, style.size) for line in head.lines)
                inside = sum(widths[head.first : head.last + 1]) + style.gap * (head.last - head.first)
                if head.last > head.first and own > inside:
                    for column in range(head.first, head.last + 1):
                        widths[column] += (own - inside) / (head.last - head.first + 1)
        gap = style.gap
        if style.width and count > 1:
            gap = max(gap, (style.width - sum(widths)) / (count - 1))
        pad = 3.0 if style.rules & {"columns", "frame"} else 0.0
        self.x0, self.lefts, self.rights = x, [], []
        at = x + pad
        for width in widths:
            self.lefts.append(at)
            self.rights.append(at + width)
            at += width + gap
        self.x1 = self.rights[-1] + pad


def _meet(a: Head, b: Head) -> bool:
    """Whether two heads have a column in common."""
    return a.first <= b.last and b.first <= a.last


@lru_cache(maxsize=100_000)
def width_of(text: str, font: str, size: float) -> float:
    return float(mupdf().get_text_length(text, fontname=font, fontsize=size))


def as_truth(pages: Sequence[Sequence[Sequence[TrueCell]]], name: str) -> bytes:
    """The tables of each page as the ICDAR 2013 table competition publishes them (``NAME-str.xml``)."""
    root = ElementTree.Element("document", filename=name)
    for number, tables in enumerate(pages, start=1):
        for cells in tables:
            table = ElementTree.SubElement(root, "table")
            region = ElementTree.SubElement(table, "region", page=str(number))
            for cell in cells:
                places = {"start-row": cell.row, "start-col": cell.column}
                places |= {"end-row": cell.last_row, "end-col": cell.last_column}
                element = ElementTree.SubElement(region, "cell", {key: str(value) for key, value in places.items()})
                ElementTree.SubElement(element, "content").text = cell.text
    return ElementTree.tostring(root, encoding="utf-8")
