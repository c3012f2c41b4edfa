"""Texts that the format says may follow the output's end, however long: the rest of a table as it is drafted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.proposing.proposer import RowProposer, proposer

SURENESS = ((Key("a guess of the format", 0.2), 1), (Key("a good one", 0.4), 3), (Key("a sure one", 0.7), 8))
"""For each sureness of a text: its key, and how many right tokens it is trusted like."""

_LINES = re.compile(r"(?<=\n)(?=\S)")
"""Where a text may be tokenised in parts: indentation may share a token with the line break before it or with what
comes after, a line break with nothing else."""


@proposer("syntax")
class Syntax(RowProposer):
    """Asks the dialect's grammar, beside all else."""

    def suggest(self) -> Iterable[Continuation]:
        grammar, speller = self.context.grammar, self.context.speller
        if grammar is None or speller is None:
            return
        for text, sureness in grammar.completions():
            if text:
                key, run = SURENESS[sureness]
                lines = [speller.tokens(line) for line in _LINES.split(text)]  # most of them are known already
                yield Continuation(Copy(list(chain.from_iterable(lines))), 0, key, run)
