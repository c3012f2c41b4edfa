"""A page and its output as atoms: whose each of them is, which are which, and which stand in another order."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from docspec.core import BBox, Block, Category
from docspec.core.account import VisibleWord
from docspec.ledger.atoms import atoms_of, keys_of, runs_leftwards
from docspec.ledger.matching import Matched, matched
from docspec.ledger.outputs import formulas_in, markdown_words

END = 1 << 60
"""Behind all characters."""

BEGINNING, LOOK_AHEAD = 3, 20
"""Atoms that tell a block, and among which the next one of the output is sought."""

FEW_LINES = 4
"""Heights of a word between two that follow each other in running text."""

TICKS = frozenset("x\u00d7\u2713\u2714\u2715\u2716\u2717\u2718\u221a\u25cf\u25a0\u25c6\u2605")
"""What a box may be ticked with; an output writes ``[x]``."""

REACH = 0.6
"""Heights of a word by which it may stand off the box of its block."""


@dataclass(frozen=True, slots=True)
class PageOutput:
    """A finished output of one page: the words that it shows, as plain text (:mod:`docspec.ledger.outputs`), and the
    page's blocks. ``text`` is the Markdown itself, whose structure is looked at, if it is known."""

    shown: str
    blocks: Sequence[Block]
    text: str = ""


class Sides:
    """Both sides as atoms: ``word_of`` and ``block_of`` say whose an atom is."""

    def __init__(self, words: Sequence[VisibleWord], output: PageOutput) -> None:
        self.words, self.blocks = words, output.blocks
        self.page: list[str] = []
        self.word_of: list[int] = []
        self._keys = [keys_of(word.text) for word in words]
        for number, keys in enumerate(self._keys):
            self.page += keys
            self.word_of += [number] * len(keys)
        self.shown = output.shown
        shown = atoms_of(output.shown)
        self.output = [atom.key for atom in shown]
        self.offsets = [atom.start for atom in shown]
        self.ticks = [at for at, atom in enumerate(shown) if output.shown[atom.start - 1 : atom.end + 1] == "[x]"]
        formulas = formulas_in(output.text)
        self.in_formulas = {at for at, start in enumerate(self.offsets) if _is_within(start, formulas)}
        self.block_of = _blocks_of(self.output, output.blocks)
        self.boxes = [block.bbox for block in output.blocks]
        written = Counter(self.block_of)
        heads = (
            (block.bbox, keys_of(block.text), written[at])
            for at, block in enumerate(output.blocks)
            if block.category.is_furniture
        )
        self._unwritten = [(box, set(keys)) for box, keys, count in heads if box is not None and count < len(keys)]

    def heads(self) -> list[bool]:
        """Whether each word is one of a running head or foot that the output does not have, and stands there, beside
        another one: boxes of heads that were put together reach over text with a word of theirs."""
        if not self._unwritten:
            return [False] * len(self.words)
        own = [self._heads_of(word, keys) for word, keys in zip(self.words, self._keys, strict=True)]
        beside = zip(own, [[], *own][:-1], [*own, []][1:], strict=True)
        return [
            bool(here) and any(alone or any(at == other for other, _ in (*before, *behind)) for at, alone in here)
            for here, before, behind in beside
        ]

    def _heads_of(self, word: VisibleWord, keys: Sequence[str]) -> list[tuple[int, bool]]:
        """The heads that ``word`` of ``keys`` may be of, and whether each is of this word alone."""
        return [
            (at, len(theirs) == len(keys))
            for at, (box, theirs) in enumerate(self._unwritten)
            if is_inside(word, box) and theirs.issuperset(keys)
        ]

    def fits(self, one: int, other: int) -> bool:
        """Whether an atom of the page stands in the block of one of the output."""
        block = self.block_of[other]
        box = self.boxes[block] if block >= 0 else None
        return box is not None and is_inside(self.words[self.word_of[one]], box)


def _is_within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    at = bisect_right(spans, (place, END)) - 1
    return at >= 0 and place < spans[at][1]


