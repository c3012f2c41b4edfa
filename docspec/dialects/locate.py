"""Finds the boxes of the target's blocks by matching their texts with the draft's, in reading order.

A Markdown answer has no boxes; the draft has. Matching is fuzzy because the draft may be misread, and it is used for
boxes only. Labels come from the target only, because the draft's are guesses that would change the output.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from docspec.core import BBox, Block, Category, PageDraft, Region

LEAST_SCORE = 0.6
"""Similarity (0..1) below which two long texts are not the same; short ones need more (up to 0.95)."""
MOST_WORK = 60_000
"""The most comparisons on one page, well under a second: a pair of texts of L and M letters counts 1 + LM / 20,000. On
fuller pages only equal texts are found."""

_TAG = re.compile(r"<[^<>]{1,200}>")
_NOT_WORD = re.compile(r"[\W_]+")
_WORD = re.compile(r"[a-z0-9]+|[^\W_]")
_SHORT = 20  # characters below which the threshold rises
_LEAST_PART = 12  # characters that a text needs to be recognised as part of a longer one
_PART_SCORE = 0.9
_SLACK = 1.1  # letters of the parts per letter of the whole: readings differ a little in length


@dataclass(frozen=True, slots=True)
class _Text:
    letters: str
    words: frozenset[str]

    @staticmethod
    def of(raw: str) -> _Text:
        plain = _TAG.sub(" ", raw).casefold()
        return _Text(_NOT_WORD.sub("", plain), frozenset(_WORD.findall(plain)))


def attach_boxes(blocks: Sequence[Block], draft: PageDraft) -> tuple[Block, ...]:
    """``blocks`` in the same order, each one without a box given that of the drafted region that holds its
    text.

    ``bbox`` (page-image pixels) becomes the region's, or the union of neighbouring regions that the block
    merges; blocks that share one region (the items of a list) share its box. Blocks that have a box stay as they are,
    and regions that they cover are not used again. Blocks found nowhere stay without a box. Nothing else of a block
    changes. Never raises.
    """
    if not draft.regions or all(block.bbox is not None for block in blocks):
        return tuple(blocks)
    return tuple(_Matcher(blocks, draft.regions).located())


class _Matcher:
    """Holds the regions of each block while they are being found."""

    def __init__(self, blocks: Sequence[Block], regions: Sequence[Region]) -> None:
        self._blocks = blocks
        self._regions = regions
        boxed = [block.bbox for block in blocks if block.bbox is not None]
        self._open_blocks = [i for i, block in enumerate(blocks) if block.bbox is None]
        self._open_regions = [
            j for j, region in enumerate(regions) if not any(region.bbox.overlap(box) > 0.5 for box in boxed)
        ]
        self._block_texts = {i: _Text.of(blocks[i].text) for i in self._open_blocks}
        self._region_texts = {j: list(map(_Text.of, regions[j].texts[:3])) for j in self._open_regions}
        self._regions_of: dict[int, list[int]] = {}
        self._work = MOST_WORK

    def located(self) -> Iterable[Block]:
        self._match_in_order()
        self._match_out_of_order()
        self._fill_gaps_by_category()
        self._merge_parts()
        for i, block in enumerate(self._blocks):
            regions = self._regions_of.get(i)
            box = BBox.union(self._regions[j].bbox for j in regions) if regions else None
            yield block if box is None else replace(block, bbox=box, bbox_from="draft")

    def _match_in_order(self) -> None:
        """Matches texts that occur once in both, in order; between them it finds the best matching."""
        rows, columns = self._open_blocks, self._open_regions
        a = b = 0
        for row, column in [*self._anchors(), (len(rows), len(columns))]:
            self._match_between(rows[a:row], columns[b:column])
            if row < len(rows):
                self._regions_of[rows[row]] = [columns[column]]
            a, b = row + 1, column + 1

    def _anchors(self) -> list[tuple[int, int]]:
        """Indices of open blocks and regions with equal texts that occur once in both."""
        blocks = [self._block_texts[i].letters for i in self._open_blocks]
        regions = [next((text.letters for text in self._region_texts[j]), "") for j in self._open_regions]
        counts, columns = Counter(blocks), {letters: column for column, letters in enumerate(regions)}
        twice = {letters for letters, count in Counter(regions).items() if count > 1}
        return _increasing(
            [
                (row, columns[letters])
                for row, letters in enumerate(blocks)
                if letters and counts[letters] == 1 and letters in columns and letters not in twice
            ]
        )

    def _is_affordable(self, blocks: Sequence[int], regions: Sequence[int]) -> bool:
        """Whether each of ``blocks`` may still be compared with each of ``regions``; if so, the work is counted."""
        letters = sum(len(self._block_texts[i].letters) for i in blocks), sum(map(self._letters, regions))
        work = len(blocks) * len(regions) + letters[0] * letters[1] // 20_000
        affordable = work <= self._work
        self._work -= work if affordable else 0
        return affordable

    def _match_between(self, rows: Sequence[int], columns: Sequence[int]) -> None:
        """The monotone one-to-one matching of the largest total score (a longest common subsequence with
        weights)."""
        if not self._is_affordable(rows, columns):
            self._match_equal(rows, columns)
            return
        gain = [[self._score(i, j) for j in columns] for i in rows]
        best = [[0.0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
        for a in range(len(rows) - 1, -1, -1):
            for b in range(len(columns) - 1, -1, -1):
                matched = gain[a][b] + best[a + 1][b + 1] if gain[a][b] else 0.0
                best[a][b] = max(best[a + 1][b], best[a][b + 1], matched)
        a = b = 0
        while a < len(rows) and b < len(columns):
            if gain[a][b] and best[a][b] == gain[a][b] + best[a + 1][b + 1]:
                self._regions_of[rows[a]] = [columns[b]]
                a, b = a + 1, b + 1
            elif best[a][b] == best[a + 1][b]:
                a += 1
            else:
                b += 1

    def _match_equal(self, rows: Sequence[int], columns: Sequence[int]) -> None:
        """Matches each row in turn with the next column of equal text."""
        places: dict[str, list[int]] = {}
        for place in reversed(range(len(columns))):
            for letters in {text.letters for text in self._region_texts[columns[place]]}:
                places.setdefault(letters, []).append(place)
        start = 0
        for row in rows:
            open_places = places.get(self._block_texts[row].letters) or []
            while open_places and open_places[-1] < start:
                open_places.pop()
            if open_places and self._block_texts[row].letters:
                start = open_places.pop() + 1
                self._regions_of[row] = [columns[start - 1]]

    def _match_out_of_order(self) -> None:
        """Matches blocks that the target read in another order than the drafter: the best remaining pairs."""
        blocks, regions = self._left()
        if not self._is_affordable(blocks, regions):
            return
        pairs = sorted(((self._score(i, j), -i, -j) for i in blocks for j in regions), reverse=True)
        used: set[int] = set()
        for score, i, j in pairs:
            if score and -i not in self._regions_of and -j not in used:
                self._regions_of[-i] = [-j]
                used.add(-j)

    def _fill_gaps_by_category(self) -> None:
        """Matches pictures, formulas and tables whose texts tell nothing: between two matched neighbours, equal numbers
        of blocks and regions of a category are paired in order."""
        blocks, regions = self._left()
        placed = sorted(self._regions_of)
        for category in (Category.PICTURE, Category.FORMULA, Category.TABLE):
            gaps: dict[tuple[int, int], tuple[list[int], list[int]]] = {}
            for i in blocks:
                if self._blocks[i].category is category:
                    gaps.setdefault(self._gap_of_block(i, placed), ([], []))[0].append(i)
            for (low, high), (here, there) in gaps.items():
                there += [j for j in regions if low < j < high and self._regions[j].category is category]
                if len(here) == len(there):
                    self._regions_of.update((i, [j]) for i, j in zip(here, there, strict=True))

    def _merge_parts(self) -> None:
        """Matches regions that a neighbour's block continues into, then blocks that lie inside a neighbour's region.

        Room is counted in letters, so that a text that occurs once is not found twice.
        """
        owner = {j: i for i, regions in self._regions_of.items() for j in regions}
        room = {i: len(self._block_texts[i].letters) * _SLACK for i in self._regions_of}
        for i, (j, *_) in self._regions_of.items():
            room[i] -= self._letters(j)
        owned = sorted(owner)
        for j in self._left()[1]:
            for i in (owner[n] for n in _nearest(owned, j)):
                if room[i] >= self._letters(j) and self._is_affordable([i], [j]) and self._holds_region(i, j):
                    self._regions_of[i].append(j)
                    room[i] -= self._letters(j)
                    owner[j] = i
                    insort(owned, j)
                    break
        room = {j: self._letters(j) * _SLACK for j in owner}
        for j, i in owner.items():
            room[j] -= len(self._block_texts[i].letters)
        placed = sorted(self._regions_of)
        for i in self._left()[0]:
            size = len(self._block_texts[i].letters)
            for j in (j for n in _nearest(placed, i) for j in self._regions_of[n]):
                is_open = room[j] >= size and self._is_affordable([i], [j])
                if is_open and any(_is_part(self._block_texts[i], t) for t in self._region_texts[j]):
                    self._regions_of[i] = [j]
                    insort(placed, i)
                    room[j] -= size
                    break

    def _letters(self, j: int) -> int:
        return max((len(text.letters) for text in self._region_texts[j]), default=0)

    def _holds_region(self, i: int, j: int) -> bool:
        return any(_is_part(text, self._block_texts[i]) for text in self._region_texts[j])

    def _left(self) -> tuple[list[int], list[int]]:
        used = {j for regions in self._regions_of.values() for j in regions}
        return (
            [i for i in self._open_blocks if i not in self._regions_of],
            [j for j in self._open_regions if j not in used],
        )

    def _gap_of_block(self, i: int, placed: Sequence[int]) -> tuple[int, int]:
        near = _nearest(placed, i)
        low = [max(self._regions_of[n]) for n in near if n < i]
        high = [min(self._regions_of[n]) for n in near if n > i]
        return (low[0] if low else -1), (high[0] if high else len(self._regions))

    def _score(self, i: int, j: int) -> float:
        return max((_similarity(self._block_texts[i], text) for text in self._region_texts[j]), default=0.0)


def _nearest(numbers: Sequence[int], number: int) -> list[int]:
    """The greatest of the sorted ``numbers`` below ``number`` and the least above it, as far as there are."""
    below, above = bisect_left(numbers, number), bisect_right(numbers, number)
    return [*numbers[max(below - 1, 0) : below], *numbers[above : above + 1]]


def _increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most of ``pairs`` (rising in the first number) that also rise in the second."""
    tails: list[int] = []  # the least last number of a chain of each length
    chains: list[int] = []  # the length of the longest chain that ends with each pair
    for _, second in pairs:
        length = bisect_left(tails, second)
        tails[length : length + 1] = [second]
        chains.append(length)
    chain: list[tuple[int, int]] = []
    for pair, length in zip(reversed(pairs), reversed(chains), strict=True):
        if length == len(tails) - 1 - len(chain) and (not chain or pair[1] < chain[-1][1]):
            chain.append(pair)
    return chain[::-1]


def _similarity(one: _Text, other: _Text) -> float:
    """How alike two texts are (0..1), 0 below the threshold; a text inside a longer one counts for a little
    less."""
    whole = _ratio(one, other)
    shorter, longer = sorted((one, other), key=lambda text: len(text.letters))
    least = LEAST_SCORE + 0.35 * max(0, _SHORT - len(shorter.letters)) / _SHORT
    if whole >= least:
        return whole
    return 0.5 * _PART_SCORE if _is_part(shorter, longer) else 0.0


def _ratio(one: _Text, other: _Text) -> float:
    if not one.letters or not other.letters:
        return 0.0
    if one.letters == other.letters:
        return 1.0
    if len(one.words & other.words) < 0.2 * min(len(one.words), len(other.words)):
        return 0.0  # cheap, and true of most pairs
    return fuzz.ratio(one.letters, other.letters) / 100


def _is_part(part: _Text, whole: _Text) -> bool:
    if not _LEAST_PART <= len(part.letters) <= len(whole.letters):
        return False
    if part.letters in whole.letters:
        return True
    if len(part.words & whole.words) < 0.5 * len(part.words):
        return False
    return fuzz.partial_ratio(part.letters, whole.letters) >= 100 * _PART_SCORE
