"""Charts: written as asked for, labelled, the same each time, and refused before anything is measured."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from benchmarks.plots import Axis, Dot, Spot, check_plot, dots, lines
from docspec.bench.cli.common import page_names
from docspec.core import OutputError, UsageError

SERIES = {"page": {"book": Dot(1.5, 1.2, 1.7), "notes": Dot(0.8)}, "planned": {"notes": Dot(2.0)}}
AXIS = Axis("Speed-up (times)", log=True, reference=1.0, reference_name="plain decoding")


def words(path: Path) -> list[str]:
    return [node.text for node in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text") if node.text]


def test_rows_series_axes_and_title_are_named(tmp_path):
    dots(tmp_path / "a.svg", "How fast (simulated target)", "tiny, cpu", SERIES, AXIS)
    found = words(tmp_path / "a.svg")
    for word in ("book", "notes", "page", "planned", "Speed-up (times)", "plain decoding", "tiny, cpu"):
        assert word in found
    assert "How fast (simulated target)" in found
    assert "1" in found and "2" in found  # plain numbers on a logarithmic axis


def test_lines_carry_the_labels_of_their_spots(tmp_path):
    series = {"noise": [Spot(90, 3.0, "0.1"), Spot(60, 1.2, "0.3")], "drafter": [Spot(95, 4.0, "text-layer")]}
    lines(tmp_path / "b.svg", "t", "s", series, Axis("x (%)"), Axis("y (times)"), apart=("drafter",))
    assert {"0.1", "0.3", "text-layer", "x (%)", "y (times)"} <= set(words(tmp_path / "b.svg"))


def test_the_same_figures_give_the_same_file(tmp_path):
    for name in ("a.svg", "b.svg"):
        dots(tmp_path / name, "t", "s", SERIES, AXIS)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_png_is_a_picture_of_readable_size(tmp_path):
    dots(tmp_path / "deep" / "a.png", "t", "s", SERIES, AXIS)
    with Image.open(tmp_path / "deep" / "a.png") as image:
        assert image.width > 1000
        assert len(image.convert("RGB").getcolors(1 << 20)) > 20


def test_other_suffixes_and_a_missing_matplotlib_are_refused_in_one_line(monkeypatch):
    check_plot(None)
    with pytest.raises(UsageError, match=r"\.png or \.svg"):
        check_plot(Path("a.pdf"))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"needs matplotlib.*docspec-vlm\[bench\]"):
        check_plot(Path("a.png"))


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"a\.png"):
        dots(tmp_path / "file" / "a.png", "t", "s", SERIES, AXIS)


def test_pages_of_the_same_name_stay_apart():
    assert page_names([("x/book.pdf", 1), ("x/book.pdf", 2)]) == ["book", "book, page 2"]
    assert page_names([("x/book.pdf", 1), ("y/book.pdf", 1)]) == ["x/book.pdf", "y/book.pdf"]