def paired(sides: Sides) -> Matched:
    """The pairs of both sides. Hidden words, and those of running heads that the output does not have, get only what
    the words of the text leave."""
    apart = [bool(word.hidden) or head for word, head in zip(sides.words, sides.heads(), strict=True)]
    first = [at for at, number in enumerate(sides.word_of) if not apart[number]]
    keys = [sides.page[at] for at in first]
    pairs = matched(keys, sides.output, lambda one, other: sides.fits(first[one], other), sides.in_formulas)
    of_page = [-1] * len(sides.page)
    for one, at in enumerate(first):
        of_page[at] = pairs.of_page[one]
    of_output = [first[one] if one >= 0 else -1 for one in pairs.of_output]
    ticks = [other for other in sides.ticks if of_output[other] < 0]
    for at in (at for at in first if of_page[at] < 0 and sides.page[at] in TICKS):
        other = next((other for other in ticks if sides.fits(at, other)), None)
        if other is not None:
            of_page[at], of_output[other] = other, at
            ticks.remove(other)
    places: dict[str, list[int]] = defaultdict(list)
    for other in reversed([other for other, one in enumerate(of_output) if one < 0]):
        places[sides.output[other]].append(other)
    for hidden in (False, True):
        for at, number in enumerate(sides.word_of):
            if apart[number] and bool(sides.words[number].hidden) is hidden and places[sides.page[at]]:
                of_page[at] = places[sides.page[at]].pop()
                of_output[of_page[at]] = at
    return Matched(of_page, of_output)


def displaced(sides: Sides, pairs: Matched) -> int:
    """How many words of the output follow one that does not stand in front of them on the page."""
    count, last, last_block = 0, -1, -1
    for other, one in enumerate(pairs.of_output):
        number, block = (sides.word_of[one], sides.block_of[other]) if one >= 0 else (-1, -1)
        if number < 0 or number == last:
            continue
        if last >= 0:
            running = block == last_block >= 0 and sides.blocks[block].category is not Category.TABLE
            count += _goes_astray(sides.words[last], sides.words[number], running, number > last)
        last, last_block = number, block
    return count


def _goes_astray(before: VisibleWord, after: VisibleWord, running: bool, later: bool) -> bool:
    """Whether reading goes back in a row; up, unless to what stands on the right (the next column, or cell) and comes
    ``later`` in the contents of the page; or down by more than a few lines in ``running`` text, or to what comes
    earlier there."""
    height, other = before.y1 - before.y0, after.y1 - after.y0
    down = (after.y0 + after.y1 - before.y0 - before.y1) / 2
    if down > 0.5 * min(height, other):
        return down > FEW_LINES * max(height, other) and (running or not later)
    if runs_leftwards(before.text) and runs_leftwards(after.text):
        before, after = (word._replace(x0=-word.x1, x1=-word.x0) for word in (before, after))
    up = -down > 0.5 * min(height, other)
    return after.x0 < before.x1 - 0.3 * (before.x1 - before.x0) or (up and not later)


def _blocks_of(output: Sequence[str], blocks: Sequence[Block]) -> list[int]:
    """The block of each atom of the output. Both run in one order, but that pictures and what they break may change
    places: then the first atoms of a block tell it. Running heads are seldom written."""
    keys: list[str] = []
    owners: list[int] = []
    starts: dict[tuple[str, ...], int] = {}
    for number, block in sorted(enumerate(blocks), key=lambda one: one[1].category.is_furniture):
        own = keys_of(markdown_words(block.text))
        starts.setdefault(tuple(own[:BEGINNING]), len(keys))
        keys += own
        owners += [number] * len(own)
    at, current, block_of = 0, -1, []
    for place, key in enumerate(output):
        if at >= len(keys) or keys[at] != key:
            start = starts.get(tuple(output[place : place + BEGINNING]))
            near = keys[at : at + LOOK_AHEAD]
            if start is not None:
                at = start
            elif key in near:
                at += near.index(key)
        if at < len(keys) and keys[at] == key:
            current, at = owners[at], at + 1
        block_of.append(current)
    return block_of


def is_inside(word: VisibleWord, box: BBox) -> bool:
    """Whether the middle of ``word`` lies in ``box``, or nearly."""
    reach = REACH * (word.y1 - word.y0)
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return box.x0 - reach <= x <= box.x1 + reach and box.y0 - reach <= y <= box.y1 + reach
