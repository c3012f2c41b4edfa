"""The order in which boxes of a page are read, from where they stand: a recursive cut.

A group of boxes is cut into bands one below the other where something ends the columns above it: what stands across
them, a rule that is drawn across them, or a heading under which all columns begin anew. Within a band columns are read
from left to right. What stands in columns of text that go around it (an inset) is taken out first; groups that no
straight cut divides are sorted by what must come before what.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import median

from docspec.core import BBox
from docspec.drafting.layout import LayoutBox
from docspec.drafting.rows_of_blocks import columns_of_headings, is_row_of_blocks

GUTTER = 0.3
"""Heights of a line between two columns, at least."""

NARROWEST = 2.5
"""Heights of a line that a column is wide, at least."""

TOUCH = 0.25
"""Heights of a line by which boxes in one column, or beside each other, may cover one another."""

APART = 0.5
"""Heights of a line between columns and a heading that ends them, at least."""

LEVEL = 0.6
"""Heights of a line by which the columns under a heading may begin lower than each other."""

ACROSS = 0.95
"""Least share of the width of what stands above and below a rule that it runs over to part them."""

CLOSE = 3.0
"""Heights of a line between a heading and what stands below it, at most."""

ALIKE_IN_WIDTH = 0.7
"""Least width of a column beside that of its neighbour for which the two are columns of one text."""

MOST_LOOSE = 150
"""Most boxes of a page on which insets are looked for: the time grows with their square."""

MAX_DEPTH = 60

Group = list[LayoutBox]


def page_order(
    boxes: Sequence[LayoutBox], leftwards: bool = False, given: bool = True, rules: Sequence[BBox] = ()
) -> Group:
    """The ``boxes`` of a page in reading order, running heads first and feet last; what was called a head or a foot and
    stands among the text is text. ``given``: the boxes come in the order of a layout model, which tells texts apart.
    ``rules`` are the level ones that are drawn on the page."""
    body = [box.bbox for box in boxes if not box.category.is_furniture]
    sides = [_side(box, body) for box in boxes]
    heads, text, feet = ([box for box, own in zip(boxes, sides, strict=True) if own == side] for side in (-1, 0, 1))
    text = reading_order(text, leftwards, given, rules)
    return [*reading_order(heads, leftwards), *text, *reading_order(feet, leftwards)]


def _side(box: LayoutBox, body: Sequence[BBox]) -> int:
    """-1 for a head above all of the ``body`` of a page, 1 for a foot below it, 0 for what is in it."""
    if not box.category.is_furniture or not body:
        return 0
    if all(one.y1 > box.bbox.y0 for one in body):
        return -1
    return int(all(one.y0 < box.bbox.y1 for one in body))


def reading_order(
    boxes: Sequence[LayoutBox], leftwards: bool = False, given: bool = False, rules: Sequence[BBox] = ()
) -> Group:
    """``boxes`` in reading order; columns from left to right, or from right to left (``leftwards``). In a ``given``
    order a narrow column that comes after all of its wider neighbour is an aside, and what comes after level columns,
    below one of them, another text."""
    if len(boxes) < 2:
        return list(boxes)
    heights = [member.height for box in boxes for member in box.members if member.height > 0]
    line = median(heights) if heights else min(box.bbox.height for box in boxes)
    numbers = {id(box): number for number, box in enumerate(boxes)}
    cutter = _Cutter(line, leftwards, numbers, given, columns_of_headings(boxes, CLOSE * line, line), rules)
    insets = cutter.insets(boxes)
    ordered = cutter.ordered([box for box in boxes if all(box is not inset for inset, _ in insets)], 0)
    for inset, before in insets:
        at = next(number for number, box in enumerate(ordered) if box is before)
        ordered.insert(at + 1, inset)
    return ordered


class _Cutter:
    """Cuts groups of boxes; ``line`` is the usual height of a line, ``given`` the order in which they come; ``knows``:
    it is a layout model's. ``columns`` has the text of headings: they are as wide as their columns."""

    def __init__(
        self,
        line: float,
        leftwards: bool,
        given: Mapping[int, int],
        knows: bool,
        columns: Mapping[int, BBox],
        rules: Sequence[BBox],
    ) -> None:
        self._line = line
        self._rules = rules
        self._columns_of = columns
        self._leftwards = leftwards
        self._given = given
        self._knows = knows

    def ordered(self, boxes: Group, depth: int) -> Group:
        if len(boxes) < 2 or depth > MAX_DEPTH:
            return sorted(boxes, key=self._place)
        segments = self._segments(boxes)
        if len(segments) > 1:
            parts = [
                part
                for segment, below in zip(segments, [*segments[1:], []], strict=True)
                for part in self._with_column_last(segment, below)
            ]
            return [box for part in parts for box in self.ordered(part, depth + 1)]
        columns = self._columns(boxes)
        if len(columns) > 1:
            columns = columns[::-1] if self._leftwards else columns
            for at in range(len(columns) - 1):
                if self._is_aside(*columns[at : at + 2]):
                    columns[at], columns[at + 1] = columns[at + 1], columns[at]
            tail = self._tail(columns)
            columns = [[box for box in column if box not in tail] for column in columns]
            return [box for part in [*columns, tail] for box in self.ordered(part, depth + 1)]
        return self._by_precedence(boxes)

    def _segments(self, boxes: Group) -> list[Group]:
        """``boxes`` in bands; neighbouring ones with a common gutter are one, unless a heading ends the columns. A
        heading that is a band of its own goes with what it stands over."""
        bands = _parted(boxes, lambda box: (box.bbox.y0, box.bbox.y1), 0.0, TOUCH * self._line)
        segments: list[Group] = []
        whole = 0  # segments that nothing below them goes into
        for number, band in enumerate(bands):
            below = bands[number + 1] if number + 1 < len(bands) else []
            last = segments[-1] if segments else []
            if self._heads_columns(last, band, below) or self._ends_blocks(last, band) or self._is_ruled(last, band):
                whole = len(segments)
            elif len(segments) > whole and self._shares_gutter(segments[-1], band):
                segments[-1] = [*segments[-1], *band]
                while len(segments) > whole + 1 and self._shares_gutter(segments[-2], segments[-1]):
                    last = segments.pop()
                    segments[-1] = [*segments[-1], *last]
                continue
            elif number and len(segments) > whole and self._is_stranded(segments[-1], bands[number - 1], band):
                segments[-1] = segments[-1][: -len(bands[number - 1])]
                segments.append(bands[number - 1])
            segments.append(list(band))
        return segments

    def _is_ruled(self, above: Group, band: Group) -> bool:
        """Whether a rule runs between ``above`` and ``band``, over the width of both."""
        if not (above and self._rules):
            return False
        around = BBox.union(box.bbox for box in (*above, *band))
        end, slack = max(box.bbox.y1 for box in above), TOUCH * self._line
        start = min(box.bbox.y0 for box in band)
        return any(
            end - slack < rule.center_y < start + slack and rule.shared_width(around) > ACROSS * around.width
            for rule in self._rules
        )

    def _ends_blocks(self, above: Group, band: Group) -> bool:
        """Whether ``above`` is a row of blocks, with one of which what stands below it does not go on, or ``band`` is
        one, which none of what stands above it begins."""
        columns, below = self._columns(above), self._columns(band)
        row, single = (columns, below) if len(columns) > 1 else (below, columns)
        return len(row) > 1 and 0 < len(single) < 2 and is_row_of_blocks(row, self._line)

    def _is_stranded(self, segment: Group, last: Group, band: Group) -> bool:
        """Whether ``last``, the end of a ``segment`` of columns, is a heading that stands right above ``band``."""
        return len(segment) > len(last) and _is_heading(last) and self._is_close(last, band)

    def _with_column_last(self, segment: Group, below: Group) -> list[Group]:
        """``segment``, of which the end of a column that goes on ``below``, in lines as close as its own, is read last:
        the other columns are an aside that its lines go around."""
        columns = self._columns(segment)
        first = min(below, key=self._place) if below else None
        for column in columns if first is not None and len(columns) > 1 else ():
            last = max(column, key=lambda box: box.bbox.y1)
            lines = sorted(last.members, key=lambda line: line.y0)
            pitches = [b.y0 - a.y0 for a, b in pairwise(lines) if b.y0 - a.y0 > TOUCH * self._line]
            if first is None or not pitches or not (last.category.is_running_text and first.category.is_running_text):
                continue
            pitch = min(member.y0 for member in first.members or (first.bbox,)) - lines[-1].y0
            aligned = abs(first.bbox.x0 - last.bbox.x0) < TOUCH * self._line
            if aligned and abs(pitch - median(pitches)) < TOUCH * self._line:
                before = [box for box in column if box is not last]
                return [before, *(one for one in columns if one is not column), [last]]
        return [segment]

    def _shares_gutter(self, above: Group, band: Group) -> bool:
        """Whether ``band`` stands in the columns of ``above``, or the other way round."""
        gutters = len(self._columns(above)) > 1 or len(self._columns(band)) > 1
        return gutters and len(self._columns([*above, *band])) > 1

    def _heads_columns(self, above: Group, band: Group, below: Group) -> bool:
        """Whether ``band`` is a heading, apart from the columns ``above``, under which all columns begin anew. A column
        that itself begins with a heading has a gap above it anyway."""
        columns = self._columns(below)
        if not _is_heading(band) or len(self._columns(above)) < 2 or len(columns) < 2:
            return False
        head = band[0].bbox
        tops = [min(column, key=lambda box: box.bbox.y0) for column in columns]
        own = [box for box in tops if box.bbox.shared_width(head) > 0]
        explained = any(box.category.is_heading for box in tops) and not any(box.category.is_heading for box in own)
        edges = [box.bbox.y0 for box in tops]
        white = head.y0 - max(box.bbox.y1 for box in above)
        apart = APART * self._line < white < CLOSE * self._line
        return apart and not explained and max(edges) - min(edges) < LEVEL * self._line and self._is_close(band, below)

    def _is_close(self, head: Group, below: Group) -> bool:
        white = min(box.bbox.y0 for box in below) - head[-1].bbox.y1
        return white < CLOSE * self._line

    def _columns(self, boxes: Group) -> list[Group]:
        """``boxes`` parted by the gutters that run through all of them, from left to right. Bullets and numbers are no
        columns: what is too narrow for text belongs to the text behind it."""
        parts = _parted(boxes, self._width, GUTTER * self._line, 0.0)
        parts = parts[::-1] if self._leftwards else parts
        columns: list[Group] = []
        marks: Group = []
        for part in parts:
            if BBox.union(box.bbox for box in part).width < NARROWEST * self._line:
                marks += part
            else:
                columns.append([*marks, *part])
                marks = []
        if marks and columns:
            columns[-1] += marks
        columns = columns or [marks]
        return columns[::-1] if self._leftwards else columns

    def _width(self, box: LayoutBox) -> tuple[float, float]:
        """The left and right edge of ``box`` with its column."""
        column = self._columns_of.get(id(box), box.bbox)
        return min(box.bbox.x0, column.x0), max(box.bbox.x1, column.x1)

    def _is_aside(self, column: Group, neighbour: Group) -> bool:
        """Whether ``column`` is narrow and given after all of its ``neighbour``."""
        a, b = (BBox.union(box.bbox for box in own) for own in (column, neighbour))
        after = min(self._given[id(box)] for box in column) > max(self._given[id(box)] for box in neighbour)
        return self._knows and after and a.width < ALIKE_IN_WIDTH * b.width

    def _tail(self, columns: Sequence[Group]) -> Group:
        """What stands in one column below the ends of all, which are level, and is given after all others, column by
        column: another text."""
        lowest = max(columns, key=lambda column: max(box.bbox.y1 for box in column))
        others = [box for column in columns if column is not lowest for box in column]
        given = [self._given[id(box)] for box in others]
        end = max(box.bbox.y1 for box in others) - TOUCH * self._line
        tail = [box for box in lowest if box.bbox.y0 >= end and self._given[id(box)] > max(given)]
        rest = [box for box in lowest if box not in tail]
        if not (self._knows and rest) or any(self._given[id(box)] > min(given) for box in rest):
            return []
        ends = [max(box.bbox.y1 for box in column) for column in (*(c for c in columns if c is not lowest), rest)]
        return tail if max(ends) - min(ends) < LEVEL * self._line else []

    def insets(self, boxes: Sequence[LayoutBox]) -> list[tuple[LayoutBox, LayoutBox]]:
        """The insets among ``boxes``, each with the box that it is read after."""
        if len(boxes) > MOST_LOOSE:
            return []
        found: list[tuple[LayoutBox, LayoutBox]] = []
        for box in boxes:
            before = self._inset(box, [one for one in boxes if one is not box])
            if before is not None and all(before is not inset for inset, _ in found):
                found.append((box, before))
        return [(box, before) for box, before in found if all(before is not inset for inset, _ in found)]

    def _inset(self, box: LayoutBox, others: Group) -> LayoutBox | None:
        """What ``box`` is read after if it stands in columns of text that go around it: text on both sides of it, and
        right above and below it two columns with their gutter in its width."""
        place, slack = box.bbox, TOUCH * self._line
        beside = [one for one in others if one.bbox.shared_height(place) > slack]
        left = [one for one in beside if one.bbox.x1 <= place.x0 + slack]
        right = [one for one in beside if one.bbox.x0 >= place.x1 - slack]
        stacked = [one for one in others if one.bbox.shared_width(place) > 0 and one not in beside]
        above = [one for one in stacked if one.bbox.center_y < place.center_y]
        below = [one for one in stacked if one.bbox.center_y > place.center_y]
        if not (left and right and self._are_columns(above, place) and self._are_columns(below, place)):
            return None
        return max(right if self._leftwards else left, key=lambda one: one.bbox.y1)

    def _are_columns(self, boxes: Group, place: BBox) -> bool:
        """Whether the nearest of ``boxes`` above or below ``place`` are columns with their gutter in its width."""
        white = [max(place.y0 - one.bbox.y1, one.bbox.y0 - place.y1) for one in boxes]
        near = [one for one, gap in zip(boxes, white, strict=True) if gap < min(white) + 2 * self._line]
        return len(self._columns(near)) == 2

    def _by_precedence(self, boxes: Group) -> Group:
        """``boxes`` that no cut divides: each after what stands above it in its column, and after what stands to its
        left beside it (Breuel, "High Performance Document Layout Analysis", 2003); what is free comes from the top."""
        left = sorted(boxes, key=self._place)
        ordered: Group = []
        while left:
            last = ordered[-1] if ordered else None
            free = [box for box in left if not any(self._precedes(one, box) for one in left if one is not box)]
            free = free or left[:1]
            below = [box for box in free if last is not None and _is_below(box.bbox, last.bbox)]
            chosen = min(below or free, key=self._place)
            ordered.append(chosen)
            left = [box for box in left if box is not chosen]
        return ordered

    def _precedes(self, one: LayoutBox, other: LayoutBox) -> bool:
        a, b = one.bbox, other.bbox
        slack = TOUCH * self._line
        if a.shared_width(b) > slack:
            return self._place(one) < self._place(other)
        before = a.x0 >= b.x1 - slack if self._leftwards else a.x1 <= b.x0 + slack
        return before and a.shared_height(b) > slack

    def _place(self, box: LayoutBox) -> tuple[float, float]:
        return box.bbox.y0, -box.bbox.x1 if self._leftwards else box.bbox.x0


def _is_heading(band: Group) -> bool:
    return len(band) == 1 and band[0].category.is_heading


def _is_below(box: BBox, above: BBox) -> bool:
    return box.y0 >= above.center_y and box.shared_width(above) > 0.5 * min(box.width, above.width)


def _parted(boxes: Group, span: Callable[[LayoutBox], tuple[float, float]], gap: float, cover: float) -> list[Group]:
    """``boxes`` in groups, along the white stretches wider than ``gap`` between their spans; spans that cover each
    other by less than ``cover`` do not touch."""
    parts: list[Group] = []
    end = 0.0
    for box in sorted(boxes, key=span):
        start, stop = span(box)
        if parts and start - end <= gap - min(cover, 0.2 * (stop - start)):
            parts[-1].append(box)
        else:
            parts.append([box])
        end = max(end, stop) if len(parts[-1]) > 1 else stop
    return parts
