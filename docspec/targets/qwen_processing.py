"""Inputs of Qwen-VL kin without their composite processor, which insists on torchvision.

The PIL image processor, the tokenizer and its chat template give the same tensors: pixel patches, the grid, and
a prompt in which one image placeholder has been repeated once per merged patch.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from PIL.Image import Image


class QwenProcessing:
    """Image processor, tokenizer and chat template of one checkpoint."""

    def __init__(self, image_processor: Any, tokenizer: Any, image_token_id: int) -> None:
        self.image_processor = image_processor
        self.tokenizer = tokenizer
        self.image_token_id = image_token_id

    @classmethod
    def from_pretrained(cls, path: str, image_token_id: int, **hub: Any) -> QwenProcessing:
        """Reads ``preprocessor_config.json``, tokenizer and chat template of a directory or hub name."""
        from transformers import AutoTokenizer
        from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

        tokenizer = AutoTokenizer.from_pretrained(path, **hub)
        if tokenizer.chat_template is None:
            tokenizer.chat_template = _processor_template(path, **hub)
        return cls(Qwen2VLImageProcessorPil.from_pretrained(path, **hub), tokenizer, image_token_id)

    @property
    def factor(self) -> int:
        """Pixels per merged patch and axis: sizes the model sees are multiples of this."""
        return int(self.image_processor.patch_size * self.image_processor.merge_size)

    @property
    def pixel_limits(self) -> dict[str, int]:
        """``factor``, ``min_pixels`` and ``max_pixels`` of the resizing that the model expects."""
        size = self.image_processor.size
        return {
            "factor": self.factor,
            "min_pixels": int(size["shortest_edge"]),
            "max_pixels": int(size["longest_edge"]),
        }

    def encode(self, image: Image, prompt: str) -> dict[str, torch.Tensor]:
        pixels = self.image_processor(images=[image], return_tensors="pt")
        grid = pixels["image_grid_thw"]
        image_tokens = int(grid.prod()) // self.image_processor.merge_size**2
        messages = [
            {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": prompt}]},
        ]
        text = self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        ids: list[int] = []
        for token in self.tokenizer.encode(text, add_special_tokens=False):
            ids.extend([token] * (image_tokens if token == self.image_token_id else 1))
        input_ids = torch.tensor([ids])
        return {
            "input_ids": input_ids,
            "attention_mask": torch.ones_like(input_ids),
            "mm_token_type_ids": (input_ids == self.image_token_id).int(),
            "pixel_values": pixels["pixel_values"],
            "image_grid_thw": grid,
        }


def _processor_template(path: str, **hub: Any) -> str | None:
    """The chat template of checkpoints that keep it beside the processor instead of the tokenizer."""
    from transformers.utils import cached_file

    found = cached_file(path, "chat_template.json", _raise_exceptions_for_missing_entries=False, **hub)
    return json.loads(Path(found).read_text())["chat_template"] if found else None
