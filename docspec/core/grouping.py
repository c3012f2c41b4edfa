"""Things in groups of neighbours: rows of a page, and runs of things that go on from each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from docspec.core.geometry import BBox

T = TypeVar("T")


def in_rows(things: Iterable[T], box: Callable[[T], BBox]) -> list[list[T]]:
    """``things`` in level rows from top to bottom, each from left to right; ``box`` gives the place of one. What stands
    in a row with its highest member belongs to it."""
    rows: list[list[T]] = []
    for thing in sorted(things, key=lambda thing: box(thing).center_y):
        if rows and box(rows[-1][0]).in_row_with(box(thing)):
            rows[-1].append(thing)
        else:
            rows.append([thing])
    return [sorted(row, key=lambda thing: box(thing).x0) for row in rows]


def runs_of(things: Iterable[T], goes_on: Callable[[T, T], bool]) -> list[list[T]]:
    """``things`` in runs, in their order: a thing that does not go on from the one before it begins another run."""
    runs: list[list[T]] = []
    for thing in things:
        if runs and goes_on(runs[-1][-1], thing):
            runs[-1].append(thing)
        else:
            runs.append([thing])
    return runs
