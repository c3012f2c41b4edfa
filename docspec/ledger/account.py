"""The account of a page: the fate of every word that is visible on it, found in the finished output.

What the code between page and output believes is not asked. The words of the page come from its witness, those of the
output from a reader of the format (:mod:`docspec.ledger.outputs`); the blocks say where on the page a part of the
output stands, which tells equal words apart, and what was made into a picture.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docspec.core import BBox, Block, Category
from docspec.core.account import FOOT, HEAD, PAGE_NUMBER, PageAccount, State, VisibleWord, Witness, WordRun
from docspec.ledger.atoms import atoms_of, keys_of
from docspec.ledger.matching import Matched, matched
from docspec.ledger.visible import DOUBLE, UNTOLD

FOR_ONE = 2
"""Most words of the page for which one word of a model's stands: it may have seen one where the file has several."""

BEGINNING, LOOK_AHEAD = 3, 20
"""Atoms that tell a block, and among which the next one of the output is sought."""

FEW_LINES = 4
"""Heights of a word between two that follow each other in running text."""

REACH = 0.6
"""Heights of a word by which it may stand off the box of its block."""

READ, NOT_READ = "read", "not read"
WORDLESS = "ink in which no text was recognised"
UNTOLD_SIGN = "a sign that the file does not tell"

