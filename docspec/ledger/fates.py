"""What became of words of a page that are not in its output: furniture, in a picture, read otherwise, printed twice."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docspec.core import BBox, Block, Category
from docspec.core.account import FOOT, HEAD, PAGE_NUMBER, State, VisibleWord, WordRun
from docspec.ledger.atoms import keys_of
from docspec.ledger.matching import Matched
from docspec.ledger.painted import DOUBLE
from docspec.ledger.sides import Sides, is_inside

FOR_ONE = 2
"""Most words of the page for which one word of a model's stands: it may have seen one where the file has several."""

READ, NOT_READ = "read", "not read"
WORDLESS = "ink in which no text was recognised"
UNTOLD_SIGN = "a sign that the file does not tell"

_NUMBER = re.compile(r"[\W_]*(?:\d{1,4}|[ivxlc]{1,7})(?:[\W_]+(?:of|von|de|/)?[\W_]*\d{1,4})?[\W_]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fate:
    """The state of a word, and where or why."""

    state: State
    block: int = -1
    offset: int = -1
    rule: str = ""


class Furniture:
    """The words of running heads and feet."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._left: list[tuple[str, BBox | None, Counter[str]]] = []
        for block in blocks:
            if block.category.is_furniture:
                edge = HEAD if block.category is Category.PAGE_HEADER else FOOT
                rule = PAGE_NUMBER if _NUMBER.fullmatch(block.text) else edge
                self._left.append((rule, block.bbox, Counter(keys_of(block.text))))

    def take(self, keys: Sequence[str], word: VisibleWord) -> str:
        """The rule of the furniture that holds all ``keys`` of ``word``, which are then used up, that at its place
        first; empty if none does."""
        wanted = Counter(keys)
        for rule, _, left in sorted(self._left, key=lambda one: one[1] is None or not is_inside(word, one[1])):
            if wanted <= left:
                left.subtract(wanted)
                return rule
        return ""


def in_furniture(furniture: Furniture, keys: Sequence[str], word: VisibleWord) -> Fate | None:
    rule = furniture.take(keys, word)
    return Fate("left_out", rule=rule) if rule else None


def in_picture(word: VisibleWord, blocks: Sequence[Block]) -> Fate | None:
    for number, block in enumerate(blocks):
        if block.category is Category.PICTURE and block.bbox is not None and is_inside(word, block.bbox):
            return Fate("in_picture", number, rule=NOT_READ if block.unread else READ)
    return None


def printed_again(word: VisibleWord, words: Sequence[VisibleWord], fates: Sequence[Fate | None]) -> Fate | None:
    """The fate of a word that lies on a written one and is part of it: a second print, parted otherwise."""
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
    """Words that a model wrote and nobody else has: each stands for :data:`FOR_ONE` of the page at most."""

    def __init__(self, sides: Sides, found: Matched) -> None:
        self._sides, self._found = sides, found
        self._left: dict[int, list[int]] = defaultdict(list)
        self._uses: Counter[int] = Counter()
        self.used: set[int] = set()
        for other in found.left_of_output:
            block = sides.block_of[other]
            if block < 0 or sides.blocks[block].words == "model":
                self._left[block].append(other)

    def stand_for(self, atoms: Sequence[int]) -> bool:
        """Whether words of a model's stand in the place of ``atoms`` of the page, which are neighbours."""
        if not self._left:
            return False
        found = next((one for one in self._beside(atoms[0], atoms[-1]) if self._uses[one] < FOR_ONE), None)
        if found is None:
            return False
        self._uses[found] += 1
        self.used.add(found)
        return True

    def _beside(self, first: int, last: int) -> Iterator[int]:
        """Words that stand between those that are the neighbours of an atom, then those of the block at its place, then
        all that nobody knows the place of."""
        of_page = self._found.of_page
        before = next((of_page[at] for at in range(first - 1, -1, -1) if of_page[at] >= 0), -1)
        behind = next((of_page[at] for at in range(last + 1, len(of_page)) if of_page[at] >= 0), len(of_page) * 10)
        word = self._sides.words[self._sides.word_of[first]]
        for own in self._left.values():
            yield from (other for other in own if before < other < behind)
        for block, own in self._left.items():
            box = self._sides.boxes[block] if block >= 0 else None
            if box is None or is_inside(word, box):
                yield from own
