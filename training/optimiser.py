"""Muon for the hidden matrices, Adam for the rest, over plain float32 tensors.

Muon orthogonalises the momentum of a weight matrix by Newton-Schulz iteration, which learns in markedly fewer
steps at this size. The matrices are shared out among the ranks; each updates its own and the results are
summed.
"""

from __future__ import annotations

from collections import defaultdict

import torch
import torch.distributed as dist
from torch import Tensor

from training.network import Network

NEWTON_SCHULZ = (
    (4.0848, -6.8946, 2.9270),
    (3.9505, -6.3029, 2.6377),
    (3.7418, -5.5913, 2.3037),
    (2.8769, -3.1427, 1.2046),
)


@torch.no_grad()
def orthogonalise(matrices: Tensor) -> Tensor:
    """Four Newton-Schulz steps of (n, rows, columns) towards the nearest orthogonal matrices; singular values
    from 1 % of the Frobenius norm on come near one, smaller ones are raised 170 times."""
    x = matrices / (matrices.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    wide = x.shape[-2] <= x.shape[-1]
    x = x if wide else x.mT
    for a, b, c in NEWTON_SCHULZ:
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x if wide else x.mT


class Optimiser:
    """State and step of Muon + Adam for a `Network`; weight decay is decoupled and only on matrices."""

    def __init__(self, network: Network, decay: float = 0.01) -> None:
        self.network, self.decay, self.count = network, decay, 0
        self.matrices: dict[tuple[int, int], list[torch.nn.Parameter]] = defaultdict(list)
        self.others: list[torch.nn.Parameter] = []
        hidden = ("blocks.", "layers.", "merger.linear_fc2")
        for name, parameter in network.named_parameters():
            if not parameter.requires_grad:
                continue
            if parameter.ndim == 2 and any(part in name for part in hidden):
                self.matrices[(parameter.shape[0], parameter.shape[1])].append(parameter)
            else:
                self.others.append(parameter)
        self.parameters = [p for group in self.matrices.values() for p in group] + self.others
        self.momentum = {p: torch.zeros_like(p) for group in self.matrices.values() for p in group}
        self.adam = torch.optim.AdamW(self.others, lr=0.0, betas=(0.9, 0.98), weight_decay=0.0, fused=True)

    def state_dict(self) -> dict[str, object]:
        return {"count": self.count, "adam": self.adam.state_dict(), "momentum": list(self.momentum.values())}

    def load_state_dict(self, state: dict) -> None:
        self.count = state["count"]
        self.adam.load_state_dict(state["adam"])
        for mine, saved in zip(self.momentum.values(), state["momentum"], strict=True):
            mine.copy_(saved)

    @torch.no_grad()
    def step(self, rate: float, clip: float = 1.0) -> float:
        """One step at Adam's learning rate `rate` (Muon's is three times that, in Adam's units); returns the
        gradient norm."""
        gradients = [p.grad if p.grad is not None else torch.zeros_like(p) for p in self.parameters]
        shared = dist.is_initialized()
        if shared:
            flat = torch.cat([g.flatten() for g in gradients])
            dist.all_reduce(flat)
            flat /= dist.get_world_size()
            for p, piece in zip(self.parameters, flat.split([g.numel() for g in gradients]), strict=True):
                p.grad = piece.view_as(p)
            gradients = [p.grad for p in self.parameters if p.grad is not None]
        norm = float(torch.nn.utils.get_total_norm(gradients))
        scale = min(1.0, clip / (norm + 1e-6))
        for p in self.parameters:
            if p.grad is not None:
                p.grad.mul_(scale)
        self.count += 1
        for group in self.adam.param_groups:
            group["lr"] = rate
        self.adam.step()
        self._muon(rate * 3, shared)
        for p in self.parameters:
            p.grad = None
        return norm

    def _muon(self, rate: float, shared: bool) -> None:
        ranks, rank = (dist.get_world_size(), dist.get_rank()) if shared else (1, 0)
        updates: dict[torch.nn.Parameter, Tensor] = {}
        for group in self.matrices.values():
            live = [p for p in group if p.grad is not None and p.grad.any()]
            for p in live:
                self.momentum[p].lerp_(p.grad, 0.05)
            directions = [p.grad.lerp(self.momentum[p], 0.95) for p in live]
            mine = list(range(rank, len(live), ranks))
            if mine:
                done = orthogonalise(torch.stack([directions[i] for i in mine]))
                for i, matrix in zip(mine, done, strict=True):
                    updates[live[i]] = matrix
            for i in set(range(len(live))) - set(mine):
                updates[live[i]] = torch.zeros_like(live[i])
        if not updates:
            return
        ordered = [p for p in self.momentum if p in updates]
        flat = torch.cat([updates[p].flatten() for p in ordered])
        if shared:
            dist.all_reduce(flat)
        for p, piece in zip(ordered, flat.split([p.numel() for p in ordered]), strict=True):
            p.mul_(1 - rate * self.decay)
            p.add_(piece.view_as(p), alpha=-rate * 0.2 * max(p.shape) ** 0.5)
