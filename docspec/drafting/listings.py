"""Finds listings: program text, told from prose by its type, in which all letters are of one width."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, groupby, pairwise
from statistics import median
from typing import Any

from docspec.core import BBox, Category
from docspec.documents.mupdf import mupdf
from docspec.drafting.lines import PrintedRow, TextLine, printed_lines, without_spaces

TYPEWRITTEN = 0.95
"""A page with more than this share of such type is typewritten: its prose looks like program text."""

PROGRAM = 0.6
"""Least share of the lines of a typewritten page with signs of program text, of a page of nothing else."""

MOST_EVEN = 1500
"""Most lines of even width of a page that are looked through for programs: each is compared with all groups."""

PROGRAM_ROWS = 3
"""Least lines of a program that is told from other type of even width by its signs."""

BESIDE, MARGIN = 1.0, 6.0
"""Most white between two pieces of one row of a program, and between it and the numbers of its lines, in sizes of its
type."""

LISTED = 0.9
"""At least this share of a listing, and half of each of its lines, is set in such type."""

LINES = 2
"""Least lines of a listing within a paragraph, unless they are numbered: fewer may be a name or an address in it."""

APART = 2.5
"""Two listings at most so many heights of a line apart are one."""

LEADED = 1.2
"""Usual height of a line over the size of its type."""

EVEN, MOST, OTHERWISE, SPANS = 0.005, 0.95, 0.15, 3
"""Most difference of the widths of a letter in most spans of a font with letters of one width, as a share, and how many
are most; least difference that they would have in Helvetica; and least number of spans with different texts."""

_CODE = re.compile(r"[{}\[\]<>=\\$#_|&*^~]|[;:]$|\w\(|//")
_NUMBER = re.compile(r"\d+(?=\s|$)")
_ADDRESS = re.compile(r"\S*@[\w-]+(\.[\w-]+)+|(https?:|www\.)\S+")


def mark_even(blocks: Iterable[Mapping[str, Any]]) -> None:
    """Sets the flag of a font whose letters are all of one width where it is missing, as in files of some typesetters:
    in spans of MuPDF's dictionaries (``blocks``) whose letters have one width, and would not in another font."""
    spans: dict[str, list[dict[str, Any]]] = {}
    texts: dict[str, dict[str, float]] = {}
    monospaced = mupdf().TEXT_FONT_MONOSPACED
    for block in blocks:
        for span in (span for line in block.get("lines", ()) if line["dir"] == (1.0, 0.0) for span in line["spans"]):
            if span["flags"] & monospaced:
                continue
            spans.setdefault(span["font"], []).append(span)
            text = span["text"] if "text" in span else "".join(char["c"] for char in span["chars"])
            if text.strip():
                width = (span["bbox"][2] - span["bbox"][0]) / span["size"] / len(text)
                texts.setdefault(span["font"], {})[text] = width
    even = {font for font, widths in texts.items() if _are_even(widths)}
    known = [median(texts[font].values()) for font in even]  # bold and slanted type of a family has the same
    even |= {
        font for font, own in texts.items() if any(all(abs(x - w) <= EVEN * w for x in own.values()) for w in known)
    }
    for span in chain.from_iterable(spans[font] for font in even):
        span["flags"] |= monospaced


def _are_even(widths: Mapping[str, float]) -> bool:
    """Whether texts of which these are the ``widths`` of a letter are set in a font whose letters are all of one."""
    widths = {text: width for text, width in widths.items() if any(map(str.isalpha, text))}
    words = {text: width for text, width in widths.items() if " " not in text}  # white may be stretched
    own = words if len(words) >= SPANS else widths
    if len(own) < SPANS:
        return False
    usual = median(own.values())
    if sum(abs(width - usual) <= EVEN * usual for width in own.values()) < MOST * len(own):
        return False
    helvetica = mupdf().Font("helv")
    other = [helvetica.text_length(text, fontsize=1) / len(text) for text in own]
    return max(other) - min(other) > OTHERWISE * max(other)


def is_typewritten(lines: Iterable[TextLine]) -> bool:
    """Whether a page with ``lines`` is typewritten, and no program alone."""
    text = [line for line in lines if not _is_number(line)]
    return _share(text) > TYPEWRITTEN and _coded([line] for line in text) < PROGRAM * len(text)


def _coded(rows: Iterable[Iterable[TextLine]]) -> int:
    """How many of ``rows`` have signs of program text."""
    return sum(any(_CODE.search(line.text.strip()) for line in row) for row in rows)


def is_listing(rows: Sequence[PrintedRow], category: Category = Category.TEXT) -> bool:
    """Whether the printed lines ``rows`` of a region, on a page that is not typewritten, are a listing. Addresses are
    none; layout models call numbered lines list items."""
    if category is not Category.TEXT and not (category is Category.LIST_ITEM and all(map(_is_numbered, rows))):
        return False
    even = all(_share(row) >= 0.5 or all(map(_is_number, row)) for row in rows)
    listed = even and _share(line for row in rows for line in row) >= LISTED
    return listed and not all(_ADDRESS.search(line.text) for row in rows for line in row)


