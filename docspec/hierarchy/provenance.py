"""The provenance of a page: its words compared with the draft, and the engine's record of their tokens."""

from __future__ import annotations

import re
import time
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rapidfuzz.distance import Levenshtein

from docspec.core import Block
from docspec.core.provenance import OWN, Provenance, Span
from docspec.dialects.agreement import agreement
from docspec.dialects.numbers import differing_numbers, with_numbers
from docspec.dialects.words import words_of
from docspec.hierarchy.answers import PageAnswer
from docspec.hierarchy.page_state import PageState
from docspec.proposing.spelling import Speller

if TYPE_CHECKING:
    from docspec.hierarchy.reading_context import ReadingContext

PROPOSED = "proposed"
"""The origin of accepted tokens whose proposer was not recorded."""

_MOST_BYTES = 8
"""Most tokens that make up one character."""

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def with_provenance(state: PageState, context: ReadingContext) -> None:
    """Adds the provenance of the page's words to its result."""
    start, result = time.thread_time(), state.result
    compared = agreement(result.blocks, state.draft)
    spans, left_out = compared or ([[] for _ in result.blocks], [])
    numbers = differing_numbers(result.blocks, state.draft) if compared else []
    spans = [with_numbers(own, [one for one in numbers if one.block == index]) for index, own in enumerate(spans)]
    tokens = Tokens.of(state.answers, Speller(context.tokens), escaped=context.dialect.name == "layout-json")
    told = tuple(map(tuple, tokens.told(result.blocks, spans)))
    trails = [(output.trail, len(output.tokens)) for output in state.answers if output.trail is not None]
    provenance = Provenance(
        spans=told,
        left_out=tuple(left_out),
        steps=tuple(wrote for trail, size in trails for wrote in trail.tokens_per_step(size)),
        origins=tuple(Counter(tokens.origins).most_common()),
        drafted=compared is not None,
        numbers=tuple(numbers),
        seconds=time.thread_time() - start + sum(trail.seconds for trail, _ in trails),
    )
    state.result = replace(result, provenance=provenance)


def with_margins(state: PageState, context: ReadingContext) -> None:
    """Adds to the blocks of the page how sure the model was of each word, where its engine tells it."""
    if not any(output.trail is not None or output.margins for output in state.answers):
        return
    blocks, speller = state.result.blocks, None if context.codec is None else Speller(context.codec)
    tokens = Tokens.of(state.answers, speller, escaped=context.dialect.name == "layout-json")
    spans = [[Span(word.start, word.end, "model") for word in words_of(block.text)] for block in blocks]
    told = [
        tuple((span.start, span.end, span.margin) for span in own if span.margin is not None)
        for own in tokens.told(blocks, spans)
    ]
    sure = tuple(
        replace(block, margins=own if block.words == "model" else ()) for block, own in zip(blocks, told, strict=True)
    )
    state.result = replace(state.result, blocks=sure)


@dataclass(slots=True)
class Tokens:
    """The tokens of all outputs of a page: where each ends in ``text``, its origin, and its margin (infinite where none
    is known)."""

    text: str = ""
    ends: list[int] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)
    margins: list[float | None] = field(default_factory=list)

    @classmethod
    def of(cls, answers: Sequence[PageAnswer], speller: Speller | None, escaped: bool) -> Tokens:
        """``escaped``: the text is JSON, whose escape sequences are not words. Servers tell the texts themselves."""
        found, pieces, size = cls(), [], 0
        for output in answers:
            trail = output.trail
            if trail is None and not output.margins:
                continue
            if trail is not None and speller is not None:
                own = _pieces(output.tokens, speller)
                for position, accepted in enumerate(trail.accepted(len(own))):
                    found.origins.append(trail.proposed.get(position, PROPOSED) if accepted else OWN)
                    found.margins.append(trail.margin([position]))
            else:  # a server's answer
                own = [piece for piece, _ in output.margins]
                found.origins += [OWN] * len(own)
                found.margins += [None if margin != margin else margin for _, margin in output.margins]
            for piece in own:
                pieces.append(piece)
                size += len(piece)
                found.ends.append(size)
            if found.ends:  # outputs stand apart
                pieces.append("\n")
                size += 1
        text = "".join(pieces)
        found.text = _ESCAPE.sub(_bare, text) if escaped else text
        return found

    def told(self, blocks: Sequence[Block], spans: Sequence[Sequence[Span]]) -> list[list[Span]]:
        """``spans`` with the origins and margins of their tokens, where their words are found in the text."""
        ours = [words_of(block.text) for block in blocks]
        theirs = words_of(self.text)
        where: list[tuple[int, int] | None] = [None] * sum(map(len, ours))
        for code in Levenshtein.opcodes([word.key for block in ours for word in block], [word.key for word in theirs]):
            if code.tag == "equal":
                for offset in range(code.src_end - code.src_start):
                    word = theirs[code.dest_start + offset]
                    where[code.src_start + offset] = word.start, word.end
        found, first = [], 0
        for words, own in zip(ours, spans, strict=True):
            starts = [word.start for word in words]
            block = where[first : first + len(words)]
            found.append(
                [
                    self._told(span, block[bisect_left(starts, span.start) : bisect_left(starts, span.end)])
                    for span in own
                ]
            )
            first += len(words)
        return found

    def _told(self, span: Span, words: Sequence[tuple[int, int] | None]) -> Span:
        known = [word for word in words if word is not None]
        if not known or span.mark == "draft":
            return span
        positions = sorted({position for word in known for position in self._positions(*word)})
        margins = [self.margins[position] for position in positions]
        least = [one for one in margins if one is not None]
        return replace(
            span,
            origins=tuple(Counter(self.origins[position] for position in positions).most_common()),
            margin=min(least) if least and len(least) == len(positions) else None,
        )

    def _positions(self, start: int, end: int) -> range:
        """The tokens that wrote the characters ``start`` to ``end`` of the text. Several tokens of one character all
        end where it does."""
        last = self.ends[bisect_left(self.ends, end)]
        return range(bisect_right(self.ends, start), bisect_right(self.ends, last))


def _pieces(tokens: Sequence[int], speller: Speller) -> list[str]:
    """The text of each token. Of several tokens that make up one character, the first one gets it."""
    found: list[str] = []
    while len(found) < len(tokens):
        at = len(found)
        piece = speller.text(tokens[at])
        for size in range(2, _MOST_BYTES + 1) if "\ufffd" in piece else ():
            whole = speller.codec.detokenize(list(tokens[at : at + size]))
            if "\ufffd" not in whole:
                piece = whole
                break
        else:
            size = 1
        found += [piece, *[""] * (min(size, len(tokens) - at) - 1)]
    return found


def _bare(escape: re.Match[str]) -> str:
    """The replacement of a JSON escape sequence: the same number of characters, none of which joins a neighbouring
    word."""
    return " \\" if escape[1] == "\\" else f" {escape[1]}" if escape[1] in '"/' else "  "
