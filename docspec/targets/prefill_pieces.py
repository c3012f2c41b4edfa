"""Runs the decoder over a long prompt in pieces, so that the activations of a layer stay bounded.

The top-level class handles vision, image tokens and positions, and calls its decoder once. Here that call becomes
several, over consecutive pieces of the prompt, each of which attends to the keys and values of those before. Only
these, the embeddings and the last hidden states are then held for the whole prompt. Where the attention is causal by
itself (:func:`docspec.targets.attention.folded_attention`), no masks are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import torch

from docspec.core import ModelError

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache

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

    with _instead(decoder, forward):
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

    with _instead(decoder, forward):
        yield


@contextmanager
def _instead(decoder: Any, forward: Callable[..., Any]) -> Iterator[None]:
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
