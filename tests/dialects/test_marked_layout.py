"""Layouts as MinerU2.5 writes them: spelled, read back, and what is not a region left out."""

from __future__ import annotations

import pytest

from docspec.core import BBox, Category, Region
from docspec.hierarchy.regions.own_layout import read_layout, spell_layout

REGIONS = [
    Region(BBox(100, 400, 500, 1400), Category.TABLE),
    Region(BBox(0, 0, 1000, 40), Category.PAGE_HEADER),
    Region(BBox(10, 100, 990, 200), Category.LIST_ITEM),
]


def test_what_is_spelled_is_read_back():
    text = spell_layout(REGIONS, 1000, 2000)
    assert text.split("\n")[0] == ("<|box_start|>100 200 500 700<|box_end|><|ref_start|>table<|ref_end|><|rotate_up|>")
    found = read_layout(text, 1000, 2000)
    assert [category for category, _ in found] == [Category.TABLE, Category.PAGE_HEADER, Category.TEXT]
    assert [box.rounded() for _, box in found] == [region.bbox.rounded() for region in REGIONS]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("<|box_start|>100 100 900 300<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>txt_contd_tgt", 1),
        ("<|box_start|>900 300 100 100<|box_end|><|ref_start|>title<|ref_end|>", 1),
        ("<|box_start|>0 0 2000 2000<|box_end|><|ref_start|>image<|ref_end|>", 1),
        ("<|box_start|>1 1 1 9<|box_end|><|ref_start|>text<|ref_end|>", 0),
        ("<|box_start|>1 1 9 9<|box_end|><|ref_start|>list<|ref_end|>", 0),
        ("<|box_start|>1 1 9 9<|box_end|><|ref_start|>inline_formula<|ref_end|>", 0),
        ("<|box_start|>1 1 9", 0),
        ("", 0),
    ],
)
def test_broken_layouts_are_read_as_far_as_they_go(text, count):
    found = read_layout(text, 1000, 1000)
    assert len(found) == count
    assert all(box.x1 > box.x0 and box.y1 <= 1000 for _, box in found)
