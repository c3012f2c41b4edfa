"""Settings of libraries: the number of ONNX Runtime's threads, whose idle ones must not spin, and transformers'
progress bars, which are off while docspec shows its own.

By default a session has a thread per processor, and idle threads spin. Pages are drafted in several processes at once,
where each spinning thread takes a processor from another page: the layout model alone takes twice the processor time
with two threads.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_lock = threading.Lock()
_holders = 0
_shown = True  # before the first holder


@contextlib.contextmanager
def without_bars() -> Iterator[None]:
    """Turns off the bars of transformers and the hub until the last of several threads has left."""
    from transformers.utils import logging

    global _holders, _shown
    with _lock:
        if not _holders:
            _shown = logging.is_progress_bar_enabled()
            logging.disable_progress_bar()
        _holders += 1
    try:
        yield
    finally:
        with _lock:
            _holders -= 1
            if not _holders and _shown:
                logging.enable_progress_bar()


def session(model: Path, threads: int, keeps_memory: bool = False) -> Any:
    """An ``InferenceSession`` of the file ``model`` on the processor, without its denormal weights
    (:func:`docspec.core.onnx_graph.without_denormals`). ``keeps_memory``: it reuses the memory of one run in the next,
    for inputs whose largest sizes are bounded."""
    import onnxruntime

    from docspec.core.onnx_graph import without_denormals

    settings = onnxruntime.SessionOptions()
    _settle(settings, threads)
    settings.enable_cpu_mem_arena = keeps_memory
    settings.log_severity_level = 4
    try:
        quick = without_denormals(model.read_bytes())
    except (OSError, ValueError):  # said by ONNX Runtime
        quick = None
    return onnxruntime.InferenceSession(quick or str(model), settings, providers=["CPUExecutionProvider"])


def fixed_session(model: bytes, *dimensions: str) -> Any:
    """An ``InferenceSession`` of the ONNX file ``model`` with one thread. Each of ``dimensions``, which the graph
    leaves open, is 1: all sizes are known, and the memory that ONNX Runtime keeps for the next run does not grow."""
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    _settle(settings, 1)
    settings.log_severity_level = 4
    for name in dimensions:
        settings.add_free_dimension_override_by_name(name, 1)
    return onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])


@contextmanager
def session_threads(threads: int) -> Iterator[None]:
    """Gives so many threads to sessions that libraries make meanwhile, unless they set another number. There is no
    public way: the libraries' ``SessionOptions()`` are made here."""
    import onnxruntime

    usual = onnxruntime.SessionOptions

    def settled() -> Any:
        settings = usual()
        _settle(settings, threads)
        return settings

    onnxruntime.SessionOptions = settled
    try:
        yield
    finally:
        onnxruntime.SessionOptions = usual


def _settle(settings: Any, threads: int) -> None:
    settings.intra_op_num_threads = threads
    settings.inter_op_num_threads = 1
    settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
