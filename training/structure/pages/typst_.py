"""Sets made pages with typst (the package of that name carries the compiler)."""

from __future__ import annotations

import random
from pathlib import Path

import typst

from training.structure.pages.business import made
from training.structure.pages.marking import ALIGNED, Marking
from training.structure.pages.page import Block, Group, Page, Part, TableBlock
from training.structure.pages.table import Cell, Table
from training.structure.pages.text import Text, split_lines

FONTS = (
    "Libertinus Serif",
    "New Computer Modern",
    "New Computer Modern",
    "Liberation Sans",
    "Liberation Serif",
    "DejaVu Sans",
    "DejaVu Serif",
    "C059",
    "P052",
    "Nimbus Sans",
    "DejaVu Sans Mono",
)
WIDTHS = {"a4": 595, "us-letter": 612, "a5": 420, "iso-b5": 499}  # points
SPECIAL = str.maketrans({character: "\\" + character for character in "\\#$*_`<>@~[]=-+/\"'("})
WRAPS = {
    "b": "#strong[{}]",
    "i": "#emph[{}]",
    "u": "#underline[{}]",
    "m": '#text(font: "DejaVu Sans Mono", size: 0.9em)[{}]',
    "^": "#super[{}]",
    "_": "#sub[{}]",
}


def escaped(characters: str) -> str:
    """Characters as typst's markup; nothing in them is a command."""
    return characters.translate(SPECIAL)


def written(text: Text) -> str:
    """A text as typst's markup."""
    parts = []
    for characters, style in text:
        if characters == "\n":
            parts.append("#linebreak()")
            continue
        part = escaped(characters)
        for letter in style:
            part = WRAPS[letter].format(part)
        parts.append(part)
    return "".join(parts)


