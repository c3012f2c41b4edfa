"""The places of written words against the layer of the file: how many are known, how near, and how far to be believed.

A page is read as the options say, or as a scan: its pixels alone, made worse by a blur of some pixels. Then the file's
text says what is true: the words that it paints, and their boxes. Which word of the file a written one is, is told by
their boxes alone, not by what the program believes.
"""

from __future__ import annotations

import io
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from docspec import accounting
from docspec.core import BBox, PageDraft, PageImage, PageResult, ParseOptions
from docspec.core.account import VisibleWord
from docspec.core.places import HOWS, PlacedWord
from docspec.documents import PageFailure, PageSelection, Source, open_document
from docspec.documents.view import View
from docspec.ledger import visible_words
from docspec.parser import Parser
from docspec.places.words import letters_of

OVERLAP = 0.3
"""Least overlap (IoU) of a written word's box with one of the file for the two to be compared."""

GOOD = 0.7
"""Overlap from which on a box is good."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A written word with its certainty, beside the word of the file that its box lies on: their overlap, and whether
    the letters are the same. ``in_file``: the file has such a word somewhere, or words in its place that are this one
    together; ``beside``: no word of the file is in its place, as in pictures of print; ``is_inserted``: the benchmark
    put it into the text."""

    text: str
    how: str
    certainty: float
    overlap: float
    right: bool
    in_file: bool
    is_inserted: bool = False
    beside: bool = False


@dataclass(slots=True)
class PlacedPage:
    """The judged words of a page; ``seconds`` of placing, and of reading the page."""

    source: str
    page: int
    words: list[Judged] = field(default_factory=list)
    placing: float = 0.0
    reading: float = 0.0


def measure(
    sources: Sequence[Source], options: ParseOptions, blur: float | None = None, noise: float = 0.0
) -> Iterator[PlacedPage]:
    """Every page of ``sources`` that has a text layer. With ``blur`` it is read as a scan, blurred by so many pixels,
    with Gaussian ``noise`` of so many grey levels."""
    placing = _Clock()
    with Parser(options, images=False) as parser, placing:
        for source in sources:
            truth = truth_of(source, options)
            given = source if blur is None else None
            for number, (words, picture) in truth.items():
                began, spent = time.perf_counter(), placing.seconds
                if given is not None:
                    selection = PageSelection(((number, number),))
                    [result] = parser.pages(given, selection)
                else:
                    [result] = parser.parse(_scan(picture, blur or 0.0, noise)).pages
                seconds = time.perf_counter() - began
                page = PlacedPage(source.name, number, [], placing.seconds - spent, seconds)
                page.words += judged(result, words)
                yield page


def judged(result: PageResult, truth: Sequence[VisibleWord]) -> Iterator[Judged]:
    """The words of ``result`` beside those of the file. A word that lies on none of these is right if one of them that
    no other word lies on is the same: each is taken once, so that a second "the" is not right by chance."""
    words = [(word, own) for block in result.blocks for word in block.places if (own := letters_of(word.text))]
    known = Counter(letters_of(word.text) for word in truth)
    pairs = [_nearest(word, truth) for word, _ in words]
    taken = {at for at, overlap in pairs if overlap >= OVERLAP}
    left = Counter(letters_of(word.text) for at, word in enumerate(truth) if at not in taken)
    for (word, own), (at, overlap) in zip(words, pairs, strict=True):
        if overlap >= OVERLAP:
            theirs = letters_of(truth[at].text)
            right = theirs == own or (len(word.boxes) > 1 and theirs in own)
        else:
            right = left[own] > 0
            left[own] -= right
        under = _under(word, truth)
        in_file = own in known or own in "".join(letters_of(one.text) for one in under)
        yield Judged(word.text, word.how, word.certainty, overlap, right, in_file, beside=not under)


def _under(word: PlacedWord, truth: Sequence[VisibleWord]) -> list[VisibleWord]:
    """The words of the file in the boxes of ``word``, box after box from left to right."""
    return [
        one
        for box in word.boxes
        for one in sorted(truth, key=lambda one: one.x0)
        if (common := one.bbox.intersection(box)) is not None and 2 * common.area > min(one.bbox.area, box.area)
    ]


