"""The common part of all families' inputs: the checkpoint's own image processor, tokenizer and size limits.

With torchvision, transformers' ``AutoProcessor`` takes the torchvision image processor; without it there is only the
PIL one. They differ by a grey level or two, so the one that ``AutoProcessor`` would take is used here, and reported.
"""

from __future__ import annotations

import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from docspec.core import ModelError
from docspec.core.safe_text import first_line

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image


@dataclass(frozen=True, slots=True, eq=False)
class TokenizerCodec:
    """The texts of ``tokenizer``, with special tokens if ``special_tokens`` (the model writes them in its answers)."""

    tokenizer: Any
    special_tokens: bool

    def tokenize(self, text: str) -> list[int]:
        """The tokens of ``text`` as it stands in an answer."""
        # verbose=False: drafts may well be longer than the model's context, which is nothing to warn of
        tokens: list[int] = self.tokenizer.encode(text, add_special_tokens=False, verbose=False)
        return tokens

    def detokenize(self, tokens: list[int]) -> str:
        """The text of ``tokens``."""
        text: str = self.tokenizer.decode(
            tokens, skip_special_tokens=not self.special_tokens, clean_up_tokenization_spaces=False
        )
        return text


class Processing(ABC):
    """Turns an image and an instruction into model inputs; has the tokenizer and image processor of one checkpoint."""

    def __init__(self, image_processor: Any, tokenizer: Any) -> None:
        self.image_processor = image_processor
        self.tokenizer = tokenizer

    @property
    def factor(self) -> int:
        """Pixels per image token and axis; image sizes that the model sees are multiples of it."""
        return int(self.image_processor.patch_size * self.image_processor.merge_size)

    @property
    def pixel_limits(self) -> dict[str, int]:
        """The arguments ``factor``, ``min_pixels`` and ``max_pixels`` of :func:`docspec.core.page.smart_resize`."""
        size = self.image_processor.size
        return {
            "factor": self.factor,
            "min_pixels": int(size["shortest_edge"]),
            "max_pixels": int(size["longest_edge"]),
        }

    @property
    def least_pixels(self) -> int:
        """Pixels below which an image is enlarged, which blurs print; 0 if unknown."""
        return self._edge("shortest_edge")

    @property
    def most_pixels(self) -> int:
        """Pixels beyond which an image is reduced; 0 if unknown."""
        return self._edge("longest_edge")

    def _edge(self, name: str) -> int:
        size = getattr(self.image_processor, "size", None) or {}
        return int(size.get(name) or 0) if hasattr(size, "get") else 0

    @property
    def backend(self) -> str:
        """The library that resizes images: ``torchvision``, or ``pil`` with the reason."""
        from transformers.image_processing_backends import PilBackend

        if not isinstance(self.image_processor, PilBackend):
            return "torchvision"
        return "pil" if importlib.util.find_spec("torchvision") else "pil (torchvision is not installed)"

    def image_tokens(self, grid: torch.Tensor) -> int:
        """Image tokens in the prompt for an image of ``grid`` ``(1, 3)`` patches."""
        return int(grid.prod()) // int(self.image_processor.merge_size) ** 2

    @abstractmethod
    def encode(self, image: Image, prompt: str) -> dict[str, torch.Tensor]:
        """``input_ids (1, P)``, pixel values and grid as the model's forward takes them, on the CPU."""

    def encode_all(self, asked: Sequence[tuple[Image, str]]) -> list[dict[str, torch.Tensor]]:
        """:meth:`encode` for many images and prompts, with identical results."""
        return [self.encode(image, prompt) for image, prompt in asked]


def check_torchvision() -> None:
    """Raises :class:`docspec.core.ModelError` if torchvision is installed but cannot be imported.

    transformers assumes that an installed torchvision works; otherwise none of its vision code can be imported.
    """
    if importlib.util.find_spec("torchvision") is None:
        return
    try:
        importlib.import_module("torchvision")
    except Exception as error:
        raise ModelError(
            f"torchvision is installed but does not load ({first_line(error)}); install the build that belongs to "
            "this torch, or uninstall it"
        ) from error


def load_tokenizer(cls: Any, path: str) -> Any:
    """The tokenizer of the checkpoint in ``path``, loaded by ``cls`` without running code of the checkpoint.

    Raises :class:`docspec.core.ModelError` if it cannot be loaded.
    """
    try:
        return cls.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    except Exception as error:
        raise ModelError(
            f"{path}: the tokenizer (tokenizer.json, tokenizer_config.json) cannot be loaded: {first_line(error)}"
        ) from error


def load_image_processor(path: str) -> Any:
    """The image processor that ``AutoProcessor`` would take for the checkpoint in ``path``. No code of the checkpoint
    runs."""
    from transformers import AutoImageProcessor

    return AutoImageProcessor.from_pretrained(path, local_files_only=True, trust_remote_code=False)
