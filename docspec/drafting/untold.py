"""Completes words from the print if a file does not tell all letters (ligatures of a font without Unicode)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from docspec.core.marks import carried
from docspec.drafting.lines import TextLine
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.trust import picture_of

CERTAIN = 0.8
"""Least confidence (0..1) of a recognised line from which words are completed."""


def completed(page: Any, lines: Sequence[TextLine], recogniser: Recogniser) -> list[TextLine]:
    """``lines`` of a ``pymupdf.Page`` in points. Lines with words that lack letters in the file are recognised; their
    other words, and all numbers, stay as the file has them. A line that recognition does not explain stays as it
    is."""
    return [
        _completed(page, line, recogniser) if line.words is None and not (line.hidden or line.turns) else line
        for line in lines
    ]


def _completed(page: Any, line: TextLine, recogniser: Recogniser) -> TextLine:
    read, confidence = recogniser.read_line(picture_of(page, line))
    ours, theirs = line.text.split(), read.split()
    if confidence < CERTAIN or len(ours) != len(theirs):
        return line
    words = [new if _lacks_letters(old, new) else old for old, new in zip(ours, theirs, strict=True)]
    if words == ours:
        return line
    text = " ".join(words)
    marks = carried(line.marks, line.text, text)
    return replace(line, text=text, words="recognition", confidence=confidence, marks=marks)


def _lacks_letters(word: str, read: str) -> bool:
    """Whether added letters alone make ``word`` the word ``read`` in its place."""
    rest = iter(read)
    return len(word) < len(read) and all(sign in rest for sign in word) and _signs(word) == _signs(read)


def _signs(word: str) -> list[str]:
    return [sign for sign in word if not sign.isalpha()]
