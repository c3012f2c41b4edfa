"""How right reading by regions is on real pages: each region against the text layer below it, tables and formulas
aside.

For born-digital files, whose text layer says what is printed; or for a picture of the same pages, drafted and read as a
scan. Lines of the layer that no region covers count as left out; what is written where the layer has nothing (a word
within a drawing) is counted apart, since nobody knows whether it is right.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from rapidfuzz.distance import Levenshtein

from benchmarks.degradation import degraded_page
from docspec.core import BBox, Category, PageImage, Region
from docspec.dialects.text import join_lines, straight_quotes
from docspec.documents import PageFailure, Source, open_document
from docspec.drafting.lines import TextLine, printed_lines
from docspec.drafting.lines import join_lines as printed_text
from docspec.drafting.page_lines import page_lines
from docspec.hierarchy.page_state import page_of
from docspec.hierarchy.regions.joining import region_text
from docspec.hierarchy.regions.regions_read import RegionsRead
from docspec.parser import Parser

ASIDE = frozenset({Category.TABLE, Category.FORMULA, Category.PICTURE})
_MARKS = re.compile(r"(?m)^(?:#{1,6} |[-•*] )")
_ALIKE = str.maketrans("–—−‐\u00ad∗", "-----*")


@dataclass(frozen=True, slots=True)
class LayerPage:
    """One page: ``characters`` of the text layer outside tables and formulas, ``errors`` of them (edits), ``beyond``
    characters written where the layer has none, ``seconds`` from pixels to text, the draft included."""

    source: str
    page: int
    characters: int
    errors: int
    beyond: int
    regions: int
    crops: int
    layout: str
    seconds: float


def measure(
    parser: Parser, sources: Sequence[Source], degradation: tuple[str, float] | None = None
) -> Iterator[LayerPage]:
    """Reads the chosen pages of ``sources`` by regions; with a ``degradation`` (``kind``, ``value``) as pictures.

    Raises :class:`docspec.core.PageError` for a page that cannot be drawn.
    """
    page_parser = parser.page_parser
    for source in sources:
        with open_document(source) as document:
            for page in parser.page_images(document, parser.options.pages):
                if isinstance(page, PageFailure):
                    raise page.error
                lines = layer_lines(page)
                shown = page if degradation is None else degraded_page(page, *degradation)
                start = perf_counter()
                drafted = page_parser.draft(shown)
                if drafted.error is not None:
                    raise drafted.error
                found = page_parser.regions.cut(page_of(drafted), drafted.draft)
                page_parser.regions.answer(found)
                seconds = perf_counter() - start
                counts = compared(lines, found.regions, texts_of(found, parser))
                yield LayerPage(
                    page.source,
                    page.number,
                    *counts,
                    len(found.regions),
                    len(found.crops),
                    drafted.draft.layout,
                    seconds,
                )


def compared(lines: Sequence[TextLine], regions: Sequence[Region], texts: Sequence[str]) -> tuple[int, int, int]:
    """Characters of ``lines`` outside tables and formulas, edits between them and the ``texts`` of their regions, and
    characters written where there are no lines."""
    own: list[list[TextLine]] = [[] for _ in regions]
    errors = characters = beyond = 0
    for line in lines:
        index = owner_of(line.bbox, regions)
        if index is None:
            errors += len(plain(line.text))
            characters += len(plain(line.text))
        else:
            own[index].append(line)
    for region, mine, text in zip(regions, own, texts, strict=True):
        if region.category in ASIDE:
            continue
        truth, written = plain(join_lines(printed_text(printed_lines(mine)))), plain(text)
        if not truth:
            beyond += len(written)
            continue
        characters += len(truth)
        errors += Levenshtein.distance(truth, written)
    return characters, errors, beyond


def plain(text: str) -> str:
    """``text`` without Markdown's marks at line beginnings, kinds of quotes and dashes, and runs of white space. Two
    single quotes are a double one, and the asterisk of formulas is that of keyboards, which they look like."""
    bare = straight_quotes(unicodedata.normalize("NFKC", text)).translate(_ALIKE)
    return " ".join(_MARKS.sub("", bare).replace("''", '"').split())


def layer_lines(page: PageImage) -> list[TextLine]:
    """The upright lines of the page's text layer, in pixels; rules of dots and dashes are none."""
    if page.pdf_page is None:
        return []
    found = (line for line in page_lines(page.pdf_page) if any(map(str.isalnum, line.text)))
    return [replace(line, bbox=line.bbox.scaled(page.scale)) for line in found if not line.hidden and not line.turns]


def owner_of(line: BBox, regions: Sequence[Region]) -> int | None:
    """The smallest region around the middle of ``line``."""
    around = [(region.bbox.area, index) for index, region in enumerate(regions) if region.bbox.has_center_of(line)]
    return min(around)[1] if around else None


def texts_of(found: RegionsRead, parser: Parser) -> list[str]:
    """What was written for each region, listings as running text: their fences and indents are none of the reader's."""
    pieces: list[list] = [[] for _ in found.regions]
    for crop, answer in zip(found.crops, found.answers, strict=True):
        pieces[crop.region].append((answer.text, crop.piece))
    regions = [replace(region, listing=False) for region in found.regions]
    return list(map(region_text, regions, pieces))
