"""What became of words of a page that are not in its output: furniture, in a picture, read otherwise, printed twice."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from docspec.core import BBox, Block, Category
from docspec.core.account import FOOT, HEAD, LINE_NUMBER, NOT_READ, PAGE_NUMBER, READ, State, VisibleWord, WordRun
from docspec.ledger.atoms import keys_of
from docspec.ledger.matching import Matched
from docspec.ledger.painted import DOUBLE
from docspec.ledger.sides import Sides, is_inside

END = 1 << 60
"""Behind all atoms."""

FOR_ONE = 2
"""Most words of the page for which one word of a model's stands: it may have seen one where the file has several."""

BULLETS = frozenset("oº°")
"""Letters that are set as the rings of lists."""

BULLET_INDENT = 0.25
"""Most indent of such a bullet in its block, as a share of the block's width."""

WORDLESS = "ink in which no text was recognised"
UNTOLD_SIGN = "a sign that the file does not tell"

_LINE_NUMBERS = re.compile(r"\s*(?:\d{1,4}\s+){4,}\d{1,4}\s*")
_NUMBER = re.compile(r"[\W_]*(?:\d{1,4}|[ivxlc]{1,7})(?:[\W_]+(?:of|von|de|/)?[\W_]*\d{1,4})?[\W_]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fate:
    """The state of a word, and where or why."""

    state: State
    block: int = -1
    offset: int = -1
    rule: str = ""


class Furniture:
    """The words of running heads and feet that the output does not have; ``owners`` are the blocks of its atoms."""

    def __init__(self, blocks: Sequence[Block], owners: Sequence[int]) -> None:
        written = Counter(owners)
        self._left: list[tuple[str, Block, Counter[str]]] = []
        for number, block in enumerate(blocks):
            keys = Counter(keys_of(block.text))
            if block.category.is_furniture and written[number] < keys.total():
                edge = HEAD if block.category is Category.PAGE_HEADER else FOOT
                rule = PAGE_NUMBER if _NUMBER.fullmatch(block.text) else edge
                rule = LINE_NUMBER if _LINE_NUMBERS.fullmatch(block.text) else rule
                self._left.append((rule, block, keys))

    def take(self, keys: Sequence[str], word: VisibleWord) -> str:
        """The rule of the furniture that holds all ``keys`` of ``word``, which are then used up, that at its place
        first; else of what a model has read otherwise at its place; empty if there is none."""
        wanted = Counter(keys)
        there = [block.bbox is not None and is_inside(word, block.bbox) for _, block, _ in self._left]
        for (rule, _, left), _ in sorted(zip(self._left, there, strict=True), key=lambda one: not one[1]):
            if wanted <= left:
                left.subtract(wanted)
                return rule
        read = (one[0] for one, at in zip(self._left, there, strict=True) if at and one[1].words == "model")
        return next(read, "")


def in_furniture(furniture: Furniture, keys: Sequence[str], word: VisibleWord) -> Fate | None:
    """The fate of a word whose ``keys`` are those of furniture that was left out."""
    rule = furniture.take(keys, word)
    return Fate("left_out", rule=rule) if rule else None


def in_picture(word: VisibleWord, blocks: Sequence[Block]) -> Fate | None:
    """The fate of a word within a picture."""
    for number, block in enumerate(blocks):
        if block.category is Category.PICTURE and block.bbox is not None and is_inside(word, block.bbox):
            return Fate("in_picture", number, rule=NOT_READ if block.unread else READ)
    return None


def as_bullet(word: VisibleWord, blocks: Sequence[Block]) -> Fate | None:
    """The fate of a letter that word processors set as a bullet, left of the text of an item."""
    for number, block in enumerate(blocks if word.text in BULLETS else ()):
        if block.category is Category.LIST_ITEM and block.bbox is not None and is_inside(word, block.bbox):
            beside = word.x1 - block.bbox.x0 < BULLET_INDENT * block.bbox.width
            return Fate("written", number) if beside else None
    return None


def printed_again(word: VisibleWord, words: Sequence[VisibleWord], fates: Sequence[Fate | None]) -> Fate | None:
    """The fate of a word that lies on a written one and is part of it: a second print, parted otherwise. Takes time
    with the number of words."""
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    for other, fate in zip(words, fates, strict=True):
        written = fate is not None and fate.state == "written" and other is not word
        if written and word.text in other.text and other.x0 < x < other.x1 and other.y0 < y < other.y1:
            return Fate("left_out", rule=DOUBLE)
    return None


def fate_of_ink(box: BBox, blocks: Sequence[Block]) -> WordRun:
    """Ink without a known word: a picture has it, a model has read something there, or it is an ornament."""
    for number, block in enumerate(blocks):
        if block.bbox is not None and box.overlap(block.bbox) > 0.5:
            if block.category is Category.PICTURE:
                return WordRun("", box, "in_picture", 0, number, rule=NOT_READ if block.unread else READ)
            if block.text.strip():
                return WordRun("", box, "written", 0, number)
    return WordRun("", box, "left_out", 0, rule=WORDLESS)


class Readings:
    """Words that a model wrote and nobody else has: each stands for :data:`FOR_ONE` of the page at most. For words that
    the file does not tell, those that ``anyone`` wrote."""

    def __init__(self, sides: Sides, pairs: Matched, anyone: bool = False) -> None:
        self._sides, self._pairs = sides, pairs
        self._uses: Counter[int] = Counter()
        self.used: set[int] = set()
        self._left = [at for at in pairs.left_of_output if anyone or self._is_models(sides.block_of[at])]  # ascending
        self._of_block: dict[int, list[int]] = defaultdict(list)
        for at in self._left:
            self._of_block[sides.block_of[at]].append(at)
        self._before = list(accumulate(pairs.of_page, lambda last, other: other if other >= 0 else last, initial=-1))
        behind = accumulate(reversed(pairs.of_page), lambda last, other: other if other >= 0 else last, initial=END)
        self._behind = list(behind)[::-1]

    def stand_for(self, atoms: Sequence[int]) -> bool:
        """Whether a word of a model's stands in the place of ``atoms`` of the page, which are neighbours: between the
        words that are theirs, or in the block at their place."""
        if not self._left:
            return False
        place = bisect_right(self._left, self._before[atoms[0]])
        between = place < len(self._left) and self._left[place] < self._behind[atoms[-1] + 1]
        if not between:
            firsts = (left[0] for block, left in self._of_block.items() if left and self._is_there(atoms[0], block))
            first = min(firsts, default=-1)
            if first < 0:
                return False
            place = bisect_left(self._left, first)
        reading = self._left[place]
        self.used.add(reading)
        self._uses[reading] += 1
        if self._uses[reading] == FOR_ONE:
            del self._left[place]
            own = self._of_block[self._sides.block_of[reading]]
            del own[bisect_left(own, reading)]
        return True

    def _is_models(self, block: int) -> bool:
        return block < 0 or self._sides.blocks[block].words == "model"

    def _is_there(self, atom: int, block: int) -> bool:
        """Whether the word of an ``atom`` of the page stands in ``block``, or nobody knows where that is."""
        box = self._sides.boxes[block] if block >= 0 else None
        return box is None or is_inside(self._sides.words[self._sides.word_of[atom]], box)
