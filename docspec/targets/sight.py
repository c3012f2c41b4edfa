"""The image sizes of a model: its patch grid, and the sizes between which its image processor does not resize.

For a model in this process the processor has them; for one that runs elsewhere, its published files or its family.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from docspec.core import ModelError
from docspec.targets.validation import read_object


class Sight(Protocol):
    """Pixels per token and axis (``factor``), and the pixels below which an image is enlarged and beyond which it is
    reduced (0: unknown)."""

    @property
    def factor(self) -> int: ...

    @property
    def least_pixels(self) -> int: ...

    @property
    def most_pixels(self) -> int: ...


def image_tokens(sight: Sight, pixels: int) -> int:
    """About how many tokens an image of ``pixels`` takes, reduced if it is larger than the model sees."""
    return min(pixels, sight.most_pixels or pixels) // sight.factor**2


@dataclass(frozen=True, slots=True)
class PublishedSight:
    """A :class:`Sight` from published files."""

    factor: int
    least_pixels: int = 0
    most_pixels: int = 0

    @property
    def pixel_limits(self) -> dict[str, int]:
        """The arguments of :func:`docspec.core.sizes.smart_resize`; empty if they are unknown."""
        if not self.most_pixels:
            return {}
        return {"factor": self.factor, "min_pixels": self.least_pixels, "max_pixels": self.most_pixels}


def sight_in(directory: str, factor: int | None) -> PublishedSight | None:
    """The sizes in ``preprocessor_config.json`` in ``directory``; ``factor`` is the family's, used instead of the
    file's. ``None`` without the file or without a factor. Raises :class:`docspec.core.ModelError`."""
    file = Path(directory) / "preprocessor_config.json"
    if not file.is_file():
        return None
    said = read_object(file)
    if factor is None:
        patch, merge = said.get("patch_size"), said.get("merge_size", 1)
        if not isinstance(patch, int) or not isinstance(merge, int):
            return None
        factor = patch * merge
    size = said.get("size")
    size = size if isinstance(size, dict) else {}
    least, most = size.get("shortest_edge"), size.get("longest_edge")
    if least is None and most is None:
        least, most = said.get("min_pixels"), said.get("max_pixels")
    if not isinstance(least, int | None) or not isinstance(most, int | None):
        raise ModelError(f"{file}: sizes of pictures must be whole numbers of pixels")
    return PublishedSight(factor, least or 0, most or 0)
