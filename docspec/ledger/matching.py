"""Which atoms of a page are which of its output: each of either side belongs to at most one of the other.

First by what they are alone (exact, and in time that grows with their number): an atom that stands as often on both
sides is found. Which of several equal ones it is, their neighbours and their places tell. What is left is then tried as
parts of words: one that the print breaks at the end of a line, or that the output writes in pieces.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from docspec.ledger.atoms import UNTOLD, joined, runs_leftwards

MOST_PARTS = 24
"""Most atoms that are one word of the other side: letters that are spaced out."""

MOST_COMPARED, MOST_LEFT, MOST_TRIED, LONGEST = 10_000, 500, 200, 40
"""Most pairs of equal atoms whose places are compared, most atoms that are tried as parts of words or made of them,
most tries for one of them, and the most letters of a part: a page of nothing else must not take minutes."""

FEW = 4
"""Most letters of what is found in formulas in another place: the block of a letter is not always known."""

Fits = Callable[[int, int], bool]
"""Whether an atom of the page may stand in the place of one of the output, by their numbers."""


@dataclass(slots=True)
class Matched:
    """``of_page`` holds, for each atom of the page, the number of its atom in the output, or -1; ``of_output`` the
    other way round."""

    of_page: list[int]
    of_output: list[int] = field(default_factory=list)

    def pair(self, page: int, output: int) -> None:
        self.of_page[page], self.of_output[output] = output, page

    @property
    def left_of_page(self) -> list[int]:
        return [at for at, other in enumerate(self.of_page) if other < 0]

    @property
    def left_of_output(self) -> list[int]:
        return [at for at, other in enumerate(self.of_output) if other < 0]


def matched(
    page: Sequence[str], output: Sequence[str], fits: Fits, in_formulas: Collection[int] = frozenset()
) -> Matched:
    """Pairs the keys of a ``page`` in the order of its contents with those of its ``output``; those ``in_formulas`` are
    letters rather than words."""
    pairs = Matched([-1] * len(page), [-1] * len(output))
    on_page, in_output = _places(page), _places(output)
    anchors = [(at[0], in_output[key][0]) for key, at in on_page.items() if len(at) == 1 == len(in_output.get(key, ()))]
    for one, other in anchors:
        pairs.pair(one, other)
    for one, other in anchors:
        for step in (1, -1):
            _extend(pairs, page, output, one + step, other + step, step)
    for key, places in on_page.items():
        others = [other for other in in_output.get(key, ()) if pairs.of_output[other] < 0]
        if others:
            _pair_left(pairs, [one for one in places if pairs.of_page[one] < 0], others, fits)
    _pair_parts(pairs, page, output)
    _pair_parts(_turned(pairs), output, page)
    told = [key.strip(UNTOLD) or key for key in page]
    if told != page:  # a quotation mark that the file does not tell stands before a word that the print breaks
        _pair_parts(pairs, told, output)
    _pair_scattered(pairs, page, output)
    _pair_letters(pairs, page, output, fits, in_formulas)
    _pair_untold(pairs, page, output)
    return pairs


def _places(keys: Sequence[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for at, key in enumerate(keys):
        places[key].append(at)
    return places


def _turned(pairs: Matched) -> Matched:
    """The same pairs, seen from the other side: what is paired in one is paired in both."""
    return Matched(pairs.of_output, pairs.of_page)


def _extend(pairs: Matched, page: Sequence[str], output: Sequence[str], one: int, other: int, step: int) -> None:
    """Pairs equal neighbours of a pair, as far as they go."""
    while 0 <= one < len(page) and 0 <= other < len(output) and page[one] == output[other]:
        if pairs.of_page[one] >= 0 or pairs.of_output[other] >= 0:
            return
        pairs.pair(one, other)
        one, other = one + step, other + step


def _pair_left(pairs: Matched, ones: list[int], others: list[int], fits: Fits) -> None:
    """Pairs equal atoms, those first that stand in one place, as long as that can be looked at in reasonable time."""
    if 1 < len(ones) * len(others) <= MOST_COMPARED:
        for other in list(others):
            at = next((at for at, one in enumerate(ones) if fits(one, other)), None)
            if at is not None:
                pairs.pair(ones.pop(at), other)
                others.remove(other)
    for one, other in zip(ones, others, strict=False):
        pairs.pair(one, other)


def _pair_parts(pairs: Matched, page: Sequence[str], output: Sequence[str]) -> None:
    """Pairs runs on the page with the words of the output that they are the parts of. A part that stands elsewhere
    as a word of its own may have been taken for it: then one that is left takes its place there."""
    spare: dict[str, list[int]] = defaultdict(list)
    for at in pairs.left_of_page:
        spare[page[at]].append(at)
    if not spare:
        return
    beginning: dict[str, list[str]] = defaultdict(list)
    for part in sorted(spare, key=len, reverse=True):
        beginning["" if _begins_anywhere(part) else part[0]].append(part)
    starts, written = _places(page), _places(output)
    for other in pairs.left_of_output[:MOST_LEFT]:
        key = output[other]
        for first in (part for part in (*beginning[key[0]], *beginning[""]) if _may_begin(key, part, spare)):
            runs = [run for at in starts[first][:MOST_LEFT] if (run := _run_from(at, key, page, spare))]
            if not runs:
                continue
            run = next((one for one in runs if all(pairs.of_page[at] < 0 for at in one)), runs[0])
            for at in run:
                own = pairs.of_page[at]
                left = spare[page[at]]
                if own < 0:
                    left.remove(at)
                else:  # it was taken for a word that one of those left is
                    pairs.pair(left.pop(), own)
                pairs.of_page[at] = other
            pairs.of_output[other] = run[0]
            _in_order(pairs, run, other, [at for at in written[key] if at < other])
            break


def _in_order(pairs: Matched, run: Sequence[int], other: int, before: Sequence[int]) -> None:
    """Gives the place of ``other``, which has a ``run`` of the page, to an equal word that is written ``before`` it and
    was taken for one further down: the word that the line breaks is the first of both on the page, too."""
    twin = next((at for at in before if pairs.of_output[at] > run[-1]), None)
    if twin is not None:
        pairs.pair(pairs.of_output[twin], other)
        pairs.of_output[twin] = run[0]
        for at in run:
            pairs.of_page[at] = twin


def _begins_anywhere(part: str) -> bool:
    """Whether a word with this part may begin with another letter: the letters of some scripts are sorted."""
    return part.startswith(UNTOLD) or runs_leftwards(part)


def _may_begin(key: str, part: str, spare: dict[str, list[int]]) -> bool:
    return bool(spare[part]) and len(part) < len(key) and (key.startswith(part) or _begins_anywhere(part))


def _run_from(start: int, key: str, page: Sequence[str], spare: dict[str, list[int]]) -> list[int]:
    """The run of atoms from ``start`` that are ``key`` together, of kinds of which enough are left; empty if none."""
    parts: list[str] = []
    for at in range(start, min(start + MOST_PARTS, len(page))):
        part = page[at]
        if parts.count(part) >= len(spare.get(part, ())):
            return []
        parts.append(part)
        text = joined(tuple(parts))
        if text == key:
            return list(range(start, at + 1)) if len(parts) > 1 else []
        if len(text) >= len(key) or not text:
            return []
    return []


def _pair_scattered(pairs: Matched, page: Sequence[str], output: Sequence[str]) -> None:
    """Pairs words of the output whose parts are left on the page in any order: lines that the file has in another
    order than the print, letters along a line that runs upwards."""
    spare: dict[str, list[int]] = defaultdict(list)
    for at in pairs.left_of_page:
        if page[at].isalpha():
            spare[page[at]].append(at)
    for other in pairs.left_of_output[:MOST_LEFT] if spare else ():
        parts = _parts_of(output[other], spare, [], iter(range(MOST_TRIED)))
        if parts:
            own = [spare[part].pop() for part in parts]
            for at in own:
                pairs.of_page[at] = other
            pairs.of_output[other] = min(own)


def _parts_of(rest: str, spare: dict[str, list[int]], parts: list[str], tries: Iterator[int]) -> list[str]:
    """Keys of ``spare`` that are ``rest`` one after the other; empty if there are none, or after so many ``tries``."""
    if not rest:
        return parts
    for size in range(min(len(rest), LONGEST), 0, -1):
        part = rest[:size]
        if len(spare.get(part, ())) > parts.count(part) and next(tries, None) is not None:
            whole = _parts_of(rest[size:], spare, [*parts, part], tries)
            if whole:
                return whole
    return []


def _pair_letters(
    pairs: Matched, page: Sequence[str], output: Sequence[str], fits: Fits, in_formulas: Collection[int]
) -> None:
    """Pairs what is left of a page with the letters that are left of formulas in its place: which letters stand beside
    each other, and so make one atom, differs between a formula and its LaTeX (``d`` over ``dx``)."""
    letters: dict[str, list[int]] = defaultdict(list)
    for other in [at for at in pairs.left_of_output if at in in_formulas][:MOST_LEFT]:
        for sign in output[other]:
            letters[sign].append(other)
    for at in pairs.left_of_page[:MOST_LEFT] if letters else ():
        taken: list[tuple[str, int]] = []
        if len(page[at]) > 1 and any(map(str.isdigit, page[at])):
            continue  # numbers are whole
        for sign in page[at]:
            free = letters[sign]
            own = next((one for one in free if fits(at, one)), free[0] if free and len(page[at]) <= FEW else None)
            if own is None:
                break
            free.remove(own)
            taken.append((sign, own))
        if len(taken) == len(page[at]):
            pairs.pair(at, taken[0][1])
        else:
            for sign, other in taken:
                letters[sign].append(other)


def _pair_untold(pairs: Matched, page: Sequence[str], output: Sequence[str]) -> None:
    """Pairs words of which the file lacks letters with words that have some in their place."""
    lacking = [at for at in pairs.left_of_page if UNTOLD in page[at] and page[at].strip(UNTOLD)]
    left = pairs.left_of_output[:MOST_LEFT]
    for at in sorted(lacking, key=lambda at: -len(page[at]))[:MOST_LEFT]:
        pattern = re.compile(".{0,3}".join(map(re.escape, re.split(f"{UNTOLD}+", page[at]))))
        other = next((one for one in left if pattern.fullmatch(output[one])), None)
        if other is not None:
            pairs.pair(at, other)
            left.remove(other)
