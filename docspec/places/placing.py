"""Places the words of a page's blocks: by what they are within their block, then on the page, then by their neighbours.

What is said of a word is checked against its neighbours: a short word that stands alone among words that the page does
not have is not taken for the same one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import astuple, replace
from itertools import pairwise

import numpy as np
from rapidfuzz.distance import LCSseq

from docspec.core import BBox, Block, CellBoxes, PageDraft, PageImage, PageResult
from docspec.core.geometry import in_rows
from docspec.core.places import How, PlacedWord
from docspec.ledger.matching import matched
from docspec.places.cells import cells_of
from docspec.places.certainty import AloneWords, Margins, certainty_of
from docspec.places.gaps import Found, boxes_of, placed_in, spread
from docspec.places.words import PrintedWord, WrittenWord, letters_of, pieces_of, printed_words, written_words

MOST = 40_000_000
"""Most pairs of keys that are compared; a fuller page gets no alignment (6,000 words on either side)."""


def common(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The places of equal keys in both, ascending in both."""
    if not one or not other or len(one) * len(other) > MOST:
        return []
    return [
        (block.a + step, block.b + step)
        for block in LCSseq.editops(one, other).as_matching_blocks()
        for step in range(block.size)
    ]


REACH = 0.6
"""Heights of a word by which its middle may stand off the box of its block."""

IN_ORDER = 0.9
"""Share of a block's words that must be found in the order of the page's contents; else rows are tried, too."""

TELLING = 5
"""Letters of a word that tells its place if the page has it once."""

MOSTLY = 0.6
"""Share of a block's words from which on the page has the block, so that each of its words counts alone."""

NEAR = 2
"""Most words of the page between two that stand beside each other in the output."""


def with_places(result: PageResult, page: PageImage, draft: PageDraft) -> PageResult:
    """``result`` with the places of the words and cells of its blocks on ``page``, drafted so."""
    if result.status == "failed" or not result.blocks:
        return result
    printed = printed_words(page, draft)
    placing = _Placing(result.blocks, printed)
    grids = [(region.bbox, region.grid) for region in draft.regions if region.grid]
    blocks = []
    for block, places in zip(result.blocks, placing.places(), strict=True):
        cells = cells_of(block, places, _grid_of(block, grids))
        blocks.append(replace(block, places=places, cells=cells, margins=()))
    return replace(result, blocks=tuple(blocks))


def _grid_of(block: Block, grids: Sequence[tuple[BBox, CellBoxes]]) -> CellBoxes:
    box = block.bbox
    if box is None:
        return ()
    return next((grid for own, grid in grids if own.overlap(box) > 0.8 and box.overlap(own) > 0.8), ())


class _Group:
    """Words of one block, or of all blocks without a box, and the printed words among which they are sought."""

    def __init__(self, words: Sequence[tuple[int, WrittenWord]], around: Sequence[int]) -> None:
        self.words = words
        self.around = around
        self.place = {number: at for at, number in enumerate(around)}


