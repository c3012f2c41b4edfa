"""Boxes turn with their page."""

from __future__ import annotations

from docspec.core import BBox


def test_a_box_turns_with_its_page() -> None:
    box = BBox(10, 20, 30, 60)
    assert box.turned(1, 100, 200) == BBox(140, 10, 180, 30)
    assert box.turned(2, 100, 200) == BBox(70, 140, 90, 180)
    assert box.turned(1, 100, 200).turned(3, 200, 100) == box == box.turned(4, 100, 200)
