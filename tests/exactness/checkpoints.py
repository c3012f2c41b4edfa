"""Tiny checkpoints of every family in the matrix, the pictures that they are shown, and what ``generate`` writes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import torch
from PIL import Image, ImageDraw

from docspec.targets.adapter import TransformersTarget
from docspec.targets.protocol import Prompt
from tests.targets.dots_checkpoint import write_tiny_dots_ocr
from tests.targets.families.checkpoint import write

NEW_TOKENS = 24
FILES = Path(__file__).parents[1] / "targets" / "families"
CASES = sorted(file.stem for file in FILES.glob("*.py") if not file.stem.startswith(("test_", "_", "checkpoint")))
OWN = ("dots_ocr", "dots_ocr_windowed")
"""docspec's own class, whose checkpoints are made by :mod:`tests.targets.dots_checkpoint`."""

FAMILIES = (*CASES, *OWN)


@dataclass(frozen=True)
class Checkpoint:
    """A family's tiny checkpoint, a page and two crops for it."""

    family: str
    path: Path
    pictures: tuple[Image.Image, ...]


def checkpoint(family: str, directory: Path) -> Checkpoint:
    """Writes the family's checkpoint into ``directory``."""
    if family in OWN:
        write_tiny_dots_ocr(directory, seed=3)
        if family == "dots_ocr_windowed":  # its second layer looks back 12 tokens only
            file = directory / "config.json"
            window = {"use_sliding_window": True, "sliding_window": 12, "max_window_layers": 1}
            file.write_text(json.dumps(json.loads(file.read_text()) | window))
        shape, zoom = (160, 96), 1
    else:
        case = import_module(f"tests.targets.families.{family}").CASE
        write(case, directory)
        shape, zoom = case.shape, case.zoom
    sizes = (shape, (96, 32), (48, 64))
    return Checkpoint(family, directory, tuple(printed(width * zoom, height * zoom) for width, height in sizes))


def printed(width: int, height: int) -> Image.Image:
    """A picture with lines of print."""
    image = Image.new("RGB", (width, height), "white")
    for y in range(4, height, 14):
        ImageDraw.Draw(image).text((4, y), f"Line {y} of a printed page", fill="black")
    return image


def generated(target: TransformersTarget, prompt: Prompt, new_tokens: int = NEW_TOKENS) -> tuple[int, ...]:
    """What ``generate`` of transformers writes greedily, the end token dropped."""
    with torch.inference_mode():
        ids = target.model.generate(**prompt.inputs, do_sample=False, max_new_tokens=new_tokens)
    return tuple(token for token in ids[0, prompt.length :].tolist() if token not in target.eos_ids)


def drafts_of(tokens: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Drafts of an output: every seventh token wrong, only its end, and reversed."""
    edited = tuple((token + 1) % 256 if index % 7 == 6 else token for index, token in enumerate(tokens))
    return edited, tokens[5:], tokens[::-1]
