"""Sets made pages as HTML and CSS, printed by Chromium without a window."""

from __future__ import annotations

import html
import random
import shutil
import subprocess
from pathlib import Path

from training.structure.pages.business import made
from training.structure.pages.chromium_tables import table_source
from training.structure.pages.graphics import Graphic
from training.structure.pages.marking import ALIGNED, Marking
from training.structure.pages.page import Block, Group, Page, Part, TableBlock
from training.structure.pages.text import Text, split_lines
from training.structure.pages.words import Writer

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FONTS = (
    "Liberation Serif",
    "Liberation Sans",
    "Liberation Sans",
    "Liberation Sans Narrow",
    "Liberation Mono",
    "DejaVu Sans",
    "DejaVu Serif",
    "DejaVu Sans Condensed",
    "C059",
    "Bitstream Charter",
    "Nimbus Roman",
    "Nimbus Sans",
    "Nimbus Sans Narrow",
    "P052",
    "URW Bookman",
    "URW Gothic",
    "Latin Modern Roman",
    "Latin Modern Sans",
    "GFS Baskerville",
)
TAGS = {"b": "b", "i": "i", "u": "u", "m": "code", "^": "sup", "_": "sub"}


def written(text: Text) -> str:
    """A text as HTML."""
    parts = []
    for characters, style in text:
        if characters == "\n":
            parts.append("<br>")
            continue
        part = html.escape(characters)
        for letter in style:
            part = f"<{TAGS[letter]}>{part}</{TAGS[letter]}>"
        parts.append(part)
    return "".join(parts)


