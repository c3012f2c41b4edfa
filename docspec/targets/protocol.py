"""The contract of a target: the interface of a vision-language model that speculation needs, and nothing more."""

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
    PendingToken,
    Scores,
    StepBatch,
    StepRunner,
    Verified,
)

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image

    from docspec.targets.family import Sight
    from docspec.targets.kv_arena import KVArena
    from docspec.targets.kv_cache import SlotCache as SlotCache
    from docspec.targets.model_profile import ModelProfile
    from docspec.targets.rules import GenerationRules, RowRules

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
    "PendingToken",
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
"""Model inputs of shape ``(1, length)``, which also exist for output tokens; other inputs have one entry per image or
patch."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """An encoded request: model inputs of one row and their length in tokens (image tokens included)."""

    inputs: dict[str, Any]
    length: int


@dataclass(frozen=True, slots=True)
class PromptStates:
    """A prompt's states in the decoder, each ``(length, size)`` on the device: its input embeddings, with image
    features at image tokens, and its last hidden states."""

    embeddings: torch.Tensor
    hidden: torch.Tensor


@dataclass(frozen=True, slots=True)
class Prefill:
    """The result of a prefill: logits after the last token ``(vocab,)``, the prompt's length, its rope delta, and its
    states if they were asked for.

    ``rope_delta`` is the difference of a token's rotary position and its index in the sequence: under multi-axis rotary
    embedding an image takes fewer positions than tokens.
    """

    logits: torch.Tensor
    length: int
    rope_delta: int
    states: PromptStates | None = None


ImportanceCallback: TypeAlias = "Callable[[Prompt, torch.Tensor], None]"
"""Receives a prompt during its prefill and the similarity variation ``(length,)`` of its tokens
(:mod:`docspec.targets.prefill`); infinite for text."""


class TargetModel(Protocol):
    """A vision-language model whose decoder verifies trees. ``rules`` are those of its generation configuration,
    ``card`` is its profile, ``max_length`` the tokens of its context. With ``split``, steps attend to
    their trees by :mod:`docspec.targets.tree_attention`; ``no_split`` says why they cannot, if so."""

    kv_spec: KVSpec
    kv: KVArena
    steps: StepRunner
    rules: GenerationRules
    eos_ids: frozenset[int]
    card: ModelProfile
    max_length: int
    split: bool

    @property
    def no_split(self) -> str: ...

    @property
    def sight(self) -> Sight:
        """The size limits of its images."""
        ...

    def encode(self, image: Image, prompt: str) -> Prompt:
        """The model's inputs for one image and one instruction."""
        ...

    def encode_all(self, asked: Sequence[tuple[Image, str]]) -> list[Prompt]:
        """:meth:`encode` for many images and prompts, with fewer calls of the processor."""
        ...

    def alike(self, prompt: Prompt) -> Hashable:
        """A key of a prompt; only prompts with equal keys can be prefilled together."""
        ...

    def prefill(
        self,
        prompts: Sequence[Prompt],
        cache: SlotCache,
        rows: Sequence[int],
        states: bool = False,
        on_importance: ImportanceCallback | None = None,
    ) -> list[Prefill]:
        """Runs vision and prompts in as few forward passes as pays, and writes keys and values into slots
        ``0..length-1`` of each prompt's row. Returns ``states`` if they are wanted; ``on_importance`` receives the
        importance of image tokens. Raises ``ValueError`` if a prompt does not fit the cache."""
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
        """:meth:`prefill` of only the tokens at ``indices`` of one prompt (ascending, including the last token);
        ``length`` is their number. Raises :class:`docspec.core.ModelError` if the prompt's inputs cannot be cut."""
        ...

    def choose(self, logits: torch.Tensor, rules: RowRules | None = None, margin: bool = False) -> Choice:
        """The choice from ``logits`` ``(vocab,)`` after a row's whole output under its ``rules``, with its margin if
        asked for."""
        ...

    def decoding(self) -> AbstractContextManager[None]:
        """A context in which steps run with the best settings for decoding; prompts may be prefilled within it."""
        ...

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        """The decoder's input embeddings ``(..., size)`` of ``tokens`` ``(...)``."""
        ...

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits ``(..., vocab)`` of last hidden states ``(..., size)``."""
        ...

    def hidden(
        self, tokens: torch.Tensor, positions: torch.Tensor, mask: torch.Tensor | None, cache: SlotCache
    ) -> torch.Tensor:
        """Last hidden states ``(rows, tree, size)`` of ``tokens`` ``(rows, tree)``; keys and values are written as
        prepared in ``cache``.

        ``positions`` ``(rows, tree)`` are rotary positions (prefix + depth + rope delta). ``mask`` ``(rows, tree,
        slots)`` is boolean, true for the slots that a token attends to. ``None``: what the trees of ``cache`` say, by
        :mod:`docspec.targets.tree_attention`.
        """
        ...

    def tokenize(self, text: str) -> list[int]:
        """Token ids of ``text`` as the model would write them, without special tokens."""
        ...

    def detokenize(self, tokens: list[int]) -> str:
        """The text of output tokens; special tokens only if they are part of the target's output."""
        ...
