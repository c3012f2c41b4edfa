"""Removes the delimiters of formulas, and adds them to display formulas without any."""

from __future__ import annotations

import re

_PAIRS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
_MARKS = re.compile(r"\\.|\$", re.DOTALL)  # "\\[2pt]" is a line break, no delimiter
_LATEX = re.compile(r"\\[A-Za-z]|[\^_{}]")


def bare_formula(text: str) -> str:
    r"""LaTeX without the delimiters around it (``$$``, ``$``, ``\[ \]``, ``\( \)``); several formulas stay."""
    stripped = text.strip()
    for opening, closing in _PAIRS:
        inner = stripped[len(opening) : len(stripped) - len(closing)]
        long_enough = len(stripped) > len(opening) + len(closing)
        if long_enough and stripped.startswith(opening) and stripped.endswith(closing) and opening not in inner:
            return inner.strip()
    return stripped


def display_formula(text: str) -> str:
    r"""A formula that stands alone, as Markdown: between ``$$``, unless it brings ``$`` of its own or is no LaTeX.

    ``\[ \]`` and ``\( \)`` around the whole become ``$$``, which more readers of Markdown know; backticks around the
    whole are dropped. ``x = 1`` without a command, an index or a brace is written as it is.
    """
    text = text.strip()
    if len(text) > 2 and text[0] == text[-1] == "`" and "`" not in text[1:-1]:
        text = text[1:-1].strip()
    marks = set(_MARKS.findall(text))
    if "$" in marks:
        return text
    bare = bare_formula(text)
    if bare == text and (marks & {"\\[", "\\("} or not _LATEX.search(text)):
        return text
    return f"$$\n{bare}\n$$"
