"""A stream beside the one that an accelerator's work usually goes to, so that two models run at the same time.

Without it the second model's work waits in the first one's line, from whatever thread it comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


class Beside:
    """A stream of its own on ``device``, where it has such; else nothing."""

    def __init__(self, device: torch.device) -> None:
        import torch

        self._device = device
        self._module = torch.get_device_module(device)
        self._stream: Any = None
        if device.type != "cpu" and hasattr(self._module, "Stream"):
            with self._module.device(device):
                self._stream = self._module.Stream()

    def mark(self) -> Any:
        """The caller's stream, for :meth:`used` of another thread."""
        return None if self._stream is None else self._module.current_stream(self._device)

    @contextmanager
    def used(self, after: Any) -> Iterator[None]:
        """Within it this thread's work goes to the stream of its own, behind what ``after`` has been given by now; it
        is waited for in the end, as what it read may be let go of then."""
        if self._stream is None:
            yield
            return
        with self._module.device(self._device), self._module.stream(self._stream):
            self._stream.wait_stream(after)
            try:
                yield
            finally:
                self._stream.synchronize()
