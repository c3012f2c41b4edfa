"""Marks of words that are printed bold, italic, raised, lowered or struck through, or linked. Marks are kept apart from
texts, so that no operation on them can change a word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

MOST_WORK = 200_000_000
"""Pairs of characters that are compared at most to find marked words in another text; more take seconds."""
FOUND = 0.8
"""The least share of a mark's letters that the other text must have, or the mark is dropped."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters ``start`` (included) to ``end`` (excluded) of a text are printed ``bold``, ``italic``, ``raised``,
    ``lowered`` or ``struck`` through, are a ``link`` to ``target``, an address, or a ``formula`` in LaTeX between
    ``$``."""

    kind: Literal["bold", "italic", "raised", "lowered", "struck", "link", "formula"]
    start: int
    end: int
    target: str = ""


def shifted(marks: Iterable[Mark], by: int) -> Iterator[Mark]:
    """``marks`` of a text that stands ``by`` characters further on in another one."""
    return (replace(mark, start=mark.start + by, end=mark.end + by) for mark in marks)


def within(marks: Iterable[Mark], start: int, end: int) -> Iterator[Mark]:
    """The ``marks``, or parts of them, between ``start`` and ``end`` of a text, for the text between them."""
    for mark in marks:
        first, last = max(mark.start, start), min(mark.end, end)
        if first < last:
            yield replace(mark, start=first - start, end=last - start)


def carried(marks: tuple[Mark, ...], source: str, target: str) -> tuple[Mark, ...]:
    """``marks`` of ``source`` at the same words of ``target``, a nearly equal text (joined lines, other characters for
    the same letters). Marks whose words are not found there are left out."""
    if not marks or source == target:
        return marks
    if len(source) * len(target) > MOST_WORK:
        return ()
    from rapidfuzz.distance import Levenshtein

    place: dict[int, int] = {}
    for same in Levenshtein.opcodes(source, target).as_matching_blocks():
        place.update(zip(range(same.a, same.a + same.size), range(same.b, same.b + same.size), strict=True))
    moved = []
    for mark in marks:
        letters = [at for at in range(mark.start, min(mark.end, len(source))) if not source[at].isspace()]
        kept = [place[at] for at in letters if at in place]
        if kept and len(kept) >= FOUND * len(letters):
            moved.append(replace(mark, start=kept[0], end=kept[-1] + 1))
    return tuple(moved)


def merged(marks: Iterable[Mark], text: str) -> tuple[Mark, ...]:
    """``marks`` of ``text`` in order; those of one kind and target with only white space between them are made one."""
    joined: list[Mark] = []
    for mark in sorted(marks, key=lambda one: (one.kind, one.target, one.start)):
        last = joined[-1] if joined else None
        if (
            last is not None
            and (last.kind, last.target) == (mark.kind, mark.target)
            and mark.kind not in ("raised", "lowered")
            and not text[last.end : mark.start].strip()
        ):
            joined[-1] = replace(last, end=max(last.end, mark.end))
        else:
            joined.append(mark)
    return tuple(sorted(joined, key=lambda one: (one.start, -one.end)))
