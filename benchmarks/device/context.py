"""What a part is given: the device, its clocks, the time that is left, and where findings go."""

from __future__ import annotations

import contextlib
import json
import math
import os
import time
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from statistics import median

import torch

from benchmarks.device.findings import plain
from docspec.core.safe_text import first_line

GIB = 2**30


class Context:
    """One part's device and clocks. Findings go to the standard output that it was started with; what libraries print
    there goes to standard error."""

    def __init__(self, device: str, data: Path, tiny: bool = False) -> None:
        self.device_name, self.data, self.tiny = device, data, tiny
        self.end = math.inf
        self._out = os.fdopen(os.dup(1), "w", buffering=1)
        os.dup2(2, 1)
        if device.startswith("openreg"):
            import_module("tests.accelerator.openreg").register()
        self.device = torch.device(device)
        self.module = torch.get_device_module(self.device)
        self.is_cuda = self.device.type == "cuda"
        self.dtype = torch.bfloat16 if self.is_cuda else torch.float32

    @property
    def left(self) -> float:
        """Seconds until the part's end."""
        return self.end - time.monotonic()

    def has(self, seconds: float) -> bool:
        """Whether so much time is left; a tiny run has always time."""
        return self.tiny or self.left > seconds

    def emit(self, kind: str, **values: object) -> None:
        """Writes a finding."""
        self._out.write(json.dumps({"kind": kind, **plain(values)}) + "\n")
        self._out.flush()

    def sync(self) -> None:
        if self.device.type != "cpu":
            self.module.synchronize()

    def forget_peak(self) -> None:
        """The peak of memory is that from now on."""
        if self.is_cuda:
            self.module.reset_peak_memory_stats()

    def memory(self) -> dict[str, float]:
        """GiB that torch and the whole device have in use, as fields of a finding; nothing but for CUDA."""
        if not self.is_cuda:
            return {}
        free, whole = self.module.mem_get_info()
        return {
            "allocated_gib": self.module.memory_allocated() / GIB,
            "peak_gib": self.module.max_memory_allocated() / GIB,
            "reserved_gib": self.module.memory_reserved() / GIB,
            "peak_reserved_gib": self.module.max_memory_reserved() / GIB,
            "used_on_device_gib": (whole - free) / GIB,
        }

    # --- clocks: all give milliseconds, the median of ``repeats`` ---

    def wall(self, run: Callable[[], object], repeats: int, warm: int = 1) -> float:
        """One ``run`` as the host sees it, waiting for the device."""
        times = []
        for _ in range(warm + repeats):
            self.sync()
            start = time.perf_counter()
            run()
            self.sync()
            times.append(1e3 * (time.perf_counter() - start))
        return median(times[warm:])

    def events(self, run: Callable[[], object], repeats: int, inner: int = 1) -> float:
        """One ``run`` of ``inner`` on the device's own clock."""
        if not self.is_cuda:
            return self.wall(lambda: [run() for _ in range(inner)], repeats) / inner
        run()
        times = []
        for _ in range(repeats):
            first, last = self.module.Event(enable_timing=True), self.module.Event(enable_timing=True)
            first.record()
            for _ in range(inner):
                run()
            last.record()
            last.synchronize()
            times.append(first.elapsed_time(last) / inner)
        return median(times)

    def graphed(self, run: Callable[[], object], repeats: int = 5, inner: int = 1) -> float:
        """One ``run`` of ``inner`` that are captured together: launching does not count."""
        if not self.is_cuda:
            return self.events(run, min(repeats, 2))
        from docspec.targets.stepping.captures import _abandon

        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            run()
            run()
        torch.cuda.current_stream().wait_stream(stream)
        graph, pool = torch.cuda.CUDAGraph(), torch.cuda.graph_pool_handle()
        try:
            with torch.cuda.graph(graph, pool=pool):
                for _ in range(inner):
                    run()
        except BaseException:
            _abandon(self.device, pool)
            raise
        return self.events(graph.replay, repeats) / inner


@contextlib.contextmanager
def guarded(context: Context, what: str) -> Iterator[None]:
    """An error within it is a finding, with the lines that it comes from; a lost device ends the part."""
    try:
        yield
    except Exception as error:
        where = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)][-6:]
        context.emit("error", what=what, error=_told(error), where=where)
        traceback.print_exc()
        if context.is_cuda:
            try:
                context.sync()
                mend_generator(context.device)
            except Exception as lost:
                context.emit("error", what=f"{what}: the device is lost", error=_told(lost))
                raise SystemExit(3) from lost


def mend_generator(device: torch.device) -> None:
    """After a failed capture torch's generator waits for its end, and every random number is an error until another
    capture succeeds: this is one."""
    numbers = torch.zeros(1, device=device)
    torch.cuda.synchronize()
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        numbers.add_(1)
    torch.randn(1, device=device)


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {first_line(error)}"[:400]
