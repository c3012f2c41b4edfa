"""Documents of a few small pages, and children that draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docspec.core import ParseOptions
from docspec.isolation.pool import Isolation


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """Three printed pages."""
    return written(tmp_path / "three.pdf")


def written(path: Path, pages: int = 3) -> Path:
    with pymupdf.open() as document:
        for number in range(1, pages + 1):
            page = document.new_page(width=200, height=120)
            page.insert_text((20, 40), f"Some words of page {number}.", fontsize=11)
        document.save(path)
    return path


@pytest.fixture
def isolation() -> Iterator[Callable[..., Isolation]]:
    """``isolation(make, memory=..., page_timeout=...)``: children that are ended after the test."""
    made: list[Isolation] = []

    def make(maker: Any, memory: int | None = None, **options: Any) -> Isolation:
        made.append(Isolation(ParseOptions(drafter="text-layer", **options), maker, memory))
        return made[-1]

    yield make
    for one in made:
        one.close()
