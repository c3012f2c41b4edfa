"""A page image and a prompt to the inputs of dots.ocr, as the model was trained and as vLLM serves it.

The checkpoint's composite processor is remote code; its image processor and tokenizer are used without it. The
prompt is framed as in the tokenizer's template; the `chat_template.json` beside it forgets the user markers
when the message is a list with an image, and the model then invents text more often (intel/llm-scaler, pull
request 682).
"""

from __future__ import annotations

from os import PathLike
from typing import Any

import torch
from PIL import Image
from torch import Tensor
from transformers import GenerationConfig, PreTrainedTokenizerFast

from docspec.core.errors import ModelError
from docspec.core.page import smart_resize
from docspec.targets.chat_template import IMAGE as PLACE
from docspec.targets.processing import Processing, load_image_processor, load_tokenizer

USER, END_OF_USER = "<|user|>", "<|endofuser|>"
ASSISTANT, END_OF_ASSISTANT = "<|assistant|>", "<|endofassistant|>"
IMAGE, IMAGE_PAD, END_OF_IMAGE = "<|img|>", "<|imgpad|>", "<|endofimg|>"
END_OF_TEXT = "<|endoftext|>"
IMAGE_MARKS = IMAGE + IMAGE_PAD + END_OF_IMAGE
FRAME = (USER, END_OF_USER, ASSISTANT, END_OF_ASSISTANT, IMAGE, IMAGE_PAD, END_OF_IMAGE)


class DotsOCRProcessing(Processing):
    """Tokenizer, image processor and stop tokens of one checkpoint."""

    def __init__(self, image_processor: Any, tokenizer: PreTrainedTokenizerFast, eos_ids: tuple[int, ...]) -> None:
        super().__init__(image_processor, tokenizer)
        self.eos_ids = eos_ids
        """Ids that end an answer: `<|endoftext|>` and `<|endofassistant|>` in the published generation config."""

    @classmethod
    def from_pretrained(cls, path: str | PathLike[str]) -> DotsOCRProcessing:
        """Read a checkpoint directory. No code of the checkpoint runs.

        Raises `ModelError` when the tokenizer lacks one of dots.ocr's markers, `OSError` when files are
        missing.
        """
        where = str(path)
        # The class that takes tokenizer.json as it stands, and asks no config.json which remote code to run.
        tokenizer = load_tokenizer(PreTrainedTokenizerFast, where)
        vocabulary = tokenizer.get_vocab()
        if missing := [token for token in FRAME if token not in vocabulary]:
            raise ModelError(f"{where}: the tokenizer has no {', '.join(missing)}; is this a dots.ocr checkpoint?")
        return cls(load_image_processor(where), tokenizer, _eos_ids(where, vocabulary))

    def model_size(self, width: int, height: int) -> tuple[int, int]:
        """Width and height in pixels of the image as the model sees it, in which its boxes are written.

        Raises `ValueError` for an empty image or one side over 200 times the other.
        """
        rows, columns = smart_resize(height, width, **self.pixel_limits)
        return columns, rows

    def encode(self, image: Image.Image, prompt: str) -> dict[str, Tensor]:
        """Model inputs for one image and one prompt, on the CPU. The image stands first, or where the prompt has
        `{image}` or, as dots.ocr's own tool writes to servers, the marks of an image.

        `input_ids` `(1, length)` of `<|user|><|img|>` + one `<|imgpad|>` per feature + `<|endofimg|>` +
        prompt + `<|endofuser|><|assistant|>`; `pixel_values` `(patches, 588)` float32; `image_grid_thw`
        `(1, 3)`. Raises `ValueError` for an image that `smart_resize` refuses.
        """
        self.model_size(*image.size)
        pixels = self.image_processor(images=image, return_tensors="pt")
        grid = pixels["image_grid_thw"]
        if IMAGE_MARKS in prompt:
            prompt = prompt.replace(PLACE, "").replace(IMAGE_MARKS, PLACE)
        before, _, after = prompt.rpartition(PLACE)
        ids = [
            *self._ids(USER + before + IMAGE),
            *self._ids(IMAGE_PAD) * self.image_tokens(grid),
            *self._ids(END_OF_IMAGE + after + END_OF_USER + ASSISTANT),
        ]
        return {"input_ids": torch.tensor([ids]), "pixel_values": pixels["pixel_values"], "image_grid_thw": grid}

    def _ids(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False)


def _eos_ids(where: str, vocabulary: dict[str, int]) -> tuple[int, ...]:
    try:
        ids = GenerationConfig.from_pretrained(where, local_files_only=True).eos_token_id
    except OSError:
        ids = None
    if ids is None:
        return tuple(vocabulary[token] for token in (END_OF_TEXT, END_OF_ASSISTANT) if token in vocabulary)
    return tuple(ids) if isinstance(ids, list) else (ids,)
