"""How often half precision writes something else than its own plain decoding: random checkpoints of families.

Random weights are the hardest case: their likeliest tokens are often nearly equal, and what a step's shape moves
decides between them. Each picture is decoded plainly, alone; then with trees of several sizes, beside other pictures,
and with trees whose close choices are made again (``--exact strict``). With a Python that has vLLM the same is asked of
vLLM.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

from benchmarks.published_sizes import decoder_sizes
from benchmarks.random_weights import WordlessProcessing
from benchmarks.serving.images import data_url
from docspec.core import ParseOptions
from docspec.engine.decoder import Decoder
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets.adapter import TransformersTarget
from docspec.targets.attention import attentions
from docspec.targets.kv_cache import SlotCache
from docspec.targets.registry import load_target
from docspec.targets.tree_check import shape_noise

TREES = (8, 16, 64)
WRONG = 0.1
"""Share of a draft's tokens that are wrong."""

POSITIONS = 256
"""Positions of meaningless text whose margins are weighed."""

PICTURES = 12
"""Pictures that each family reads."""

PROMPT = "Read."


@dataclass(frozen=True, slots=True)
class Departures:
    """Of ``outputs`` of ``tokens`` in all, how many differ from plain decoding by the way in which they were decoded;
    of the tokens of strict trees, how many were ``redecided``."""

    family: str
    outputs: int
    tokens: int
    by_way: dict[str, int]
    redecided: int


@dataclass(frozen=True, slots=True)
class Margins:
    """Of ``positions``, those whose choice differs by the step's shape, and those that a limit on margins finds too
    close: on margins of the rounded logits (``rounded``), and on margins in float32 of the same hidden states
    (``exact``). The first limit is :func:`docspec.targets.tree_check.shape_noise`; the second is measured the same way,
    and one rounding of a logit more, since plain decoding chooses among rounded ones. ``missed`` are choices that
    differ and that a limit does not find."""

    positions: int
    differ: int
    rounded: int
    exact: int
    missed: tuple[int, int]


def edited(tokens: Sequence[int], seed: int) -> tuple[int, ...]:
    """A draft of ``tokens``: a share of :data:`WRONG` is another token."""
    chance = random.Random(seed)
    return tuple(token + 1 if chance.random() < WRONG else token for token in tokens)


def departures(family: str, folder: str, pictures: Sequence[Any], budget: int) -> tuple[Departures, list[list[int]]]:
    """What docspec's engine writes for ``pictures`` with the checkpoint in ``folder``, and its plain tokens."""
    target = loaded(folder)
    engine = make_decoder(target, ParseOptions())
    limit = shape_noise(target)
    asked = [Request(target.encode(picture, PROMPT), (), budget, plain=True) for picture in pictures]
    plain = [engine.baseline(request)[0].tokens for request in asked]
    drafted = [
        replace(request, plain=False, drafts=(edited(tokens, at),))
        for at, (request, tokens) in enumerate(zip(asked, plain, strict=True))
    ]
    strict = [engine.speculate([replace(request, least_margin=limit)]) for request in drafted]
    written = {
        "beside others": [output.tokens for output in engine.speculate(asked)[0]],
        **{f"tree of {size}": [_alone(target, request, size) for request in drafted] for size in TREES},
        "strict": [outputs[0].tokens for outputs, _ in strict],
    }
    differ = {way: sum(a != b for a, b in zip(found, plain, strict=True)) for way, found in written.items()}
    redecided = sum(stats.redecided for _, stats in strict)
    tokens = sum(map(len, plain))
    return Departures(family, len(plain), tokens, differ, redecided), [list(one) for one in plain]


def _alone(target: TransformersTarget, request: Request, size: int) -> tuple[int, ...]:
    engine: Decoder = make_decoder(target, ParseOptions(max_tree=size))
    return engine.speculate([request])[0][0].tokens


@torch.inference_mode()
def weighed(target: TransformersTarget, width: int = 64) -> Margins:
    """Whether margins in float32 would leave fewer choices of ``target`` to be made again, over meaningless text run
    ``width`` tokens at a time."""
    limit = shape_noise(target)
    table = target.model.get_output_embeddings().weight.float()
    tokens = torch.randint(250, (POSITIONS,), generator=torch.Generator().manual_seed(0))
    alone, together = (_hidden(target, tokens, each) for each in (1, width))
    chosen = torch.cat([target.logits(one.unsqueeze(0)) for one in alone.split(1)])[:, 0].argmax(-1)
    logits = torch.cat([target.logits(some.unsqueeze(0))[0] for some in together.split(width)])
    values, best = logits.float().topk(2, -1)
    expected, found = alone.float() @ table.T, together.float() @ table.T
    moved = (found - expected).gather(-1, expected.topk(8, -1).indices)
    noise = 2 * float((moved - moved[:, :1]).abs().max())
    rounding = torch.finfo(target.kv_spec.dtype).eps * 2 ** values[:, 0].abs().clamp(min=1e-9).log2().floor()
    pair = found.gather(-1, best)
    close = values[:, 0] - values[:, 1] < limit, pair[:, 0] - pair[:, 1] < noise + rounding
    differ = best[:, 0] != chosen
    missed = tuple(int((differ & ~one).sum()) for one in close)
    return Margins(POSITIONS, int(differ.sum()), int(close[0].sum()), int(close[1].sum()), (missed[0], missed[1]))


