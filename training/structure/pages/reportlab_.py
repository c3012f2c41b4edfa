"""Sets made pages with reportlab, as programs that print invoices do; tables are split between rows at a page's end."""

from __future__ import annotations

import html
import random
from io import BytesIO
from pathlib import Path
from typing import Any

import pymupdf
from reportlab.lib import pagesizes
from reportlab.lib.colors import HexColor, grey, lightgrey, toColor
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import BalancedColumns, BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Spacer, Table
from reportlab.platypus.doctemplate import LayoutError

from training.structure.pages.business import made
from training.structure.pages.colours import hexadecimal
from training.structure.pages.marking import ALIGNED
from training.structure.pages.page import Block, Group, Page, Part, TableBlock
from training.structure.pages.reportlab_tables import STANDARD, Tables

TRUETYPE = Path("/usr/share/fonts/truetype")
FAMILIES = {  # of files that Debian's packages install: regular, bold, italic, both
    "Liberation": ("liberation/LiberationSans-{}.ttf", ("Regular", "Bold", "Italic", "BoldItalic")),
    "LiberationSerif": ("liberation/LiberationSerif-{}.ttf", ("Regular", "Bold", "Italic", "BoldItalic")),
    "LiberationNarrow": ("liberation/LiberationSansNarrow-{}.ttf", ("Regular", "Bold", "Italic", "BoldItalic")),
    "DejaVu": ("dejavu/DejaVuSans{}.ttf", ("", "-Bold", "", "-Bold")),
    "DejaVuSerif": ("dejavu/DejaVuSerif{}.ttf", ("", "-Bold", "", "-Bold")),
}


def families() -> tuple[str, ...]:
    """Fonts that can be used: the standard ones and those of this machine, which are registered."""
    found = list(STANDARD)
    for name, (pattern, styles) in FAMILIES.items():
        files = [TRUETYPE / pattern.format(style) for style in styles]
        if not all(file.exists() for file in files):
            continue
        names = [name + suffix for suffix in ("", "-b", "-i", "-bi")]
        for one, file in zip(names, files, strict=True):
            pdfmetrics.registerFont(TTFont(one, str(file)))
        pdfmetrics.registerFontFamily(name, *names)
        found += [name, name]
    return tuple(found)


class Furniture(Flowable):  # type: ignore[misc]
    """Draws what runs at the head and foot of its page, and takes no room."""

    def __init__(self, lines: list[tuple[float, float, str, str, float, str]]) -> None:
        super().__init__()
        self.lines = lines

    def wrap(self, *_: float) -> tuple[float, float]:
        """No size."""
        return 0, 0

    def drawOn(self, canvas: Any, *_: Any, **__: Any) -> None:
        """At its places on the page, wherever the text stands."""
        for x, y, text, font, size, colour in self.lines:
            canvas.setFont(font, size)
            canvas.setFillColor(HexColor(colour))
            canvas.drawString(x, y, text)


