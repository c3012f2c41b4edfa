"""Markdown as people write it, where the words of a page stand: what the print says beside the words becomes marks.

Blocks whose words a model wrote are left as they are. Of all others the words stay, letter by letter: signs that
Markdown would read get a backslash; bold, italic and linked words their marks; headings their level; items of lists
stand below those that they belong to; references to a footnote and the note are tied together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import pairwise
from typing import NamedTuple

from docspec.core import Block, Category, PageResult
from docspec.core.inline_markdown import MARKER, escapes
from docspec.core.marks import Mark, shifted, within
from docspec.core.raised import plain
from docspec.core.running_text import is_broken
from docspec.reporting.headings import MARKS, HeadingLevels, stands

_PLAIN = frozenset({Category.TABLE, Category.FORMULA, Category.PICTURE})
_NO_REFERENCES = _PLAIN | {Category.FOOTNOTE}
_CLOSING = re.compile(r"(?<![\\#])#+\s*$")
_LABEL = re.compile(r"\d{1,3}|[*†‡§¶‖]{1,3}|[a-z]")
_NOTE = re.compile(r"(\d{1,3}|[*†‡§¶‖]{1,3}|[a-z])[.)]?(?:\s+|(?=[A-Z“\"(]))")
_DEFINITION = re.compile(r"""\S+(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?""")
"""A note that CommonMark, which has none, would take for the address and the title of a link, and not show."""
_AUTOLINK = re.compile(r"(?:https?|ftp|mailto):[^<>\s\\]+", re.IGNORECASE)
_SIGNS = {"struck": "~~", "bold": "**", "italic": "*"}
_BRACKETS = "([])"
_TAGS = {"raised": "sup", "lowered": "sub"}
_BASE = re.compile(
    r"(?:(?<![\d.,])(?:10|2)|(?<![^\W\d_])(?:[a-zA-Z\u0370-\u03ff]|[kcdmnµμ]m|ft|in|yd|mi|sec|ha|Pa|kg))[)\]|]?$"
)
"""What carries a power: ten and two, units, and letters that stand alone."""


class Ends(NamedTuple):
    """The blocks of a page, by their numbers, that may go on from the page before and on the next one."""

    first: int | None = None
    last: int | None = None


class RichText:
    """Makes the pages of one document rich, in their order. With ``tied=False``, for formats without footnotes, raised
    letters and figures stay raised, and no footnote is tied to them."""

    def __init__(self, tied: bool = True) -> None:
        self._tied = tied
        self._levels = HeadingLevels()
        self._notes: set[str] = set()

    def page(self, result: PageResult, ends: Ends) -> PageResult:
        """``result`` with blocks whose texts are Markdown; ``ends`` are those that a joint may touch."""
        notes = self._notes_of(result) if self._tied else None
        lists = nested(result.blocks, result.width)
        blocks = [
            self._rich(block, lists.get(index), notes, (index == ends.first, index == ends.last))
            if stands(block)
            else block
            for index, block in enumerate(result.blocks)
        ]
        return replace(result, blocks=tuple(blocks))

    def _notes_of(self, result: PageResult) -> dict[str, str]:
        """The page's footnotes: label in the text to name in this document."""
        raised = {
            plain(block.text[mark.start : mark.end]).strip()
            for block in result.blocks
            if stands(block) and block.category not in _NO_REFERENCES
            for mark in block.marks
            if mark.kind == "raised" and not is_power(block.text, mark.start, mark.end)
        }
        labels = {}
        for block in result.blocks:
            if stands(block) and block.category is Category.FOOTNOTE:
                places = list(_notes_in(block))
                for (start, label), (end, _) in pairwise([*places, (len(block.text), "")]):
                    is_address = _DEFINITION.fullmatch(block.text[start + len(label) : end].strip())
                    if label in raised and label not in labels and not is_address:
                        labels[label] = label if label not in self._notes else f"{label}-p{result.number}"
        self._notes |= set(labels.values())
        return labels

    def _rich(
        self, block: Block, indents: Sequence[str] | None, notes: dict[str, str] | None, bare: tuple[bool, bool]
    ) -> Block:
        text = block.text
        if block.category is Category.TABLE:
            return replace(block, text=_linked_table(text, block.marks))
        if block.category in _PLAIN or (text.startswith("```") and text.endswith("\n```")):  # a listing
            return block
        if block.category.is_heading:
            start = match.end() if (match := MARKS.match(text)) else 0
            words = text[start:]
            marks = [mark for mark in within(block.marks, start, len(text)) if mark.kind != "bold"]
            body = _CLOSING.sub(r"\\\g<0>", marked(words, marks, notes, begins=False))
            return replace(block, text=f"{'#' * self._levels.level(block, words)} {body}" if words.strip() else text)
        if block.category is Category.FOOTNOTE and notes is not None:
            return replace(block, text="".join(_footnotes(block, notes)))
        return replace(block, text="".join(_lines(_bare_ends(block, *bare), indents, notes)))


def _linked_table(text: str, marks: Sequence[Mark]) -> str:
    """A table, of HTML or between bars, with its links; none goes over a cell's edge."""
    for mark in sorted(marks, key=lambda mark: -mark.start):
        words, address = text[mark.start : mark.end], _address(mark.target).replace("|", "%7C")
        if mark.kind != "link" or re.search(r"[|<>\[\]\n]", words):
            continue
        link = f'<a href="{escape(address)}">{words}</a>' if text.startswith("<") else f"[{words}]({address})"
        text = text[: mark.start] + link + text[mark.end :]
    return text


def _lines(block: Block, indents: Sequence[str] | None, notes: dict[str, str] | None) -> Iterator[str]:
    """The lines of running text, and of lists."""
    start = 0
    for number, line in enumerate(block.text.split("\n")):
        end = start + len(line)
        item = MARKER.match(line) if block.category is Category.LIST_ITEM else None
        apart = _is_hard(block, start) or (indents is not None and item is None and bool(line))
        yield ("\\\n" if apart else "\n") if number else ""
        if indents is not None:
            yield indents[number]
        if item is not None:
            yield line[: item.end()]
            start += item.end()
        yield _written(block, start, end, notes)
        start = end + 1


def _is_hard(block: Block, start: int) -> bool:
    """Whether the line break of running text before ``start`` is to be shown: not one around a blank line."""
    apart = block.text[start : start + 1] in ("", "\n") or block.text[start - 2 : start - 1] in ("", "\n")
    return block.category is Category.TEXT and not apart


def _footnotes(block: Block, notes: dict[str, str]) -> Iterator[str]:
    """The notes of a block, each one that is referred to as a definition of its own."""
    places = [(start, label) for start, label in _notes_in(block) if label in notes]
    starts = [start for start, _ in places]
    if not starts:
        yield _written(block, 0, len(block.text), {})
        return
    if starts[0] > 0:
        yield _written(block, 0, starts[0], {}).rstrip() + "\n\n"
    for (start, label), end in zip(places, [*starts[1:], len(block.text)], strict=True):
        body = _written(block, start + len(label), end, {}).strip()
        yield f"[^{notes[label]}]: {body}" + ("\n\n" if end < len(block.text) else "")


def _notes_in(block: Block) -> Iterator[tuple[int, str]]:
    """Where the notes of a block of footnotes begin, and their labels: at its start, and at raised ones that follow."""
    text = plain(block.text)
    first = _NOTE.match(text)
    if first is not None:
        yield 0, first[1]
    for mark in block.marks:
        label = text[mark.start : mark.end].strip()
        apart = mark.start > 0 and text[mark.start - 1].isspace()
        if mark.kind == "raised" and apart and _LABEL.fullmatch(label):
            yield mark.start, label


def _written(block: Block, start: int, end: int, notes: dict[str, str] | None) -> str:
    """Part of a block's text with its marks."""
    return marked(block.text[start:end], list(within(block.marks, start, end)), notes)


def _bare_ends(block: Block, first: bool, last: bool) -> Block:
    """A block of running text whose ``first`` or ``last`` word has no marks, where it is part of a word that goes on
    from the page before or on the next one: a joint goes through plain words alone."""
    text, marks = block.text, list(block.marks)
    if last and is_broken(text):
        raised = [mark for mark in marks if mark.kind == "raised"]
        marks = [*(mark for mark in within(marks, 0, text.rstrip().rfind(" ") + 1) if mark.kind != "raised"), *raised]
    if first and text[:1].islower():
        end = len(text.split(maxsplit=1)[0])
        marks = list(shifted(within(marks, end, len(text)), end))
    return replace(block, marks=tuple(marks))


def marked(text: str, marks: Sequence[Mark], notes: dict[str, str] | None, begins: bool = True) -> str:
    """``text``, a line of printed words, as Markdown that shows it as it is printed. Marks go around whole words;
    raised labels in ``notes`` become references to these names, or, with ``None``, stay raised. Where it ``begins``
    a paragraph, a number with a point would make a list."""
    if not marks:
        return _escaped(text, escapes(text, (0,) if begins else ()))
    references = {}
    for mark in marks:
        label = plain(text[mark.start : mark.end])
        if mark.kind in _TAGS and notes is None and label.isalnum():
            references[mark.start] = mark.end, f"<{_TAGS[mark.kind]}>{label}</{_TAGS[mark.kind]}>"
        elif mark.kind == "raised" and notes and label in notes and not is_power(text, mark.start, mark.end):
            references[mark.start] = mark.end, f"[^{notes[label]}]"
    before: dict[int, str] = {}
    after: dict[int, str] = {}
    links: list[tuple[int, int]] = []
    for link in (mark for mark in marks if mark.kind == "link"):
        place = _stretch([at for at in range(link.start, link.end) if not text[at].isspace()])
        if place is None or any(place[0] < end and start < place[1] for start, end in links):
            continue
        links.append(place)
        if text[place[0] : place[1]] == link.target and _AUTOLINK.fullmatch(link.target):
            before[place[0]], after[place[1]] = "<", ">"
        else:
            before[place[0]], after[place[1]] = "[", f"]({_address(link.target)})"
    for start, end, sign in _emphasis(text, marks, links, [(at, last) for at, (last, _) in references.items()]):
        before[start] = before.get(start, "") + sign
        after[end] = sign[::-1] + after.get(end, "")
    bare = [place for place in links if before.get(place[0], "").startswith("<")]
    backslashes = escapes(text, (0,) if begins else ())
    backslashes |= {start - 1 for start, _ in links if text[start - 1 : start] == "!"}  # no picture
    backslashes |= {at for start, end in links for at in range(start, end) if text[at] in "[]"}
    backslashes -= {at for start, end in bare for at in range(start, end)}
    formulas = [mark for mark in marks if mark.kind == "formula"]
    backslashes -= {at for mark in formulas for at in range(mark.start, mark.end)}
    written, at = [], 0
    for stop in sorted({*before, *after, *references, *backslashes}):
        if stop < at:
            continue  # within a reference
        written += [text[at:stop], after.get(stop, ""), before.get(stop, "")]
        at = stop
        if at in references:
            at, reference = references[at]
            written.append(reference)
        elif at in backslashes:
            written.append("\\")
    written.append(text[at:])
    return "".join(written)


def _escaped(text: str, places: set[int]) -> str:
    """``text`` with a backslash before the signs at ``places``."""
    edges = [0, *sorted(places), len(text)]
    return "\\".join(text[start:end] for start, end in pairwise(edges))


def _emphasis(
    text: str, marks: Sequence[Mark], links: Sequence[tuple[int, int]], apart: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, str]]:
    """Stretches of whole words of one look, and the signs around them; none goes over the edge of a link, or over a
    bracket of another look. Another sign that stands alone, often of another font, parts none."""
    shown = _shown(text, marks)
    if not any(shown):
        return
    looks: list[tuple[int, int, str, int]] = []
    for start, end in _words(text, shown):
        for first, last in apart:
            if start < first < end:
                end = first
            elif start == first:
                start = last
        link = next((number for number, (a, b) in enumerate(links) if a < end and start < b), -1)
        if link >= 0:
            start, end = max(start, links[link][0]), min(end, links[link][1])
        if looks and looks[-1][3] == link and end == start + 1 and not text[start].isalnum():
            continue
        letters = [shown[at] for at in range(start, end) if text[at].isalnum()]
        sign = "".join(_SIGNS[kind] for kind in _SIGNS if letters and all(kind in own for own in letters))
        parted = not looks or looks[-1][2:] != (sign, link) or any(looks[-1][1] <= first < start for first, _ in apart)
        if not parted and sign:
            parted = any(not shown[at] for at in _brackets(text, looks[-1][0], looks[-1][1], start))
        if not parted:
            looks[-1] = (looks[-1][0], end, sign, link)
        elif start < end:
            looks.append((start, end, sign, link))
    for start, end, sign, _ in looks:
        kind = next((kind for kind, one in _SIGNS.items() if sign.startswith(one)), "italic")
        place = _stretch([at for at in range(start, end) if text[at].isalnum() or kind in shown[at]])
        if sign and place is not None and _may_open(text, place[0]) and _may_close(text, place[1]):
            yield (*place, sign)


