"""Tables that go on over a page: one table on the page where it begins, with the places of its parts.

Only tables that a layout cut out of their pages are joined: the last thing on a page and the first on the next one,
page headers and footers and pictures without words aside. Their columns stand in the same places and hold the same kind
of entries; the next part repeats the heads, or has none. A model's answer for a whole page stays as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from docspec.core import Block, Category, PageResult, TablePart
from docspec.core.marks import Mark, shifted, within
from docspec.core.running_text import is_left_out
from docspec.reporting.htmlblocks import BlockHtml
from docspec.reporting.tables import Grid, grids
from docspec.reporting.writer import PageWriter

LEFT, RIGHT = 0.03, 0.06
"""Most distance of the left and the right edges of two parts, as a share of the page's width."""

LOW, HIGH = 0.5, 0.5
"""Shares of the page's height: a table that goes on ends below the first, its rest begins above the second."""

MOSTLY = 0.7
"""Least share of the entries of a column of figures that are figures."""

_FIGURE = re.compile(r"[\W\d_]*\d[\W\d_]*(?:[^\W\d_]{1,3}\W*)?")
_YEAR = re.compile(r"(?:19|20)\d\d(?:[-/–]\d{2,4})?")
_TOTAL = re.compile(r"(?:(?:grand )?totals?|sum|(?:gesamt)?summe|gesamt|insgesamt|totale)\b", re.I)
_CONTINUED = re.compile(r"\b(?:continued|cont(?:'d|\.)|fortsetzung|suite|continua(?:ción|zione)?)\b", re.I)
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL | re.I)
_END = re.compile(r"\s*(?:</tbody>)?\s*</table>\s*$", re.I)
_TH = re.compile(r"(</?)th\b", re.I)
_EMPTY = frozenset({"", "-", "–", "—"})


class TableJoiner:
    """Takes pages one by one and gives them back as soon as no table on them can go on."""

    def __init__(self) -> None:
        self._held: list[PageResult] = []  # the page with the open table, and those that hold nothing but more of it

    def add(self, page: PageResult) -> list[PageResult]:
        """The pages that are complete now that ``page`` is known."""
        ready: list[PageResult] = []
        if self._held:
            both = _joined(self._held[0], self._held[-1], page)
            if both is not None:
                self._held[0], page = both
            if both is not None and _is_part(page):
                self._held.append(page)
                return []
            ready = self._held
            self._held = []
        if _open_table(page) is None:
            return [*ready, page]
        pictured = any(block.category is Category.PICTURE for block in page.blocks)
        self._held = [page if pictured else replace(page, image=None)]
        return ready

    def end(self) -> list[PageResult]:
        """The pages that are still held."""
        held, self._held = self._held, []
        return held


def with_joined_tables(pages: Iterable[PageResult]) -> Iterator[PageResult]:
    """``pages`` of a document in order, with tables that go on joined."""
    joiner = TableJoiner()
    for page in pages:
        yield from joiner.add(page)
    yield from joiner.end()


class JoinedTables(PageWriter):
    """Gives another writer the pages of a document with tables that go on joined."""

    def __init__(self, writer: PageWriter) -> None:
        self._writer = writer
        self._joiner = TableJoiner()

    @property
    def files(self) -> Sequence[Path]:  # type: ignore[override]
        return self._writer.files

    @property
    def remarks(self) -> Sequence[str]:  # type: ignore[override]
        return self._writer.remarks

    def begin(self) -> None:
        self._writer.begin()

    def add(self, result: PageResult) -> None:
        for page in self._joiner.add(result):
            self._writer.add(page)

    def commit(self) -> None:
        for page in self._joiner.end():
            self._writer.add(page)
        self._writer.commit()

    def discard(self) -> None:
        self._writer.discard()


def _content(page: PageResult) -> list[tuple[int, Block]]:
    """What stands on a page between its header and its footer, pictures without words aside."""
    return [
        (index, block)
        for index, block in enumerate(page.blocks)
        if not is_left_out(block, page.blocks)
        and not (block.category is Category.PICTURE and not block.text.strip())
        and (block.text.strip() or block.part_of)
    ]


def _is_table(block: Block) -> bool:
    return block.category is Category.TABLE and block.gap is None and block.bbox is not None and not block.part_of


def _open_table(page: PageResult) -> int | None:
    """The number of the block of a table that ``page`` ends with."""
    content = _content(page)
    if page.status != "ok" or page.provenance is not None or not content or not _is_table(content[-1][1]):
        return None
    index, block = content[-1]
    return index if block.bbox is not None and block.bbox.y1 >= LOW * page.height else None


def _is_part(page: PageResult) -> bool:
    """Whether ``page`` holds nothing but a part of a table of a page before."""
    return all(block.part_of for _, block in _content(page))


def _joined(first: PageResult, last: PageResult, page: PageResult) -> tuple[PageResult, PageResult] | None:
    """``first`` with the table that it ends with, whose last part is on ``last``, and with the rest of it from
    ``page``; that page without the rest. ``None`` if it does not go on there."""
    at = _open_table(first)
    content = _content(page)
    if content and _is_note(content[0][1]):
        del content[0]
    if at is None or page.status != "ok" or page.provenance is not None or not content:
        return None
    index, rest = content[0]
    table = first.blocks[at]
    if page.number != last.number + 1 or not _is_table(rest) or rest.bbox is None or table.bbox is None:
        return None
    part = table.parts[-1].bbox if table.parts else table.bbox
    wide = (first.width, first.seen.turns) == (page.width, page.seen.turns)
    apart = abs(part.x0 - rest.bbox.x0) > LEFT * page.width or abs(part.x1 - rest.bbox.x1) > RIGHT * page.width
    if not wide or apart or rest.bbox.y0 > HIGH * page.height:
        return None
    upper, lower = grids(table), grids(rest)
    heads = heads_repeated(upper[0], lower[0]) if len(upper) == len(lower) == 1 else None
    if heads is None:
        return None
    whole = _one(table, rest, heads)
    parts = table.parts or (TablePart(first.number, table.bbox, upper[0].rows),)
    whole = replace(whole, parts=(*parts, TablePart(page.number, rest.bbox, lower[0].rows - heads)))
    left = replace(_without_offsets(rest), text="", marks=(), part_of=first.number)
    return _with_block(first, at, whole), _with_block(page, index, left)


