"""Norms of one kernel give what transformers' own do, by Triton's interpreter in a process of its own."""

from __future__ import annotations

import pytest
import torch
from transformers.models.gemma.modeling_gemma import GemmaRMSNorm
from transformers.models.qwen2.modeling_qwen2 import Qwen2RMSNorm

from docspec.targets.one_kernel import normalise_in_one_kernel
from tests.targets.interpreted import INTERPRETED, interpreted, run_interpreted


class Shifted(Qwen2RMSNorm):
    """A norm of the same parts that computes something else."""

    def forward(self, hidden_states):
        return super().forward(hidden_states) + self.weight


def norm(size, dtype=torch.float32, kind=Qwen2RMSNorm):
    found = kind(size, 1e-5).to(dtype)
    with torch.no_grad():
        found.weight.copy_(torch.rand(size, generator=torch.Generator().manual_seed(3)) * 2 - 1)
    return found


def test_all_others_by_tritons_interpreter():
    run_interpreted(__file__)


@pytest.mark.skipif(INTERPRETED, reason="about the usual process")
def test_without_the_interpreter_nothing_is_changed_on_a_cpu():
    assert normalise_in_one_kernel(torch.nn.Sequential(norm(32))) == 0


@interpreted
@pytest.mark.parametrize("size", [16, 48, 1000])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_it_is_the_norm_of_transformers(size, dtype):
    """Also where the mean square is far from one, and for numbers that are no whole rows in memory."""
    model = torch.nn.Sequential(norm(size, dtype))
    own = norm(size, dtype)
    assert normalise_in_one_kernel(model) == 1
    values = torch.randn(3, 5, 2 * size, generator=torch.Generator().manual_seed(size)).to(dtype)
    for factor in (1e-2, 1.0, 30.0):
        given = (values * factor)[..., ::2]
        tolerance = {"rtol": 1e-6, "atol": 1e-6} if dtype == torch.float32 else {"rtol": 2e-3, "atol": 1e-3}
        torch.testing.assert_close(model(given), own(given), **tolerance)
    assert torch.equal(model[0].weight, own.weight)


@interpreted
def test_heads_that_are_parts_of_longer_rows_are_normalised_as_alone():
    model, own = torch.nn.Sequential(norm(16)), norm(16)
    normalise_in_one_kernel(model)
    rows = torch.randn(2, 3, 96, generator=torch.Generator().manual_seed(1))
    for heads in (rows[..., 16:64].view(2, 3, 3, 16), rows.view(2, 3, 6, 16).transpose(1, 2)):
        torch.testing.assert_close(model(heads), own(heads), rtol=1e-6, atol=1e-6)


@interpreted
def test_what_computes_something_else_is_left_alone():
    model = torch.nn.Sequential(norm(32, kind=Shifted), GemmaRMSNorm(32), torch.nn.LayerNorm(32))
    assert normalise_in_one_kernel(model) == 0


@interpreted
def test_other_types_of_numbers_go_the_modules_own_way():
    model = torch.nn.Sequential(norm(32))
    normalise_in_one_kernel(model)
    values = torch.randn(2, 32, dtype=torch.float16)
    assert torch.equal(model(values), norm(32)(values))