def _nearest(word: PlacedWord, truth: Sequence[VisibleWord]) -> tuple[int, float]:
    """The number of the word of the file on which ``word`` lies most, and their overlap."""
    boxes = word.boxes if word.is_known else ()
    overlaps = ((iou(box, other.bbox), at) for box in boxes for at, other in enumerate(truth))
    overlap, at = max(overlaps, default=(0.0, -1))
    return at, overlap


def iou(one: BBox, other: BBox) -> float:
    """The share (0..1) of what two boxes cover that both cover."""
    common = one.intersection(other)
    return 0.0 if common is None else common.area / (one.area + other.area - common.area)


def truth_of(source: Source, options: ParseOptions) -> dict[int, tuple[list[VisibleWord], PageImage]]:
    """The words that the file paints on each page that has any, and the page's picture."""
    found = {}
    with open_document(source) as document:
        for page in document.pages(options.pages, view=View(options.dpi, witness=visible_words)):
            if isinstance(page, PageFailure) or not page.words:
                continue
            words = [word for word in page.words if not word.hidden and letters_of(word.text)]
            if words:
                found[page.number] = (words, page)
    return found


def _scan(page: PageImage, blur: float, noise: float) -> bytes:
    from benchmarks.degradation import blurred, compressed, noisy

    buffer = io.BytesIO()
    compressed(noisy(blurred(page.image, blur), noise), 60).save(buffer, "PNG")
    return buffer.getvalue()


class _Clock:
    """Counts the seconds of placing words, in this process."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._own = accounting.with_places  # the module's own, which is put back

    def __enter__(self) -> _Clock:
        def timed(result: PageResult, page: PageImage, draft: PageDraft) -> PageResult:
            began = time.perf_counter()
            placed = self._own(result, page, draft)
            self.seconds += time.perf_counter() - began
            return placed

        accounting.with_places = timed
        return self

    def __exit__(self, *_: object) -> None:
        accounting.with_places = self._own


@dataclass(frozen=True, slots=True)
class Summary:
    """What :func:`measure` found, over all words. ``made_up`` counts exact words that the file has not, though it has
    words in their place, ``beside`` those in whose place it has none, so that it is no witness against them;
    ``error`` is the calibration error: the mean distance of certainty and truth, over ten bins."""

    words: int
    hows: Mapping[str, int]
    overlap: float
    good: float
    made_up: int
    beside: int
    error: float
    bins: Sequence[tuple[float, float, int]]
    cost: float
    inserted: Mapping[str, int]

    @classmethod
    def of(cls, pages: Sequence[PlacedPage]) -> Summary:
        everything = [word for page in pages for word in page.words]
        words = [word for word in everything if not word.is_inserted]
        inserted = Counter(word.how for word in everything if word.is_inserted)
        boxed = [word.overlap for word in words if word.how in ("exact", "aligned")]
        bins = []
        for low in range(10):
            own = [word for word in words if low <= min(9, int(10 * word.certainty)) < low + 1]
            if own:
                sure, right = (
                    sum(each) / len(own) for each in zip(*((w.certainty, w.right) for w in own), strict=True)
                )
                bins.append((sure, right, len(own)))
        return cls(
            len(words),
            {how: sum(word.how == how for word in words) for how in HOWS},
            median(boxed) if boxed else 0.0,
            sum(overlap >= GOOD for overlap in boxed) / max(1, len(boxed)),
            sum(word.how == "exact" and not (word.in_file or word.beside) for word in words),
            sum(word.how == "exact" and not word.in_file and word.beside for word in words),
            sum(abs(sure - right) * count for sure, right, count in bins) / max(1, len(words)),
            bins,
            sum(page.placing for page in pages) / max(1e-9, sum(page.reading for page in pages)),
            inserted,
        )


def evidence(pages: Sequence[PlacedPage]) -> list[tuple[str, float, int]]:
    """The share of words that are right by how they were placed: what the table of certainties is made from."""
    words = [word for page in pages for word in page.words if not word.is_inserted]
    kinds = [(how, [word.right for word in words if word.how == how]) for how in HOWS]
    return [(how, sum(right) / len(right), len(right)) for how, right in kinds if right]
