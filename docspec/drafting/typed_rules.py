"""Upright rules that are typed: brackets or bars below each other between two columns, as in the heads of court papers.
They are drawn on a copy of the page, so that all that knows rules knows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docspec.core import BBox
from docspec.core.geometry import in_rows, runs_of
from docspec.drafting.forms import copy_of, take_text_out
from docspec.drafting.printed import Printed, Word

SIGNS = ")]}|§"

ROWS, OFF = 5, 0.3
"""Least rows of a rule, and how far its signs may be off it, in their heights."""


def typed_rules(words: Sequence[Word]) -> Iterator[list[BBox]]:
    """The places of the signs of each rule, one in each row."""

    def goes_on(above: BBox, box: BBox) -> bool:
        return abs(box.center_x - above.center_x) < OFF * box.height and box.y0 - above.y1 < box.height

    for sign in SIGNS:
        rows = in_rows((word.bbox for word in words if word.text == sign), lambda box: box)
        alone = [row[0] for row in rows if len(row) == 1]
        yield from (rule for rule in runs_of(alone, goes_on) if len(rule) >= ROWS)


def with_typed_rules(printed: Printed) -> Printed:
    """A copy of a page on which typed rules are drawn; the page itself without any."""
    rules = list(typed_rules(printed.words))
    if not rules:
        return printed
    copy = copy_of(printed.page, widgets=True)
    take_text_out(copy, [box.grown(-0.2 * min(box.width, box.height)) for rule in rules for box in rule])
    for rule in rules:
        x = rule[0].center_x
        copy.draw_line((x, rule[0].y0), (x, rule[-1].y1), width=0.5)
    return Printed(copy, printed.modelled)
