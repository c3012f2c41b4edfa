"""Combines a dialect's grammar with the drafts of one row: the grammar says what the format requires next and where the
drafts continue after it.

The grammar knows characters, the tree knows tokens. The drafts are searched once for the grammar's markers; after each
marker the grammar says which element of the page the draft describes there. Where the grammar predicts the next tokens
better than the draft, or the draft ends, the tree forks as the grammar says instead of copying the draft.

Texts of any length that the format predicts at the end of the output, such as the rest of a table as drafted, are
proposed by ``syntax``.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import chain

from docspec.core.grammar import Alternative
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Copy, Forks, Key
from docspec.proposing.drafts import TRUSTED
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


AHEAD = 64
"""Drafted tokens after a marker that are shown to the grammar."""

SHARES = (0.7, 0.2, 0.1)
"""The chances of the drafts of one element that are followed at the same time, the likeliest first."""

LEAST = 1 / 400
"""Least chance of an alternative at the end of the output."""


@proposer("scaffold")
class FormatGrammar(RowProposer):
    """Forks of the format inside drafts. ``forks`` are the drafted positions where the grammar takes over, in ascending
    order."""

    leads = replaces = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.forks: list[int] = []
        self._expected: list[int] = []
        self._anchors: dict[int, list[int]] = {}
        self._elements: list[tuple[int, int]] = []
        if context.grammar is not None and context.speller is not None:
            self._find_landmarks()
        if self.forks:
            context.drafts.branches.append(self)

    def suggest(self) -> Iterable[Continuation]:
        context = self.context
        if context.grammar is None or context.speller is None:
            return
        fork = context.grammar.here()
        for one in fork.alternatives(LEAST) if fork is not None else ():
            if one.text or self._landings(one):
                yield self._along(one)

    def first(self, position: int, end: int) -> int:
        number = bisect_left(self.forks, position)
        return min(end, self.forks[number]) if number < len(self.forks) else end

    def at(self, position: int, least: float) -> Iterable[Continuation]:
        number = bisect_left(self.forks, position)
        if number == len(self.forks) or self.forks[number] != position or self.context.grammar is None:
            return ()
        fork = self.context.grammar.beginning(self._expected[number])
        return [self._along(one) for one in fork.alternatives(least)] if fork is not None else ()

    def _along(self, one: Alternative) -> Continuation:
        assert self.context.speller is not None
        return Continuation(_Behind(self, one), 0, None, 0, self.context.speller.tokens(one.text), one.chance)

    def behind(self, one: Alternative, least: float) -> list[Continuation]:
        """The continuations of ``one``: the drafts of its element, and the alternatives of the next fork."""
        found = [
            Continuation(self.context.drafts, position, None, TRUSTED, (), share)
            for share, position in self._landings(one)
        ]
        return found + [self._along(more) for more in one.fork.alternatives(least)] if one.fork is not None else found

    def _landings(self, one: Alternative) -> list[tuple[float, int]]:
        """The drafted positions that ``one`` leads to: after its anchor and the text passed there, each with its share
        of the chance."""
        positions: list[int] = []
        for anchor in self._anchors.get(-1 if one.anchor is None else one.anchor, ()):
            position = self._behind(anchor, one.passed) if one.passed else anchor
            if position:
                positions.append(position)
        return list(zip(SHARES, positions, strict=False))

    def _behind(self, position: int, text: str) -> int:
        """The position after ``text`` if the draft has it at ``position``; otherwise 0."""
        speller, tokens = self.context.speller, self.context.drafts.tokens
        while text and speller is not None:
            piece = speller.text(tokens[position])
            if not piece or not text.startswith(piece):
                return 0
            text, position = text[len(piece) :], position + 1
        return position

    def _element_of(self, position: int) -> int | None:
        drafts = self.context.drafts
        at = bisect_right(self._elements, (position, 1 << 60)) - 1
        if at < 0 or not position:
            return None
        known, element = self._elements[at]
        return element if drafts.draft_of(known) == drafts.draft_of(position) else None

    def _find_landmarks(self) -> None:
        grammar, tokens = self.context.grammar, self.context.drafts.tokens
        assert grammar is not None
        seen: set[tuple[int, ...]] = set()
        found: list[tuple[int, int]] = []
        for marker in grammar.markers:
            for position in self._behind_marker(marker):
                pieces = self._ahead(position)
                mark = grammar.landmark(marker, "".join(pieces))
                if mark is None:
                    if not pieces:
                        found.append((position, -1))
                    continue
                anchor = _token_at(position, pieces, mark.anchor)
                if mark.guessed:
                    found.append((position, mark.element))
                if not anchor:
                    continue
                self._elements.append((anchor, mark.element))
                ahead = (mark.element, *tokens[anchor : anchor + AHEAD])
                anchors = self._anchors.setdefault(mark.element, [])
                if ahead not in seen and anchor not in anchors and len(anchors) < len(SHARES):
                    seen.add(ahead)
                    anchors.append(anchor)
        self._elements.sort()
        for position, element in sorted(found):
            before = self._element_of(position)
            if element >= 0 or before is not None:
                self.forks.append(position)
                self._expected.append(element if element >= 0 or before is None else before + 1)

    def _behind_marker(self, marker: str) -> list[int]:
        """All drafted positions directly after ``marker``."""
        speller, drafts = self.context.speller, self.context.drafts
        assert speller is not None
        ending = speller.tokens(marker)
        if len(ending) < 2:
            return []
        return [
            position
            for position in drafts.behind_pair(*ending[-2:])
            if "".join(map(speller.text, drafts.tokens[max(0, position - len(marker)) : position])).endswith(marker)
        ]

    def _ahead(self, position: int) -> list[str]:
        speller, drafts = self.context.speller, self.context.drafts
        assert speller is not None
        end = min(drafts.end(position), position + AHEAD)
        return [speller.text(token) for token in drafts.tokens[position:end]]


class _Behind(Forks):
    """The continuations of an alternative of the grammar, as a text without tokens of its own."""

    def __init__(self, grammar: FormatGrammar, one: Alternative) -> None:
        self._grammar = grammar
        self._one = one

    def following(self, position: int, run: int, before: Sequence[int], least: float) -> Iterable[Continuation]:
        return self._grammar.behind(self._one, least)


def _token_at(position: int, pieces: Sequence[str], offset: int | None) -> int | None:
    """The position of the token that begins ``offset`` characters after ``position``; ``None`` if no token begins
    there."""
    length = 0
    for step, piece in enumerate(pieces):
        if length == offset:
            return position + step
        length += len(piece)
    return None
