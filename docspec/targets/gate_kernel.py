"""The kernel of :mod:`docspec.targets.gates`; importing it needs Triton."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def gate_up(gate, up, output, size, BLOCK: tl.constexpr):
    """SiLU of ``gate``, rounded to its own type, times ``up``."""
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = places < size
    given = tl.load(gate + places, mask=within, other=0.0)
    wide = given.to(tl.float32)
    active = (wide / (1.0 + tl.exp(-wide))).to(given.dtype).to(tl.float32)
    factors = tl.load(up + places, mask=within, other=0.0).to(tl.float32)
    tl.store(output + places, active * factors, mask=within)


def gated(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """``silu(gate) * up`` for tensors of one shape and type."""
    gate, up = gate.contiguous(), up.contiguous()
    output = torch.empty_like(gate)
    size = gate.numel()
    gate_up[(triton.cdiv(size, BLOCK),)](gate, up, output, size, BLOCK=BLOCK, num_warps=4)
    return output
