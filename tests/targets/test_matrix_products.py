"""Matrix products made faster: the same numbers, and all else left to torch."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from docspec.targets.faster_modules import LARGEST, embed_by_products, store_for_narrow_steps

CONVOLUTIONS = {
    "image": nn.Conv2d(3, 8, 4, stride=4),
    "frames": nn.Conv3d(3, 8, (2, 4, 4), stride=(2, 4, 4), bias=False),
    "without a step of its own": nn.Conv2d(3, 8, 4),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_patches_and_whole_images_come_out_as_before(name):
    module = CONVOLUTIONS[name]
    patches = torch.randn(5, 3, *module.kernel_size)
    image = torch.randn(1, 3, *(3 * size for size in module.kernel_size))
    expected = module(patches), module(image)
    assert embed_by_products(module) == 1
    for given, one in zip((patches, image), expected, strict=True):
        found = module(given)
        assert found.shape == one.shape
        torch.testing.assert_close(found, one)


def test_a_patch_is_one_product(monkeypatch):
    module = nn.Conv2d(3, 8, 4, stride=4)
    embed_by_products(module)
    monkeypatch.setattr(nn.Conv2d, "forward", lambda *_: pytest.fail("convolved"))
    assert module(torch.randn(5, 3, 4, 4)).shape == (5, 8, 1, 1)


@pytest.mark.parametrize("other", [{"padding": 1}, {"padding": "same"}, {"dilation": 2}, {"groups": 2}])
def test_what_is_more_than_one_product_is_left_alone(other):
    assert embed_by_products(nn.Conv2d(4, 8, 4, **other)) == 0


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(12, 8)
        self.up = nn.Linear(8, 20)
        self.tied = nn.Linear(8, 12, bias=False)
        self.tied.weight = self.embed.weight


def test_values_and_shapes_stay():
    decoder = Decoder()
    before, inputs = decoder.up.weight.detach().clone(), torch.randn(3, 8)
    expected = decoder.up(inputs)
    assert store_for_narrow_steps(decoder) == 1
    assert decoder.up.weight.stride() == (1, 20)
    assert torch.equal(decoder.up.weight, before)
    torch.testing.assert_close(decoder.up(inputs), expected)


def test_a_weight_that_is_the_embedding_too_is_left_alone():
    decoder = Decoder()
    store_for_narrow_steps(decoder)
    assert decoder.tied.weight is decoder.embed.weight and decoder.embed.weight.is_contiguous()


def test_other_precisions_and_large_weights_are_left_alone():
    assert store_for_narrow_steps(Decoder().to(torch.bfloat16)) == 0
    with torch.device("meta"):
        large = nn.Linear(1 << 11, (LARGEST >> 11) + 1)
    assert store_for_narrow_steps(large) == 0
