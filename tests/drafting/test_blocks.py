"""Blocks of text beside each other have boxes of their own, and labels stand in a line with their values."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from docspec.core import BBox, Category
from docspec.drafting.assembly import assemble
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine
from docspec.drafting.structure.blocks import with_blocks
from docspec.drafting.structure.pairs import with_pairs
from docspec.drafting.structure.tables import Structure
from docspec.drafting.structure.tokens import PageTokens, Token

from ..patience import within

Placed = tuple[str, float, float, int]
"""A line: its text, its place, and the number of its block."""


def line_of(text: str, x: float, y: float) -> TextLine:
    return TextLine(BBox(x, y, x + 5 * len(text), y + 10), text, 10)


def page_of(placed: Sequence[Placed]) -> tuple[list[TextLine], Structure]:
    """Lines, and what a network that is never wrong says of them."""
    lines = [line_of(text, x, y) for text, x, y, _ in placed]
    tokens, owners = [], []
    for number, (line, (*_, block)) in enumerate(zip(lines, placed, strict=True)):
        x = line.bbox.x0
        for word in line.text.split():
            tokens.append(
                Token(word, (x, line.bbox.y0, x + 5 * len(word), line.bbox.y1), 10, line.bbox.y1 - 2, line=number)
            )
            owners.append(block)
            x += 5 * (len(word) + 1)
    none, same = np.zeros((0, 3), np.float32), np.equal.outer(owners, owners)
    together = np.where(same, 4.0, -4.0).astype(np.float32)
    empty = np.zeros((0, 4), np.float32)
    page = PageTokens(tuple(tokens), none, none, empty, np.zeros((0, 5), np.float32), 600, 800)
    return lines, Structure(page, (), together)


def read(placed: Sequence[Placed], *groups: Sequence[int], category: Category = Category.TEXT) -> list[list[str]]:
    """The texts of the boxes that become of boxes around ``groups`` of lines."""
    lines, structure = page_of(placed)
    boxes = [
        LayoutBox(BBox.union(lines[at].bbox for at in own), category, tuple(lines[at].bbox for at in own))
        for own in groups
    ]
    found, after = with_blocks(boxes, lines, structure)
    words = sorted(word for line in after for word in line.text.split())
    assert words == sorted(word for line in lines for word in line.text.split()), "no word is lost"
    texts = {line.bbox: line.text for line in after}
    return [[texts[member] for member in box.members] for box in found]


ADDRESSES: list[Placed] = [
    ("Bill to:", 40, 100, 0), ("Ship to:", 300, 100, 1),
    ("Ada Lovelace", 40, 112, 0), ("The engine house", 300, 112, 1),
    ("12 St James's Square", 40, 124, 0), ("Dorset Street", 300, 124, 1),
]  # fmt: skip


def test_addresses_in_one_box_are_two() -> None:
    assert read(ADDRESSES, range(6)) == [
        ["Bill to:", "Ada Lovelace", "12 St James's Square"],
        ["Ship to:", "The engine house", "Dorset Street"],
    ]


def test_labels_in_one_box_and_values_in_another_are_lines() -> None:
    placed = [
        (text, x, 100 + 12 * row, row)
        for row, pair in enumerate((("Date:", "1 Jan"), ("Due date:", "31 Jan"), ("Reference:", "A-17")))
        for text, x in zip(pair, (40, 140), strict=True)
    ]
    assert read(placed, (0, 2, 4), (1, 3, 5)) == [["Date: 1 Jan", "Due date: 31 Jan", "Reference: A-17"]]


def test_labels_with_colons_have_their_values_however_many_lines_either_has() -> None:
    """A network that is never wrong of other pages says here that the columns are two texts."""
    placed: list[Placed] = [
        ("Tender:", 40, 100, 0), ("Monday", 160, 100, 1), ("Bids by:", 40, 112, 0), ("Tuesday,", 160, 112, 1),
        ("8 to 11 o'clock", 160, 124, 1), ("Listing on", 40, 136, 0), ("the exchange:", 40, 148, 0),
        ("Wednesday", 160, 148, 1), ("Value date:", 40, 160, 0), ("Thursday", 160, 160, 1),
    ]  # fmt: skip
    assert read(placed, (0, 2, 5, 6, 8), (1, 3, 4, 7, 9)) == [
        ["Tender: Monday", "Bids by: Tuesday,", "8 to 11 o'clock", "Listing on", "the exchange: Wednesday",
         "Value date: Thursday"]
    ]  # fmt: skip


def test_labels_to_be_filled_in_beside_others_with_values_are_no_labels_of_these() -> None:
    placed: list[Placed] = [
        ("Name:", 40, 100, 0), ("Sex: female", 200, 100, 1),
        ("Number:", 40, 112, 0), ("Born: 1815", 200, 112, 1),
    ]  # fmt: skip
    assert read(placed, (0, 2), (1, 3)) == [["Name:", "Number:"], ["Sex: female", "Born: 1815"]]


def test_labels_and_values_in_one_box_are_lines_beside_what_else_is_in_it() -> None:
    placed = [
        ("Ada Lovelace", 40, 100, 0), ("Date:", 300, 100, 1), ("1 Jan", 380, 100, 1),
        ("Dorset Street", 40, 112, 0), ("Due date:", 300, 112, 2), ("31 Jan", 380, 112, 2),
    ]  # fmt: skip
    assert read(placed, range(6)) == [["Ada Lovelace", "Dorset Street"], ["Date: 1 Jan", "Due date: 31 Jan"]]


def test_what_does_not_stand_beside_anything_stays_as_it_is() -> None:
    stacked = [("One paragraph", 40, 100, 0), ("and its end.", 40, 112, 0), ("Another one", 40, 136, 1)]
    assert read(stacked, range(3)) == [["One paragraph", "and its end.", "Another one"]]
    columns = [("Left", 40, 100, 0), ("Right", 300, 100, 1)]
    assert read(columns, (0,), (1,)) == [["Left"], ["Right"]]
    joined = [("One", 40, 100, 0), ("line", 300, 100, 0)]
    assert read(joined, range(2)) == [["One line"]]


def test_a_line_with_white_in_it_is_one_line_of_its_paragraph() -> None:
    """The name of an example, set apart from its text, and what the text goes on with below the name."""
    placed = [("EXAMPLE 2", 40, 100, 0), ("For a pump that runs, the", 160, 100, 0), ("situations are:", 40, 112, 0)]
    lines, structure = page_of(placed)
    box = LayoutBox(BBox.union(line.bbox for line in lines), Category.TEXT, tuple(line.bbox for line in lines))
    regions = assemble(*with_blocks([box], lines, structure))
    assert [region.texts[0] for region in regions] == ["EXAMPLE 2 For a pump that runs, the\nsituations are:"]
    assert not regions[0].broken


def test_items_and_headings_are_not_looked_at() -> None:
    for category in (Category.LIST_ITEM, Category.SECTION_HEADER):
        assert read(ADDRESSES, range(6), category=category) == [[text for text, *_ in ADDRESSES]]


def pairs_page(odds: float) -> tuple[list[TextLine], Structure]:
    """Three labels with their values, each of a block of its own but the last pair, and ``odds`` that they are one."""
    pairs = (("Invoice no.", "2024-117"), ("Date", "14 March"), ("Due", "13 April"))
    texts = [(text, 40 + 100 * at, 100 + 12 * row) for row, pair in enumerate(pairs) for at, text in enumerate(pair)]
    lines, structure = page_of([(text, x, y, block) for block, (text, x, y) in enumerate(texts)])
    assert structure.together is not None
    together = structure.together.copy()
    together[together < 0] = odds
    together[-3:, -3:] = 0.4
    return lines, replace(structure, together=together)


@pytest.mark.parametrize("odds", [-0.5, -4.0])
def test_all_rows_of_labels_and_values_are_decided_together(odds: float) -> None:
    lines, structure = pairs_page(odds)
    box = LayoutBox(BBox.union(line.bbox for line in lines), Category.TEXT, tuple(line.bbox for line in lines))
    regions = assemble(*with_blocks([box], lines, structure))
    texts = [region.texts[0] for region in regions]
    if odds > -1:
        assert texts == ["Invoice no. 2024-117\nDate 14 March\nDue 13 April"]
        assert regions[0].broken
    else:
        assert not any(("2024" in text and "Invoice" in text) or ("Due" in text and "April" in text) for text in texts)


def test_pairs_are_looked_for_in_no_time_on_a_page_of_scattered_words() -> None:
    chance = random.Random(1)
    tokens = [
        Token("abc", (x, row * 1.2, x + 6, row * 1.2 + 1), 1.0, row * 1.2 + 0.9)
        for row in range(500)
        for x in (chance.uniform(0, 60) + 200 * column for column in range(3))
    ]
    none = np.zeros((0, 3), np.float32)
    empty, boxes = np.zeros((0, 4), np.float32), np.zeros((0, 5), np.float32)
    page = PageTokens(tuple(tokens), none, none, empty, boxes, 600, 800)
    with within(4):
        with_pairs(page, np.arange(len(tokens)), np.zeros((len(tokens), len(tokens)), np.float32))


@pytest.mark.parametrize(
    ("prose", "typed", "kept"),
    [(40, False, True), (0, False, True), (40, True, False)],
    ids=["listing", "nothing but a listing", "typewritten page"],
)
def test_a_listing_keeps_its_rows_whatever_the_network_says(prose: int, typed: bool, kept: bool) -> None:
    code: list[Placed] = [
        ("function", 40, 100, 0), ("add(a, b) {", 100, 100, 1),
        ("return", 60, 112, 2), ("a + b;", 110, 112, 3),
        ("}", 40, 124, 4),
    ]  # fmt: skip
    lines, structure = page_of(code)
    lines = [replace(line, even=len(line.text.replace(" ", ""))) for line in lines]
    box = LayoutBox(BBox.union(line.bbox for line in lines), Category.TEXT, tuple(line.bbox for line in lines))
    text = [line_of("Adding two numbers is what computers were built for", 40, 300 + 12 * at) for at in range(prose)]
    text = [replace(line, even=typed * len(line.text.replace(" ", ""))) for line in text]
    found, _ = with_blocks([box], [*lines, *text], structure)
    assert (found == [box]) is kept


def test_columns_whose_rows_have_no_partners_are_apart_whatever_the_network_says() -> None:
    """An address beside a list of dates in another pitch."""
    left = [Token("Date", (60, y, 100, y + 10), 10, y + 8) for y in range(100, 190, 18)]
    right = [Token("Street", (130, y, 180, y + 10), 10, y + 8) for y in range(100, 190, 12)]
    none = np.zeros((0, 4), np.float32)
    tokens = (*left, *right)
    page = PageTokens(tokens, none[:, :3], none[:, :3], none, np.zeros((0, 5), np.float32), 600, 800)
    odds = np.full((len(tokens),) * 2, 2.0, np.float32)
    across = with_pairs(page, np.arange(len(tokens)), odds)[: len(left), len(left) :]
    assert (across < 0).all()
    level = replace(page, tokens=(*left, *(replace(one, box=(130, one.box[1], 180, one.box[3])) for one in left)))
    assert (with_pairs(level, np.arange(len(level.tokens)), odds[:10, :10])[: len(left), len(left) :] > 0).all()


ROWS = [
    ["The sharing of boats helps", "Insurance is a part of each"],
    ["people who sail for pleasure", "of these trips to the islands"],
]


def odds_of(rows: Sequence[Sequence[str]], odds: float, lower: Sequence[str] = ()) -> np.ndarray:
    """What is said of each two lines, those of ``rows`` in two columns and ``lower`` ones on the left below them, where
    the network says ``odds`` of all."""
    placed = [
        (text, 60 + 200 * at, 100 + 12 * row, 0) for row, texts in enumerate(rows) for at, text in enumerate(texts)
    ]
    placed += [(text, 60, 100 + 12 * (len(rows) + at), 0) for at, text in enumerate(lower)]
    tokens = [
        Token(text, (x, y, x + 5.0 * len(text), y + 10), 10, y + 8, line=number)
        for number, (text, x, y, _) in enumerate(placed)
    ]
    none = np.zeros((0, 4), np.float32)
    page = PageTokens(tuple(tokens), none[:, :3], none[:, :3], none, np.zeros((0, 5), np.float32), 600, 800)
    return with_pairs(page, np.arange(len(tokens)), np.full((len(tokens),) * 2, odds, np.float32))


def test_columns_of_text_are_apart_with_what_stands_below_them_unless_the_network_is_sure() -> None:
    apart = odds_of(ROWS, 1.0, lower=["and know no other way to go"])
    assert (apart[[0, 2, 4]][:, [1, 3]] < 0).all() and apart[0, 2] > 0 and apart[0, 4] > 0
    assert (odds_of(ROWS, 3.0) > 0).all()


@pytest.mark.parametrize(
    ("rows", "together"),
    [
        ([["8a", "Interest that is not taxed"], ["9", "Dividends of companies"]], True),
        ([["[x] Report", "[ ] Reunion"], ["[ ] Plan", "[x] Services"], ["[x] Assessment", "[ ] Transport"]], False),
        ([["torque", "Nm"], ["load", "none"], ["class", "high"], ["shaft", "hollow"], ["weight", "known"]], False),
        ([["Paid in 2031", "12 March"], ["Paid in 2032", "14 March"]], False),
        ([["Invoice date", ": 12 March"], ["Invoice", ": 4711"], ["Ends", ": never"]], True),
    ],
    ids=["numbers of lines", "lists to tick", "words beside words", "two lists", "colons before the values"],
)
def test_rows_that_are_one_line_whatever_the_network_says(rows: list[list[str]], together: bool) -> None:
    odds = odds_of(rows, -4.0)
    beside = [odds[2 * row, 2 * row + 1] > 0 for row in range(len(rows))]
    assert beside == [together] * len(rows)


def test_a_block_does_not_stand_between_the_lines_of_another() -> None:
    placed: list[Placed] = [
        ("Saue linn", 40, 100, 0), ("SEB Pank", 300, 100, 2),
        ("Saue vald", 40, 112, 1), ("Swedbank", 300, 112, 2),
        ("76506 Harju maakond", 40, 124, 0), ("Luminor Bank", 300, 124, 2),
    ]  # fmt: skip
    assert read(placed, range(6)) == [
        ["Saue linn", "Saue vald", "76506 Harju maakond"],
        ["SEB Pank", "Swedbank", "Luminor Bank"],
    ]


def test_labels_stay_with_their_values_where_a_colon_stands_between_them_and_a_head_above() -> None:
    """A notice: the values are set a little lower, and labels and values have second lines."""
    placed = [("Notice 4735", 60.0, 80.0), ("12 March", 240.0, 80.0)]
    for row, (label, value) in enumerate([("Sender", "A bank"), ("Subject of", "A bank"), ("Object", "A model of")]):
        y = 110 + 26.0 * row
        placed += [(label, 60, y), (":", 200, y - 1), (value, 220, y + 1.5)]
        placed += [("the notice", 60, y + 12)] if row else []
        placed += [("the notice", 220, y + 13.5)]
    tokens = tuple(
        Token(text, (x, y, x + 5.0 * len(text), y + 10), 10, y + 8, line=number)
        for number, (text, x, y) in enumerate(placed)
    )
    none = np.zeros((0, 4), np.float32)
    page = PageTokens(tokens, none[:, :3], none[:, :3], none, np.zeros((0, 5), np.float32), 600, 800)
    odds = with_pairs(page, np.arange(len(tokens)), np.full((len(tokens),) * 2, -4.0, np.float32))
    colons = [at for at, token in enumerate(tokens) if token.text == ":"]
    assert [bool(odds[at - 1, at + 1] > 0) for at in colons] == [True] * 3


@pytest.mark.parametrize(("height", "whole"), [(14.0, True), (60.0, False)], ids=["band", "ground of many rows"])
def test_what_stands_on_one_band_of_colour_is_one_line(height: float, whole: bool) -> None:
    heading: list[Placed] = [("12.6.", 40, 100, 0), ("Other effects", 100, 100, 1)]
    below: list[Placed] = [("None that are known to anybody at all", 40, 116, 0), ("of the firm", 300, 116, 2)]
    _, structure = page_of([*heading, *below])
    fills = np.array([(36.0, 98.0, 500.0, 98.0 + height)], np.float32)
    page = replace(structure.page, fills=fills)
    odds = with_pairs(page, np.arange(len(page.tokens)), structure.together)
    words = [token.text for token in page.tokens]
    assert bool(odds[words.index("12.6."), words.index("Other")] > 0) is whole
