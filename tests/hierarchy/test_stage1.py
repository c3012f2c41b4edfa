"""Crops share batches as far as the buffer allows, and what they write lands at their own region."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PIL import Image

from docspec.core import BBox, Category, PageDraft, PageImage, ParseOptions, Region
from docspec.engine import continuous
from docspec.hierarchy.whole import verify_regions
from docspec.targets.registry import load_target
from tests.hierarchy.contexts import context_of


@pytest.mark.parametrize("rows", [1, 2, 16])
def test_each_region_gets_its_own_output_however_they_are_batched(lively_qwen, monkeypatch, rows):
    monkeypatch.setattr(continuous, "SLOTS", 1)
    loaded = load_target(ParseOptions(model=str(lively_qwen), device="cpu"))
    image = Image.effect_noise((256, 256), 80).convert("RGB")
    boxes = [BBox(0, 0, 250, 60), BBox(0, 70, 120, 250), BBox(10, 80, 240, 120)]
    regions = [Region(box, Category.TEXT, (f"words of region {i}",)) for i, box in enumerate(boxes)]
    picture = Region(BBox(0, 0, 50, 50), Category.PICTURE)
    draft = PageDraft((regions[0], picture, *regions[1:]), "text-layer")
    page = PageImage(image, 1, 1.0, "noise.png")
    context = context_of(loaded, ParseOptions(model=str(lively_qwen), pages_in_flight=rows))  # as many rows at least
    texts, found = verify_regions(context, page, draft)
    alone = [verify_regions(context, page, PageDraft((region,), "text-layer"))[0][0] for region in regions]
    assert texts == [alone[0], "", *alone[1:]]
    assert len(set(alone)) == 3
    assert found.stats.rows == 3


def test_no_region_writes_more_than_the_page_may(lively_qwen):
    options = ParseOptions(model=str(lively_qwen), device="cpu")
    loaded = load_target(options)
    page = PageImage(Image.effect_noise((256, 256), 80).convert("RGB"), 1, 1.0, "noise.png")
    regions = tuple(Region(BBox(0, y, 250, y + 60), Category.TEXT, ("words " * 20,)) for y in (0, 70))
    _, whole = verify_regions(context_of(loaded, options), page, PageDraft(regions))
    _, short = verify_regions(context_of(loaded, replace(options, max_tokens=5)), page, PageDraft(regions))
    assert whole.stats.tokens > 10
    assert short.stats.tokens == 10
