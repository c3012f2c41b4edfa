"""A target that runs every computation at full size while what it says follows a script.

With random weights of a published size its times are those of the model and its text is a transcript: end-to-end speed
with real acceptance can be measured where the weights are not at hand. One row at a time; exact acceptance only.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import torch

from docspec.targets.protocol import ImportanceCallback, Prefill, Prompt
from docspec.targets.rules import GenerationRules
from docspec.targets.stepping.step import Choice, PendingToken, StepBatch, StepOutput, StepReport, StepRunner

if TYPE_CHECKING:
    from PIL.Image import Image

    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel
    from docspec.targets.rules import RowRules


class ScriptCodec(Protocol):
    """A tokenizer; ``end`` is a number that no token has."""

    @property
    def end(self) -> int: ...

    def tokenize(self, text: str) -> list[int]: ...

    def detokenize(self, tokens: list[int]) -> str: ...


class ScriptedTarget:
    """``inner`` with the output of :meth:`follow`; tokens are those of ``codec``, all below ``inner``'s vocabulary."""

    def __init__(self, inner: TargetModel, codec: ScriptCodec) -> None:
        self.inner = inner
        self.kv_spec = inner.kv_spec
        self.kv = inner.kv
        self.eos_ids = frozenset((codec.end,))
        self.steps: StepRunner = _ScriptedSteps(self)
        self.rules = GenerationRules()
        self.card = inner.card
        self.max_length = inner.max_length
        self.sight = inner.sight
        self._codec = codec
        self._script: list[int] = []
        self._start = 0
        self._rope_delta = 0

    @property
    def no_split(self) -> str:
        return self.inner.no_split

    @property
    def split(self) -> bool:
        return self.inner.split

    @split.setter
    def split(self, split: bool) -> None:
        self.inner.split = split

    def follow(self, tokens: Sequence[int]) -> None:
        """From the next prefill on the output is ``tokens``, and then the end."""
        self._script = [*tokens, self._codec.end]

    def said(self, position: int) -> int:
        """The token after the one at rotary ``position``: within the prompt, where padding lies, the first one; beyond
        the end, the end again."""
        at = position - self._rope_delta - self._start + 1
        return self._script[min(max(at, 0), len(self._script) - 1)]

    def encode(self, image: Image, prompt: str) -> Prompt:
        return self.inner.encode(image, prompt)

    def encode_all(self, asked: Sequence[tuple[Image, str]]) -> list[Prompt]:
        return self.inner.encode_all(asked)

    def alike(self, prompt: Prompt) -> Hashable:
        return self.inner.alike(prompt)

    def prefill(
        self,
        prompts: Sequence[Prompt],
        cache: SlotCache,
        rows: Sequence[int],
        states: bool = False,
        on_importance: ImportanceCallback | None = None,
    ) -> list[Prefill]:
        return self.prefill_together(prompts, cache, rows, states, on_importance)

    def prefill_together(
        self,
        prompts: Sequence[Prompt],
        cache: SlotCache,
        rows: Sequence[int],
        states: bool = False,
        on_importance: ImportanceCallback | None = None,
    ) -> list[Prefill]:
        """The inner prefill; its logits then favour the script's first token. One prompt only."""
        [prefill] = self.inner.prefill(prompts, cache, rows, states, on_importance)
        self._start, self._rope_delta = prefill.length, prefill.rope_delta
        with torch.inference_mode():
            logits = torch.zeros_like(prefill.logits)
            logits[self._script[0]] = 1
        return [replace(prefill, logits=logits)]

    def prefill_tokens(self, prompt: Prompt, cache: SlotCache, row: int, indices: torch.Tensor) -> Prefill:
        """The inner one: it follows no script."""
        return self.inner.prefill_tokens(prompt, cache, row, indices)

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.inner.embed(tokens)

    def hidden(
        self, tokens: torch.Tensor, positions: torch.Tensor, mask: torch.Tensor | None, cache: SlotCache
    ) -> torch.Tensor:
        return self.inner.hidden(tokens, positions, mask, cache)

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """The inner model's own."""
        return self.inner.logits(hidden)

    def choose(self, logits: torch.Tensor, rules: RowRules | None = None, margin: bool = False) -> Choice:
        return self.inner.choose(logits, rules, margin)

    def decoding(self) -> AbstractContextManager[None]:
        return self.inner.decoding()

    def tokenize(self, text: str) -> list[int]:
        return self._codec.tokenize(text)

    def detokenize(self, tokens: list[int]) -> str:
        return self._codec.detokenize(tokens)


class _ScriptedSteps:
    """The inner runner's steps, waited for to the end; then the script's tokens instead of theirs."""

    def __init__(self, target: ScriptedTarget) -> None:
        self._target = target

    @property
    def _inner(self) -> StepRunner:
        return self._target.inner.steps

    @property
    def dense(self) -> bool:
        return self._inner.dense

    @property
    def report(self) -> StepReport:
        return self._inner.report

    def geometry(self, rows: int, slots: int) -> tuple[int, int]:
        return self._inner.geometry(rows, slots)

    def padded(self, nodes: int, reach: int, slots: int) -> tuple[int, int]:
        return self._inner.padded(nodes, reach, slots)

    def forget(self) -> None:
        self._inner.forget()

    def run(self, step: StepBatch, cache: SlotCache) -> StepOutput:
        if step.flags.scores:
            raise ValueError("a scripted target knows no probabilities: exact acceptance only")
        answer = self._inner.run(step, cache)
        said = self._target.said
        choices = [[said(position) for position in row] for row in step.positions.tolist()]
        return StepOutput(choices, hidden=answer.hidden)

    def advance(self, pending: PendingToken, cache: SlotCache) -> Choice:
        self._inner.advance(pending, cache)
        return Choice(self._target.said(pending.position))