class Setter(Marking):
    """Writes the pages of one run."""

    def document(self, pages: list[Page]) -> str:
        """The whole source."""
        rng = self.rng
        paper = rng.choice(("A4", "A4", "A4", "letter", "letter", "A5", "A4 landscape"))
        margins = f"{rng.randint(8, 25)}mm {rng.randint(8, 28)}mm"
        body = "\n".join(self.page(page) for page in pages)
        return f"""<!DOCTYPE html><meta charset="utf-8"><style>@page{{size:{paper};margin:{margins}}}
*{{-webkit-print-color-adjust:exact}} body{{margin:0}} .page{{break-before:page}} sup,sub{{line-height:0;font-size:70%}}
table{{border-collapse:collapse}} p{{margin:0}} ul{{list-style:none;margin:0;padding:0}}
.row{{display:flex}} .t,tr{{break-inside:avoid}}
code{{font-family:"Liberation Mono",monospace}}</style>{body}"""

    def ink(self, entry: dict[str, object], content: str, style: str = "", tag: str = "span") -> str:
        """Content in a colour that stands for `entry`."""
        return f'<{tag} style="color:rgb({",".join(map(str, self.palette.new(entry)))});{style}">{content}</{tag}>'

    def page(self, page: Page) -> str:
        """One page."""
        rng = self.rng
        size = rng.choice((7.5, 8, 9, 9, 10, 10, 11, 12))
        style = f"font:{size}pt/{rng.choice((1.05, 1.15, 1.2, 1.3, 1.45, 1.6))} '{rng.choice(FONTS)}'"
        self.gap = rng.choice((0, 2, 4, 6, 8, 12))
        self.heading = (
            f"font-weight:{rng.choice((400, 700, 700))};"
            f"font-style:{rng.choice(('normal', 'normal', 'italic'))};"
            f"text-align:{rng.choice(('left', 'left', 'left', 'center', 'right'))}"
        )
        self.prose = f"text-align:{rng.choice(('left', 'justify'))};text-indent:{rng.choice((0, 0, 0, 12))}pt"
        head, foot = self._furniture(page.head), ""
        wide = "".join(self.part(part) for part in page.wide)
        body = "".join(self.part(part) for part in page.parts)
        if page.columns > 1:
            body = f'<div style="columns:{page.columns};column-gap:{rng.choice((12, 18, 24, 30))}pt">{body}</div>'
        foot = self._furniture(page.foot)
        return f'<div class="page" style="{style}">{head}{wide}{body}{foot}</div>'

    def _furniture(self, parts: tuple[str, str, str]) -> str:
        if not any(parts):
            return ""
        boxes = "".join(
            f"<div>{self.ink(self.entry('furniture'), html.escape(part)) if part else ''}</div>" for part in parts
        )
        line = self.rng.choice(("", "", "border-bottom:0.5pt solid #888;"))
        return (
            f'<div class="row" style="justify-content:space-between;font-size:85%;{line}margin:4pt 0 8pt">{boxes}</div>'
        )

    def part(self, part: Part) -> str:
        """Any part."""
        if isinstance(part, TableBlock):
            return self.table(part)
        return self.group(part) if isinstance(part, Group) else self.single(part)

    def single(self, block: Block) -> str:
        """A block by itself."""
        rng, entry = self.rng, self.entry(block.kind, block.pair)
        if block.kind == "heading":
            size = {1: 150, 2: 125, 3: 105}[block.level or 2]
            return self.ink(
                entry,
                written(block.text),
                f"font-size:{size}%;margin:{self.gap}pt 0;break-after:avoid;{self.heading}",
                "p",
            )
        if block.kind == "formula":
            return self.ink(entry, self._formula(), "text-align:center;font-style:italic;margin:6pt 0", "p")
        if block.kind == "code":
            return self.ink(
                entry,
                written(block.text),
                f"font:{rng.choice((7, 8, 9))}pt/1.2 'Liberation Mono';text-align:left;margin:{self.gap}pt 0",
                "p",
            )
        if block.kind == "address":
            lines = [self.ink(entry | {"line": n}, written(one)) for n, one in enumerate(split_lines(block.text))]
            style = f"margin-bottom:{self.gap}pt;text-align:{rng.choice(ALIGNED)}"
            return f'<p style="{style}">{"<br>".join(lines)}</p>'
        own = {"centred": "text-align:center", "small": f"font-size:{rng.randint(55, 80)}%;margin:0"}
        prose = own.get(block.kind, self.prose)
        return self.ink(entry, written(block.text), f"margin-bottom:{self.gap}pt;{prose}", "p")

    def _formula(self) -> str:
        rng = self.rng
        parts = [
            f"{rng.choice('xyzabfg')}<sub>{rng.choice('ijk012')}</sub>{rng.choice((' + ', ' − ', ' · ', ' / '))}"
            for _ in range(rng.randint(2, 6))
        ]
        return f"{rng.choice('FGLyz')} = {''.join(parts)}{rng.randint(1, 9)}<sup>{rng.randint(2, 9)}</sup>"

    def group(self, group: Group) -> str:
        """Parts in their layout."""
        return {
            "list": self._list,
            "options": self._options,
            "beside": self._beside,
            "pairs": self._pairs,
            "above": self._pairs,
            "contents": self._contents,
            "figure": self._figure,
            "flow": self._flow,
            "box": self._box,
            "float": self._float,
        }[group.layout](group)

    def _flow(self, group: Group) -> str:
        rule = self.rng.choice(("", "", "", "column-rule:0.4pt solid #777;"))
        fill = self.rng.choice(("balance", "balance", "auto;max-height:60vh"))
        body = "".join(self.part(part) for part in group.parts[0])
        gap = self.rng.choice((8, 12, 18, 26))
        look = f"columns:{group.columns};column-gap:{gap}pt;{rule}column-fill:{fill}"
        return f'<div style="{look}">{body}</div>'

    def _box(self, group: Group) -> str:
        look = self.rng.choice(
            ("border:0.6pt solid #555", "background:#eef", "background:#eee;border:0.4pt solid #999")
        )
        look += self.rng.choice(("", "", ";border-radius:6pt"))
        body = "".join(self.part(part) for part in group.parts[0])
        return f'<div style="{look};padding:{self.rng.choice((3, 5, 8))}pt;margin:{self.gap}pt 0">{body}</div>'

    def _float(self, group: Group) -> str:
        rng = self.rng
        side = rng.choice(("left", "right", "right"))
        look = rng.choice(("border:0.6pt solid #555", "background:#eee", ""))
        body, around = ("".join(self.part(part) for part in parts) for parts in group.parts)
        margin = f"margin:{rng.choice((2, 4))}pt {'10pt 4pt 0' if side == 'left' else '0 4pt 10pt'}"
        box = f'<div style="float:{side};width:{rng.randint(18, 45)}%;{look};padding:4pt;{margin}">{body}</div>'
        return f'<div style="overflow:auto">{box}{around}</div>'

    def _item(self, item: Part, indent: float) -> str:
        assert isinstance(item, Block)
        label = (
            (
                f'<span style="display:inline-block;width:{indent}pt;margin-left:-{indent}pt">'
                f"{html.escape(item.label)}</span>"
            )
            if item.label
            else ""
        )
        return self.ink(
            self.entry("item"),
            label + written(item.text),
            f"padding-left:{indent}pt;margin-bottom:{self.rng.choice((0, 0, 2))}pt;text-align:left",
            "p",
        )

    def _list(self, group: Group) -> str:
        indent = self.rng.choice((14, 18, 24, 30))
        items = "".join(self._item(item, indent) for item in group.parts[0])
        return (
            f'<div style="columns:{group.columns};column-gap:{self.rng.choice((4, 10, 20))}'
            f'pt;margin:{self.gap}pt 0">{items}</div>'
        )

    def _options(self, group: Group) -> str:
        """Answers side by side, row by row."""
        cells = "".join(f"<div>{self._item(item, 16)}</div>" for item in group.parts[0])
        return (
            f'<div style="display:grid;grid-template-columns:repeat({group.columns},1fr);'
            f'margin:0 0 8pt 10pt">{cells}</div>'
        )

    def _beside(self, group: Group) -> str:
        rng = self.rng
        frame = rng.choice(("", "", "", "border:0.6pt solid #444;padding:4pt;"))
        shares = group.widths or [rng.choice((1, 1, 1.4)) for _ in group.parts]
        boxes = "".join(
            f'<div style="flex:{share};min-width:0;{frame}">{"".join(self.part(part) for part in column)}</div>'
            for share, column in zip(shares, group.parts, strict=True)
        )
        return f'<div class="row" style="gap:{rng.choice((6, 12, 24))}pt;margin:{self.gap}pt 0">{boxes}</div>'

    def _pairs(self, group: Group) -> str:
        rng, boxes = self.rng, []
        bold, side, ruled = rng.choice((400, 400, 700)), rng.choice(("left", "left", "right")), rng.random() < 0.15
        spread = rng.choice(("space-between", "flex-start", "flex-start"))
        width, right = rng.choice((60, 90, 120, 150)), rng.choice(("left", "left", "right"))
        line = "border-bottom:0.4pt solid #999;" if ruled else ""
        for column in group.parts:
            rows = []
            for label, value in zip(column[::2], column[1::2], strict=True):
                assert isinstance(label, Block) and isinstance(value, Block)
                name = self.ink(
                    self.entry("label", label.pair),
                    written(label.text),
                    f"font-weight:{bold};text-align:{side};"
                    + (
                        f"width:{width}pt;flex:none"
                        if group.layout == "pairs" and spread != "space-between"
                        else "font-size:75%"
                        if group.layout == "above"
                        else ""
                    ),
                    "div",
                )
                text = self.ink(
                    self.entry("value", value.pair),
                    written(value.text),
                    f"text-align:{right if spread == 'space-between' else 'left'};min-height:1em",
                    "div",
                )
                kind = (
                    f'class="row" style="gap:8pt;justify-content:{spread};{line}"'
                    if group.layout == "pairs"
                    else f'style="margin-bottom:4pt;{line}"'
                )
                rows.append(f"<div {kind}>{name}{text}</div>")
            boxes.append(f'<div style="flex:1">{"".join(rows)}</div>')
        frame = rng.choice(("", "", "", "border:0.6pt solid #555;padding:4pt;", "background:#eee;padding:3pt;"))
        return (
            f'<div class="row" style="gap:{rng.choice((8, 16, 30))}pt;margin:{self.gap}pt 0;'
            f'{frame}">{"".join(boxes)}</div>'
        )

    def _contents(self, group: Group) -> str:
        rng, rows = self.rng, []
        dots = rng.choice(("border-bottom:1pt dotted #666", "", ""))
        for entry in group.parts[0]:
            assert isinstance(entry, Block)
            leader = f'<span style="flex:1;{dots};margin:0 4pt 3pt"></span>'
            rows.append(
                self.ink(
                    self.entry("entry"),
                    f"<span>{written(entry.text)}</span>{leader}<span>{entry.label}</span>",
                    f"display:flex;margin:{rng.choice((0, 1, 2))}pt 0 0 {14 * entry.level}pt",
                    "div",
                )
            )
        return "".join(rows)

    def _figure(self, group: Group) -> str:
        rng = self.rng
        graphic = Graphic(
            rng, Writer(rng), lambda: "rgb({},{},{})".format(*self.palette.new(self.entry("figure")))
        ).source()
        caption = group.parts[0][0]
        assert isinstance(caption, Block)
        return (
            f'<div class="t"><div style="text-align:{rng.choice(("left", "center", "center"))}">{graphic}</div>'
            f"{self.ink(self.entry('caption'), written(caption.text), 'font-size:90%;margin:4pt 0 8pt', 'p')}"
            f"</div>"
        )

    def table(self, block: TableBlock) -> str:
        """A table between its caption and its notes."""
        rng = self.rng
        look = f"font-size:90%;margin:3pt 0;text-align:{rng.choice(('left', 'left', 'center'))}"
        above = (
            self.ink(self.entry("caption"), written(block.caption), look, "p")
            if block.caption and not block.caption_below
            else ""
        )
        number = self.begin(block.table)
        source = table_source(
            rng,
            block.table,
            lambda cell, content: self.ink({"kind": "cell", "table": number, **cell.truth}, content),
            written,
        )
        notes = "".join(self.ink(self.entry("note"), written(note), "font-size:80%", "p") for note in block.table.notes)
        below = (
            self.ink(self.entry("caption"), written(block.caption), look, "p")
            if block.caption and block.caption_below
            else ""
        )
        whole = "t" if block.table.rows < 30 else "l"
        return f'<div class="{whole}" style="margin:{self.gap + 2}pt 0">{above}{source}{notes}{below}</div>'


def program() -> str:
    """Chromium's name on this machine."""
    for name in PROGRAMS:
        if path := shutil.which(name):
            return path
    raise FileNotFoundError(f"none of {', '.join(PROGRAMS)} is installed")


def typeset(rng: random.Random, count: int, folder: Path, name: str) -> tuple[Path, Setter]:
    """About `count` pages and what their colours stand for."""
    setter = Setter(rng)
    source, pdf = folder / f"{name}.html", folder / f"{name}.pdf"
    source.write_text(setter.document([made(rng) for _ in range(count)]), encoding="utf-8")
    command = [
        program(),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-pdf-header-footer",
        f"--user-data-dir={folder}/profile",
        f"--print-to-pdf={pdf}",
        str(source),
    ]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=True)
    return pdf, setter
