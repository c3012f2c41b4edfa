"""What is told of a prompt while it is prefilled: its states inside the decoder, and how much image tokens matter.

The latter says what a drafter needs to see of them (ParallelVLM) and is known once the first layers are passed. Its
measure is similarity variation: how much the likeness of an image token to the prompt's text changes between layers.
Positions bias the likeness, but hardly its changes (section D of the paper's supplement).
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
"""Layers that are looked at, as the paper has it; at most half of a decoder's."""


@contextmanager
def captured_states(decoder: Any, states: bool) -> Iterator[list[tuple[torch.Tensor, torch.Tensor]]]:
    """Notes what the text decoder is given and what it makes of it, where ``states`` are wanted."""
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
    """Within it ``on_importance`` is told as soon as ``decoder`` has passed its first layers with ``prompts``; never of
    one that is read in pieces."""
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
    """One prompt's, followed from layer to layer."""

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
        """The mean cosine of each place with those of text."""
        units = normalize(hidden[: len(self._text)].float(), dim=-1)
        return units @ units[self._text].mean(0)


def most_changed(variation: torch.Tensor, share: float) -> torch.Tensor:
    """Indices, in order, of all text and of the ``share`` (0..1] of image tokens that change most, one at least."""
    shown = variation.isfinite()
    most = math.ceil(int(shown.sum()) * share)
    kept = ~shown
    kept[torch.where(shown, variation, -torch.inf).topk(most).indices] = True
    return kept.nonzero().flatten()
