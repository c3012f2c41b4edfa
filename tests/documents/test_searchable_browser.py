"""Search and selection in pdf.js, run in Chromium, find the words of the layer at their places.

``npm install pdfjs-dist`` anywhere above the checkout, or in a folder that ``NODE_PATH`` names, makes it run.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.browser_search import looked, opened, viewer
from docspec.core import BBox
from docspec.documents.text_layer import LayerPage, LayerWord
from tests.documents.test_searchable import layered, scanned_pdf

_spec = importlib.util.spec_from_file_location("browser", Path(__file__).parents[1] / "browser.py")
assert _spec is not None and _spec.loader is not None
browser_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(browser_module)
browser_module.needs_browser()


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    above = (folder / "node_modules" for folder in Path(__file__).resolve().parents)
    named = (Path(folder) for folder in os.environ.get("NODE_PATH", "").split(os.pathsep) if folder)
    package = next((one / "pdfjs-dist" for one in (*named, *above) if (one / "pdfjs-dist").is_dir()), None)
    if package is None:
        pytest.skip("the npm package pdfjs-dist is not installed")
    with viewer(package) as found:
        yield found


@pytest.mark.parametrize("rotation", [0, 90])
def test_words_are_found_and_selected_where_they_are_printed(window: Any, rotation: int) -> None:
    texts = ("Harbour", "office", "opened"), ("tidal", "Größe", "1905")
    width, height = (800, 600) if rotation == 0 else (600, 800)
    printed = [
        [(text, BBox(100 + 140 * at, 100 + 60 * row, 220 + 140 * at, 130 + 60 * row)) for at, text in enumerate(words)]
        for row, words in enumerate(texts)
    ]
    lines = tuple(tuple(LayerWord(text, box) for text, box in line) for line in printed)
    opened(window, layered(scanned_pdf(rotation=rotation), LayerPage(1, width, height, lines)))
    shares = [
        [(text, BBox(box.x0 / width, box.y0 / height, box.x1 / width, box.y1 / height)) for text, box in line]
        for line in printed
    ]
    found = looked(window, 1, shares)
    assert (found.missing, found.found, found.copied, found.lines) == ((), 6, 2, 2)
    elsewhere = [[(text, BBox(box.x0, box.y0 + 0.5, box.x1, box.y1 + 0.5)) for text, box in line] for line in shares]
    assert looked(window, 1, elsewhere).found == 0, "the print is not there"
