"""What a LaTeX author chooses for one table: rules, column types, sizes, spaces, grounds."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from training.structure.pages.table import Table
from training.structure.pages.text import Text, flat, split_lines

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

    rules: str  # booktabs, grid, rows, head, none, frame, double, ledger
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
        if table.room >= 0:
            rules = "ledger"
        verticals = {"grid": "all", "ledger": "all", "frame": "outer"}.get(rules, "none")
        if rules not in ("booktabs", "ledger") or rng.random() < 0.08:
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
            rules,
            verticals,
            spanning,
            aligns,
            widths,
            environment,
            rng.choice(sizes),
            rng.choice(paddings),
            rng.choice((0.7, 0.85, 1, 1, 1, 1, 1.1, 1.2, 1.3, 1.5, 1.8)),
            rng.random() < 0.2,
            rng.choice(("makecell", "makecell", "shortstack", "tabular")),
            rng.choice(("", "", "c", "c", "l")),
            rng.choice(("", "", "", "b", "b", "i")),
            rng.choice("cccctb"),
            rng.choice(GROUNDS),
            rng.choices(("none", "head", "zebra", "cells", "column"), (12, 2, 1.5, 1, 0.5))[0],
            len(table.columns) > 3 and long > 6 and rng.random() < 0.06,
            rng.choice((6, 10, 14, 20, 99, 99)),
            rng.choice(("", "", "", "", r"\addlinespace", "[3pt]", r"\addlinespace[1pt]")),
        )

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
