"""The layout of a page: PyMuPDF's layout model, whose eleven classes are dots.ocr's, in its own reading
order; and which box of a layout each line of text belongs to. The model looks at text: recognised lines are written
onto the page for it, invisibly.

Each box lists the text lines that the model put into it, which is more exact than its rectangle: rectangles
of neighbouring regions may overlap.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from html import escape
from itertools import pairwise
from typing import Any, Self

import numpy as np

from docspec.core import BBox, Category, CellBoxes
from docspec.core.marks import Mark
from docspec.documents.mupdf import load_layout_model, mupdf
from docspec.documents.painting import forget
from docspec.drafting.lines import TextLine, usual_height

WHITE_SPACE = "white space"
"""The layout of a page that no layout model has seen (``PageDraft.layout``)."""

SENTENCE = 6
"""Least words of a line that is no label of a picture."""

ALIKE = str.maketrans({"−": "–", "‐": "-", "‑": "-", "…": "..."})  # (the code of … would end the line)


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table in points: its box, its HTML, the places of its cells by rows (empty unless all are known), whether drawn
    lines close its cells, and how sure its rows and columns are (0..1)."""

    bbox: BBox
    html: str
    grid: CellBoxes = ()
    ruled: bool = False
    certainty: float = 1.0


@dataclass(frozen=True, slots=True)
class LayoutBox:
    """A region in points; ``members`` are the boxes of the lines, rules and images that it is made of, ``lines`` its
    text once it has been assigned, ``table`` the one that was found in it, ``pairs``: its lines are labels with
    values."""

    bbox: BBox
    category: Category
    members: tuple[BBox, ...] = ()
    lines: tuple[TextLine, ...] = ()
    table: FoundTable | None = None
    pairs: bool = False

    @classmethod
    def around(cls, lines: Sequence[TextLine], category: Category) -> Self:
        """The box of nothing but ``lines``, at least one."""
        members = tuple(line.bbox for line in lines)
        return cls(BBox.union(members), category, members, tuple(lines))

    @property
    def is_only_text(self) -> bool:
        """Whether a supposed picture is nothing but lines of text that fill it."""
        if not self.lines or len(self.members) > len(self.lines):
            return False
        covered = sum(line.bbox.area for line in self.lines)
        return covered > 0.5 * self.bbox.area and usual_height(self.lines) > 0


def without_prose(picture: LayoutBox, lines: Iterable[Sequence[BBox]]) -> list[LayoutBox]:
    """``picture``, of whose words these are the ``lines``, and the paragraphs at its upper and lower edges, from the
    top: the model takes captions of some charts for a part of them."""
    rows = sorted(lines, key=lambda row: row[0].center_y)
    boxes = [BBox.union(row) for row in rows]
    prose = [len(row) >= SENTENCE for row in rows]
    for at, (above, box) in enumerate(pairwise(boxes), start=1):  # the last line of a paragraph may be short
        below = box.y0 - above.y1 < box.height and abs(box.x0 - above.x0) < box.height
        prose[at] = prose[at] or (below and prose[at - 1])
    if all(prose):
        return [picture]
    rest, upper, lower = picture, boxes[: prose.index(False)], boxes[len(boxes) - prose[::-1].index(False) :]
    texts: list[list[LayoutBox]] = [[], []]
    for text, own in zip(texts, (upper, lower), strict=True):
        band = BBox.union(own) if len(own) > 1 else None
        left = tuple(member for member in rest.members if band is None or not band.has_center_of(member))
        if band is not None and left and not any(member.shared_height(band) > 0 for member in left):
            text.append(LayoutBox(band, Category.TEXT, tuple(own)))
            rest = replace(rest, bbox=BBox.union(left), members=left)
    return [*texts[0], rest, *texts[1]]


def analyse(page: Any) -> list[LayoutBox]:
    """The regions of a ``pymupdf.Page`` without rotation, in reading order.

    The raw result stays on ``page.layout_information``, where PyMuPDF's table finder looks for it.
    """
    load_layout_model()
    page.get_layout(return_raw=True)
    return [
        LayoutBox(
            BBox(*group["group_bbox"][:4]),
            Category.from_name(group["class_name"]),
            tuple(BBox(*member[:4]) for member in group["bboxes"]),
        )
        for group in page.layout_information or ()
    ]


