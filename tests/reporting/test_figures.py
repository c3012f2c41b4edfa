"""Figures are cropped where the box says, named by page, and visible only when their document is."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from docspec.core import BBox, Block, Category, OutputError
from docspec.reporting.figures import EmbeddedFigures, FigureFiles, crop


def files_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_files_appear_at_commit_with_page_numbers(tmp_path: Path, make_page: Any, make_picture: Any) -> None:
    figures = FigureFiles(tmp_path / "my figures", tmp_path)
    page = make_page(3, make_picture(10, 0, 70, 20), Block(Category.TEXT, "x"), make_picture(60, 0, 90, 5))
    links = figures.page(page)
    assert links == {0: "my%20figures/page-3-1.png", 2: "my%20figures/page-3-2.png"}
    assert not (tmp_path / "my figures").exists()
    figures.commit()
    assert files_below(tmp_path) == ["my figures", "my figures/page-3-1.png", "my figures/page-3-2.png"]
    with Image.open(tmp_path / "my figures" / "page-3-1.png") as image:
        assert image.size == (60, 20)
        assert image.getpixel((39, 0)) == (255, 0, 0)
        assert image.getpixel((40, 0)) == (255, 255, 255)


def test_discard_leaves_no_trace(tmp_path: Path, make_page: Any, make_picture: Any) -> None:
    figures = FigureFiles(tmp_path / "deep" / "figures", tmp_path)
    figures.page(make_page(1, make_picture()))
    assert files_below(tmp_path)
    figures.discard()
    assert files_below(tmp_path) == []


def test_no_pictures_make_no_folder(tmp_path: Path, make_page: Any) -> None:
    figures = FigureFiles(tmp_path / "figures", tmp_path)
    figures.page(make_page(1, Block(Category.TEXT, "x"), Block(Category.PICTURE, "no box")))
    figures.commit()
    assert files_below(tmp_path) == []


def test_a_file_in_the_way_of_the_folder_is_an_output_error(tmp_path: Path, make_page: Any, make_picture: Any) -> None:
    (tmp_path / "figures").write_text("in the way")
    figures = FigureFiles(tmp_path / "figures", tmp_path)
    figures.page(make_page(1, make_picture()))
    with pytest.raises(OutputError, match="figures"):
        figures.commit()
    assert files_below(tmp_path) == ["figures"]


def test_boxes_beyond_the_page_are_clamped_and_empty_ones_skipped() -> None:
    image = Image.new("RGB", (100, 80))
    inside = crop(image, BBox(-5, 60, 300, 300))
    assert inside is not None and inside.size == (100, 20)
    assert crop(image, BBox(200, 10, 300, 20)) is None
    assert crop(image, BBox(10, 10, 10.2, 40)) is None


def test_embedded_figures_are_whole_pngs(make_page: Any, make_picture: Any) -> None:
    link = EmbeddedFigures().page(make_page(1, make_picture(0, 0, 30, 7)))[0]
    head, _, data = link.partition(",")
    assert head == "data:image/png;base64"
    assert Image.open(io.BytesIO(base64.b64decode(data))).size == (30, 7)
