"""Captures a bucket's computation as a CUDA graph or a compiled function.

Each capture is compared with the plain computation before it is used. It holds the addresses of the bucket's own
buffers, of the weights and of the KV storage, all of which stay in place; it must read nothing else.
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch

from docspec.core.safe_text import first_line
from docspec.targets.stepping.bucketed import CaptureError, ReplayStep, StaticStep

TOLERANCE = 0.02
"""Largest difference of a captured step's logits from the plain ones, relative to the largest logit. Different kernels
may round differently; wrong memory gives far larger differences."""


def check(step: StaticStep, expected: torch.Tensor) -> None:
    """Raises ``RuntimeError`` unless the step's logits equal ``expected`` except for rounding; padding is ignored."""
    found, plain = torch.stack((step.peak, expected)).float().cpu()[:, torch.from_numpy(step.real)]
    scale = float(plain.abs().max())
    apart = float((found - plain).abs().max())
    if not apart <= TOLERANCE * scale + 1e-6:  # NaN is never within
        raise RuntimeError(f"captured logits differ from plain ones by {apart:.3g} (largest: {scale:.3g})")


def can_capture(device: torch.device) -> bool:
    """Whether ``device`` has graphs with CUDA's interface."""
    return hasattr(getattr(torch, device.type, None), "CUDAGraph")


class CudaGraphs:
    """CUDA graphs that share one memory pool, because they are replayed one at a time and leave nothing in it, and one
    stream, because libraries keep separate memory for each stream."""

    mode = "cuda"

    def __init__(self) -> None:
        self._pool: Any = None
        self._stream: Any = None

    def capture(self, step: StaticStep) -> ReplayStep:
        device = step.output.device
        module = torch.get_device_module(device)
        with module.device(device):
            before = module.current_stream()
            self._stream = self._stream or module.Stream()
            self._pool = self._pool or module.graph_pool_handle()
            self._stream.wait_stream(before)
            with module.stream(self._stream):
                step.compute()  # the libraries' lazy set-up for this stream must not happen during capture
                expected = step.peak.clone()
                graph = module.CUDAGraph()
                try:
                    self._record(graph, step)
                except BaseException:
                    _abandon(device, self._pool)
                    raise
            before.wait_stream(self._stream)
            graph.replay()
            check(step, expected)
        replay: ReplayStep = graph.replay
        return replay

    def _record(self, graph: Any, step: StaticStep) -> None:
        # Other threads draft pages meanwhile; only this one must keep to what can be captured.
        graph.capture_begin(pool=self._pool, capture_error_mode="thread_local")
        try:
            step.compute()
        finally:
            graph.capture_end()

    def forget(self) -> None:
        self._pool = None  # a pool whose graphs are gone cannot be used again


def _abandon(device: torch.device, pool: Any) -> None:
    """Cleans up after a failed capture: torch continues to allocate to its pool if ending the capture fails, and the
    next ``empty_cache`` would then fail. Its random numbers, too, believe that the capture goes on until another one
    succeeds, which is done here."""
    module = torch.get_device_module(device)
    index = module.current_device()
    end = getattr(torch._C, f"_{device.type}_endAllocateToPool", None)
    release = getattr(torch._C, f"_{device.type}_releasePool", None)
    if end is not None and release is not None:
        with contextlib.suppress(RuntimeError):  # ended after all
            end(index, pool)
            release(index, pool)
    with contextlib.suppress(RuntimeError):
        one, graph = torch.zeros(1, device=device), module.CUDAGraph()
        graph.capture_begin(capture_error_mode="thread_local")
        try:
            one.add_(1)
        finally:
            graph.capture_end()


class Compiled:
    """``torch.compile`` of a bucket's computation as one graph."""

    mode = "compile"

    def __init__(self, backend: str = "inductor") -> None:
        self._backend = backend

    def capture(self, step: StaticStep) -> ReplayStep:
        step.compute()
        expected = step.peak.clone()
        compiled = torch.compile(step.compute, backend=self._backend, fullgraph=True, dynamic=False)

        def replay() -> None:
            # each bucket is one more entry of the same function
            with torch._dynamo.config.patch(recompile_limit=10_000, accumulated_recompile_limit=100_000):
                try:
                    compiled()
                except torch._dynamo.exc.TorchDynamoException as error:
                    raise CaptureError(f"{type(error).__name__}: {first_line(error)}") from error

        replay()
        check(step, expected)
        return replay

    def forget(self) -> None:
        return None
