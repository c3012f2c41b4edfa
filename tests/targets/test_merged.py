"""Layers whose sums and norms are one kernel each write what transformers' own layers write, to the bit, by Triton's
interpreter in a process of its own."""

from __future__ import annotations

import pytest
import torch
from transformers import Qwen2Config
from transformers.models.qwen2.modeling_qwen2 import Qwen2Model

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets import adapter
from docspec.targets.merged import add_with_norms
from docspec.targets.one_kernel import NORMED, normalise_in_one_kernel
from docspec.targets.registry import load_target
from tests.targets.interpreted import INTERPRETED, interpreted, run_interpreted


def decoder(dtype=torch.float32):
    """With norms of one kernel, whose weights are not all one."""
    torch.manual_seed(3)
    sizes = {"hidden_size": 48, "intermediate_size": 40, "num_attention_heads": 4, "num_key_value_heads": 2}
    model = Qwen2Model(Qwen2Config(**sizes, num_hidden_layers=3, vocab_size=50)).eval().to(dtype)
    with torch.no_grad():
        for module in model.modules():
            if "RMSNorm" in type(module).__name__:
                module.weight.uniform_(-1, 1)
    normalise_in_one_kernel(model)
    return model


def test_all_others_by_tritons_interpreter():
    run_interpreted(__file__)


@pytest.mark.skipif(INTERPRETED, reason="about the usual process")
def test_without_the_interpreter_nothing_is_changed_on_a_cpu():
    assert add_with_norms(decoder()) == 0


@interpreted
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_a_decoder_writes_the_same_and_adds_nowhere_else(dtype):
    merged, own = decoder(dtype), decoder(dtype)
    assert add_with_norms(merged) == 3
    for tokens in (torch.tensor([[7]]), torch.arange(10).view(2, 5)):
        with torch.inference_mode():
            expected = own(input_ids=tokens, use_cache=False).last_hidden_state
            assert torch.equal(merged(input_ids=tokens, use_cache=False).last_hidden_state, expected)


@interpreted
def test_a_norm_takes_what_was_made_for_it_and_nothing_else():
    model = decoder()
    add_with_norms(model)
    first, second = model.layers[:2]
    values = torch.randn(1, 4, 48)
    angles = torch.ones(1, 4, 12), torch.zeros(1, 4, 12)
    with torch.inference_mode():
        summed = first(values, attention_mask=None, position_embeddings=angles)
        normed = getattr(summed, NORMED)[1]
        assert second.input_layernorm(summed) is normed
        assert torch.equal(second.input_layernorm(summed.clone()), normed)
        second.post_attention_layernorm.weight.copy_(second.input_layernorm.weight + 1)
        assert not torch.equal(second.post_attention_layernorm(summed), normed)  # another norm
        assert not torch.equal(second.input_layernorm(summed * 1 + 1), normed)  # another tensor


@interpreted
def test_a_layer_that_adds_otherwise_is_left_alone():
    class Scaled(type(decoder().layers[0])):
        def forward(self, hidden_states, **given):
            return hidden_states + 0.5 * super().forward(hidden_states, **given)

    model = decoder()
    model.layers[1].__class__ = Scaled
    assert add_with_norms(model) == 2
    model = decoder()
    model.layers[1].input_layernorm.forward = lambda values: values
    assert add_with_norms(model) == 1  # nor the layer before it
    assert add_with_norms(torch.nn.Linear(2, 2)) == 0


@interpreted
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_pages_are_decoded_with_it_as_without(lively_qwen, printed_page, dtype, monkeypatch):
    written = []
    for way in ("merged", "apart"):
        if way == "apart":
            monkeypatch.setattr(adapter, "add_with_norms", lambda decoder: 0)
        target = load_target(ParseOptions(model=str(lively_qwen), device="cpu", dtype=dtype)).target
        assert target.kernels["sums"] == (target.kv_spec.layers if way == "merged" else 0)
        request = Request(target.encode(printed_page.crop((0, 0, 96, 64)), "Read."), (), 8)
        written.append(make_decoder(target, ParseOptions()).speculate([request])[0][0].tokens)
    assert written[0] == written[1]
