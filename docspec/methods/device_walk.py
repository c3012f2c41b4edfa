"""Walks through verified trees on the device, for proposers that continue there before the host has the result."""

from __future__ import annotations

from typing import NamedTuple

import torch

from docspec.targets.protocol import Verified


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
