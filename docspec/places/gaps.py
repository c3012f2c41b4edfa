"""Places words that the page has otherwise: between words that are known, letter by letter.

Letters of both sides are aligned by their least edits. So a word that the print breaks, one that is written in two, and
one that is misread all get the boxes of the letters that stand in their place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from rapidfuzz.distance import Levenshtein

from docspec.core import BBox
from docspec.core.places import How
from docspec.ledger.atoms import folded
from docspec.places.words import PrintedWord, WrittenWord, letters_of

ALIKE = 0.5
"""Least share of a word's letters that are those of the print in its place, for the two to be one word."""

MOST = 20_000_000
"""Most pairs of letters that are compared in one gap."""


@dataclass(frozen=True, slots=True)
class Found:
    """The place of a written word: the boxes, how they are known, the printed words behind it, and the share of its
    letters that these have. ``has_letters``: it is a word of the print letter by letter, alone or with neighbours
    from which the print does not part it."""

    how: How
    boxes: tuple[BBox, ...] = ()
    words: tuple[PrintedWord, ...] = ()
    likeness: float = 0.0
    has_letters: bool = False


def placed_in(gap: Sequence[PrintedWord], written: Sequence[WrittenWord], anchored: bool) -> list[Found | None]:
    """The places of ``written`` words in a ``gap`` of the page; ``None`` for those for which it has nothing.
    ``anchored``: a neighbour of the gap is known on either side."""
    theirs, ours = _letters([word.text for word in gap]), _letters([word.text for word in written])
    counts = len(gap) == len(written)
    if not theirs or not ours or len(theirs) * len(ours) > MOST:
        if counts and anchored:  # signs that the file does not tell, as many as were written
            return [Found("aligned", (word.box,), (word,)) for word in gap]
        return [None] * len(written)
    reached: dict[int, list[int]] = defaultdict(list)
    equal: dict[int, int] = defaultdict(int)
    for code in Levenshtein.opcodes([one.key for one in theirs], [one.key for one in ours]):
        if code.tag == "delete":  # letters of the page for which there are none
            continue
        size, room = code.dest_end - code.dest_start, code.src_end - code.src_start
        for step in range(size if room else 0):
            at = ours[code.dest_start + step].word
            reached[at].append(code.src_start + min(step, room - 1))
            equal[at] += code.tag == "equal"
    sizes = Counter(one.word for one in ours)
    found: list[Found | None] = []
    for number, word in enumerate(written):
        places = reached.get(number)
        if not places:
            found.append(None)
            continue
        own = [theirs[at] for at in range(places[0], places[-1] + 1)]
        pieces = _pieces(own)
        words = tuple(gap[at] for at, _, _ in pieces)
        boxes = boxes_of([(gap[at], start, end) for at, start, end in pieces])
        printed = "".join(gap[at].text[start:end] for at, start, end in pieces)
        likeness = equal[number] / max(len(own), sizes[number])
        if likeness == 1.0 and _is_whole(gap, pieces) and letters_of(printed) == letters_of(word.text):
            found.append(Found("exact", boxes, words, 1.0))
        elif likeness >= ALIKE:
            found.append(Found("aligned", boxes, words, likeness))
        elif counts and anchored:
            found.append(Found("aligned", (gap[number].box,), (gap[number],), likeness))
        else:
            found.append(Found("inferred", boxes, words, likeness) if anchored else None)
    return found


@dataclass(frozen=True, slots=True)
class _Letter:
    key: str
    word: int
    at: int


def _letters(texts: Sequence[str]) -> list[_Letter]:
    """The letters and figures of ``texts``, folded, with the word and the character that they are."""
    return [
        _Letter(key, number, at)
        for number, text in enumerate(texts)
        for has_letters in (any(map(str.isalnum, text)),)
        for at, sign in enumerate(text)
        if (sign.isalnum() or not has_letters) and (key := folded(sign))
    ]


def _pieces(letters: Sequence[_Letter]) -> list[tuple[int, int, int]]:
    """The words of ``letters`` with the stretch of characters that they are of each."""
    spans: dict[int, list[int]] = {}
    for one in letters:
        span = spans.setdefault(one.word, [one.at, one.at + 1])
        span[1] = one.at + 1
    return [(word, *span) for word, span in spans.items()]  # type: ignore[misc]


def _is_whole(gap: Sequence[PrintedWord], pieces: Sequence[tuple[int, int, int]]) -> bool:
    """Whether ``pieces`` are whole words of the page, so that the word is no part of another."""
    first, last = pieces[0], pieces[-1]
    before, behind = gap[first[0]].text[: first[1]], gap[last[0]].text[last[2] :]
    return not any(map(str.isalnum, before + behind))


def boxes_of(pieces: Sequence[tuple[PrintedWord, int, int]]) -> tuple[BBox, ...]:
    """The boxes of parts of printed words, those that touch in one line together. A part that takes all letters of its
    word has the signs beside them, too."""
    boxes: list[BBox] = []
    for word, start, end in pieces:
        if not any(map(str.isalnum, word.text[:start])):
            start = 0
        if not any(map(str.isalnum, word.text[end:])):
            end = len(word.text)
        box = word.part(start, end)
        if boxes and boxes[-1].in_row_with(box) and _is_near(boxes[-1], box):
            boxes[-1] = BBox.union((boxes[-1], box))
        else:
            boxes.append(box)
    return tuple(boxes)


def _is_near(one: BBox, other: BBox) -> bool:
    return -one.shared_width(other) < 2 * max(one.height, other.height)


def spread(words: Sequence[WrittenWord], left: BBox, right: BBox) -> list[BBox] | None:
    """The boxes of ``words`` in the white between two in one line, by their lengths; ``None`` without a line."""
    if not left.in_row_with(right) or right.x0 - left.x1 < 0.2 * left.height:
        return None
    lengths = [len(word.text) + 1 for word in words]
    reached = list(accumulate(lengths, initial=0))
    edges = [left.x1 + (right.x0 - left.x1) * at / reached[-1] for at in reached]
    top, bottom = min(left.y0, right.y0), max(left.y1, right.y1)
    return [BBox(x0, top, x1, bottom) for x0, x1 in pairwise(edges)]
