"""The grammar of dialects that write each piece's box before its text: it predicts the numbers of the box."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from docspec.core.grammar import Alternative, Completion, Fork, Landmark
from docspec.dialects.box_numbers import NUMBERS, Box, DraftedBoxes, TextFork, Weights

OTHER_KIND = 0.1
"""Factor of the chance of a piece whose drafted kind is not the written one."""

DIGITS = 4
"""The most digits of a number."""

KEPT = 96
"""Characters of the output in which the mark before a box is searched."""


@dataclass(frozen=True)
class BoxSpelling:
    """How a dialect writes a box: ``head`` matches what stands before it, with the kind as its first group, and drafts
    have one of ``markers`` there; each number stands between ``before`` and ``after``, the last before ``end``.
    ``opening`` is the text before a box, with braces for the kind."""

    head: re.Pattern[str]
    markers: tuple[str, ...]
    before: str
    after: str
    end: str
    opening: str = ""

    def number(self, edge: int, number: int | str) -> str:
        """The number of ``edge`` (0 to 3) with the texts around it."""
        return f"{self.before}{number}{self.end if edge == 3 else self.after}"

    def box(self, box: Box) -> str:
        """The whole box."""
        return "".join(self.number(edge, number) for edge, number in enumerate(box))

    def headed(self, kind: str, box: Box) -> str:
        """The box of a piece of ``kind`` with the text before it."""
        return self.opening.format(kind) + self.box(box)

    def read(self, text: str) -> tuple[list[int], str]:
        """The numbers at the beginning of ``text``, up to four, and the text behind them."""
        numbers: list[int] = []
        while len(numbers) < 4:
            after = self.end if len(numbers) == 3 else self.after
            match = re.match(rf"{re.escape(self.before)}(\d{{1,{DIGITS}}}){re.escape(after)}", text)
            if match is None:
                break
            numbers.append(int(match[1]))
            text = text[match.end() :]
        return numbers, text


class BoxGrammar(DraftedBoxes):
    """Predicts the boxes of ``pieces``: the kind and box of each drafted one, as the dialect writes them."""

    def __init__(self, pieces: Sequence[tuple[str, Box]], spelling: BoxSpelling) -> None:
        super().__init__([box for _, box in pieces])
        self.spelling = spelling
        self.markers: Sequence[str] = spelling.markers
        self._kinds = [kind for kind, _ in pieces]
        self._by_box = {box: number for number, box in reversed(list(enumerate(self.boxes)))}
        self._text = ""
        self._fork: Fork | None = None

    def landmark(self, marker: str, ahead: str) -> Landmark | None:
        numbers, behind = self.spelling.read(ahead)
        if len(numbers) < 4:
            return None
        number = self._by_box.get((numbers[0], numbers[1], numbers[2], numbers[3]))
        return None if number is None else Landmark(number, len(ahead) - len(behind), True)

    def follow(self, text: str) -> None:
        self._text += text
        self._fork = None
        while head := self.spelling.head.search(self._text):
            written, behind = self.spelling.read(self._text[head.end() :])
            weights = self.weigh(self._of_kind(head[1]), written)
            if len(written) < 4:
                longest = len(self.spelling.number(len(written), "0" * DIGITS))
                if len(behind) < longest and weights:
                    self._fork = _NumberFork(self, weights, len(written), behind)
                    return
            elif weights:
                self._close((written[0], written[1], written[2], written[3]), weights)
                self._fork = TextFork(weights) if not behind else None
            self._text = behind
        self._text = self._text[-KEPT:]

    def completions(self) -> Sequence[Completion]:
        return ()

    def here(self) -> Fork | None:
        return self._fork

    def beginning(self, element: int) -> Fork | None:
        weights = self.candidates(element)
        return _NumberFork(self, weights, 0, "") if weights else None

    def _of_kind(self, kind: str) -> Weights:
        """The pieces that may be written next if their kind is ``kind``."""
        return tuple(
            (piece, weight * (1.0 if self._kinds[piece] == kind else OTHER_KIND))
            for piece, weight in self.candidates(self.last + 1)
        )

    def _close(self, box: Box, weights: Weights) -> None:
        piece = max(weights, key=lambda item: item[1])[0]
        if self.numbers.is_near(self.boxes[piece], box):
            self.written(piece, box)


@dataclass(slots=True, eq=False)
class _NumberFork:
    """The fork inside a box: the number of ``edge`` comes next, of whose spelling ``begun`` is written."""

    grammar: BoxGrammar
    weights: Weights
    edge: int
    begun: str

    def alternatives(self, least: float) -> Sequence[Alternative]:
        grammar, edge, begun = self.grammar, self.edge, self.begun
        ranked = [
            (grammar.spelling.number(edge, number)[len(begun) :], chance, pieces)
            for number, chance, pieces in grammar.ranked(edge, self.weights, least, bool(begun))
            if grammar.spelling.number(edge, number).startswith(begun)
        ]
        total = sum(chance for _, chance, _ in ranked) if begun else 1.0
        return [
            Alternative(chance / total, text, fork=_behind(grammar, pieces, edge))
            for text, chance, pieces in ranked[:NUMBERS]
            if chance >= least * total
        ]


def _behind(grammar: BoxGrammar, pieces: Weights, edge: int) -> Fork:
    return TextFork(pieces) if edge == 3 else _NumberFork(grammar, pieces, edge + 1, "")