def _shown(text: str, marks: Sequence[Mark]) -> list[frozenset[str]]:
    """Which emphasis each character of ``text`` has."""
    shown = [frozenset[str]()] * len(text)
    for mark in marks:
        for at in range(mark.start, min(mark.end, len(text))) if mark.kind in _SIGNS else ():
            shown[at] |= {mark.kind}
    return shown


def _words(text: str, shown: Sequence[frozenset[str]]) -> Iterator[tuple[int, int]]:
    """The words of ``text``; one of two looks, with a sign between them ("see.Journal", "(p"), is two."""
    for word in re.finditer(r"\S+", text):
        start, before = word.start(), -1
        for at in (at for at in range(word.start(), word.end()) if text[at].isalnum()):
            if 0 <= before < at - 1 and shown[at] != shown[before]:
                opening = next((place for place in range(before + 1, at) if text[place] in _BRACKETS[:2]), at)
                yield start, opening
                start = opening
            before = at
        yield start, word.end()


def _brackets(text: str, first: int, end: int, start: int) -> Iterator[int]:
    """The places of brackets between a stretch, from ``first`` to ``end``, and a word at ``start``: of those that open
    behind a space, and those that close what was opened before the stretch."""
    while first < end and not text[first].isalnum():
        first += 1
    while end > first and not text[end - 1].isalnum():
        end -= 1
    while start < len(text) and not text[start].isalnum():
        start += 1
    for at in range(end, start):
        sign = text[at]
        opens = sign in _BRACKETS[:2] and text[at - 1 : at].isspace()
        if opens or (sign in _BRACKETS[2:] and _BRACKETS[3 - _BRACKETS.index(sign)] not in text[first:at]):
            yield at


