"""Heads and feet stand before and behind the text of a page, whatever the order they come in."""

from __future__ import annotations

from docspec.core import BBox
from docspec.core.running_text import in_place


def test_pieces_of_one_row_keep_their_order_however_high_they_stand() -> None:
    places = {
        "body": BBox(50, 100, 500, 600),
        "revision": BBox(50, 701.3, 120, 709),
        "country": BBox(250, 701.6, 280, 709),
        "date": BBox(400, 700.9, 500, 709),
        "below": BBox(50, 720, 120, 730),
        "head": BBox(50, 40, 120, 50),
        "number": BBox(400, 39, 420, 50),
        "beside": BBox(510, 300, 560, 310),
    }
    given = ["below", "revision", "country", "date", "body", "beside", "head", "number"]
    found = in_place(given, lambda name: name != "body", places.__getitem__)
    assert found == ["head", "number", "body", "beside", "revision", "country", "date", "below"]


def test_what_has_no_place_stays() -> None:
    assert in_place(["a", "b"], lambda _: True, lambda _: None) == ["a", "b"]
