"""The contract of a grammar, which predicts the parts of a page's output that its format determines.

A dialect makes the grammar of a page; proposers ask it for continuations without knowing what they mean. All texts are
characters, not tokens. The *elements* of a grammar are the drafted ones (the cells of a layout), by number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Alternative(NamedTuple):
    """One continuation: ``text`` with its ``chance`` (0..1), then the drafts of an element, or another fork.

    ``anchor`` is the element whose drafts continue behind ``text``, ``passed`` the text written since its anchor.
    """

    chance: float
    text: str
    anchor: int | None = None
    passed: str = ""
    fork: Fork | None = None


class Fork(Protocol):
    """A point from which the format allows some continuations."""

    def alternatives(self, least: float) -> Sequence[Alternative]:
        """The continuations whose chance is ``least`` or more, no two with the same text and anchor."""
        ...


class Landmark(NamedTuple):
    """The meaning of the text behind a marker in a draft.

    ``element`` is the one described there, ``anchor`` the number of characters behind the marker after which drafts
    of that element may begin (``None``: nowhere); ``guessed`` says whether the grammar predicts the characters up to
    there better than the draft.
    """

    element: int
    anchor: int | None
    guessed: bool


class Completion(NamedTuple):
    """A text that may come next; ``sureness`` says how good a guess it is: 0 (a mere guess), 1 or 2."""

    text: str
    sureness: int


class Grammar(Protocol):
    """Predicts the syntax of one page's output. It follows the output and learns from it."""

    markers: Sequence[str]
    """Texts in a draft behind which the grammar looks for a landmark."""

    def landmark(self, marker: str, ahead: str) -> Landmark | None:
        """The landmark in ``ahead``, the drafted text behind ``marker`` (up to 64 tokens), if there is one."""
        ...

    def follow(self, text: str) -> None:
        """Reads ``text``, the output since the last call."""
        ...

    def here(self) -> Fork | None:
        """The fork at the output's end; ``None`` if the format does not determine the next text."""
        ...

    def completions(self) -> Sequence[Completion]:
        """Texts of any length that may follow the output's end, the likeliest first; proposed beside all else."""
        ...

    def beginning(self, element: int) -> Fork | None:
        """The fork behind a marker in a draft where ``element`` is drafted (-1: the one after the draft's end)."""
        ...