def program_texts(lines: Sequence[TextLine]) -> tuple[list[list[TextLine]], list[TextLine]]:
    """The program texts among the ``lines`` of a page, each with the numbers of its lines, and all other lines. It is
    type of even width, at least :data:`PROGRAM_ROWS` rows of it below each other, which are numbered, or most of them
    have signs of a program. A layout model takes them for items, columns and tables."""
    even = [line for line in lines if line.even and _share([line]) >= LISTED]
    even = [line for line in even if not (line.hidden or line.turns or line.slanted)]
    if not PROGRAM_ROWS <= len(even) <= MOST_EVEN or is_typewritten(lines):
        return [], list(lines)
    programs = []
    for own in _near(even):
        rows, numbers = printed_lines(own), _numbers_of(own, lines)
        if len(rows) >= PROGRAM_ROWS and (numbers or _coded(rows) >= PROGRAM * len(rows)):
            programs.append(own + numbers)
    taken = {id(line) for program in programs for line in program}
    return programs, [line for line in lines if id(line) not in taken]


def _near(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """``lines`` in groups that hang together: below each other, or beside each other in what others of a group take."""
    groups: list[tuple[BBox, list[TextLine]]] = []
    for line in sorted(lines, key=lambda line: line.bbox.y0):
        joined = [(line.bbox, [line])]
        rest: list[tuple[BBox, list[TextLine]]] = []
        for box, own in groups:
            reach = (APART + 1) * LEADED * line.size - line.bbox.height  # letters without tails are low
            beside = line.bbox.shared_width(box) > -BESIDE * line.size
            (joined if beside and line.bbox.shared_height(box) > -reach else rest).append((box, own))
        groups = [*rest, (BBox.union(box for box, _ in joined), [one for _, own in joined for one in own])]
    return [own for _, own in groups]


def _numbers_of(program: Sequence[TextLine], lines: Sequence[TextLine]) -> list[TextLine]:
    """The numbers that count the lines of ``program``, in a column on its left."""
    box, size = BBox.union(line.bbox for line in program), max(line.size for line in program)
    reach = BBox(box.x0 - MARGIN * size, box.y0 - size, box.x0, box.y1 + size)
    found = [line for line in lines if _is_number(line) and line.bbox.x1 <= box.x0 and reach.has_center_of(line.bbox)]
    found.sort(key=lambda line: line.bbox.y0)
    counts = [int(line.text) for line in found]
    even_steps = all(b - a == 1 for a, b in pairwise(counts))
    return found if len(found) >= PROGRAM_ROWS and even_steps else []


def listings_apart(rows: Sequence[PrintedRow]) -> list[Sequence[PrintedRow]]:
    """The printed lines ``rows`` of a region as alternate runs of listings and of other text."""
    if is_listing(rows):
        return [rows]
    runs: list[tuple[bool, list[PrintedRow]]] = []
    for even, group in groupby(rows, lambda row: _share(row) >= LISTED):
        run = list(group)
        spaced = any(len(row) > 1 or " " in row[0].text for row in run)
        listed = even and spaced and (len(run) >= LINES or all(map(_is_numbered, run)))
        if runs and not (listed or runs[-1][0]):
            runs[-1][1].extend(run)
        else:
            runs.append((listed, run))
    return [run for _, run in runs]


def spaces_in(rows: Sequence[PrintedRow]) -> Callable[[TextLine, TextLine], int]:
    """What gives the spaces between two runs of one line in the listing ``rows``, by the width of its letters: behind
    the numbers of lines the line that is indented least stands one space apart."""
    longest = max((line for row in rows for line in row if line.even), key=lambda line: len(line.text), default=None)
    letter = 0.0 if longest is None else longest.bbox.width / len(longest.text)
    edge = min((row[1].bbox.x0 for row in rows if len(row) > 1 and _is_number(row[0])), default=0.0)

    def spaces(before: TextLine, line: TextLine) -> int:
        if not letter:
            return 1
        if _is_number(before):
            return 1 + max(0, round((line.bbox.x0 - edge) / letter))
        return max(1, round((line.bbox.x0 - before.bbox.x1) / letter))

    return spaces


def _is_number(line: TextLine) -> bool:
    return _NUMBER.fullmatch(line.text.strip()) is not None


def _is_numbered(row: PrintedRow) -> bool:
    return _NUMBER.match(row[0].text) is not None


def _share(lines: Iterable[TextLine]) -> float:
    """The share of characters that are set in type of one width; numbers of lines may be set in any."""
    even = size = 0
    for line in lines:
        number = _NUMBER.match(line.text)
        even += line.even
        size += max(line.even, len(without_spaces(line.text)) - (number.end() if number else 0))
    return even / max(1, size)
