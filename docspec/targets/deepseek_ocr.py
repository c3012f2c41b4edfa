"""DeepSeek-OCR as transformers' class of Unlimited-OCR, which has the same towers, tiles and decoder.

The published code needs an older transformers and runs from the hub. This class loads the same weights and renames them
while they are loaded.

A page and a prompt become inputs as the published code builds them (``infer`` of ``modeling_deepseekocr.py``, in the
way that READMEs call "Gundam"), for Unlimited-OCR, too. The whole picture stands in a grey square of 1,024 pixels; a
picture larger than 640 pixels is also stretched to two or more tiles of 640 pixels, in the arrangement that is most
alike. The prompt has no frame but the token that begins a text.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageOps
from transformers import (
    PreTrainedTokenizerFast,
    UnlimitedOcrConfig,
    UnlimitedOcrForConditionalGeneration,
    UnlimitedOcrTextConfig,
)
from transformers.conversion_mapping import get_checkpoint_conversion_mapping, register_checkpoint_conversion_mapping
from transformers.models.deepseek_ocr2.image_processing_pil_deepseek_ocr2 import get_optimal_tiled_canvas

from docspec.core.errors import ModelError
from docspec.targets.chat_template import IMAGE
from docspec.targets.processing import Processing, load_tokenizer

SAM, CLIP = "sam_vit_b", "clip-l-14-224"
MLP_RATIO = 4  # both towers' own; the 3.7362 in the published file is used nowhere
NAMES = {"width": "hidden_size", "layers": "num_hidden_layers", "heads": "num_attention_heads"}
USUAL = {"use_mla": False, "moe_layer_freq": 1, "scoring_func": "softmax", "norm_topk_prob": False}


class DeepseekOcrConfig(UnlimitedOcrConfig):
    """The configuration of decoder and towers; every layer attends to all tokens before.

    Raises ``ValueError`` for settings of the published code that are not supported: latent attention, layers without
    experts other than the first dense ones, scores other than softmax.
    """

    text_config: Any = None
    vision_config: Any = None
    """Mappings or None (as published) going in, configurations once built."""

    def __post_init__(self, **kwargs: Any) -> None:
        for name, value in USUAL.items():
            if (said := kwargs.pop(name, value)) != value:
                raise ValueError(f"{name} is {said}; DeepSeek-OCR with {value} alone is supported")
        if self.text_config is None:
            known = {each.name for each in fields(UnlimitedOcrTextConfig)} | {"first_k_dense_replace"}
            said = {"max_position_embeddings": 8192, **kwargs.pop("language_config", {}), **kwargs}
            self.text_config = {name: value for name, value in said.items() if name in known}
            self.text_config["layer_types"] = ["full_attention"] * said.get("num_hidden_layers", 12)
            kwargs = {name: value for name, value in kwargs.items() if name not in known}
        if isinstance(self.vision_config, dict) and "width" in self.vision_config:
            towers = self.vision_config["width"]
            self.vision_config = {
                "sam_config": _tower(towers.get(SAM, {}), "mlp_dim"),
                "encoder_config": _tower(towers.get(CLIP, {}), "intermediate_size"),
            }
        super().__post_init__(**kwargs)


def _tower(published: dict[str, Any], inner: str) -> dict[str, Any]:
    """A tower's settings under transformers' names; ``inner`` is the name of its inner width."""
    found = {NAMES.get(name, name): value for name, value in published.items()}
    return found | ({inner: MLP_RATIO * found["hidden_size"]} if "hidden_size" in found else {})


class DeepseekOcrForCausalLM(UnlimitedOcrForConditionalGeneration):
    """Unlimited-OCR's parts with the published configuration of DeepSeek-OCR."""

    config_class = DeepseekOcrConfig

    @classmethod
    def _can_set_experts_implementation(cls) -> bool:
        """transformers looks for its decorator in the file of this class, but the decorator is on the decoder's class.
        Without this override it takes the loop over experts, which waits for the device at each of them."""
        return True


# By the class's name: the type in published files is that of other models, too.
register_checkpoint_conversion_mapping(
    DeepseekOcrForCausalLM.__name__, get_checkpoint_conversion_mapping(DeepseekOcrConfig.model_type), overwrite=True
)


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
