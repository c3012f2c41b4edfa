"""Gates of one kernel give what transformers' own do, by Triton's interpreter in a process of its own."""

from __future__ import annotations

import pytest
import torch
from transformers import Qwen2Config
from transformers.models.qwen2.modeling_qwen2 import Qwen2MLP

from docspec.targets.one_kernel import gate_in_one_kernel
from tests.targets.interpreted import INTERPRETED, interpreted, run_interpreted


def layer(act="silu", dtype=torch.float32, kind=Qwen2MLP):
    torch.manual_seed(3)
    return kind(Qwen2Config(hidden_size=24, intermediate_size=1500, hidden_act=act)).to(dtype)


class Doubled(Qwen2MLP):
    """A layer of the same parts that computes something else."""

    def forward(self, x):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * (1 + self.up_proj(x)))


def test_all_others_by_tritons_interpreter():
    run_interpreted(__file__)


@pytest.mark.skipif(INTERPRETED, reason="about the usual process")
def test_without_the_interpreter_nothing_is_changed_on_a_cpu():
    assert gate_in_one_kernel(torch.nn.Sequential(layer())) == 0


@interpreted
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_it_is_the_gate_of_transformers(dtype):
    """Also for numbers that are large, or no whole rows in memory."""
    model, own = torch.nn.Sequential(layer(dtype=dtype)), layer(dtype=dtype)
    assert gate_in_one_kernel(model) == 1
    values = torch.randn(3, 5, 48, generator=torch.Generator().manual_seed(1)).to(dtype)
    tolerance = {"rtol": 1e-5, "atol": 1e-6} if dtype == torch.float32 else {"rtol": 4e-3, "atol": 4e-3}
    for factor in (1e-2, 1.0, 30.0):
        given = (values * factor)[..., ::2]
        torch.testing.assert_close(model(given), own(given), **tolerance)


@interpreted
def test_gates_that_are_parts_of_longer_rows_are_the_same():
    both = torch.randn(2, 3, 40, generator=torch.Generator().manual_seed(1))
    gate, up = both.split(20, -1)
    from docspec.targets.kernels import gated

    assert torch.equal(gated(gate, up), gated(gate.contiguous(), up.contiguous()))


@interpreted
@pytest.mark.parametrize("other", [layer(act="gelu"), layer(kind=Doubled), torch.nn.Linear(24, 24)])
def test_what_computes_something_else_is_left_alone(other):
    assert gate_in_one_kernel(torch.nn.Sequential(other)) == 0
