"""The README's picture of the page view can still be made."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from benchmarks.cli.view_picture import HEIGHT, WIDTH, view_picture
from docspec.core import UsageError
from tests.browser import needs_browser

ROOT = Path(__file__).parents[2]
MOST_BYTES = 120_000
PUBLISHED = ROOT / "docs/pictures/page-view.webp"


def halves(picture: Path) -> list[int]:
    """How many shades of grey the left and the right half have."""
    with Image.open(picture) as image:
        assert (image.format, image.size) == ("WEBP", (WIDTH, HEIGHT))
        grey = image.convert("L")
    parts = (grey.crop((0, 60, WIDTH // 2, HEIGHT)), grey.crop((WIDTH // 2, 60, WIDTH, HEIGHT)))
    return [sum(count > 20 for count in part.histogram()) for part in parts]


def test_the_picture_shows_a_page_beside_its_text(tmp_path: Path) -> None:
    needs_browser()
    made = tmp_path / "view.webp"
    assert view_picture(ROOT / "samples/book.pdf", made) == 0
    assert made.stat().st_size <= MOST_BYTES
    assert min(halves(made)) > 50, "print on both sides"


def test_the_readme_shows_one_that_is_small_enough_to_load() -> None:
    assert PUBLISHED.relative_to(ROOT).as_posix() in (ROOT / "README.md").read_text()
    assert PUBLISHED.stat().st_size <= MOST_BYTES
    assert min(halves(PUBLISHED)) > 50


def test_without_a_browser_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="needs Chromium"):
        view_picture(ROOT / "samples/book.pdf", tmp_path / "view.webp")
