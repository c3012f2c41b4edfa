"""A page image and a prompt to the inputs of dots.ocr, as the model was trained and as vLLM serves it.

Only the PIL image processor and the tokenizer are used, no composite processor (it wants torchvision). The
prompt is framed as in the tokenizer's template; the `chat_template.json` beside it forgets the user markers
when the message is a list with an image, and the model then invents text more often (intel/llm-scaler, pull
request 682).
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike

import torch
from PIL import Image
from torch import Tensor
from transformers import GenerationConfig, PreTrainedTokenizerFast
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from docspec.core.errors import ModelError
from docspec.core.sizes import smart_resize

USER, END_OF_USER = "<|user|>", "<|endofuser|>"
ASSISTANT, END_OF_ASSISTANT = "<|assistant|>", "<|endofassistant|>"
IMAGE, IMAGE_PAD, END_OF_IMAGE = "<|img|>", "<|imgpad|>", "<|endofimg|>"
END_OF_TEXT = "<|endoftext|>"
FRAME = (USER, END_OF_USER, ASSISTANT, END_OF_ASSISTANT, IMAGE, IMAGE_PAD, END_OF_IMAGE)


@dataclass
class DotsOCRProcessing:
    """Tokenizer, image processor and stop tokens of one checkpoint."""

    tokenizer: PreTrainedTokenizerFast
    image_processor: Qwen2VLImageProcessorPil
    eos_ids: tuple[int, ...]
    """Ids that end an answer: `<|endoftext|>` and `<|endofassistant|>` in the published generation config."""

    @classmethod
    def from_pretrained(
        cls, name_or_path: str | PathLike[str], *, local_files_only: bool = False
    ) -> DotsOCRProcessing:
        """Read a checkpoint directory (or a hub name). No code of the checkpoint runs.

        Raises `ModelError` when the tokenizer lacks one of dots.ocr's markers, `OSError` when files are
        missing.
        """
        where = str(name_or_path)
        # The class that takes tokenizer.json as it stands, and asks no config.json which remote code to run.
        tokenizer = PreTrainedTokenizerFast.from_pretrained(where, local_files_only=local_files_only)
        vocabulary = tokenizer.get_vocab()
        if missing := [token for token in FRAME if token not in vocabulary]:
            raise ModelError(
                f"{where}: the tokenizer has no {', '.join(missing)}; is this a dots.ocr checkpoint?"
            )
        images = Qwen2VLImageProcessorPil.from_pretrained(where, local_files_only=local_files_only)
        return cls(
            tokenizer=tokenizer,
            image_processor=images,
            eos_ids=_eos_ids(where, vocabulary, local_files_only),
        )

    @property
    def factor(self) -> int:
        """Pixels per image token and axis (28): sides of the image that the model sees are multiples of it."""
        return int(self.image_processor.patch_size * self.image_processor.merge_size)

    @property
    def pixel_limits(self) -> dict[str, int]:
        """The checkpoint's `factor`, `min_pixels` and `max_pixels`, as `smart_resize` takes them."""
        size = self.image_processor.size
        return {
            "factor": self.factor,
            "min_pixels": int(size["shortest_edge"]),
            "max_pixels": int(size["longest_edge"]),
        }

    def model_size(self, width: int, height: int) -> tuple[int, int]:
        """Width and height in pixels after `smart_resize` with this checkpoint's limits, as its boxes have.

        Not the image processor's own rounding, which takes the narrow side of an extreme image to zero first.
        Raises `ValueError` for an empty image or one side over 200 times the other.
        """
        rows, columns = smart_resize(height, width, **self.pixel_limits)
        return columns, rows

    def encode(self, image: Image.Image, prompt: str) -> dict[str, Tensor]:
        """Model inputs for one image and one prompt, on the CPU.

        `input_ids` `(1, length)` of `<|user|><|img|>` + one `<|imgpad|>` per feature + `<|endofimg|>` +
        prompt + `<|endofuser|><|assistant|>`; `pixel_values` `(patches, 588)` float32; `image_grid_thw`
        `(1, 3)`. Raises `ValueError` for an image that `smart_resize` refuses.
        """
        size = self.model_size(*image.size)
        image = image.convert("RGB")
        if image.size != size:
            image = image.resize(size, Image.Resampling.BICUBIC)
        pixels = self.image_processor(images=image, do_resize=False, return_tensors="pt")
        grid = pixels["image_grid_thw"]
        features = int(grid.prod()) // self.image_processor.merge_size**2
        ids = [
            *self._ids(USER + IMAGE),
            *self._ids(IMAGE_PAD) * features,
            *self._ids(END_OF_IMAGE + prompt + END_OF_USER + ASSISTANT),
        ]
        return {
            "input_ids": torch.tensor([ids]),
            "pixel_values": pixels["pixel_values"],
            "image_grid_thw": grid,
        }

    def _ids(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False)


def _eos_ids(where: str, vocabulary: dict[str, int], local_files_only: bool) -> tuple[int, ...]:
    try:
        ids = GenerationConfig.from_pretrained(where, local_files_only=local_files_only).eos_token_id
    except OSError:
        ids = None
    if ids is None:
        return tuple(vocabulary[token] for token in (END_OF_TEXT, END_OF_ASSISTANT) if token in vocabulary)
    return tuple(ids) if isinstance(ids, list) else (ids,)
