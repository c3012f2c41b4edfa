"""Inputs from the checkpoint's own processor: transformers' class for its image processor, tokenizer and template.

Some of these classes also require a video processor, which cannot be built without torchvision. No page is a video, so
they are built without one; their treatment of images is the same.

Pixtral's is here: transformers offers it only with torchvision although it needs nothing of it. It writes one image
token per patch, a mark after each row of patches and another after the last one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

import torch
from PIL.Image import Image
from PIL.Image import new as new_image
from transformers.processing_utils import ProcessorMixin

from docspec.core import ModelError
from docspec.core.safe_text import first_line
from docspec.targets.chat_template import IMAGE, find_template, render
from docspec.targets.processing import Processing, load_image_processor, load_tokenizer


class PixtralProcessor(ProcessorMixin):
    """``image_processor`` and ``tokenizer`` with the name and the settings of transformers' class;
    ``spatial_merge_size`` patches per axis become one token."""

    def __init__(
        self,
        image_processor: Any = None,
        tokenizer: Any = None,
        patch_size: int = 16,
        spatial_merge_size: int = 1,
        chat_template: str | None = None,
        image_token: str = "[IMG]",
        image_break_token: str = "[IMG_BREAK]",
        image_end_token: str = "[IMG_END]",
        **kwargs: Any,
    ) -> None:
        super().__init__(image_processor, tokenizer, chat_template=chat_template)
        self.side = patch_size * spatial_merge_size
        self.image_token = image_token
        self.image_break_token = image_break_token
        self.image_end_token = image_end_token
        self.image_token_id = tokenizer.convert_tokens_to_ids(image_token)

    def _process_images(self, images: Any, **settings: Any) -> Any:
        return super()._process_images(images, **{**settings, "patch_size": self.side})

    def replace_image_token(self, image_inputs: dict[str, Any], image_idx: int, **kwargs: Any) -> str:
        height, width = image_inputs["image_sizes"][image_idx]
        row = self.image_token * (int(width) // self.side)
        return self.image_break_token.join([row] * (int(height) // self.side)) + self.image_end_token


TOGETHER = 16
"""Images per call of a processor: more take memory and no less time."""


class OwnProcessor(Processing):
    """A processor of transformers with the template that frames its prompts; ``origin`` is the template's file,
    ``arguments`` are passed to the template."""

    def __init__(
        self,
        processor: Any,
        template: str,
        origin: str,
        factor: int | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(processor.image_processor, processor.tokenizer)
        self.processor = processor
        self._template = template
        self._origin = origin
        self._factor = factor
        self._arguments = dict(arguments or {})
        self._parts: bool | None = None  # whether inputs of several images can be parted
        self._framed = lru_cache(maxsize=16)(self._rendered)  # pages and crops ask the same again and again

    @classmethod
    def from_pretrained(
        cls,
        path: str,
        name: str | None = None,
        template: str | None = None,
        factor: int | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> OwnProcessor:
        """Loads the processor of a checkpoint directory: class ``name``, or the one that ``AutoProcessor`` would take.
        ``template`` frames prompts if the directory has no chat template. No code of the directory runs. Raises
        :class:`docspec.core.ModelError` if a file is missing or wrong, or the template does not place exactly one
        image."""
        from transformers import AutoTokenizer

        tokenizer = load_tokenizer(AutoTokenizer, path)
        text, origin = find_template(path, tokenizer, template)
        processor = _load(path, name or _named(path), tokenizer)
        processing = cls(processor, text, f"{path}/{origin}", factor, arguments)
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
        return self._factor or super().factor

    def encode(self, image: Image, prompt: str) -> dict[str, torch.Tensor]:
        return self._processed([image], prompt)

    def encode_all(self, asked: Sequence[tuple[Image, str]]) -> list[dict[str, torch.Tensor]]:
        """One call of the processor for all images of one size and prompt: for a small crop the call takes longer than
        the picture. If the inputs cannot be split by image, one call for each."""
        alike: dict[Hashable, list[int]] = {}
        for index, (image, prompt) in enumerate(asked):
            alike.setdefault((image.size, image.mode, prompt), []).append(index)
        found: dict[int, dict[str, torch.Tensor]] = {}
        for same in alike.values():
            for start in range(0, len(same), TOGETHER):
                indices = same[start : start + TOGETHER]
                images, prompt = [asked[index][0] for index in indices], asked[indices[0]][1]
                found.update(zip(indices, self._parted(images, prompt), strict=True))
        return [found[index] for index in range(len(asked))]

    def encode_chat(self, messages: list[dict[str, Any]], images: Sequence[Image]) -> dict[str, torch.Tensor]:
        """The inputs of a conversation in the format of chat templates (``role``, and ``content`` in parts of type
        ``text`` and ``image``), with one of ``images`` for each image part. Raises :class:`docspec.core.ModelError` if
        the template does not place each image once, or a text contains image tokens."""
        text = render(self.tokenizer, self._template, messages, self._origin)
        found = text.count(self._placeholder)
        if found != len(images):
            raise ModelError(f"{found} image tokens in the conversation as the model sees it, and {len(images)} images")
        shown = {"images": list(images)} if images else {}
        inputs = self.processor(**shown, text=[text], return_tensors="pt", **self._asked_of(text))
        return {name: value for name, value in inputs.items() if isinstance(value, torch.Tensor)}

    def _parted(self, images: Sequence[Image], prompt: str) -> list[dict[str, torch.Tensor]]:
        """The inputs of each of ``images``, which have the same size."""
        if len(images) == 1 or self._parts is False:
            return [self.encode(image, prompt) for image in images]
        together = self._processed(images, prompt)
        # concatenated along the first axis, or in inputs of a single row along the last one
        cut = {name: value.chunk(len(images), dim=0 if len(value) > 1 else -1) for name, value in together.items()}
        parts = [{name: shares[i] for name, shares in cut.items()} for i in range(len(images))]
        if self._parts is None:  # checked once, with the last image alone
            alone = self.encode(images[-1], prompt)
            self._parts = alone.keys() == together.keys() and all(map(torch.equal, alone.values(), parts[-1].values()))
            return self._parted(images, prompt)
        return parts

    def _processed(self, images: Sequence[Image], prompt: str) -> dict[str, torch.Tensor]:
        text, added = self._framed(prompt)
        texts = [text] * len(images)
        inputs = self.processor(images=list(images), text=texts, return_tensors="pt", **added)
        return {name: value for name, value in inputs.items() if isinstance(value, torch.Tensor)}

    def _rendered(self, prompt: str) -> tuple[str, dict[str, bool]]:
        """The framed prompt with one image token, and arguments for the tokenizer: as in ``apply_chat_template``, no
        special tokens are added to a text that begins with one."""
        before, _, after = prompt.rpartition(IMAGE)
        parts = [{"type": "text", "text": before}, {"type": "image"}, {"type": "text", "text": after}]
        content = [part for part in parts if part.get("text") != ""]
        messages = [{"role": "user", "content": content}]
        text = render(self.tokenizer, self._template, messages, self._origin, **self._arguments)
        shown = self._placeholder
        if text.count(shown) != 1:
            raise ModelError(
                f"{self._origin}: the chat template writes {text.count(shown)} image tokens for one "
                "image; take the published template"
            )
        return text, self._asked_of(text)

    def _asked_of(self, text: str) -> dict[str, bool]:
        """The arguments of the tokenizer for a framed prompt."""
        begins = self.tokenizer.bos_token
        return {"add_special_tokens": False} if begins and text.startswith(begins) else {}

    @property
    def _placeholder(self) -> str:
        """The image token in a framed prompt."""
        return str(getattr(self.processor, "image_placeholder_token", None) or self.processor.image_token)


def _named(path: str) -> str:
    """The name of transformers' processor for the checkpoint's ``model_type``."""
    from transformers import AutoConfig
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

    model_type = AutoConfig.from_pretrained(path, local_files_only=True, trust_remote_code=False).model_type
    if name := PROCESSOR_MAPPING_NAMES.get(model_type):
        return str(name)
    raise ModelError(f"{path}: transformers has no processor for models of type {model_type}")


def _load(path: str, name: str, tokenizer: Any) -> Any:
    """The processor of class ``name`` in ``path``, without its video processor."""
    try:
        cls = without_videos(named_class(name))
        settings, _ = cls.get_processor_dict(path, local_files_only=True)
        return cls.from_args_and_dict([], settings, image_processor=load_image_processor(path), tokenizer=tokenizer)
    except Exception as error:
        raise ModelError(f"{path} cannot be read as {name}: {first_line(error)}") from error


def named_class(name: str) -> Any:
    """The class ``name`` of transformers, or the one in ``module:Class``."""
    module, _, attribute = name.rpartition(":")
    return getattr(import_module(module or "transformers"), attribute)


def without_videos(cls: Any) -> Any:
    """The processor class ``cls`` without a video processor."""
    parts = [part for part in cls.get_attributes() if part != "video_processor"]
    return type(cls.__name__, (cls,), {"get_attributes": classmethod(lambda _: parts)})
