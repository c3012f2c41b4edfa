"""From printed lines to running text: cleaning, joining lines, removing hyphens, list markers, quotes.

Drafters give text with the line breaks of the print; targets mostly write paragraphs. What is lost in between
is a guess in places (a hyphen at a line's end), which is why the callers try both readings as alternatives.
"""

from __future__ import annotations

import re
from typing import Literal

from docspec.core.scripts import UNSPACED
from docspec.dialects.hyphens import joined

Hyphens = Literal["drop", "keep"]

_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_SPACES = dict.fromkeys("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000\t", " ")
_NOTHING = dict.fromkeys([*"\u200b\u2060\ufeff", *map(chr, (*range(9), *range(11, 32), 127))], "")
_CLEAN = str.maketrans({**_LIGATURES, **_NOTHING, **_SPACES})
_STRAIGHT = str.maketrans({"‘": "'", "’": "'", "‚": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "‟": '"'})

_SYMBOL_MARKER = re.compile(
    "\\s*([•●◦∘▪■‣⁃∙·○□❑❖➢➤►▶◆◇✓]|[-*+–—\u25a0-\u25ff\u2605\u2606\u261b\u261e\u2719-\u274e\u2753-\u27bf\uf020-\uf0ff](?=\\s))\\s*"
)
"""Bullets, and what else of geometric shapes, dingbats (but ticks and boxes) and fonts of signs stands before a
space."""
_NUMBER_MARKER = re.compile(r"\s*(\(?(?:\d{1,3}|[A-Za-z]|[ivxlIVXL]{2,5})[.)]|\[\d{1,3}\])\s+")
_HEADING_MARKS = re.compile(r"^\s*#{1,6}\s+")
_CUT_ADDRESS = re.compile(r"(?:\w://|\bwww\.)\S*[-/_=?&]$|\w://$")
_CUT_IN_CELL = re.compile(r"[^<>]*-\n[^<>]*")
_HYPHENS = "-\u2010"
_SPACED_BY_PHRASES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Thai, Lao, Burmese and Khmer, whose lines nearly always break between words, which have no space between them."""
_TIGHT = re.compile(f"{UNSPACED.pattern}[A-Za-z0-9]|[A-Za-z0-9]{UNSPACED.pattern}")
_APART = re.compile(f"{UNSPACED.pattern} [A-Za-z0-9]|[A-Za-z0-9] {UNSPACED.pattern}")


def clean(text: str, spaces: bool = False) -> str:
    """``text`` without ligatures, odd spaces, control and zero-width characters, which no target writes.

    Double quotes printed as two single ones become one character, runs of spaces one space (unless
    ``spaces`` have a meaning); lines are stripped, line breaks and blank lines stay.
    """
    text = text.replace("‘‘", "“").replace("’’", "”")
    if "``" in text:
        text = text.replace("``", "“").replace("''", "”")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").translate(_CLEAN).split("\n")
    return "\n".join((line if spaces else re.sub(" {2,}", " ", line)).strip() for line in lines).strip("\n")


def join_lines(text: str, hyphens: Hyphens = "drop", around: str = "") -> str:
    """Each paragraph of ``text`` on one line; blank lines go on separating paragraphs. ``around`` is the text of the
    page, which knows more words.

    A hyphen between two letters at a line's end is removed unless it belongs to its word
    (:mod:`docspec.dialects.hyphens`); ``hyphens="keep"`` keeps it, the word still joined. Soft hyphens always go. Web
    addresses and Chinese, Japanese and Thai lines are joined without a space; Korean ones, which may be broken within
    words, only with ``"keep"``, the second reading of doubtful lines.
    """
    paragraphs = (part.split("\n") for part in re.split(r"\n\s*\n", text))
    return "\n\n".join(joined for part in paragraphs if (joined := _join_paragraph(part, text, hyphens, around)))


def join_cells(html: str) -> str:
    """The ``html`` of a drafted table, in whose cells lines end with hyphens, with these lines joined."""
    return _CUT_IN_CELL.sub(lambda cell: join_lines(cell[0], around=html), html)


def straight_quotes(text: str) -> str:
    """``text`` with typewriter quotes for printed ones."""
    return text.translate(_STRAIGHT)


def strip_heading(text: str) -> str:
    """A heading without leading ``#`` marks."""
    return _HEADING_MARKS.sub("", text)


def split_marker(item: str) -> tuple[str, str]:
    """The list marker as printed (``"•"``, ``"1."``, ``"(a)"``; ``""`` without one), and the rest."""
    match = _SYMBOL_MARKER.match(item) or _NUMBER_MARKER.match(item)
    return (match[1], item[match.end() :]) if match else ("", item.strip())


def has_bullet(item: str) -> bool:
    """Whether ``item`` begins with a symbol that marks list items (numbers do not count)."""
    return _SYMBOL_MARKER.match(item) is not None


def split_items(text: str) -> list[str]:
    """The list items in ``text``, lines not joined: a marker of the first line's kind starts an item."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return []
    first = _marker_kind(lines[0])
    items = [lines[0]]
    for line in lines[1:]:
        if first and _marker_kind(line) == first:
            items.append(line)
        else:
            items[-1] += "\n" + line
    return items


def _marker_kind(line: str) -> str:
    if has_bullet(line):
        return "symbol"
    return "number" if _NUMBER_MARKER.match(line) else ""


def _join_paragraph(lines: list[str], context: str, hyphens: Hyphens, around: str) -> str:
    pieces: list[str] = []
    for line in map(str.strip, lines):
        if not line:
            continue
        if pieces:
            pieces[-1], glue = _seam(pieces[-1], line, context, hyphens, around)
            pieces.append(glue)
        pieces.append(line)
    return "".join(pieces)


def _seam(left: str, right: str, context: str, hyphens: Hyphens, around: str) -> tuple[str, str]:
    """The left one of two lines, perhaps without its hyphen, and the text that joins them."""
    if left[-1] == "\u00ad":
        return left[:-1], ""
    if _CUT_ADDRESS.search(left):
        return left, ""
    if left[-1] in _HYPHENS and len(left) > 1 and left[-2].isalnum() and right[0].isalnum():
        return joined(left, right, around or context) if hyphens == "drop" else (left, "")
    if left[-1] in "–—" and len(left) > 1 and not left[-2].isspace():
        return left, ""
    return left, "" if _joins_tightly(left[-1], right[0], context, hyphens) else " "


def _joins_tightly(left: str, right: str, context: str, hyphens: Hyphens) -> bool:
    """Whether lines that end and begin so are joined without a space."""
    if _is_hangul(left) and _is_hangul(right):
        return hyphens == "keep"
    if _SPACED_BY_PHRASES.match(left) and _SPACED_BY_PHRASES.match(right):
        return True
    if not (_is_unspaced(left) or _is_unspaced(right)):
        return False
    other = right if _is_unspaced(left) else left
    if _is_unspaced(other) or other in "“”‘’…—·":
        return True
    # Latin words and numbers among Chinese ones are set apart in some texts and not in others.
    return len(_TIGHT.findall(context)) > len(_APART.findall(context))


def _is_unspaced(char: str) -> bool:
    """Whether ``char`` belongs to a script written without spaces (Han, kana, full-width forms)."""
    return UNSPACED.match(char) is not None


def _is_hangul(char: str) -> bool:
    return "\uac00" <= char <= "\ud7a3"
