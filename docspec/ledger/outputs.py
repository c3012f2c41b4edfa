"""Reads a finished output: the words that a Markdown text shows, and no sign of its syntax.

It is small and shares nothing with the writers, so that a fault of a writer is not repeated here. It gives plain text
of which every character stands at the place of the one that it shows, so that an atom's place is its place in the
output: what is syntax becomes a space, or, within a word, nothing that parts it (:data:`NOTHING`).

Its time grows with the length of the text, whatever a model wrote: no pattern looks twice for an end that is not there.
markdown-it-py tells no places within a line, and takes 10 s for a megabyte of brackets.
"""

from __future__ import annotations

import re
from html import unescape

from docspec.core.formulas import NOTHING, shown_signs

_BLANKS = re.compile(r"[^\n]")
_COMMENT, _COMMENT_END = re.compile(r"(?<!\\)<!--"), "-->"
_LISTING = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n`]*\n(.*?)(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_DASHES = r"[^\S\n]*+:?-{3,}+:?[^\S\n]*+"
_RULER = re.compile(rf"(?m)^[^\S\n]*+(?=[^\n|]*+\|)(?:\|{_DASHES}|{_DASHES})(?:\|{_DASHES})*+\|?[^\S\n]*+$")
_BRACKET = re.compile(r"\\[^\n]|!?\[|\](?:\((?:[^()\s\\]++|\\.|\([^()]*+\))*+\))?|\n[^\S\n]*+\n")
"""What opens and ends links and pictures, with the address; and the end of a paragraph, which ends them all."""

_AUTOLINK = re.compile(r"(?<!\\)<((?:https?|ftp|mailto|doi):[^<>\s]*)>", re.IGNORECASE)
_NOTE = re.compile(r"\[\^([^\[\]\s]+?)(?:-p\d++)?\]:?")
_RAISED = re.compile(r"(?<!\\)</?(?:sup|sub)\b[^<>]*+>", re.IGNORECASE)
_INLINE = re.compile(r"(?<!\\)</?(?:b|i|em|strong|u|s|del|code|span|a)\b[^<>]*+>", re.IGNORECASE)
_TAG = re.compile(r"(?<!\\)</?[A-Za-z][^<>]*+>")
_HEADING = re.compile(r"(?m)^ {0,3}#{1,6}(?= )")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_CELL_END = r"</?t[dh]\b|(?<!\\)\|"
_BEGINS, _ENDS = r"(?<![\\\w$])\$(?![\s$])(?!\d[^$\n\\^_={]*\$)", r"(?<![\s\\])\$(?![\w$])"
_DISPLAYED = re.compile(r"(?<!\\)\$\$[^$]+\$\$")
_MATH = re.compile(rf"{_BEGINS}[^$\n]+?{_ENDS}")
_MATH_IN_CELL = re.compile(rf"{_BEGINS}(?:(?!{_CELL_END})[^$\n])+?{_ENDS}")
"""A formula stands within one cell of a table; two amounts of money are none."""
_LINE = re.compile(r"(?m)^[^\n$]*+\$[^\n]*+")
_ROW = re.compile(r"\s*\||.*</?t[dhr]\b")

_ENTITY = re.compile(r"(?<!\\)&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_STAR = re.compile(r"(?<!\\)(?:\*{1,3}|~~|`+)")
_QUOTE_OR_ITEM = re.compile(r"(?m)^[^\S\n]*+(?:[-*+] |> )++")


def _blank(match: re.Match[str]) -> str:
    return _BLANKS.sub(" ", match[0])


def _unseen(match: re.Match[str]) -> str:
    return NOTHING * len(match[0])


def _without_comments(text: str) -> str:
    parts, end = [], 0
    while (opening := _COMMENT.search(text, end)) and (close := text.find(_COMMENT_END, opening.end())) >= 0:
        after = close + len(_COMMENT_END)
        parts += [text[end : opening.start()], _BLANKS.sub(" ", text[opening.start() : after])]
        end = after
    return "".join([*parts, text[end:]])


def _without_addresses(text: str) -> str:
    """``text`` without pictures and without the addresses of links; all of what follows a bracket that opens none."""
    gone: list[tuple[int, int]] = []
    opened: list[re.Match[str]] = []
    for bracket in _BRACKET.finditer(text):
        sign = bracket[0]
        if sign.endswith("["):
            opened += [bracket] if sign[0] != "\\" else []
        elif sign[0] == "\n":
            opened.clear()
        elif sign[0] == "]" and opened:
            opening = opened.pop()
            if sign != "]":
                gone.append((opening.start() if opening[0] == "![" else bracket.start(), bracket.end()))
    parts, end = [], 0
    for start, after in _outermost(gone):
        parts += [text[end:start], _BLANKS.sub(" ", text[start:after])]
        end = after
    return "".join([*parts, text[end:]])


def _outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """``spans``, ordered by their ends, without those that stand within another."""
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        while kept and kept[-1][0] >= start:
            kept.pop()
        kept.append((start, end))
    return kept


def _entity(match: re.Match[str]) -> str:
    return unescape(match[0])[:1].ljust(len(match[0]), NOTHING)


def formulas_in(text: str) -> list[tuple[int, int]]:
    """Where the formulas of a Markdown ``text`` begin and end."""
    if "$" not in text:
        return []
    spans = [match.span() for match in _DISPLAYED.finditer(text)]
    left = _DISPLAYED.sub(_blank, text)
    for line in _LINE.finditer(left):
        pattern = _MATH_IN_CELL if _ROW.match(line[0]) else _MATH
        spans += [(line.start() + match.start(), line.start() + match.end()) for match in pattern.finditer(line[0])]
    return sorted(spans)


def _bare_math(match: re.Match[str]) -> str:
    return shown_signs(match[0])


def _maths_in_line(match: re.Match[str]) -> str:
    pattern = _MATH_IN_CELL if _ROW.match(match[0]) else _MATH
    return pattern.sub(_bare_math, match[0])


def markdown_words(text: str) -> str:
    """The words that ``text`` shows as Markdown, character by character in their places; what a picture is called
    counts as nothing, as it repeats its caption."""
    parts, end = [], 0
    for listing in _LISTING.finditer(text):
        parts += [_words_outside(text[end : listing.start()]), " " * (listing.start(2) - listing.start())]
        parts += [listing[2], " " * (listing.end() - listing.end(2))]
        end = listing.end()
    return "".join([*parts, _words_outside(text[end:])])


def _words_outside(text: str) -> str:
    """The same of text without listings, in which nothing is syntax."""
    text = _RULER.sub(_blank, _without_comments(text))
    text = _QUOTE_OR_ITEM.sub(_blank, _HEADING.sub(_blank, text))
    if "[" in text:
        text = _NOTE.sub(lambda match: f"  {match[1]}".ljust(len(match[0])), text)
        text = _without_addresses(text)
    if "$" in text:
        text = _LINE.sub(_maths_in_line, _DISPLAYED.sub(_bare_math, text))
    if "<" in text:
        text = _AUTOLINK.sub(lambda match: f" {match[1]} ", text)
        text = _INLINE.sub(_unseen, _RAISED.sub(_blank, text))
        text = _TAG.sub(_blank, text)
    text = _STAR.sub(_unseen, text)
    if "&" in text:
        text = _ENTITY.sub(_entity, text)
    return _ESCAPE.sub(NOTHING, text) if "\\" in text else text
