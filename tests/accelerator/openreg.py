"""The simulated device as torch sees it: ``torch.openreg`` with two devices, in the shape of ``torch.cuda``.

``EVENTS`` counts what waits and what is copied between host and device, ``WHERE`` says which lines did. A graph records
operations while it is captured and replays them over the tensors that it saw: no Python runs, and what was not in those
tensors is not seen. A capture that fails leaves the process as CUDA leaves it: invalid until its allocations are ended.
"""

from __future__ import annotations

import collections
import contextlib
import ctypes
import sys
import threading
import types
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from tests.accelerator.build import library

DOWNLOADS = ("blocking download", "item", "wait", "synchronize")
"""What makes the host wait for the device."""

UPLOADS = ("upload", "blocking upload")

FORBIDDEN = (*DOWNLOADS, "blocking upload")
"""What cannot be captured."""

EVENTS: collections.Counter[str] = collections.Counter()
WHERE: collections.Counter[tuple[str, str, str]] = collections.Counter()

_state = threading.local()
_warns = False
_library: Any = None
_capturing_to: set[Any] = set()
"""Memory pools that allocations go to: of captures under way, and of those that failed until they are ended."""


def count(*kinds: str) -> int:
    return sum(EVENTS[kind] for kind in kinds)


@contextlib.contextmanager
def counted() -> Iterator[collections.Counter[str]]:
    """Counts anew within it."""
    EVENTS.clear()
    WHERE.clear()
    yield EVENTS


def _place() -> str:
    """The lines of docspec, and the last one of anybody else's, that an event comes from."""
    frame, found = sys._getframe(2), []
    while frame is not None and len(found) < 3:
        name = frame.f_code.co_filename
        ours = "/docspec/" in name and "/tests/" not in name
        if ours or ("site-packages/transformers" in name and not found):
            found.append(f"{name.rsplit('/', 2)[-2]}/{name.rsplit('/', 1)[-1]}:{frame.f_lineno}")
        frame = frame.f_back
    return " < ".join(found)


def _note(kind: str, what: str) -> int:
    EVENTS[kind] += 1
    WHERE[kind, what, _place()] += 1
    if _warns and kind in DOWNLOADS and (kind, what) != ("synchronize", ""):  # CUDA does not warn of waits for all
        warnings.warn("called a synchronizing CUDA operation (simulated)", stacklevel=3)
    graph = getattr(_state, "graph", None)
    if graph is not None and kind in FORBIDDEN:
        graph.broken = True
        return 1
    return 0


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
def _on_event(kind: bytes, what: bytes) -> int:
    return _note(kind.decode(), what.decode())


# --- graphs --------------------------------------------------------------------------------------------------------


class _Recorder(TorchDispatchMode):
    def __init__(self, tape: list[Any]) -> None:
        super().__init__()
        self._tape = tape

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        tensors = _tensors(found)
        if not (func.is_view and all(_memory(each) == _memory(args[0]) for each in tensors)):  # a view stays one
            self._tape.append((func, args, kwargs or {}, tensors))
        return found


def _memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _tensors(found: Any) -> list[torch.Tensor]:
    if isinstance(found, torch.Tensor):
        return [found]
    return [each for each in tree_leaves(found) if isinstance(each, torch.Tensor)]


class CUDAGraph:
    """Operations recorded on one stream, replayed over the same tensors."""

    captured = 0
    replays = 0
    is_awaited = False
    """Whether random numbers wait for the end of a capture: after one that failed, for the next that succeeds."""

    def __init__(self) -> None:
        self._tape: list[Any] = []
        self._recorder: _Recorder | None = None
        self._pool: Any = None
        self.broken = False

    def capture_begin(self, pool: Any = None, capture_error_mode: str = "global") -> None:
        if current_stream() is _usual:
            raise RuntimeError("CUDA graphs must be captured on a non-default stream (simulated)")
        self._pool = pool if pool is not None else graph_pool_handle()
        _capturing_to.add(self._pool)
        self._stream = current_stream()
        self._recorder = _Recorder(self._tape)
        self._recorder.__enter__()
        _state.graph = self
        CUDAGraph.is_awaited = True

    def capture_end(self) -> None:
        assert self._recorder is not None
        self._recorder.__exit__(None, None, None)
        _state.graph = None
        if current_stream() is not self._stream:
            raise RuntimeError("Capture must end on the same stream it began on (simulated)")
        if self.broken:
            self._tape.clear()
            raise RuntimeError("CUDA error: operation failed due to a previous error during capture (simulated)")
        _capturing_to.discard(self._pool)
        CUDAGraph.captured += 1
        CUDAGraph.is_awaited = False

    @torch.inference_mode()
    def replay(self) -> None:
        CUDAGraph.replays += 1
        _library.set_replaying(1)
        try:
            for func, args, kwargs, found in self._tape:
                for old, new in zip(found, _tensors(func(*args, **kwargs)), strict=True):
                    if old.numel() and old.data_ptr() != new.data_ptr():
                        old.copy_(new)
        finally:
            _library.set_replaying(0)


def graph_pool_handle() -> tuple[int, int]:
    graph_pool_handle.made += 1  # type: ignore[attr-defined]
    return 0, graph_pool_handle.made  # type: ignore[attr-defined]


graph_pool_handle.made = 0  # type: ignore[attr-defined]


def end_allocate_to_pool(device: int, pool: Any) -> None:
    """As ``torch._C._cuda_endAllocateToPool``."""
    if pool not in _capturing_to:
        raise RuntimeError("endAllocatePool: not currently recording to mempool_id (simulated)")
    _capturing_to.discard(pool)