class Claims:
    """Finds the box of a line. Most lines are members of a box just as they are, and a dictionary finds these; the
    others are compared with all members at once."""

    def __init__(self, boxes: Sequence[LayoutBox]) -> None:
        self._members = [(member, index) for index, box in enumerate(boxes) for member in box.members]
        self._same: dict[BBox, int] = {}
        for member, index in self._members:
            self._same.setdefault(member, index)
        self._boxes = [box.bbox for box in boxes]

    def owner(self, line: BBox) -> int | None:
        """The box that has the line as a member, or else the smallest one around its middle."""
        if line.area > 0 and line in self._same:
            return self._same[line]
        return self._by_overlap(line)

    def _by_overlap(self, line: BBox) -> int | None:
        members, boxes, owners = self._arrays
        share = _overlaps(members, line)
        within = _overlaps(boxes, line)[0] > 0
        both = np.minimum(share[0], share[1]) + 0.01 * share[0]
        both[~within[owners]] = 0
        if len(both) and both.max() > 0.3:
            return int(owners[both.argmax()])
        x, y = line.center_x, line.center_y
        around = (boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])
        if not around.any():
            return None
        areas = np.where(around, (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]), np.inf)
        return int(areas.argmin())

    @cached_property
    def _arrays(self) -> tuple[Any, Any, Any]:
        """Members and boxes as rows (x0, y0, x1, y1), and each member's box."""
        members = np.array([astuple(member) for member, _ in self._members], dtype=float).reshape(-1, 4)
        boxes = np.array(list(map(astuple, self._boxes)), dtype=float).reshape(-1, 4)
        return members, boxes, np.array([index for _, index in self._members], dtype=int)


def _overlaps(boxes: Any, line: BBox) -> tuple[Any, Any]:
    """Shares (0..1) of the line that each of ``boxes`` (rows x0, y0, x1, y1) covers, and of each box that it covers."""
    width = np.minimum(boxes[:, 2], line.x1) - np.maximum(boxes[:, 0], line.x0)
    height = np.minimum(boxes[:, 3], line.y1) - np.maximum(boxes[:, 1], line.y0)
    common = np.clip(width, 0, None) * np.clip(height, 0, None)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return common / (line.area or np.inf), common / np.where(areas > 0, areas, np.inf)


def write_hidden(page: Any, lines: Sequence[TextLine]) -> None:
    """Writes ``lines`` (points) onto a ``pymupdf.Page``, invisibly, each scaled to fill its box."""
    pymupdf = mupdf()
    helvetica = pymupdf.Font("helv")
    for line in lines:
        if any(unicodedata.east_asian_width(character) in "WF" for character in line.text):
            name = "korea" if any("\uac00" <= character <= "\ud7a3" for character in line.text) else "china-s"
            text, width = line.text, float(len(line.text))  # an em a character, Latin ones too
        else:
            name, text = "helv", _in_latin(line.text)
            width = helvetica.text_length(text, fontsize=1)
            text = text.encode("cp1252").decode("latin-1")  # the codes that the base fonts have their glyphs at
        size = max(1.0, 0.85 * line.bbox.height)
        start = pymupdf.Point(line.bbox.x0, line.bbox.y1 - 0.22 * line.bbox.height)
        stretch = line.bbox.width / (width * size) if width > 0 else 1.0
        page.insert_text(
            start, text, fontname=name, fontsize=size, render_mode=3, morph=(start, pymupdf.Matrix(stretch, 1))
        )
    forget(page)


def _in_latin(text: str) -> str:
    """``text`` in characters of Windows-1252, an `x` for each that is not one of them."""
    return "".join(c if c.encode("cp1252", "ignore") else "x" for c in text.translate(ALIKE))


def table_html(rows: Iterable[Iterable[str]]) -> str:
    """Texts of cells by rows as HTML. Empty without rows."""
    lines = ["".join(f"<td>{escape(text, quote=False)}</td>" for text in row) for row in rows]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>" if lines else ""


def struck_text(text: str, marks: Sequence[Mark]) -> str:
    """``text`` with ``~~`` around what is struck through."""
    for mark in sorted(marks, key=lambda mark: -mark.start):
        if mark.kind == "struck":
            text = f"{text[: mark.start]}~~{text[mark.start : mark.end]}~~{text[mark.end :]}"
    return text
