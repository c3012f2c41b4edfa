"""Rows of cells that stand in columns, at least one of them a column of figures: a table without drawn lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from docspec.core import BBox, Category
from docspec.drafting.close_heads import parts_over

ROWS = 3
"""Least number of rows with several cells in a table."""

GUTTER = 0.5
"""Least distance of two columns, in heights of a line."""

ASTRAY = 0.15
"""Share of the rows that may have a cell in a gutter: sums and headings of groups reach over columns."""

FILLED = 0.6
"""Least share of the rows that a column of figures fills, and least share of figures among its cells."""

USED, BARE = 0.65, 0.95
"""Least share of filled cells in rows and columns. Without words, figures below each other may be sums or
matrices."""

LONG = 60
"""A column is running text from this median number of characters of its cells on."""

FULL, WORDY = 0.85, 25
"""A column is running text if its lines have at least this share of its width, and so many characters, on average."""

_SIGNS = "€$£¥"
_UNIT = rf"(?:%|‰|°[CF]?|[{_SIGNS}]|[^\W\d_]{{1,3}}[²³]?(?:/[^\W\d_]{{1,3}})?)"
_NUMBER = r"(?:[1-9]\d{0,2}(?:[ .,'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,:]\d+)*(?:,?[-–—])?)"
_FIGURE = re.compile(rf"(?:(?:[{_SIGNS}]|[A-Z]{{3}})\s?)?[-+−–±<>≈~]?\s?{_NUMBER}(?:\s?{_UNIT})?[*†‡]*")
_NEGATIVE = re.compile(rf"\(\s?(?=.*\d\D*\d){_NUMBER}(?:\s?{_UNIT})?\s?\)")
_NOTHING = re.compile(r"[-–—.·]*|n/?a|\([A-Z]\)", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d(?:[-/–]\d{2,4})?")
_BETWEEN = re.compile(r"\s+|(?<=\d)\s?[-–±]\s?(?=\d)|±")
_NOTE = re.compile(r"\s(?:\d{1,2}/|[a-z])$")
_LED = re.compile(r"(?:\s?[.·…_]){3,}\s*$")
_TYPED = re.compile(r"[-–—_=\s]{3,}")
_WORD = re.compile(r"[^\W\d_]{2}")
_RELATIONS = frozenset("=<>≤≥≠≈∼∈→+−-±·×")  # a column of nothing else has the signs of equations below each other
_WHOLE = re.compile(r"\(?(\d{1,4})\)?")


@dataclass(frozen=True, slots=True)
class Cell:
    """A run of words without a wide gap, of the line with the number ``line``, which the region ``owner`` of a
    ``category`` claims (one of its own if no region does)."""

    bbox: BBox
    text: str
    line: int
    owner: int
    category: Category
    words: tuple[tuple[BBox, str], ...] = ()


CellRow = Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Columns:
    """A table: its rows as they stand, the texts of its cells by rows, and the left and right edges of its columns.
    ``headed``: its first row holds the heads of the columns."""

    rows: tuple[tuple[Cell, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    edges: tuple[tuple[float, float], ...]
    headed: bool


def is_figure(text: str) -> bool:
    """Whether ``text`` is a number, with its sign, currency or unit."""
    return (_FIGURE.fullmatch(text) or _NEGATIVE.fullmatch(text)) is not None


def is_of_body(text: str) -> bool:
    """Whether a cell holds figures, of one row or of several, ranges and marks of footnotes among them, that are no
    year: such cells are no heads."""
    if is_year(text):
        return False
    figures = [part for part in _BETWEEN.split(_NOTE.sub("", text)) if part]
    return is_figure(text) or (bool(figures) and all(map(is_figure, figures)))


def is_year(text: str) -> bool:
    """Whether ``text`` is a year, or one after the other."""
    return _YEAR.fullmatch(text) is not None


def stands_for_none(text: str) -> bool:
    """Whether a cell says that there is no figure."""
    return _NOTHING.fullmatch(text) is not None


def columns_of_figures(rows: Sequence[CellRow], above: Sequence[CellRow] = ()) -> Columns | None:
    """The table of ``rows`` (top to bottom), with the heads of its columns from the rows ``above`` them (nearest
    first); ``None`` if they are no table. Columns of running text beside it are left out."""
    height = median(cell.bbox.height for row in rows for cell in row)
    edges = _without_prose(_with_signs(_edges(rows, GUTTER * height), rows), rows)
    kept = [row for row in (_within(row, edges) for row in rows) if row]
    if len(edges) < 2 or not kept or not _is_whole(kept, rows):
        return None
    texts = [_texts(row, edges) for row in kept]
    if not _is_table(texts):
        return None
    rules: list[tuple[Cell, ...]] = []
    headed = False
    for line in above:
        row = tuple(cell for cell in line if edges[0][0] < cell.bbox.x1 and cell.bbox.x0 < edges[-1][1] + height)
        if row and all(_TYPED.fullmatch(cell.text) for cell in row):
            rules.append(row)
            continue
        heads = _heads(row, edges, headed, bool(rules)) or _close_heads(row, edges)
        if not heads:
            break
        for rule in rules:
            kept.insert(0, rule)
            texts.insert(0, _texts(rule, edges))
        rules.clear()
        headed = True
        kept.insert(0, row)
        texts.insert(0, tuple(heads.get(number, "") for number in range(len(edges))))
    figures = _figure_columns(texts)
    headed = not any(is_figure(texts[0][number]) for number in figures) and any(texts[0][number] for number in figures)
    return Columns(tuple(kept), tuple(texts), tuple(edges), headed)


def _edges(rows: Sequence[CellRow], gutter: float) -> list[tuple[float, float]]:
    """Left and right edges of the columns between the gutters of ``rows``."""
    boxes = [cell.bbox for row in rows if len(row) > 1 for cell in row]
    most = int(ASTRAY * sum(len(row) > 1 for row in rows))
    steps = sorted([(box.x0, 1) for box in boxes] + [(box.x1, -1) for box in boxes])
    columns: list[tuple[float, float]] = []
    covered, left = 0, 0.0
    for x, step in steps:
        if covered <= most < covered + step:
            left = x
        elif covered + step <= most < covered:
            columns.append((left, x))
        covered += step
    merged: list[tuple[float, float]] = []
    for x0, x1 in columns:
        if merged and x0 - merged[-1][1] < gutter:
            merged[-1] = (merged[-1][0], x1)
        else:
            merged.append((x0, x1))
    return merged


def _with_signs(edges: list[tuple[float, float]], rows: Sequence[CellRow]) -> list[tuple[float, float]]:
    """``edges`` with columns that hold nothing but signs of currencies joined to the amounts after them."""
    columns = list(zip(*(_texts(row, edges) for row in rows), strict=True))
    joined: list[tuple[float, float]] = []
    left: float | None = None
    for number, (x0, x1) in enumerate(edges):
        signs = number + 1 < len(edges) and set(columns[number]) <= {"", *_SIGNS}
        if signs and left is None:
            left = x0
        elif not signs:
            joined.append((x0 if left is None else left, x1))
            left = None
    return joined


def _without_prose(edges: list[tuple[float, float]], rows: Sequence[CellRow]) -> list[tuple[float, float]]:
    """``edges`` from the last column of running text left of the figures to the first one right of them."""
    texts = [_texts(row, edges) for row in rows]
    figures = _figure_columns(texts)
    if not figures:
        return []
    prose = [number for number in range(len(edges)) if number not in figures and _is_prose(number, edges, rows)]
    first = max((number + 1 for number in prose if number < figures[0]), default=0)
    last = min((number for number in prose if number > figures[0]), default=len(edges))
    return edges[first:last]


def _is_prose(number: int, edges: Sequence[tuple[float, float]], rows: Sequence[CellRow]) -> bool:
    """Whether the column ``number`` is running text: its lines are long, or fill it."""
    cells = [cell for row in rows for cell in row if _column_of(cell.bbox, edges) == number]
    if not cells or 2 * sum(_LED.search(cell.text) is not None for cell in cells) > len(cells):
        return False
    x0, x1 = edges[number]
    letters = median(len(cell.text) for cell in cells)
    full = sum(cell.bbox.width for cell in cells) / len(cells) >= FULL * (x1 - x0)
    return letters > LONG or (len(cells) > 2 and full and letters >= WORDY)


def _column_of(box: BBox, edges: Sequence[tuple[float, float]]) -> int | None:
    """The first column that holds more than half of ``box``, or the one that holds the most of it."""
    shared = [min(box.x1, x1) - max(box.x0, x0) for x0, x1 in edges]
    if not shared or max(shared) <= 0:
        return None
    return shared.index(max(shared))


def _within(row: CellRow, edges: Sequence[tuple[float, float]]) -> tuple[Cell, ...]:
    return tuple(cell for cell in row if _column_of(cell.bbox, edges) is not None)


def _is_whole(kept: Sequence[CellRow], rows: Sequence[CellRow]) -> bool:
    """Whether no line was divided."""
    inside = {cell.line for row in kept for cell in row}
    count = sum(len(row) for row in kept)
    return count == sum(cell.line in inside for row in rows for cell in row)


def _texts(row: CellRow, edges: Sequence[tuple[float, float]]) -> tuple[str, ...]:
    texts = [""] * len(edges)
    for cell in sorted(row, key=lambda cell: (cell.bbox.x0, cell.bbox.y0)):
        number = _column_of(cell.bbox, edges)
        if number is not None:
            texts[number] = f"{texts[number]} {cell.text}".strip()
    return tuple(texts)


def _figure_columns(texts: Sequence[Sequence[str]]) -> list[int]:
    """The numbers of the columns, the first one aside, of figures that do not count the rows."""
    return [
        number
        for number, column in enumerate(zip(*texts, strict=True))
        if number and _are_figures(column, len(column)) and not _counts(column)
    ]


def _are_figures(column: Sequence[str], least: int = 0) -> bool:
    filled = [text for text in column if not _NOTHING.fullmatch(text)]
    return sum(map(is_figure, filled)) >= FILLED * max(len(filled), least, 1)


def _counts(column: Sequence[str]) -> bool:
    """Whether a column counts its rows."""
    matches = [_WHOLE.fullmatch(text) for text in column if text]
    numbers = [int(one[1]) for one in matches if one]
    return len(numbers) == len(matches) > 1 and all(b - a == 1 for a, b in pairwise(numbers))


def _is_table(texts: Sequence[Sequence[str]]) -> bool:
    figures = _figure_columns(texts)
    if not figures or sum(sum(map(bool, row)) > 1 for row in texts) < ROWS or _is_contents(texts, figures):
        return False
    columns = list(zip(*texts, strict=True))
    worded = [_are_words(column) for column in columns]
    used = sum(bool(text) for row in texts for text in row) / sum(len(row) for row in texts)
    plain = all(words or _are_figures(column, len(column)) for words, column in zip(worded, columns, strict=True))
    equations = any(set(column) - {""} <= _RELATIONS for column in columns)
    return used >= (USED if any(worded) else BARE) and (plain or any(worded)) and not equations


def _are_words(column: Sequence[str]) -> bool:
    filled = [text for text in column if text]
    return sum(_WORD.search(text) is not None for text in filled) >= max(1, FILLED * len(filled))


def _is_contents(texts: Sequence[Sequence[str]], figures: Sequence[int]) -> bool:
    """Whether the columns ``figures`` number a table of contents, the last one its pages: they rise."""
    columns = [[text for text in (row[number] for row in texts) if text] for number in figures]
    if not all(map(_WHOLE.fullmatch, columns[-1])) or len(columns[-1]) < ROWS:
        return False
    numbers = [[[int(part) for part in re.findall(r"\d+", text)] for text in column] for column in columns]
    return all(a <= b for column in numbers for a, b in pairwise(column))


def _are_in_order(boxes: Sequence[BBox], edges: Sequence[tuple[float, float]]) -> bool:
    """Whether each of ``boxes`` stands between the columns beside its own, however far from its figures."""
    return all(
        (number == 0 or box.x0 >= edges[number - 1][1]) and (number + 1 == len(edges) or box.x1 <= edges[number + 1][0])
        for number, box in enumerate(boxes)
    )


def _heads(row: CellRow, edges: Sequence[tuple[float, float]], wide: bool, ruled: bool) -> dict[int, str]:
    """The texts of the cells of ``row``, by the column below; empty if a cell stands over no column or over several,
    unless heads of several columns may be ``wide``; heads
    are figures only where a typed rule below them sets them apart (``ruled``)."""
    if len(row) == len(edges) > 1 and _are_in_order([cell.bbox for cell in row], edges):
        heads = {number: cell.text for number, cell in enumerate(row)}
        return heads if ruled or sum(map(is_figure, heads.values())) <= 1 else {}
    heads = {}
    for cell in row:
        apart = [max(x0 - cell.bbox.x1, cell.bbox.x0 - x1) for x0, x1 in edges]
        number = apart.index(min(apart))
        if apart[number] > cell.bbox.height or number in heads or (sum(gap < 0 for gap in apart) > 1 and not wide):
            return {}
        heads[number] = cell.text
    return heads if len(heads) > 1 and (ruled or sum(map(is_figure, heads.values())) <= 1) else {}


def _close_heads(row: CellRow, edges: Sequence[tuple[float, float]]) -> dict[int, str]:
    """The heads of a ``row`` that stand closer than cells do, one over each column; empty without."""
    words = sorted((word for cell in row for word in cell.words), key=lambda word: word[0].x0)
    parts = [words[first:last] for first, last in parts_over([box for box, _ in words], edges)]
    texts = [" ".join(text for _, text in part) for part in parts]
    return {} if any(map(is_of_body, texts)) else dict(enumerate(texts))
