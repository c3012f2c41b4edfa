"""Texts that the format says may follow the output's end, however long: the rest of a table as it is drafted."""

from __future__ import annotations

from collections.abc import Iterable

from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.proposing.source import Source, source

SURENESS = ((Key("a guess of the format", 0.2), 1), (Key("a good one", 0.4), 3), (Key("a sure one", 0.7), 8))
"""For each sureness of a text: its key, and how many right tokens it is trusted like."""


@source("syntax")
class Syntax(Source):
    """Asks the dialect's scaffold, beside all else."""

    def suggest(self) -> Iterable[Continuation]:
        scaffold, speller = self.context.scaffold, self.context.speller
        if scaffold is None or speller is None:
            return
        for text, sureness in scaffold.completions():
            if text:
                key, run = SURENESS[sureness]
                yield Continuation(Copy(speller.tokens(text)), 0, key, run)
