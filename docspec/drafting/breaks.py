"""Text of single lines, before :mod:`docspec.drafting.line_ends` says what their ends mean: numbered lines are a list,
another size of type is another text, and lines of few words right below each other are one text until then."""

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
from docspec.core.scripts import UNSPACED

CLOSE = 1.7
"""Most distance of the lower edges of two lines of one text, in sizes of their type."""

EDGE = 0.5
"""Most difference of the left edges, the right ones or the middles of such lines, in heights of a line."""

OTHER_SIZE = 1.3
"""Ratio of two sizes of type from which on lines are of different texts."""

LINES = 3
"""Least lines of another region that show where a column ends."""

WORDS = 4
"""Most words of lines, on average, that may be no prose."""

WORD = 3
"""Signs of a script without spaces that are about as long as a word."""

HYPHENS = "-\u00ad\u2010"
PAIR = re.compile(r"[^\W\d_][^:.!?]{0,40}:\s+\S")
_NUMBERED = re.compile(r"(\(?(\d{1,3})[.)])(?:\s+\S|[^\W\d])")
TYPED_RULE = re.compile(r"([-=_*.~–—+#])(?: ?\1){4,}")


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
    if not is_plain(region) or region.words != "text layer":
        return [region]
    parts = runs_of(region.lines, lambda line, below: _is_like(line, below) or line.bbox.y1 > below.bbox.y1)
    return [region] if len(parts) == 1 else [with_lines(region, part) for part in parts]


def _is_like(line: PrintedLine, below: PrintedLine) -> bool:
    """Whether two lines are of one size, as far as it is known."""
    small, large = sorted((line.size, below.size))
    return not small or large < OTHER_SIZE * small


def with_close_lines(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which lines of few words, right below each other at one edge or around one axis and of one type,
    are one text: a layout model makes regions of some lines of an address and not of others."""
    return [run[0] if len(run) == 1 else stacked(run) for run in runs_of(regions, _is_close)]


def _is_close(above: Region, below: Region) -> bool:
    if not all(is_plain(one) and has_few_words(one.lines) for one in (above, below)) or above.words != below.words:
        return False
    a, b = above.lines[-1], below.lines[0]
    if a.look.split(" ")[0] != b.look.split(" ")[0] or not _is_like(a, b):
        return False
    size, height = max(a.size or a.bbox.height, b.size or b.bbox.height), max(a.bbox.height, b.bbox.height)
    apart = (a.bbox.x0 - b.bbox.x0, a.bbox.x1 - b.bbox.x1, a.bbox.center_x - b.bbox.center_x)
    return min(map(abs, apart)) < EDGE * height and 0 < b.bbox.y1 - a.bbox.y1 < CLOSE * size


def is_plain(region: Region, *categories: Category) -> bool:
    """Whether ``region`` is upright text (or of one of ``categories``) whose lines are joined."""
    if region.category not in (categories or (Category.TEXT,)) or region.listing or region.broken or not region.lines:
        return False
    whole = region.texts[:1] == ("\n".join(line.text for line in region.lines),)
    return whole and not any(line.turns or not line.text.strip() for line in region.lines)


def with_lines(region: Region, lines: Sequence[PrintedLine]) -> Region:
    """The part of ``region`` that these ``lines`` are."""
    text = "\n".join(line.text for line in lines)
    return replace(region, bbox=BBox.union(line.bbox for line in lines), texts=(text,), lines=tuple(lines))


def pitch_of(regions: Iterable[Region]) -> float:
    """The usual distance of two lines of a paragraph of running text; 0 where there is none."""
    text = [region for region in regions if region.category.is_running_text and not region.listing]
    return median([b.bbox.y1 - a.bbox.y1 for region in text for a, b in pairwise(region.lines)] or [0.0])


def has_few_words(lines: Sequence[PrintedLine]) -> bool:
    """Whether ``lines`` have so few words, on average, that they may be no prose."""
    return sum(map(_words, lines)) <= WORDS * len(lines)


def _words(line: PrintedLine) -> int:
    return len(line.text.split()) + len(UNSPACED.findall(line.text)) // WORD
