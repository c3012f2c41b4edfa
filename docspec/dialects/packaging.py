"""Removes what a model writes around a page: thoughts, front matter, and a fence around the whole.

This is one of the normalisations that ``--raw`` turns off. The result is an unchanged piece of the answer. A fence that
names a programming language is kept: the page is then a listing, and without its fence its comments would be headings.
"""

from __future__ import annotations

import re

_THINK, _END_OF_THINK = "<think>", "</think>"
_PAGE_LANGUAGES = frozenset(
    ["", "markdown", "md", "html", "xhtml", "xml", "latex", "tex", "katex", "math", "json", "text", "txt", "plaintext"]
)
_FRONT_MATTER = re.compile(r"\s*---\r?\nprimary_language:[^\n]*\n(?:[a-z_]+:[^\n]*\n)*---[ \t]*(?:\r?\n|$)")
"""olmOCR's data about the page, before it; the first field tells them from a page that begins with a rule."""

_OPENING = re.compile(r"\s*(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*(?:\r\n|\r|\n)")
_FENCE_LINE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[ \t]*\r?$", re.MULTILINE)


def unpacked(text: str) -> str:
    """The page in an answer: without thoughts and front matter before it and without the fence around all of it.

    An answer that was cut off while the model was thinking holds no page.
    """
    page = without_fence(_without_thoughts(text))
    return page[front.end() :] if (front := _FRONT_MATTER.match(page)) else page


def without_fence(text: str) -> str:
    """``text`` without a fence around the whole of it, also one that was not closed before the text was cut off.

    A closing fence before the end means that the fence is part of the page; fences inside the outer one come in pairs.
    """
    opening = _OPENING.match(text)
    if opening is None or opening[2].lower() not in _PAGE_LANGUAGES:
        return text
    closings: list[re.Match[str]] = []
    inside = False
    for fence in _FENCE_LINE.finditer(text, opening.end()):
        if fence[1][0] != opening[1][0] or len(fence[1]) < len(opening[1]):
            continue
        if fence[2]:
            inside = True
        elif inside:
            inside = False
        else:
            closings.append(fence)
    if len(closings) % 2 == 0:
        return text[opening.end() :]
    end = closings[-1]
    return text if text[end.end() :].strip() else text[opening.end() : end.start()]


def _without_thoughts(text: str) -> str:
    """The answer behind the thoughts; a chat template may open them itself, so that the answer has only their end."""
    begun = text.lstrip()
    thoughts, end, answer = begun.partition(_END_OF_THINK)
    if begun.startswith(_THINK):
        return answer
    return answer if end and _THINK not in thoughts and answer.startswith(("\n", "\r")) else text
