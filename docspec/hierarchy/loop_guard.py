"""Repetition loops: seen while they happen, token by token, so that every way of decoding stops at the same place.

A document model that has lost its place writes the same few tokens for ever. The guard follows, for every cycle length
up to a bound, how long the output has been repeating itself at that distance, and stops when that is longer than print
ever is. What print repeats is layout: blank cells, equal rows, dot leaders, list items; running words it does not.

No tokens repeat in a loop that counts (the same words, but for numbers that go up or down by the same step). It is
found in the text: what stands between the numbers repeats itself, and each number of a turn is as far from the same
number of the turn before as that was from its own.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from docspec.engine.stopping import Loop

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


MAX_CYCLE = 256
"""Longest cycle that is looked for, in tokens: a row of 24 filled cells, a long paragraph."""

INTERVAL = 32
"""Tokens between two looks, counted in the output, whatever the steps that wrote them."""

COUNTING = 512
"""The same for loops that count, which are looked for in the text."""

WORDS = (32, 256, 1024)
"""How much of running words may repeat itself: 32 turns, but at least 256 and at most 1,024 tokens."""

LAYOUT = (96, 1024, 2**31)
"""The same of layout: 96 turns (a page has about 80 lines), and at least 1,024 tokens (twelve full lines of single
dots)."""

_TAG = re.compile(r"<[^<>]{1,200}>")
_SPACING = re.compile(r"\\(?:q?quad|hspace\{[^{}]*\}|[lc]?dots|hline)(?![a-zA-Z])")
_BOX = re.compile(r"[☐☑☒□■▢◻◼○●◯]|\[[ xX]?\]")
_ITEM = re.compile(r"\n[ \t]*(?:[-*+•·▪◦‣–]|\(?\w{1,3}[.)])[ \t]")
_LATEX_ROW = re.compile(r"&.*\\\\", re.DOTALL)


def is_layout(cycle: str) -> bool:
    """Whether a cycle of this text is layout: it has no letter and no digit once tags and spacing are taken away, or
    it has what rows, cells, list items or boxes to tick are written with. It may begin anywhere in its turn."""
    cycle = html.unescape(cycle.replace("\\n", "\n"))
    text = cycle * 2
    if _words(text) == _words(cycle * 3):  # letters at both ends are of tags that are cut in two
        return True
    return "|" in text or any(mark.search(text) for mark in (_TAG, _BOX, _ITEM, _LATEX_ROW))


def _words(text: str) -> int:
    """Letters and digits outside tags and spacing commands."""
    return sum(map(str.isalnum, _SPACING.sub("", _TAG.sub("", text))))


class LoopGuard:
    """Stops a row that repeats a cycle of up to :data:`MAX_CYCLE` tokens for longer than print does.

    One rule, the same for every draft and every way of decoding: :data:`WORDS` where the cycle is running words,
    :data:`LAYOUT` where it is layout (:func:`is_layout`), and of what only counts
    :data:`TURNS` turns. ``text_of`` spells tokens. The first turn is kept.
    """

    def __init__(self, text_of: Callable[[list[int]], str]) -> None:
        self._text_of = text_of
        # Nothing repeats what stands before the output.
        self._tokens = [-1 - place for place in range(MAX_CYCLE)]
        self._runs = np.zeros(MAX_CYCLE, dtype=np.int64)

    def observe(self, token: int) -> Loop | None:
        self._tokens.append(token)
        if (len(self._tokens) - MAX_CYCLE) % INTERVAL:
            return None
        self._runs = _continued(self._runs, self._tokens)
        seen: list[int] = []
        for cycle in (np.flatnonzero(self._runs >= _WORD_LIMITS) + 1).tolist():
            if any(cycle % shorter == 0 for shorter in seen):
                continue  # several turns of a cycle that was looked at
            seen.append(cycle)
            run, text = int(self._runs[cycle - 1]), self._text_of(self._tokens[-cycle:])
            if run >= _LAYOUT_LIMITS[cycle - 1] or not is_layout(text):
                return Loop(len(self._tokens) - MAX_CYCLE - run, cycle, run, text)
        return self._counting() if (len(self._tokens) - MAX_CYCLE) % COUNTING == 0 else None

    def _counting(self) -> Loop | None:
        """A loop whose turns differ by their numbers."""
        written = self._tokens[MAX_CYCLE:]
        text = self._text_of(written)
        count = counted(text)
        if count is None:
            return None
        keep = bisect_left(range(len(written)), count.turn, key=lambda n: len(self._text_of(written[:n])))
        return Loop(keep, 0, len(written) - keep, text[count.start : count.turn])


def _limits(turns: int, least: int, most: int) -> np.ndarray:
    """Tokens of a run from which on it is a loop, for each cycle length ``p`` (index ``p - 1``)."""
    return np.clip(turns * np.arange(1, MAX_CYCLE + 1), least, most)


_WORD_LIMITS = _limits(*WORDS)
_LAYOUT_LIMITS = _limits(*LAYOUT)


def _continued(runs: np.ndarray, tokens: Sequence[int]) -> np.ndarray:
    """For each cycle length, how many of the last tokens repeat what stands that far before them; ``runs`` are those
    before the last :data:`INTERVAL` tokens."""
    recent = np.array(tokens[-INTERVAL - MAX_CYCLE :], dtype=np.int64)[::-1]  # the newest first
    before = np.lib.stride_tricks.sliding_window_view(recent[1:], INTERVAL)  # row p - 1 stands p before
    differs = before != recent[:INTERVAL]
    return np.where(differs.any(1), differs.argmax(1), runs + INTERVAL)
