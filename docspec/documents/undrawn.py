"""Pictures of pages that know their size and are drawn at their first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PIL import Image


class Undrawn(Image.Image):
    """An RGB picture of ``size`` pixels that ``draw`` makes at the first use; it then becomes that picture, as Pillow's
    own ``StubImageFile`` becomes its file's. Without ``draw`` its pixels must not be used."""

    is_drawn = False

    def __init__(self, size: tuple[int, int], draw: Callable[[], Image.Image] | None = None) -> None:
        super().__init__()
        self._mode, self._size, self._draw = "RGB", size, draw

    def load(self) -> Any:
        if self._draw is None:
            raise ValueError("the pixels of this page were not asked for")
        drawn = self._draw()
        self.__class__, self.__dict__ = drawn.__class__, drawn.__dict__  # type: ignore[assignment]
        return self.load()
