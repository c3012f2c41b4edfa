"""Inputs built by the checkpoint's own processor: transformers' class for its image processor, tokenizer and template.

Some of these classes also want a video processor, which cannot be built without torchvision. No page is a video, so
they are taken without one; what they do with an image is the same.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

import torch
from PIL.Image import Image
from PIL.Image import new as new_image

from docspec.core import ModelError
from docspec.core.safe_text import first_line
from docspec.targets.chat_template import find_template, render
from docspec.targets.processing import Processing, load_image_processor, load_tokenizer

IMAGE = "{image}"
"""Where a prompt says that the image stands; without it, before the text."""


class OwnProcessor(Processing):
    """A processor of transformers with the template that frames its prompts; ``origin`` is the template's file."""

    def __init__(self, processor: Any, template: str, origin: str, factor: int | None = None) -> None:
        super().__init__(processor.image_processor, processor.tokenizer)
        self.processor = processor
        self._template = template
        self._origin = origin
        self._factor = factor
        self._framed = lru_cache(maxsize=16)(self._rendered)  # pages and crops ask the same again and again

    @classmethod
    def from_pretrained(
        cls, path: str, name: str | None = None, template: str | None = None, factor: int | None = None
    ) -> OwnProcessor:
        """Reads the processor of a checkpoint directory, of class ``name`` or of that which ``AutoProcessor`` takes.

        ``template`` frames prompts where the directory has no chat template. None of the directory's code runs. Raises
        :class:`docspec.core.ModelError` where a file is missing or wrong, or the template does not show one image.
        """
        from transformers import AutoTokenizer

        tokenizer = load_tokenizer(AutoTokenizer, path)
        text, origin = find_template(path, tokenizer, template)
        processor = _load(path, name or _named(path), tokenizer)
        processing = cls(processor, text, f"{path}/{origin}", factor)
        processing._framed("Read.")
        try:
            processing.encode(new_image("RGB", (64, 64), "white"), "Read.")
        except Exception as error:
            images = type(processor.image_processor).__name__
            raise ModelError(
                f"{path}: {type(processor).__name__} cannot work with {images} (image_processor_type and its numbers "
                f"in preprocessor_config.json): {first_line(error)}"
            ) from error
        return processing

    @property
    def factor(self) -> int:
        """Pixels that sides of crops are multiples of."""
        return self._factor or super().factor

    def encode(self, image: Image, prompt: str) -> dict[str, torch.Tensor]:
        text, added = self._framed(prompt)
        inputs = self.processor(images=[image], text=[text], return_tensors="pt", **added)
        return {name: value for name, value in inputs.items() if isinstance(value, torch.Tensor)}

    def _rendered(self, prompt: str) -> tuple[str, dict[str, bool]]:
        """The prompt in its frame with one image token, and how the tokenizer is to be asked: as
        ``apply_chat_template`` does, no special tokens are added to a text that begins with one."""
        before, _, after = prompt.rpartition(IMAGE)
        parts = [{"type": "text", "text": before}, {"type": "image"}, {"type": "text", "text": after}]
        content = [part for part in parts if part.get("text") != ""]
        text = render(self.tokenizer, self._template, [{"role": "user", "content": content}], self._origin)
        shown = self._placeholder
        if text.count(shown) != 1:
            raise ModelError(
                f"{self._origin}: the chat template writes {text.count(shown)} image tokens for one "
                "image; take the published template"
            )
        begins = self.tokenizer.bos_token
        return text, {"add_special_tokens": False} if begins and text.startswith(begins) else {}

    @property
    def _placeholder(self) -> str:
        """What stands for the image in a framed prompt."""
        return str(getattr(self.processor, "image_placeholder_token", None) or self.processor.image_token)


def _named(path: str) -> str:
    """The processor that transformers keeps for the checkpoint's ``model_type``."""
    from transformers import AutoConfig
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

    model_type = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False).model_type
    if name := PROCESSOR_MAPPING_NAMES.get(model_type):
        return str(name)
    raise ModelError(f"{path}: transformers has no processor for models of type {model_type}")


def _load(path: str, name: str, tokenizer: Any) -> Any:
    """The processor of class ``name`` in ``path``, without videos."""
    try:
        cls = without_videos(named_class(name))
        settings, _ = cls.get_processor_dict(path, local_files_only=True)
        return cls.from_args_and_dict(
            [], settings, image_processor=load_image_processor(path), tokenizer=tokenizer
        )
    except Exception as error:
        raise ModelError(f"{path} cannot be read as {name}: {first_line(error)}") from error


def named_class(name: str) -> Any:
    """A class of transformers, or that of ``module:Class``."""
    module, _, attribute = name.rpartition(":")
    return getattr(import_module(module or "transformers"), attribute)


def without_videos(cls: Any) -> Any:
    """The processor class ``cls`` as one that has no video processor."""
    parts = [part for part in cls.get_attributes() if part != "video_processor"]
    return type(cls.__name__, (cls,), {"get_attributes": classmethod(lambda _: parts)})
