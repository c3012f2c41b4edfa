"""A table as LaTeX: column types, rules, spans, grounds, and the boxes that people put around tabulars."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from training.structure.pages.colours import Palette
from training.structure.pages.latex_text import inked, line, lines
from training.structure.pages.table import Cell, Table
from training.structure.pages.text import BREAK, Text, flat, split_lines

SIZES = (
    r"\normalsize",
    r"\normalsize",
    r"\small",
    r"\small",
    r"\footnotesize",
    r"\footnotesize",
    r"\scriptsize",
    r"\tiny",
)
GROUNDS = ("gray!15", "gray!25", "blue!8", "yellow!15", "green!10", "red!8", "gray!8", "cyan!12", "orange!15")
NUMBER = re.compile(r"[-−+]?\d+(\.\d+)?")


@dataclass(frozen=True)
class Look:
    """What a typesetter chooses for one table."""

    rules: str  # booktabs, grid, rows, head, none, frame, double
    verticals: str  # none, all, names, inner, groups
    spanning: str  # rules under spanning heads: none, cmid, trim, cline
    aligns: tuple[str, ...]  # l c r p m b X S
    widths: tuple[float, ...]  # of \linewidth, for p m b
    environment: str
    size: str
    padding: float
    stretch: float
    flush: bool  # @{} at both ends
    stacked: str  # makecell, shortstack, tabular
    head_align: str  # "" as the column, else c or l
    head_style: str
    middle: str  # where rows that are merged have their text: c t b
    ground: str
    grounded: str  # none, head, zebra, cells, column
    rotated: bool
    wrap: int  # labels of heads are broken beyond so many characters
    gap: str  # white between rows: "", addlinespace, [3pt]

    @classmethod
    def drawn(cls, rng: random.Random, table: Table, room: int) -> Look:
        """A look that suits the table, which has room for so many characters of normal size in a line."""
        rules = rng.choices(("booktabs", "grid", "rows", "head", "none", "frame", "double"), (9, 4, 2, 5, 1.5, 1, 1))[0]
        verticals = {"grid": "all", "frame": "outer"}.get(rules, "none")
        if rules != "booktabs" or rng.random() < 0.08:
            verticals = rng.choice((verticals, verticals, verticals, "names", "inner", "all", "groups", "outer"))
        spanning = (
            "none"
            if rules == "none"
            else rng.choice(("none", "cmid", "trim", "trim") if rules == "booktabs" else ("none", "cline", "cline"))
        )
        texts = [
            max((longest(cell.text) for cell in table.cells if cell.column == column and cell.columns == 1), default=0)
            for column in range(len(table.columns))
        ]
        environment, aligns, widths = cls._columns(rng, table, texts)
        needed = sum(min(25, length) + 2 for length in texts)
        sizes = SIZES if needed < room else SIZES[2:] if needed < 1.3 * room else SIZES[4:]
        paddings = (1, 2, 3, 4, 6, 6, 6, 6, 8, 10, 12) if needed < room else (1, 2, 3, 4, 5)
        decimals = environment == "tabular" and rng.random() < 0.2
        if decimals:
            aligns = tuple("S" if decimal(table, column) else align for column, align in enumerate(aligns))
        long = max((len(flat(cell.text)) for cell in table.cells if cell.head and cell.columns == 1), default=0)
        return cls(
            rules, verticals, spanning, aligns, widths, environment,
            rng.choice(sizes), rng.choice(paddings), rng.choice((0.7, 0.85, 1, 1, 1, 1, 1.1, 1.2, 1.3, 1.5, 1.8)),
            rng.random() < 0.2, rng.choice(("makecell", "makecell", "shortstack", "tabular")), rng.choice(("", "", "c", "c", "l")),
            rng.choice(("", "", "", "b", "b", "i")), rng.choice("cccctb"), rng.choice(GROUNDS),
            rng.choices(("none", "head", "zebra", "cells", "column"), (12, 2, 1.5, 1, 0.5))[0],
            len(table.columns) > 3 and long > 6 and rng.random() < 0.06, rng.choice((6, 10, 14, 20, 99, 99)), rng.choice(("", "", "", "", r"\addlinespace", "[3pt]", r"\addlinespace[1pt]")),
        )  # fmt: skip

    @staticmethod
    def _columns(rng: random.Random, table: Table, texts: list[int]) -> tuple[str, tuple[str, ...], tuple[float, ...]]:
        count = len(table.columns)
        numbers = rng.choice("cccrrrl")
        names = rng.choice("llllc")
        wrapped = rng.choice("ppmmbX")
        aligns = []
        for kind, longest_text in zip(table.columns, texts, strict=True):
            if kind == "text" or longest_text > rng.choice((25, 40, 60)):
                aligns.append(wrapped)
            elif kind == "name":
                aligns.append(names)
            else:
                aligns.append(numbers if kind == "value" or rng.random() < 0.5 else "l")
        environment = "tabularx" if "X" in aligns else "tabular"
        if environment == "tabular" and rng.random() < 0.12:
            environment = rng.choice(("tabular*", "tabulary", "equal"))
        if environment == "equal":  # all columns of one width
            environment, aligns = "tabular", [rng.choice("pm")] * count
        if environment == "tabulary":
            aligns = [align.upper() if align in "lcr" else "L" for align in aligns]
        weights = [
            min(60, max(6, length)) if align in "pmb" else 0 for align, length in zip(aligns, texts, strict=True)
        ]
        free = max(
            0.35,
            0.95
            - 0.018
            * sum(min(25, length) + 2 for align, length in zip(aligns, texts, strict=True) if align not in "pmb"),
        )
        total = sum(weights) or 1
        free = min(free, 0.016 * total) if rng.random() < 0.7 else free
        widths = tuple(round(free * weight / total, 3) for weight in weights)
        return environment, tuple(aligns), widths


def longest(text: Text) -> int:
    """Characters of the longest line."""
    return max((len(flat(one)) for one in split_lines(text)), default=0)


def decimal(table: Table, column: int) -> bool:
    """Whether the column's body holds nothing but figures that siunitx reads."""
    cells = [
        cell for cell in table.cells if cell.column == column and not cell.head and cell.columns == 1 and cell.text
    ]
    return bool(cells) and all(
        len(cell.text) == 1 and not cell.text[0][1] and NUMBER.fullmatch(cell.text[0][0]) and cell.rows == 1
        for cell in cells
    )


