"""Forms: ticks as signs, and the values of fields beside their labels.

A ticked box is a glyph of a symbol font, a drawing, or a field; all are written as text, ``[x]`` or ``[ ]``, onto a
copy of the page that is analysed in place of the page. Fields with their labels on the left, below each other, are a
table of labels and values: a layout model takes a page with such fields for one table as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from docspec.core import BBox
from docspec.core.geometry import runs_of
from docspec.documents.mupdf import mupdf
from docspec.drafting.bullets import SIGN, drawn_bullets
from docspec.drafting.layout import FoundTable, table_html
from docspec.drafting.lines import TextLine, join_lines, printed_lines
from docspec.drafting.printed import Printed, Word
from docspec.drafting.printed_signs import tick_of

IMAGE, OBLONG = 24.0, 0.3
"""Most points of an image of a tick, and most difference of its sides, as a share of the longer one."""

SMALLEST, LARGEST = 5.0, 18.0
"""Points: sides of a box that is drawn to be ticked."""

DARK = 0.7
"""Least of the three parts of a colour below which a shape is ink."""

FILLS = (0.08, 0.75)
"""Share of a box that a shape has which fills it to tick it: a mark, and not the ground of the box."""

BESIDE = 2.5
"""Most sides of a box between it and its label."""

MOST_DRAWINGS = 3000
"""Drawings of a page beyond which none is looked at: a map or a chart."""

MOST_STROKES = 400
"""Level strokes that are looked at for boxes made of four."""

MOST_FIELDS = 2000

ON, OFF = "[x]", "[ ]"

_CROSSES = frozenset("xX×✓✔✗✘√✕✖●■◆★")
"""What is typed into a box to tick it, the six signs of fields of Acrobat among them."""


class Field(NamedTuple):
    """A field of a form in points; ``ticked`` says whether it is, of a box to be ticked."""

    bbox: BBox
    ticked: bool | None = None


class Row(NamedTuple):
    """The labels and values in one row of a form, and all their lines."""

    texts: tuple[str, ...]
    lines: tuple[TextLine, ...]

    @property
    def bbox(self) -> BBox:
        return BBox.union(line.bbox for line in self.lines)


def fields_of(page: Any) -> list[Field]:
    """The fields shown on a ``pymupdf.Page``, buttons to be pushed left out."""
    pymupdf = mupdf()
    fields: list[Field] = []
    try:
        for widget in page.widgets():
            kind = widget.field_type
            flags = page.parent.xref_get_key(widget.xref, "F")[1]
            if len(fields) >= MOST_FIELDS or (flags.isdigit() and int(flags) & 0x22):  # hidden, not shown
                continue
            box = BBox(*widget.rect)
            if not box.width * box.height:  # as invisible signatures have
                continue
            if kind in (pymupdf.PDF_WIDGET_TYPE_CHECKBOX, pymupdf.PDF_WIDGET_TYPE_RADIOBUTTON):
                state = page.parent.xref_get_key(widget.xref, "AS")[1]
                fields.append(Field(box, state not in ("/Off", "null", "")))
            elif kind != pymupdf.PDF_WIDGET_TYPE_BUTTON:
                fields.append(Field(box))
    except Exception:  # damaged fields: the page is worth more
        return fields
    return fields


def drawn_ticks(drawings: Sequence[Any], words: Sequence[Word]) -> list[Field]:
    """Of a page's ``drawings`` the boxes beside ``words`` that hold none, or a typed cross, and whether they are
    crossed, checked or filled. Rings likewise if one of them is: without a tick they are marks of a list or a chart."""
    boxes: list[BBox] = []
    rings: list[BBox] = []
    strokes: list[BBox] = []
    arcs: list[BBox] = []
    fills: list[BBox] = []
    for drawing in drawings:
        box = BBox(*drawing["rect"])
        kinds = {item[0] for item in drawing["items"]}
        is_ring = kinds == {"c"} and _is_hollow_square(box, drawing)
        if is_ring or _is_box(box, drawing):
            shapes = rings if is_ring else boxes
            if not any(box.grown(-1).overlap(other) > 0.5 for other in shapes):
                shapes.append(box)
        elif drawing.get("fill") is not None and min(drawing["fill"]) < DARK:
            fills.append(box)
        if kinds <= {"l", "c"} and (is_ring or box not in boxes):
            (arcs if is_ring else strokes).extend(
                BBox(min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y))
                for a, b in ((item[1], item[-1]) for item in drawing["items"])
            )
    boxes += [box for box in _boxes_of(strokes) if not any(box.grown(1).has_center_of(other) for other in boxes)]
    ticks = _ticks(boxes, [*strokes, *arcs], fills, words)
    buttons = [tick for tick in _ticks(rings, strokes, fills, words) if not any(_same(tick, other) for other in ticks)]
    return ticks + (buttons if len({tick.ticked for tick in buttons}) == 2 else [])


def ticks_of_images(page: Any, images: Sequence[BBox], words: Sequence[Word]) -> list[Field]:
    """Those of the ``images`` of a page that are boxes beside ``words``, or check marks, of the size of letters."""
    found: list[Field] = []
    for box in images if len(images) <= MOST_FIELDS else ():
        small, large = sorted((box.width, box.height))
        tick = tick_of(page, box) if small >= SMALLEST and large <= min(IMAGE, small / (1 - OBLONG)) else None
        if tick is not None and (not tick[1] or any(_is_beside(box, word.bbox) for word in words)):
            found.append(Field(box, tick[0]))
    return found


def _ticks(boxes: Sequence[BBox], strokes: Sequence[BBox], fills: Sequence[BBox], words: Sequence[Word]) -> list[Field]:
    """``boxes`` apart from each other beside ``words``, and whether ``strokes``, ``fills`` or a cross tick them."""
    ticks = []
    for box in boxes:
        touching = any(other is not box and other.grown(0.5).intersection(box) for other in boxes)
        labelled = any(_is_beside(box, word.bbox) for word in words)
        typed = [word.text for word in words if box.has_center_of(word.bbox)]
        if touching or not labelled or not _CROSSES.issuperset(typed):
            continue
        near = box.grown(0.2 * box.width)
        inside = [one for one in strokes if near.has_center_of(one) and one.width <= 1.6 * box.width]
        slanted = [one for one in inside if min(one.width, one.height) > 0.15 * box.width]
        filled = any(box.grown(-1).has_center_of(one) and FILLS[0] < one.area / box.area < FILLS[1] for one in fills)
        ticks.append(Field(box, bool(slanted or typed or filled)))
    return ticks


def _same(one: Field, other: Field) -> bool:
    return one.bbox.overlap(other.bbox) > 0.5 or other.bbox.overlap(one.bbox) > 0.5


def _boxes_of(strokes: Sequence[BBox]) -> Iterator[BBox]:
    """Squares of four single strokes."""
    level = [one for one in strokes if one.height < 0.5 and SMALLEST <= one.width <= LARGEST]
    upright = [one for one in strokes if one.width < 0.5 and SMALLEST <= one.height <= LARGEST]
    for top, bottom in combinations(sorted(level, key=lambda one: one.y0)[:MOST_STROKES], 2):
        box = BBox(top.x0, top.y0, top.x1, bottom.y1)
        square = abs(box.width - box.height) <= 0.15 * box.width
        if (
            square
            and abs(top.x0 - bottom.x0) + abs(top.x1 - bottom.x1) < 1
            and all(
                any(abs(one.x0 - x) + abs(one.y0 - box.y0) + abs(one.y1 - box.y1) < 1.5 for one in upright)
                for x in (box.x0, box.x1)
            )
        ):
            yield box


def _is_box(box: BBox, drawing: Any) -> bool:
    sides = sum(4 if item[0] in ("re", "qu") else 1 for item in drawing["items"] if item[0] in ("re", "qu", "l"))
    return sides == 4 and _is_hollow_square(box, drawing)


def _is_hollow_square(box: BBox, drawing: Any) -> bool:
    square = abs(box.width - box.height) <= 0.15 * max(box.width, box.height)
    hollow = drawing.get("fill") is None or min(drawing["fill"]) > 0.9
    return square and hollow and SMALLEST <= box.width <= LARGEST


def _is_beside(box: BBox, word: BBox) -> bool:
    gap = -box.shared_width(word)
    return box.in_row_with(word) and 0 <= gap <= BESIDE * box.width


def with_drawn_signs(printed: Printed) -> tuple[Printed, list[Field]]:
    """A copy of a page on which ticks and drawn bullets are written as text, and all its fields; the page itself
    without any."""
    page, words, drawings = printed.page, printed.words, printed.drawings
    fields = fields_of(page)
    drawings = drawings if len(drawings) <= MOST_DRAWINGS else []
    shown = [*drawn_ticks(drawings, words), *ticks_of_images(page, printed.images, words)]
    drawn = [tick for tick in shown if not any(_same(tick, field) for field in fields)]
    ticks = [field for field in (*fields, *drawn) if field.ticked is not None]
    dots = drawn_bullets(drawings, [word.bbox for word in words], printed.images)
    bullets = [(dot, word) for dot, word in dots if not any(tick.bbox.has_center_of(dot) for tick in ticks)]
    if not ticks and not bullets:
        return printed, fields
    copy = copy_of(page, widgets=bool(fields))
    for widget in list(copy.widgets()):
        if any(tick.bbox.overlap(BBox(*widget.rect)) > 0.9 for tick in ticks):
            copy.delete_widget(widget)
    typed = [one.bbox for one in words if one.text in _CROSSES and any(t.bbox.has_center_of(one.bbox) for t in ticks)]
    take_text_out(copy, typed)
    for tick in ticks:
        size = max(4.0, 0.9 * min(tick.bbox.width, tick.bbox.height))
        sign = ON if tick.ticked else OFF
        start = mupdf().Point(tick.bbox.x0, tick.bbox.center_y + 0.3 * size)
        labels = (word.bbox.x0 for word in words if word.bbox.x0 > tick.bbox.x0 and _is_beside(tick.bbox, word.bbox))
        white = min(labels, default=0.0) - start.x - mupdf().get_text_length(sign, "helv", size)
        sign += " " * int(white / mupdf().get_text_length(" ", "helv", size))  # one line with its label
        copy.insert_text(start, sign, fontname="helv", fontsize=size)
    for dot, word in bullets:
        size = 0.8 * word.height
        start = mupdf().Point(dot.center_x - 0.175 * size, word.y1 - 0.25 * word.height)
        copy.insert_text(start, SIGN, fontname="helv", fontsize=size)
    others = [field for field in fields if field.ticked is None]
    return Printed(copy, printed.modelled), [*others, *ticks]


def without_lines(page: Any, lines: Sequence[TextLine]) -> Any:
    """A copy of ``page`` without the text of ``lines``."""
    copy = copy_of(page, widgets=True)
    take_text_out(copy, [line.bbox.grown(-0.2 * line.bbox.height) for line in lines])
    return copy


def take_text_out(page: Any, boxes: Sequence[BBox]) -> None:
    """Takes the text in ``boxes`` off ``page``, and nothing else."""
    for box in boxes:
        page.add_redact_annot(mupdf().Rect(box.x0, box.y0, box.x1, box.y1), fill=False)
    if boxes:
        page.apply_redactions(images=0, graphics=0, text=0)


def without_fields(page: Any) -> Any:
    """A copy of ``page`` without the values of its fields."""
    return copy_of(page, widgets=False)


def copy_of(page: Any, widgets: bool) -> Any:
    """``page`` in a document of its own, with or without its fields."""
    pdf = mupdf().open()
    pdf.insert_pdf(page.parent, from_page=page.number, to_page=page.number, annots=True, widgets=widgets)
    return pdf[0]


def form_tables(fields: Sequence[Field], lines: Sequence[TextLine]) -> list[tuple[FoundTable, list[BBox]]]:
    """Tables of labels and values, each with the places of its lines: of ``fields`` that stand in rows below each other
    with their labels, out of ``lines``, on the left. A line that runs up or down beside several rows is in none."""
    lines = [line for line in lines if not line.turns % 2]
    rows = [row for row in _rows(fields, lines) if row is not None]
    tables = []
    for own in runs_of(rows, lambda above, row: _goes_on(above, row, lines)):
        if len(own) > 1:
            bbox = BBox.union(row.bbox for row in own)
            table = FoundTable(bbox, table_html(row.texts for row in own))
            tables.append((table, [line.bbox for row in own for line in row.lines]))
    return tables


def _rows(fields: Sequence[Field], lines: Sequence[TextLine]) -> Iterator[Row | None]:
    """The rows of a form, top to bottom; ``None`` for rows that are none of labels and values in turn."""
    ordered = sorted(fields, key=lambda field: field.bbox.center_y)
    inside = {line for line in lines if any(field.bbox.grown(2).has_center_of(line.bbox) for field in fields)}
    while ordered:
        first = ordered[0]
        own = [field for field in ordered if field is first or field.bbox.in_row_with(first.bbox)]
        ordered = [field for field in ordered if field not in own]
        row = [
            line
            for line in lines
            if any(line.bbox.in_row_with(field.bbox) for field in own)
            or (line in inside and any(field.bbox.grown(2).has_center_of(line.bbox) for field in own))
        ]
        texts, used, left = [], list[TextLine](), float("-inf")
        for field in sorted(own, key=lambda field: field.bbox.x0):
            values = [line for line in row if field.bbox.grown(2).has_center_of(line.bbox)]
            labels = [line for line in row if line not in inside and left < line.bbox.x0 < field.bbox.x0]
            texts += [join_lines(printed_lines(part)).replace("\n", " ") if part else "" for part in (labels, values)]
            used += [*labels, *values]
            left = field.bbox.x1
        yield Row(tuple(texts), tuple(used)) if all(texts[::2]) and len(used) == len(row) else None


def _goes_on(above: Row, row: Row, lines: Sequence[TextLine]) -> bool:
    """Whether ``row`` is of one table with the one ``above``: as many fields, in one column, and no text between."""
    box, other = above.bbox, row.bbox
    between = any(
        box.y1 < line.bbox.center_y < other.y0 and line not in above.lines and line not in row.lines for line in lines
    )
    aligned = abs(box.x0 - other.x0) <= 3 and other.y0 - box.y1 < 3 * max(box.height, other.height)
    return aligned and not between and len(above.texts) == len(row.texts)
