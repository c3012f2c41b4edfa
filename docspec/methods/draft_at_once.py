"""Drafts many tokens for all rows on an accelerator without waiting in between.

The number of tokens cannot depend on the model's confidence, which only the host would look at. So a fixed number is
drafted, each chosen and fed back on the device, and the host cuts the draft where its probability becomes too small.
Keys and values after a row's fed tokens are ignored and overwritten later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from docspec.targets.stepping.eager import view_of

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel


class Feeds(NamedTuple):
    """The tokens to feed to each row: ``tokens`` ``(rows, most)``, of which the first ``counts`` count, written after
    the ``starts`` slots in use. ``deltas`` are the rows' rope deltas, ``prompts`` the lengths of their prompts,
    ``step_rows`` their rows in the target's step (-1: none). All but ``tokens`` are ``(rows,)``."""

    tokens: torch.Tensor
    counts: torch.Tensor
    starts: torch.Tensor
    deltas: torch.Tensor
    prompts: torch.Tensor
    step_rows: torch.Tensor


def laid(
    feeds: Sequence[Sequence[int]],
    starts: Sequence[int],
    deltas: Sequence[int],
    prompts: Sequence[int],
    step_rows: Sequence[int],
) -> tuple[np.ndarray, ...]:
    """The arrays of :class:`Feeds` on the host."""
    counts = list(map(len, feeds))
    tokens = np.zeros((len(feeds), max(counts)), dtype=np.int64)
    for line, feed in zip(tokens, feeds, strict=True):
        line[: len(feed)] = feed
    return tokens, *np.array((counts, starts, deltas, prompts, step_rows), dtype=np.int64)


def drafted(
    model: TargetModel, cache: SlotCache, feeds: Feeds, more: torch.Tensor, counts: torch.Tensor, reach: int, most: int
) -> torch.Tensor:
    """``most`` drafted tokens for each row of ``cache`` with their log probabilities: ``(rows, 2 * most)``,
    alternating.

    After ``feeds`` each row is fed the first ``counts`` ``(rows,)`` tokens of ``more`` ``(rows, any)``. No row then
    uses more than ``reach`` slots.
    """
    rows, device = len(more), more.device
    view = view_of(reach + most, cache.slots)
    first = torch.arange(rows, device=device).unsqueeze(1) * cache.slots

    def hidden(tokens: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        """States ``(rows, tokens, size)`` of ``tokens`` at the positions ``at`` of their rows."""
        index = at.clamp(max=cache.padding_slot) + first
        cache.begin_static_step(index.flatten(), rows, view, feeds.prompts)
        seen = torch.arange(view, device=device) <= at.unsqueeze(2)
        return model.hidden(tokens, at + feeds.deltas.unsqueeze(1), seen, cache)

    width = feeds.tokens.shape[1] + more.shape[1]
    tokens = torch.nn.functional.pad(feeds.tokens, (0, more.shape[1]))
    own = feeds.counts.unsqueeze(1)
    tokens.scatter_(1, own + torch.arange(more.shape[1], device=device), more)
    ends = own + counts.unsqueeze(1)
    states = hidden(tokens, feeds.starts.unsqueeze(1) + torch.arange(width, device=device))
    state = states.gather(1, (ends - 1).unsqueeze(2).expand(-1, -1, states.shape[2]))
    at = feeds.starts.unsqueeze(1) + ends
    found: list[torch.Tensor] = []
    for turn in range(most):
        chance, token = torch.log_softmax(model.logits(state).float(), -1).max(-1)
        found += [token.float(), chance]
        if turn < most - 1:
            state = hidden(token, at + turn)
    return torch.cat(found, 1)
