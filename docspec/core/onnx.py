"""ONNX Runtime's threads: as many as are asked for, and none that spins.

By itself a session takes a thread a processor, and idle ones look for work without sleeping. Pages are drafted in
several processes at once, where each such thread takes a processor from another page: the layout model alone takes
twice the processor time with two threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def session(model: Path, threads: int) -> Any:
    """An ``InferenceSession`` of the file ``model`` on the processor."""
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    _settle(settings, threads)
    settings.enable_cpu_mem_arena = False
    settings.log_severity_level = 4
    return onnxruntime.InferenceSession(str(model), settings, providers=["CPUExecutionProvider"])


@contextmanager
def session_threads(threads: int) -> Iterator[None]:
    """Within it sessions that libraries make get so many threads, where they ask for no other number. There is no
    public way: a library's ``SessionOptions()`` are made here."""
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