_NUMBER = re.compile(r"[\W_]*(?:\d{1,4}|[ivxlc]{1,7})(?:[\W_]+(?:of|von|de|/)?[\W_]*\d{1,4})?[\W_]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageOutput:
    """A finished output of one page: the words that it shows, as plain text (:mod:`docspec.ledger.outputs`), and the
    page's blocks."""

    shown: str
    blocks: Sequence[Block]


@dataclass(slots=True)
class _Fate:
    state: State
    block: int = -1
    offset: int = -1
    rule: str = ""


class _Sides:
    """Both sides as atoms: ``word_of`` and ``block_of`` say whose an atom is."""

    def __init__(self, words: Sequence[VisibleWord], output: PageOutput) -> None:
        self.words, self.blocks = words, output.blocks
        self.page: list[str] = []
        self.word_of: list[int] = []
        for number, word in enumerate(words):
            for key in keys_of(word.text):
                self.page.append(key)
                self.word_of.append(number)
        shown = atoms_of(output.shown)
        self.output = [atom.key for atom in shown]
        self.offsets = [atom.start for atom in shown]
        self.block_of = _blocks_of(self.output, output.blocks)
        self.boxes = [block.bbox for block in output.blocks]

    def fits(self, one: int, other: int) -> bool:
        """Whether an atom of the page stands in the block of one of the output."""
        block = self.block_of[other]
        box = self.boxes[block] if block >= 0 else None
        return box is not None and _inside(self.words[self.word_of[one]], box)


def account_for(
    words: Sequence[VisibleWord], output: PageOutput, witness: Witness, ink: Sequence[BBox] = ()
) -> PageAccount:
    """What became of ``words``, told by ``witness``, in a page's ``output``, and of stretches of ``ink`` in which the
    recogniser has found none."""
    sides = _Sides(words, output)
    found = _first_the_visible(sides)
    fates: list[_Fate | None] = [None] * len(words)
    left: dict[int, list[int]] = defaultdict(list)
    for at, other in enumerate(found.of_page):
        number = sides.word_of[at]
        if other < 0:
            left[number].append(at)
        elif fates[number] is None:
            fates[number] = _Fate("written", sides.block_of[other], sides.offsets[other], words[number].hidden)
    furniture = _Furniture(output.blocks)
    readings = _Readings(sides, found)
    for number in sorted(left):
        word = words[number]
        keys = [sides.page[at] for at in left[number]]
        fates[number] = (
            (_Fate("left_out", rule=word.hidden) if word.hidden else None)
            or _in_furniture(furniture, keys, word)
            or (_Fate("left_out", rule=UNTOLD_SIGN) if not word.text.strip(UNTOLD) else None)
            or (_Fate("changed") if readings.stand_for(left[number]) else None)
            or _in_picture(word, output.blocks)
            or _printed_again(word, words, fates)
            or _Fate("missing")
        )
    spare = [other for other in found.left_of_output if other not in readings.used]
    runs = [*(_fate_of_ink(box, output.blocks) for box in ink)]
    runs += _runs([(word, fate) for word, fate in zip(words, fates, strict=True) if fate is not None])
    places = tuple(run for run in runs if run.state == "written")
    return PageAccount(
        witness,
        sum(run.count for run in places),
        tuple(run for run in runs if run.state != "written"),
        tuple(sides.output[at] for at in spare),
        _displaced(sides, found),
        places,
    )


def _first_the_visible(sides: _Sides) -> Matched:
    """The pairs of both sides; a hidden word has only what visible ones leave."""
    seen = [at for at, number in enumerate(sides.word_of) if not sides.words[number].hidden]
    keys = [sides.page[at] for at in seen]
    found = matched(keys, sides.output, lambda one, other: sides.fits(seen[one], other))
    of_page = [-1] * len(sides.page)
    for one, at in enumerate(seen):
        of_page[at] = found.of_page[one]
    of_output = [seen[one] if one >= 0 else -1 for one in found.of_output]
    rest = Counter(sides.output[other] for other in found.left_of_output)
    places: dict[str, list[int]] = defaultdict(list)
    for other in found.left_of_output:
        places[sides.output[other]].append(other)
    for at, number in enumerate(sides.word_of):
        key = sides.page[at]
        if sides.words[number].hidden and rest[key] > 0:
            rest[key] -= 1
            of_page[at] = places[key].pop(0)
            of_output[of_page[at]] = at
    return Matched(of_page, of_output)


def _blocks_of(output: Sequence[str], blocks: Sequence[Block]) -> list[int]:
    """The block of each atom of the output. Both run in one order, but that pictures and what they break may change
    places: then the first atoms of a block tell it. Running heads are seldom written."""
    keys: list[str] = []
    owners: list[int] = []
    starts: dict[tuple[str, ...], int] = {}
    for number, block in sorted(enumerate(blocks), key=lambda one: one[1].category.is_furniture):
        own = keys_of(block.text)
        starts.setdefault(tuple(own[:BEGINNING]), len(keys))
        keys += own
        owners += [number] * len(own)
    at, current, found = 0, -1, []
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
        found.append(current)
    return found


class _Furniture:
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
        for rule, _, left in sorted(self._left, key=lambda one: one[1] is None or not _inside(word, one[1])):
            if wanted <= left:
                left.subtract(wanted)
                return rule
        return ""


def _in_furniture(furniture: _Furniture, keys: Sequence[str], word: VisibleWord) -> _Fate | None:
    rule = furniture.take(keys, word)
    return _Fate("left_out", rule=rule) if rule else None


def _in_picture(word: VisibleWord, blocks: Sequence[Block]) -> _Fate | None:
    for number, block in enumerate(blocks):
        if block.category is Category.PICTURE and block.bbox is not None and _inside(word, block.bbox):
            return _Fate("in_picture", number, rule=NOT_READ if block.unread else READ)
    return None


def _fate_of_ink(box: BBox, blocks: Sequence[Block]) -> WordRun:
    """Ink without a known word: a picture has it, a model has read something there, or it is an ornament."""
    for number, block in enumerate(blocks):
        if block.bbox is not None and box.overlap(block.bbox) > 0.5:
            if block.category is Category.PICTURE:
                return WordRun("", box, "in_picture", 0, number, rule=NOT_READ if block.unread else READ)
            if block.text.strip():
                return WordRun("", box, "written", 0, number)
    return WordRun("", box, "left_out", 0, rule=WORDLESS)


def _printed_again(word: VisibleWord, words: Sequence[VisibleWord], fates: Sequence[_Fate | None]) -> _Fate | None:
    """The fate of a word that lies on a written one and is part of it: a second print, parted otherwise."""
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    for other, fate in zip(words, fates, strict=True):
        written = fate is not None and fate.state == "written" and other is not word
        if written and word.text in other.text and other.x0 < x < other.x1 and other.y0 < y < other.y1:
            return _Fate("left_out", rule=DOUBLE)
    return None


class _Readings:
    """Words that a model wrote and nobody else has: each stands for :data:`FOR_ONE` of the page at most."""

    def __init__(self, sides: _Sides, found: Matched) -> None:
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
            if box is None or _inside(word, box):
                yield from own


def _inside(word: VisibleWord, box: BBox) -> bool:
    reach = REACH * (word.y1 - word.y0)
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return box.x0 - reach <= x <= box.x1 + reach and box.y0 - reach <= y <= box.y1 + reach


def _displaced(sides: _Sides, found: Matched) -> int:
    """How many words of the output follow one that does not stand in front of them on the page."""
    count, last, last_block = 0, -1, -1
    for other, one in enumerate(found.of_output):
        number, block = (sides.word_of[one], sides.block_of[other]) if one >= 0 else (-1, -1)
        if number < 0 or number == last:
            continue
        if last >= 0:
            running = block == last_block >= 0 and sides.blocks[block].category is not Category.TABLE
            count += _jumps(sides.words[last], sides.words[number], running, number > last)
        last, last_block = number, block
    return count


def _around(words: Sequence[VisibleWord]) -> BBox:
    return BBox(
        min(word.x0 for word in words),
        min(word.y0 for word in words),
        max(word.x1 for word in words),
        max(word.y1 for word in words),
    )


def _jumps(before: VisibleWord, after: VisibleWord, running: bool, later: bool) -> bool:
    """Whether reading goes back in a row; up, unless to what stands on the right (the next column, or cell) and comes
    ``later`` in the contents of the page; or down by more than a few lines in ``running`` text, or to what comes
    earlier there."""
    height, other = before.y1 - before.y0, after.y1 - after.y0
    down = (after.y0 + after.y1 - before.y0 - before.y1) / 2
    if down > 0.5 * min(height, other):
        return down > FEW_LINES * max(height, other) and (running or not later)
    up = -down > 0.5 * min(height, other)
    return after.x0 < before.x1 - 0.3 * (before.x1 - before.x0) or (up and not later)


def _runs(fates: Sequence[tuple[VisibleWord, _Fate]]) -> Iterator[WordRun]:
    """Neighbouring words of one line and one fate together."""
    start = 0
    for at in range(1, len(fates) + 1):
        if at == len(fates) or not _together(fates[at - 1], fates[at]):
            fate, words = fates[start][1], [word for word, _ in fates[start:at]]
            text, where = " ".join(word.text for word in words), (fate.block, fate.offset, fate.rule)
            yield WordRun(text, _around(words), fate.state, len(text.split()), *where)
            start = at


def _together(one: tuple[VisibleWord, _Fate], other: tuple[VisibleWord, _Fate]) -> bool:
    (a, mine), (b, theirs) = one, other
    same = (mine.state, mine.block, mine.rule) == (theirs.state, theirs.block, theirs.rule)
    height = max(a.y1 - a.y0, b.y1 - b.y0)
    return same and abs(a.y1 - b.y1) < 0.5 * height and -height < b.x0 - a.x1 < 2 * height
