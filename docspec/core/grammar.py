"""The grammar: what a page's output must look like where its format, not its text, says what comes next.

A dialect knows its own syntax and gives a grammar for a page; speculation asks it for branches and never learns
what they mean. Both speak in characters. The *elements* of a grammar are the drafted ones (the cells of a layout),
by number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Alternative(NamedTuple):
    """One continuation: ``text`` with its ``chance`` (0..1), then the drafts of an element, or another fork.

    ``anchor`` is the element whose drafts go on behind ``text``, ``passed`` what was written since its anchor.
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
    """What stands behind a marker in a drafted text.

    ``element`` is the one described there, ``anchor`` the number of characters behind the marker after which drafts
    of that element may be taken up (``None``: nowhere); ``guessed`` says whether the characters up to there are
    better predicted by the grammar than by the draft.
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
    """Texts behind which something stands in a draft that the grammar wants to know of."""

    def landmark(self, marker: str, ahead: str) -> Landmark | None:
        """What the drafted text ``ahead`` says, which stands behind ``marker`` (up to 64 tokens of it)."""
        ...

    def follow(self, text: str) -> None:
        """``text`` was written since the last call."""
        ...

    def here(self) -> Fork | None:
        """The fork at the output's end, ``None`` where the format does not say what comes."""
        ...

    def completions(self) -> Sequence[Completion]:
        """Texts that may follow the output's end, however long, the likeliest first: offered beside all else."""
        ...

    def beginning(self, element: int) -> Fork | None:
        """The fork behind a marker in a draft where ``element`` is drafted (-1: the one after the draft's end)."""
        ...
