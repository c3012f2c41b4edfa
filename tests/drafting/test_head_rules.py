"""Heads over several columns of a table: what their rules, their place and the heads below them say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pymupdf
import pytest

from docspec.drafting.structure.grid import Cell, Grid
from docspec.drafting.structure.head_rules import with_heads_set_off
from docspec.drafting.structure.tokens import PageTokens, Token
from docspec.results import ParsedDocument

Parsed = Callable[..., ParsedDocument]

COLUMNS = (230.0, 310.0, 390.0, 470.0)
NAMES = ("Automotive sales", "Leasing of cars", "Energy storage", "Services and other", "Research and development")


def write(page: pymupdf.Page, x: float, y: float, text: str, middle: bool = False) -> None:
    """Text at the left of ``x``, or around it."""
    width = pymupdf.get_text_length(text, fontname="helv", fontsize=9)
    page.insert_text((x - width * (0.5 if middle else 0), y), text, fontsize=9)


def body(page: pymupdf.Page, top: float) -> None:
    """Five rows of names with figures."""
    for number, name in enumerate(NAMES):
        write(page, 60, top + 16 * number, name)
        for at, x in enumerate(COLUMNS):
            write(page, x, top + 16 * number, f"{18 + 7 * number + at},{431 + 13 * at * number}", True)


def spans(document: ParsedDocument) -> list[list[tuple[str, int]]]:
    """The words of the first rows of the page's table, with the columns that they take."""
    from html.parser import HTMLParser

    rows: list[list[tuple[str, int]]] = []

    class Reader(HTMLParser):
        wide = 0

        def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
            if tag == "tr":
                rows.append([])
            self.wide = int(dict(attrs).get("colspan") or 1) if tag in ("td", "th") else 0

        def handle_data(self, data: str) -> None:
            if self.wide:
                rows[-1].append((data, self.wide))

    (text,) = [block.text for block in document.pages[0].blocks if "<table" in block.text]
    Reader().feed(text)
    return rows


@pytest.mark.parametrize("below", ["2024 2023 2024 2023", "Revenue Margin Revenue Margin", "first second third fourth"])
def test_heads_with_rules_under_them_are_heads_of_what_the_rules_run_over(parsed: Parsed, below: str) -> None:
    def draw(page: pymupdf.Page) -> None:
        for x, text in ((270, "Three Months Ended September 30,"), (430, "Nine Months Ended September 30,")):
            write(page, x, 80, text, True)
            page.draw_line((x - 72, 85), (x + 72, 85))
        for x, text in zip(COLUMNS, below.split(), strict=True):
            write(page, x, 98, text, True)
        page.draw_line((60, 103), (505, 103))
        body(page, 120)

    heads, second, *rest = spans(parsed(draw))
    assert heads == [("Three Months Ended September 30,", 2), ("Nine Months Ended September 30,", 2)]
    assert [text for text, _ in second] == below.split()
    assert len(rest) == len(NAMES)


@pytest.mark.parametrize(
    ("over", "below"),
    [
        (("Drone to satellite", "Satellite to drone"), ("R@1", "AP", "R@5", "MR")),
        (("Ours", "Base"), ("MAPE", "R", "MAPE", "R")),
        (("First experiment", "Second experiment"), ("Precision", "Recall", "Precision", "Recall")),
    ],
)
def test_a_head_over_two_others_is_no_part_of_one_of_them(
    parsed: Parsed, over: tuple[str, str], below: tuple[str, ...]
) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.draw_line((60, 70), (505, 70))
        for x, text in zip((270, 430), over, strict=True):
            write(page, x, 80, text, True)
        write(page, 60, 86, "Method")
        for x, text in zip(COLUMNS, below, strict=True):
            write(page, x, 92, text, True)
        page.draw_line((60, 97), (505, 97))
        body(page, 114)
        page.draw_line((60, 184), (505, 184))

    heads, second, *_ = spans(parsed(draw))
    assert heads == [("Method", 1), *((text, 2) for text in over)]
    assert second == [(text, 1) for text in below]


