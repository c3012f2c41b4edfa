"""The gated delta rule over the nodes of a tree.

Along one sequence the state ``S`` ``(key_dim, value_dim)`` of a head goes, with decay ``g`` (log, at most 0), write
strength ``beta``, key ``k`` (length 1) and value ``v`` of each token, as

    S <- exp(g) S;   u = beta (v - S^T k);   S <- S + k u^T;   output = S^T q

With ``G_i`` the sum of ``g`` from the root to node ``i``, and ``S`` the state before the tree, this unrolls over the
ancestors ``j`` of ``i`` (WY form: Yang et al., Parallelizing Linear Transformers with the Delta Rule, arXiv 2406.06484;
Gated Delta Networks, arXiv 2412.06464; over a tree the sums run over ancestors instead of earlier tokens):

    u_i + beta_i sum_{j < i} exp(G_i - G_j) (k_i . k_j) u_j = beta_i (v_i - exp(G_i) S^T k_i)
    output_i = exp(G_i) S^T q_i + sum_{j <= i} exp(G_i - G_j) (q_i . k_j) u_j

The first line is one unit lower triangular system for all nodes, as a node stands behind its parent. What a node adds
to the state is ``(g, k, u)``: :class:`Updates`. All of it is computed in float32.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True, slots=True)
class Updates:
    """What nodes add to the state: ``decays`` ``(rows, nodes, heads)`` (log), ``keys``
    ``(rows, nodes, heads, key_dim)`` and ``values`` ``(rows, nodes, heads, value_dim)``, the ``u`` of the rule."""

    decays: torch.Tensor
    keys: torch.Tensor
    values: torch.Tensor


def verify(
    state: torch.Tensor,
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    decays: torch.Tensor,
    betas: torch.Tensor,
    ancestry: torch.Tensor,
) -> tuple[torch.Tensor, Updates]:
    """Outputs ``(rows, nodes, heads, value_dim)`` of all nodes, and what each adds to the state.

    ``state`` ``(rows, heads, key_dim, value_dim)`` is the one before the tree; ``queries`` (scaled) and ``keys``
    ``(rows, nodes, heads, key_dim)``, ``values`` ``(rows, nodes, heads, value_dim)``, ``decays`` and ``betas``
    ``(rows, nodes, heads)``; ``ancestry`` ``(rows, nodes, nodes)`` is true where a node has another one, or itself,
    before it. A node whose own place in it is false is padding.
    """
    reach = ancestry.unsqueeze(1)
    total = (ancestry.to(decays.dtype) @ decays).transpose(1, 2)  # G, (rows, heads, nodes)
    gaps = (total.unsqueeze(-1) - total.unsqueeze(-2)).masked_fill(~reach, -torch.inf).exp()
    k, q, v = keys.transpose(1, 2), queries.transpose(1, 2), values.transpose(1, 2)
    beta, grown = betas.transpose(1, 2).unsqueeze(-1), total.exp().unsqueeze(-1)
    system = (beta * gaps * (k @ k.transpose(-1, -2))).tril(-1)
    right = beta * (v - grown * (k @ state))
    updates = torch.linalg.solve_triangular(system, right, upper=False, unitriangular=True)
    outputs = grown * (q @ state) + (gaps * (q @ k.transpose(-1, -2))) @ updates
    return outputs.transpose(1, 2), Updates(decays, keys, updates.transpose(1, 2))


def committed(state: torch.Tensor, updates: Updates, counts: torch.Tensor) -> torch.Tensor:
    """``state`` ``(rows, heads, key_dim, value_dim)`` with the first ``counts`` ``(rows,)`` of each row's ``updates``,
    which are one path, added."""
    nodes = updates.decays.shape[1]
    kept = (torch.arange(nodes, device=counts.device) < counts.unsqueeze(1)).unsqueeze(-1)
    total = updates.decays.masked_fill(~kept, 0.0).cumsum(1)
    last = total[:, -1]
    shares = (last.unsqueeze(1) - total).exp().masked_fill(~kept, 0.0).unsqueeze(-1)
    added = torch.einsum("rnhk,rnhv->rhkv", shares * updates.keys, updates.values)
    return last.exp()[..., None, None] * state + added
