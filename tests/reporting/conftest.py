"""Pages made by hand for the writers; puts this folder on the path for its schema checker."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from docspec.core import BBox, Block, Category, Event, PageResult, PageTimings, StageStats

sys.path.insert(0, str(Path(__file__).parent))

PageMaker = Callable[..., PageResult]


@pytest.fixture
def make_page() -> PageMaker:
    """``make_page(number, *blocks, **fields)``: a page of 100 x 80 pixels, red in its left half."""

    def make(number: int, *blocks: Block, **fields: Any) -> PageResult:
        image = Image.new("RGB", (100, 80), "white")
        image.paste((255, 0, 0), (0, 0, 50, 80))
        values: dict[str, Any] = {
            "source": "a.pdf",
            "number": number,
            "status": "ok",
            "text": "\n\n".join(block.text for block in blocks),
            "blocks": blocks,
            "width": 100,
            "height": 80,
            "drafter": "text-layer",
            "drafter_reason": "trustworthy text layer",
            "regions": 4,
            "stage1": StageStats(4, 5, 10, 60, 30, 44, 90, 0.1, 0.25),
            "stage2": StageStats(1, 8, 8, 80, 32, 41, 120, 0.3, 0.5),
            "timings": PageTimings(0.01, 0.02, 0.3, 0.35, 0.5),
            "events": (Event("stage1_skipped", "nothing to check"),),
            "image": image,
        }
        return PageResult(**{**values, **fields})

    return make


def picture(x0: float = 0, y0: float = 0, x1: float = 20, y1: float = 10, text: str = "") -> Block:
    """A picture block."""
    return Block(Category.PICTURE, text, BBox(x0, y0, x1, y1), "model")


@pytest.fixture
def make_picture() -> Callable[..., Block]:
    """``make_picture(x0, y0, x1, y1)``."""
    return picture