def broken(text: Text, width: int) -> Text:
    """A label with a break at the space nearest to its middle, where it is longer than `width`."""
    if len(flat(text)) <= width or len(text) != 1 or " " not in text[0][0].strip():
        return text
    characters, style = text[0]
    middle = min(
        (i for i, one in enumerate(characters) if one == " " and 0 < i < len(characters) - 1),
        key=lambda i: abs(i - len(characters) / 2),
        default=0,
    )
    return ((characters[:middle], style), BREAK, (characters[middle + 1 :], style)) if middle else text


class Tabular:
    """One table's source; its colours come from the palette as cells are written."""

    def __init__(self, rng: random.Random, table: Table, palette: Palette, number: int, room: int = 85) -> None:
        self.rng, self.table, self.palette, self.number = rng, table, palette, number
        self.look = Look.drawn(rng, table, room)
        self.tops = {cell.column for cell in table.cells if cell.head and cell.row == 0 and cell.columns > 1}

    def source(self) -> str:
        """From `\\begin{tabular}` to its end, with its size and paddings."""
        look = self.look
        begin = {
            "tabular": r"\begin{tabular}" + self.rng.choice(("", "", "[t]", "[b]")),
            "tabularx": r"\begin{tabularx}{\linewidth}",
            "tabular*": r"\begin{tabular*}{\linewidth}",
            "tabulary": r"\begin{tabulary}{\linewidth}",
        }[look.environment]
        body = "\n".join(self._rows())
        arrays = f"\\setlength{{\\tabcolsep}}{{{look.padding}pt}}\\renewcommand{{\\arraystretch}}{{{look.stretch}}}"
        rng = self.rng
        extra = r"\setlength{\extrarowheight}{1.5pt}" if rng.random() < 0.05 else ""
        if rng.random() < 0.2:
            extra += f"\\setlength{{\\arrayrulewidth}}{{{rng.choice((0.2, 0.3, 0.6, 0.8, 1.2))}pt}}"
        if rng.random() < 0.1:
            extra += f"\\setlength{{\\heavyrulewidth}}{{{rng.choice((0.4, 1, 1.5))}pt}}\\setlength{{\\lightrulewidth}}{{{rng.choice((0.2, 0.4, 0.8))}pt}}"
        if rng.random() < 0.1:
            extra += f"\\setlength{{\\aboverulesep}}{{{rng.choice((0, 1, 3))}pt}}\\setlength{{\\belowrulesep}}{{{rng.choice((0, 1, 4))}pt}}"
        if rng.random() < 0.06:
            extra += f"\\arrayrulecolor{{{rng.choice(('gray', 'blue', 'black!40', 'red!60!black'))}}}"
        return f"{arrays}{extra}{begin}{{{self._columns()}}}\n{body}\n\\end{{{look.environment}}}"

    def _columns(self) -> str:
        look, count = self.look, len(self.table.columns)
        fill = r"@{\extracolsep{\fill}}" if look.environment == "tabular*" else ""
        parts = []
        for column, align in enumerate(look.aligns):
            spec = f"{align}{{{look.widths[column]}\\linewidth}}" if align in "pmb" else align
            if align in "pmbX" and self.rng.random() < 0.5:
                spec = r">{\raggedright\arraybackslash}" + spec
            elif align in "pmbX" and self.table.columns[column] == "value":
                spec = r">{\centering\arraybackslash}" + spec
            if align == "S":
                spec = f"S[table-format={self._format(column)}]"
            parts.append(self._bar(column) + spec)
        edge = "@{}" if look.flush and look.verticals in ("none", "names", "inner") else ""
        return fill + edge + "".join(parts) + self._bar(count) + edge

    def _format(self, column: int) -> str:
        texts = [
            cell.text[0][0]
            for cell in self.table.cells
            if cell.column == column and not cell.head and cell.text and cell.columns == 1
        ]
        whole = max(len(text.lstrip("-−+").split(".")[0]) for text in texts)
        decimals = max(len(text.partition(".")[2]) for text in texts)
        return ("-" if any(text[0] in "-−" for text in texts) else "") + f"{whole}.{decimals}"

    def _bar(self, column: int) -> str:
        """The line at the left of a column."""
        look, count = self.look, len(self.table.columns)
        names = self.table.columns.count("name")
        drawn = {
            "none": False,
            "all": True,
            "outer": column in (0, count),
            "names": column == max(1, names),
            "inner": 0 < column < count,
            "groups": column in self.tops or column in (0, count),
        }[look.verticals]
        if not drawn:
            return ""
        return "||" if look.rules == "double" and column == max(1, names) else "|"

    def _rows(self) -> list[str]:
        table, look = self.table, self.look
        covered = table.covered()
        rows = [self._rule(0)]
        for row in range(table.rows):
            cells, column = [], 0
            while column < len(table.columns):
                cell = covered[row, column]
                cells.append(self._cell(cell, row))
                column += cell.columns
            ground = ""
            if (look.grounded == "head" and row < table.head_rows) or (
                look.grounded == "zebra" and row >= table.head_rows and (row - table.head_rows) % 2
            ):
                ground = f"\\rowcolor{{{look.ground}}}"
            gap = look.gap if look.gap.startswith("[") and row + 1 in table.breaks else ""
            rows.append(ground + " & ".join(cells) + r" \\" + gap)
            rows.append(self._rule(row + 1))
        return rows

    def _rule(self, row: int) -> str:
        """Rules above row `row`; at the last row's end, the closing one."""
        table, look = self.table, self.look
        if row in (0, table.rows):
            if look.rules in ("none",) or (look.rules == "head" and self.rng.random() < 0.15):
                return ""
            if look.rules == "booktabs":
                return r"\toprule" if row == 0 else r"\bottomrule"
            return r"\hline" * (2 if look.rules == "double" else 1)
        if row == table.head_rows:
            return (
                ""
                if look.rules in ("none", "frame")
                else r"\midrule"
                if look.rules == "booktabs"
                else r"\hline" * (2 if look.rules == "double" and row else 1)
            )
        crossed = [cell for cell in table.cells if cell.row < row < cell.row + cell.rows]
        if row < table.head_rows:
            return self._head_rule(row, crossed)
        if row in table.breaks and look.rules != "none" and look.rules not in ("grid", "rows"):
            if look.gap.startswith("\\") and look.rules == "booktabs":
                return look.gap
            return (
                self.rng.choice((r"\midrule", r"\midrule", r"\hline", ""))
                if look.rules == "booktabs"
                else self.rng.choice((r"\hline", r"\hline", ""))
            )
        if look.rules in ("grid", "rows"):
            return self._clines(crossed, "cline") if crossed else r"\hline"
        return ""

    def _head_rule(self, row: int, crossed: list[Cell]) -> str:
        look = self.look
        if look.rules in ("grid", "rows"):
            return self._clines(crossed, "cline")
        if look.spanning == "none":
            return ""
        spans = [
            cell
            for cell in self.table.cells
            if cell.head and cell.row + cell.rows == row and cell.columns > 1 and cell.text
        ]
        command = {"cmid": r"\cmidrule{%d-%d}", "trim": r"\cmidrule(lr){%d-%d}", "cline": r"\cline{%d-%d}"}[
            look.spanning
        ]
        return "".join(command % (cell.column + 1, cell.column + cell.columns) for cell in spans)

    def _clines(self, crossed: list[Cell], command: str) -> str:
        closed = {column for cell in crossed for column in range(cell.column, cell.column + cell.columns)}
        rules, start = [], None
        for column in range(len(self.table.columns) + 1):
            free = column < len(self.table.columns) and column not in closed
            if free and start is None:
                start = column
            elif not free and start is not None:
                rules.append(f"\\{command}{{{start + 1}-{column}}}")
                start = None
        return "".join(rules)

    def _cell(self, cell: Cell, row: int) -> str:
        look = self.look
        align = look.aligns[cell.column]
        if row > cell.row:  # below the cell that covers this place
            return self._spanned(cell, "") if cell.columns > 1 else "{}" if align == "S" else ""
        content = self._content(cell, align)
        if cell.rows > 1 and content:
            width = "*"
            if align in "pmb" and cell.columns == 1:
                width = f"{look.widths[cell.column]}\\linewidth"
            content = f"\\multirow[{look.middle}]{{{cell.rows}}}{{{width}}}{{{content}}}"
        if look.grounded == "cells" and not cell.head and cell.rows == 1 and align != "S" and self.rng.random() < 0.12:
            content = f"\\cellcolor{{{look.ground}}}{content}"
        if (
            look.grounded == "column"
            and cell.column == len(self.table.columns) - 1
            and cell.columns == 1
            and cell.rows == 1
            and align != "S"
        ):
            content = f"\\cellcolor{{{look.ground}}}{content}"
        if cell.columns > 1:
            return self._spanned(cell, content)
        if cell.head and look.head_align and align not in "pmbXS" and cell.text and not align.isupper():
            left = self._bar(cell.column) if cell.column == 0 else ""
            return f"\\multicolumn{{1}}{{{left}{look.head_align}{self._bar(cell.column + 1)}}}{{{content}}}"
        if align == "S" and not (not cell.head and content and cell.kind != "group" and "Ink" not in content):
            return f"{{{content}}}"
        return content

    def _spanned(self, cell: Cell, content: str) -> str:
        align = (
            "l"
            if cell.kind in ("group", "total") and self.rng.random() < 0.75
            else "c"
            if self.rng.random() < 0.93
            else "l"
        )
        left = self._bar(cell.column) if cell.column == 0 else ""
        return f"\\multicolumn{{{cell.columns}}}{{{left}{align}{self._bar(cell.column + cell.columns)}}}{{{content}}}"

    def _content(self, cell: Cell, align: str) -> str:
        look, text = self.look, cell.text
        if not text:
            return ""
        colour = self.palette.new({"kind": "cell", "table": self.number, **cell.truth})
        if align == "S" and not cell.head and cell.columns == 1:
            characters = text[0][0].replace("−", "-")
            return "\\color[RGB]{%d,%d,%d} %s" % (*colour, characters)
        if cell.head and align not in "pmbX":
            text = broken(text, look.wrap * cell.columns)
        if cell.head and look.head_style:
            text = tuple(
                (characters, style if characters == "\n" else style + look.head_style) for characters, style in text
            )
        parts = lines(text)
        if len(parts) == 1:
            content = parts[0]
        elif align in "pmbX" and cell.columns == 1:
            content = r"\newline ".join(parts)
        else:
            place = align if align in "lcr" else "c"
            place = look.head_align or place if cell.head else place
            inner = r"\\\relax ".join(parts)
            content = {
                "makecell": f"\\makecell[{place}]{{{inner}}}",
                "shortstack": f"\\shortstack[{place}]{{{inner}}}",
                "tabular": f"\\begin{{tabular}}[c]{{@{{}}{place}@{{}}}}{inner}\\end{{tabular}}",
            }[look.stacked]
        if look.rotated and cell.head and cell.columns == 1 and cell.rows == 1 and cell.column and align not in "pmbX":
            content = f"\\rotatebox{{{self.rng.choice((90, 90, 90, 60, 45))}}}{{{content}}}"
        return inked(colour, content)


def boxed(rng: random.Random, source: str, size: str) -> str:
    """A tabular that fits into its line, sometimes widened to it or turned."""
    kind = rng.random()
    if kind < 0.1:
        return f"{{{size}\\Wide{{{source}}}}}"
    if kind < 0.12:
        return f"{{{size}\\Turned{{{source}}}}}"
    return f"{{{size}\\Fit{{{source}}}}}"


__all__ = ["Tabular", "boxed", "line"]
