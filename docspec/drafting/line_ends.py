"""What the end of a printed line means: the text goes on, it is broken (an address, verses), or another text begins.

A small network decides it for each two lines of a region, from where they stand in their column, how they begin and
end, and the same of their neighbours and of the whole region. ``training/line_ends`` teaches it on pages whose
paragraphs, addresses, verses and labels are known, since they were made.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.core.draft import stacked
from docspec.core.geometry import runs_of
from docspec.core.scripts import UNSPACED
from docspec.drafting.breaks import HYPHENS, LINES, PAIR, TYPED_RULE, has_few_words, is_plain, pitch_of, with_lines
from docspec.drafting.bullets import ITEM

GOES_ON, BREAKS, PARTS = range(3)
"""What the end of a line means."""

SAME_EDGE = 0.3
"""Most difference of lines that begin or end at one edge, in heights of a line."""

ENTRY, FEW, SURE_OF_ADDRESS, SURE, SURER = 0.95, 0.4, 0.1, 0.1, 0.001
"""Below this probability that a text goes on its lines are not joined: before a capital or a figure among lines of few
words that end no sentence, among other such lines, before an address of the web or of mail, of prose, and where
something speaks against an end. Public pages have more lines of few words than the made ones that it was taught on: the
first is a debt, and goes when it is taught on such pages."""

PROSE, CLIPPED = 4.0, 0.0025
"""Sum of the log-odds that a text goes on, over all its lines, from which on it is prose and no labels with their
values, and what each probability keeps from 0 and 1."""

EVEN = 0.5
"""Least probability that a text goes on over two regions."""

WIDER = 1.15
"""Least distance of two lines of few words between which another text begins, over the usual one."""

_NUMBER = re.compile(r"\W?(\d{1,3})\w?[.)]?\s")
_MARKED = re.compile(rf"{ITEM.pattern}|\d{{1,3}}\s")
_AMOUNT = re.compile(r"\d[.,]\d{2}(?:\s?[A-Z€$£]{1,3})?$")
_ADDRESS = re.compile(r"\S+@\S+\.\w|www\.|https?:")
_MARKS = re.compile(r"\s[=–—|\u2003-]\s|\u2003|:\s")
_ENDS = (".!?。！？", ":", ",;", HYPHENS, "–—", ")]}”\"'»", "0123456789")
_LINKS_TOLD = (
    "a an the of in on at to for and or by with from as is are was be that which its their this than not "
    "der die das den dem des ein eine einer und oder mit von vom zu zum zur im am auf für ist sind als nicht bei nach "
    "aus "
    "le la les un une de du des et ou à en par pour sur dans que qui est au aux avec "
    "el los las una y o en por para con del al que se lo il i gli e di da per nel della che è "
    "o os as um uma do da dos das em no na com het een en van voor met op"
)
_LINKS = frozenset(_LINKS_TOLD.split())
"""Words that seldom end a line of their own."""
_SHORTENED = re.compile(r"\W?(?:[^\W\d_]\.|[a-z]\.[a-z]\.|(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nr|vs|cf|Fig|Eq)\.)")
"""A word that needs another behind it though it ends with a point: an initial, an abbreviation."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Column:
    """The column of a region: its right ``edge``, if prose in other regions shows it; where the longest lines of the
    page end (``farthest``), and the boxes of what stands ``beside`` the region or some of its lines; the usual
    ``pitch`` of lines on the page (0: unknown)."""

    edge: float | None
    farthest: float
    beside: tuple[BBox, ...]
    pitch: float

    def reach(self, line: PrintedLine) -> float:
        """How far ``line`` could go on before it meets what stands beside it."""
        met = (one.x0 for one in self.beside if one.x0 >= line.bbox.x1 and one.shared_height(line.bbox) > 0)
        return min([self.farthest, *met])


