"""A bucket's computation as a CUDA graph or as a compiled function.

Either is compared with the plain computation before it is trusted. Captured addresses are those of the bucket's own
buffers, of the weights and of the KV storage, all of which stay in place; nothing else may be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from docspec.targets.stepping.bucketed import Replay, StaticStep

if TYPE_CHECKING:
    from docspec.targets.kv import KVCache

TOLERANCE = 0.02
"""Largest difference of a captured step's logits from the plain ones, as a share of the largest: kernels chosen anew
may round differently; wrong memory is far off."""


def check(step: StaticStep, expected: torch.Tensor) -> None:
    """Raises ``RuntimeError`` unless the step's logits are ``expected`` but for rounding."""
    scale = float(expected.abs().max())
    apart = float((step.peak - expected).abs().max())
    if not apart <= TOLERANCE * scale + 1e-6:  # NaN is never within
        raise RuntimeError(f"captured logits differ from plain ones by {apart:.3g} (largest: {scale:.3g})")


class CudaGraphs:
    """CUDA graphs that share one memory pool: they are replayed one at a time, and leave nothing in the pool."""

    mode = "cuda"

    def __init__(self, warmups: int = 2) -> None:
        self._warmups = warmups
        self._pool: Any = None

    def capture(self, step: StaticStep, cache: KVCache) -> Replay:
        with torch.cuda.device(cache.spec.device):
            current = torch.cuda.current_stream()
            side = torch.cuda.Stream()
            side.wait_stream(current)
            with torch.cuda.stream(side):  # lazy set-up of libraries must not happen during capture
                for _ in range(self._warmups):
                    step.compute(cache)
                expected = step.peak.clone()
            current.wait_stream(side)
            if self._pool is None:
                self._pool = torch.cuda.graph_pool_handle()
            graph = torch.cuda.CUDAGraph()
            # Other threads draft pages meanwhile; only this one must keep to what can be captured.
            with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
                step.compute(cache)
            graph.replay()
            check(step, expected)
        return lambda cache: graph.replay()

    def forget(self) -> None:
        self._pool = None  # a pool whose graphs are gone cannot be used again


class Compiled:
    """``torch.compile`` of a bucket's computation, in one graph or not at all."""

    mode = "compile"

    def __init__(self, backend: str = "inductor") -> None:
        self._backend = backend

    def capture(self, step: StaticStep, cache: KVCache) -> Replay:
        step.compute(cache)
        expected = step.peak.clone()
        with torch._dynamo.config.patch(recompile_limit=10_000, accumulated_recompile_limit=100_000):
            compiled = torch.compile(step.compute, backend=self._backend, fullgraph=True, dynamic=False)
            compiled(cache)
        check(step, expected)
        return compiled

    def forget(self) -> None:
        return None
