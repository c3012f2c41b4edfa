"""The contract of a target: what speculation needs to know of a vision-language model, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image

    from docspec.targets.kv_arena import KVArena
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.stepping.step import StepRunner


@dataclass(frozen=True, slots=True)
class KVSpec:
    """Geometry of the key-value cache of one row: ``layers`` x 2 x slots x ``kv_heads`` x ``head_dim``."""

    layers: int
    kv_heads: int
    head_dim: int
    dtype: torch.dtype
    device: torch.device

    def bytes_per_slot(self) -> int:
        """Bytes of cache that one token of one row takes."""
        return self.layers * 2 * self.kv_heads * self.head_dim * self.dtype.itemsize


@dataclass(frozen=True, slots=True)
class Prompt:
    """An encoded request: model inputs of one row and their length in tokens (image tokens included)."""

    inputs: dict[str, Any]
    length: int


@dataclass(frozen=True, slots=True)
class Prefill:
    """What the prompt left behind: logits after its last token ``(vocab,)``, its length, and the rope delta.

    ``rope_delta`` is what must be added to a token's index in the sequence to get its rotary position: image
    tokens take fewer positions than tokens under multi-axis rotary embedding.
    """

    logits: torch.Tensor
    length: int
    rope_delta: int


class TargetModel(Protocol):
    """A vision-language model with its decoder opened up for tree verification."""

    kv_spec: KVSpec
    kv: KVArena
    steps: StepRunner
    eos_ids: frozenset[int]

    def encode(self, image: Image, prompt: str) -> Prompt:
        """The model's inputs for one image and one instruction."""
        ...

    def prefill(self, prompt: Prompt, cache: SlotCache, row: int) -> Prefill:
        """Runs vision and prompt, writing keys and values into slots ``0..length-1`` of ``row``."""
        ...

    def prefill_together(
        self, prompts: Sequence[Prompt], cache: SlotCache, rows: Sequence[int]
    ) -> list[Prefill]:
        """:meth:`prefill` of several prompts, each into its own row, in one forward pass."""
        ...

    def forward(
        self, tokens: torch.Tensor, positions: torch.Tensor, mask: torch.Tensor, cache: SlotCache
    ) -> torch.Tensor:
        """Logits ``(rows, tree, vocab)`` for ``tokens`` ``(rows, tree)``, written where ``cache`` was told to.

        ``positions`` ``(rows, tree)`` are rotary positions (prefix + depth + rope delta). ``mask``
        ``(rows, tree, slots)`` is boolean, true where a token may look.
        """
        ...

    def tokenize(self, text: str) -> list[int]:
        """Token ids of ``text`` as the model would write them, without special tokens."""
        ...

    def detokenize(self, tokens: list[int]) -> str:
        """The text of output tokens, special tokens dropped."""
        ...
