"""Search and selection in pdf.js, run in Chromium, find the words of the layer at their places.

``npm install pdfjs-dist`` anywhere above the checkout, or in a folder that ``NODE_PATH`` names, makes it run.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from benchmarks.browser_search import looked, measure, opened, package_of, viewer
from docspec.core import BBox, ParseOptions
from docspec.documents.layer_text import LayerPage, LayerWord
from docspec.documents.sources import source_from_bytes
from tests.documents.test_searchable import layered, scanned_pdf

_spec = importlib.util.spec_from_file_location("browser", Path(__file__).parents[1] / "browser.py")
assert _spec is not None and _spec.loader is not None
browser_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(browser_module)
browser_module.needs_browser()


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    package = package_of()
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


def test_the_command_writes_the_file_that_it_looks_at(window: Any) -> None:
    with pymupdf.open(stream=scanned_pdf()) as pdf:
        pdf[0].insert_text((72, 300), "Harbour office opened yesterday", fontsize=20)
        source = source_from_bytes(pdf.tobytes(), "a.pdf")
    [(name, number, looked_at)] = measure([source], ParseOptions(places="drafts"), window)
    assert (name, number, looked_at.missing, looked_at.copied, looked_at.lines) == ("a.pdf", 1, (), 1, 1)


def test_a_package_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert package_of(tmp_path / "pdfjs-dist") is None
