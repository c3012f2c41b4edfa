"""Proposes texts of any length that the format predicts at the end of the output: the rest of a table as drafted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.proposing.proposer import RowProposer, proposer

SURENESS = ((Key("a guess of the format", 0.2), 1), (Key("a good one", 0.4), 3), (Key("a sure one", 0.7), 8))
"""For each degree of certainty of a text: its key, and the run of right tokens that it is trusted like."""

_LINES = re.compile(r"(?<=\n)(?=\S)")
"""Where a text may be split for the tokenizer. Indentation may share a token with the line break before it or with the
text after it, a line break with nothing else."""


@proposer("syntax")
class Syntax(RowProposer):
    """Asks the dialect's grammar for completions."""

    def suggest(self) -> Iterable[Continuation]:
        grammar, speller = self.context.grammar, self.context.speller
        if grammar is None or speller is None:
            return
        for text, sureness in grammar.completions():
            if text:
                key, run = SURENESS[sureness]
                lines = [speller.tokens(line) for line in _LINES.split(text)]  # most of them are known already
                yield Continuation(Copy(list(chain.from_iterable(lines))), 0, key, run)
