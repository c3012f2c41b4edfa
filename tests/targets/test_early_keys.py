"""Keys and values that the rotation writes lie in the cache as if it had copied them, by Triton's interpreter in a
process of its own."""

from __future__ import annotations

import pytest
import torch
from transformers import Qwen3Config
from transformers.models.hunyuan_vl import modeling_hunyuan_vl
from transformers.models.hunyuan_vl.configuration_hunyuan_vl import HunYuanVLTextConfig
from transformers.models.qwen3.modeling_qwen3 import Qwen3Model

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets import one_kernel
from docspec.targets.kv import KVSpec
from docspec.targets.kv_cache import SlotCache, SlotLayer
from docspec.targets.one_kernel import rotate_in_one_kernel
from docspec.targets.registry import load_target
from tests.targets.interpreted import interpreted, run_interpreted

SIZES = {"hidden_size": 48, "intermediate_size": 40, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 24}


def decoder(dtype, changed, monkeypatch, writes=True):
    """A decoder and the geometry of its cache."""
    torch.manual_seed(3)
    model = Qwen3Model(Qwen3Config(**SIZES, num_hidden_layers=2, vocab_size=50)).eval().to(dtype)
    spec = KVSpec(2, 2, 24, dtype, torch.device("cpu"))
    if changed:
        if not writes:
            monkeypatch.setattr(one_kernel, "writes_the_same", lambda *given: False)
        assert rotate_in_one_kernel(model, spec) == 2
    return model, spec


def copies(monkeypatch):
    """How often anything is copied into a cache from now on."""
    counted, plain = [], torch.Tensor.index_copy_
    monkeypatch.setattr(torch.Tensor, "index_copy_", lambda *given: (counted.append(1), plain(*given))[1])
    return counted


def stepped(model, spec, slots, prefill=()):
    """The cache after a step that writes ``slots`` ``(rows, tokens)``, and what the step makes."""
    cache = SlotCache(spec, 3, 12)
    with torch.inference_mode():
        if prefill:
            cache.begin_prefills([0], [len(prefill)])
            model(input_ids=torch.tensor([prefill]), past_key_values=cache, use_cache=True)
        slots = torch.tensor(slots)
        cache.begin_step(slots, 12)
        mask = torch.zeros(*slots.shape, 12).unsqueeze(1)
        positions = torch.arange(slots.shape[1]).expand(slots.shape)
        made = model(
            input_ids=slots, position_ids=positions, attention_mask=mask, past_key_values=cache, use_cache=True
        )
    return cache.buffer, made.last_hidden_state


def test_all_others_by_tritons_interpreter():
    run_interpreted(__file__)


def test_without_the_interpreter_a_cache_copies_what_is_not_what_was_written():
    spec = KVSpec(1, 2, 4, torch.float32, torch.device("cpu"))
    key, value, other = torch.ones(1, 2, 3, 4), torch.full((1, 2, 3, 4), 2.0), torch.full((1, 2, 3, 4), 3.0)
    cache = SlotCache(spec, 1, 5)
    layer = cache.layers[0]
    assert isinstance(layer, SlotLayer)
    for given, expected in (((key, value), (0, 0)), ((other, value), (3, 0)), ((key, other), (3, 3))):
        cache.begin_step(torch.tensor([[0, 1, 2]]), 5)
        layer.wrote(key, value)
        cache.update(*given, 0)
        assert cache.buffer[0, :, 0, :3].amax((1, 2, 3)).tolist() == list(expected)
    cache.update(key, value, 0)  # of another pass: what was written before is over
    assert cache.buffer[0, :, 0, :3].amax((1, 2, 3)).tolist() == [1, 2]


@interpreted
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("slots", [[[0]], [[3, 1, 12], [2, 5, 4]]])
def test_a_step_leaves_the_same_keys_and_values(dtype, slots, monkeypatch):
    early, own = (stepped(*decoder(dtype, changed, monkeypatch), slots) for changed in (True, False))
    assert torch.equal(early[0], own[0]) and torch.equal(early[1], own[1])
    assert early[0].any()


@interpreted
def test_steps_copy_nothing_and_prompts_are_copied(monkeypatch):
    model, spec = decoder(torch.float32, True, monkeypatch)
    counted = copies(monkeypatch)
    stepped(model, spec, [[3, 4]])
    assert not counted
    found = stepped(model, spec, [[3, 4]], prefill=[5, 6, 7])
    assert len(counted) == 2 * spec.layers
    expected = stepped(*decoder(torch.float32, False, monkeypatch), [[3, 4]], prefill=[5, 6, 7])
    assert torch.equal(found[0], expected[0]) and torch.equal(found[1], expected[1])


@interpreted
def test_without_a_trial_that_succeeds_the_cache_copies(monkeypatch):
    model, spec = decoder(torch.float32, True, monkeypatch, writes=False)
    counted = copies(monkeypatch)
    stepped(model, spec, [[3, 4]])
    assert len(counted) == 2 * spec.layers


@interpreted
def test_keys_that_are_normalised_behind_the_rotation_are_copied(monkeypatch):
    """HunyuanOCR: what was written early is written again, and only values are not."""
    torch.manual_seed(3)
    turns = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [4, 4, 4]}
    config = HunYuanVLTextConfig(**SIZES, num_hidden_layers=2, vocab_size=50, pad_token_id=0, rope_parameters=turns)
    spec = KVSpec(2, 2, 24, torch.float32, torch.device("cpu"))
    own = modeling_hunyuan_vl.HunYuanVLTextModel(config).eval()
    early = modeling_hunyuan_vl.HunYuanVLTextModel(config).eval()
    early.load_state_dict(own.state_dict())
    assert rotate_in_one_kernel(early, spec) == 2
    expected = stepped(own, spec, [[3, 4]])
    counted = copies(monkeypatch)
    found = stepped(early, spec, [[3, 4]])
    assert torch.equal(found[0], expected[0]) and torch.equal(found[1], expected[1])
    assert len(counted) == spec.layers


@interpreted
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_pages_are_decoded_with_it_as_without(lively_qwen, printed_page, dtype, monkeypatch):
    written, numbers = [], []
    counted = copies(monkeypatch)
    for writes in (True, False):
        if not writes:
            monkeypatch.setattr(one_kernel, "writes_the_same", lambda *given: False)
        counted.clear()
        target = load_target(ParseOptions(model=str(lively_qwen), device="cpu", dtype=dtype)).target
        request = Request(target.encode(printed_page.crop((0, 0, 96, 64)), "Read."), (), 8)
        written.append(make_decoder(target, ParseOptions()).speculate([request])[0][0].tokens)
        numbers.append(len(counted))
    assert written[0] == written[1] and numbers[0] < numbers[1]
