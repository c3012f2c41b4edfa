"""Every model family by a tiny checkpoint: ``generate``, plain steps and trees in float32 must write the same tokens,
eager and captured, alone and side by side, the prompt in pieces; then strict trees in half precision.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from benchmarks.device.context import Context, guarded
from benchmarks.device.plan import FAMILY_SHARES
from docspec.bench.device_checks import NEAR
from docspec.bench.generate import generated
from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets.registry import load_target

FIRST = ("qwen3_vl", "qwen2_5_vl", "paddleocr_vl", "hunyuan_vl", "dots_ocr")
"""What matters most, should time run out."""

BUDGET = 16
PROMPT = "Read."


def run(context: Context, share: str) -> None:
    """The families of one ``share`` of :data:`FAMILY_SHARES`."""
    made = import_module("tests.exactness.checkpoints")  # travels with the tree, and needs no pytest
    names = [*FIRST, *(name for name in made.FAMILIES if name not in FIRST)][int(share) :: FAMILY_SHARES]
    for name in names[:1] if context.tiny else names:
        if not context.has(4):
            context.emit("family", name=name, skipped=True)
            continue
        with guarded(context, name), tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            tiny = made.checkpoint(name, Path(folder) / name)
            found = _exact(context, str(tiny.path), tiny.pictures)
            found["bfloat16"] = _strict(context, str(tiny.path), tiny.pictures[0])
            context.emit("family", name=name, seconds=time.perf_counter() - started, **found)
        if context.is_cuda:
            torch.cuda.empty_cache()


def _exact(context: Context, model: str, pictures: Sequence[Any]) -> dict[str, Any]:
    """By ``--graph-mode``, and with split keys (``split``) where the family can: which ways write in float32 what
    ``generate`` writes."""
    found: dict[str, Any] = {}
    expected: list[tuple[int, ...]] = []
    for name in ("off", "auto", "split"):
        graphs: Any = "off" if name == "off" else "auto"
        target = load_target(
            ParseOptions(model=model, device=context.device_name, dtype="float32", graphs=graphs)
        ).target
        if name == "split" and target.no_split:
            found["no_split"] = target.no_split
            continue
        target.split = name == "split"
        engine = make_decoder(target, ParseOptions())
        prompts = [target.encode(picture, PROMPT) for picture in pictures]
        expected = expected or [tuple(generated(target, prompt.inputs, BUDGET)[0]) for prompt in prompts]
        requests = [
            Request(prompt, (_damaged(tokens), tokens[9:]), BUDGET)
            for prompt, tokens in zip(prompts, expected, strict=True)
        ]
        plain = [engine.baseline(request)[0].tokens for request in requests]
        together = [[output.tokens for output in engine.speculate(requests)[0]] for _ in range(3)]
        alone = [engine.speculate([request])[0][0].tokens for request in requests]
        target.piece = prompts[0].length // 3
        pieces = engine.speculate(requests[:1])[0][0].tokens
        report = target.steps.report
        found[name] = {
            "mode": report.mode,
            "why": report.reason,
            "captured": report.captured,
            "plain": plain == expected,
            "side_by_side": all(turn == expected for turn in together),
            "alone": alone == expected,
            "pieces": pieces == expected[0],
        }
        if plain != expected or alone != expected:
            found[name]["tokens"] = {"generate": expected[0], "plain": plain[0], "alone": alone[0]}
    return found


def _damaged(tokens: tuple[int, ...]) -> tuple[int, ...]:
    """Every third token wrong."""
    return tuple((token + 1) % 256 if at % 3 == 2 else token for at, token in enumerate(tokens))


def _strict(context: Context, model: str, picture: Any) -> dict[str, Any]:
    """Whether strict trees write what plain steps write in half precision."""
    options = ParseOptions(model=model, device=context.device_name, dtype="bfloat16", exact="strict")
    target = load_target(options).target
    engine = make_decoder(target, options)
    request = Request(target.encode(picture, PROMPT), (), BUDGET, least_margin=NEAR)
    plain = engine.baseline(request)[0].tokens
    strict = [engine.speculate([replace(request, drafts=(plain,))]) for _ in range(3)]
    return {
        "strict_is_plain": all(outputs[0].tokens == plain for outputs, _ in strict),
        "redecided": strict[-1][1].redecided,
        "tokens": len(plain),
        "as_generate": tuple(generated(target, request.prompt.inputs, BUDGET)[0]) == plain,
    }
