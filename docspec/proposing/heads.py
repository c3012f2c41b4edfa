"""The heads of drafts that have not been used yet, in reading order from the last one on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Key
from docspec.proposing.source import Source, source

OPENING = 4
"""Tokens at the head of a draft that show, once written, that it has been used."""

MOST = 3
"""Heads that are offered, and drafts that begin with the token just written."""

NEXT = Key("head of the next draft", 0.15)
SOON = Key("head of the two after it", 0.08)
BEGUN = Key("draft that begins with the last token", 0.15)


@source("heads")
class Heads(Source):
    """Blocks begin on new lines: where the text is known, heads are only offered there; a draft that begins with the
    token just written is offered everywhere."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._unused: dict[int, tuple[int, ...]] = {}  # openings of drafts that were not seen in the output
        self._written: dict[int, list[int]] = {}  # where each token that begins a draft stands in the output
        for number in range(len(context.drafts.heads)):
            self._open(number)

    def _open(self, number: int) -> None:
        drafts = self.context.drafts
        head = drafts.heads[number]
        self._unused[number] = tuple(drafts.tokens[head : min(head + OPENING, drafts.end(head))])

    def observe(self, written: Sequence[int]) -> None:
        drafts, output = self.context.drafts, self.context.output
        for number in range(drafts.growing):
            if len(self._unused.get(number, range(OPENING))) < OPENING:
                self._open(number)
        size = len(output)
        new = output[max(0, size - len(written) - OPENING) : size - 1]
        seen = set(zip(*(new[shift:] for shift in range(OPENING)), strict=False))
        for number in [number for number, opening in self._unused.items() if opening in seen]:
            del self._unused[number]

    def suggest(self) -> Iterable[Continuation]:
        context, drafts = self.context, self.context.drafts
        pending, speller = context.output[-1], context.speller
        here = drafts.draft_of(context.place) if context.place else -1
        at_break = speller is None or "\n" in speller.text(pending)
        begun = [number for number, opening in self._unused.items() if opening[:1] == (pending,)]
        for number in _onward(begun, here):
            yield Continuation(drafts, drafts.heads[number] + 1, BEGUN, 1)
        unused = [number for number, opening in self._unused.items() if opening] if at_break else ()
        for rank, number in enumerate(_onward(unused, here)):
            yield Continuation(drafts, drafts.heads[number], SOON if rank else NEXT)


def _onward(numbers: Sequence[int], here: int) -> list[int]:
    """The first of ``numbers`` in reading order from the draft ``here`` on, then from the beginning."""
    return sorted(numbers, key=lambda number: (number <= here, number))[:MOST]
