"""Hooks into the prefill of a prompt: its states in the decoder, and the importance of its image tokens.

The importance says which image tokens a drafter should see (ParallelVLM); it is known after the first layers. Its
measure is similarity variation: how much the similarity of an image token to the prompt's text changes between layers.
Positions bias the similarity, but hardly its changes (section D of the paper's supplement).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.functional import normalize

if TYPE_CHECKING:
    from docspec.targets.protocol import ImportanceCallback, Prompt

LAYERS = 20
"""Layers that are measured, as in the paper; at most half of the decoder's."""


@contextmanager
def captured_states(decoder: Any, states: bool) -> Iterator[list[tuple[torch.Tensor, torch.Tensor]]]:
    """Records the inputs and the outputs of the text decoder, if ``states`` are wanted."""
    seen: list[tuple[torch.Tensor, torch.Tensor]] = []
    if not states:
        yield seen
        return

    def note(decoder: Any, args: Any, inputs: dict[str, Any], output: Any) -> None:
        seen.append((inputs["inputs_embeds"], output.last_hidden_state))

    hook = decoder.register_forward_hook(note, with_kwargs=True)
    try:
        yield seen
    finally:
        hook.remove()


@contextmanager
def token_importance(
    decoder: Any,
    embed: Callable[[torch.Tensor], torch.Tensor],
    prompts: Sequence[Prompt],
    on_importance: ImportanceCallback | None,
) -> Iterator[None]:
    """Within this context ``on_importance`` is called once ``decoder`` has run its first layers on ``prompts``; never
    for a prompt that is prefilled in pieces."""
    layers = list(getattr(decoder, "layers", ()))
    layers = layers[: min(LAYERS, len(layers) // 2)]
    if on_importance is None or not layers:
        yield
        return
    likeness = [_Likeness(prompt) for prompt in prompts]
    longest = max(prompt.length for prompt in prompts)

    def given(module: Any, args: Any, inputs: dict[str, Any]) -> None:
        for row, one in enumerate(likeness):
            one.begin(inputs["inputs_embeds"][row], embed)

    def passed(module: Any, args: Any, output: Any) -> None:
        hidden = output[0] if isinstance(output, tuple) else output
        if hidden.shape[1] != longest:
            return
        for row, one in enumerate(likeness):
            one.follow(hidden[row])
            if module is layers[-1]:
                on_importance(one.prompt, one.variation)

    hooks = [decoder.register_forward_pre_hook(given, with_kwargs=True)]
    hooks += [layer.register_forward_hook(passed) for layer in layers]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


class _Likeness:
    """The similarity of one prompt's tokens to its text, from layer to layer."""

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt

    def begin(self, embeddings: torch.Tensor, embed: Callable[[torch.Tensor], torch.Tensor]) -> None:
        ids = self.prompt.inputs["input_ids"][0].to(embeddings.device)
        self._text = (embeddings[: len(ids)] == embed(ids)).all(-1)
        self._last = self._of(embeddings)
        self._changed = torch.zeros_like(self._last)

    def follow(self, hidden: torch.Tensor) -> None:
        likeness = self._of(hidden)
        self._changed += (likeness - self._last).abs()
        self._last = likeness

    @property
    def variation(self) -> torch.Tensor:
        return self._changed.masked_fill(self._text, torch.inf)

    def _of(self, hidden: torch.Tensor) -> torch.Tensor:
        """The mean cosine of each position with the positions of text."""
        units = normalize(hidden[: len(self._text)].float(), dim=-1)
        return units @ units[self._text].mean(0)


def most_changed(variation: torch.Tensor, share: float) -> torch.Tensor:
    """The sorted indices, ``(kept,)``, of all text tokens and of the ``share`` (0..1] of image tokens that change most,
    at least one. ``variation`` is ``(prompt,)``, infinite for text."""
    shown = variation.isfinite()
    most = math.ceil(int(shown.sum()) * share)
    kept = ~shown
    kept[torch.where(shown, variation, -torch.inf).topk(most).indices] = True
    return kept.nonzero().flatten()
