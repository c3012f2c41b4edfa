"""The gated delta rule over the nodes of a tree.

**The rule** (Yang et al., Gated Delta Networks, arXiv 2412.06464). A head keeps a state ``S``, a matrix of ``key_dim``
rows and ``value_dim`` columns: asked for a key, ``S^T k`` is the value that it remembers. A token with key ``k`` (of
length 1), value ``v``, query ``q``, decay ``g`` (the logarithm of a factor, at most 0) and write strength ``beta``
(0 to 1) changes and reads it in four steps:

    S <- exp(g) S              everything fades
    u  = beta (v - S^T k)      what is missing of the value for this key
    S <- S + k u^T             is added
    output = S^T q

**Over a tree.** ``S`` is now the state before the tree, ``A(i)`` the ancestors of node ``i`` and itself, and ``G_i``
the sum of ``g`` over ``A(i)``. Along the path to node ``i``, what node ``j`` added has faded by all decays behind it,
so that the state after node ``i`` is

    S_i = exp(G_i) S + sum over j in A(i) of exp(G_i - G_j) k_j u_j^T                                       (1)

and what node ``i`` adds is found from the same sum without its own term:

    u_i = beta_i (v_i - exp(G_i) S^T k_i - sum over j in A(i), j != i, of exp(G_i - G_j) (k_j . k_i) u_j)   (2)

For all nodes together (2) is a system ``(I + L) U = R`` with ``L_ij = beta_i exp(G_i - G_j) (k_j . k_i)`` where ``j``
is an ancestor of ``i``, else 0, and ``R_i = beta_i (v_i - exp(G_i) S^T k_i)``. A node stands behind its parent, so
``L`` is strictly lower triangular and one triangular solve a head finds every ``u``. Over a chain this is the WY form
in which such layers are trained (Yang et al., Parallelizing Linear Transformers with the Delta Rule, arXiv 2406.06484);
a tree only leaves out of the sums what are no ancestors (TreeWY, arXiv 2608.20961). :func:`verify` solves (2) and reads
(1) with the queries: ``output_i = S_i^T q_i``.

**What remains of a step** is ``(g, k, u)`` of each node, :class:`Updates`: ``key_dim + value_dim + 1`` numbers a head
instead of a matrix. :func:`committed` is (1) for the last node that was accepted. All of it is computed in float32.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True, slots=True)
class Updates:
    """The updates of nodes: ``decays`` ``(..., rows, nodes, heads)`` are ``g``, ``keys`` ``(..., rows, nodes, heads,
    key_dim)`` are ``k`` and ``values`` ``(..., rows, nodes, heads, value_dim)`` are ``u``."""

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
    faded = (total.unsqueeze(-1) - total.unsqueeze(-2)).masked_fill(~reach, -torch.inf).exp()  # exp(G_i - G_j) or 0
    k, q, v = keys.transpose(1, 2), queries.transpose(1, 2), values.transpose(1, 2)
    beta, grown = betas.transpose(1, 2).unsqueeze(-1), total.exp().unsqueeze(-1)
    lower = (beta * faded * (k @ k.transpose(-1, -2))).tril(-1)
    right = beta * (v - grown * (k @ state))
    updates = torch.linalg.solve_triangular(lower, right, upper=False, unitriangular=True)
    outputs = grown * (q @ state) + (faded * (q @ k.transpose(-1, -2))) @ updates
    return outputs.transpose(1, 2), Updates(decays, keys, updates.transpose(1, 2))


def committed(state: torch.Tensor, updates: Updates, counts: torch.Tensor) -> torch.Tensor:
    """``state`` ``(..., rows, heads, key_dim, value_dim)`` after the first ``counts`` ``(rows,)`` of each row's
    ``updates``, which form one path. Later entries are ignored."""
    nodes = updates.decays.shape[-2]
    left_out = (torch.arange(nodes, device=counts.device) >= counts.unsqueeze(1)).unsqueeze(-1)
    total = updates.decays.masked_fill(left_out, 0.0).cumsum(-2)  # G of each node
    last = total[..., -1, :]
    shares = (last.unsqueeze(-2) - total).exp().unsqueeze(-1)
    keys = (shares * updates.keys).masked_fill(left_out.unsqueeze(-1), 0.0)
    values = updates.values.masked_fill(left_out.unsqueeze(-1), 0.0)
    added = torch.einsum("...nhk,...nhv->...hkv", keys, values)
    return last.exp()[..., None, None] * state + added
