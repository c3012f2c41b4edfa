"""Inputs of Qwen-VL kin without their composite processor, which insists on torchvision.

Image processor, tokenizer and chat template give the same tensors: pixel patches, the grid, and a prompt in which
one image placeholder has been repeated once per merged patch.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from PIL.Image import Image

from docspec.core import ModelError
from docspec.targets.chat_template import find_template, render
from docspec.targets.processing import Processing, load_image_processor, load_tokenizer


class QwenProcessing(Processing):
    """Image processor, tokenizer and chat template of one checkpoint; ``origin`` is the template's file."""

    def __init__(
        self, image_processor: Any, tokenizer: Any, image_token_id: int, template: str, origin: str
    ) -> None:
        super().__init__(image_processor, tokenizer)
        self.image_token_id = image_token_id
        self._template = template
        self._origin = origin
        self._prompt_ids = lru_cache(maxsize=16)(
            self._rendered
        )  # pages and crops ask the same again and again

    @classmethod
    def from_pretrained(cls, path: str, image_token_id: int) -> QwenProcessing:
        """Reads image processor, tokenizer and chat template of a directory; none of its code runs.

        Raises :class:`docspec.core.ModelError` where the template is missing, fails, does not end or shows no image.
        """
        from transformers import AutoTokenizer

        tokenizer = load_tokenizer(AutoTokenizer, path)
        template, name = find_template(path, tokenizer)
        processing = cls(load_image_processor(path), tokenizer, image_token_id, template, f"{path}/{name}")
        processing._prompt_ids("Read.")
        return processing

    def encode(self, image: Image, prompt: str) -> dict[str, torch.Tensor]:
        pixels = self.image_processor(images=[image], return_tensors="pt")
        grid = pixels["image_grid_thw"]
        ids: list[int] = []
        for token in self._prompt_ids(prompt):
            ids.extend([token] * (self.image_tokens(grid) if token == self.image_token_id else 1))
        input_ids = torch.tensor([ids])
        return {
            "input_ids": input_ids,
            "attention_mask": torch.ones_like(input_ids),
            "mm_token_type_ids": (input_ids == self.image_token_id).int(),
            "pixel_values": pixels["pixel_values"],
            "image_grid_thw": grid,
        }

    def _rendered(self, prompt: str) -> tuple[int, ...]:
        """Token ids of the prompt with one image token."""
        content = [{"type": "image"}, {"type": "text", "text": prompt}]
        messages = [{"role": "user", "content": content}]
        text = render(self.tokenizer, self._template, messages, self._origin)
        ids = tuple(self.tokenizer.encode(text, add_special_tokens=False))
        if ids.count(self.image_token_id) != 1:
            raise ModelError(
                f"{self._origin}: the chat template writes {ids.count(self.image_token_id)} image tokens for one "
                "image; take the published template"
            )
        return ids
