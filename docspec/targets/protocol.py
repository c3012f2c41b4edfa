"""The contract of a target: what speculation needs to know of a vision-language model, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from docspec.targets.kv import KVSpec
from docspec.targets.stepping.step import (
    CHOICES_ONLY,
    Behind,
    Choice,
    OutputFlags,
    Pending,
    Scores,
    StepBatch,
    StepRunner,
    Verified,
)

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image

    from docspec.targets.kv_arena import KVArena
    from docspec.targets.kv_cache import SlotCache as SlotCache
    from docspec.targets.model_profile import ModelProfile
    from docspec.targets.rules import GenerationRules, RowRules
    from docspec.targets.sight import Sight

__all__ = [
    "CHOICES_ONLY",
    "PER_TOKEN",
    "Behind",
    "Choice",
    "GenerationRules",
    "ImportanceCallback",
    "KVSpec",
    "ModelProfile",
    "OutputFlags",
    "Pending",
    "Prefill",
    "Prompt",
    "PromptStates",
    "RowRules",
    "Scores",
    "StepBatch",
    "StepRunner",
    "TargetModel",
    "Verified",
]


PER_TOKEN = ("input_ids", "mm_token_type_ids", "attention_mask")
"""Model inputs of shape ``(1, length)``, which go on with the output; the others have one entry an image or a patch."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """An encoded request: model inputs of one row and their length in tokens (image tokens included)."""

    inputs: dict[str, Any]
    length: int


@dataclass(frozen=True, slots=True)
class PromptStates:
    """A prompt inside the decoder, each ``(length, size)`` on the device: the embeddings that it was given, image
    features in the places of image tokens, and its last hidden states."""

    embeddings: torch.Tensor
    hidden: torch.Tensor


@dataclass(frozen=True, slots=True)
class Prefill:
    """What the prompt left behind: logits after its last token ``(vocab,)``, its length, the rope delta, and its states
    where they were asked for.

    ``rope_delta`` is what must be added to a token's index in the sequence to get its rotary position: image
    tokens take fewer positions than tokens under multi-axis rotary embedding.
    """

    logits: torch.Tensor
    length: int
    rope_delta: int
    states: PromptStates | None = None


ImportanceCallback: TypeAlias = "Callable[[Prompt, torch.Tensor], None]"
"""Told of a prompt, while it is prefilled, the similarity variation ``(length,)`` of its places
(:mod:`docspec.targets.prefill_hooks`); infinite for text."""


class TargetModel(Protocol):
    """A vision-language model with its decoder opened up for tree verification; ``rules`` are what its generation
    configuration asks for, ``card`` what the checkpoint says of itself, ``max_length`` the tokens of its context. Trees
    of ``split_from`` nodes and more (0: none) attend to prefix and tree apart, where it ``can_split``."""

    kv_spec: KVSpec
    kv: KVArena
    steps: StepRunner
    rules: GenerationRules
    eos_ids: frozenset[int]
    card: ModelProfile
    max_length: int
    can_split: bool
    split_from: int

    @property
    def sight(self) -> Sight:
        """How it sees pictures."""
        ...

    def encode(self, image: Image, prompt: str) -> Prompt:
        """The model's inputs for one image and one instruction."""
        ...

    def encode_all(self, asked: Sequence[tuple[Image, str]]) -> list[Prompt]:
        """:meth:`encode` of many images and prompts, in fewer calls of the processor."""
        ...

    def alike(self, prompt: Prompt) -> Hashable:
        """Prompts of which this differs cannot be prefilled together."""
        ...

    def prefill(
        self,
        prompts: Sequence[Prompt],
        cache: SlotCache,
        rows: Sequence[int],
        states: bool = False,
        on_importance: ImportanceCallback | None = None,
    ) -> list[Prefill]:
        """Runs vision and prompts, as many in one forward pass as pays, writing keys and values into slots
        ``0..length-1`` of each prompt's row; tells their ``states`` where they are wanted, and a ``on_importance``
        which image tokens matter. Raises ``ValueError`` if a prompt does not fit the cache."""
        ...

    def prefill_together(
        self,
        prompts: Sequence[Prompt],
        cache: SlotCache,
        rows: Sequence[int],
        states: bool = False,
        on_importance: ImportanceCallback | None = None,
    ) -> list[Prefill]:
        """:meth:`prefill` in one forward pass."""
        ...

    def prefill_tokens(self, prompt: Prompt, cache: SlotCache, row: int, indices: torch.Tensor) -> Prefill:
        """:meth:`prefill` of the tokens at ``indices`` (ascending, the last token included) of one prompt alone:
        its ``length`` is their number. Raises :class:`docspec.core.ModelError` where it cannot cut its inputs."""
        ...

    def choose(self, logits: torch.Tensor, rules: RowRules | None = None, margin: bool = False) -> Choice:
        """What ``logits`` ``(vocab,)`` after all that is written of a row choose, as its ``rules`` leave them; the
        margin where it is asked for."""
        ...

    def decoding(self) -> AbstractContextManager[None]:
        """Within it steps run as fast as they do here; prompts may be prefilled in between."""
        ...

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        """The decoder's input embeddings ``(..., size)`` of ``tokens`` ``(...)``."""
        ...

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits ``(..., vocab)`` of last hidden states ``(..., size)``."""
        ...

    def hidden(
        self, tokens: torch.Tensor, positions: torch.Tensor, mask: torch.Tensor, cache: SlotCache
    ) -> torch.Tensor:
        """Last hidden states ``(rows, tree, size)`` of ``tokens`` ``(rows, tree)``; keys and values go where ``cache``
        was told to.

        ``positions`` ``(rows, tree)`` are rotary positions (prefix + depth + rope delta). ``mask``
        ``(rows, tree, slots)`` is boolean, true where a token may look.
        """
        ...

    def tokenize(self, text: str) -> list[int]:
        """Token ids of ``text`` as the model would write them, without special tokens."""
        ...

    def detokenize(self, tokens: list[int]) -> str:
        """The text of output tokens, special ones only where they are part of what the target writes."""
        ...
