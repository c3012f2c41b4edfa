"""Marks in rendered text: a span of a block's Markdown found again in its HTML.

Before rendering, a character that the text does not have is put before and behind every marked span; it passes through
Markdown and HTML like a letter. Afterwards these characters become ``<mark>`` around text, never inside a tag and never
across one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from docspec.core import Span

_FIRST, _LAST = 0xF0000, 0xFFFFC
_END = chr(0xFFFFD)
_SIGN = re.compile(f"[{chr(_FIRST)}-{_END}]")
_PIECE = re.compile(rf"<[^>]*>|{_SIGN.pattern}|[^<{chr(_FIRST)}-{_END}]+")
_FORMULA = re.compile(r'<(span|div) class="(math|formula)">([^<]*)</\1>')

NAMES = {"corrected": "corrected", "model": "alone", "draft": "left", "differs": "differs"}
"""Marks that are shown, and their classes."""


def is_shown(span: Span) -> bool:
    """Whether a reader should see the span marked: ``agreed`` ones are as they should be."""
    return span.mark in NAMES


def with_signs(text: str, spans: Sequence[Span]) -> str:
    """``text`` with signs around the spans that are shown; as it is where it has such characters of its own."""
    shown = [(number, span) for number, span in enumerate(spans) if is_shown(span)]
    if not shown or _SIGN.search(text) or len(spans) > _LAST - _FIRST:
        return text
    parts, at = [], 0
    for number, span in shown:
        parts += [text[at : span.start], chr(_FIRST + number), text[span.start : span.end], _END]
        at = span.end
    return "".join([*parts, text[at:]])


def with_marks(html: str, spans: Sequence[Span]) -> str:
    """``html`` of a text that went through :func:`with_signs`, with ``<mark>`` elements for its signs."""
    if not _SIGN.search(html):
        return html
    html = _FORMULA.sub(lambda formula: _formula(formula, spans), html)
    parts: list[str] = []
    open_at: int | None = None
    for match in _PIECE.finditer(html):
        piece = match[0]
        if piece[0] == "<":
            parts.append(_SIGN.sub("", piece))
        elif piece == _END:
            if open_at is not None and spans[open_at].mark == "draft":
                parts.append(_mark(spans, open_at, ""))
            open_at = None
        elif _FIRST <= ord(piece[0]) <= _LAST:
            open_at = min(ord(piece[0]) - _FIRST, len(spans) - 1)
        elif open_at is not None and piece.strip():
            parts.append(_mark(spans, open_at, piece))
        else:
            parts.append(piece)
    return "".join(parts)


def _mark(spans: Sequence[Span], number: int, text: str) -> str:
    return f"<mark{_attributes(spans[number], number)}>{text}</mark>"


def _attributes(span: Span, number: int, more: str = "") -> str:
    draft = "" if span.draft is None else f' data-draft="{escape(span.draft)}"'
    return f' class="{more}{NAMES[span.mark]}" data-span="{number}"{draft}'


def _formula(match: re.Match[str], spans: Sequence[Span]) -> str:
    """A formula is marked as a whole: what it is rendered to does not show where its source was marked."""
    first = next((ord(sign) - _FIRST for sign in _SIGN.findall(match[3]) if sign != _END), None)
    source = _SIGN.sub("", match[3])
    if first is None or first >= len(spans):
        return f'<{match[1]} class="{match[2]}">{source}</{match[1]}>'
    return f"<{match[1]}{_attributes(spans[first], first, f'{match[2]} ')}>{source}</{match[1]}>"
