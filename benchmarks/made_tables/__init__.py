"""Pages of tables that are made from a seed, with the truth of their cells: kinds that real reports have.

They are written in the layout of the ICDAR 2013 table competition, and scored as its documents are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from benchmarks.made_tables.agency import (
    bulletin,
    dollar_columns,
    footnoted,
    hanging_labels,
    hanging_signs,
    subheads,
    totals_apart,
)
from benchmarks.made_tables.columns import budget, coded, dense, errors, landscape, shaded, tests, tight, typed
from benchmarks.made_tables.heads import (
    barred,
    deep_heads,
    gridded,
    grouped,
    statistics,
    three_levels,
    two_labels,
    upright_heads,
)
from benchmarks.made_tables.reports import (
    in_both_columns,
    numbered_heads,
    panels,
    prose_cells,
    quartered,
    words_between,
    yearly,
)
from benchmarks.made_tables.sheet import Sheet, as_truth
from benchmarks.made_tables.words import beside, in_column, long_labels, no_table, stacked, worded, words_alone
from docspec.documents.mupdf import mupdf

Kind = Callable[[Sheet, Random], None]

KINDS: tuple[Kind, ...] = (
    *(statistics, barred, deep_heads, three_levels, gridded, upright_heads, grouped, two_labels),
    *(budget, typed, tight, landscape, shaded, tests, dense, coded, errors),
    *(long_labels, worded, words_alone, in_column, stacked, beside, no_table),
    *(subheads, hanging_labels, footnoted, totals_apart, dollar_columns, bulletin, hanging_signs, quartered),
    *(in_both_columns, words_between, numbered_heads, yearly, prose_cells, panels),
)


def write_made_tables(folder: Path, seed: int, each: int = 2, kinds: Sequence[Kind] = KINDS) -> list[Path]:
    """Writes ``each`` documents of every one of ``kinds``, of a page each, into ``folder``; returns their paths. What a
    seed makes of a kind does not depend on the others."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for kind in kinds:
        for number in range(1, each + 1):
            path = folder / f"{kind.__name__}-{number}.pdf"
            rng = Random(f"{seed} {path.stem}")
            with mupdf().open() as document:
                width, height = (792, 612) if kind is landscape else (612, 792)
                sheet = Sheet(document.new_page(width=width, height=height))
                kind(sheet, rng)
                document.save(path, deflate=True, no_new_id=True)
            path.with_name(f"{path.stem}-str.xml").write_bytes(as_truth([sheet.tables], path.name))
            paths.append(path)
    return paths
