"""Which words are right, kind of region by kind: those that are known of a region, or those that the model reads in it.

The text layer below says what is printed. On born-digital pages it is itself what is known, so that the model's misses
are told; on pictures of the same pages what is known is recognised. Regions of which a line was recognised without
certainty are told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks.degradation import degraded_page
from benchmarks.layer import layer_lines, owner_of, texts_of
from benchmarks.word_counts import WordCounts, counted
from docspec.core import ParseOptions, Region
from docspec.documents import PageFailure, Source, open_document
from docspec.drafting.lines import TextLine
from docspec.hierarchy.page_state import page_of
from docspec.hierarchy.regions.evidence import is_sure, known_text
from docspec.parser import Parser
from docspec.targets.model_profile import UNSURE


@dataclass(frozen=True, slots=True)
class KindOfRegion:
    """A region of ``kind``: its words as they were ``known``, from ``source``, and as they were ``read``, each held
    against the text layer."""

    kind: str
    source: str
    known: WordCounts
    read: WordCounts


def measure(sources: Sequence[Source], options: ParseOptions, blur: float) -> Iterator[KindOfRegion]:
    """The regions of all chosen pages, whose model reads each of them; with a ``blur`` as pictures. Regions without
    known words, and those below which the layer has none, are left out."""
    with Parser(replace(options, words="model", read="regions")) as parser:
        pages = parser.page_parser
        for source in sources:
            with open_document(source, options.password) as document:
                for page in parser.page_images(document, options.pages):
                    if isinstance(page, PageFailure):
                        continue
                    lines = layer_lines(page)
                    shown = degraded_page(page, "blur", blur) if blur else page
                    drafted = pages.draft(shown)
                    if drafted.error is not None or not lines:
                        continue
                    found = pages.regions.cut(page_of(drafted), drafted.draft)
                    pages.regions.answer(found)
                    yield from _compared(lines, found.regions, texts_of(found, parser))


def _compared(lines: Sequence[TextLine], regions: Sequence[Region], read: Sequence[str]) -> Iterator[KindOfRegion]:
    layers: list[list[str]] = [[] for _ in regions]
    for line in lines:
        index = owner_of(line.bbox, regions)
        if index is not None:
            layers[index].append(line.text)
    for region, own, text in zip(regions, layers, read, strict=True):
        if own and region.texts and region.words is not None:
            layer = "\n".join(own)
            kind = region.category.value if is_sure(region) else UNSURE
            known = counted(layer, known_text(region))
            yield KindOfRegion(kind, region.words, known, counted(layer, text))


def by_kind(regions: Sequence[KindOfRegion]) -> dict[tuple[str, str], tuple[int, WordCounts, WordCounts]]:
    """How many regions there are of each source and kind, and the sums of their known words and of those read."""
    sums: dict[tuple[str, str], tuple[int, WordCounts, WordCounts]] = {}
    for one in sorted(regions, key=lambda one: (one.source, one.kind)):
        count, known, read = sums.get((one.source, one.kind), (0, WordCounts(), WordCounts()))
        sums[one.source, one.kind] = count + 1, known + one.known, read + one.read
    return sums