def features_of(lines: Sequence[PrintedLine], column: Column) -> Floats:
    """What is known of the end of each of ``lines`` but the last one (lines - 1, features), by its two lines alone."""
    size = median(line.size or line.bbox.height for line in lines) or 1.0
    left, edge = min(line.bbox.x0 for line in lines), max(line.bbox.x1 for line in lines)
    width, widest = max(edge - left, size), max(line.bbox.width for line in lines)
    pitch = median(b.bbox.y1 - a.bbox.y1 for a, b in pairwise(lines)) or size
    rows = []
    for a, b in pairwise(lines):
        reach = column.reach(a)
        end, room = min(edge, reach), min(widest, reach - left)  # text may go around a picture
        first = b.text.split(maxsplit=1)[0]
        first = first[:1] if UNSPACED.match(first) else first  # such lines break behind any sign
        word = b.bbox.width * len(first) / max(1, len(b.text))
        step = b.bbox.y1 - a.bbox.y1
        rows.append(
            [
                _squashed((end - a.bbox.x1 - word) / size),
                _squashed((end - a.bbox.x1) / size),
                _squashed(free := (room - a.bbox.width - word) / size),
                min(max(free, -2.0), 2.0),
                0.0 if column.edge is None else _squashed((column.edge - a.bbox.x1 - word) / size),
                float(column.edge is not None),
                _squashed((reach - a.bbox.x1 - word) / size),
                a.bbox.width / width,
                b.bbox.width / width,
                _squashed((a.bbox.x0 - left) / size),
                _squashed((b.bbox.x0 - left) / size),
                _squashed((b.bbox.x0 - a.bbox.x0) / size),
                _squashed((b.bbox.x1 - a.bbox.x1) / size),
                _squashed((b.bbox.center_x - a.bbox.center_x) / size),
                np.log(np.clip(step / pitch, 0.2, 5)),
                np.log(np.clip(step / column.pitch, 0.2, 5)) if column.pitch else 0.0,
                _squashed(step / size),
                np.log(np.clip((b.size or size) / (a.size or size), 0.3, 3)),
                np.log(width / size),
                np.log(len(lines)),
                *_of_end(a.text),
                *_of_beginning(a.text),
                *_of_beginning(b.text),
                float(_counts_on(a.text, b.text)),
                np.log1p(len(a.text)),
                np.log1p(len(b.text)),
                np.log1p(len(a.text.split())),
                np.log1p(len(b.text.split())),
            ]
        )
    return np.array(rows, np.float32)


def with_context(features: Floats) -> Floats:
    """``features`` of the ends of a region's lines (ends, features) beside those of the ends before and behind, their
    mean and their spread (ends, 5 features)."""
    beyond = np.zeros((1, features.shape[1]), np.float32)
    before, behind = np.vstack([beyond, features[:-1]]), np.vstack([features[1:], beyond])
    mean, spread = (np.broadcast_to(one, features.shape) for one in (features.mean(axis=0), features.std(axis=0)))
    return np.hstack([features, before, behind, mean, spread])


class LineEnds:
    """The network of a file (``.npz``)."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as weights:
            self._layers = [(weights[f"weight{n}"], weights[f"bias{n}"]) for n in range(len(weights.files) // 2)]

    def of(self, lines: Sequence[PrintedLine], column: Column) -> Floats:
        """The probabilities (lines - 1, 3) of what the end of each line but the last means."""
        values = with_context(features_of(lines, column))
        for weight, bias in self._layers[:-1]:
            values = np.maximum(values @ weight.T + bias, 0)
        weight, bias = self._layers[-1]
        values = np.exp(np.clip(values @ weight.T + bias, -30, 30))
        return values / values.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


@cache
def line_ends() -> LineEnds:
    """The network that comes with docspec."""
    return LineEnds(Path(__file__).with_name("line_ends.npz"))


def with_line_ends(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which text is parted where another one begins, and marked as broken where its lines are not to be
    joined."""
    pitch = pitch_of(regions)
    whole = [part for region in regions for part in _item_and_text(region, regions, pitch)]
    return [part for region in whole for part in _parts(region, whole, pitch)]


