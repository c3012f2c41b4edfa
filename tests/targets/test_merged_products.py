"""Products that are made together have the bits of each alone, by Triton's interpreter in a process of its own: its
device is the CPU, whose library is tried as a GPU's would be."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets import adapter, merged_products
from docspec.targets.merged_products import multiply_together
from docspec.targets.registry import load_target
from tests.targets.interpreted import INTERPRETED, interpreted, run_interpreted


class Attention(nn.Module):
    """Three products of one input."""

    def __init__(self, bias=True, dtype=torch.float32):
        super().__init__()
        torch.manual_seed(3)
        sizes = {"q_proj": 64, "k_proj": 32, "v_proj": 32}
        for name, size in sizes.items():
            setattr(self, name, nn.Linear(64, size, bias=bias, dtype=dtype))

    def forward(self, x):
        return self.q_proj(x), self.k_proj(x), self.v_proj(x)


@pytest.fixture
def widths(monkeypatch):
    """The widths of all products from now on."""
    made, plain = [], merged_products.linear
    monkeypatch.setattr(merged_products, "linear", lambda x, w, b: (made.append(len(w)), plain(x, w, b))[1])
    return made


def all_the_same(found, expected):
    return all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))


def test_all_others_by_tritons_interpreter():
    run_interpreted(__file__)


@pytest.mark.skipif(INTERPRETED, reason="about the usual process")
def test_without_the_interpreter_nothing_is_changed_on_a_cpu():
    assert multiply_together(Attention()) == 0


@interpreted
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@torch.inference_mode()
def test_they_are_one_product_for_numbers_of_tokens_that_were_tried(bias, dtype, widths):
    together, own = Attention(bias, dtype), Attention(bias, dtype)
    assert multiply_together(together) == 1
    for shape, expected in (((1, 1), [128]), ((2, 16), [128]), ((1, 5), [64, 32, 32])):
        values = torch.randn(*shape, 64).to(dtype)
        widths.clear()
        assert all_the_same(together(values), own(values))
        assert widths == expected


@interpreted
def test_weights_are_held_once():
    model, before = Attention(), {name: weight.clone() for name, weight in Attention().state_dict().items()}
    size = sum(weight.numel() for weight in model.parameters())
    multiply_together(model)
    after = model.state_dict()
    assert all(torch.equal(after[name], weight) for name, weight in before.items())
    blocks = {weight.untyped_storage().data_ptr(): weight.untyped_storage().size() for weight in after.values()}
    assert sum(blocks.values()) == 4 * size and len(blocks) == 2


@interpreted
@torch.inference_mode()
def test_an_input_of_another_module_or_changed_order_is_multiplied_alone(widths):
    model = Attention()
    multiply_together(model)
    values, own = torch.randn(1, 4, 64), Attention()
    widths.clear()
    assert torch.equal(model.k_proj(values), own.k_proj(values))
    assert all_the_same(model(values), own(values))
    assert torch.equal(model.k_proj(values), own.k_proj(values))  # asked again
    assert widths == [32, 128, 32]


@interpreted
@torch.inference_mode()
def test_where_a_trial_gives_other_bits_for_some_they_are_apart_for_these(monkeypatch, widths):
    plain = merged_products.linear

    def other(values, weight, bias):
        return plain(values, weight, bias) + (1e-6 if len(weight) == 128 and values.shape[1] > 2 else 0)

    monkeypatch.setattr(merged_products, "linear", other)
    model = Attention()
    assert merged_products._same_products([model.q_proj, model.k_proj, model.v_proj]) == {1, 2}
    assert multiply_together(model) == 1
    monkeypatch.setattr(merged_products, "_same_products", lambda parts: frozenset())
    assert multiply_together(Attention()) == 0


@interpreted
def test_what_is_no_plain_layer_is_left_alone():
    class Quantized(nn.Linear):
        pass

    for change in (
        lambda model: setattr(model, "k_proj", Quantized(64, 32)),
        lambda model: setattr(model, "k_proj", nn.Linear(64, 32, bias=False)),
        lambda model: setattr(model, "k_proj", nn.Linear(64, 32, dtype=torch.float16)),
        lambda model: setattr(model.k_proj, "forward", lambda values: values),
        lambda model: delattr(model, "k_proj"),
    ):
        model = Attention()
        change(model)
        assert multiply_together(model) == 0


@interpreted
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_pages_are_decoded_with_it_as_without(lively_qwen, printed_page, dtype, monkeypatch):
    written = []
    for way in ("together", "apart"):
        if way == "apart":
            monkeypatch.setattr(adapter, "multiply_together", lambda decoder: 0)
        target = load_target(ParseOptions(model=str(lively_qwen), device="cpu", dtype=dtype)).target
        assert target.kernels["products"] == (2 * target.kv_spec.layers if way == "together" else 0)
        request = Request(target.encode(printed_page.crop((0, 0, 96, 64)), "Read."), (), 8)
        written.append(make_decoder(target, ParseOptions()).speculate([request])[0][0].tokens)
    assert written[0] == written[1]
