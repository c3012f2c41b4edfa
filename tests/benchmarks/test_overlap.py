"""``overlap`` reads the same pages both ways; where nothing is recognised there is nothing beside them."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from benchmarks.cli.overlap import print_overlap
from benchmarks.overlap import measure
from docspec.core import ParseOptions
from docspec.documents.sources import source_from_path


def test_pages_are_read_both_ways(lively_qwen: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.pdf"
    with pymupdf.open() as document:
        for word in ("One", "Two"):
            document.new_page(width=120, height=60).insert_text((10, 30), word)
        document.save(file)
    options = ParseOptions(
        model=str(lively_qwen), device="cpu", max_tokens=8, dpi=72, drafter="text-layer", stages="page"
    )
    pages = measure(options, [source_from_path(file)], 1)
    assert [(page.page, page.identical, page.before, page.timeline) for page in pages] == [
        (1, True, 0, ()),
        (2, True, 0, ()),
    ]
    assert all(page.tokens and page.beside == 0 and min(page.wall) > 0 for page in pages)
    print_overlap(pages)
    assert capsys.readouterr().out.count(" yes") == 2
