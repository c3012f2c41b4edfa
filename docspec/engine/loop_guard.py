"""Detects repetition loops while they are written, token by token, so that every way of decoding stops at the same
place.

A document model that has lost its place writes the same few tokens for ever. For every cycle length up to a limit, the
guard counts how many tokens the output has repeated at that distance, and stops when that is longer than print ever
repeats. Print repeats layout: blank cells, equal rows, dot leaders, list items; it does not repeat running words.

In a loop that counts (the same words with numbers that change by the same step) no tokens repeat. It is found in the
text: the text between the numbers repeats, and each number of a turn differs from the same number of the turn before by
the same amount.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from docspec.engine.request import Loop

MOST_NUMBERS = 8
"""Most numbers in a turn of a counting loop."""

TURNS = 300
"""Least turns of a counting loop: numbered lines of a printed form are fewer."""

_NUMBER = re.compile(r"\d{1,18}")


def counted(text: str) -> tuple[int, int] | None:
    """The first character of the counting loop at the end of ``text``, and the end of its first turn; ``None`` if it
    has fewer than :data:`TURNS` turns."""
    matches, numbers, between = _numbers_in(text)
    for size in range(1, MOST_NUMBERS + 1):
        first = _first_counted(numbers, between, size)
        if len(numbers) - first >= size * TURNS:
            steps = [numbers[at + size] - numbers[at] for at in range(first, first + size)]
            if any(steps):
                return matches[first].start(), matches[first + size].start()
    return None


def counts_throughout(text: str) -> bool:
    """Whether a counting loop may begin before ``text``: it goes on from the first turn to the last."""
    numbers, between = _numbers_in(text)[1:]
    sizes = range(1, MOST_NUMBERS + 1)
    return any(len(numbers) >= 3 * size and _first_counted(numbers, between, size) <= size for size in sizes)


def _numbers_in(text: str) -> tuple[list[re.Match[str]], list[int], list[str]]:
    """The numbers of ``text``, their values, and the texts between them."""
    matches = list(_NUMBER.finditer(text))
    return matches, [int(one.group()) for one in matches], [text[a.end() : b.start()] for a, b in pairwise(matches)]


def _first_counted(numbers: list[int], between: list[str], size: int) -> int:
    """The index of the first number of the run of turns, of ``size`` numbers each, that ends with the last number."""
    at = len(numbers) - 1 - 2 * size
    while (
        at >= 0
        and numbers[at + size] - numbers[at] == numbers[at + 2 * size] - numbers[at + size]
        and between[at] == between[at + size]
    ):
        at -= 1
    return at + 1


MAX_CYCLE = 256
"""Longest cycle that is detected, in tokens: a row of 24 filled cells, a long paragraph."""

INTERVAL = 32
"""Output tokens between two checks, independent of the steps that wrote them."""

COUNTING = 512
"""Output tokens between two checks for counting loops, which are found in the text."""

LOOKED_AT = 4096
"""Output tokens that are searched for a counting loop, and twice as many each time while all of them count: what was
written before the loop is not read again at each check."""

WORDS = (32, 256, 1024)
"""How often running words may repeat: 32 turns, but at least 256 and at most 1,024 tokens."""

LAYOUT = (96, 1024, 2**31)
"""How often layout may repeat: 96 turns (a page has about 80 lines), and at least 1,024 tokens (twelve full lines of
dots)."""

_TAG = re.compile(r"<[^<>]{1,200}>")
_SPACING = re.compile(r"\\(?:q?quad|hspace\{[^{}]*\}|[lc]?dots|hline)(?![a-zA-Z])")
_BOX = re.compile(r"[☐☑☒□■▢◻◼○●◯]|\[[ xX]?\]")
_ITEM = re.compile(r"\n[ \t]*(?:[-*+•·▪◦‣–]|\(?\w{1,3}[.)])[ \t]")
_LATEX_ROW = re.compile(r"&.*\\\\", re.DOTALL)


def is_layout(cycle: str) -> bool:
    """Whether a cycle of this text is layout: without tags and spacing it has no letter and no digit, or it has the
    marks of rows, cells, list items or check boxes. The cycle may begin anywhere in its turn. White space alone is
    none: it is how readers loop on forms and on empty pages."""
    if not cycle.strip():
        return False
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

    The limits are the same for every draft and every way of decoding: :data:`WORDS` where the cycle is running words,
    :data:`LAYOUT` where it is layout (:func:`is_layout`), and :data:`TURNS` turns of a counting loop. ``text_of``
    detokenizes. The first turn is kept.
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
        """The counting loop at the end of the output, if there is one."""
        most = len(self._tokens) - MAX_CYCLE
        size = min(LOOKED_AT, most)
        while True:  # looks further back only as long as everything looked at counts
            written = self._tokens[-size:]
            text = self._text_of(written)
            if size == most or not counts_throughout(text):
                break
            size = min(2 * size, most)
        found = counted(text)
        if found is None:
            return None
        start, turn = found
        keep = bisect_left(range(len(written)), turn, key=lambda n: len(self._text_of(written[:n])))
        return Loop(most - size + keep, 0, size - keep, text[start:turn])


def _limits(turns: int, least: int, most: int) -> np.ndarray:
    """Least length of a run that is a loop, in tokens, for each cycle length ``p`` (index ``p - 1``)."""
    return np.clip(turns * np.arange(1, MAX_CYCLE + 1), least, most)


_WORD_LIMITS = _limits(*WORDS)
_LAYOUT_LIMITS = _limits(*LAYOUT)


def _continued(runs: np.ndarray, tokens: Sequence[int]) -> np.ndarray:
    """For each cycle length ``p``, how many of the last tokens equal the token ``p`` before them; ``runs`` are these
    numbers before the last :data:`INTERVAL` tokens."""
    recent = np.array(tokens[-INTERVAL - MAX_CYCLE :], dtype=np.int64)[::-1]  # the newest first
    before = np.lib.stride_tricks.sliding_window_view(recent[1:], INTERVAL)  # row p - 1 stands p before
    differs = before != recent[:INTERVAL]
    return np.where(differs.any(1), differs.argmax(1), runs + INTERVAL)
