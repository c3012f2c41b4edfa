"""A table as LaTeX: column types, rules, spans, grounds, and the boxes that people put around tabulars."""

from __future__ import annotations

import random

from training.structure.pages.colours import Palette, rgb
from training.structure.pages.latex_look import Look
from training.structure.pages.latex_text import inked, lines
from training.structure.pages.table import Cell, Table
from training.structure.pages.text import BREAK, Text, flat


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
            extra += (
                f"\\setlength{{\\heavyrulewidth}}{{{rng.choice((0.4, 1, 1.5))}"
                f"pt}}\\setlength{{\\lightrulewidth}}{{{rng.choice((0.2, 0.4, 0.8))}pt}}"
            )
        if rng.random() < 0.1:
            extra += (
                f"\\setlength{{\\aboverulesep}}{{{rng.choice((0, 1, 3))}"
                f"pt}}\\setlength{{\\belowrulesep}}{{{rng.choice((0, 1, 4))}pt}}"
            )
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
            if row == table.room:
                cells[0] = f"\\rule{{0pt}}{{{self.rng.randint(20, 200)}pt}}"
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
        if look.rules == "ledger":
            return r"\hline" if row == table.room + 1 or row in table.breaks else ""
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
            return f"\\color[RGB]{{{rgb(colour)}}} {characters}"
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