class Setter(Marking):
    """Writes the pages of one run."""

    def ink(self, entry: dict[str, object], content: str) -> str:
        """Content in a colour that stands for `entry`."""
        return "#text(fill: rgb({}, {}, {}))[{}]".format(*self.palette.new(entry), content)

    def document(self, pages: list[Page]) -> str:
        """The whole source."""
        rng = self.rng
        paper = rng.choice(("a4", "a4", *WIDTHS))
        margin = f"(x: {rng.randint(12, 28)}mm, y: {rng.randint(16, 28)}mm)"
        sources = [self.page(page, paper, margin) for page in pages]
        return "\n".join(sources)

    def page(self, page: Page, paper: str, margin: str) -> str:
        """One page, in settings of its own."""
        rng = self.rng
        head, foot = self._furniture(page.head), self._furniture(page.foot)
        self.gap = rng.choice((0.5, 0.7, 0.9, 1.2))
        self.prose = f"justify: {rng.choice(('true', 'false'))}, leading: {rng.choice((0.45, 0.55, 0.65, 0.8))}em"
        self.size = rng.choice((8, 9, 9.5, 10, 10, 11, 12))
        self.room = (WIDTHS[paper] - 110) / page.columns
        text = f'font: "{rng.choice(FONTS)}", size: {self.size}pt'
        wide = "".join(self.part(part) for part in page.wide)
        body = "".join(self.part(part) for part in page.parts)
        if page.columns > 1:
            body = f"#columns({page.columns}, gutter: {rng.choice((10, 14, 20))}pt)[{body}]"
        return (
            f'#page(paper: "{paper}", margin: {margin}, header: [{head}], footer: [{foot}'
            f"])[#set text({text})\n#set par({self.prose}, spacing: {self.gap}em)\n{wide}"
            f"{body}]\n"
        )

    def _furniture(self, parts: tuple[str, str, str]) -> str:
        return (
            " #h(1fr) ".join(self.ink(self.entry("furniture"), escaped(part)) if part else "" for part in parts)
            if any(parts)
            else ""
        )

    def part(self, part: Part) -> str:
        """Any part, as paragraphs of its own."""
        if isinstance(part, TableBlock):
            return self.table(part)
        return self.group(part) if isinstance(part, Group) else self.single(part)

    def single(self, block: Block) -> str:
        """A block by itself."""
        rng, entry = self.rng, self.entry(block.kind, block.pair)
        if block.kind == "heading":
            size = {1: 1.5, 2: 1.25, 3: 1.05}[block.level or 2]
            weight = rng.choice(("bold", "bold", "regular"))
            return (
                f"#block(above: 1.2em, below: 0.8em, sticky: true, text(size: {size}em, weight: "
                f'"{weight}")[{self.ink(entry, written(block.text))}])\n'
            )
        if block.kind == "formula":
            return f"#align(center)[{self.ink(entry, self._formula())}]\n"
        if block.kind in ("code", "address"):
            lines = [self.ink(entry | {"line": n}, written(one)) for n, one in enumerate(split_lines(block.text))]
            return (
                f"#block[#set align({rng.choice(ALIGNED)})\n#set par(justify: false, leading: 0.5em)\n#text(size: "
                f"{0.85 if block.kind == 'code' else 1}"
                f"em)[{'#linebreak()'.join(lines)}]]\n"
            )
        if block.kind == "small":
            scale = f"{rng.uniform(0.55, 0.8):.2f}em"
            return f"#block(below: 0.5em, text(size: {scale})[{self.ink(entry, written(block.text))}])\n"
        if block.kind == "centred":
            return f"#align(center)[#set par(justify: false)\n{self.ink(entry, written(block.text))}]\n\n"
        return f"{self.ink(entry, written(block.text))}\n\n"

    def _formula(self) -> str:
        rng = self.rng
        parts = [
            rng.choice(
                (
                    "x_i",
                    "sum_(i=1)^n y_i",
                    "a/b",
                    "sqrt(z + 1)",
                    "integral_0^1 f(t) dif t",
                    "mat(a, b; c, d)",
                    "alpha^2",
                    "frac(x + y, 2 n)",
                    "cases(1 quad x > 0, 0 quad x < 0)",
                )
            )
            for _ in range(rng.randint(1, 4))
        ]
        return f"$ {rng.choice('yzLF')} = {' + '.join(parts)} $"

    def group(self, group: Group) -> str:
        """Parts in their layout."""
        layouts = {
            "list": self._list,
            "options": self._list,
            "beside": self._beside,
            "pairs": self._pairs,
            "above": self._pairs,
            "contents": self._contents,
            "figure": self._figure,
            "flow": self._flow,
            "box": self._box,
            "float": self._float,
        }
        return layouts[group.layout](group)

    def _flow(self, group: Group) -> str:
        """Columns of a height that all of the text fits into: the last one is the shortest."""
        body = "".join(self.part(part) for part in group.parts[0])
        if group.columns < 2:
            return body
        count, gutter = group.columns, self.rng.choice((8, 12, 18))
        return (
            f"#layout(size => {{ let body = [{body}]\n let wide = (size.width - {(count - 1) * gutter}pt) / {count}\n"
            f" let high = measure(block(width: wide, body)).height\n"
            f" block(height: calc.min(high / {count} + {self.rng.choice((14, 24, 40))}pt, 600pt),"
            f" columns({count}, gutter: {gutter}pt, body)) }})\n"
        )

    def _box(self, group: Group) -> str:
        look = self.rng.choice(
            ("stroke: 0.5pt", "fill: luma(238)", "fill: luma(245), stroke: 0.3pt", "stroke: 0.5pt, radius: 5pt")
        )
        body = "".join(map(self.part, group.parts[0]))
        return f"#block({look}, inset: {self.rng.choice((4, 6, 9))}pt, width: 100%)[{body}]\n"

    def _float(self, group: Group) -> str:
        return "".join(self.part(part) for parts in (group.parts[1], group.parts[0]) for part in parts)

    def _figure(self, group: Group) -> str:
        return "".join(self.part(part) for part in group.parts[0])

    def _list(self, group: Group) -> str:
        rng = self.rng
        indent, step = rng.choice((12, 16, 22)), rng.choice((0.3, 0.5, 0.8))
        cells = []
        for item in group.parts[0]:
            assert isinstance(item, Block)
            colour = "rgb({}, {}, {})".format(*self.palette.new(self.entry("item")))
            label = f"#text(fill: {colour})[{escaped(item.label)}]" if item.label else ""
            cells.append(
                f"block(above: {step}em, below: {step}em)[#set par(justify: false)"
                f"\n#grid(columns: ({indent}pt, 1fr), [{label}], [#text(fill: {colour}"
                f")[{written(item.text)}]])]"
            )
        if group.layout == "options":
            return f"#grid(columns: {group.columns}, column-gutter: 8pt, {', '.join(cells)})\n"
        high = -(-len(cells) // group.columns)
        stacks = ["".join(f"#{cell}\n" for cell in cells[n : n + high]) for n in range(0, len(cells), high)]
        if group.columns == 1:
            return stacks[0]
        return (
            f"#grid(columns: (1fr,) * {group.columns}, column-gutter: 8pt, "
            f"{', '.join(f'[{stack}]' for stack in stacks)})\n"
        )

    def _beside(self, group: Group) -> str:
        boxes = ", ".join(f"[{''.join(self.part(part) for part in column)}]" for column in group.parts)
        shares = group.widths or (1,) * len(group.parts)
        frame = self.rng.choice(("", "", "", "stroke: 0.5pt, inset: 4pt, "))
        return (
            f"#grid(columns: ({', '.join(f'{share}fr' for share in shares)},), column-gutter: "
            f"{self.rng.choice((6, 12, 20))}pt, {frame}{boxes})\n"
        )

    def _pairs(self, group: Group) -> str:
        rng, boxes = self.rng, []
        first, side = rng.choice(("auto", "90pt", "1fr", "110pt")), rng.choice(("left", "left", "right"))
        gutter, bold = rng.choice((2, 4, 6, 8)), rng.random() < 0.35
        for column in group.parts:
            cells = []
            for label, value in zip(column[::2], column[1::2], strict=True):
                assert isinstance(label, Block) and isinstance(value, Block)
                name = self.ink(self.entry("label", label.pair), written(label.text))
                text = self.ink(self.entry("value", value.pair), written(value.text))
                cells.append(f"[{f'#strong[{name}]' if bold else name}], [{text}]")
            columns, rows = ("1", gutter) if group.layout == "above" else (f"({first}, 1fr)", gutter)
            inner = f", {', '.join(cells)}" if cells else ""
            boxes.append(
                (
                    f"grid(columns: {columns}, row-gutter: {rows}pt, column-gutter: 8pt, align: "
                    f"({side}, {rng.choice(('left', 'left', 'right'))}){inner})"
                )
                if group.layout == "pairs"
                else f"grid(columns: 1, row-gutter: {rows}pt{inner})"
            )
        return f"#grid(columns: (1fr,) * {group.columns}, column-gutter: 14pt, {', '.join(boxes)})\n"

    def _contents(self, group: Group) -> str:
        leader = self.rng.choice(("#box(width: 1fr, repeat[.])", "#h(1fr)"))
        rows = []
        for entry in group.parts[0]:
            assert isinstance(entry, Block)
            content = f"{written(entry.text)} {leader} {escaped(entry.label)}"
            rows.append(
                f"#block(above: 0.5em, below: 0.5em, inset: (left: {12 * entry.level}"
                f"pt))[{self.ink(self.entry('entry'), content)}]\n"
            )
        return "".join(rows)

    def table(self, block: TableBlock) -> str:
        """A table between its caption and its notes."""
        rng = self.rng
        place = rng.choice(("left", "center", "center"))
        above = (
            f"#block(text(size: 0.9em)[{self.ink(self.entry('caption'), written(block.caption))}])\n"
            if block.caption and not block.caption_below
            else ""
        )
        source = self._grid(block.table)
        notes = "".join(
            f"#block(above: 0.4em, text(size: 0.8em)[{self.ink(self.entry('note'), written(note))}])\n"
            for note in block.table.notes
        )
        below = (
            f"#block(text(size: 0.9em)[{self.ink(self.entry('caption'), written(block.caption))}])\n"
            if block.caption and block.caption_below
            else ""
        )
        return (
            f"#block(above: 1em, below: 1em, breakable: "
            f"{'true' if block.table.rows > 25 else 'false'})[{above}#align({place}"
            f")[{source}]\n{notes}{below}]\n"
        )

    def _grid(self, table: Table) -> str:
        rng = self.rng
        number = self.begin(table)
        numbers, names, heads = (
            rng.choice(("right", "right", "center", "left")),
            rng.choice(("left", "left", "center")),
            rng.choice(("", "center")),
        )
        bold, upright = rng.random() < 0.5, rng.choice(("top", "top", "horizon", "bottom"))
        inset = f"(x: {rng.choice((1.5, 2, 3, 4, 6, 8))}pt, y: {rng.choice((1, 1.5, 2, 3, 4, 6))}pt)"
        wide = rng.random() < 0.35
        long = [
            max(
                (
                    sum(len(piece[0]) for piece in cell.text)
                    for cell in table.cells
                    if cell.column == column and cell.columns == 1
                ),
                default=0,
            )
            for column in range(len(table.columns))
        ]
        widths = ", ".join(
            "auto" if kind != "text" and length < 30 and not (wide and n == 0) else f"{min(4, max(1, length // 15))}fr"
            for n, (kind, length) in enumerate(zip(table.columns, long, strict=True))
        )
        cells = []
        for cell in table.cells:
            align = self._align(cell, table, numbers, names, heads)
            content = self.ink({"kind": "cell", "table": number, **cell.truth}, written(cell.text)) if cell.text else ""
            content = f"#strong[{content}]" if cell.head and bold and content else content
            cells.append(
                f"table.cell(x: {cell.column}, y: {cell.row}, rowspan: {cell.rows}, colspan: "
                f"{cell.columns}, align: {align} + {upright if cell.rows == 1 else 'horizon'}"
                f")[{content}]"
            )
        needed = self.size * 0.55 * sum(min(28, length) + 2 for length in long)  # points, about
        size = min(rng.choice((0.7, 0.8, 0.9, 1)), max(0.45, self.room / needed))
        fill = rng.choice(
            (
                "",
                "",
                "",
                "fill: (x, y) => if calc.odd(y) { luma(240) }, ",
                f"fill: (x, y) => if y < {table.head_rows} {{ rgb(220, 230, 245) }}, ",
            )
        )
        return (
            f"#text(size: {size:.2f}em)[#set par(justify: false, leading: 0.45em)"
            f"\n#table(columns: ({widths},), inset: {inset}, {fill}{self._rules(table)}"
            f"{', '.join(cells)})]"
        )

    def _align(self, cell: Cell, table: Table, numbers: str, names: str, heads: str) -> str:
        if cell.kind == "group":
            return "left"
        if cell.columns > 1:
            return "center" if cell.kind != "total" else "right"
        return heads if cell.head and heads else numbers if table.columns[cell.column] == "value" else names

    def _rules(self, table: Table) -> str:
        rng = self.rng
        thin, thick = rng.choice((0.3, 0.4, 0.5, 0.8)), rng.choice((0.6, 0.8, 1, 1.4))
        kind = rng.choice(("grid", "grid", "rows", "book", "book", "none"))
        if kind == "grid":
            return f"stroke: {thin}pt, "
        if kind == "rows":
            return f"stroke: (x, y) => (bottom: {thin}pt, top: {thin}pt), "
        if kind == "none":
            return "stroke: none, "
        lines = [f"table.hline(y: 0, stroke: {thick}pt)", f"table.hline(y: {table.rows}, stroke: {thick}pt)"]
        lines += [f"table.hline(y: {table.head_rows}, stroke: {thin}pt)"] if table.head_rows else []
        lines += [
            f"table.hline(y: {row}, stroke: {thin}pt)"
            for row in table.breaks
            if table.head_rows < row < table.rows and rng.random() < 0.7
        ]
        lines += [
            (
                f"table.hline(y: {cell.row + cell.rows}, start: {cell.column}, end: "
                f"{cell.column + cell.columns}, stroke: {thin}pt)"
            )
            for cell in table.cells
            if cell.head and cell.columns > 1 and cell.row + cell.rows < table.head_rows
        ]
        return "stroke: none, " + "".join(line + ", " for line in lines)


def typeset(rng: random.Random, count: int, folder: Path, name: str) -> tuple[Path, Setter]:
    """About `count` pages and what their colours stand for."""
    setter = Setter(rng)
    source, pdf = folder / f"{name}.typ", folder / f"{name}.pdf"
    source.write_text(setter.document([made(rng) for _ in range(count)]), encoding="utf-8")
    typst.compile(str(source), output=str(pdf))
    return pdf, setter
