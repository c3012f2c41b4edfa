"""Loops that count: the same words again and again, but for numbers that go up (or down) by the same step.

No tokens repeat in them, so they are found in the text: what stands between the numbers repeats itself, and each number
of a turn is as far from the same number of the turn before as that was from its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

MOST_NUMBERS = 8
"""Numbers that a turn has at most."""

TURNS = 300
"""Turns from which on a count without another word is a loop: numbered lines of a printed form are fewer."""

_NUMBER = re.compile(r"\d{1,18}")


@dataclass(frozen=True, slots=True)
class Count:
    """The text counts from character ``start`` to its end; the first turn ends before character ``turn``."""

    start: int
    turn: int


def counted(text: str) -> Count | None:
    """Where the end of ``text`` counts, if it has done so for :data:`TURNS` turns; else ``None``."""
    found = list(_NUMBER.finditer(text))
    numbers = [int(one.group()) for one in found]
    between = [text[a.end() : b.start()] for a, b in pairwise(found)]
    for size in range(1, MOST_NUMBERS + 1):
        first = _first_counted(numbers, between, size)
        if len(numbers) - first >= size * TURNS:
            steps = [numbers[at + size] - numbers[at] for at in range(first, first + size)]
            if any(steps):
                return Count(found[first].start(), found[first + size].start())
    return None


def _first_counted(numbers: list[int], between: list[str], size: int) -> int:
    """Where the run of turns of ``size`` numbers begins that goes on to the last number."""
    at = len(numbers) - 1 - 2 * size
    while (
        at >= 0
        and numbers[at + size] - numbers[at] == numbers[at + 2 * size] - numbers[at + size]
        and between[at] == between[at + size]
    ):
        at -= 1
    return at + 1
