"""Queries and keys turned by one kernel are those of transformers to the bit, by Triton's interpreter in a process of
its own. The interpreter cuts bfloat16 where devices round it, so that half precision is float16 here."""

from __future__ import annotations

import types

import pytest
import torch
from transformers.models.glm_ocr import modeling_glm_ocr
from transformers.models.hunyuan_vl import modeling_hunyuan_vl
from transformers.models.qwen2 import modeling_qwen2
from transformers.models.qwen3_vl import modeling_qwen3_vl

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets import adapter, one_kernel
from docspec.targets.kv import KVSpec
from docspec.targets.one_kernel import rotate_in_one_kernel
from docspec.targets.registry import load_target
from tests.targets.interpreted import INTERPRETED, interpreted, run_interpreted


def layer_of(file: types.ModuleType, dtype: torch.dtype = torch.float32) -> torch.nn.Module:
    """A module whose ``forward`` turns what it is given by the function in ``file``."""
    names = {"apply_rotary_pos_emb": file.apply_rotary_pos_emb, "torch": torch}
    exec("def forward(self, q, k, cos, sin, *, more=0.0): return apply_rotary_pos_emb(q, k, cos + more, sin)", names)
    made = type("Layer", (torch.nn.Linear,), {"forward": names["forward"]})
    return made(1, 1).to(dtype)  # type: ignore[no-any-return]


def spec_of(dim: int, dtype: torch.dtype = torch.float32) -> KVSpec:
    """Of keys of ``dim`` numbers on a CPU."""
    return KVSpec(1, 2, dim, dtype, torch.device("cpu"))


def numbers(dtype, rows=2, tokens=3, heads=4, kv_heads=2, dim=24):
    made = torch.Generator().manual_seed(7)

    def those(*shape):
        return torch.randn(shape, generator=made).to(dtype)

    query, key = (those(rows, tokens, count, dim).transpose(1, 2) for count in (heads, kv_heads))
    return query, key, those(rows, tokens, dim), those(rows, tokens, dim)


def test_all_others_by_tritons_interpreter():
    run_interpreted(__file__)


@pytest.mark.skipif(INTERPRETED, reason="about the usual process")
def test_without_the_interpreter_nothing_is_changed_on_a_cpu():
    assert rotate_in_one_kernel(torch.nn.Sequential(layer_of(modeling_qwen2)), spec_of(24)) == 0


@pytest.mark.skipif(INTERPRETED, reason="about the usual process")
def test_torch_compile_gets_the_function_of_transformers_and_no_interpreter(monkeypatch):
    monkeypatch.setattr(one_kernel, "unavailable", lambda device: "")
    monkeypatch.setattr(one_kernel, "_same_rotation", lambda *given: True)
    model, own = torch.nn.Sequential(layer_of(modeling_qwen2)), layer_of(modeling_qwen2)
    assert rotate_in_one_kernel(model, spec_of(24)) == 1
    compiled = torch.compile(model[0], backend="eager", fullgraph=True)
    for found, expected in zip(compiled(*numbers(torch.float32)), own(*numbers(torch.float32)), strict=True):
        assert torch.equal(found, expected)


@interpreted
@pytest.mark.parametrize("file", [modeling_qwen2, modeling_qwen3_vl, modeling_hunyuan_vl])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("sizes", [{}, {"rows": 1, "tokens": 1, "kv_heads": 1, "dim": 128}, {"dim": 96}])
def test_it_is_the_rotation_of_transformers(file, dtype, sizes):
    given = numbers(dtype, **sizes)
    model, own = torch.nn.Sequential(layer_of(file, dtype)), layer_of(file, dtype)
    assert rotate_in_one_kernel(model, spec_of(given[0].shape[-1], dtype)) == 1
    for found, expected in zip(model[0](*given, more=0.5), own(*given, more=0.5), strict=True):
        assert torch.equal(found, expected)


@interpreted
def test_one_cosine_for_all_rows_is_that_of_each():
    query, key, cos, sin = numbers(torch.float32)
    model, own = torch.nn.Sequential(layer_of(modeling_qwen2)), layer_of(modeling_qwen2)
    rotate_in_one_kernel(model, spec_of(24))
    for found, expected in zip(model[0](query, key, cos[:1], sin[:1]), own(query, key, cos[:1], sin[:1]), strict=True):
        assert torch.equal(found, expected)


@interpreted
def test_what_turns_otherwise_is_left_alone():
    """Neighbours instead of halves, only a part of a head, and what another module of the same file does."""
    assert rotate_in_one_kernel(torch.nn.Sequential(layer_of(modeling_glm_ocr)), spec_of(24)) == 0
    model = torch.nn.Sequential(layer_of(modeling_qwen2))
    before = modeling_qwen2.apply_rotary_pos_emb
    rotate_in_one_kernel(model, spec_of(24))
    assert modeling_qwen2.apply_rotary_pos_emb is before
    query, key, cos, sin = numbers(torch.float32)
    with pytest.raises(RuntimeError):
        model[0](query, key, cos[..., :12], sin[..., :12])  # as transformers' own: it was called


@interpreted
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_pages_are_decoded_with_it_as_without(lively_qwen, printed_page, dtype, monkeypatch):
    written = []
    for way in ("one kernel", "transformers' own"):
        if way != "one kernel":
            monkeypatch.setattr(adapter, "rotate_in_one_kernel", lambda decoder, spec: 0)
        target = load_target(ParseOptions(model=str(lively_qwen), device="cpu", dtype=dtype)).target
        layers = [one for one in target.decoder.modules() if type(one).__name__.endswith("Attention")]
        own = [one for one in layers if one.forward.__globals__ is not type(one).forward.__globals__]
        assert layers and own == (layers if way == "one kernel" else [])
        assert target.kernels["rotations"] == len(own) and target.kernels["norms"] > len(layers)
        request = Request(target.encode(printed_page.crop((0, 0, 96, 64)), "Read."), (), 8)
        written.append(make_decoder(target, ParseOptions()).speculate([request])[0][0].tokens)
    assert written[0] == written[1]