def with_whole_texts(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which text goes on over two of them where its line does: a layout model takes lines that are set
    far apart for texts of their own. They stand right below each other, as far as the lines of a text of the page."""
    prose = [one for one in regions if len(one.lines) > 1 and is_plain(one) and not has_few_words(one.lines)]
    pitches = [pitch_of([one]) for one in prose]
    return [
        run[0] if len(run) == 1 else stacked(run)
        for run in runs_of(regions, lambda above, below: _are_one(above, below, regions, pitches))
    ]


def _are_one(above: Region, below: Region, regions: Sequence[Region], pitches: Sequence[float]) -> bool:
    if not (is_plain(above) and is_plain(below)) or above.words != below.words or has_few_words(above.lines):
        return False
    a, b = above.lines[-1], below.lines[0]
    lines = (*above.lines[-LINES:], *below.lines[:LINES])
    step, like = b.bbox.y1 - a.bbox.y1, a.look == b.look and abs(a.size - b.size) < 0.05 * a.size
    if not like or _is_unspaced(lines) or not any(one / WIDER < step < WIDER * one for one in pitches):
        return False
    if b.bbox.x0 - a.bbox.x0 > SAME_EDGE * a.bbox.height or a.bbox.shared_width(b.bbox) < 0.5 * b.bbox.width:
        return False
    both = replace(above, bbox=BBox.union(line.bbox for line in lines), lines=lines)
    others = [both, *(one for one in regions if one not in (above, below))]
    ends = line_ends().of(lines, column_of(both, others, pitch_of(regions)))
    return bool(ends[min(len(above.lines), LINES) - 1, GOES_ON] > EVEN)


def _item_and_text(region: Region, regions: Sequence[Region], pitch: float) -> list[Region]:
    """``region``; of an item with a mark what stands right below it and is none of it: text that begins left of the
    mark, or with words that stand out."""
    lines = region.lines
    if region.category is not Category.LIST_ITEM or len(lines) < 2 or not is_plain(region, Category.LIST_ITEM):
        return [region]
    if not _MARKED.match(lines[0].text):
        return [region]
    ends = line_ends().of(lines, column_of(region, regions, pitch))
    for at, (a, b) in enumerate(pairwise(lines)):
        left = lines[0].bbox.x0 - b.bbox.x0 > SAME_EDGE * b.bbox.height
        if ends[at, PARTS] > EVEN and (left or _leads(a, b)) and not _MARKED.match(b.text):
            return [
                with_lines(region, lines[: at + 1]),
                replace(with_lines(region, lines[at + 1 :]), category=Category.TEXT),
            ]
    return [region]


def _leads(above: PrintedLine, line: PrintedLine) -> bool:
    """Whether ``line``, behind the end of a sentence, begins with bold words, which the one ``above`` does not end
    with."""
    end = len(above.text.rstrip())
    stands_out = any(mark.kind == "bold" and mark.start == 0 for mark in line.marks)
    return (
        stands_out
        and above.text[end - 1 : end] in tuple(".!?:;")
        and not any(mark.kind == "bold" and mark.end >= end for mark in above.marks)
    )


def _parts(region: Region, regions: Sequence[Region], pitch: float) -> list[Region]:
    lines = region.lines
    if not is_open(replace(region, broken=False)) or (_is_unspaced(lines) and not has_few_words(lines)):
        return [region]
    ends = line_ends().of(lines, column := column_of(region, regions, pitch))
    few = has_few_words(lines)
    full = _are_full(lines, column)
    if region.broken and (few or _log_odds(ends[:, GOES_ON]).sum() < PROSE):
        return [region]  # labels with their values
    parted = ends[:, PARTS] > ends[:, BREAKS]
    if few:  # an address is not torn apart
        steps = np.array([b.bbox.y1 - a.bbox.y1 for a, b in pairwise(lines)])
        parted &= steps > WIDER * np.median(steps)
    begins = parted & np.array(_are_even(lines)) if len(lines) > 1 else parted
    first = 0  # line of the text

    def goes_on(at: int, below: int) -> bool:
        nonlocal first
        marked = _counts_on(lines[first].text, lines[below].text) or lines[below].text.startswith("¶")
        if marked or ends[at, GOES_ON] < _least(lines, at, bool(begins[at]), full[at], few):
            first = below
        return first != below

    texts = runs_of(range(len(lines)), goes_on)
    if region.category is Category.LIST_ITEM:  # entries without a mark, as of a bibliography, need no bullets
        parts = [with_lines(region, [lines[at] for at in text]) for text in texts]
        return [replace(part, category=Category.TEXT) for part in parts] if len(parts) > 1 else [region]

    def is_broken(text: Sequence[int], below: Sequence[int]) -> bool:
        return len(text) == len(below) == 1 and not parted[text[0]]

    runs = runs_of(texts, is_broken)
    if len(runs) == 1:
        return [replace(region, broken=len(texts) > 1)]
    return [
        replace(with_lines(region, [lines[at] for text in run for at in text]), broken=len(run) > 1) for run in runs
    ]


def _are_even(lines: Sequence[PrintedLine]) -> list[bool]:
    """For each of ``lines`` but the last, whether the next one stands at the usual distance, and does not begin with
    words that stand out."""
    usual = WIDER * median(b.bbox.y1 - a.bbox.y1 for a, b in pairwise(lines))
    return [b.bbox.y1 - a.bbox.y1 < usual and not _leads(a, b) for a, b in pairwise(lines)]


def _are_full(lines: Sequence[PrintedLine], column: Column) -> list[bool]:
    """For each of ``lines`` but the last, whether the first word of the next one, which begins at the same edge, has no
    room behind it."""
    edge = max(max(line.bbox.x1 for line in lines), column.edge or 0.0)
    found = []
    for a, b in pairwise(lines):
        word = b.bbox.width * (len(b.text.split(maxsplit=1)[0]) + 1) / (len(b.text) + 1)
        room = min(edge, column.reach(a)) - a.bbox.x1
        found.append(room < word and abs(b.bbox.x0 - a.bbox.x0) < SAME_EDGE * a.bbox.height)
    return found


def _least(lines: Sequence[PrintedLine], at: int, parts: bool, full: bool, few: bool) -> float:
    """Below which probability that the text goes on it ends with line ``at`` of ``lines``. It does not within a word or
    behind one that needs another, and hardly within a sentence that goes on with a small letter; where nothing that is
    drawn speaks for another text it hardly begins (``parts``) where the next word had no room (``full``), or the
    neighbours end at the same edge, as they do beside a picture. ``few``: the lines have few words."""
    line, below = lines[at], lines[at + 1]
    begins, last = below.text.lstrip(), line.text.rstrip()[-1]
    cut = last in HYPHENS and line.text.rstrip()[-2:-1].isalpha() and begins[0].isalpha()
    if cut or line.text.split()[-1] in _LINKS or (not few and _SHORTENED.fullmatch(line.text.split()[-1])):
        return 0.0
    address = _ADDRESS.match(begins) is not None
    if any(TYPED_RULE.fullmatch(one.text) or (few and not _has_letters(one)) for one in (line, below)):
        return 1.0
    if address and not few:
        return SURE_OF_ADDRESS
    if unicodedata.category(begins[0]) == "Ll" and not address and last not in ".!?:;,":
        return FEW if few else SURER
    near = SAME_EDGE * line.bbox.height
    columns = [one.bbox for one in (below, *lines[max(0, at - 1) : at]) if abs(one.bbox.x0 - line.bbox.x0) < near]
    is_beside = abs(below.bbox.x0 - line.bbox.x0) < near  # an entry of a list may begin left of the line before
    if parts and is_beside and any(abs(one.x1 - line.bbox.x1) < near for one in columns):
        return SURER
    if not few:
        return SURER if parts and full and not _MARKED.match(begins) and not PAIR.match(begins) else SURE
    is_entry = address or begins[0].isupper() or begins[0].isdigit()
    return ENTRY if is_entry and lines[-1].text.rstrip()[-1] not in ".!?" else FEW


def _has_letters(line: PrintedLine) -> bool:
    return any(map(str.isalpha, line.text))


def _log_odds(probabilities: Floats) -> Floats:
    kept = np.clip(probabilities, CLIPPED, 1 - CLIPPED)
    return np.log(kept / (1 - kept))  # type: ignore[no-any-return]


def is_open(region: Region) -> bool:
    """Whether ``region`` is text of several lines, and nobody knows yet what their ends mean; the items of a list do
    where the first one has no mark."""
    is_text = region.category is Category.TEXT or not (region.lines and _MARKED.match(region.lines[0].text))
    return len(region.lines) > 1 and is_text and is_plain(region, Category.TEXT, Category.LIST_ITEM)


def are_apart(region: Region, regions: Sequence[Region]) -> bool:
    """Whether most lines of a ``region`` of at least three among ``regions`` end a text or are lines of their own."""
    if len(region.lines) < LINES or any(line.turns or not line.text.strip() for line in region.lines):
        return False
    ends = line_ends().of(region.lines, column_of(region, regions, pitch_of(regions)))
    return bool(2 * (ends[:, GOES_ON] < SURE).sum() > len(ends))


def _is_unspaced(lines: Sequence[PrintedLine]) -> bool:
    """Whether most of ``lines`` is in a script without spaces between words: the network was not taught its prose."""
    text = "".join(line.text for line in lines)
    return 2 * len(UNSPACED.findall(text)) > len(text)


def column_of(region: Region, regions: Sequence[Region], pitch: float) -> Column:
    """The column of ``region``: prose of several lines in other ``regions`` shows where it ends."""
    edges = [
        other.bbox.x1
        for other in regions
        if other is not region
        and other.category.is_running_text
        and len(other.lines) >= LINES
        and region.bbox.shared_width(other.bbox) > 0.5 * region.bbox.width
        and other.bbox.width > region.bbox.width
    ]
    beside = tuple(
        other.bbox
        for other in regions
        if other is not region and other.bbox.shared_height(region.bbox) > 0 and not other.category.is_furniture
    )
    text = (one for one in regions if not (one.category.is_furniture or one.category is Category.PICTURE))
    farthest = max(region.bbox.x1, *(one.bbox.x1 for one in text))
    return Column(min(edges, default=None), farthest, beside, pitch)


def _squashed(value: float) -> float:
    return float(np.sign(value) * np.log1p(abs(value)))


def _of_end(text: str) -> list[float]:
    text = text.rstrip()
    last, word = text[-1], text.split()[-1]
    return [
        *(float(last in signs) for signs in _ENDS),
        float(last.islower()),
        float(last.isupper()),
        float(word.lower() in _LINKS),
        float(bool(_AMOUNT.search(text))),
        float(bool(TYPED_RULE.fullmatch(text))),
    ]


def _of_beginning(text: str) -> list[float]:
    text = text.lstrip()
    first, word = text[0], text.split(maxsplit=1)[0]
    return [
        float(first.islower()),
        float(first.isupper()),
        float(first.isdigit()),
        float(first.isalpha() and not (first.islower() or first.isupper())),
        float(not first.isalnum()),
        float(word.isupper() and len(word) > 1),
        float(word.lower() in _LINKS),
        float(bool(PAIR.match(text))),
        float(bool(_MARKS.search(text[:40]))),
        float(bool(_NUMBER.match(text))),
        float(bool(_ADDRESS.match(text))),
        sum(part[0].isupper() for part in text.split()) / len(text.split()),
    ]


def _counts_on(first: str, second: str) -> bool:
    one, other = _NUMBER.match(first), _NUMBER.match(second)
    return one is not None and other is not None and int(other[1]) == int(one[1]) + 1
