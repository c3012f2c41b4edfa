"""A second stream on an accelerator, so that two models run at the same time.

Without it the second model's work waits in the first one's stream, whatever thread it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


class Beside:
    """A stream on ``device`` beside the default one; does nothing on a device without streams."""

    def __init__(self, device: torch.device) -> None:
        import torch

        self._device = device
        self._module = torch.get_device_module(device)
        self._stream: Any = None
        if device.type != "cpu" and hasattr(self._module, "Stream"):
            with self._module.device(device):
                self._stream = self._module.Stream()

    def mark(self) -> Any:
        """The caller's stream, to be passed to :meth:`used` in another thread."""
        return None if self._stream is None else self._module.current_stream(self._device)

    @contextmanager
    def used(self, after: Any) -> Iterator[None]:
        """This thread's work goes to the second stream, after the work that ``after`` has by now; at the end it is
        waited for, because its inputs may be freed then."""
        if self._stream is None:
            yield
            return
        with self._module.device(self._device), self._module.stream(self._stream):
            self._stream.wait_stream(after)
            try:
                yield
            finally:
                self._stream.synchronize()
