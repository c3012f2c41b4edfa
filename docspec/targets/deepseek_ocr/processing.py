"""A page image and a prompt to the inputs of DeepSeek-OCR and of Unlimited-OCR, which looks at pages in the same way,
as their published code builds them (``infer`` of ``modeling_deepseekocr.py``, in the way that READMEs call "Gundam").

The whole picture in a grey square of 1,024 pixels; a larger one than 640 also stretched to two or more tiles of 640
pixels, in the arrangement that is most alike. The prompt has no frame but the token that begins a text.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from PIL import Image, ImageOps
from transformers import PreTrainedTokenizerFast
from transformers.models.deepseek_ocr2.image_processing_pil_deepseek_ocr2 import get_optimal_tiled_canvas

from docspec.core.errors import ModelError
from docspec.targets.chat_template import IMAGE
from docspec.targets.processing import Processing, load_tokenizer

PAGE, TILE = 1024, 640
"""Sides of the view of the whole picture and of a tile, in pixels."""

GREY = (127, 127, 127)
TOKEN = 64
"""Pixels per token in each direction."""

PLACE = "<image>"


class DeepseekOcrProcessing(Processing):
    """Tokenizer of one checkpoint; pictures are the same for all. ``tiles`` are the fewest and most of a picture."""

    factor = 16
    tiles = 2, 9

    def __init__(self, tokenizer: Any, image_token: int) -> None:
        super().__init__(None, tokenizer)
        self._image_token = image_token

    @classmethod
    def from_pretrained(cls, path: str) -> DeepseekOcrProcessing:
        """Reads a checkpoint directory. No code of the checkpoint runs.

        Raises :class:`docspec.core.ModelError` where the tokenizer is missing or has no ``<image>`` or no token that
        begins a text.
        """
        tokenizer = load_tokenizer(PreTrainedTokenizerFast, path)
        image_token = tokenizer.get_vocab().get(PLACE)
        if image_token is None or tokenizer.bos_token_id is None:
            raise ModelError(f"{path}: the tokenizer has no {PLACE} or no bos_token; is this DeepSeek-OCR's?")
        return cls(tokenizer, image_token)

    @property
    def backend(self) -> str:
        return "pil"

    def encode(self, image: Image.Image, prompt: str) -> dict[str, torch.Tensor]:
        """``input_ids`` ``(1, length)``; ``pixel_values`` ``(1, 3, 1024, 1024)``; ``pixel_values_local``
        ``(tiles, 3, 640, 640)`` where there are tiles; their arrangement, ``patches_grid`` ``(1, 2)`` columns and rows;
        their number, ``num_local_patches`` ``(1,)``."""
        before, shown, after = prompt.rpartition(IMAGE)
        if not shown:
            after = f"\n{after}"
        image = image.convert("RGB")
        columns, rows = self._grid(image)
        page = PAGE // TOKEN * (PAGE // TOKEN + 1) + 1
        across, down = columns * TILE // TOKEN, rows * TILE // TOKEN
        tokens = page + (down * (across + 1) if columns * rows > 1 else 0)
        ids = [
            self.tokenizer.bos_token_id,
            *self._ids(before),
            *[self._image_token] * tokens,
            *self._ids(after.rstrip()),
        ]
        inputs = {
            "input_ids": torch.tensor([ids]),
            "pixel_values": _pixels([ImageOps.pad(image, (PAGE, PAGE), color=GREY)]),
            "patches_grid": torch.tensor([[columns, rows]]),
            "num_local_patches": torch.tensor([columns * rows if columns * rows > 1 else 0]),
        }
        if columns * rows > 1:
            wide = image.resize((columns * TILE, rows * TILE))
            corners = [(x * TILE, y * TILE) for y in range(rows) for x in range(columns)]
            tiles = [wide.crop((x, y, x + TILE, y + TILE)) for x, y in corners]
            inputs["pixel_values_local"] = _pixels(tiles)
        return inputs

    def _grid(self, image: Image.Image) -> tuple[int, int]:
        """Columns and rows of tiles; one of each if the image is not tiled."""
        if max(image.size) <= TILE:
            return 1, 1
        return get_optimal_tiled_canvas((image.height, image.width), (TILE, TILE), *self.tiles)

    def _ids(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False)


class UnlimitedOcrProcessing(DeepseekOcrProcessing):
    """The same with more tiles. transformers' own processor requires torchvision."""

    tiles = 2, 32


def _pixels(pictures: list[Image.Image]) -> torch.Tensor:
    """``(pictures, 3, height, width)`` from -1 to 1."""
    levels = torch.from_numpy(np.stack([np.asarray(picture) for picture in pictures]))
    return levels.permute(0, 3, 1, 2).float().div(255).sub(0.5).div(0.5).contiguous()
