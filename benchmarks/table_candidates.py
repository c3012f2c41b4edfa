"""Whether one measure of consistency chooses the best of a table's candidates: ``python -m benchmarks.table_candidates
DIR...`` over folders of ``suite icdar2013``.

Candidates are PyMuPDF's grid in the layout model's box, that grid mended, drawn cells, and columns that the white space
shows; beside them stands what docspec writes. Each has a true score (F1 of its adjacency relations) and the measure.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median

from benchmarks.adjacency import Found, TableMarks, compared, marks_of
from benchmarks.suites.icdar2013 import Icdar2013, harmonic_mean
from docspec.core import BBox, Category
from docspec.dialects.tables import Table, parse_table
from docspec.documents.mupdf import mupdf
from docspec.drafting.drawn_grids import Word
from docspec.drafting.figure_columns import is_figure, is_of_body, stands_for_none
from docspec.drafting.layout import LayoutBox
from docspec.drafting.order import layout_of
from docspec.drafting.page_lines import page_lines
from docspec.drafting.printed import Printed
from docspec.drafting.ruled import with_drawn_cells
from docspec.drafting.tables import FoundTable, find_tables
from docspec.drafting.unruled import with_unruled

NAMES = ("model", "mended", "drawn", "white space")

ALIGNED, PITCH = 0.5, 0.25  # heights of a word, and share of the pitch, by which figures and rows may be out of line


def candidates(printed: Printed) -> dict[str, list[FoundTable]]:
    """The tables of a page by what finds them; ``today`` are those that docspec takes."""
    lines = page_lines(printed.page)
    boxes, _, _ = layout_of(printed.page, lines)
    mended = find_tables(printed, lines) if any(box.category is Category.TABLE for box in boxes) else []
    raw = printed.tables if mended else []
    drawn = with_drawn_cells(printed, mended, lines)
    text = [LayoutBox(box.bbox, Category.TEXT, box.members) for box in boxes]
    return {
        "model": [FoundTable(BBox(*one.bbox), one.to_html()) for one in raw],
        "mended": mended,
        "drawn": [one for one in drawn if one.ruled],
        "white space": with_unruled(text, lines, (), printed)[1],
        "today": with_unruled(boxes, lines, drawn, printed)[1],
    }


def consistency(found: FoundTable, table: Table, words: Sequence[Word]) -> float:
    """How well the cells of a table agree with each other (0..1): the mean of five shares. Columns of one kind; cells
    of figures with one figure; words whole in one cell; figures that end below each other; rows of equal pitch."""
    inside = [word for word in words if found.bbox.grown(1).has_center_of(word.bbox)]
    body = table.rows[1:]
    columns: dict[int, list[str]] = {}
    for cell, places in table.places():
        for y, x in list(places)[:1]:
            if y and cell.text.strip() and cell.colspan == 1:
                columns.setdefault(x, []).append(cell.text.strip())
    kinds, single, ends = [], [], []
    for texts in columns.values():
        figures = [text for text in texts if is_of_body(text) or stands_for_none(text)]
        kinds.append(max(len(figures), len(texts) - len(figures)) / len(texts))
        if 2 * len(figures) > len(texts):
            single += [is_figure(text) or stands_for_none(text) for text in figures]
            rights = [word.bbox.x1 for word in inside if word.text in figures]
            height = median(word.bbox.height for word in inside) if inside else 1.0
            ends += [abs(right - median(rights)) <= ALIGNED * height for right in rights]
    told = [part for row in table.rows for cell in row for part in cell.text.split()]
    whole = [word.text in told for word in inside]
    tops = sorted({round(word.bbox.center_y, 1) for word in inside})
    starts = [a for a, b in zip(tops, [float("-inf"), *tops], strict=False) if a - b > 2.0]
    steps = [b - a for a, b in pairwise(starts)]
    even = [abs(step - median(steps)) <= PITCH * median(steps) for step in steps]
    rows = min(len(body), len(steps)) / max(len(body), len(steps), 1)
    return fmean(fmean(part) if part else 0.0 for part in (kinds, single, whole, ends)) * 0.8 + 0.2 * rows * (
        fmean(even) if even else 1.0
    )


def measured(folder: Path) -> Iterator[dict[str, tuple[float, float]]]:
    """Of each table of the truth that has candidates, their true scores and measures by name."""
    for item in Icdar2013(folder).items():
        if not item.truth[0]:
            continue
        with mupdf().open(item.path) as document:
            page = document[item.page - 1]
            page.remove_rotation()
            printed = Printed(page)
            words = printed.words
            told: dict[str, list[tuple[TableMarks, float]]] = {}
            for name, tables in candidates(printed).items():
                parsed = [(one, table) for one in tables if (table := parse_table(one.html))]
                told[name] = [(marks_of(table), consistency(one, table, words)) for one, table in parsed]
        for truth in item.truth[0]:
            scores = {name: [(_score(marks, truth), own) for marks, own in some] for name, some in told.items()}
            yield {name: best for name, some in scores.items() if (best := max(some, default=(0.0, 0.0)))[0] > 0}


def _score(marks: TableMarks, truth: TableMarks) -> float:
    found: Found = compared([marks], [truth])
    return harmonic_mean(found.right / max(found.true, 1), found.right / max(found.written, 1))


def main(folders: Sequence[str]) -> None:
    for folder in folders:
        tables = list(measured(Path(folder)))
        today = [one.pop("today", (0.0, 0.0))[0] for one in tables]
        picks = [max(one.values(), key=lambda pair: pair[1], default=(0.0, 0.0))[0] for one in tables]
        best = [max((true for true, _ in one.values()), default=0.0) for one in tables]
        each = [f"{name} {100 * fmean(one.get(name, (0.0, 0.0))[0] for one in tables):.1f}" for name in NAMES]
        hits = sum(own >= most - 1e-9 for own, most in zip(picks, best, strict=True))
        print(f"{folder}: {len(tables)} tables; F1 of {', '.join(each)}; of the best ones {100 * fmean(best):.1f}")
        print(f"  the measure takes the best of {hits}: F1 {100 * fmean(picks):.1f}; today {100 * fmean(today):.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
