"""docspec's own JSON read back: pages as they were when they were written, without their pixels.

What is rendered from them has the same bytes as what was rendered beside the JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from docspec.core import BBox, Block, Category, Cut, InputError, LeftOut, PageResult, Provenance, Span, TablePart
from docspec.core.account import STATES, Fault, Misplaced, PageAccount, State, Witness, WordRun
from docspec.core.marks import Mark
from docspec.core.paths import open_regular
from docspec.core.places import How, PlacedCell, PlacedWord
from docspec.core.provenance import NumberReadings, SpanMark
from docspec.core.result import PageStatus, Quality, WordsOf
from docspec.core.straightening import Corners, Straightening
from docspec.core.validation import InvalidValues, check_page, parsed_as
from docspec.reporting.jsonout import SCHEMA

MOST_BYTES = 1 << 30
_SHA256 = re.compile("([0-9a-f]{64})?")


@dataclass(frozen=True, slots=True)
class SavedDocument:
    """A document and, for each page, the links of its pictures by block."""

    source: str
    sha256: str
    pages: tuple[PageResult, ...]
    figures: tuple[Mapping[int, str], ...]


def read_document(path: Path) -> SavedDocument:
    """The document in a file that ``--format json`` has written. Raises :class:`InputError` for anything else."""
    try:
        with open_regular(path) as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from error
    if len(data) > MOST_BYTES:
        raise InputError(f"{path}: larger than {MOST_BYTES >> 20} MiB")
    try:
        saved = parsed_as(_Document, data)
    except InvalidValues as error:
        raise _not_ours(path, data, error) from error
    if saved.schema != SCHEMA:
        raise _other_schema(path, saved.schema)
    try:
        pages = tuple(page.result(saved.source) for page in saved.pages)
        if not _SHA256.fullmatch(saved.sha256):
            raise InvalidValues("sha256 is none")
        if len({page.page for page in saved.pages}) < len(saved.pages):
            raise InvalidValues("two pages of one number")
    except InvalidValues as error:
        raise InputError(f"{path}: does not follow {SCHEMA} ({error})") from error
    return SavedDocument(saved.source, saved.sha256, pages, tuple(page.figures for page in saved.pages))


def _not_ours(path: Path, data: bytes, error: InvalidValues) -> InputError:
    """Why ``data`` is no document of docspec's: no JSON, another schema, or values that do not follow it."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return InputError(f"{path}: is not JSON; give it what --format json has written")
    schema = value.get("schema") if isinstance(value, dict) else None
    if schema != SCHEMA:
        return _other_schema(path, schema)
    return InputError(f"{path}: does not follow {SCHEMA} ({error})")


def _other_schema(path: Path, schema: object) -> InputError:
    known = f"has schema {schema[:80]!r}" if isinstance(schema, str) else "is no document of docspec's"
    return InputError(f"{path}: {known}; {SCHEMA} is what --format json writes: read the input again")


_Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    start: int
    end: int
    mark: SpanMark
    draft: str | None = None
    origins: Mapping[str, int] | None = None
    margin: float | None = None

    def span(self) -> Span:
        return Span(self.start, self.end, self.mark, self.draft, tuple((self.origins or {}).items()), self.margin)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    page: int
    bbox: _Box
    rows: int

    def part(self) -> TablePart:
        return TablePart(self.page, BBox(*self.bbox), self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    text: str
    start: int
    end: int
    boxes: tuple[_Box, ...]
    how: How
    certainty: float

    def word(self) -> PlacedWord:
        boxes = tuple(BBox(*box) for box in self.boxes)
        return PlacedWord(self.text, self.start, self.end, self.how, self.certainty, boxes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    start: int
    end: int
    row: int
    column: int
    rows: int = 1
    columns: int = 1
    bbox: _Box | None = None

    def cell(self) -> PlacedCell:
        return PlacedCell(self.start, self.end, self.row, self.column, self.rows, self.columns, _box(self.bbox))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    category: Category
    text: str
    bbox: _Box | None
    bbox_from: Literal["model", "draft", "none"]
    gap: str | None = None
    reread: bool = False
    trusted: int = 0
    words: WordsOf = "model"
    figure: str | None = None
    spans: tuple[_Span, ...] = ()
    marks: tuple[Mark, ...] = ()
    level: int = 0
    points: float = 0.0
    indents: tuple[float, ...] = ()
    unread: bool = False
    parts: tuple[_Part, ...] = ()
    part_of: int = 0
    places: tuple[_Place, ...] = ()
    cells: tuple[_Cell, ...] = ()

    def block(self) -> Block:
        box, gap = _box(self.bbox), self.gap
        known = self.marks, self.level, self.points, self.indents, self.unread
        block = Block(self.category, self.text, box, self.bbox_from, gap, self.reread, self.trusted, self.words, *known)
        return replace(
            block,
            parts=tuple(part.part() for part in self.parts),
            part_of=self.part_of,
            places=tuple(one.word() for one in self.places),
            cells=tuple(one.cell() for one in self.cells),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _LeftOut:
    text: str
    after: int
    bbox: _Box | None
    category: Category | None

    def left_out(self) -> LeftOut:
        return LeftOut(self.text, self.after, _box(self.bbox), self.category)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    source: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Number:
    block: int
    start: int
    end: int
    readings: tuple[_Reading, ...]
    bbox: _Box | None

    def number(self) -> NumberReadings:
        readings = tuple((one.source, one.text) for one in self.readings)
        return NumberReadings(self.block, self.start, self.end, readings, _box(self.bbox))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Provenance:
    drafted: bool
    steps: tuple[int, ...]
    origins: Mapping[str, int]
    left_out: tuple[_LeftOut, ...]
    numbers: tuple[_Number, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    text: str
    bbox: _Box
    rule: str = ""
    block: int = -1

    def run(self, state: State) -> WordRun:
        return WordRun(self.text, BBox(*self.bbox), state, len(self.text.split()), self.block, rule=self.rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Misplaced:
    fault: Fault
    text: str
    bbox: _Box


@dataclass(frozen=True, slots=True, kw_only=True)
class _Account:
    witness: Witness
    words: Mapping[State, int]
    written: tuple[_Run, ...]
    left_out: tuple[_Run, ...]
    changed: tuple[_Run, ...]
    in_picture: tuple[_Run, ...]
    missing: tuple[_Run, ...]
    added: tuple[str, ...]
    displaced: int
    misplaced: tuple[_Misplaced, ...] = ()

    def account(self) -> PageAccount:
        runs = tuple(one.run(state) for state in STATES for one in getattr(self, state))
        hidden = sum(run.count for run in runs if run.state == "written")
        written = self.words.get("written", 0) - hidden
        misplaced = tuple(Misplaced(one.fault, one.text, BBox(*one.bbox)) for one in self.misplaced)
        return PageAccount(self.witness, written, runs, self.added, self.displaced, misplaced=misplaced)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    page: int
    status: PageStatus
    width: int
    height: int
    blocks: tuple[_Block, ...]
    read: Literal["page", "regions"] = "page"
    cut: Cut | None = None
    provenance: _Provenance | None = None
    quality: Quality | None = None
    account: _Account | None = None
    turned: Literal[0, 90, 180, 270] = 0
    sheet: Corners | None = None
    tilt: float = 0.0
    doubtful: str | None = None
    raw: str = ""
    error: str | None = None

    @property
    def figures(self) -> Mapping[int, str]:
        return {index: block.figure for index, block in enumerate(self.blocks) if block.figure is not None}

    def result(self, source: str) -> PageResult:
        saved, provenance, quality = self.provenance, None, None
        if self.quality is not None:
            quality = replace(self.quality, doubtful=self.doubtful)
        if saved is not None:
            provenance = Provenance(
                spans=tuple(tuple(span.span() for span in block.spans) for block in self.blocks),
                left_out=tuple(one.left_out() for one in saved.left_out),
                steps=saved.steps,
                origins=tuple(saved.origins.items()),
                drafted=saved.drafted,
                numbers=tuple(one.number() for one in saved.numbers),
            )
        result = PageResult(
            source,
            self.page,
            self.status,
            text=self.raw,
            blocks=tuple(block.block() for block in self.blocks),
            width=self.width,
            height=self.height,
            read=self.read,
            cut=self.cut,
            error=self.error,
            provenance=provenance,
            quality=quality,
            account=None if self.account is None else self.account.account(),
            seen=Straightening(self.turned // 90, self.sheet, self.tilt),
        )
        check_page(result)
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    schema: str
    source: str
    sha256: str
    pages: tuple[_Page, ...]


def _box(box: _Box | None) -> BBox | None:
    return None if box is None else BBox(*box)
