"""Finds a quoted text on the pages of a result, with the boxes of its words: what a viewer marks.

Letters and figures are compared, not case, white space or punctuation. If nobody wrote the text so, the stretch of
words that is most like it is found, if it is like enough.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from docspec.core import BBox, PageResult
from docspec.core.places import PlacedWord
from docspec.ledger.atoms import folded
from docspec.places.words import WrittenWord, written_words

LIKE = 0.85
"""Least likeness (0..1) of a text to what is found for it."""

LEAST = 8
"""Letters of a text that is found by its likeness; a shorter one is like too much."""

MOST = 100
"""Most places of one text on a page."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """A text where it stands: its ``page``, the block and the characters of it in which it begins and ends, its
    ``boxes`` in pixels of the page's image, of ``width`` x ``height``, one for each line, and its words as they are
    written. ``likeness`` is 1 for the same letters; ``certainty`` is that of its least certain word."""

    page: int
    text: str
    boxes: tuple[BBox, ...]
    block: int
    start: int
    end_block: int
    end: int
    width: int
    height: int
    likeness: float = 1.0
    certainty: float = 0.0


def locate(result: PageResult | Iterable[PageResult], text: str) -> list[Quotation]:
    """Where ``text`` stands in ``result``, a page or a document, in the order of the pages. Pages that were read
    without ``places`` have the boxes of blocks. Empty if it is nowhere, or has neither letters nor figures."""
    pages = [result] if isinstance(result, PageResult) else list(result)
    wanted = _letters(text)
    if not wanted:
        return []
    written = [_Written.of(page) for page in pages]
    found = [one for page in written for one in page.same(wanted)]
    if found or len(wanted) < LEAST:
        return found
    alike = [one for page in written if (one := page.alike(wanted)) is not None]
    best = max((one.likeness for one in alike), default=0.0)
    return [one for one in alike if one.likeness >= best - 0.02]


def _letters(text: str) -> str:
    return "".join(folded(sign) for sign in text if sign.isalnum())


@dataclass(frozen=True, slots=True)
class _Written:
    """The words of a page one after the other, with their blocks; ``letters`` are those of all, ``starts`` the places
    at which words begin in them."""

    page: PageResult
    words: Sequence[tuple[int, PlacedWord]]
    letters: str
    starts: Sequence[int]

    @classmethod
    def of(cls, page: PageResult) -> _Written:
        words, parts, starts = [], [], []
        length = 0
        for number, block in enumerate(page.blocks):
            for word in block.places or _of_block(block.bbox, written_words(block)):
                own = _letters(word.text)
                if own:
                    words.append((number, word))
                    parts.append(own)
                    starts.append(length)
                    length += len(own)
        return cls(page, words, "".join(parts), starts)

    def same(self, wanted: str) -> Iterator[Quotation]:
        """The places at which whole words are ``wanted``."""
        at, count = self.letters.find(wanted), 0
        ends = {*self.starts, len(self.letters)}
        while at >= 0 and count < MOST:
            if at in ends and at + len(wanted) in ends:
                yield self._quotation(at, at + len(wanted), 1.0)
                count += 1
            at = self.letters.find(wanted, at + 1)

    def alike(self, wanted: str) -> Quotation | None:
        """The stretch of words that is most like ``wanted``."""
        found = fuzz.partial_ratio_alignment(wanted, self.letters, score_cutoff=100 * LIKE)
        if found is None or len(self.letters) < len(wanted) * LIKE:
            return None
        start = min(self.starts, key=lambda at: abs(at - found.dest_start))
        ends = [at for at in (*self.starts, len(self.letters)) if at > start]
        return self._quotation(start, min(ends, key=lambda at: abs(at - found.dest_end)), found.score / 100)

    def _quotation(self, start: int, end: int, likeness: float) -> Quotation:
        first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1) - 1
        run = self.words[first : last + 1]
        words = [word for _, word in run]
        return Quotation(
            self.page.number,
            " ".join(word.text for word in words),
            _by_lines([box for word in words for box in word.boxes]),
            run[0][0],
            words[0].start,
            run[-1][0],
            words[-1].end,
            self.page.width,
            self.page.height,
            round(likeness, 3),
            min(word.certainty for word in words),
        )


def _of_block(box: BBox | None, words: Iterable[WrittenWord]) -> Iterator[PlacedWord]:
    for word in words:
        boxes = () if box is None else (box,)
        yield PlacedWord(word.text, word.start, word.end, "block", 0.0, boxes)


def _by_lines(boxes: Iterable[BBox]) -> tuple[BBox, ...]:
    """Boxes of neighbouring words of one line together."""
    lines: list[BBox] = []
    for box in boxes:
        if (
            lines
            and lines[-1].in_row_with(box)
            and -lines[-1].shared_width(box) < 2 * max(lines[-1].height, box.height)
        ):
            lines[-1] = BBox.union((lines[-1], box))
        else:
            lines.append(box)
    return tuple(lines)
