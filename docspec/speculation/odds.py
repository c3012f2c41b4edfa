"""How often each source of drafted tokens has been right on this page: the numbers that share out a tree.

A source starts with the odds that one would bet on before anything is known (``PRIORS``, worth ``WEIGHT``
observations) and follows what the target accepts from then on. Two kinds of event are counted: whether the first
token after a place of some kind was right, and whether the next token was right after ``run`` right ones.
"""

from __future__ import annotations

from bisect import bisect_right
from enum import IntEnum, auto
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docspec.speculation.trail import Trail

WEIGHT = 6.0
"""How many observations the prior is worth."""

RUN_WEIGHT = 24.0
"""The same for the counts of runs, of which there are many more."""

REWEIGH = 8
"""Runs counted before their probabilities are computed anew."""

HORIZON = 64.0
"""Observations beyond this make older ones fade, so that the odds follow the page."""


class Source(IntEnum):
    """Where a place to continue from comes from."""

    STAY = auto()
    """The target wrote something that the draft lacks; the draft goes on where it was (insertion)."""
    REPLACE = auto()
    """The target wrote something else instead of one drafted token (substitution)."""
    REPLACE_MORE = auto()
    """Something else instead of several drafted tokens."""
    SKIP_LITTLE = auto()
    """The target's token stands up to 3 tokens further on in the draft (deletion); up to 12; beyond."""
    SKIP_SOME = auto()
    SKIP_MUCH = auto()
    STAY_LATER = auto()
    """As ``STAY``, but further tokens were written since the draft was lost."""
    REPLACE_LATER = auto()
    """As ``REPLACE``, further tokens written since."""
    BRIDGE_BLANK = auto()
    """No letters were written since: the next drafted word, without what stands before it."""
    BRIDGE_BREAK = auto()
    """The same behind another line break."""
    BRIDGE_SAME = auto()
    """The same letters in other tokens."""
    BRIDGE_FOUND = auto()
    """The last letters written stand a little further on."""
    BRIDGE_WORDS = auto()
    """Behind as many drafted words as were written."""
    REWRITE = auto()
    """The rest of a rewriting that has begun."""
    NEAR_2 = auto()
    """An n-gram of 2 found near the last place in the same draft; then of 3, of 4 to 7, of 8 and more."""
    NEAR_3 = auto()
    NEAR_4 = auto()
    NEAR_8 = auto()
    FAR_2 = auto()
    """The same n-grams found anywhere else in the drafts."""
    FAR_3 = auto()
    FAR_4 = auto()
    FAR_8 = auto()
    REPEAT_1 = auto()
    """What followed the last 1, 2, 3, 4 to 7, 8 and more tokens earlier in the output itself."""
    REPEAT_2 = auto()
    REPEAT_3 = auto()
    REPEAT_4 = auto()
    REPEAT_8 = auto()
    SEQUEL_0 = auto()
    """What the scaffold says comes next: a mere guess; a better one; one it is sure of."""
    SEQUEL_1 = auto()
    SEQUEL_2 = auto()
    HEAD_BEGUN = auto()
    """A draft that was not used yet and begins with the token just written."""
    NEXT_HEAD = auto()
    """The head of the next draft in reading order that was not used yet; then of the two after it; of others."""
    SOON_HEAD = auto()
    OTHER_HEAD = auto()


PRIORS: dict[Source, float] = {
    Source.STAY: 0.3,
    Source.REPLACE: 0.3,
    Source.REPLACE_MORE: 0.08,
    Source.SKIP_LITTLE: 0.4,
    Source.SKIP_SOME: 0.2,
    Source.SKIP_MUCH: 0.08,
    Source.STAY_LATER: 0.12,
    Source.REPLACE_LATER: 0.12,
    Source.BRIDGE_BLANK: 0.3,
    Source.BRIDGE_BREAK: 0.2,
    Source.BRIDGE_SAME: 0.6,
    Source.BRIDGE_FOUND: 0.4,
    Source.BRIDGE_WORDS: 0.3,
    Source.REWRITE: 0.5,
    Source.NEAR_2: 0.4,
    Source.NEAR_3: 0.6,
    Source.NEAR_4: 0.8,
    Source.NEAR_8: 0.9,
    Source.FAR_2: 0.1,
    Source.FAR_3: 0.25,
    Source.FAR_4: 0.5,
    Source.FAR_8: 0.75,
    Source.REPEAT_1: 0.08,
    Source.REPEAT_2: 0.2,
    Source.REPEAT_3: 0.35,
    Source.REPEAT_4: 0.5,
    Source.REPEAT_8: 0.7,
    Source.SEQUEL_0: 0.2,
    Source.SEQUEL_1: 0.4,
    Source.SEQUEL_2: 0.7,
    Source.HEAD_BEGUN: 0.15,
    Source.NEXT_HEAD: 0.15,
    Source.SOON_HEAD: 0.08,
    Source.OTHER_HEAD: 0.03,
}