def _hidden(target: TransformersTarget, tokens: torch.Tensor, width: int) -> torch.Tensor:
    """The last hidden states ``(tokens, size)`` of ``tokens`` run ``width`` at a time."""
    cache = SlotCache(target.kv_spec, rows=1, slots=len(tokens))
    found = []
    for at in torch.arange(len(tokens)).split(width):
        cache.begin_step(at.unsqueeze(0), len(tokens))
        mask = (torch.arange(len(tokens)) <= at.unsqueeze(1)).unsqueeze(0)
        found.append(target.hidden(tokens[at].unsqueeze(0), at.unsqueeze(0), mask, cache)[0])
    return torch.cat(found)


@torch.no_grad()
def deep(layers: int, hidden: int, vocabulary: int = 20_000) -> TransformersTarget:
    """A random decoder of Qwen3-VL with so many ``layers``, whose likeliest logits are near 20 as those of published
    models: tiny ones have few layers, and each adds to what the shape of a step moves."""
    rope = {"rope_type": "default", "rope_theta": 5e6, "mrope_section": [12, 10, 10], "mrope_interleaved": True}
    text = decoder_sizes(hidden, 3 * hidden, layers, 8, 2, vocab_size=vocabulary, head_dim=64, rope_parameters=rope)
    vision = decoder_sizes(64, 64, 1, 2, 2) | {"depth": 1, "num_heads": 2, "out_hidden_size": hidden}
    config = Qwen3VLConfig(text_config=text, vision_config={**vision, "deepstack_visual_indexes": []})
    made = torch.Generator().manual_seed(1)
    model = Qwen3VLForConditionalGeneration._from_config(
        config, dtype=torch.bfloat16, attn_implementation=attentions("auto", config.sub_configs, "sdpa")
    )
    for name, weight in model.named_parameters():
        if weight.ndim == 2 and "visual" not in name:
            scale = 1.0 if "embed" in name else weight.shape[1] ** -0.5
            weight.copy_(scale * torch.randn(weight.shape, generator=made))
    target = TransformersTarget(model, WordlessProcessing(None, 1, typed=True), eos_ids=frozenset())
    tokens = torch.randint(250, (64,), generator=made)
    highest = target.logits(_hidden(target, tokens, 64)).float().amax(-1).median()
    model.get_output_embeddings().weight.mul_(20 / highest)
    return target


def loaded(folder: str) -> TransformersTarget:
    """The checkpoint in ``folder`` in bfloat16."""
    return load_target(ParseOptions(model=folder, dtype="bfloat16", device="cpu")).target


def checkpoints(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, Path, list[Any]]]:
    """Tiny checkpoints of families (all that vLLM reads where none is named) in ``folder``, with :data:`PICTURES`
    pictures: print, and noise."""
    made = import_module("tests.vllm.test_families")
    printed = import_module("tests.exactness.checkpoints").printed
    for name in names or made.FAMILIES:
        sizes = made.DOTS_SIZES if name == made.OWN else made.SIZES
        pictures = [printed(*size) for size in sizes]
        for seed in range(PICTURES - len(sizes)):
            width, height = sizes[seed % len(sizes)]
            noise = random.Random(seed).randbytes(3 * width * height)
            pictures.append(Image.frombytes("RGB", (width, height), noise))
        yield name, made.written(name, folder / name), pictures


def in_vllm(
    python: Path, asked: Iterable[tuple[str, Path, list[Any], list[list[int]]]], budget: int, file: Path
) -> dict[str, dict[str, int]]:
    """By family, how many of vLLM's outputs differ from its own for one request at a time without drafts: for all at
    once, and with drafts. ``python`` has vLLM; ``asked`` are families, folders, pictures and tokens."""
    tasks = {
        name: {
            "folder": str(folder),
            "prompt": _marks(name) + PROMPT,
            "pictures": [data_url(picture) for picture in pictures],
            "drafts": [edited(tokens, at) for at, tokens in enumerate(plain)],
            "budget": budget,
        }
        for name, folder, pictures, plain in asked
    }
    file.write_text(json.dumps(tasks))
    worker = Path(__file__).with_name("half_precision_vllm.py")
    ran = subprocess.run([str(python), str(worker), str(file)], capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"vLLM failed: {ran.stderr[-2000:]}")
    return {
        name: {way: sum(a != b for a, b in zip(found, ways["alone"], strict=True)) for way, found in ways.items()}
        for name, ways in json.loads(ran.stdout).items()
    }


def _marks(name: str) -> str:
    """What a prompt shows a picture with where vLLM's chat template does not."""
    return import_module("docspec.targets.families.dots_ocr").FAMILY.image_marks if name == "dots_ocr" else ""
