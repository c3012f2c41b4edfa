"""Prompts that share a forward pass leave behind what each alone does; padding and pixels stay bounded."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from docspec.core import BBox, Category, PageDraft, PageImage, ParseOptions, Region
from docspec.hierarchy.whole import verify_regions
from docspec.targets import prefill
from docspec.targets.kv_cache import SlotCache
from docspec.targets.prefill import MAX_STRETCH, MAX_TOKENS, groups, prefill_rows
from docspec.targets.registry import load_target
from tests.hierarchy.contexts import context_of
from tests.targets.dots_checkpoint import write_tiny_dots_ocr

SIZES = [(320, 192), (320, 96), (64, 64), (192, 320), (256, 128), (320, 160)]


@given(st.lists(st.integers(1, 6000), max_size=60))
def test_groups_hold_every_prompt_once_within_the_bounds(lengths):
    found = groups(lengths)
    assert sorted(index for group in found for index in group) == list(range(len(lengths)))
    for group in found:
        own = [lengths[index] for index in group]
        assert len(group) == 1 or max(own) * len(own) <= MAX_TOKENS
        assert max(own) <= MAX_STRETCH * min(own)


def test_prompts_of_equal_length_share_one_pass():
    assert groups([100] * 16) == [list(range(16))]
    assert len(groups([MAX_TOKENS // 2 + 1] * 3)) == 3


@pytest.fixture(scope="module", params=["qwen-auto", "qwen-eager", "dots"])
def target(request, lively_qwen, tmp_path_factory):
    if request.param == "dots":
        directory = tmp_path_factory.mktemp("models") / "dots"
        write_tiny_dots_ocr(directory, seed=3)
        return load_target(ParseOptions(model=str(directory), dtype="float32", device="cpu")).target
    attention = request.param.removeprefix("qwen-")
    options = ParseOptions(model=str(lively_qwen), dtype="float32", attention=attention, device="cpu")
    return load_target(options).target


@pytest.fixture(scope="module")
def prompts(target):
    torch.manual_seed(0)
    return [target.encode(Image.effect_noise(size, 90).convert("RGB"), "Read.") for size in SIZES]


def test_prefill_together_equals_one_by_one(target, prompts, monkeypatch):
    monkeypatch.setattr(prefill, "MAX_STRETCH", 1e9)  # all in one pass, whatever the padding
    slots = max(prompt.length for prompt in prompts) + 8
    alone, together = (SlotCache(target.kv_spec, len(prompts), slots) for _ in range(2))
    places = [3, 0, 5, 1, 4, 2]
    expected = [target.prefill([prompt], alone, [row])[0] for prompt, row in zip(prompts, places, strict=True)]
    filled = prefill_rows(target, prompts, together, places)
    assert len({prompt.length for prompt in prompts}) > 3
    for one, other, row in zip(expected, filled, places, strict=True):
        assert (other.length, other.rope_delta) == (one.length, one.rope_delta)
        torch.testing.assert_close(other.logits, one.logits, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(
            together.buffer[:, :, row, : one.length], alone.buffer[:, :, row, : one.length], rtol=1e-4, atol=1e-4
        )
        assert not together.buffer[:, :, row, one.length : together.padding_slot].any()


def test_images_in_another_order_would_be_seen(target, prompts, monkeypatch):
    """Negative control: the comparison notices rows that got each other's pictures."""
    honest = type(target)._joined

    def swapped(self, inputs, longest):
        joined = honest(self, inputs, longest)
        first = inputs[0]["pixel_values"].shape[0]
        joined["pixel_values"] = joined["pixel_values"].roll(first, 0)
        return joined

    noise = target.encode(Image.effect_noise(SIZES[0], 20).convert("RGB"), "Read.")
    pair = [prompts[0], noise]
    cache = SlotCache(target.kv_spec, 2, noise.length)
    expected = target.prefill([noise], cache, [1])[0].logits
    torch.testing.assert_close(target.prefill_together(pair, cache, [0, 1])[1].logits, expected, rtol=1e-4, atol=1e-4)
    monkeypatch.setattr(type(target), "_joined", swapped)
    assert not torch.allclose(target.prefill_together(pair, cache, [0, 1])[1].logits, expected, atol=1e-3)


def test_a_prompt_that_does_not_fit_is_refused(target, prompts):
    cache = SlotCache(target.kv_spec, len(prompts), max(prompt.length for prompt in prompts) - 1)
    with pytest.raises(ValueError, match="does not fit"):
        target.prefill_together(prompts, cache, range(len(prompts)))


def test_stage_1_writes_the_same_tokens_however_its_prompts_are_prefilled(target, monkeypatch):
    noise = np.random.default_rng(8).integers(0, 256, (640, 640), np.uint8)  # regions as unlike each time
    image = Image.fromarray(noise).convert("RGB")
    boxes = [
        BBox(0, 0, 300, 60), BBox(0, 70, 120, 250), BBox(10, 80, 240, 120), BBox(300, 0, 620, 70),
        BBox(300, 100, 600, 160), BBox(0, 300, 640, 640),
    ]  # fmt: skip
    regions = tuple(Region(box, Category.TEXT, (f"words of region {i}",)) for i, box in enumerate(boxes))
    page, draft = PageImage(image, 1, 1.0, "noise.png"), PageDraft(regions, "text-layer")
    loaded = SimpleNamespace(target=target, info=None, card=target.card)
    context = context_of(loaded, ParseOptions())
    sizes: list[int] = []
    honest = type(target).prefill_together

    def counted(self, prompts, *rest):
        sizes.append(len(prompts))
        return honest(self, prompts, *rest)

    def texts(stretch):
        sizes.clear()
        monkeypatch.setattr(prefill, "MAX_STRETCH", stretch)
        return verify_regions(context, page, draft)[0]

    monkeypatch.setattr(type(target), "prefill_together", counted)
    alone = texts(0.5)
    assert sizes == [1] * len(boxes)
    assert texts(1e9) == alone
    assert sizes == [len(boxes)]
    assert texts(1.3) == alone
    assert 1 < len(sizes) < len(boxes)
    assert len(set(alone)) == len(boxes)
