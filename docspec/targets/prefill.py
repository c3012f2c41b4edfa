"""Prefills many prompts in few forward passes: prompts of similar length share one, including the vision tower.

A small model's crop costs little arithmetic but many small operations, so sharing a pass pays. Padding costs
arithmetic, so only prompts of similar length share one, and the size of a pass is limited.

Hooks record a prompt's states in the decoder and the importance of its image tokens: which of them a drafter should see
(ParallelVLM), known after the first layers. The measure is similarity variation: how much the similarity of an image
token to the prompt's text changes between layers. Positions bias the similarity, but hardly its changes (section D of
the paper's supplement).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.functional import normalize

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import ImportanceCallback, Prefill, Prompt, TargetModel


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


MAX_STRETCH = 1.3
"""Longest prompt over shortest prompt in one forward pass; it limits padding."""

MAX_TOKENS = 4096
"""Tokens of prompts that share a forward pass, padding included. It also limits their pixels, because an image token
has a fixed number of them (1,024 in Qwen3-VL, 784 in dots.ocr); it is about one page."""


def prefill_rows(
    target: TargetModel,
    prompts: Sequence[Prompt],
    cache: SlotCache,
    rows: Sequence[int],
    states: bool = False,
    most: int = MAX_TOKENS,
    on_importance: ImportanceCallback | None = None,
) -> list[Prefill]:
    """Prefills prompt ``i`` into row ``rows[i]`` of ``cache``; the results in the given order, with ``states`` if
    wanted.

    Prompts that share a pass have up to ``most`` tokens; ``on_importance`` is called for each. Raises ``ValueError`` if
    a prompt does not fit the cache.
    """
    filled: dict[int, Prefill] = {}
    kinds = [target.alike(prompt) for prompt in prompts]
    for group in groups([prompt.length for prompt in prompts], kinds, most):
        own = [prompts[i] for i in group], cache, [rows[i] for i in group]
        results = target.prefill_together(*own, states, on_importance)
        filled.update(zip(group, results, strict=True))
    return [filled[i] for i in range(len(prompts))]


def groups(lengths: Sequence[int], kinds: Sequence[Hashable] = (), most: int = MAX_TOKENS) -> list[list[int]]:
    """The indices of ``lengths`` in groups that share a forward pass of up to ``most`` tokens, shortest prompts first;
    only prompts of the same one of ``kinds`` share a pass."""
    found: list[list[int]] = []
    open_of: dict[Hashable, list[int]] = {}
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        length, kind = lengths[index], kinds[index] if kinds else None
        group = open_of.get(kind)
        if group is not None and length <= MAX_STRETCH * lengths[group[0]] and length * (len(group) + 1) <= most:
            group.append(index)
        else:
            open_of[kind] = [index]
            found.append(open_of[kind])
    return found