def _stretch(places: Sequence[int]) -> tuple[int, int] | None:
    """From the first of ``places`` to behind the last."""
    return (places[0], places[-1] + 1) if places else None


def _may_open(text: str, at: int) -> bool:
    """Whether a run of stars before the character there opens emphasis (CommonMark's left-flanking, for all cases)."""
    return text[at].isalnum() or at == 0 or not text[at - 1].isalnum()


def _may_close(text: str, at: int) -> bool:
    return text[at - 1].isalnum() or at == len(text) or not text[at].isalnum()


def is_power(text: str, start: int, end: int) -> bool:
    """Whether the raised characters from ``start`` to ``end`` are a power and refer to no note: 10⁶, 36 m², x²."""
    label = plain(text[start:end])
    if not label.lstrip("-").isdigit():
        return False
    if text[start - 1 : start] in ("⁻", "⁺"):  # raised, of another font
        return True
    base = _BASE.search(text, 0, start)
    return base is not None and (int(label) <= 4 or base[0][0].isdigit())


def _address(target: str) -> str:
    return re.sub(r"[()<>\\\s]", lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), target)


SAME_LEVEL = 0.008
"""Largest difference of left edges in one level, as a share of the page's width."""
OTHER_COLUMN = 0.2
"""Least difference of left edges in two columns, as a share of it."""
DEEPEST = 4


