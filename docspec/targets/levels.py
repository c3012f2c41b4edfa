"""Pictures that go to a device as levels of 0 to 255 and are made the model's numbers there.

An image processor scales and normalises each pixel by itself: of a channel's 256 levels each has one number. The table
of these is read off what the processor makes of a picture, so that a look-up gives its own bits. On the host a page's
scaling takes longer than its resizing, and as float32 it is four times as large. **Never run on a GPU.**
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

PIXELS = "pixel_values"
AS_LEVELS = {"do_rescale": False, "do_normalize": False}
"""Arguments of transformers' image processors."""

CHANNELS, LEVELS = 3, 256

BLOCK = 28
"""Pixels of a side of each level's block in the picture that the table is read off: all survive resizing."""


class Levels:
    """The numbers ``(3, 256)`` of the levels of each channel."""

    def __init__(self, table: torch.Tensor) -> None:
        self._table = table

    def pixels(self, levels: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        """The numbers in ``dtype`` of ``levels`` ``(rows, ...)``, bytes on any device; a row has channel after
        channel."""
        import torch

        table = self._table.to(levels.device, dtype).flatten()
        channel = LEVELS * torch.arange(CHANNELS, dtype=torch.int32, device=levels.device).view(1, -1, 1)
        places = _channels(levels) + channel
        return table[places].view(levels.shape)


def levels_of(image_processor: Any) -> Levels | None:
    """The levels of ``image_processor``; ``None`` where a number does not follow from a channel's level alone, or the
    processor has other arguments."""
    import torch
    from PIL import Image

    made = torch.Generator().manual_seed(0)
    table = torch.full((CHANNELS, LEVELS), float("nan"))
    try:
        for picture in _blocks(made), torch.randint(LEVELS, (330, 250, CHANNELS), generator=made):
            image = Image.fromarray(picture.to(torch.uint8).numpy())
            own = image_processor(images=image, return_tensors="pt")[PIXELS]
            given = image_processor(images=image, return_tensors="pt", **AS_LEVELS)[PIXELS]
            found = given.to(torch.uint8)
            if own.dtype != torch.float32 or own.shape != found.shape or not torch.equal(found.to(given.dtype), given):
                return None
            if table.isnan().any():
                places = _channels(found).long()
                for channel in range(CHANNELS):
                    table[channel, places[:, channel].flatten()] = own.reshape(places.shape)[:, channel].flatten()
            if not torch.equal(Levels(table).pixels(found, torch.float32), own):
                return None
    except Exception:  # another signature, or pictures of another form
        return None
    return None if table.isnan().any() else Levels(table)


def _blocks(made: torch.Generator) -> torch.Tensor:
    """A picture with a block of each level, elsewhere in each channel."""
    import torch

    side = int(LEVELS**0.5)
    levels = [torch.randperm(LEVELS, generator=made).view(side, side) for _ in range(CHANNELS)]
    return torch.stack(levels, -1).repeat_interleave(BLOCK, 0).repeat_interleave(BLOCK, 1)


def _channels(levels: torch.Tensor) -> torch.Tensor:
    """``(rows, ...)`` or ``(..., 3, height, width)`` as ``(rows, 3, pixels)``."""
    rows = levels.flatten(0, -4) if levels.dim() > 3 else levels
    return rows.reshape(len(rows), CHANNELS, -1)
