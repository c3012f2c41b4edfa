"""Escapes printed text for Markdown: characters that Markdown would read as its own marks get a backslash, no others
do."""

from __future__ import annotations

import re
from collections.abc import Collection

MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s+")
"""The beginning of a list item."""

_ALWAYS = frozenset("\\`")
_TAG = re.compile(r"<[A-Za-z/!?]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_LINKED = re.compile(r"\]\s*[(\[]")
_MATHS = re.compile(r"\$(?!\s)[^$]*(?<!\s)\$")
_START = re.compile(r"(?:[-+*](?=\s|$)|[-*_](?=(?:\s*[-*_])*\s*$)|>|#{1,6}(?=\s|$)|\[[^\]]*\]:)")
_NUMBER = re.compile(r"\d{1,9}([.)])(?=\s|$)")
_NUMBER_SIGNS = re.compile(r"^#{1,6}(?=\s|$)", re.MULTILINE)
_SIGNS = re.compile(r"[\\`*_\[<&~$]")
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_MARKS = re.compile(
    r"\\(?P<sign>[!-/:-@\[-`{-~])|\[\^[^\]\s]+\]:?|!?\[(?P<label>(?:\\.|[^\]\\])*)\]\([^()\s]*\)|\*{1,3}|</?(?:sup|b|i)>"
)


def escapes(text: str, starts: Collection[int] = (0,)) -> set[int]:
    """The indices of the characters of ``text``, a paragraph that may have several lines, that need a backslash. At
    ``starts`` a block or the text of a list item begins."""
    places = set()
    linked, tildes = _LINKED.search(text) is not None, text.count("~") > 1
    maths = _MATHS.search(text) is not None
    for match in _SIGNS.finditer(text):
        index, char = match.start(), match[0]
        before, after = text[index - 1 : index] or " ", text[index + 1 : index + 2] or " "
        apart = before.isspace() and after.isspace()
        if (
            char in _ALWAYS
            or (char == "*" and not apart)
            or (char == "_" and not apart and not (before.isalnum() and after.isalnum()))
            or (char == "[" and (linked or after == "^"))
            or (char == "<" and _TAG.match(text, index))
            or (char == "&" and _ENTITY.match(text, index))
            or (char == "~" and tildes and not apart)
            or (char == "$" and maths)
        ):
            places.add(index)
    for start in starts:
        line = text[start:].partition("\n")[0]
        if _START.match(line):
            places.add(start)
        elif number := _NUMBER.match(line):
            places.add(start + number.start(1))
    places.update(match.start() for match in _NUMBER_SIGNS.finditer(text))
    return places


def escaped(text: str) -> str:
    """``text``, a paragraph or the text of a cell, with a backslash before every sign that Markdown would read as a
    mark of its own."""
    marked = escapes(text)
    return "".join(f"\\{char}" if index in marked else char for index, char in enumerate(text))


def label(text: str) -> str:
    """``text`` escaped for the brackets of a link or a picture."""
    return _BRACKET.sub(r"\\\g<0>", escaped(text))


def bare(text: str) -> str:
    """The words of ``text``, Markdown within a line, without its marks; formulas stay as they are written."""
    return _MARKS.sub(lambda mark: mark["sign"] or bare(mark["label"] or ""), text)