class _Placing:
    def __init__(self, blocks: Sequence[Block], printed: Sequence[PrintedWord]) -> None:
        self.blocks, self.printed = blocks, printed
        self.written = [written_words(block) for block in blocks]
        self._pieces = [pieces_of(word.text) for word in printed]
        self._keys = Counter(piece.key for pieces in self._pieces for piece in pieces)
        self._free = [set(range(len(pieces))) for pieces in self._pieces]
        self._pairs: dict[tuple[int, int], list[tuple[int, int, int]]] = {}  # of a written word: its piece, theirs
        self._found: dict[tuple[int, int], Found] = {}
        self._alone = None if printed else AloneWords(margin for block in blocks for _, _, margin in block.margins)

    def places(self) -> list[tuple[PlacedWord, ...]]:
        """The placed words of each block."""
        groups = self._groups()
        for group in groups:
            self._pair_in(group)
        self._pair_left()
        for group in groups:
            self._settle(group)
            self._fill(group)
        self._note_letters()
        return [self._of_block(number) for number in range(len(self.blocks))]

    def _groups(self) -> list[_Group]:
        """Blocks with a box, the smallest first: boxes of pictures and tables lie around those of others."""
        boxed = [(block.bbox, number) for number, block in enumerate(self.blocks) if block.bbox is not None]
        sides = np.array([astuple(word.box) for word in self.printed], dtype=float).reshape(-1, 4)
        x, y = sides[:, [0, 2]].mean(axis=1), sides[:, [1, 3]].mean(axis=1)
        reach = REACH * (sides[:, 3] - sides[:, 1])
        groups = []
        for box, number in sorted(boxed, key=lambda one: one[0].area):
            level = (box.x0 - reach <= x) & (x <= box.x1 + reach)
            around = np.flatnonzero(level & (box.y0 - reach <= y) & (y <= box.y1 + reach)).tolist()
            groups.append(_Group([(number, word) for word in self.written[number]], around))
        rest = [
            (number, word)
            for number, block in enumerate(self.blocks)
            if block.bbox is None
            for word in self.written[number]
        ]
        return [*groups, _Group(rest, range(len(self.printed)))] if rest else groups

    def _pair_in(self, group: _Group) -> None:
        """Pairs the pieces of a group with equal ones of the page, in the order of both."""
        ours = [(number, word, at) for number, word in group.words for at in range(len(word.pieces))]
        keys = [word.pieces[at].key for _, word, at in ours]
        best: list[tuple[int, int]] = []
        best_theirs: list[tuple[int, int]] = []
        orders = [list(group.around)]
        if self.blocks[group.words[0][0]].bbox is not None if group.words else False:
            orders.append([at for row in in_rows(group.around, lambda at: self.printed[at].box) for at in row])
        for order in orders:
            theirs = [(at, piece) for at in order for piece in sorted(self._free[at])]
            found = common([self._pieces[at][piece].key for at, piece in theirs], keys)
            if len(found) > len(best):
                best, best_theirs = found, theirs
                group.around, group.place = order, {number: at for at, number in enumerate(order)}
            if len(best) >= IN_ORDER * len(keys):
                break
        for one, other in best:
            number, word, piece = ours[other]
            self._pair((number, word.start), piece, *best_theirs[one])

    def _pair(self, word: tuple[int, int], piece: int, printed: int, own: int) -> None:
        self._pairs.setdefault(word, []).append((piece, printed, own))
        self._free[printed].discard(own)

    def _pair_left(self) -> None:
        """Pairs what is left of both sides if it tells its place: a long word that is once on either side."""
        theirs = [(at, piece) for at, free in enumerate(self._free) for piece in sorted(free)]
        ours = [
            (number, word, at)
            for number, words in enumerate(self.written)
            for word in words
            if (number, word.start) not in self._pairs
            for at in range(len(word.pieces))
        ]
        if not theirs or not ours:
            return
        keys = [word.pieces[at].key for _, word, at in ours]
        counts = Counter(keys)
        pairs = matched([self._pieces[at][piece].key for at, piece in theirs], keys, lambda one, other: False)
        for other, one in enumerate(pairs.of_output):
            number, word, piece = ours[other]
            if one < 0 or self._pieces[theirs[one][0]][theirs[one][1]].key != keys[other]:
                continue
            beside = any(
                0 <= other + step < len(ours) and pairs.of_output[other + step] == one + step for step in (-1, 1)
            )
            if beside or (counts[keys[other]] == 1 and len(keys[other]) >= TELLING):
                self._pair((number, word.start), piece, *theirs[one])

    def _settle(self, group: _Group) -> None:
        """Decides of the words of a group that have pieces on the page whether they are the same."""
        order = [(number, word.start) for number, word in group.words]
        is_there = sum(word in self._pairs for word in order) >= MOSTLY * len(order)
        for at, (number, word) in enumerate(group.words):
            pairs = self._pairs.get((number, word.start))
            if not pairs:
                continue
            pieces = [(self.printed[one], *self._stretch(one, own)) for _, one, own in pairs]
            first, start, end = pieces[0]
            signed = (first, _with_sign(first.text, start), end)
            printed = "".join(one.text[begin:stop] for one, begin, stop in (signed, *pieces[1:]))
            same = (
                len(pairs) == len(word.pieces)
                and letters_of(printed) == letters_of(word.text)
                and self._are_beside(pairs)
                and (is_there or self._has_company(group, order, at, pairs))
            )
            likeness = len("".join(word.pieces[one[0]].key for one in pairs)) / max(
                1, len("".join(piece.key for piece in word.pieces))
            )
            how: How = "exact" if same else "aligned"
            found = Found(how, boxes_of(pieces), tuple(word for word, _, _ in pieces), 1.0 if same else likeness)
            self._found[number, word.start] = found

    def _stretch(self, printed: int, own: int) -> tuple[int, int]:
        piece = self._pieces[printed][own]
        return piece.start, piece.end

    def _are_beside(self, pairs: Sequence[tuple[int, int, int]]) -> bool:
        """Whether the pieces follow each other on the page."""
        return all(
            (b[1] == a[1] and b[2] == a[2] + 1) or (a[2] == len(self._pieces[a[1]]) - 1 and b[2] == 0 and b[1] != a[1])
            for a, b in pairwise(pairs)
        )

    def _has_company(
        self, group: _Group, order: Sequence[tuple[int, int]], at: int, pairs: Sequence[tuple[int, int, int]]
    ) -> bool:
        """Whether a word beside this one is beside it on the page, too, or it tells its place alone."""
        if len(order) <= NEAR:
            return True
        key = "".join(self._pieces[one][own].key for _, one, own in pairs)
        if len(key) >= TELLING and self._keys[self._pieces[pairs[0][1]][pairs[0][2]].key] == 1:
            return True
        here = group.place.get(pairs[0][1])
        for step in (-1, 1):
            other = self._pairs.get(order[at + step]) if 0 <= at + step < len(order) else None
            there = None if not other else group.place.get(other[0][1])
            if here is not None and there is not None and abs(here - there) <= NEAR:
                return True
        return False

    def _fill(self, group: _Group) -> None:
        """Places the other words of a group between those that are known."""
        known = [self._found.get((number, word.start)) for number, word in group.words]
        if not any(known) and not group.around:
            return
        at = 0
        while at < len(known):
            if known[at] is not None:
                at += 1
                continue
            end = at
            while end < len(known) and known[end] is None:
                end += 1
            self._fill_run(group, at, end, any(known))
            at = end

    def _fill_run(self, group: _Group, first: int, end: int, anchored: bool) -> None:
        """Places the run of unknown words from ``first`` to ``end`` of a group."""
        before, behind = self._edge(group, first - 1, -1), self._edge(group, end, 0)
        low = -1 if before is None else before
        high = len(group.around) if behind is None else behind
        gap = [
            self.printed[number]
            for number in group.around[low + 1 : max(low + 1, high)]
            if len(self._free[number]) == len(self._pieces[number])
        ]
        run = [word for _, word in group.words[first:end]]
        for (number, word), found in zip(group.words[first:end], placed_in(gap, run, anchored), strict=True):
            if found is not None:
                self._found[number, word.start] = found
        if not gap and first > 0 and end < len(group.words) and all(word.in_formula for word in run):
            self._spread(group, first, end, run)

    def _spread(self, group: _Group, first: int, end: int, run: Sequence[WrittenWord]) -> None:
        """Signs of a formula that the page has as drawings stand in the white between the words beside it."""
        left, right = (
            self._found.get((number, word.start)) for number, word in (group.words[first - 1], group.words[end])
        )
        boxes = spread(run, left.boxes[-1], right.boxes[0]) if left and right and left.boxes and right.boxes else None
        for (number, word), box in zip(group.words[first:end], boxes or (), strict=False):
            self._found[number, word.start] = Found("inferred", (box,))

    def _edge(self, group: _Group, at: int, side: int) -> int | None:
        """The place in the group's page of the word number ``at``: of its last printed word, or (0) its first."""
        if not 0 <= at < len(group.words):
            return None
        number, word = group.words[at]
        pairs = self._pairs.get((number, word.start))
        return None if not pairs else group.place.get(pairs[side][1])

    def _note_letters(self) -> None:
        """Notes words that are one of the print, alone or together: a recogniser misses spaces."""
        parts: dict[int, list[tuple[tuple[int, int], str]]] = defaultdict(list)
        for number, words in enumerate(self.written):
            for word in words:
                found = self._found.get((number, word.start))
                if found is not None and len(found.words) == 1:
                    parts[id(found.words[0])].append(((number, word.start), letters_of(word.text)))
        for own in parts.values():
            [printed] = self._found[own[0][0]].words
            if "".join(letters for _, letters in own) == letters_of(printed.text):
                for key, _ in own:
                    self._found[key] = replace(self._found[key], has_letters=True)

    def _of_block(self, number: int) -> tuple[PlacedWord, ...]:
        block = self.blocks[number]
        known = any((number, word.start) in self._found for word in self.written[number])
        placed = []
        margins = Margins(block.margins)
        for word in self.written[number]:
            found = self._found.get((number, word.start))
            if found is None and self.printed and not word.in_formula and (known or block.bbox is None):
                found = Found("none")
            if found is None:
                found = Found("block", () if block.bbox is None else (block.bbox,))
            margin = margins.of(word.start, word.end)
            alone = None if self._alone is None else self._alone.around(word.text)
            certainty = certainty_of(found, block.words, word.text, margin, alone)
            placed.append(PlacedWord(word.text, word.start, word.end, found.how, certainty, found.boxes))
        return tuple(placed)


def _with_sign(text: str, start: int) -> int:
    """Where the piece that begins at ``start`` begins with the signs in front of it: a minus is of its number."""
    while start > 0 and not text[start - 1].isalnum():
        start -= 1
    return start
