"""The exact walk through verified trees on the device, for proposers that go on there before the host has seen it."""

from __future__ import annotations

from typing import NamedTuple

import torch

from docspec.targets.protocol import Verified


class Walk(NamedTuple):
    """``nodes`` ``(rows, deepest)`` of each accepted path, the root first; a row's first ``counts`` ``(rows,)`` count,
    the last one is repeated behind them. ``tokens`` ``(rows, deepest)`` are what the target writes after each: the next
    node's token, and after the last one its own."""

    nodes: torch.Tensor
    counts: torch.Tensor
    tokens: torch.Tensor


def walk(verified: Verified) -> Walk:
    """How far each tree of ``verified`` is what the target would have written."""
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
