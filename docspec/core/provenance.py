"""The origin of a page's words: which of them a draft has too, which the model corrected, which it wrote alone, and
which drafted words it left out.

Two things are told apart. A span's ``mark`` comes from comparing the final text with the page's drafts, word by word.
Its ``origins`` come from the engine: which of its tokens were proposed and accepted, and which the model wrote itself.
A word may well be the model's own token and still agree with the draft.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from docspec.core.categories import Category
from docspec.core.geometry import BBox

SpanMark = Literal["agreed", "corrected", "model", "draft", "differs"]
"""``agreed``: a reading of the draft has these words in this place. ``corrected``: every reading that has words in this
place has others. ``model``: no draft has anything in this place. ``draft``: the draft has words here and the model has
none. ``differs``: a number that one reading agrees with and an independent one does not."""

OWN = "own"
"""The origin of tokens that were not proposed: the model's own choice at the end of a verification step."""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` to ``end`` (exclusive) of a block's text; both are equal if only the draft has words.

    ``draft`` is what the draft has in this place: the words that were corrected or left out; in an ``agreed`` span
    what one reading has while another has the model's words. ``origins`` counts the span's tokens by what proposed
    them (``draft 1`` and so on, another source's name, or ``own``); a token on the border of two spans counts in both.
    ``margin`` is the smallest difference, in logits, between the model's first and second choices in the span;
    ``None`` if it was not computed.
    """

    start: int
    end: int
    mark: SpanMark
    draft: str | None = None
    origins: tuple[tuple[str, int], ...] = ()
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Text of the draft that stands in no block. ``after`` is the number of the block that it would follow (-1: before
    the first one); ``bbox`` (page-image pixels) and ``category`` are those of its drafted region."""

    text: str
    after: int
    bbox: BBox | None = None
    category: Category | None = None


@dataclass(frozen=True, slots=True)
class NumberReadings:
    """A number on which independent readings differ, at the characters ``start`` to ``end`` of the text of ``block``.
    ``readings`` are pairs of a source (``text layer``, ``recognition``, ``model`` or ``draft``) and its text, the
    written one first; ``bbox`` (page-image pixels) is that of the number's printed line."""

    block: int
    start: int
    end: int
    readings: tuple[tuple[str, str], ...]
    bbox: BBox | None = None


@dataclass(frozen=True, slots=True)
class Provenance:
    """``spans`` holds one tuple for each of the page's blocks, ascending and without overlap; words between marks
    (markup, white space) belong to no span. ``steps`` are the numbers of tokens that each verification step wrote, row
    after row, without a row's first token (of its prefill). ``drafted``: whether there was a draft to compare with;
    without one nothing is marked. ``numbers`` are those on which readings differ; none is in an ``agreed`` span.
    ``seconds`` is the processor time of all of this.
    """

    spans: tuple[tuple[Span, ...], ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    steps: tuple[int, ...] = ()
    origins: tuple[tuple[str, int], ...] = ()
    drafted: bool = True
    numbers: tuple[NumberReadings, ...] = ()
    seconds: float = 0.0
