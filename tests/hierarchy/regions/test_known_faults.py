"""Faults that reading by regions had, each on a page that has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from docspec.core import Category, PageResult, ParseOptions
from docspec.parser import Parser

MONTHS = ("January", "February", "March", "April", "May", "June")


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with Parser(ParseOptions(model="mini")) as made:
        yield made


def _read(parser: Parser, path: Path) -> PageResult:
    [page] = parser.parse(path).pages
    return page


def _sheet(path: Path, draw: Callable[[pymupdf.Page], None], width: int = 420, height: int = 300) -> Path:
    with pymupdf.open() as pdf:
        draw(pdf.new_page(width=width, height=height))
        pdf.save(path)
    return path


def _scan(path: Path, turns: int = 0, dpi: int = 130) -> Path:
    with pymupdf.open(path) as pdf:
        pixels = pdf[0].get_pixmap(dpi=dpi)
    image = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
    file = path.with_name(f"{path.stem}-{turns}.png")
    image.rotate(-90 * turns, expand=True).save(file)
    return file


def _table(page: pymupdf.Page) -> None:
    """Ruled cells under a heading in large type, and nothing else."""
    page.insert_text((40, 60), "Tide tables of the harbour", fontsize=24, fontname="hebo")
    rows = [("Month", "High", "Low"), *((month, f"{4 + n}.13", f"0.{9 - n}7") for n, month in enumerate(MONTHS))]
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            x, y = 40 + 110 * column, 90 + 24 * row
            page.draw_rect((x, y, x + 110, y + 24), width=0.7)
            page.insert_text((x + 6, y + 16), text, fontsize=9)


def test_a_table_under_a_heading_alone_is_read_in_its_own_size_of_type(tmp_path: Path) -> None:
    path = _sheet(tmp_path / "table.pdf", _table)
    with Parser(ParseOptions(model="mini", words="model", read="regions")) as parser:
        [table] = [block for block in _read(parser, path).blocks if block.category is Category.TABLE]
    wanted = [text for n, month in enumerate(MONTHS) for text in (month, f"{4 + n}.13", f"0.{9 - n}7")]
    found = sum(f"| {text} |" in table.text for text in wanted)
    assert found >= 0.8 * len(wanted), table.text


PARAGRAPHS = (
    "The harbour fills twice a day and the boats rise with it until noon, when the wind turns and 1,136 gulls cry.",
    "Fishermen mend their nets beside the wall while children count the masts, and nobody sells anything before 9.45.",
    "In the evening a mist comes in from the north and the lamps along the quay are lit one after the other.",
)


def _letter(page: pymupdf.Page) -> None:
    for number, text in enumerate(PARAGRAPHS):
        page.insert_textbox((40, 40 + 80 * number, 380, 110 + 80 * number), text, fontsize=12)


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_scans_that_lie_on_their_side_or_stand_on_their_head_are_turned(
    parser: Parser, tmp_path: Path, turns: int
) -> None:
    path = _sheet(tmp_path / "letter.pdf", _letter)
    page = _read(parser, _scan(path, turns))
    assert page.text.split() == " ".join(PARAGRAPHS).split()
    upright = f"turned by {90 * (4 - turns)} degrees clockwise"
    assert [event.detail.partition("; ")[2] for event in page.events if event.kind == "page_turned"] == [upright]
    assert page.width > page.height and page.doubtful is None and page.seen.turns == (4 - turns) % 4


def test_scans_that_are_the_right_way_up_and_those_that_are_to_stay_are_not_turned(tmp_path: Path) -> None:
    path = _sheet(tmp_path / "letter.pdf", _letter)
    with Parser(ParseOptions(model="mini", keep_rotation=True)) as parser:
        pages = [_read(parser, _scan(path, turns)) for turns in (0, 2)]
    assert pages[0].text.split() == " ".join(PARAGRAPHS).split() and pages[0].doubtful is None
    assert not any(event.kind == "page_turned" for page in pages for event in page.events)
    assert pages[1].doubtful is not None


def _with_drawing(page: pymupdf.Page) -> None:
    """A paragraph, and a scribble as large as it that holds no letter."""
    page.insert_textbox((40, 30, 380, 80), PARAGRAPHS[0], fontsize=12)
    shape = page.new_shape()
    at = pymupdf.Point(60, 180)
    for step in range(120):
        to = pymupdf.Point(60 + 2.5 * step, 180 + 60 * ((step * 7919) % 13 - 6) / 6)
        shape.draw_line(at, to)
        at = to
    shape.finish(width=2)
    shape.commit()


@pytest.mark.parametrize("scanned", [False, True])
def test_no_words_are_invented_in_a_drawing(parser: Parser, tmp_path: Path, scanned: bool) -> None:
    path = _sheet(tmp_path / "drawing.pdf", _with_drawing)
    page = _read(parser, _scan(path) if scanned else path)
    assert page.text.split() == PARAGRAPHS[0].split()
    assert any(block.category is Category.PICTURE for block in page.blocks)


def _two_articles(page: pymupdf.Page) -> None:
    """Two articles of two columns each, one above the other."""
    for number, (x, y) in enumerate([(40, 40), (220, 40), (40, 300), (220, 300)]):
        if number % 2 == 0:
            title = "The second article" if number else "The first one"
            title += ", of the harbour and its masters"
            page.insert_text((x, y), title, fontsize=16, fontname="hebo")
        words = [f"{'abcd'[number]}{word}" for word in range(90)]
        page.insert_textbox((x, y + 14, x + 165, y + 240), " ".join(words), fontsize=10)


@pytest.mark.parametrize("scanned", [False, True])
def test_columns_of_two_articles_are_not_spliced(parser: Parser, tmp_path: Path, scanned: bool) -> None:
    path = _sheet(tmp_path / "articles.pdf", _two_articles, 420, 595)
    page = _read(parser, _scan(path, dpi=150) if scanned else path)
    letters = [word[0] for word in page.text.replace("#", " ").split() if word[1:].isdigit()]
    changes = [letters[0], *(b for a, b in pairwise(letters) if a != b)]
    assert changes == ["a", "b", "c", "d"]


def _overprinted(page: pymupdf.Page) -> None:
    """Lines that are drawn twice to look bold, and a line that a form has once in the page and once in a picture."""
    for shift in (0.0, 0.25):
        page.insert_text((40 + shift, 60), "Minutes of the harbour board", fontsize=14)
        page.insert_text((40 + shift, 90), "1,136 ships came in during March", fontsize=11)


def test_lines_that_are_printed_twice_are_written_once(parser: Parser, tmp_path: Path) -> None:
    page = _read(parser, _sheet(tmp_path / "twice.pdf", _overprinted))
    assert page.text.count("harbour board") == 1 and page.text.count("1,136") == 1
