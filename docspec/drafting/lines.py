"""Lines of text with their places: the common form of the text layer's and of recognisers' results.

A line is one run of text at one height; a *printed* line may consist of several of them (a bullet
and its text, the cells of a table row).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Any

from docspec.core import BBox
from docspec.core.marks import Mark, carried, merged, shifted
from docspec.core.result import WordsOf
from docspec.documents.mupdf import mupdf
from docspec.drafting.box_signs import BOXES, box_signs, with_boxes
from docspec.drafting.raised import with_raised
from docspec.drafting.repair import letters_untold, repair
from docspec.drafting.right_to_left import SPACE, has_right_to_left, is_right_to_left, logical_text
from docspec.drafting.struck import strokes_of, with_struck
from docspec.drafting.symbol_fonts import names_signs
from docspec.drafting.symbol_fonts import told as in_font

MAX_STYLED = 20_000
"""Most characters of a page on which MuPDF looks for faked bold type: its time grows with their square, 100,000 take
14 seconds."""
NEIGHBOURS = 16
"""Runs of a printed line that a further run is compared with; no real line has more."""

Link = tuple[BBox, str]
"""A place on the page, in points, and the address that it leads to."""

RAISED = 1  # of a span's ``script``
ITALIC, BOLD = 2, 16  # of a span's ``flags``
_BOLD = re.compile(
    r"bold|black|heavy|\b(?:cm|sf|ec)(?:ss)?(?:bx|xb|bi)|-medi\b|mediital|semibd|(?-i:\.BI?\b)", re.IGNORECASE
)
_ITALIC = re.compile(
    r"italic|oblique|\b(?:cm|sf|ec)(?:ss)?(?:ti|sl|bi|si)|\bslant|-it\b|ital$|(?-i:\.B?I\b)", re.IGNORECASE
)
_NO_PART = " .,;:"
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


@dataclass(frozen=True, slots=True)
class TextLine:
    """A run of text. ``bbox`` is in PDF points or pixels, whichever its maker says; ``size`` in the same
    unit.

    ``block`` numbers the paragraph-like group that the source put the line in; ``hidden`` says that it is
    not painted; ``turns`` are the quarter turns, clockwise, that bring it upright; of its characters, white space
    aside, ``even`` are set in type whose letters are all of one width (a typewriter's). ``words`` says where the text
    comes from (``None``: from a file that does not tell all letters), ``marks`` how its words are printed, ``unsure``
    which of its numbers two recognisers read differently.
    """

    bbox: BBox
    text: str
    size: float = 0.0
    block: int = 0
    confidence: float = 1.0
    hidden: bool = False
    turns: int = 0
    even: int = 0
    words: WordsOf | None = "text layer"
    marks: tuple[Mark, ...] = ()
    unsure: tuple[str, ...] = ()

    def scaled(self, factor: float) -> TextLine:
        """The line in another unit."""
        return replace(self, bbox=self.bbox.scaled(factor), size=self.size * factor)

    def has(self, *kinds: str) -> bool:
        """Whether words of it have a mark of one of these ``kinds``."""
        return any(mark.kind in kinds for mark in self.marks)


PrintedRow = Sequence[TextLine]
"""The runs of one printed line."""


def page_lines(page: Any, links: Sequence[Link] = ()) -> list[TextLine]:
    """The lines of a ``pymupdf.Page`` in the order of its text layer, in points, repaired; empty lines left
    out. ``links`` are the page's.
    """
    pymupdf = mupdf()
    # Ligatures are taken apart here: where two stand side by side, MuPDF loses letters while it collects styles.
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_ACCURATE_BBOXES | pymupdf.TEXT_MEDIABOX_CLIP
    flags |= pymupdf.TEXT_PRESERVE_LIGATURES
    plain = page.get_text("text", flags=pymupdf.TEXT_MEDIABOX_CLIP)
    if len(plain) <= MAX_STYLED:
        flags |= pymupdf.TEXT_COLLECT_STYLES  # text that is printed twice to look bold is read once
    if has_right_to_left(plain):
        return _lines_by_place(page, flags, is_right_to_left(plain))
    words = page.get_text("words", flags=pymupdf.TEXT_MEDIABOX_CLIP) if links else ()
    lines = []
    strokes = strokes_of(page)
    if strokes:
        blocks = with_struck(page.get_text("rawdict", flags=flags)["blocks"], strokes)
    else:
        blocks = page.get_text("dict", flags=flags)["blocks"]
    with_raised(blocks)
    boxes = box_signs(page) if BOXES.search(plain) else ()
    for number, block in enumerate(blocks):
        for line in block.get("lines", ()):
            spans = line["spans"]
            for span in spans:
                if boxes and not names_signs(span["font"]):
                    span["text"] = with_boxes(span["text"], BBox(*span["bbox"]), boxes)
                span["text"] = in_font(span["text"], span["font"]).translate(_LIGATURES)
            whole = "".join(span["text"] for span in spans)
            text = repair(whole)
            if text:
                size = max(span["size"] for span in spans if span["text"])
                hidden = all(span.get("alpha", 255) == 0 for span in spans)
                turns = round(-math.atan2(line["dir"][1], line["dir"][0]) / (math.pi / 2)) % 4
                evenly = [span["text"] for span in spans if span["flags"] & pymupdf.TEXT_FONT_MONOSPACED]
                even = 0 if hidden else len(without_spaces("".join(evenly)))
                box = BBox(*line["bbox"])
                if even == len(without_spaces(text)) and turns == 0:  # an indent made of spaces is no ink
                    indent = len(whole) - len(whole.lstrip())
                    box = replace(box, x0=box.x0 + box.width * indent / len(whole))
                marks = () if even and even == len(without_spaces(text)) else marks_of(spans, text)
                if links:
                    marks = (*marks, *linked(text, box, links, words))
                words_of = _source_of(whole)
                lines.append(TextLine(box, text, size, number, 1.0, hidden, turns, even, words_of, marks))
    return lines


def _lines_by_place(page: Any, flags: int, page_runs_left: bool) -> list[TextLine]:
    """Lines of a page with right-to-left text: MuPDF parts them where the direction changes, so pieces that touch at
    one height are joined."""
    traced = [(chr(code), origin, box) for span in page.get_texttrace() for code, _, origin, box in span["chars"]]
    groups: list[list[tuple[BBox, int, list[dict[str, Any]]]]] = []
    for number, block in enumerate(page.get_text("rawdict", flags=flags)["blocks"]):
        for line in block.get("lines", ()):
            box = BBox(*line["bbox"])
            near = next((group for group in groups[-8:] if any(touch(other, box) for other, *_ in group)), None)
            if near is None:
                groups.append(near := [])
            near.append((box, number, line["spans"]))
    lines = []
    for group in groups:
        spans = [span for *_, pieces in group for span in pieces if span["chars"]]
        size = max((span["size"] for span in spans), default=0.0)
        box = BBox.union(box for box, *_ in group)
        inside = [(char, at) for char, (x, y), at in traced if box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1]
        chars = [char for span in spans for char in span["chars"]]
        whole = logical_text(chars, size, page_runs_left, inside)
        text = repair(whole)
        if text:
            hidden = all(span.get("alpha", 255) == 0 for span in spans)
            lines.append(TextLine(box, text, size, group[0][1], hidden=hidden, words=_source_of(whole)))
    return lines


def cell_texts(page: Any, boxes: Sequence[BBox]) -> list[list[tuple[float, str]]]:
    """What stands in each of ``boxes`` of a ``pymupdf.Page``: its printed lines, top to bottom, as their middles and
    their texts in the order of reading, repaired."""
    pymupdf = mupdf()
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_ACCURATE_BBOXES | pymupdf.TEXT_MEDIABOX_CLIP
    found: list[list[tuple[BBox, list[dict[str, Any]], float]]] = [[] for _ in boxes]
    runs_left = is_right_to_left(page.get_text("text", flags=pymupdf.TEXT_MEDIABOX_CLIP))
    for block in page.get_text("rawdict", flags=flags)["blocks"]:
        for span in (span for line in block.get("lines", ()) for span in line["spans"]):
            around = BBox(*span["bbox"]).grown(2)
            for number, box in enumerate(boxes):
                if around.x1 < box.x0 or box.x1 < around.x0 or around.y1 < box.y0 or box.y1 < around.y0:
                    continue
                chars = [char for char in span["chars"] if box.has_center_of(BBox(*char["bbox"]))]
                if chars:
                    found[number].append((BBox.union(BBox(*char["bbox"]) for char in chars), chars, span["size"]))
    texts = []
    for pieces in found:
        rows: list[list[tuple[BBox, list[dict[str, Any]], float]]] = []
        for piece in sorted(pieces, key=lambda piece: piece[0].center_y):
            if rows and rows[-1][0][0].in_row_with(piece[0]):
                rows[-1].append(piece)
            else:
                rows.append([piece])
        told = []
        for row in rows:
            row.sort(key=lambda piece: piece[0].x0)
            whole = _spaced([char for _, chars, _ in row for char in chars], max(piece[2] for piece in row), runs_left)
            if text := repair(whole):
                told.append((BBox.union(piece[0] for piece in row).center_y, text))
        texts.append(told)
    return texts


def _spaced(chars: Sequence[dict[str, Any]], size: float, runs_left: bool) -> str:
    """The text of one printed line from its characters, with spaces where it has gaps."""
    plain = "".join(char["c"] for char in chars)
    if has_right_to_left(plain):
        return logical_text(chars, size, runs_left)
    text = ""
    for before, char in zip((None, *chars), chars, strict=False):
        wide = before is not None and char["bbox"][0] - before["bbox"][2] > SPACE * size
        text += " " * (wide and not text.endswith(" ") and char["c"] != " ") + char["c"]
    return text


def _source_of(layer: str) -> WordsOf | None:
    return None if letters_untold(layer) else "text layer"


def touch(a: BBox, b: BBox) -> bool:
    """Whether two pieces stand on one height with less than a height of white between them."""
    return a.in_row_with(b) and -a.shared_width(b) < min(a.height, b.height)


def printed_lines(lines: Iterable[TextLine]) -> list[list[TextLine]]:
    """``lines`` grouped into printed lines, top to bottom, each from left to right, or from right to left where most
    of it runs so."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: line.bbox.center_y):
        row = next(
            (row for row in rows[-3:] if all(_on_one_line(other.bbox, line.bbox) for other in row[-NEIGHBOURS:])), None
        )
        if row is None:
            rows.append([line])
        else:
            row.append(line)
    return [_in_order(row) for row in rows]


def _in_order(row: Sequence[TextLine]) -> list[TextLine]:
    if is_right_to_left("".join(line.text for line in row)):
        return sorted(row, key=lambda line: -line.bbox.x1)
    return sorted(row, key=lambda line: line.bbox.x0)


def join_lines(rows: Sequence[Sequence[TextLine]]) -> str:
    """The text of printed lines, with ``\\n`` between them and a space between the runs of one (none after
    a drop cap)."""
    return "\n".join(joined_row(row)[0] for row in rows)


def joined_row(row: Sequence[TextLine]) -> tuple[str, tuple[Mark, ...]]:
    """The text of one printed line, and its marks."""
    text, marks = row[0].text, list(row[0].marks)
    for before, line in pairwise(row):
        is_drop_cap = len(before.text) == 1 and before.text.isupper() and before.size > 1.6 * line.size
        text += "" if is_drop_cap and line.text[0].islower() else " "
        marks += shifted(line.marks, len(text))
        text += line.text
    return text, tuple(marks)


def runs_leftwards(lines: Iterable[TextLine]) -> bool:
    """Whether most of ``lines`` is in a script that is read from right to left; its columns are, too."""
    return is_right_to_left("".join(line.text for line in lines))


def without_spaces(text: str) -> str:
    """``text`` without white space."""
    return "".join(text.split())


def usual_height(lines: Sequence[TextLine]) -> float:
    """The median height of lines; 0 where there are none."""
    return median(line.bbox.height for line in lines) if lines else 0.0


def _on_one_line(a: BBox, b: BBox) -> bool:
    """Whether two runs stand beside each other in one row."""
    return a.in_row_with(b) and a.shared_width(b) < 0.5 * min(a.width, b.width)


def marks_of(spans: Sequence[Mapping[str, Any]], text: str) -> tuple[Mark, ...]:
    """The marks of a line, whose ``spans`` (dictionaries of MuPDF's) are written as ``text``."""
    found, whole = [], ""
    for span in spans:
        start, whole = len(whole), whole + span["text"]
        if not span["text"].strip():
            continue
        flags, font = span["flags"], span.get("font", "")
        if script := span.get("script"):
            found.append(Mark("raised" if script == RAISED else "lowered", start, len(whole)))
        if span.get("struck"):
            found.append(Mark("struck", start, start + len(span["text"].rstrip())))
        if flags & BOLD or _BOLD.search(font):
            found.append(Mark("bold", start, len(whole)))
        if flags & ITALIC or _ITALIC.search(font):
            found.append(Mark("italic", start, len(whole)))
    return merged(carried(tuple(found), whole, text), text)


def linked(text: str, box: BBox, links: Sequence[Link], words: Sequence[tuple[Any, ...]]) -> Iterator[Mark]:
    """The links of the line ``text`` in ``box``; ``words`` are the page's (``x0, y0, x1, y1, text, ...``)."""
    for place, target in links:
        shared = place.intersection(box)
        if shared is None or shared.height < 0.5 * min(place.height, box.height):
            continue
        own = sorted((word for word in words if shared.has_center_of(BBox(*word[:4]))), key=lambda word: word[0])
        anchor = " ".join(word[4] for word in own).strip(_NO_PART)
        places = [found.start() for found in re.finditer(re.escape(anchor), text)] if anchor else []
        if places:
            expected = len(text) * (own[0][0] - box.x0) / max(box.width, 1e-6)
            start = min(places, key=lambda at: abs(at - expected))
            yield Mark("link", start, start + len(anchor), target)
