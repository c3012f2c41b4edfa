"""Marks and words in rendered text: parts of a block's Markdown found again in its HTML.

Before rendering, a character that the text does not have is put before and behind every marked span and every placed
word; it passes through Markdown and HTML like a letter. Afterwards these characters become ``<mark>`` and ``<span>``
around text, never inside a tag and never across one. If they change what is rendered, only the marks are signed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape

from docspec.core import Span
from docspec.core.places import PlacedWord

_FIRST, _LAST = 0xF0000, 0xFFFFC
_FIRST_WORD, _LAST_WORD = 0x100000, 0x10FFFC
_END, _WORD_END = chr(0xFFFFD), chr(0x10FFFD)
_SIGNS = f"{chr(_FIRST)}-{_END}{chr(_FIRST_WORD)}-{_WORD_END}"
_SIGN = re.compile(f"[{_SIGNS}]")
_FORMULA = r'<(span|div) class="(math|formula)">([^<]*)</\1>'
_PIECE = re.compile(rf"{_FORMULA}|<[^>]*>|{_SIGN.pattern}|[^<{_SIGNS}]+")
_SYNTAX = re.compile(r"(?m)^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+|#{1,6}\s+)*")
_EMPHASIS = "*_~`"

NAMES = {"corrected": "corrected", "model": "alone", "draft": "left", "differs": "differs"}
"""Marks that are shown, and their classes."""


def is_shown(span: Span) -> bool:
    """Whether a reader should see the span marked: ``agreed`` ones are as they should be."""
    return span.mark in NAMES


def marked(
    text: str, render: Callable[[str], str], spans: Sequence[Span], words: Sequence[PlacedWord] = (), first: int = 0
) -> str:
    """The HTML that ``render`` makes of ``text``, with its ``spans`` as marks and its ``words`` as ``data-place``,
    numbered from ``first``."""
    plain = render(text)
    if _SIGN.search(text) or len(spans) > _LAST - _FIRST or len(words) > _LAST_WORD - _FIRST_WORD:
        return plain
    of_spans = [
        (span.start, span.end, chr(_FIRST + number), _END) for number, span in enumerate(spans) if is_shown(span)
    ]
    of_words = _signs_of(text, words)
    html = render(_signed(text, [*of_spans, *of_words]))
    if of_words and _SIGN.sub("", html) != plain:
        html = render(_signed(text, of_spans))
    return _Marking(spans, first).html(html)


def _signs_of(text: str, words: Sequence[PlacedWord]) -> list[tuple[int, int, str, str]]:
    """The signs of ``words``, within the signs of emphasis, and none in what makes a line a heading or an item."""
    syntax = {at for match in _SYNTAX.finditer(text) for at in range(match.start(), match.end())}
    signs = []
    for number, word in enumerate(words):
        start, end = word.start, word.end
        while start < end and text[start] in _EMPHASIS + "$":  # no formula begins or ends beside a space
            start += 1
        while end > start and text[end - 1] in _EMPHASIS and text[end - 2 : end - 1] != "\\":
            end -= 1
        if start < end and start not in syntax:
            signs.append((start, end, chr(_FIRST_WORD + number), _WORD_END))
    return signs


def _signed(text: str, signs: Sequence[tuple[int, int, str, str]]) -> str:
    """``text`` with each pair of signs around its part; what ends in a place is before what begins there."""
    put = [(start, 1, sign) for start, _, sign, _ in signs]
    put += [(end, 0 if start < end else 2, sign) for start, end, _, sign in signs]
    parts, at = [], 0
    for place, _, sign in sorted(put, key=lambda one: one[:2]):
        parts += [text[at:place], sign]
        at = place
    return "".join([*parts, text[at:]])


class _Marking:
    """Puts elements in the place of signs."""

    def __init__(self, spans: Sequence[Span], first: int) -> None:
        self._spans, self._first = spans, first
        self._parts: list[str] = []
        self._run: list[str] = []  # what stands in the open mark
        self._span: int | None = None
        self._word: int | None = None

    def html(self, html: str) -> str:
        for match in _PIECE.finditer(html):
            piece = match[0]
            if match[1]:
                self._formula(match[1], match[2], match[3])
            elif piece[0] == "<":
                self._close()
                self._parts.append(_SIGN.sub("", piece))
            elif len(piece) == 1 and _SIGN.match(piece):
                self._sign(piece)
            else:
                shown = piece if self._word is None or not piece.strip() else self._placed(piece)
                (self._parts if self._span is None else self._run).append(shown)
        self._close()
        return "".join(self._parts)

    def _placed(self, text: str) -> str:
        return f'<span data-place="{self._word}">{text}</span>'

    def _sign(self, sign: str) -> None:
        code = ord(sign)
        if code >= _FIRST_WORD:
            self._word = None if sign == _WORD_END else self._first + code - _FIRST_WORD
            return
        if sign == _END and self._span is not None and self._spans[self._span].mark == "draft":
            self._parts.append(f"<mark{self._attributes(self._span)}></mark>")
        self._close()
        self._span = None if sign == _END else min(code - _FIRST, len(self._spans) - 1)

    def _close(self) -> None:
        """Ends the element of the open mark: it goes on behind a tag as another one."""
        text = "".join(self._run)
        if self._span is not None and text.strip():
            text = f"<mark{self._attributes(self._span)}>{text}</mark>"
        self._parts.append(text)
        self._run = []

    def _formula(self, tag: str, kind: str, source: str) -> None:
        """A formula is marked as a whole: what it is rendered to does not show where its source was marked."""
        self._close()
        span, words = self._span, [] if self._word is None else [self._word]
        for sign in _SIGN.findall(source):
            self._sign(sign)
            span = self._span if span is None else span
            if self._word is not None:
                words.append(self._word)
        attributes = f' class="{kind}"' if span is None else self._attributes(span, f"{kind} ")
        if words:
            attributes += f' data-place="{" ".join(map(str, words))}"'
        self._parts.append(f"<{tag}{attributes}>{_SIGN.sub('', source)}</{tag}>")

    def _attributes(self, number: int, more: str = "") -> str:
        span = self._spans[number]
        draft = "" if span.draft is None else f' data-draft="{escape(span.draft)}"'
        return f' class="{more}{NAMES[span.mark]}" data-span="{number}"{draft}'