def _is_note(block: Block) -> bool:
    """Whether ``block`` says of the table below it that it is continued."""
    return block.category in (Category.TEXT, Category.CAPTION) and bool(_CONTINUED.search(block.text[-40:]))


def _with_block(page: PageResult, index: int, block: Block) -> PageResult:
    return replace(page, blocks=(*page.blocks[:index], block, *page.blocks[index + 1 :]))


def heads_repeated(upper: Grid, lower: Grid) -> int | None:
    """How many rows at the top of ``lower``, the rest of ``upper``, are heads again; ``None`` if it is another
    table."""
    above, below = upper.lines(), lower.lines()
    if not above or not below or len(above[0]) != len(below[0]) or len(above[0]) < 2:
        return None
    first = next((text for text in above[-1] if text), "")
    if _TOTAL.match(_plain(first)):
        return None
    heads = 0
    while heads < min(len(above), len(below)) and _same(above[heads], below[heads]):
        heads += 1
    if heads == len(below):
        return None
    body = above[heads or max(_head_rows(upper), 1) :]
    kinds = [_kind(column) for column in zip(*(body or above), strict=True)]
    others = [_kind(column) for column in zip(*below[heads:], strict=True)]
    if any("" not in pair and pair[0] != pair[1] for pair in zip(kinds, others, strict=True)):
        return None
    if heads:
        return heads
    return 0 if body and "figure" in kinds and not _is_head(below[0], above[0], kinds) else None


def _head_rows(grid: Grid) -> int:
    """How many rows at the top consist of heads."""
    bodies = [cell.row for cell in grid.cells if not cell.header]
    return min(bodies, default=grid.rows)


def _plain(text: str) -> str:
    return re.sub(r"[*_`:]", "", text).strip()


def _same(one: Sequence[str], other: Sequence[str]) -> bool:
    texts = ["".join(_plain(text).split()).casefold() for text in (*one, *other)]
    return texts[: len(one)] == texts[len(one) :] and any(texts)


def _kind(column: Iterable[str]) -> str:
    """``figure``, ``text``, or nothing for a column without entries."""
    filled = [plain for text in column if (plain := _plain(text)) not in _EMPTY]
    figures = sum(_FIGURE.fullmatch(text) is not None for text in filled)
    return "" if not filled else "figure" if figures >= MOSTLY * len(filled) else "text"


def _is_head(row: Sequence[str], head: Sequence[str], kinds: Sequence[str]) -> bool:
    """Whether ``row`` has heads over columns of figures: words, or years where ``head`` has years."""
    over = [(_plain(a), _plain(b)) for a, b, kind in zip(row, head, kinds, strict=True) if kind == "figure"]
    if any(text not in _EMPTY and not _FIGURE.fullmatch(text) for text, _ in over):
        return True
    return any(_YEAR.fullmatch(text) and _YEAR.fullmatch(other) for text, other in over)


def _one(table: Block, rest: Block, heads: int) -> Block:
    """``table`` with the rows of ``rest`` after its first ``heads`` ones."""
    if not table.text.lstrip().startswith("<") and not rest.text.lstrip().startswith("<"):
        lines = rest.text.rstrip("\n").split("\n")
        headless = not lines[0].strip("| ")
        rows = lines[2 + heads :] if headless else [lines[0], *lines[2:]][heads:]
        before = table.text.rstrip("\n") + "\n"
        start = len("\n".join(lines[: heads + 1 + headless])) + 1 if heads or headless else -1
        return replace(table, text=before + "\n".join(rows), marks=_marks(table, rest, start, len(before)))
    upper, lower = (one.text if one.text.lstrip().startswith("<") else _html(one) for one in (table, rest))
    rows = [_TH.sub(r"\1td", row) for row in _ROW.findall(lower)[heads:]]
    end = _END.search(upper)
    cut = end.start() if end else len(upper)
    table = table if upper == table.text else replace(_without_offsets(table), marks=())
    return replace(table, text=upper[:cut] + "".join(rows) + upper[cut:])


def _without_offsets(block: Block) -> Block:
    """``block`` whose words and cells keep their places on the page: its text is written elsewhere."""
    places = tuple(replace(word, start=0, end=0) for word in block.places)
    return replace(block, places=places, cells=tuple(replace(cell, start=0, end=0) for cell in block.cells))


def _marks(table: Block, rest: Block, start: int, place: int) -> tuple[Mark, ...]:
    """The marks of ``table`` and those of ``rest`` from ``start`` on, which stands at ``place`` now."""
    if start < 0:
        return table.marks
    return (*table.marks, *shifted(within(rest.marks, start, len(rest.text)), place))


def _html(table: Block) -> str:
    """A table of bars as HTML on one line."""
    html = "".join(line.strip() for line in BlockHtml().render(table).split("\n"))
    return html[html.find("<table") : html.rfind("</table>") + len("</table>")]
