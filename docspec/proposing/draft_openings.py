"""The first tokens of unused drafts, in reading order from the draft that the output is in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Key
from docspec.proposing.proposer import RowProposer, proposer

OPENING = 4
"""A draft counts as used once this many of its first tokens were written."""

MOST = 3
"""Drafts that are offered, and drafts offered because they begin with the last token."""

NEXT = Key("head of the next draft", 0.15)
SOON = Key("head of the two after it", 0.08)
BEGUN = Key("draft that begins with the last token", 0.15)


@proposer("openings")
class DraftOpenings(RowProposer):
    """Blocks begin on new lines: where the text of tokens is known, unused drafts are offered only there. Drafts that
    begin with the last token are offered everywhere."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        drafts = context.drafts
        self._unused: dict[int, dict[tuple[int, ...], list[int]]] = {}  # drafts by first token and opening
        self._begun: dict[int, tuple[int, ...]] = {}  # openings of growing drafts, as far as they are written
        for number in range(drafts.growing, len(drafts.starts)):
            self._open(number)

    def _open(self, number: int) -> tuple[int, ...]:
        drafts = self.context.drafts
        head = drafts.starts[number]
        opening = tuple(drafts.tokens[head : min(head + OPENING, drafts.end(head))])
        if opening:
            self._unused.setdefault(opening[0], {}).setdefault(opening, []).append(number)
        return opening

    def observe(self, written: Sequence[int]) -> None:
        output = self.context.output
        for number in range(self.context.drafts.growing):
            known = self._begun.get(number, ())
            if len(known) < OPENING:
                if known:
                    self._unused[known[0]][known].remove(number)
                self._begun[number] = self._open(number)
        size = len(output)
        new = output[max(0, size - len(written) - OPENING) : size - 1]
        for opening in zip(*(new[shift:] for shift in range(OPENING)), strict=False):
            if opening[0] in self._unused:
                self._unused[opening[0]].pop(opening, None)

    def suggest(self) -> Iterable[Continuation]:
        context, drafts = self.context, self.context.drafts
        pending, speller = context.output[-1], context.speller
        here = drafts.draft_of(context.position) if context.position else -1
        for number in _onward(self._unused.get(pending, {}).values(), here):
            yield Continuation(drafts, drafts.starts[number] + 1, BEGUN, 1)
        if speller is None or "\n" in speller.text(pending):
            unused = [numbers for openings in self._unused.values() for numbers in openings.values()]
            for rank, number in enumerate(_onward(unused, here)):
                yield Continuation(drafts, drafts.starts[number], SOON if rank else NEXT)


def _onward(numbers: Iterable[Sequence[int]], here: int) -> list[int]:
    """The first of ``numbers`` in reading order, starting after the draft ``here`` and continuing from the
    beginning."""
    return sorted(chain.from_iterable(numbers), key=lambda number: (number <= here, number))[:MOST]
