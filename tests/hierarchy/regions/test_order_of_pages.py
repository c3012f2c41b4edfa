"""Made pages of known order are read in it, from the file to the Markdown; what stands between the lines is no text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from benchmarks.reading_order.kinds import KINDS, made
from benchmarks.reading_order.score import OrderScore, scored
from docspec import ParseOptions, Parser

LINES = [
    *("the board met on Tuesday to look at", "the plans for the quay wall, which"),
    *("would replace the timber piles that", "were driven in the flood. Members"),
    *("heard from two engineers that the", "cost has fallen, and so the whole"),
    *("work could be done within the sum.", "A vote was put off until the tide", "tables for the season are known."),
]
CODE = ["def count(items):", "    total = 0", "    for item in items:", "        total += item", "    return total"]


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with Parser(ParseOptions()) as parser:
        yield parser


@pytest.mark.parametrize("kind", ["bands", "figures", "letter", "columns"])
def test_pages_are_read_in_their_order(parser: Parser, tmp_path: Path, kind: str) -> None:
    total = OrderScore()
    for number in (201, 202, 203):
        pdf, sheet = made(kind, number)
        (tmp_path / "page.pdf").write_bytes(pdf)
        total += scored(parser.parse(tmp_path / "page.pdf").to_markdown(), sheet.units)
    assert total.right >= 0.98 * total.pairs and total.whole >= 0.96 * total.units, total


def test_pages_of_all_kinds_are_read_in_their_order(parser: Parser, tmp_path: Path) -> None:
    total = OrderScore()
    for kind in (kind for kind in KINDS if kind != "inset"):  # whose box lies on words
        pdf, sheet = made(kind, 301)
        (tmp_path / "page.pdf").write_bytes(pdf)
        total += scored(parser.parse(tmp_path / "page.pdf").to_markdown(), sheet.units)
    assert total.right >= 0.96 * total.pairs and total.whole >= 0.95 * total.units, total


@pytest.mark.parametrize("step", [1, 5])
def test_numbers_of_lines_are_left_out_by_name(parser: Parser, tmp_path: Path, step: int) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for row in range(27):
            page.insert_text((90, 80 + 24 * row), LINES[row % 9], fontsize=12, fontname="tiro")
            if (row + 1) % step == 0:
                page.insert_text(
                    (66 - 6 * len(str(row + 1)), 80 + 24 * row), str(row + 1), fontsize=12, fontname="tiro"
                )
        pdf.save(tmp_path / "in.pdf")
    document = parser.parse(tmp_path / "in.pdf")
    assert "quay wall, which would replace the timber piles that were driven" in document.to_markdown()
    assert not any(character.isdigit() for character in document.to_markdown())
    [page_read] = document.pages
    assert page_read.account is not None
    rules = [run.rule for run in page_read.account.in_state("left_out") for _ in range(run.count)]
    assert rules.count("line number") == 27 // step and page_read.doubtful is None


def test_a_listing_keeps_its_numbers_and_the_indents_behind_them(parser: Parser, tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 60), " ".join(LINES[:3]), fontsize=9)
        for number, line in enumerate(CODE, 8):
            y, indent = 90 + 12.5 * (number - 8), len(line) - len(line.lstrip())
            page.insert_text((80 - 4.8 * len(str(number)), y), str(number), fontsize=8, fontname="cour")
            page.insert_text((90 + 6 * indent, y), line.lstrip(), fontsize=10, fontname="cour")
        page.insert_text((60, 180), " ".join(LINES[3:6]), fontsize=9)
        pdf.save(tmp_path / "in.pdf")
    written = parser.parse(tmp_path / "in.pdf").to_markdown()
    listing = "\n".join(f"{number:>2} {line}" for number, line in enumerate(CODE, 8))
    assert f"```\n{listing}\n```" in written