@pytest.mark.parametrize("stub", ["", "Berths"])
def test_years_under_heads_over_two_columns_are_heads_if_no_name_stands_in_front(parsed: Parsed, stub: str) -> None:
    def draw(page: pymupdf.Page) -> None:
        for x, text in ((270, "First quarter"), (430, "Second quarter")):
            write(page, x, 80, text, True)
        write(page, 60, 96, stub)
        for x, text in zip(COLUMNS, ("2026", "2025", "2026", "2025"), strict=True):
            write(page, x, 96, text, True)
        body(page, 112)

    (text,) = [block.text for block in parsed(draw).pages[0].blocks if "<table" in block.text]
    head = text[: text.index("</thead>")]
    assert head.count("<tr>") == (1 if stub else 2) and ("2025" in head) is not bool(stub)


def test_heads_of_two_lines_stay_whole(parsed: Parsed) -> None:
    heads = ("Mean error", "Largest error", "Share right", "Time used")

    def draw(page: pymupdf.Page) -> None:
        page.draw_line((60, 70), (505, 70))
        write(page, 60, 91, "Method")
        for x, text in zip(COLUMNS, heads, strict=True):
            for number, word in enumerate(text.split()):
                write(page, x, 80 + 11 * number, word, True)
        page.draw_line((60, 96), (505, 96))
        body(page, 114)
        page.draw_line((60, 184), (505, 184))

    table = next(block.text for block in parsed(draw).pages[0].blocks if block.category == "Table")
    assert all(text in table for text in heads)
    assert "colspan" not in table


def test_several_heads_over_one_rule_are_not_one(parsed: Parsed) -> None:
    def draw(page: pymupdf.Page) -> None:
        for x, text in zip(COLUMNS, ("2001", "2002", "2003", "2004"), strict=True):
            write(page, x, 80, text, True)
        page.draw_line((190, 85), (505, 85))
        for x in COLUMNS:
            write(page, x, 98, "Mill. USD", True)
        page.draw_line((60, 103), (505, 103))
        body(page, 120)

    text = "".join(block.text for block in parsed(draw).pages[0].blocks)
    assert all(year in text for year in ("2001", "2002", "2003", "2004"))
    assert "colspan" not in text


PLAIN, BOLD, WHITE = (False, 0), (True, 0), (False, 0xFFFFFF)
BAND = (30.0, 95.0, 400.0, 115.0)
FIRST_BOLD = [(True, 0), (False, 0), (False, 0), (False, 0)]


@pytest.mark.parametrize(
    ("rows", "fills", "heads"),
    [
        ([[BOLD] * 4, [PLAIN] * 4, [PLAIN] * 4], [], 1),
        ([[PLAIN] * 4, [BOLD] * 4, [BOLD] * 4], [], 1),
        ([[WHITE] * 4, [PLAIN] * 4], [BAND], 1),
        ([[PLAIN] * 4, [PLAIN] * 4, [PLAIN] * 4], [BAND], 1),
        ([[BOLD] * 4, FIRST_BOLD, FIRST_BOLD], [], 1),
        ([[PLAIN] * 4, [PLAIN] * 4, [PLAIN] * 4], [], 0),
        ([FIRST_BOLD, FIRST_BOLD, FIRST_BOLD], [], 0),
        ([[BOLD] * 4, [PLAIN] * 4, [BOLD] * 4], [], 0),
        ([[PLAIN] * 4, [PLAIN] * 4, [PLAIN] * 4], [(30.0, 95.0, 400.0, 155.0)], 0),
    ],
    ids=["bold", "bold below", "white", "ground", "names", "alike", "bold names", "bold sums", "one ground"],
)
def test_a_first_row_that_is_set_otherwise_has_the_heads(
    rows: list[list[tuple[bool, int]]], fills: list[tuple[float, ...]], heads: int
) -> None:
    """Ground truth: what a reader calls a row of heads."""
    tokens, cells = [], []
    for row, looks in enumerate(rows):
        for column, (bold, colour) in enumerate(looks):
            x, y = 40.0 + 90 * column, 100.0 + 20 * row
            cells.append(Cell((len(tokens),), row, column))
            tokens.append(Token(f"word {len(tokens)}", (x, y, x + 40, y + 10), 10, y + 8, bold, colour=colour))
    none = np.zeros((0, 3), np.float32)
    ground = np.array(fills, np.float32).reshape(-1, 4)
    page = PageTokens(tuple(tokens), none, none, ground, np.zeros((0, 5), np.float32), 600, 800)
    grid = Grid(tuple(cells), 0, (40, 100, 350, 160), 1.0)
    assert [one.head_rows for one in with_heads_set_off([grid], page)] == [heads]
