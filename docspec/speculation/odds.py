"""How often each source of drafted tokens has been right on this page: the numbers that share out a tree.

A source starts with the odds that one would bet on before anything is known (``PRIORS``, worth ``WEIGHT``
observations) and follows what the target accepts from then on. Two kinds of event are counted: whether the first
token after a place of some kind was right, and whether the next token was right after ``run`` right ones.
"""

from __future__ import annotations

from enum import IntEnum

WEIGHT = 6.0
"""How many observations the prior is worth."""

HORIZON = 64.0
"""Observations beyond this make older ones fade, so that the odds follow the page."""


class Source(IntEnum):
    """Where a place to continue from comes from."""

    STAY = 0
    """The target wrote something that the draft lacks; the draft goes on where it was (insertion)."""
    REPLACE = 1
    """The target wrote something else instead of one drafted token (substitution)."""
    REPLACE_MORE = 2
    """Something else instead of several drafted tokens."""
    SKIP = 3
    """The target's token stands a little further on in the draft (deletion)."""
    BRIDGE = 4
    """The same text in other tokens or another spelling."""
    STAY_LATER = 5
    """As ``STAY``, but further tokens were written since the draft was lost."""
    REPLACE_LATER = 6
    """As ``REPLACE``, further tokens written since."""
    NEAR_2 = 7
    """An n-gram of 2 found near the last place in the same draft; then of 3, of 4 to 7, of 8 and more."""
    NEAR_3 = 8
    NEAR_4 = 9
    NEAR_8 = 10
    FAR_2 = 11
    """The same n-grams found anywhere else in the drafts."""
    FAR_3 = 12
    FAR_4 = 13
    FAR_8 = 14
    REPEAT_1 = 15
    """What followed the last 1, 2, 3, 4 to 7, 8 and more tokens earlier in the output itself."""
    REPEAT_2 = 16
    REPEAT_3 = 17
    REPEAT_4 = 18
    REPEAT_8 = 19
    NEXT_HEAD = 20
    """The head of the next draft in reading order that was not used yet; then of the two after it; of others."""
    SOON_HEAD = 21
    OTHER_HEAD = 22


PRIORS: dict[Source, float] = {
    Source.STAY: 0.3,
    Source.REPLACE: 0.3,
    Source.REPLACE_MORE: 0.08,
    Source.SKIP: 0.25,
    Source.BRIDGE: 0.4,
    Source.STAY_LATER: 0.12,
    Source.REPLACE_LATER: 0.12,
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
    Source.NEXT_HEAD: 0.1,
    Source.SOON_HEAD: 0.04,
    Source.OTHER_HEAD: 0.02,
}

RUN_PRIORS = (0.5, 0.65, 0.8, 0.85, 0.9, 0.94, 0.96, 0.975)
"""After 0, 1, 2, 3, 4-7, 8-15, 16-31, 32 and more right tokens."""

RUN_CAP = 32


def run_class(run: int) -> int:
    """The index into the run counts for ``run`` right tokens in a row."""
    return run if run < 4 else min(run.bit_length() + 1, 7)


class Odds:
    """Counts of one row, and the probabilities that they give."""

    def __init__(self) -> None:
        self._hits = [PRIORS[source] * WEIGHT for source in Source]
        self._tries = [WEIGHT] * len(PRIORS)
        self._run_hits = [prior * 4 * WEIGHT for prior in RUN_PRIORS]
        self._run_tries = [4 * WEIGHT] * len(RUN_PRIORS)
        self.first: list[float] = [PRIORS[source] for source in Source]
        """Probability of the first token, by source."""
        self.onward: list[float] = [RUN_PRIORS[run_class(run)] for run in range(RUN_CAP + 1)]
        """Probability of the next token after ``run`` right ones, ``run`` capped at :data:`RUN_CAP`."""

    def count(self, source: Source, hit: bool) -> None:
        """The first token of a place from ``source`` was right or not."""
        self._tries[source] += 1.0
        if hit:
            self._hits[source] += 1.0
        if self._tries[source] > HORIZON:
            self._tries[source] /= 2
            self._hits[source] /= 2
        self.first[source] = self._hits[source] / self._tries[source]

    def count_run(self, run: int, right: int, ended: bool) -> None:
        """After ``run`` right tokens ``right`` more followed; ``ended``: and then a wrong one."""
        last = run + right
        step = run
        while step < last:
            index = run_class(step)
            until = last if index == 7 else min(last, step + 1 if step < 4 else 1 << (step.bit_length()))
            self._run_hits[index] += until - step
            self._run_tries[index] += until - step
            step = until
        if ended:
            self._run_tries[run_class(last)] += 1.0
        self._refresh()

    def _refresh(self) -> None:
        chances = []
        for index, (hits, tries) in enumerate(zip(self._run_hits, self._run_tries, strict=True)):
            if tries > 8 * HORIZON:
                self._run_hits[index] /= 2
                self._run_tries[index] /= 2
            chances.append(hits / tries)
        self.onward = [chances[index] for index in _RUN_CLASSES]


_RUN_CLASSES = tuple(run_class(run) for run in range(RUN_CAP + 1))
