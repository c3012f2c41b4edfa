"""The kernel of :mod:`docspec.targets.norms`; importing it needs Triton."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def normalise(values, weight, output, size, eps, WIDTH: tl.constexpr):
    """``output`` is a row of ``values`` over the root of its mean square, rounded to its own type, times ``weight``."""
    row = tl.program_id(0).to(tl.int64)
    dims = tl.arange(0, WIDTH)
    within = dims < size
    given = tl.load(values + row * size + dims, mask=within, other=0.0)
    wide = given.to(tl.float32)
    scale = 1.0 / tl.sqrt(tl.sum(wide * wide, 0) / size + eps)
    rounded = (wide * scale).to(given.dtype).to(tl.float32)
    factors = tl.load(weight + dims, mask=within, other=0.0).to(tl.float32)
    tl.store(output + row * size + dims, factors * rounded, mask=within)


def normalised(values: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """``values`` ``(..., size)``, normalised."""
    values = values.contiguous()
    output = torch.empty_like(values)
    size = values.shape[-1]
    width = triton.next_power_of_2(size)
    warps = min(max(width // 256, 1), 16)
    normalise[(values.numel() // size,)](values, weight, output, size, eps, WIDTH=width, num_warps=warps)
    return output
