"""Compares the words of a page's blocks with those of its draft.

The blocks are compared with the first readings of all drafted regions, one after the other; where these have other
words than the model, a further reading may still have the model's. :mod:`docspec.dialects.words` says what a word is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rapidfuzz.distance import Levenshtein

from docspec.core import Block, PageDraft, Region
from docspec.core.provenance import LeftOut, Span
from docspec.dialects.alignment import MOST_PAIRS, Alignment
from docspec.dialects.text import clean, join_lines
from docspec.dialects.words import Word, words_of

MOST_READINGS = 3
"""The most further readings that are compared."""


@dataclass(frozen=True, slots=True)
class DraftedWord:
    """A word of the draft: its ``key``, its text as drafted, and the number of its region (-1: none)."""

    key: str
    text: str
    region: int


def agreement(blocks: Sequence[Block], draft: PageDraft) -> tuple[list[list[Span]], list[LeftOut]] | None:
    """The spans of each block, without origins, and what the model left out; ``None`` if the draft has no words or the
    page has too many."""
    depth = max((len(region.texts) for region in draft.regions), default=0)
    readings = [_reading(draft.regions, number) for number in range(depth)]
    readings = [one for one in (*readings, *map(_whole, draft.page_texts)) if one]
    ours = [words_of(block.text) for block in blocks]
    keys = [[word.key for word in block] for block in ours]
    if not readings or sum(map(len, keys)) * len(readings[0]) > MOST_PAIRS:
        return None
    first = readings[0]
    alignment = Alignment(keys, [word.key for word in first])
    others = readings[1 : 1 + MOST_READINGS]
    confirmed = _confirmed(alignment, others)
    spans = [
        list(_spans(alignment, block, words, first, confirmed))
        for block, words in zip(alignment.blocks, ours, strict=True)
    ]
    return spans, list(_left_out(alignment, first, draft.regions))


def _reading(regions: Sequence[Region], number: int) -> list[DraftedWord]:
    """The words of the reading ``number`` of every region that has so many, in order."""
    return [
        word
        for place, region in enumerate(regions)
        if number < len(region.texts)
        for word in _drafted(region.texts[number], place)
    ]


def _whole(text: str) -> list[DraftedWord]:
    return list(_drafted(text, -1))


def _drafted(text: str, region: int) -> Iterator[DraftedWord]:
    text = join_lines(clean(text))
    return (DraftedWord(word.key, text[word.start : word.end], region) for word in words_of(text))


def _confirmed(alignment: Alignment, others: Sequence[Sequence[DraftedWord]]) -> set[int]:
    """The words that another reading has, although the first one has others or none in their place."""
    doubted = {at for at, place in enumerate(alignment.places) if place is None or not place.equal}
    confirmed: set[int] = set()
    for words in others if doubted else ():
        if len(words) * len(alignment.words) <= MOST_PAIRS:
            for code in Levenshtein.opcodes(alignment.words, [word.key for word in words]):
                if code.tag == "equal":
                    confirmed |= doubted.intersection(range(code.src_start, code.src_end))
    return confirmed


def _spans(
    alignment: Alignment,
    block: tuple[int, int],
    words: Sequence[Word],
    drafted: Sequence[DraftedWord],
    confirmed: set[int],
) -> Iterator[Span]:
    """Runs of a block's words of one kind, and the drafted words left out between two of them."""
    first, last = block

    def kind(place: int) -> object:
        counterpart = alignment.places[place]
        if counterpart is None:
            return "agreed" if place in confirmed else "model"
        return "agreed" if counterpart.equal else counterpart

    at = first
    while at < last:
        omitted = alignment.between(at) if at > first else None
        start = words[at - first].start
        if omitted is not None:
            yield Span(start, start, "draft", _spaced(drafted[slice(*omitted)]))
        what, end = kind(at), at + 1
        while end < last and kind(end) == what and alignment.between(end) is None:
            end += 1
        place, stop = alignment.places[at], words[end - 1 - first].end
        if what == "agreed":
            yield Span(start, stop, "agreed")
        elif place is None:
            yield Span(start, stop, "model")
        else:
            sure = all(each in confirmed for each in range(at, end))
            yield Span(start, stop, "agreed" if sure else "corrected", _spaced(drafted[place.low : place.high]))
        at = end


def _left_out(alignment: Alignment, drafted: Sequence[DraftedWord], regions: Sequence[Region]) -> Iterator[LeftOut]:
    """Runs of unused words outside all blocks, one for each region that they lie in."""
    owners = [-1] * len(drafted)  # the block of the last used word before each
    inner = [False] * len(drafted)
    for number, (first, last) in enumerate(alignment.blocks):
        for at in range(first, last):
            place = alignment.places[at]
            if place is not None:
                owners[place.low : place.high] = [number] * (place.high - place.low)
            between = alignment.between(at) if at > first else None
            if between is not None:
                inner[slice(*between)] = [True] * (between[1] - between[0])
    for at in range(1, len(owners)):
        if not alignment.used[at]:
            owners[at] = owners[at - 1]

    def kind(at: int) -> tuple[bool, int, int]:
        return alignment.used[at] or inner[at], drafted[at].region, owners[at]

    for (known, number, owner), run in groupby(range(len(drafted)), key=kind):
        text = "" if known else _spaced([drafted[at] for at in run])
        if any(map(str.isalnum, text)):
            if number < 0:
                yield LeftOut(text, owner)
            else:
                yield LeftOut(text, owner, regions[number].bbox, regions[number].category)


def _spaced(words: Sequence[DraftedWord]) -> str:
    """The text of drafted words, without a space before a sign that ends a word or behind one that opens one."""
    joined = ""
    for word in words:
        joined += word.text if not joined or word.text in ".,;:!?)%" or joined[-1] == "(" else f" {word.text}"
    return joined
