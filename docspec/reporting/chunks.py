"""A document in pieces for retrieval, as JSON lines: each with its page, its box and the headings above it.

A piece is running text of one page under one heading, up to ``MOST`` characters. A table or a formula is a piece of its
own; a longer block is not cut. Page headers and footers are left out unless they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from docspec.core import BBox, Block, Category, PageResult
from docspec.core.safe_text import dump_json
from docspec.reporting.headings import HEADING, LEVELS, HeadingLevels
from docspec.reporting.markdown import block_markdown
from docspec.reporting.placed_lines import line_box, lines_of
from docspec.reporting.renderer import Layout, Renderer, visible_blocks

MOST = 1200

_ALONE = (Category.TABLE, Category.FORMULA, Category.CAPTION, Category.FOOTNOTE)


@dataclass(slots=True)
class _Chunk:
    category: Category
    numbers: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    boxes: list[BBox] = field(default_factory=list)
    lines: list[BBox] = field(default_factory=list)


class ChunkRenderer(Renderer):
    """Writes ``{"source", "page", "blocks", "category", "bbox", "headings", "text"}`` lines; ``blocks`` are the numbers
    of the page's blocks (from 0), ``bbox`` surrounds them in page-image pixels (null where unknown). Where words have
    places, ``lines`` are the boxes of their lines, for a viewer to mark."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._source = ""
        self._headings: list[tuple[int, str]] = []
        self._levels = HeadingLevels()

    def begin(self, source: str, sha256: str) -> str:
        self._source = source
        return ""

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        return "".join(self._lines(self._levels.page(result)))

    def _lines(self, result: PageResult) -> Iterator[str]:
        chunk: _Chunk | None = None
        for number, block in visible_blocks(result, self._layout):
            text = block_markdown(block).strip()
            if not text:
                continue
            level = _level(block, text)
            alone = block.category in _ALONE
            if chunk is not None and (
                level or alone or chunk.category in _ALONE or sum(map(len, chunk.texts)) + len(text) > MOST
            ):
                yield self._line(result, chunk)
                chunk = None
            if level:
                self._headings = [one for one in self._headings if one[0] < level]
                self._headings.append((level, text.lstrip("#").strip()))
                continue
            chunk = chunk or _Chunk(block.category)
            chunk.numbers.append(number)
            chunk.texts.append(text)
            chunk.boxes += [] if block.bbox is None else [block.bbox]
            chunk.lines += map(line_box, lines_of(block))
        if chunk is not None:
            yield self._line(result, chunk)

    def _line(self, result: PageResult, chunk: _Chunk) -> str:
        values = {
            "source": self._source,
            "page": result.number,
            "blocks": chunk.numbers,
            "category": chunk.category.value,
            "bbox": list(BBox.union(chunk.boxes).rounded()) if chunk.boxes else None,
            "headings": [text for _, text in self._headings],
            "text": "\n\n".join(chunk.texts),
        }
        lines = {"lines": [list(line.rounded()) for line in chunk.lines]} if chunk.lines else {}
        return dump_json(values | lines) + "\n"


def _level(block: Block, text: str) -> int:
    """The level of a heading (from 1), 0 for everything else."""
    if block.category not in LEVELS:
        return 0
    marks = HEADING.match(text)
    return len(marks[1]) if marks else LEVELS[block.category]
