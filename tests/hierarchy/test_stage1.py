"""Crops share batches as far as the buffer allows, and what they write lands at their own region."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from docspec.core import BBox, Category, PageDraft, PageImage, ParseOptions, Region
from docspec.dialects import make_dialect
from docspec.engine import decoder
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.hierarchy.whole import verify_regions
from docspec.targets.protocol import Prompt
from docspec.targets.registry import load_target


def job(length: int, budget: int = 10) -> Request:
    return Request(Prompt({}, length), (), budget)


@given(st.lists(st.integers(1, 2500), max_size=60), st.one_of(st.none(), st.integers(1, 9000)), st.integers(0, 80))
def test_queues_keep_the_bounds_and_lose_nothing(lengths, allowed, spare):
    jobs = [(index, job(length)) for index, length in enumerate(lengths)]
    queues = list(decoder.queues(jobs, allowed, spare))
    assert sorted(index for queue, _ in queues for index, _ in queue) == list(range(len(jobs)))
    most = min(decoder.MAX_SLOTS, allowed or decoder.MAX_SLOTS)
    for queue, max_rows in queues:
        longest = max(one.slots for _, one in queue) + spare
        assert queue[0][1].slots + spare == longest
        assert 1 <= max_rows <= min(decoder.MAX_ROWS, len(queue))
        assert max_rows == 1 or max_rows * longest <= most


def test_long_jobs_take_no_places_from_short_ones():
    jobs = [(0, job(decoder.MAX_SLOTS // 2)), *((i, job(100)) for i in range(1, 40))]
    found = [(len(queue), max_rows) for queue, max_rows in decoder.queues(jobs)]
    assert found == [(1, 1), (39, decoder.MAX_ROWS)]


@pytest.mark.parametrize("rows", [1, 2, 16])
def test_each_region_gets_its_own_output_however_they_are_batched(lively_qwen, monkeypatch, rows):
    monkeypatch.setattr(decoder, "MAX_ROWS", rows)
    target = load_target(ParseOptions(model=str(lively_qwen), device="cpu")).target
    image = Image.effect_noise((256, 256), 80).convert("RGB")
    boxes = [BBox(0, 0, 250, 60), BBox(0, 70, 120, 250), BBox(10, 80, 240, 120)]
    regions = [Region(box, Category.TEXT, (f"words of region {i}",)) for i, box in enumerate(boxes)]
    picture = Region(BBox(0, 0, 50, 50), Category.PICTURE)
    draft = PageDraft((regions[0], picture, *regions[1:]), "text-layer")
    page = PageImage(image, 1, 1.0, "noise.png")
    dialect = make_dialect("markdown", page_prompt="Read.", crop_prompt="Read.")
    options = ParseOptions(model=str(lively_qwen))
    [outputs] = verify_regions(make_decoder(target, options), target, dialect, [(page, draft)])
    alone = [
        verify_regions(make_decoder(target, options), target, dialect, [(page, PageDraft((region,), "text-layer"))])[
            0
        ].texts[0]
        for region in regions
    ]
    assert outputs.texts == [alone[0], "", *alone[1:]]
    assert len(set(alone)) == 3
    assert outputs.stats.rows == 3


def test_no_region_writes_more_than_the_page_may(lively_qwen):
    options = ParseOptions(model=str(lively_qwen), device="cpu")
    target = load_target(options).target
    page = PageImage(Image.effect_noise((256, 256), 80).convert("RGB"), 1, 1.0, "noise.png")
    regions = tuple(Region(BBox(0, y, 250, y + 60), Category.TEXT, ("words " * 20,)) for y in (0, 70))
    dialect = make_dialect("markdown", page_prompt="Read.", crop_prompt="Read.")
    pages = [(page, PageDraft(regions))]
    [whole] = verify_regions(make_decoder(target, options), target, dialect, pages)
    [short] = verify_regions(make_decoder(target, options), target, dialect, pages, max_tokens=5)
    assert whole.stats.tokens > 10
    assert short.stats.tokens == 10