def nested(blocks: Sequence[Block], width: int) -> dict[int, list[str]]:
    """The white space before each line of those ``blocks`` (of a page ``width`` pixels wide) that are items of lists,
    by their numbers. Blocks whose lines have unknown edges are left out."""
    indents: dict[int, list[str]] = {}
    edges: list[tuple[float, int]] = []  # of the open items, the outermost first: edge and width of the marker
    last = -2
    for number, block in enumerate(blocks):
        lines = block.text.split("\n")
        if block.category is not Category.LIST_ITEM or len(block.indents) != len(lines) or block.gap is not None:
            continue
        if number != last + 1:
            edges = []
        last = number
        own = []
        for line, edge in zip(lines, block.indents, strict=True):
            marker = MARKER.match(line)
            if edges and (abs(edge - edges[0][0]) > OTHER_COLUMN * width):
                edges = []
            while len(edges) > 1 and edge < edges[-1][0] - SAME_LEVEL * width:
                edges.pop()
            if edges and abs(edge - edges[-1][0]) <= SAME_LEVEL * width:
                edges.pop()
            elif edges and edge < edges[-1][0]:
                edges = []
            below = marker or (edges and edge > edges[-1][0])  # Markdown knows no a), but it can stand in an item
            indent = " " * sum(room for _, room in edges[:DEEPEST]) if below else ""
            if marker:
                edges.append((edge, marker.end()))
            own.append(indent)
        indents[number] = own
    return indents
