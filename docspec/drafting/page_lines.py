"""Reads the lines of a text layer, with their marks, from a PDF page."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from docspec.core import BBox
from docspec.core.geometry import in_rows
from docspec.core.marks import Mark, carried, merged
from docspec.core.result import WordsOf
from docspec.documents.mupdf import mupdf
from docspec.documents.painting import layer_of, text_of, trace_of
from docspec.drafting.bullets import spell_bullets
from docspec.drafting.char_spans import (
    SOFT,
    has_doubles,
    has_pieces,
    put_in_gaps,
    put_in_underscores,
    spans_of,
    tell_hyphens,
    without_doubles,
)
from docspec.drafting.lines import TextLine, is_slanted, touch, without_spaces
from docspec.drafting.listings import mark_even
from docspec.drafting.printed_signs import BOXES, UNTOLD, signs_of, with_signs
from docspec.drafting.raised import has_two_shapes, mark_raised, spell_raised, with_raised
from docspec.drafting.repair import decoded, letters_untold, names_signs, repair
from docspec.drafting.right_to_left import SPACE, has_right_to_left, is_right_to_left, logical_text
from docspec.drafting.struck import mark_struck, strokes_of
from docspec.mathematics.page import PageFormulas

if TYPE_CHECKING:
    from docspec.drafting.recogniser import Recogniser

MAX_STYLED = 20_000
"""Most characters of a page on which MuPDF looks for faked bold type: its time grows with their square, 100,000 take
14 seconds."""

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
_CIRCLED = re.compile("[\u2460-\u249b\u2776-\u2793]")
_NO_PART = " .,;:"
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


def page_lines(
    page: Any,
    links: Sequence[Link] = (),
    formulas: PageFormulas | None = None,
    recogniser: Callable[[], Recogniser] | None = None,
) -> list[TextLine]:
    """The lines of a ``pymupdf.Page`` in the order of its text layer, in points, repaired; empty lines left
    out. ``links`` are the page's; ``formulas`` puts its formulas in as LaTeX; ``recogniser`` reads words of glyphs
    without Unicode.
    """
    pymupdf = mupdf()
    # Ligatures are taken apart here: where two stand side by side, MuPDF loses letters while it collects styles.
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_ACCURATE_BBOXES | pymupdf.TEXT_MEDIABOX_CLIP
    flags |= pymupdf.TEXT_PRESERVE_LIGATURES
    plain = text_of(page)
    if len(plain) <= MAX_STYLED:
        flags |= pymupdf.TEXT_COLLECT_STYLES  # text that is printed twice to look bold is read once
    if has_right_to_left(plain):
        return _lines_by_place(page, flags, is_right_to_left(plain))
    words = layer_of(page, "words") if links else ()
    lines = []
    strokes = strokes_of(page)
    mathematical = formulas is not None and formulas.are_on(page)
    two_shapes = has_two_shapes(page)
    by_char = bool(strokes) or SOFT in plain or mathematical or two_shapes
    extracted = page.get_textpage(flags=flags)
    blocks = page.get_text("rawdict" if by_char else "dict", flags=flags, textpage=extracted)["blocks"]
    if has_pieces(blocks) and not by_char:
        blocks, by_char = page.get_text("rawdict", flags=flags, textpage=extracted)["blocks"], True
    if has_doubles(blocks):  # MuPDF leaves pieces of prints that differ
        blocks, by_char = page.get_text("rawdict", flags=flags & ~pymupdf.TEXT_COLLECT_STYLES)["blocks"], True
        without_doubles(blocks)
    if by_char:
        tell_hyphens(blocks)
        mark_struck(blocks, strokes)
        put_in_underscores(blocks, strokes)
        if two_shapes:
            mark_raised(blocks)
        if formulas is not None and mathematical:
            formulas.put_in(page, blocks)
        put_in_gaps(blocks)
        blocks = spans_of(blocks)
    spell_bullets(blocks)
    mark_even(blocks)
    with_raised(blocks)
    signs = signs_of(page, recogniser) if BOXES.search(plain) or UNTOLD.search(plain) else ()
    for number, block in enumerate(blocks):
        for line in block.get("lines", ()):
            spans = line["spans"]
            for span in spans:
                if signs:
                    place, named = BBox(*span["bbox"]), names_signs(span["font"])
                    span["text"] = with_signs(span["text"], place, signs, named)
                span["text"] = decoded(span["text"], span["font"]).translate(_LIGATURES)
            _part_signs(spans)
            whole = "".join(span["text"] for span in spans)
            text = repair(whole)
            if text:
                told = [span for span in spans if any(map(str.isalnum, span["text"]))]
                size = max(span["size"] for span in told or spans if span["text"])
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
                slanted = is_slanted(line["dir"])
                look = _look_of(spans, box, strokes)
                lines.append(
                    TextLine(box, text, size, number, 1.0, hidden, turns, even, words_of, marks, (), slanted, look)
                )
    return lines


def _look_of(spans: Sequence[dict[str, Any]], box: BBox, strokes: Sequence[BBox]) -> str:
    """The font and the colour of the longest of the ``spans`` of a line, and whether one of ``strokes`` underlines it
    from end to end."""
    longest = max(spans, key=lambda span: len(span["text"]))
    size = longest["size"]
    base = longest["origin"][1] if "origin" in longest else box.y1 - 0.2 * size
    underlined = any(
        base - 0.05 * size < one.center_y < base + 0.4 * size
        and one.shared_width(box) > 0.9 * box.width
        and one.width < box.width + 2 * size
        for one in strokes
    )
    return f"{longest['font']} {longest['color']:06x}{' underlined' * underlined}"


def _part_signs(spans: Sequence[dict[str, Any]]) -> None:
    """Puts a space behind a sign (a tick, a box, a pointing hand) that stands apart from the word on its right: MuPDF
    does so only behind letters."""
    for before, after in pairwise(spans):
        sign, first = before["text"][-1:], after["text"][:1]
        is_sign = _CIRCLED.match(sign) or (sign and unicodedata.category(sign) == "So")
        if is_sign and first.isalnum() and after["bbox"][0] - before["bbox"][2] > SPACE * after["size"]:
            before["text"] += " "


def _lines_by_place(page: Any, flags: int, page_runs_left: bool) -> list[TextLine]:
    """Lines of a page with right-to-left text: MuPDF parts them where the direction changes, so pieces that touch at
    one height are joined."""
    traced = [(chr(code), origin, box) for span in trace_of(page) for code, _, origin, box in span["chars"]]
    x, y = np.array([origin for _, origin, _ in traced]).reshape(-1, 2).T
    groups: list[list[tuple[BBox, int, list[dict[str, Any]]]]] = []
    for number, block in enumerate(page.get_text("rawdict", flags=flags)["blocks"]):
        for box, spans in (piece for line in block.get("lines", ()) for piece in _pieces(line)):
            near = next((group for group in groups[-8:] if any(touch(other, box) for other, *_ in group)), None)
            if near is None:
                groups.append(near := [])
            near.append((box, number, spans))
    lines = []
    for group in groups:
        spans = [span for *_, pieces in group for span in pieces if span["chars"]]
        size = max((span["size"] for span in spans), default=0.0)
        box = BBox.union(box for box, *_ in group)
        within = np.nonzero((box.x0 <= x) & (x <= box.x1) & (box.y0 <= y) & (y <= box.y1))[0]
        inside = [(traced[at][0], traced[at][2]) for at in within.tolist()]
        chars = [char for span in spans for char in span["chars"]]
        whole = logical_text(chars, size, page_runs_left, inside)
        text = repair(whole)
        if text:
            hidden = all(span.get("alpha", 255) == 0 for span in spans)
            lines.append(TextLine(box, text, size, group[0][1], hidden=hidden, words=_source_of(whole)))
    return lines


def _pieces(line: dict[str, Any]) -> Iterator[tuple[BBox, list[dict[str, Any]]]]:
    """A line of MuPDF's raw text as its pieces, their boxes and spans, without white between them that is wider than
    the line is high: where text of both directions alternates, MuPDF takes cells of a row for one line."""
    box, starts, end = BBox(*line["bbox"]), [-math.inf], math.inf
    chars = [char for span in line["spans"] for char in span["chars"] if not char.get("synthetic")]
    for x0, _, x1, _ in sorted(char["bbox"] for char in chars):
        if x0 - end > box.height:
            starts.append(x0)
        end = x1 if end == math.inf else max(end, x1)
    if len(starts) == 1:
        yield box, line["spans"]
        return
    for start, stop in pairwise([*starts, math.inf]):
        spans = [
            span | {"chars": [char for char in span["chars"] if start <= char["bbox"][0] < stop]}
            for span in line["spans"]
        ]
        yield BBox.union(BBox(*char["bbox"]) for span in spans for char in span["chars"]), spans


def cell_texts(page: Any, boxes: Sequence[BBox]) -> list[list[tuple[float, str]]]:
    """What stands in each of ``boxes`` of a ``pymupdf.Page``: its printed lines, top to bottom, as their middles and
    their texts in the order of reading, repaired."""
    pymupdf = mupdf()
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_ACCURATE_BBOXES | pymupdf.TEXT_MEDIABOX_CLIP
    pieces_of: list[list[tuple[BBox, list[dict[str, Any]], float]]] = [[] for _ in boxes]
    runs_left = is_right_to_left(text_of(page))
    blocks = page.get_text("rawdict", flags=flags)["blocks"]
    without_doubles(blocks)
    for block in blocks:
        for span in (span for line in block.get("lines", ()) for span in line["spans"] if span["chars"]):
            around = BBox(*span["bbox"]).grown(2)
            for number, box in enumerate(boxes):
                if around.x1 < box.x0 or box.x1 < around.x0 or around.y1 < box.y0 or box.y1 < around.y0:
                    continue
                chars = [char for char in span["chars"] if box.has_center_of(BBox(*char["bbox"]))]
                if chars:
                    pieces_of[number].append((BBox.union(BBox(*char["bbox"]) for char in chars), chars, span["size"]))
    texts = []
    for pieces in pieces_of:
        printed = []
        for row in in_rows(pieces, itemgetter(0)):
            spans = [
                {"size": size, "origin": chars[0]["origin"], "text": "".join(char["c"] for char in chars)}
                for _, chars, size in row
            ]
            spell_raised(spans)
            chars = [char for _, chars, _ in row for char in chars]
            signs = "".join(span["text"] for span in spans)  # one for one
            own = [char | {"c": sign} for char, sign in zip(chars, signs, strict=True)]
            whole = _spaced(own, max(piece[2] for piece in row), runs_left)
            if text := repair(whole):
                printed.append((BBox.union(piece[0] for piece in row).center_y, text))
        texts.append(printed)
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


def marks_of(spans: Sequence[Mapping[str, Any]], text: str) -> tuple[Mark, ...]:
    """The marks of a line, whose ``spans`` (dictionaries of MuPDF's) are written as ``text``."""
    marks, whole = [], ""
    for span in spans:
        start, whole = len(whole), whole + span["text"]
        if not span["text"].strip():
            continue
        if kind := span.get("formula"):
            marks.append(Mark("formula", start, len(whole), kind))
            continue
        flags, font = span["flags"], span.get("font", "")
        if script := span.get("script"):
            marks.append(Mark("raised" if script == RAISED else "lowered", start, len(whole)))
        if span.get("struck"):
            marks.append(Mark("struck", start, start + len(span["text"].rstrip())))
        if flags & BOLD or _BOLD.search(font):
            marks.append(Mark("bold", start, len(whole)))
        if flags & ITALIC or _ITALIC.search(font):
            marks.append(Mark("italic", start, len(whole)))
    return merged(carried(tuple(marks), whole, text), text)


def linked(text: str, box: BBox, links: Sequence[Link], words: Sequence[tuple[Any, ...]]) -> Iterator[Mark]:
    """The links of the line ``text`` in ``box``; ``words`` are the page's (``x0, y0, x1, y1, text, ...``)."""
    for place, target in links:
        shared = place.intersection(box)
        if shared is None or shared.height < 0.5 * min(place.height, box.height):
            continue
        own = sorted((word for word in words if shared.has_center_of(BBox(*word[:4]))), key=lambda word: word[0])
        anchor = " ".join(word[4] for word in own).strip(_NO_PART)
        places = [match.start() for match in re.finditer(re.escape(anchor), text)] if anchor else []
        if places:
            expected = len(text) * (own[0][0] - box.x0) / max(box.width, 1e-6)
            start = min(places, key=lambda at: abs(at - expected))
            yield Mark("link", start, start + len(anchor), target)
