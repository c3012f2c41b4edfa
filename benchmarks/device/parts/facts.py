"""Versions and machine, and what the device takes for the smallest things: a launch, a copy, a byte, a product."""

from __future__ import annotations

import contextlib
import os
import platform
import subprocess
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import linear

from benchmarks.device.context import GIB, Context, guarded

PACKAGES = ("torch", "transformers", "triton", "tokenizers", "numpy", "safetensors", "huggingface_hub")
COMMANDS = {
    "gcc": ("gcc", "--version"),
    "smi": ("nvidia-smi", "--query-gpu=name,driver_version,memory.total,clocks.sm,clocks.mem", "--format=csv,noheader"),
}
"""Programs whose first line is a fact."""

BACKENDS = ("flash", "mem_efficient", "math", "cudnn")


def run(context: Context, _: str) -> None:
    context.emit("facts", **_machine(), **_device(context))
    with guarded(context, "launches"):
        _launches(context)
    with guarded(context, "bandwidth"):
        from docspec.bench.step import measure_bandwidth

        context.emit("bandwidth", triad_gb_s=measure_bandwidth(context.device, 3) / 1e9)
    with guarded(context, "head"):
        _head(context)
    if not context.tiny:
        with guarded(context, "matmul"):
            side = 8192
            a = torch.randn(side, side, device=context.device, dtype=context.dtype)
            context.emit("matmul", tflops=2 * side**3 / context.events(lambda: a @ a, 5, 3) / 1e9)


def _machine() -> dict[str, Any]:
    told: dict[str, Any] = {
        "python": platform.python_version(),
        "cpus": len(os.sched_getaffinity(0)),
        "threads": torch.get_num_threads(),
    }
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            told[name] = version(name)
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        told["cpu"] = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    for name, command in COMMANDS.items():
        with contextlib.suppress(OSError, subprocess.SubprocessError, IndexError):
            told[name] = subprocess.run(command, capture_output=True, text=True, timeout=10).stdout.splitlines()[0]
    return told


def _device(context: Context) -> dict[str, Any]:
    if not context.is_cuda:
        return {}
    of = context.module.get_device_properties(context.device)
    return {
        "device": of.name,
        "memory_gib": of.total_memory / GIB,
        "processors": of.multi_processor_count,
        "capability": f"{of.major}.{of.minor}",
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
        "sdp": {name: getattr(torch.backends.cuda, f"{name}_sdp_enabled")() for name in BACKENDS},
        "tf32_matmul": torch.backends.cuda.matmul.allow_tf32,
        "tf32_cudnn": torch.backends.cudnn.allow_tf32,
    }


def _launches(context: Context) -> None:
    numbers = torch.zeros(1024, device=context.device)
    context.sync()
    count = 200 if context.tiny else 3000
    start = time.perf_counter()
    for _ in range(count):
        numbers.add_(1)
    launch = (time.perf_counter() - start) / count
    context.sync()
    context.emit(
        "launch",
        microseconds_an_operation=1e6 * launch,
        launch_and_wait_us=1e3 * context.wall(lambda: numbers.add_(1), 50),
    )
    if not context.is_cuda:
        return
    host = torch.zeros(4096, dtype=torch.uint8, pin_memory=True)
    there = torch.zeros(4096, dtype=torch.uint8, device=context.device)
    context.emit(
        "copies",
        up_and_wait_us=1e3 * context.wall(lambda: there.copy_(host, non_blocking=True), 50),
        down_and_wait_us=1e3 * context.wall(lambda: host.copy_(there, non_blocking=True), 50),
        pin_24_mib_ms=context.wall(lambda: torch.empty(24 * 2**20, dtype=torch.uint8).pin_memory(), 5),
        pin_32_numbers_us=1e3 * context.wall(lambda: torch.zeros(32, dtype=torch.long).pin_memory(), 20),
    )
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(1000):
            numbers.add_(1)
    gap = context.events(graph.replay, 5) / 1000
    context.sync()
    start = time.perf_counter()
    graph.replay()
    launched = time.perf_counter() - start
    context.sync()
    context.emit("graph", microseconds_a_small_kernel=1e3 * gap, launch_of_1000_kernels_us=1e6 * launched)


def _head(context: Context) -> None:
    """The product with the vocabulary, and what chooses tokens of it."""
    vocabulary, hidden = (1024, 64) if context.tiny else (151_936, 2048)
    weight = torch.randn(vocabulary, hidden, device=context.device, dtype=context.dtype)
    for nodes in (1, 8, 16, 32, 64, 128):
        x = torch.randn(nodes, hidden, device=context.device, dtype=context.dtype)
        y = linear(x, weight)
        product = context.graphed(lambda x=x: linear(x, weight), inner=5)  # type: ignore[misc]
        context.emit(
            "head",
            nodes=nodes,
            linear_gb_s=weight.nbytes / product / 1e6,
            linear_ms=product,
            argmax_ms=context.graphed(lambda y=y: y.argmax(-1), inner=5),  # type: ignore[misc]
            topk2_ms=context.graphed(lambda y=y: y.topk(2, -1), inner=5),  # type: ignore[misc]
            amax_ms=context.graphed(lambda y=y: y.amax(-1), inner=5),  # type: ignore[misc]
        )
