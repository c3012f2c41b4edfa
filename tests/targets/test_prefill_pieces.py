"""Long prompts are read in pieces: memory stays bounded, sliding windows hold, and the rule follows what is free."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from PIL import Image

from docspec.core import ParseOptions
from docspec.targets.adapter import TransformersTarget
from docspec.targets.estimate import PIECES, Estimate, estimate
from docspec.targets.protocol import Prefill, Prompt
from docspec.targets.registry import load_target
from tests.targets.dots_checkpoint import write_tiny_dots_ocr
from tests.targets.families.checkpoint import write
from tests.targets.families.qwen2_5_vl import CASE


def loaded(directory: Path, attention: str = "auto") -> TransformersTarget:
    options = ParseOptions(model=str(directory), dtype="float32", device="cpu", attention=attention)
    return load_target(options).target


def text_prompt(target: TransformersTarget, length: int) -> Prompt:
    """A small image and as much text as makes ``length`` tokens, all of them attended to."""
    prompt = target.encode(Image.effect_noise((64, 64), 90).convert("RGB"), "Read.")
    ids = prompt.inputs["input_ids"]
    more = torch.tensor([target.tokenize("Words of a very long instruction. " * length)])
    more = more[:, : length - prompt.length]
    inputs = {**prompt.inputs, "input_ids": torch.cat((ids, more), dim=1)}
    inputs.pop("attention_mask", None)
    if "mm_token_type_ids" in inputs:
        inputs["mm_token_type_ids"] = torch.nn.functional.pad(inputs["mm_token_type_ids"], (0, more.shape[1]))
    return Prompt(inputs, length)


def read(target: TransformersTarget, prompt: Prompt) -> Prefill:
    return target.prefill([prompt], target.kv.cache(1, prompt.length), [0])[0]


@pytest.mark.parametrize("attention", ["auto", "sdpa", "eager"])
def test_sliding_windows_hold_across_pieces(tmp_path: Path, attention: str) -> None:
    path = write_tiny_dots_ocr(tmp_path, seed=2)
    config = json.loads((path / "config.json").read_text())
    config |= {"use_sliding_window": True, "sliding_window": 12, "max_window_layers": 1}
    (path / "config.json").write_text(json.dumps(config))
    target = loaded(path, attention)
    prompt = text_prompt(target, 90)
    whole = read(target, prompt)
    for piece in (7, 12, 50):
        target.piece = piece
        torch.testing.assert_close(read(target, prompt).logits, whole.logits, rtol=1e-4, atol=1e-4)
    target._window = replace(target._window, tokens=20)
    assert not torch.allclose(read(target, prompt).logits, whole.logits, atol=1e-3)


def test_pieces_need_no_masks_where_all_layers_are_causal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a decoder with windows do, and those of an attention that is not docspec's."""
    path = write(CASE, tmp_path)
    target, other = loaded(path), loaded(path, "sdpa")
    made = []
    for one in (target, other):
        honest = one.masks
        monkeypatch.setattr(one, "masks", lambda *given, honest=honest: made.append(given) or honest(*given))
    prompt = text_prompt(target, 300)
    whole = read(target, prompt)
    for piece in (100, 128, 299):
        target.piece = other.piece = piece
        torch.testing.assert_close(read(target, prompt).logits, whole.logits, rtol=1e-5, atol=1e-5)
        assert not made
        read(other, prompt)
        assert made
        made.clear()


def peak_of(target: TransformersTarget, prompt: Prompt) -> int:
    """Bytes that tensors of a prefill take at most beside what was there before."""
    cache = target.kv.cache(1, prompt.length)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        target.prefill([prompt], cache, [0])
    held = peak = 0
    assert profile.profiler is not None
    for event in profile.profiler.kineto_results.events():
        if event.name() == "[memory]":
            held += event.nbytes()
            peak = max(peak, held)
    return peak


@pytest.mark.parametrize("attention", ["auto", "eager"])
def test_pieces_bound_what_a_long_prompt_takes(tmp_path: Path, attention: str) -> None:
    """A decoder whose inner layers are wide, as published ones are; the same prompt, ten times as long as a piece."""
    wide = replace(CASE, config=lambda ids: {**CASE.config(ids), "intermediate_size": 3000})
    path = write(wide, tmp_path)
    target = loaded(path, attention)
    prompt = text_prompt(target, 1280)
    whole, at_once = read(target, prompt), peak_of(target, prompt)
    target.piece = 128
    in_pieces = peak_of(target, prompt)
    torch.testing.assert_close(read(target, prompt).logits, whole.logits, rtol=1e-3, atol=1e-3)
    assert in_pieces < at_once / 5
    a_token = estimate(str(path), "float32", prompt.length).prompt_token
    assert at_once > 1280 * a_token / 2
    if attention == "auto":
        assert in_pieces < 1.5 * 128 * a_token


def test_a_piece_is_what_half_of_the_free_memory_holds() -> None:
    wanted = Estimate(weights=1000, keys_values=500, rows=1, slots=10, prompt_token=3)
    assert wanted.piece(None) == 4096
    assert wanted.piece(1500 + 2 * 3 * PIECES[0]) == PIECES[0]
    assert wanted.piece(1500 + 2 * 3 * PIECES[0] - 1) == PIECES[1]
    assert wanted.piece(1500 + 2 * 3 * 512) == 512
    assert wanted.piece(0) == PIECES[-1]
