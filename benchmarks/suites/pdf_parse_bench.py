"""pdf-parse-bench (Pius Horn): pages made of random prose and the tables of real papers, which are its truth as LaTeX.

Published as ``ground_truth/NAME.json`` beside ``pdfs/NAME.pdf``. Its own judge is a language model; here each table has
the F1 of its adjacency relations (:mod:`benchmarks.adjacency`), whose words are compared by their ASCII letters,
figures and points alone, as alike from 0.8 on. A true table takes the table of its document with the likest words, and
counts 0 without one. Tabulars without any rule are mostly none to a reader (authors, lines of one cell, programs), so
that those with one have a figure of their own. Formulas are left out.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from rapidfuzz import fuzz

from benchmarks.adjacency import Relation, relations_of
from benchmarks.latex_tables import tabular
from benchmarks.suites.item import Item, Scores
from docspec.core import InputError
from docspec.dialects.markdown_blocks import parse_blocks
from docspec.dialects.tables import Table, parse_table
from docspec.documents.mupdf import mupdf

ALIKE, SHORT = 80, 3
"""Likeness (%) from which on the words of two cells are the same, and letters up to which they must be equal."""
FOUND = 30
"""Least likeness (%) of all words of two tables."""

_COMMAND = re.compile(r"\\[A-Za-z]+")

_COLUMNS = r"\\begin\{[a-z*]+\}(?:\[\w\])?(?:\{[^{}|]*\\\w+\})?\{(?:[^{}|]|\{[^{}]*\})*\|"
_RULE = re.compile(rf"\\(?:hline|cline|Xhline|[a-z]*rule)\b|{_COLUMNS}")
"""A rule between rows, or an upright one among the columns of a tabular."""

Truth = tuple[tuple[Table, str, bool], ...]
"""The tables of a document with how complex each is called, and whether it has a rule."""


class PdfParseBench:
    """The folder ``tables`` of the data set, or a folder that has one."""

    name = "pdf-parse-bench"
    title = "tables of pdf-parse-bench"

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "tables" if (folder / "tables" / "ground_truth").is_dir() else folder

    @classmethod
    def fits(cls, folder: Path) -> bool:
        return any((one / "ground_truth").is_dir() and (one / "pdfs").is_dir() for one in (folder, folder / "tables"))

    def items(self) -> Sequence[Item]:
        found = []
        for file in sorted((self._folder / "ground_truth").glob("*.json")):
            pdf = self._folder / "pdfs" / f"{file.stem}.pdf"
            if not pdf.exists():
                continue
            truth = truth_in(file)
            with mupdf().open(pdf) as document:
                pages = range(1, document.page_count + 1)
            found += [
                Item(f"{file.stem}_pg{page}", pdf, "table", page, {"document": file.stem}, truth) for page in pages
            ]
        return found

    def score(self, items: Sequence[Item], outputs: Mapping[str, str]) -> Scores:
        truths: dict[str, Truth] = {item.attributes["document"]: item.truth for item in items}
        written: dict[str, list[Table]] = {name: [] for name in truths}
        for item in items:
            blocks = parse_blocks(outputs.get(item.id, ""))
            tables = (parse_table(block.text) for block in blocks if block.category == "Table")
            written[item.attributes["document"]] += [table for table in tables if table is not None]
        each = [
            (kind, ruled, found)
            for name, truth in truths.items()
            for table, kind, ruled in truth
            if (found := score_of(table, written[name])) is not None
        ]
        if not each:
            return Scores({})
        values = [value for *_, value in each]
        of_ruled = [value for _, ruled, value in each if ruled]
        kinds = sorted({kind for kind, *_ in each})
        mean = 100 * fmean(values)
        return Scores(
            {
                "F1": mean,
                "perfect": 100 * fmean(value > 0.999 for value in values),
                "below 0.5": float(sum(value < 0.5 for value in values)),
                "tables": float(len(values)),
                "F1 with a rule": 100 * fmean(of_ruled or [0.0]),
                "tables with a rule": float(len(of_ruled)),
            },
            overall=mean,
            overall_name="F1 of adjacency relations (%), mean over tables",
            by_kind={kind: 100 * fmean(value for own, _, value in each if own == kind) for kind in kinds},
            kind_figure="F1 of adjacency relations (%)",
        )


def truth_in(file: Path) -> Truth:
    """The tables of ``ground_truth/NAME.json``. Raises :class:`InputError` where it is no such file."""
    try:
        told = [one for one in json.loads(file.read_text(encoding="utf-8")) if one["type"] == "table"]
        return tuple(
            (tabular(one["data"]), one.get("complexity", "table"), _RULE.search(one["data"]) is not None)
            for one in told
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{file}: is no truth of pdf-parse-bench ({error!r})") from error


def score_of(truth: Table, written: Sequence[Table]) -> float | None:
    """F1 (0..1) of the likest of the tables ``written``; None for a truth of fewer than two cells with words."""
    cells = [text for cell, _ in truth.places() if (text := words_of(cell.text))]
    if len(cells) < 2:
        return None
    whole = " ".join(cells)
    likest, best = 0.0, None
    for table in written:
        like = fuzz.token_sort_ratio(whole, " ".join(words_of(cell.text) for cell, _ in table.places()))
        if like > likest:
            likest, best = like, table
    if best is None or likest <= FOUND:
        return 0.0
    true, own = relations_of(truth, words_of), relations_of(best, words_of)
    if not true:
        return float(not own)
    return 2 * shared(true, own) / (true.total() + own.total())


def shared(true: Counter[Relation], own: Counter[Relation]) -> int:
    """How many relations two tables share, equal ones first, then alike ones."""
    equal = true & own
    count, left = equal.total(), list((own - equal).elements())
    for relation in (true - equal).elements():
        alike = (one for one in left if one[2] == relation[2] and all(map(_alike, one[:2], relation[:2])))
        if (found := next(alike, None)) is not None:
            left.remove(found)
            count += 1
    return count


def words_of(text: str) -> str:
    """What of a cell is compared: no commands of LaTeX, of which a cell may be made."""
    plain = unicodedata.normalize("NFKC", _COMMAND.sub(" ", text)).lower()
    return "".join(sign for sign in plain if sign.isascii() and (sign.isalnum() or sign == "."))


def _alike(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) > SHORT and fuzz.ratio(one, other) >= ALIKE)
