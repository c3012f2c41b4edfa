"""Tables and paragraphs of reportlab, in the colours that tell what they are."""

from __future__ import annotations

import html
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY, TA_LEFT, TA_RIGHT
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.platypus import Flowable, KeepTogether, Paragraph, Spacer, Table

from training.structure.pages.colours import hexadecimal
from training.structure.pages.marking import Marking
from training.structure.pages.page import TableBlock
from training.structure.pages.table import Cell
from training.structure.pages.table import Table as Content
from training.structure.pages.text import Text, flat, latin, split_lines

STANDARD = ("Helvetica", "Helvetica", "Helvetica", "Times-Roman", "Courier")
ALIGNS = {"left": TA_LEFT, "right": TA_RIGHT, "center": TA_CENTER, "justify": TA_JUSTIFY}
TAGS = {
    "b": ("<b>", "</b>"),
    "i": ("<i>", "</i>"),
    "u": ("<u>", "</u>"),
    "m": ('<font face="Courier">', "</font>"),
    "^": ("<super>", "</super>"),
    "_": ("<sub>", "</sub>"),
}


class Tables(Marking):
    """Sets tables in the page's font and width, which its caller has chosen."""

    font: str
    size: float
    leading: float
    gap: float
    width: float

    def ink(self, entry: dict[str, object], text: Text) -> str:
        """A text as reportlab's markup, in a colour that stands for `entry`."""
        parts = []
        for characters, style in text:
            if characters == "\n":
                parts.append("<br/>")
                continue
            part = html.escape(self._set(characters), quote=False)
            for letter in style:
                part = part.join(TAGS[letter])
            parts.append(part)
        return f'<font color="{hexadecimal(self.palette.new(entry))}">{"".join(parts)}</font>'

    def _set(self, characters: str) -> str:
        return latin(characters) if self.font in STANDARD else characters

    def paragraph(
        self, entry: dict[str, object], text: Text, scale: float = 1, align: str = "left", **more: Any
    ) -> Paragraph:
        """One block."""
        style = ParagraphStyle(
            "",
            fontName=self.font,
            fontSize=self.size * scale,
            leading=self.leading * scale,
            alignment=ALIGNS[align],
            **more,
        )
        lines = [text] if entry["kind"] != "address" else split_lines(text)
        inks = [self.ink(entry | {"line": n}, one) for n, one in enumerate(lines)]
        return Paragraph("<br/>".join(inks), style)

    def table(self, block: TableBlock) -> list[Flowable]:
        """A table between its caption and its notes."""
        align = self.rng.choice(("left", "center"))
        above = (
            [self.paragraph(self.entry("caption"), block.caption, 0.9, align, spaceAfter=3)]
            if block.caption and not block.caption_below
            else []
        )
        set_table = self._grid(block.table)
        notes = [self.paragraph(self.entry("note"), note, 0.8) for note in block.table.notes]
        below = (
            [self.paragraph(self.entry("caption"), block.caption, 0.9, align, spaceBefore=3)]
            if block.caption and block.caption_below
            else []
        )
        whole = [*above, set_table, *notes, *below, Spacer(1, self.gap + 4)]
        return [KeepTogether(whole)] if block.table.rows < 25 else whole

    def _grid(self, table: Content) -> Table:
        rng = self.rng
        number = self.begin(table)
        scale = rng.choice((0.7, 0.8, 0.9, 1, 1))
        padding = rng.choice((1, 2, 3, 4, 6, 8))
        widths = self._widths(table, scale, padding)
        scale *= min(1, max(0.55, self.width / sum(widths)))
        widths = (
            [width * self.width / sum(widths) for width in widths]
            if sum(widths) > self.width or rng.random() < 0.5
            else widths
        )
        widths = [max(width, 2 * padding + 8) for width in widths]
        numbers, names, heads = (
            rng.choice(("right", "right", "center", "left")),
            rng.choice(("left", "left", "center")),
            rng.choice(("", "center", "left")),
        )
        bold = rng.choice(("", "b", "b"))
        data: list[list[Any]] = [["" for _ in table.columns] for _ in range(table.rows)]
        style: list[Any] = [("LEFTPADDING", (0, 0), (-1, -1), padding), ("RIGHTPADDING", (0, 0), (-1, -1), padding)]
        upper, lower = rng.choice((0, 1, 2, 3, 6)), rng.choice((1, 2, 3, 6))
        style += [
            ("TOPPADDING", (0, 0), (-1, -1), upper),
            ("BOTTOMPADDING", (0, 0), (-1, -1), lower),
            ("VALIGN", (0, 0), (-1, -1), rng.choice(("TOP", "MIDDLE", "BOTTOM"))),
        ]
        for cell in table.cells:
            stop = (cell.column + cell.columns - 1, cell.row + cell.rows - 1)
            if cell.rows > 1 or cell.columns > 1:
                style.append(("SPAN", (cell.column, cell.row), stop))
            if cell.text:
                align = self._align(cell, table, numbers, names, heads)
                text = (
                    tuple(
                        (characters, look + bold if characters != "\n" and bold not in look else look)
                        for characters, look in cell.text
                    )
                    if cell.head and bold
                    else cell.text
                )
                data[cell.row][cell.column] = self.paragraph(
                    {"kind": "cell", "table": number, **cell.truth}, text, scale, align
                )
        style += self._rules(table)
        return Table(
            data,
            widths,
            [rng.randint(20, 300) if row == table.room else None for row in range(table.rows)],
            style=style,
            repeatRows=table.head_rows if rng.random() < 0.4 else 0,
            hAlign=rng.choice(("LEFT", "CENTER", "CENTER", "RIGHT")),
        )

    def _align(self, cell: Cell, table: Content, numbers: str, names: str, heads: str) -> str:
        if cell.kind == "group":
            return "left"
        if cell.kind == "total":
            return self.rng.choice(("left", "right"))
        if cell.head and (heads or cell.columns > 1):
            return "center" if cell.columns > 1 else heads
        return numbers if table.columns[cell.column] == "value" else names

    def _widths(self, table: Content, scale: float, padding: float) -> list[float]:
        most = self.rng.choice((0.25, 0.35, 0.5)) * self.width
        widths = [16.0] * len(table.columns)
        for cell in table.cells:
            if cell.columns == 1:
                for one in split_lines(cell.text):
                    width = (
                        pdfmetrics.stringWidth(self._set(flat(one)), self.font, self.size * scale) * 1.08
                        + 2 * padding
                        + 3
                    )
                    widths[cell.column] = max(widths[cell.column], min(most, width))
        return widths

    def _rules(self, table: Content) -> list[Any]:
        rng = self.rng
        colour = HexColor(rng.choice(("#000000", "#000000", "#555555", "#999999", "#bbbbbb", "#3355aa")))
        thin, thick = rng.choice((0.25, 0.5, 0.5, 1)), rng.choice((0.5, 1, 1.5))
        kind = rng.choice(("grid", "grid", "rows", "head", "head", "frame", "none", "columns"))
        kind = kind if table.room < 0 else "columns"
        everything, head = ((0, 0), (-1, -1)), ((0, 0), (-1, max(0, table.head_rows - 1)))
        style: list[Any] = []
        if kind == "grid":
            style.append(("GRID", *everything, thin, colour))
        if kind == "rows":
            style.append(("LINEBELOW", *everything, thin, colour))
        if kind in ("frame", "columns"):
            style.append(("BOX", *everything, thin, colour))
        if kind == "columns":
            style.append(("INNERGRID" if rng.random() < 0.2 else "LINEAFTER", *everything, thin, colour))
        if kind in ("rows", "head", "frame", "columns") and table.head_rows:
            style.append(("LINEBELOW", (0, table.head_rows - 1), (-1, table.head_rows - 1), thick, colour))
        if kind in ("head", "rows"):
            style += [("LINEABOVE", (0, 0), (-1, 0), thick, colour), ("LINEBELOW", (0, -1), (-1, -1), thick, colour)]
        if kind == "head":
            style += [("LINEABOVE", (0, row), (-1, row), thin, colour) for row in table.breaks if row < table.rows]
        if table.head_rows and rng.random() < 0.35:
            style.append(("BACKGROUND", *head, HexColor(rng.choice(("#dddddd", "#eeeeee", "#dde8f5", "#fdf0d0")))))
        if rng.random() < 0.15:
            style.append(("ROWBACKGROUNDS", (0, table.head_rows), (-1, -1), [HexColor("#ffffff"), HexColor("#f0f0f0")]))
        return style
