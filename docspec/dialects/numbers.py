"""Finds numbers on which independent readings of a page differ: the output, the text layer and the recognition are
compared word by word.

The sense of a text does not tell which of two numbers is right, so every such number gets a mark.
"""

from __future__ import annotations

from collections.abc import Sequence

from docspec.core import BBox, Block, PageDraft, Region, Span
from docspec.core.provenance import NumberReadings
from docspec.core.result import WordsOf
from docspec.dialects.alignment import MOST_PAIRS, Alignment
from docspec.dialects.text import clean, join_lines
from docspec.dialects.words import Word, words_of

SOURCES: dict[str, WordsOf] = {
    "text-layer": "text layer",
    "rapidocr": "recognition",
    "tesseract": "recognition",
    "ppstructure": "recognition",
}
"""The source of each drafter's words."""


def differing_numbers(blocks: Sequence[Block], draft: PageDraft) -> list[NumberReadings]:
    """The numbers of ``blocks`` in whose place a reading of ``draft`` from another source has something else, and the
    words in whose place it has a number, in the order of the blocks."""
    ours = [words_of(block.text) for block in blocks]
    differing: dict[tuple[int, int], NumberReadings] = {}
    for reading in range(2):
        texts = [_reading(region, draft.drafter, reading) for region in draft.regions]
        words = [(word, text, number) for number, (text, _) in enumerate(texts) for word in words_of(text)]
        if not words or sum(map(len, ours)) * len(words) > MOST_PAIRS:
            continue
        keys = [[word.key for word in block] for block in ours]
        aligned = Alignment(keys, [word.key for word, _, _ in words])
        for number, ((first, last), block, own) in enumerate(zip(aligned.blocks, blocks, ours, strict=True)):
            for place in sorted({place for place in aligned.places[first:last] if place is not None}):
                theirs = words[place.low : place.high]
                region = draft.regions[theirs[0][2]]
                source = texts[theirs[0][2]][1]
                mine = own[place.first - first : place.last - first]
                if place.equal or source == block.words or not _is_number([*mine, *(word for word, _, _ in theirs)]):
                    continue
                other_text = " ".join(text[word.start : word.end] for word, text, _ in theirs)
                key = number, mine[0].start
                written = block.text[mine[0].start : mine[-1].end]
                known = differing.get(key) or NumberReadings(
                    number, mine[0].start, mine[-1].end, ((block.words, written),), _place(region, other_text, written)
                )
                differing[key] = NumberReadings(
                    number, known.start, known.end, (*known.readings, (source, other_text)), known.bbox
                )
    return [differing[key] for key in sorted(differing)]


def with_numbers(spans: Sequence[Span], numbers: Sequence[NumberReadings]) -> list[Span]:
    """The ``spans`` of a block with every one of its ``numbers`` marked: those that another reading agrees with get a
    span of their own, marked ``differs``."""
    result = list(spans)
    for one in numbers:
        index = next((at for at, span in enumerate(result) if span.start <= one.start < span.end), None)
        if index is None or result[index].mark == "corrected":
            continue
        span, readings = result[index], "; ".join(text for _, text in one.readings[1:])
        end = min(one.end, span.end)
        parts = [
            Span(span.start, one.start, span.mark, span.draft),
            Span(one.start, end, "differs", readings),
            Span(end, span.end, span.mark, span.draft),
        ]
        result[index : index + 1] = [part for part in parts if part.start < part.end]
    return result


def _reading(region: Region, drafter: str, number: int) -> tuple[str, str]:
    """One of two readings of ``region``, the first drafter's (``number`` 0) or the second's, and its source."""
    first, _, second = drafter.partition("+")
    if not region.texts or (number and not second):
        return "", ""
    text = region.texts[-1 if number else 0]
    source: str | None = SOURCES.get(second) if number else region.words or SOURCES.get(first)
    return join_lines(clean(text)), source or "draft"


def _is_number(words: Sequence[Word]) -> bool:
    return any(char.isdigit() for word in words for char in word.key)


def _place(region: Region, *readings: str) -> BBox:
    """The box of the line of ``region`` that has one of the ``readings``, else that of the region."""
    lines = (line for text in readings for line in region.lines if text in line.text)
    return next((line.bbox for line in lines), region.bbox)
