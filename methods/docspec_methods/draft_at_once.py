"""Drafts many tokens for all rows on an accelerator without waiting in between.

The number of tokens cannot depend on the model's confidence, which only the host would look at. So a fixed number is
drafted, each chosen and fed back on the device, and the host cuts the draft where its probability becomes too small.
Keys and values after a row's fed tokens are ignored and overwritten later.

Verified trees are walked on the device, for proposers that continue there before the host has the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from docspec.targets.protocol import Verified
from docspec.targets.stepping.eager import view_of

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel


class Walk(NamedTuple):
    """The accepted paths. ``nodes`` ``(rows, deepest)``: the nodes of each path from the root; only a row's first
    ``counts`` ``(rows,)`` count, the last of these is repeated after them. ``tokens`` ``(rows, deepest)``: the target's
    token after each node, which is the next node's token, or after the last node the target's own."""

    nodes: torch.Tensor
    counts: torch.Tensor
    tokens: torch.Tensor


def walk(verified: Verified) -> Walk:
    """The path through each tree of ``verified`` that greedy decoding would have written."""
    tokens, parents, ancestry, choice = verified.tokens, verified.parents, verified.ancestry, verified.choice
    right = tokens == choice.gather(1, parents)
    right[:, 0] = True
    real = ancestry.diagonal(dim1=1, dim2=2)
    walked = real & (right.unsqueeze(1) | ~ancestry).all(2)
    counts = walked.sum(1)
    rank = torch.arange(tokens.shape[1], 0, -1, dtype=torch.float32, device=tokens.device)
    nodes = (walked * rank).topk(verified.deepest, 1).indices  # in order: a parent comes before its children
    each = torch.arange(verified.deepest, device=tokens.device).minimum((counts - 1).unsqueeze(1))
    nodes = nodes.gather(1, each)  # beyond the last one may stand anything
    return Walk(nodes, counts, choice.gather(1, nodes))


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
