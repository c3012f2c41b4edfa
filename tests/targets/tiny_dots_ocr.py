"""What the tests of dots.ocr share: its tiny random checkpoint as a model, and pictures to show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from docspec.targets.dots_ocr.modeling import DotsOCRForCausalLM


def load(checkpoint: Path, attention: str = "sdpa", **kwargs: Any) -> DotsOCRForCausalLM:
    kwargs.setdefault("dtype", torch.float32)
    return DotsOCRForCausalLM.from_pretrained(checkpoint, attn_implementation=attention, **kwargs).eval()


def picture(width: int, height: int, seed: int = 0) -> Image.Image:
    values = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(values)
