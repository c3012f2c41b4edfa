"""``kv-memory`` bounds what Stage 1 and the page take; a page that does not fit fails alone and says why."""

from __future__ import annotations

import pytest
from PIL import Image

from docspec import Parser
from docspec.core import BBox, Category, PageDraft, PageImage, ParseOptions, Region
from docspec.hierarchy.whole import verify_regions
from docspec.reporting.timing import page_object
from docspec.targets.registry import load_target
from tests.hierarchy.contexts import context_of

MIB = 2**20


@pytest.fixture
def page():
    image = Image.effect_noise((256, 512), 80).convert("RGB")
    return PageImage(image, 1, 1.0, "noise.png")


def regions(count: int) -> PageDraft:
    boxes = [BBox(0, 40 * i, 250, 40 * i + 36) for i in range(count)]
    return PageDraft(tuple(Region(box, Category.TEXT, (f"words of {box.y0}",)) for box in boxes), "text-layer")


def test_crops_go_in_smaller_batches_under_a_bound_and_write_the_same(lively_qwen, page):
    loaded = load_target(ParseOptions(model=str(lively_qwen), device="cpu"))
    target = loaded.target
    outcomes = []
    for bound in (None, 1):
        target.kv.release()
        options = ParseOptions(model=str(lively_qwen), kv_memory=bound)
        found = verify_regions(context_of(loaded, options), page, regions(10))
        outcomes.append((found, target.kv.nbytes))
    (free, free_bytes), (bounded, bounded_bytes) = outcomes
    assert bounded[0] == free[0]
    assert bounded_bytes <= MIB < free_bytes
    assert bounded[1].stats.kv_bytes <= MIB
    assert bounded[1].stats.forwards > free[1].stats.forwards


def test_a_page_that_does_not_fit_fails_alone_with_one_line(lively_qwen, page):
    small, large = page, PageImage(Image.effect_noise((1200, 1200), 80).convert("RGB"), 2, 1.0, "noise.png")
    options = ParseOptions(
        model=str(lively_qwen), device="cpu", drafter="none", stages="page", max_tokens=20, kv_memory=1
    )
    with Parser(options) as parser:
        results = [parser.parse_page(one) for one in (small, large, small)]
    assert [result.status for result in results] == ["ok", "failed", "ok"]
    assert results[1].error is not None
    assert "page 2: " in results[1].error
    assert "kv-memory allows 1" in results[1].error
    assert "\n" not in results[1].error
    stated = page_object(results[0])["stage2"]["kv_bytes"]
    assert 0 < stated <= MIB