RUN_PRIORS = (0.5, 0.65, 0.8, 0.85, 0.9, 0.94, 0.96, 0.975, 0.98, 0.985)
"""After 0, 1, 2, 3, 4-7, 8-15, 16-31, 32-63, 64-127, 128 and more right tokens."""

RUN_CAP = 128


def run_class(run: int) -> int:
    """The index into the run counts for ``run`` right tokens in a row."""
    return run if run < 4 else min(run.bit_length() + 1, 9)


class Odds:
    """Counts of one row, and the probabilities that they give."""

    def __init__(self) -> None:
        self._hits = [0.0, *[PRIORS[source] * WEIGHT for source in Source]]
        self._tries = [WEIGHT] * (1 + len(PRIORS))
        self._run_hits = [prior * RUN_WEIGHT for prior in RUN_PRIORS]
        self._run_tries = [RUN_WEIGHT] * len(RUN_PRIORS)
        self._uncounted = 0
        self._first = [0.0, *[PRIORS[source] for source in Source]]
        self._weigh_runs()

    def chance(self, trail: Trail) -> float:
        """The probability that the next token of ``trail`` is right."""
        return self._onward[min(trail.run, RUN_CAP)] if trail.source is None else self._first[trail.source]

    def worthwhile(self, chance: float, run: int, stop: float) -> int:
        """How many tokens in a row are right with probability ``stop`` or more.

        ``chance`` is the first one's, ``run`` (at most :data:`RUN_CAP`) how many were right before it.
        """
        if chance < stop:
            return 0
        return bisect_right(self._falling, -stop * self._survival[run] / chance, run) - run

    def later(self, chance: float, run: int, tokens: int) -> float:
        """The chance of the token that stands ``tokens`` behind one with ``chance`` after ``run`` right ones."""
        return chance * self._survival[min(run + tokens, _LONGEST)] / self._survival[run]

    def count(self, source: Source, hit: bool) -> None:
        """The first token of a place from ``source`` was right or not."""
        self._tries[source] += 1.0
        if hit:
            self._hits[source] += 1.0
        if self._tries[source] > HORIZON:
            self._tries[source] /= 2
            self._hits[source] /= 2
        self._first[source] = self._hits[source] / self._tries[source]

    def count_run(self, run: int, right: int, ended: bool) -> None:
        """After ``run`` right tokens ``right`` more followed; ``ended``: and then a wrong one."""
        step, last = run, run + right
        while step < last:
            index = run_class(step)
            until = last if index == 9 else min(last, step + 1 if step < 4 else 1 << step.bit_length())
            self._run_hits[index] += until - step
            self._run_tries[index] += until - step
            step = until
        if ended:
            self._run_tries[run_class(last)] += 1.0
        self._uncounted += 1
        if self._uncounted >= REWEIGH:
            self._weigh_runs()

    def _weigh_runs(self) -> None:
        self._uncounted = 0
        for index, tries in enumerate(self._run_tries):
            if tries > 8 * HORIZON:
                self._run_hits[index] /= 2
                self._run_tries[index] /= 2
        chances = [hits / tries for hits, tries in zip(self._run_hits, self._run_tries, strict=True)]
        self._onward = [chances[index] for index in _RUN_CLASSES]
        steps = [1.0, *self._onward[1:], *[self._onward[-1]] * (_LONGEST - RUN_CAP)]
        self._survival = list(accumulate(steps, mul))
        self._falling = [-chance for chance in self._survival]


_RUN_CLASSES = tuple(run_class(run) for run in range(RUN_CAP + 1))
_LONGEST = RUN_CAP + 512
