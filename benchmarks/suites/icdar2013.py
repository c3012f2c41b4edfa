"""The ICDAR 2013 table competition (Göbel et al.): born-digital documents with the cells of their tables, by people.

Published as ``NAME.pdf`` with ``NAME-str.xml`` (cells) and ``NAME-reg.xml`` (places of tables, which the cells tell,
too). ``NAMEb-str.xml`` without a PDF of its own is a second truth for ``NAMEa.pdf``: the better one counts.

An item is a page, also one without tables: what is falsely called a table there counts. Tables are told by their words,
since Markdown has no places: location by letters (complete: all of the truth's are written in one table; pure: no
others), structure by adjacency relations (:mod:`benchmarks.adjacency`). Recall and precision are those of the complete
process, of each document, averaged over documents with tables in the truth. A table's region on a page of its own is a
table of that page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from xml.etree import ElementTree

from benchmarks.adjacency import Found, TableMarks, compared, marks_of, tables_in
from benchmarks.suites.item import Item, Scores
from docspec.core import InputError
from docspec.dialects.tables import Table, TableCell
from docspec.documents.mupdf import mupdf

SUFFIX = "-str.xml"

Truth = tuple[tuple[TableMarks, ...], ...]
"""The tables of a page, once for each truth that was published."""


class Icdar2013:
    """The data set in a folder, with one or both of its parts (``eu-*``, ``us-*``)."""

    name = "icdar2013"
    title = "ICDAR 2013 table competition"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def fits(cls, folder: Path) -> bool:
        return any(folder.glob(f"*{SUFFIX}")) and any(folder.glob("*.pdf"))

    def items(self) -> Sequence[Item]:
        found = []
        for pdf in sorted(self._folder.glob("*.pdf")):
            files = _truths_of(pdf)
            pages = [truth_in(file) for file in files]
            if not pages:
                continue
            with mupdf().open(pdf) as document:
                count = document.page_count
            for page in range(1, count + 1):
                truth: Truth = tuple(tuple(one.get(page, ())) for one in pages)
                id_ = f"{pdf.stem}_pg{page}"
                found.append(Item(id_, pdf, pdf.stem.partition("-")[0], page, {"document": pdf.stem}, truth))
        return found

    def score(self, items: Sequence[Item], outputs: Mapping[str, str]) -> Scores:
        whole: dict[str, list[Found]] = {}
        kinds: dict[str, str] = {}
        for item in items:
            document, written = item.attributes["document"], tables_in(outputs.get(item.id, ""))
            sums = whole.setdefault(document, [Found()] * len(item.truth))
            whole[document] = [a + compared(written, b) for a, b in zip(sums, item.truth, strict=True)]
            kinds[document] = item.kind
        each = {name: max(sums, key=_f1) for name, sums in whole.items() if any(one.true for one in sums)}
        if not each:
            return Scores({})
        recall, precision = (fmean(of(one) for one in each.values()) for of in (_recall, _precision))
        total = sum(each.values(), Found())
        return Scores(
            {
                "recall": 100 * recall,
                "precision": 100 * precision,
                "F1": 100 * harmonic_mean(recall, precision),
                "complete tables": 100 * total.complete / total.truths,
                "pure tables": 100 * total.pure / total.tables if total.tables else 0.0,
                "documents": float(len(each)),
            },
            overall=100 * harmonic_mean(recall, precision),
            overall_name="F1 of adjacency relations, recall and precision averaged over documents (%)",
            by_kind={name: 100 * _f1(one) for name, one in sorted(each.items())},
            kind_figure="F1 of adjacency relations (%) by document",
        )


def truth_in(file: Path) -> dict[int, tuple[TableMarks, ...]]:
    """The tables of ``NAME-str.xml`` by page (from 1). Raises :class:`InputError` where it is no such file."""
    found: dict[int, list[TableMarks]] = {}
    try:
        for region in ElementTree.parse(file).getroot().iter("region"):
            cells = {_place(cell): " ".join((cell.findtext("content") or "").split()) for cell in region.iter("cell")}
            found.setdefault(int(region.attrib["page"]), []).append(marks_of(_table(cells)))
    except (ElementTree.ParseError, KeyError, ValueError) as error:
        raise InputError(f"{file}: is no truth of the ICDAR 2013 table competition ({error!r})") from error
    return {page: tuple(tables) for page, tables in found.items()}


Place = tuple[int, int, int, int]
"""First row, first column, last row, last column of a cell."""


def _place(cell: ElementTree.Element) -> Place:
    row, column = int(cell.attrib["start-row"]), int(cell.attrib["start-col"])
    return row, column, int(cell.get("end-row", row)), int(cell.get("end-col", column))


def _table(cells: Mapping[Place, str]) -> Table:
    """``cells`` as rows, with empty cells where none is."""
    top, left = min((place[0] for place in cells), default=0), min((place[1] for place in cells), default=0)
    taken = {
        (y, x): place for place in cells for y in range(place[0], place[2] + 1) for x in range(place[1], place[3] + 1)
    }
    rows = []
    for y in range(top, 1 + max((row for row, _ in taken), default=-1)):
        row = []
        for x in range(left, 1 + max((column for _, column in taken), default=-1)):
            place = taken.get((y, x))
            if place is None:
                row.append(TableCell(""))
            elif place[:2] == (y, x):
                row.append(TableCell(cells[place], colspan=place[3] - x + 1, rowspan=place[2] - y + 1))
        rows.append(tuple(row))
    return Table(tuple(rows))


def _truths_of(pdf: Path) -> list[Path]:
    """The truths of ``pdf``: its own, and of ``NAMEa.pdf`` those of ``NAMEb`` and so on without a PDF."""
    stems = [pdf.stem]
    if pdf.stem.endswith("a"):
        others = (f"{pdf.stem[:-1]}{letter}" for letter in "bcdef")
        stems += [other for other in others if not pdf.with_name(f"{other}.pdf").exists()]
    return [file for stem in stems if (file := pdf.with_name(stem + SUFFIX)).is_file()]


def _recall(found: Found) -> float:
    return found.right / found.true if found.true else 1.0


def _precision(found: Found) -> float:
    return found.right / found.written if found.written else 0.0


def _f1(found: Found) -> float:
    return harmonic_mean(_recall(found), _precision(found))


def harmonic_mean(one: float, other: float) -> float:
    """The harmonic mean of two shares."""
    return 2 * one * other / (one + other) if one + other else 0.0
