"""Weights stored input by output: same shapes, same values, other strides; only where that helps."""

from __future__ import annotations

import torch
from torch import nn

from docspec.targets.weight_layout import LARGEST, store_for_narrow_steps


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
