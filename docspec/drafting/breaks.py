"""Line breaks that are meant: addresses, receipts, pairs of labels and values. A line of prose ends where its next word
does not fit; a line that ends well before is a line of its own, or the end of a text. So are those of a region that has
typed rules, or amounts at the ends of many lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.core.draft import stacked
from docspec.core.geometry import runs_of
from docspec.core.marks import carried

SLACK = 1.5
"""Sizes of type by which the next word must fit."""

FAR = 0.25
"""Share of the column's width that the first of only two lines leaves free."""

SHORT = 0.5
"""Share of the column's width at which no line of prose ends."""

SET_APART = 1.1
"""Distance of two lines over that of the lines of a paragraph from which on they stand apart."""

OTHER_SIZE = 1.3
"""Ratio of two sizes of type from which on lines are of different texts."""

LONGEST = 60
"""Most characters of such a line."""

LINES = 3
"""Least lines of another region that show where a column ends."""

WORDS = 4
"""Most words of such lines, on average, where all are nearly as long: more may be prose in a narrow column."""

FEWEST, MANY = 2, 4
"""Most words of a line, on average, of which no column of prose is made, and least such lines."""

HYPHENS = "-\u00ad\u2010"
_ENDS = ".!?:;)”\"'»。！？"
PAIR = re.compile(r"[^\W\d_][^:.!?]{0,40}:\s+\S")
_NUMBERED = re.compile(r"(\(?(\d{1,3})[.)])(?:\s+\S|[^\W\d])")
TYPED_RULE = re.compile(r"([-=_*.~–—+#])(?: ?\1){4,}")
_AMOUNT = re.compile(r"(?<![\w.,])[-+−]?\d{1,3}(?:[.,'’ ]?\d{3})*[.,]\d{2}(?:\s?[A-Z€$£]{1,3})?$")
AMOUNTS = 0.4
"""Least share of lines that end in an amount."""

_ENTRY = re.compile(r"[^\w\s]*(?:[A-ZÀ-ÖØ-Þ\u0391-\u03a9\u0410-\u042f\d]|[\w-]+:\s|\S+@\S|www\.|https?:)")
"""How a line begins that is a text of its own: with a capital, a number, a label, an address."""
FEW = 5
"""Most words of entries, on average."""

MOST_END = 0.6
"""Least share of longer lines that end early."""

CENTRED = 0.5
"""Most difference of the middles of centred lines, in sizes of their type."""

_TICK = re.compile(r"\[[ x]\]\s")
"""A box to tick: its answer is a text of its own."""

_LINE = re.compile(r"(\d{1,3})[a-z]? +[^\W\d]")
"""The number of a line of a form, and its text."""


