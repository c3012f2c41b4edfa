"""A decoder with recurrent layers: many rows that enter, move and end; long outputs; faults that must be noticed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from PIL import Image
from transformers import GenerationConfig

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets.loading import inputs_of, rules_of
from docspec.targets.recurrent import layers
from docspec.targets.recurrent.states import RecurrentStates
from docspec.targets.registry import load_target
from tests.targets.families.checkpoint import write
from tests.targets.families.qwen3_5 import CASE

OPTIONS = {"dtype": "float32", "device": "cpu"}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    directory = write(CASE, tmp_path_factory.mktemp("hybrid") / "model")
    return load_target(ParseOptions(model=str(directory), **OPTIONS))


@pytest.fixture(scope="module")
def target(loaded):
    return loaded.target


def picture(seed: int, width: int, height: int) -> Image.Image:
    """Noise: random weights tell it apart better than print."""
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def generated(target, prompt, most: int, **said) -> tuple[int, ...]:
    with torch.inference_mode():
        ids = target.model.generate(**prompt.inputs, do_sample=False, max_new_tokens=most, **said)
    return tuple(token for token in ids[0, prompt.length :].tolist() if token not in target.eos_ids)


def edited(tokens: tuple[int, ...], every: int) -> tuple[int, ...]:
    """A draft that is wrong, short of a token or has one too many by turns."""
    draft, faults = [], itertools.cycle(("wrong", "short", "more"))
    for index, token in enumerate(tokens):
        fault = next(faults) if index % every == every - 1 else None
        draft += {None: [token], "wrong": [(token + 1) % 256], "short": [], "more": [token, token]}[fault]
    return tuple(draft)


@pytest.fixture(scope="module")
def asked(target):
    """Prompts of several lengths with what ``generate`` writes for them."""
    found = []
    for index in range(7):
        prompt = target.encode(picture(index, 64 + 32 * (index % 3), 32 + 32 * (index % 2)), f"Read {index}.")
        found.append((prompt, generated(target, prompt, 20 + 9 * index)))
    return found


def requests(asked):
    return [
        Request(prompt, (edited(tokens, 4 + index), tokens[::-1]), 20 + 9 * index)
        for index, (prompt, tokens) in enumerate(asked)
    ]


def test_outputs_depend_on_the_picture_and_the_prompt(asked):
    assert len({tokens[:20] for _, tokens in asked}) == len(asked)


def test_rows_enter_move_and_end_as_ever(target, asked):
    engine = make_decoder(target, ParseOptions())
    for max_rows in (1, 2, 3, 7):
        outputs, stats = engine.speculate(requests(asked), max_rows=max_rows)
        assert [output.tokens for output in outputs] == [tokens for _, tokens in asked], max_rows
        assert stats.accepted > stats.tokens / 2


def test_generation_rules_hold_along_every_branch(target, asked, monkeypatch):
    said = {"repetition_penalty": 1.3, "suppress_tokens": [asked[0][1][3], asked[1][1][5]]}
    expected = [(prompt, generated(target, prompt, 40, **said)) for prompt, _ in asked[:3]]
    assert all(tokens[:20] != free[:20] for (_, tokens), (_, free) in zip(expected[:2], asked[:2], strict=True))
    monkeypatch.setattr(target, "rules", rules_of(GenerationConfig(**said), target.eos_ids, 400))
    asking = [
        Request(prompt, (edited(tokens, 5), free), 40)
        for (prompt, tokens), (_, free) in zip(expected, asked[:3], strict=True)
    ]
    outputs, stats = make_decoder(target, ParseOptions(**OPTIONS)).speculate(asking)
    assert [output.tokens for output in outputs] == [tokens for _, tokens in expected]
    assert stats.accepted > 20


def test_two_thousand_tokens_do_not_drift(target, asked):
    """Tokens are those of plain decoding; now and then a prefill of all that was written chooses the same one."""
    prompt, _ = asked[0]
    most = 2000
    engine = make_decoder(target, ParseOptions(on_loop="keep"))
    [plain], _ = engine.speculate([Request(prompt, (), most, plain=True)])
    draft = edited(plain.tokens, 9)
    [output], stats = engine.speculate([Request(prompt, (draft,), most)])
    assert output.tokens == plain.tokens and len(output.tokens) == most
    assert stats.accepted > most / 2
    with torch.inference_mode():
        for end in range(400, most, 400):
            written = torch.tensor([output.tokens[:end]])
            inputs = dict(prompt.inputs)
            inputs["input_ids"] = torch.cat([inputs["input_ids"], written], dim=1)
            for name in ("attention_mask", "mm_token_type_ids"):
                fill = int(name == "attention_mask")
                inputs[name] = torch.cat([inputs[name], torch.full_like(written, fill)], dim=1)
            logits = target.model(**inputs).logits[0, -1]
            best = logits.topk(2)
            chosen = output.tokens[end]
            assert best.indices[0] == chosen or float(best.values[0] - logits[chosen]) < 1e-4, end


def speculated(target, asked, max_rows=3):
    outputs, _ = make_decoder(target, ParseOptions()).speculate(requests(asked), max_rows=max_rows)
    return [output.tokens for output in outputs]


def test_states_of_the_wrong_parent_are_noticed(target, asked, monkeypatch):
    honest = layers.verify

    def siblings(state, queries, keys, values, decays, betas, ancestry):
        everything = torch.ones_like(ancestry).tril() & ancestry.diagonal(dim1=1, dim2=2).unsqueeze(1)
        return honest(state, queries, keys, values, decays, betas, everything)

    monkeypatch.setattr(layers, "verify", siblings)
    assert speculated(target, asked) != [tokens for _, tokens in asked]


def test_a_convolution_window_that_is_off_by_one_is_noticed(target, asked, monkeypatch):
    honest = layers._convolved
    monkeypatch.setattr(
        layers, "_convolved", lambda layer, shown, windows: honest(layer, shown, (windows - 1).clamp(min=0))
    )
    assert speculated(target, asked) != [tokens for _, tokens in asked]


def test_a_state_that_is_not_rolled_back_is_noticed(target, asked, monkeypatch):
    honest = RecurrentStates._after

    def late(self, accepted, most):
        return honest(self, (accepted + (accepted > 0)).clamp(max=self._width), min(most + 1, self._width))

    monkeypatch.setattr(RecurrentStates, "_after", late)
    assert speculated(target, asked) != [tokens for _, tokens in asked]


def test_a_row_that_moves_without_its_state_is_noticed(target, asked, monkeypatch):
    monkeypatch.setattr(RecurrentStates, "move_row", lambda self, source, target: None)
    assert speculated(target, asked, max_rows=7) != [tokens for _, tokens in asked]


def test_memory_of_states_is_shared_and_told(target, asked):
    engine = make_decoder(target, ParseOptions())
    target.kv.release()
    engine.speculate(requests(asked)[:2], max_rows=2)
    small = target.kv.nbytes
    spec = target.kv_spec.recurrent
    assert spec is not None
    numbers = spec.heads * spec.key_dim * spec.value_dim + spec.channels * spec.window
    row = len(spec.layers) * 4 * numbers  # all of them in float32
    assert small > 2 * row
    engine.speculate(requests(asked), max_rows=7)
    assert target.kv.nbytes >= small + 5 * row
    engine.speculate(requests(asked)[:1])
    assert engine.speculate(requests(asked), max_rows=7)[1].kv_bytes == target.kv.nbytes


def test_the_template_is_told_not_to_have_it_think(tmp_path):
    path = write(CASE, tmp_path)
    with (path / "chat_template.jinja").open("a") as template:
        template.write("{% if enable_thinking is defined and not enable_thinking %}{{ '[no thoughts]' }}{% endif %}")
    processing = inputs_of(CASE.family, str(path))
    ids = processing.encode(picture(0, 64, 32), "Read.")["input_ids"][0].tolist()
    assert processing.tokenizer.decode(ids).endswith("assistant\n[no thoughts]")