def release_pool(device: int, pool: Any) -> None:
    """As ``torch._C._cuda_releasePool``."""


# --- streams and devices ---------------------------------------------------------------------------------------------


class Stream:
    made = 0

    def __init__(self, device: Any = None) -> None:
        Stream.made += 1

    def synchronize(self) -> None:
        synchronize("stream")

    def wait_stream(self, other: Stream) -> None:
        """Operations run at once: there is nothing to wait for."""


_usual = Stream()


def current_stream(device: Any = None) -> Stream:
    return getattr(_state, "stream", _usual)


def set_stream(stream: Stream) -> None:
    _state.stream = stream


@contextlib.contextmanager
def stream(wanted: Stream | None) -> Iterator[None]:
    before = current_stream()
    set_stream(wanted or before)
    try:
        yield
    finally:
        set_stream(before)


def synchronize(device: Any = None) -> None:
    if _note("synchronize", "stream" if device == "stream" else ""):
        raise RuntimeError("CUDA error: operation not permitted when stream is capturing (simulated)")
    _library.wait_for_device()


def _index(device: Any) -> int:
    if device is None:
        return int(_library.current_device())
    return device if isinstance(device, int) else torch.device(device).index or 0


class device:
    def __init__(self, wanted: Any) -> None:
        self._wanted = _index(wanted)

    def __enter__(self) -> None:
        self._before = _library.current_device()
        _library.set_device(self._wanted)

    def __exit__(self, *error: object) -> None:
        _library.set_device(self._before)


def empty_cache() -> None:
    if _capturing_to:
        raise RuntimeError("captures_underway.empty() INTERNAL ASSERT FAILED (simulated)")


def mem_get_info(device: Any = None) -> tuple[int, int]:
    return MEMORY - int(_library.memory_allocated()), MEMORY


def set_sync_debug_mode(mode: str) -> None:
    global _warns
    if mode == "warn":  # torch says so itself, in words that are not to be taken for a wait (H200, torch 2.11)
        warnings.warn(
            "Synchronization debug mode is a prototype feature and does not yet detect all synchronizing operations",
            stacklevel=2,
        )
    _warns = mode == "warn"


MEMORY = 8 << 30
"""Bytes that each device says it has."""


def get_device_properties(device: Any = None) -> Any:
    return types.SimpleNamespace(
        name="simulated device", total_memory=MEMORY, major=0, minor=0, multi_processor_count=1
    )


# --- failures --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def out_of_memory_after(allocations: int) -> Iterator[types.SimpleNamespace]:
    """Within it the allocation after so many fails, once; ``happened`` says afterwards whether it came to that."""
    found = types.SimpleNamespace(happened=False)
    _library.run_out_of_memory_after(allocations)
    try:
        yield found
    finally:
        found.happened = _library.allocations_left_now() < 0
        _library.run_out_of_memory_after(-1)


@contextlib.contextmanager
def lost_after(operations: int) -> Iterator[None]:
    """Within it every operation after so many fails."""
    _library.lose_after(operations)
    try:
        yield
    finally:
        _library.lose_after(-1)


def register() -> None:
    """Builds the device and makes it ``torch.openreg``; once in a process."""
    global _library
    if _library is not None:
        return
    found = ctypes.CDLL(str(library()))
    for name in ("run_out_of_memory_after", "lose_after"):
        getattr(found, name).argtypes = [ctypes.c_int64]
    for name in ("allocations_left_now", "memory_allocated", "max_memory_allocated"):
        getattr(found, name).restype = ctypes.c_int64
    found.on_event(_on_event)
    _library = found
    torch.utils.rename_privateuse1_backend("openreg")
    module = types.ModuleType("torch.openreg")
    for function in (
        Stream, CUDAGraph, current_stream, set_stream, stream, synchronize, device, empty_cache, mem_get_info,
        get_device_properties, graph_pool_handle, set_sync_debug_mode,
    ):  # fmt: skip
        setattr(module, function.__name__, function)
    module.is_available = lambda: True  # type: ignore[attr-defined]
    module.is_initialized = lambda: True  # type: ignore[attr-defined]
    module.device_count = found.device_count  # type: ignore[attr-defined]
    module.current_device = found.current_device  # type: ignore[attr-defined]
    module.set_device = lambda device: found.set_device(_index(device))  # type: ignore[attr-defined]
    module.get_device_name = lambda device=None: "simulated device"  # type: ignore[attr-defined]
    module.memory_allocated = lambda device=None: found.memory_allocated()  # type: ignore[attr-defined]
    module.max_memory_allocated = lambda device=None: found.max_memory_allocated()  # type: ignore[attr-defined]
    module.reset_peak_memory_stats = lambda device=None: found.reset_peak()  # type: ignore[attr-defined]
    module._is_in_bad_fork = lambda: False  # type: ignore[attr-defined]
    module.manual_seed_all = lambda seed: None  # type: ignore[attr-defined]
    module.get_rng_state = lambda device=None: torch.get_rng_state()  # type: ignore[attr-defined]
    module.set_rng_state = lambda state, device=None: torch.set_rng_state(state)  # type: ignore[attr-defined]
    module.get_amp_supported_dtype = lambda: [torch.float16, torch.bfloat16]  # type: ignore[attr-defined]
    torch._C._openreg_endAllocateToPool = end_allocate_to_pool  # type: ignore[attr-defined]
    torch._C._openreg_releasePool = release_pool  # type: ignore[attr-defined]
    torch._register_device_module("openreg", module)
    torch.utils.generate_methods_for_privateuse1_backend()
