"""Looks up the last tokens in the output itself and proposes what followed them before.

Pages repeat themselves (table rows, symbols in formulas, names in references), and where no draft helps, the output is
the best draft there is. The longest repetition wins. A repetition that reaches the end of the output is copied
cyclically.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Copy, Key, agreement
from docspec.proposing.proposer import RowProposer, proposer

POSITIONS = 8
"""Most recent positions of one n-gram that are compared."""

MOST = 3
"""Positions that are proposed: those with the longest repetitions, each with another next token."""

AHEAD = 48
"""Tokens copied from one position."""

MATCHED = (1, 2, 3, 4, 8)
"""Lengths of repetitions with separate hit rates."""

KEYS = tuple(
    Key(f"repetition of {size}", prior) for size, prior in zip(MATCHED, (0.08, 0.2, 0.35, 0.5, 0.7), strict=True)
)


@proposer("lookup")
class OutputLookup(RowProposer):
    """An index of the output's n-grams."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._ones: dict[int, int] = {}
        self._pairs: dict[tuple[int, int], list[int]] = {}
        self._known = 0

    def observe(self, written: Sequence[int]) -> None:
        output = self.context.output
        for at in range(max(self._known, 1), len(output)):
            self._ones[output[at - 1]] = at
            if at > 1:
                self._pairs.setdefault((output[at - 2], output[at - 1]), []).append(at)
        self._known = len(output)

    def suggest(self) -> Iterable[Continuation]:
        output = self.context.output
        positions = self._pairs.get((output[-2], output[-1])) if len(output) > 1 else None
        if positions is None:
            positions = [self._ones[output[-1]]] if output[-1] in self._ones else []
        found = ((agreement(output, position, output), position) for position in positions[-POSITIONS:])
        ranked = sorted(found, reverse=True)
        firsts: set[int] = set()
        for matched, position in ranked:
            if output[position] in firsts or len(firsts) == MOST:
                continue
            firsts.add(output[position])
            ahead = output[position : position + AHEAD]
            while len(ahead) < AHEAD:
                ahead = (ahead + output[position:])[:AHEAD]
            yield Continuation(Copy(ahead), 0, KEYS[bisect_right(MATCHED, matched) - 1], matched)
