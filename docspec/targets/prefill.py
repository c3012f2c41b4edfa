"""Prefills many prompts in few forward passes: prompts of similar length share one, including the vision tower.

A small model's crop costs little arithmetic but many small operations, so sharing a pass pays. Padding costs
arithmetic, so only prompts of similar length share one, and the size of a pass is limited.

Hooks record a prompt's states in the decoder and the importance of its image tokens: which of them a drafter should see
(ParallelVLM), known after the first layers. The measure is similarity variation: how much the similarity of an image
token to the prompt's text changes between layers. Positions bias the similarity, but hardly its changes (section D of
the paper's supplement).

A long prompt is read in pieces, so that the activations of a layer stay bounded. The top-level class handles vision,
image tokens and positions, and calls its decoder once. That call becomes several, over consecutive pieces of the
prompt, each of which attends to the keys and values of those before. Only these, the embeddings and the last hidden
states are then held for the whole prompt. Where the attention is causal by itself
(:func:`docspec.targets.attention.folded_attention`), no masks are made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
from torch.nn.functional import normalize

from docspec.core import ModelError

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import ImportanceCallback, Prefill, Prompt, TargetModel


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


PER_TOKEN = {"inputs_embeds": 1, "position_ids": -1, "visual_pos_masks": -1}
"""Per-token inputs of a decoder, each with its token axis."""

PER_IMAGE_TOKEN = "deepstack_visual_embeds"
"""Features that some decoder layers add: a list of ``(image tokens, size)``; ``visual_pos_masks`` marks their
tokens."""


Masks: TypeAlias = "Callable[[torch.Tensor, SlotCache, bool], Any]"
"""Converts a boolean ``(rows, tokens, slots)`` mask for a decoder; the last argument is whether it is folded."""


@contextmanager
def in_pieces(
    decoder: Any, masks: Masks | None, cache: SlotCache, rows: Sequence[int], length: int, piece: int
) -> Iterator[None]:
    """Within this context the decoder reads the prompt of ``rows``, of ``length`` tokens, in pieces of ``piece``
    tokens; without ``masks`` its attention needs none.

    Prompts that fit, prompts that share a pass and prompts with inputs that cannot be cut are read in one piece.
    """
    if length <= piece or len(rows) > 1:
        yield
        return
    whole = decoder.forward

    def forward(*args: Any, **inputs: Any) -> Any:
        if args or not _can_be_cut(inputs, length):
            return whole(*args, **inputs)
        hidden = []
        for start in range(0, length, piece):
            stop = min(start + piece, length)
            cache.begin_piece(rows[0], start, stop)
            seen = None
            if masks is not None:
                mask = torch.ones((1, stop - start, stop), dtype=torch.bool, device=cache.spec.device).tril(start)
                seen = masks(mask, cache, False)
            indices = torch.arange(start, stop, device=cache.spec.device)
            output = whole(**{**_cut(inputs, indices), "attention_mask": seen})
            hidden.append(output.last_hidden_state)
        output.last_hidden_state = torch.cat(hidden, dim=1)
        return output

    with instead(decoder, forward):
        yield


@contextmanager
def only(decoder: Any, masks: Masks | None, cache: SlotCache, length: int, indices: torch.Tensor) -> Iterator[None]:
    """Within this context the decoder gets only the tokens at ``indices`` (ascending) of a prompt of ``length`` tokens,
    at their own positions; ``cache`` must be prepared for so many. Raises :class:`docspec.core.ModelError` for inputs
    that cannot be cut."""
    whole = decoder.forward

    def forward(*args: Any, **inputs: Any) -> Any:
        if args or not _can_be_cut(inputs, length):
            raise ModelError(f"image tokens cannot be left out of the prompts of {type(decoder).__name__}")
        seen = None
        if masks is not None:
            mask = torch.ones((1, len(indices), len(indices)), dtype=torch.bool, device=indices.device).tril()
            seen = masks(mask, cache, False)
        return whole(**{**_cut(inputs, indices), "attention_mask": seen})

    with instead(decoder, forward):
        yield


@contextmanager
def instead(decoder: Any, forward: Callable[..., Any]) -> Iterator[None]:
    """Within this context calls of ``decoder`` are calls of ``forward``; afterwards they are what they were, also where
    someone else had put a function in its place."""
    before = vars(decoder).get("forward")
    decoder.forward = forward
    try:
        yield
    finally:
        if before is None:
            del decoder.forward
        else:
            decoder.forward = before


def _can_be_cut(inputs: Mapping[str, Any], length: int) -> bool:
    """Whether all per-token inputs are known and there is no mask of the class's own."""
    known = {*PER_TOKEN, PER_IMAGE_TOKEN, "past_key_values"}
    others = [value for name, value in inputs.items() if name not in known and value is not None]
    return inputs.get("attention_mask") is None and not any(
        isinstance(value, list | tuple | dict) or (isinstance(value, torch.Tensor) and length in value.shape)
        for value in others
    )


def _cut(inputs: Mapping[str, Any], indices: torch.Tensor) -> dict[str, Any]:
    """The inputs for the tokens at ``indices``."""
    cut = dict(inputs)
    for name, axis in PER_TOKEN.items():
        if inputs.get(name) is not None:
            cut[name] = inputs[name].index_select(axis, indices)
    if inputs.get("position_ids") is None:  # the decoder would count from the end of its cache
        cut["position_ids"] = indices.unsqueeze(0)
    if inputs.get(PER_IMAGE_TOKEN) is not None:
        shown = inputs["visual_pos_masks"].flatten()
        features = (shown.cumsum(0) - 1)[indices[shown[indices]]]
        cut[PER_IMAGE_TOKEN] = [values[features] for values in inputs[PER_IMAGE_TOKEN]]
    return cut


MEASURED_LAYERS = 20
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
    layers = layers[: min(MEASURED_LAYERS, len(layers) // 2)]
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
