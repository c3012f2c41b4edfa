"""The account of a page: the fate of every word that is visible on it, found in the finished output.

What the code between page and output believes is not asked. The words of the page come from its witness, those of the
output from a reader of the format (:mod:`docspec.ledger.outputs`); the blocks say where on the page a part of the
output stands, which tells equal words apart, and what was made into a picture.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from docspec.core import BBox
from docspec.core.account import Misplaced, PageAccount, VisibleWord, Witness, WordRun
from docspec.core.geometry import runs_of
from docspec.ledger.atoms import UNTOLD
from docspec.ledger.cells import cells_of
from docspec.ledger.fates import (
    UNTOLD_SIGN,
    Fate,
    Furniture,
    Readings,
    as_bullet,
    fate_of_ink,
    in_furniture,
    in_picture,
    printed_again,
)
from docspec.ledger.matching import MOST_LEFT, Matched
from docspec.ledger.placed import placed
from docspec.ledger.sides import PageOutput, Sides, displaced, paired
from docspec.ledger.structure import structure_of
from docspec.ledger.units import units_of

SIGNS_OF_NUMBERS = re.compile(r"[-+−–—±∓<>≤≥~∼≈=×·•$€£¥#*]\s?$")
"""What may stand before a figure; a hyphen is a minus here."""

UNTOLD_WORD = 3
"""Least glyphs without Unicode in a row that are a word and not a sign."""


def account_for(
    words: Sequence[VisibleWord], output: PageOutput, witness: Witness, ink: Sequence[BBox] = ()
) -> PageAccount:
    """What became of ``words``, told by ``witness``, in a page's ``output``, and of stretches of ``ink`` in which the
    recogniser has found none."""
    sides = Sides(words, output)
    pairs = paired(sides)
    fates: list[Fate | None] = [None] * len(words)
    left: dict[int, list[int]] = defaultdict(list)
    for at, other in enumerate(pairs.of_page):
        number = sides.word_of[at]
        if other < 0:
            left[number].append(at)
        elif fates[number] is None:
            fates[number] = Fate("written", sides.block_of[other], sides.offsets[other], words[number].hidden)
    furniture = Furniture(output.blocks, sides.block_of)
    readings = of_untold = Readings(sides, pairs)
    if any(UNTOLD in sides.page[at] for own in left.values() for at in own):
        of_untold = Readings(sides, pairs, anyone=True)
    for number in sorted(left):
        word = words[number]
        keys = [sides.page[at] for at in left[number]]
        is_untold = not any(key.strip(UNTOLD) for key in keys)
        fates[number] = (
            (Fate("left_out", rule=word.hidden) if word.hidden else None)
            or in_furniture(furniture, keys, word)
            or as_bullet(word, output.blocks)
            or (_of_untold_sign(sides, pairs, left[number]) if is_untold else None)
            or in_picture(word, output.blocks)
            or (Fate("changed") if (of_untold if is_untold else readings).stand_for(left[number]) else None)
            or (printed_again(word, words, fates) if len(left) <= MOST_LEFT else None)
            or Fate("missing")
        )
    spare = [other for other in pairs.left_of_output if other not in readings.used | of_untold.used]
    runs = [*(fate_of_ink(box, output.blocks) for box in ink)]
    runs += _runs([(word, fate) for word, fate in zip(words, fates, strict=True) if fate is not None])
    places = tuple(run for run in runs if run.state == "written" and not run.rule)
    return PageAccount(
        witness,
        sum(run.count for run in places),
        tuple(run for run in runs if run.state != "written" or run.rule),
        tuple(sides.output[at] for at in spare),
        displaced(sides, pairs),
        places,
        _misplaced(sides, pairs, output) if witness == "text layer" else (),  # recognised boxes are too rough
    )


def _of_untold_sign(sides: Sides, pairs: Matched, atoms: Sequence[int]) -> Fate | None:
    """What became of signs that the file does not tell, which are ``atoms`` of one word. Right before a figure such a
    sign may be a minus: it is written if the output has a sign there, and missing if it does not. ``None`` for several
    in a row, which are a word."""
    for at in atoms:
        figure = at + 1 if at + 1 < len(sides.page) and sides.word_of[at + 1] == sides.word_of[at] else -1
        if figure < 0 or not sides.page[figure][0].isdigit() or (other := pairs.of_page[figure]) < 0:
            continue
        start = sides.offsets[other]
        if not SIGNS_OF_NUMBERS.search(sides.shown[max(0, start - 2) : start]):
            return Fate("missing")
        return Fate("written", sides.block_of[other], start)
    is_word = sum(len(sides.page[at]) for at in atoms) >= UNTOLD_WORD
    return None if is_word else Fate("left_out", rule=UNTOLD_SIGN)


def _misplaced(sides: Sides, pairs: Matched, output: PageOutput) -> tuple[Misplaced, ...]:
    """Where the structure of the output is not that of the page; nothing where only its words are known."""
    if not output.text:
        return ()
    units = placed(sides, pairs, units_of(output.text), output.text)
    return (*structure_of(units), *cells_of(units))


def _runs(fates: Sequence[tuple[VisibleWord, Fate]]) -> Iterator[WordRun]:
    """Neighbouring words of one line and one fate together."""
    for run in runs_of(fates, _together):
        fate, words = run[0][1], [word for word, _ in run]
        text, where = " ".join(word.text for word in words), (fate.block, fate.offset, fate.rule)
        yield WordRun(text, BBox.union(words), fate.state, len(text.split()), *where)


def _together(one: tuple[VisibleWord, Fate], other: tuple[VisibleWord, Fate]) -> bool:
    (a, mine), (b, theirs) = one, other
    same = (mine.state, mine.block, mine.rule) == (theirs.state, theirs.block, theirs.rule)
    height = max(a.y1 - a.y0, b.y1 - b.y0)
    return same and abs(a.y1 - b.y1) < 0.5 * height and -height < b.x0 - a.x1 < 2 * height