class Setter(Tables):
    """Writes the pages of one run."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.fonts = families()
        self.paper = rng.choice(
            (pagesizes.A4, pagesizes.A4, pagesizes.LETTER, pagesizes.A5, pagesizes.landscape(pagesizes.A4))
        )
        self.margin = rng.uniform(30, 70)
        self.width = 0.0

    def document(self, pages: list[Page], pdf: Path) -> None:
        """All pages, written to `pdf`."""
        wide, high = self.paper
        templates = []
        for columns in (1, 2, 3):
            gap = 14
            width = (wide - 2 * self.margin - gap * (columns - 1)) / columns
            frames = [Frame(self.margin + n * (width + gap), 46, width, high - 92, 0, 0, 0, 0) for n in range(columns)]
            templates.append(PageTemplate(f"c{columns}", frames))
        with pymupdf.open() as whole:
            for page in pages:
                made_page = BytesIO()
                document = BaseDocTemplate(made_page, pagesize=self.paper, pageTemplates=[templates[page.columns - 1]])
                try:
                    document.build(self.page(page))
                except (
                    LayoutError,
                    TypeError,
                    ValueError,
                ):  # a row higher than a page, a box narrower than its paddings
                    continue
                with pymupdf.open(stream=made_page.getvalue(), filetype="pdf") as part:
                    whole.insert_pdf(part)
            whole.save(pdf)

    def page(self, page: Page) -> list[Flowable]:
        """One page; what is wide on it stands in its first column."""
        rng = self.rng
        self.font = rng.choice(self.fonts)
        self.size = rng.choice((7, 8, 8.5, 9, 9, 10, 10, 11, 12))
        self.leading = self.size * rng.choice((1.05, 1.15, 1.2, 1.2, 1.3, 1.5))
        self.gap = rng.choice((2, 4, 6, 10))
        self.prose = rng.choice(("left", "left", "justify"))
        self.width = (self.paper[0] - 2 * self.margin - 14 * (page.columns - 1)) / page.columns - 1
        flowables: list[Flowable] = [self._furniture(page)]
        for part in (*page.wide, *page.parts):
            flowables += self.part(part)
        return flowables

    def _furniture(self, page: Page) -> Furniture:
        lines = []
        for texts, y in ((page.head, self.paper[1] - 32), (page.foot, 26)):
            for text, place in zip(texts, (0, 0.5, 1), strict=True):
                if text:
                    shown = self._set(text)
                    width = pdfmetrics.stringWidth(shown, self.font, self.size)
                    colour = hexadecimal(self.palette.new(self.entry("furniture")))
                    lines.append(
                        (
                            self.margin + place * (self.paper[0] - 2 * self.margin - width),
                            y,
                            shown,
                            self.font,
                            self.size,
                            colour,
                        )
                    )
        return Furniture(lines)

    def part(self, part: Part) -> list[Flowable]:
        """Any part."""
        if isinstance(part, TableBlock):
            return self.table(part)
        if isinstance(part, Group):
            return self.group(part)
        scale = {
            "heading": {1: 1.5, 2: 1.25, 3: 1.05}.get(part.level, 1.2),
            "code": 0.9,
            "note": 0.7,
            "small": 0.65,
        }.get(part.kind, 1)
        text = (
            tuple((characters, "b" + style) for characters, style in part.text) if part.kind == "heading" else part.text
        )
        text = (
            (("f(x) = ", "i"), (part.text[0][0][2:9], ""), (" x", "i"), ("2", "^"), (" + c", "i"))
            if part.kind == "formula"
            else text
        )
        aligned = {
            "formula": "center",
            "paragraph": self.prose,
            "address": self.rng.choice(ALIGNED),
            "centred": "center",
        }
        align = aligned.get(part.kind, "left")
        return [
            self.paragraph(
                self.entry(part.kind, part.pair),
                text,
                scale,
                align,
                spaceAfter=self.gap,
                keepWithNext=int(part.kind == "heading"),
            )
        ]

    def group(self, group: Group) -> list[Flowable]:
        """Parts in their layout."""
        if group.layout in ("pairs", "above"):
            return self._pairs(group)
        if group.layout == "beside":
            whole = self.width
            shares = group.widths or (1.0,) * len(group.parts)
            widths = [whole * share / sum(shares) for share in shares]
            boxes = []
            for width, column in zip(widths, group.parts, strict=True):
                self.width = width - 8
                boxes.append([flowable for part in column for flowable in self.part(part)])
            self.width = whole
            return [self._layout([boxes], widths)]
        if group.layout == "flow":
            return self._flow(group)
        if group.layout in ("box", "float"):
            whole, self.width = self.width, self.width - 16
            inside = [flowable for part in group.parts[0] for flowable in self.part(part)]
            self.width = whole
            look = self.rng.choice((("BOX", (0, 0), (-1, -1), 0.5, grey), ("BACKGROUND", (0, 0), (-1, -1), lightgrey)))
            box = Table([[inside]], [whole], style=[look, ("VALIGN", (0, 0), (-1, -1), "TOP")])
            return [box, *(flowable for parts in group.parts[1:] for part in parts for flowable in self.part(part))]
        if group.layout == "contents":
            return [flowable for entry in group.parts[0] if isinstance(entry, Block) for flowable in self._entry(entry)]
        if group.layout == "figure":
            return [flowable for part in group.parts[0] for flowable in self.part(part)]
        return self._list(group)

    def _flow(self, group: Group) -> list[Flowable]:
        """Text in columns of one height, the last one shorter."""
        whole, count = self.width, group.columns
        self.width = (whole - 12 * (count - 1)) / count
        flowables = [flowable for part in group.parts[0] for flowable in self.part(part)]
        self.width = whole
        return flowables if count < 2 else [BalancedColumns(flowables, nCols=count, innerPadding=12)]

    def _entry(self, entry: Block) -> list[Flowable]:
        """A line of a table of contents: its page stands at the right."""
        dots = " " + "." * self.rng.choice((0, 10, 30, 50)) + " "
        text = (*entry.text, (dots + entry.label, ""))
        return [self.paragraph(self.entry("entry"), text, leftIndent=12 * entry.level)]

    def _list(self, group: Group) -> list[Flowable]:
        indent = self.rng.choice((12, 16, 24))
        made_items = []
        for item in group.parts[0]:
            assert isinstance(item, Block)
            style = ParagraphStyle(
                "", fontName=self.font, fontSize=self.size, leading=self.leading, leftIndent=indent, bulletIndent=0
            )
            entry = self.entry("item")
            markup = self.ink(entry, item.text)
            colour = markup[13:20]
            label = f'<bullet color="{colour}">{html.escape(self._set(item.label))}</bullet>' if item.label else ""
            made_items.append(Paragraph(label + markup, style))
        if group.columns == 1:
            return [*made_items, Spacer(1, self.gap)]
        columns = group.columns
        rows = -(-len(made_items) // columns)
        across = group.layout == "options"
        grid = [
            [
                made_items[n]
                if (n := row * columns + column if across else column * rows + row) < len(made_items)
                else ""
                for column in range(columns)
            ]
            for row in range(rows)
        ]
        return [self._layout(grid, [self.width / columns] * columns)]

    def _layout(self, cells: list[list[Any]], widths: list[float]) -> Table:
        padding = self.rng.choice((0, 1, 3))
        style: list[Any] = [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), padding),
            ("RIGHTPADDING", (0, 0), (-1, -1), 4),
            ("TOPPADDING", (0, 0), (-1, -1), padding),
            ("BOTTOMPADDING", (0, 0), (-1, -1), padding),
        ]
        if self.rng.random() < 0.15:
            style.append(("BOX", (0, 0), (-1, -1), 0.5, toColor("black")))
        return Table(cells, widths, style=style, spaceAfter=self.gap, spaceBefore=self.gap)

    def _pairs(self, group: Group) -> list[Flowable]:
        rng, whole, boxes = self.rng, self.width, []
        share, align = rng.uniform(0.3, 0.55), rng.choice(("left", "left", "right"))
        each = whole / group.columns - 6
        bold = rng.choice(("", "", "b"))
        for column in group.parts:
            rows = []
            for label, value in zip(column[::2], column[1::2], strict=True):
                assert isinstance(label, Block) and isinstance(value, Block)
                text = tuple((characters, style + bold) for characters, style in label.text)
                above = group.layout == "above"
                name = self.paragraph(self.entry("label", label.pair), text, 0.8 if above else 1)
                rows.append(
                    (
                        name,
                        self.paragraph(self.entry("value", value.pair), value.text, align="left" if above else align),
                    )
                )
            if group.layout == "above":
                boxes.append([flowable for pair in rows for flowable in (*pair, Spacer(1, 4))] or "")
            else:
                boxes.append(
                    [self._layout([list(pair) for pair in rows], [share * each, (1 - share) * each])] if rows else ""
                )
        return [self._layout([boxes], [whole / group.columns] * group.columns)]


def typeset(rng: random.Random, count: int, folder: Path, name: str) -> tuple[Path, Setter]:
    """About `count` pages and what their colours stand for."""
    setter = Setter(rng)
    pdf = folder / f"{name}.pdf"
    setter.document([made(rng) for _ in range(count)], pdf)
    return pdf, setter
