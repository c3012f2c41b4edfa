"""The probabilities of suggestions: the hit rate of each kind, and how far runs of right tokens continue."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, pairwise
from operator import mul

from docspec.proposing.continuation import Key

WEIGHT = 6.0
"""Observations that a prior counts for."""

HORIZON = 64.0
"""Observations beyond which older ones are halved, so that the rates follow the page."""

RUNS = (0, 1, 2, 3, 4, 8, 16, 32, 64, 128)
"""Classes of run lengths with separate probabilities."""

ONWARD = (0.5, 0.65, 0.8, 0.85, 0.9, 0.94, 0.96, 0.975, 0.98, 0.985)
"""The prior probability of another right token for each class."""

RUN_WEIGHT = 24.0
"""Observations that each of these priors counts for."""

RUN_CAP = RUNS[-1]
"""Longer runs count as this one."""

REWEIGH = 8
"""Runs between two updates of the probabilities."""

_LONGEST = RUN_CAP + 512
_CLASSES = [bisect_right(RUNS, run) - 1 for run in range(_LONGEST)]
_STRETCHES = list(pairwise((*RUNS, 1 << 60)))


class Survival:
    """How far runs of right tokens continue, over the rows of one kind."""

    def __init__(self) -> None:
        self._hits = [chance * RUN_WEIGHT for chance in ONWARD]
        self._tries = [RUN_WEIGHT] * len(ONWARD)
        self._uncounted = 0
        self._weigh()

    def onward(self, run: int) -> float:
        """The probability that the next token after ``run`` right ones is right."""
        return self._onward[min(run, RUN_CAP)]

    def worthwhile(self, chance: float, run: int, stop: float) -> int:
        """How many tokens in a row are right with probability ``stop`` or more.

        ``chance`` is the probability of the first one; ``run`` (at most :data:`RUN_CAP`) tokens before it were right.
        """
        if chance < stop:
            return 0
        return bisect_right(self._falling, -stop * self._reached[run] / chance, run) - run

    def later(self, chance: float, run: int, tokens: int) -> float:
        """The probability of the token ``tokens`` after one with ``chance``, after ``run`` right ones."""
        return chance * self._reached[min(run + tokens, _LONGEST - 1)] / self._reached[run]

    def count(self, run: int, right: int, ended: bool) -> None:
        """Records that ``right`` more tokens were right after ``run`` of them; ``ended``: the next one was wrong."""
        for number, (start, end) in enumerate(_STRETCHES):
            inside = min(run + right, end) - max(run, start)
            if inside > 0:
                self._hits[number] += inside
                self._tries[number] += inside
        if ended:
            self._tries[_CLASSES[min(run + right, RUN_CAP)]] += 1.0
        self._uncounted += 1
        if self._uncounted >= REWEIGH:
            self._weigh()

    def _weigh(self) -> None:
        self._uncounted = 0
        for number, tries in enumerate(self._tries):
            if tries > 8 * HORIZON:
                self._hits[number] /= 2
                self._tries[number] /= 2
        chances = [hits / tries for hits, tries in zip(self._hits, self._tries, strict=True)]
        self._onward = [chances[number] for number in _CLASSES]
        self._reached = list(accumulate(self._onward[1:], mul, initial=1.0))
        self._falling = [-chance for chance in self._reached]


class HitRates:
    """The hit rate of the first token for each kind of suggestion."""

    def __init__(self) -> None:
        self._tries: dict[Key, float] = {}
        self._hits: dict[Key, float] = {}
        self._rates: dict[Key, float] = {}

    def rate(self, key: Key) -> float:
        """The probability that a suggestion of this kind is right."""
        return self._rates.get(key, key.prior)

    def count(self, key: Key, hit: bool) -> None:
        """Records whether a suggestion of this kind was right."""
        tries = self._tries.get(key, WEIGHT) + 1.0
        hits = self._hits.get(key, WEIGHT * key.prior) + hit
        if tries > HORIZON:
            tries, hits = tries / 2, hits / 2
        self._tries[key], self._hits[key], self._rates[key] = tries, hits, hits / tries