def with_items(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which text whose lines are numbered in order is a list. A wide number may touch its text."""
    return [part for region in regions for part in _items(region)]


def _items(region: Region) -> list[Region]:
    found = [_NUMBERED.match(line.text) for line in region.lines]
    numbers = [int(match[2]) for match in found if match is not None]
    counts = len(numbers) == len(found) > 1 and all(b == a + 1 for a, b in pairwise(numbers))
    if not counts or region.category is not Category.TEXT or region.listing:
        return [region]
    lines = []
    for line, match in zip(region.lines, found, strict=True):
        assert match is not None
        text = f"{line.text[: match.end(1)]} {line.text[match.end(1) :].lstrip()}"
        lines.append(replace(line, text=text, marks=carried(line.marks, line.text, text)))
    return [replace(with_lines(region, [line]), category=Category.LIST_ITEM) for line in lines]


def with_one_size(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which text is parted where the size of its type changes: a sender's small line above an
    address, a note below a text."""
    return [part for region in regions for part in _of_one_size(region)]


def _of_one_size(region: Region) -> list[Region]:
    lines = region.lines
    if not _is_joined(region) or region.words != "text layer":
        return [region]

    def is_like(line: PrintedLine, below: PrintedLine) -> bool:
        small, large = sorted((line.size, below.size))
        if not small or line.turns or below.turns:
            return True
        return large < OTHER_SIZE * small or line.bbox.y1 > below.bbox.y1

    parts = runs_of(lines, is_like)
    return [region] if len(parts) == 1 else [with_lines(region, part) for part in parts]


def with_breaks(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which text is marked whose lines are not to be joined."""
    return [replace(region, broken=True) if _is_broken(region, regions) else region for region in regions]


def with_short_lines(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which single lines of text below each other, as close as those of a paragraph, that all end in
    the first half of their column are one text with breaks: the lines of an address or of a title of court."""
    pitch = pitch_of(regions)

    def goes_on(first: Region, second: Region) -> bool:
        a, b = first.lines[-1:], second.lines[:1]
        if not (a and b and pitch and _is_short(first, regions) and _is_short(second, regions)):
            return False
        height = max(a[0].bbox.height, b[0].bbox.height)
        level = abs(a[0].bbox.x0 - b[0].bbox.x0) < 0.5 * height
        return level and 0 < min(b[0].bbox.y0 - a[0].bbox.y0, b[0].bbox.y1 - a[0].bbox.y1) < SET_APART * pitch

    result: list[Region] = []
    for run in runs_of(regions, goes_on):
        if len(run) >= LINES:
            run = [replace(stacked(run), confidence=min(region.confidence for region in run), broken=True)]
        result += run
    return result


def with_ends(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which text whose lines are joined is parted behind lines that end far before the others, though
    the next word, which begins a text of its own, would fit (labels with values above a sentence, two paragraphs), and
    before boxes to tick and numbers that count on."""
    return [part for region in regions for part in _parted(region)]


def _is_joined(region: Region) -> bool:
    """Whether ``region`` is text of several lines that are joined, and has no other reading."""
    text = region.category is Category.TEXT and not (region.listing or region.broken) and len(region.lines) > 1
    return text and region.texts == ("\n".join(line.text for line in region.lines),)


def _parted(region: Region) -> list[Region]:
    lines = region.lines
    if not _is_joined(region) or any(line.turns for line in lines):
        return [region]
    left, edge = min(line.bbox.x0 for line in lines), max(line.bbox.x1 for line in lines)
    size = median(line.size or line.bbox.height for line in lines)
    if any(line.bbox.x0 > left + size for line in lines):
        return [region]
    far = edge - FAR * (edge - left)
    ends = [line.bbox.x1 for line in lines]
    firsts = {0}  # lines that begin a text

    def goes_on(at: int, below: int) -> bool:
        if _TICK.match(lines[below].text) or _counts_on(lines[max(firsts)].text, lines[below].text):
            firsts.add(below)
            return False
        beside = any(abs(ends[at] - ends[other]) < size for other in (at - 1, below) if other >= 0)
        begins = _ENTRY.match(lines[below].text) and lines[at].text[-1] not in HYPHENS
        is_whole = lines[at].text[-1] in _ENDS or (at in firsts and _ENTRY.match(lines[at].text))
        if beside or not (begins and is_whole) or not _fits(lines[at], lines[below], far):
            return True
        firsts.add(below)
        return False

    parts = [[lines[at] for at in part] for part in runs_of(range(len(lines)), goes_on)]
    return [region] if len(parts) == 1 else [with_lines(region, part) for part in parts]


def _counts_on(first: str, second: str) -> bool:
    """Whether ``second`` begins with the number behind that of ``first``: lines of a form."""
    one, other = _LINE.match(first), _LINE.match(second)
    return one is not None and other is not None and int(other[1]) == int(one[1]) + 1


def with_lines(region: Region, lines: Sequence[PrintedLine]) -> Region:
    """The part of ``region`` that these ``lines`` are."""
    text = "\n".join(line.text for line in lines)
    return replace(region, bbox=BBox.union(line.bbox for line in lines), texts=(text,), lines=tuple(lines))


def pitch_of(regions: Iterable[Region]) -> float:
    """The usual distance of two lines of a paragraph of running text; 0 where there is none."""
    text = [region for region in regions if region.category.is_running_text and not region.listing]
    return median([b.bbox.y1 - a.bbox.y1 for region in text for a, b in pairwise(region.lines)] or [0.0])


def _is_short(region: Region, regions: Sequence[Region]) -> bool:
    """Whether ``region`` is lines of text that all end in the first half of their column."""
    if region.category is not Category.TEXT or region.listing or len(region.texts) != 1 or not region.lines:
        return False
    edge = _edge_of_column(region, regions)
    ends = max(line.bbox.x1 for line in region.lines)
    return edge is not None and ends < region.bbox.x0 + SHORT * (edge - region.bbox.x0)


def _is_broken(region: Region, regions: Sequence[Region]) -> bool:
    lines = region.lines
    if region.category is not Category.TEXT or region.listing or len(lines) < 2:
        return False
    if any(line.turns or not line.text.strip() for line in lines):
        return False
    edge = _edge_of_column(region, regions)
    if are_entries(lines) or _are_centred(lines, edge):
        return True
    if any(len(line.text) > LONGEST for line in lines):
        return False
    if len(lines) >= MANY and _are_columns_of_words(lines):
        return True
    if all(PAIR.match(line.text) for line in lines):
        return True
    amounts = sum(bool(_AMOUNT.search(line.text)) for line in lines)
    if amounts >= max(LINES, AMOUNTS * len(lines)) or any(TYPED_RULE.fullmatch(line.text) for line in lines):
        return True
    goes_on = any(
        line.text.rstrip()[-1] in HYPHENS or below.text.lstrip()[0].islower() for line, below in pairwise(lines)
    )
    if goes_on:
        return False
    own = max(line.bbox.x1 for line in lines)
    if len(lines) == 2:
        return edge is not None and edge - lines[0].bbox.x1 > FAR * (edge - region.bbox.x0) and _ends(lines, edge) == 1
    if edge is None:
        return _ends(lines, own) >= len(lines) - 2
    few = has_few_words(lines)
    return _ends(lines, edge) == len(lines) - 1 and (few or 2 * _ends(lines, own) >= len(lines) - 1)


def are_entries(lines: Sequence[PrintedLine]) -> bool:
    """Whether each of at least three ``lines`` begins as a text of its own does, and of three one ends early, of long
    ones most. Of prose in so narrow a column some line begins within a sentence, or the last one ends it."""
    begin = all(_ENTRY.match(line.text) for line in lines) and not any(line.text[-1] in HYPHENS for line in lines)
    if len(lines) < LINES or not begin:
        return False
    ends = _ends(lines, max(line.bbox.x1 for line in lines))
    few = sum(len(line.text.split()) for line in lines) <= FEW * len(lines)
    if not few:
        return ends >= MOST_END * (len(lines) - 1)
    return (ends > 0 or len(lines) > LINES) and lines[-1].text[-1] not in ".!?"


def _are_centred(lines: Sequence[PrintedLine], edge: float | None) -> bool:
    """Whether at least three ``lines`` stand around one axis, not at one edge, and most end although the next word
    would fit in their column, which has this right ``edge``: names and addresses below a title, lines of a poem."""
    size = min(line.size or line.bbox.height for line in lines)
    middles, edges = [line.bbox.center_x for line in lines], [line.bbox.x0 for line in lines]
    centred = max(middles) - min(middles) <= CENTRED * size <= 0.5 * (max(edges) - min(edges))
    if len(lines) < LINES or not centred or any(len(line.text) > LONGEST for line in lines):
        return False
    moved = [replace(line, bbox=line.bbox.shifted(-line.bbox.x0, 0)) for line in lines]
    width = max(line.bbox.width for line in lines) if edge is None else 2 * (edge - middles[0])
    return _ends(moved, width) >= MOST_END * (len(lines) - 1)


def _are_columns_of_words(lines: Sequence[PrintedLine]) -> bool:
    """Whether ``lines``, of words with spaces, have too few of them to be prose: labels, or names in a list."""
    words = [line.text.split() for line in lines]
    if sum(map(len, words)) > FEWEST * len(lines) or any(line.text[-1] in HYPHENS for line in lines):
        return False
    return sum(len(own) > 1 for own in words) > 0.5 * len(lines)


def _edge_of_column(region: Region, regions: Sequence[Region]) -> float | None:
    """Where lines end in the column of ``region``, as other regions show: prose of several lines, else, if lines have
    few words, what reaches farthest (short paragraphs of a letter, items of a receipt); ``None`` if none does."""
    wider = [
        other
        for other in regions
        if other is not region
        and region.bbox.shared_width(other.bbox) > 0.5 * region.bbox.width
        and other.bbox.width > region.bbox.width
    ]
    prose = [
        other.bbox.x1
        for other in wider
        if other.category.is_running_text and len(other.lines) >= LINES and not has_few_words(other.lines)
    ]
    if prose or not has_few_words(region.lines):
        return min(prose, default=None)
    return max((other.bbox.x1 for other in wider), default=None)


def has_few_words(lines: Sequence[PrintedLine]) -> bool:
    """Whether ``lines`` have so few words, on average, that they may be no prose."""
    return sum(len(line.text.split()) for line in lines) <= WORDS * len(lines)


def _ends(lines: Sequence[PrintedLine], edge: float) -> int:
    """How many lines end although the first word of the next one fits before ``edge``."""
    return sum(_fits(line, below, edge) for line, below in pairwise(lines))


def _fits(line: PrintedLine, below: PrintedLine, edge: float) -> bool:
    first = below.text.split(maxsplit=1)[0]
    width = below.bbox.width * len(first) / len(below.text)
    return line.bbox.x1 + width + SLACK * (line.size or line.bbox.height) < edge
