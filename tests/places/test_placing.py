"""Every word of a block has its place, and says how that is known."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from docspec.core import BBox, Block, Category, PageDraft, PageImage, PageResult, PrintedLine, Region
from docspec.core.account import VisibleWord
from docspec.core.places import PlacedWord
from docspec.places import with_places

LINE, LETTER = 20.0, 10.0
"""Pixels of a line's height and of a letter."""

WORDS = ("the", "pier", "was", "closed", "for", "nine", "days", "in", "march", "and", "boats", "to", "an", "basin")
MADE_UP = ("zorblax", "quintuffle", "9371", "Mxyz", "grombled")


def printed(*lines: str, left: float = 0.0, top: float = 0.0, hidden: str = "") -> list[VisibleWord]:
    """The words of ``lines``, one below the other."""
    words = []
    for number, line in enumerate(lines):
        x, y = left, top + 1.5 * LINE * number
        for word in line.split():
            words.append(VisibleWord(word, x, y, x + LETTER * len(word), y + LINE, hidden))
            x += LETTER * (len(word) + 1)
    return words


def block(text: str, box: tuple[float, float, float, float] | None = (0, 0, 900, 900), **more: object) -> Block:
    values = {"category": Category.TEXT, **more}
    return Block(text=text, bbox=None if box is None else BBox(*box), **values)  # type: ignore[arg-type]


def placed(words: list[VisibleWord], *blocks: Block, draft: PageDraft | None = None) -> list[tuple[PlacedWord, ...]]:
    page = PageImage(Image.new("RGB", (900, 900)), 1, 1.0, "a.pdf", words=tuple(words))
    result = PageResult("a.pdf", 1, "ok", blocks=blocks, width=900, height=900)
    layer = PageDraft((Region(BBox(0, 0, 900, 900), Category.TEXT, words="text layer"),))
    return [one.places for one in with_places(result, page, draft or layer).blocks]


def hows(places: tuple[PlacedWord, ...]) -> list[str]:
    return [word.how for word in places]


def test_words_that_the_page_has_have_its_boxes() -> None:
    words = printed("Of the harbour", "a pier of wood")
    [places] = placed(words, block("Of the **harbour**\na pier of wood"))
    assert [(word.text, word.how, word.boxes) for word in places] == [
        (word.text, "exact", (word.bbox,)) for word in words
    ]
    text = "Of the **harbour**\na pier of wood"
    assert [text[word.start : word.end].strip("*") for word in places] == [word.text for word in words]


def test_equal_words_have_the_places_of_their_blocks() -> None:
    words = [*printed("Total 5"), *printed("Total 7", top=400)]
    second, first = placed(words, block("Total 7", (0, 390, 300, 430)), block("Total 5", (0, 0, 300, 20)))
    assert [word.boxes[0].y0 for word in (*first, *second)] == [0, 0, 400, 400]
    assert hows(first) + hows(second) == ["exact"] * 4


def test_another_spelling_has_the_place_of_its_neighbours() -> None:
    words = printed("The pier was c1osed for nine days")
    [places] = placed(words, block("The pier was closed for nine days"))
    assert hows(places) == ["exact"] * 3 + ["aligned"] + ["exact"] * 3
    assert places[3].boxes == (words[3].bbox,)
    assert places[3].certainty < places[2].certainty


@pytest.mark.parametrize(
    ("page", "written", "same"),
    [
        ("Total 5", "TOTAL 5", "Total"),
        ("a cafe there", "a café there", "cafe"),
        ("rose by -5 to", "rose by 5 to", "-5"),
    ],
)
def test_capitals_accents_and_a_minus_make_another_word(page: str, written: str, same: str) -> None:
    words = printed(page)
    [places] = placed(words, block(written))
    at = page.split().index(same)
    assert places[at].how == "aligned"
    assert places[at].boxes == (words[at].bbox,)


def test_a_word_that_the_print_breaks_has_both_places() -> None:
    words = printed("here is an exam-", "ple of it")
    [places] = placed(words, block("here is an example of it"))
    assert places[3].boxes == (words[3].bbox, words[4].bbox)
    assert places[3].how == "exact"


def test_a_word_that_is_nowhere_has_no_place() -> None:
    [places] = placed(printed("The pier was closed"), block("The pier was never closed"))
    assert [(word.text, word.boxes) for word in places if word.how == "none"] == [("never", ())]


def test_a_short_word_among_made_up_ones_is_not_taken_for_the_same() -> None:
    words = printed("The pier was closed for nine days in March while the piles were driven")
    [places] = placed(words, block("Zorblax grombled in Xanadu quickly below some purple mountains yesterday noon"))
    assert "exact" not in hows(places)


def test_a_page_of_which_nothing_is_known_gives_the_places_of_blocks() -> None:
    box = (10, 20, 300, 60)
    [places] = placed([], block("Some words", box), draft=PageDraft())
    assert [(word.how, word.boxes) for word in places] == [("block", (BBox(*box),))] * 2


def test_hidden_words_give_no_place() -> None:
    words = [*printed("Visible words here"), *printed("secret", top=100, hidden="hidden: transparent")]
    [places] = placed(words, block("Visible words here secret"))
    assert hows(places) == ["exact"] * 3 + ["none"]


def test_words_of_a_recognised_line_have_their_share_of_it() -> None:
    line = PrintedLine(BBox(100, 50, 400, 80), "mill in mill", confidence=0.9)
    region = Region(BBox(100, 50, 400, 80), Category.TEXT, ("mill in mill",), lines=(line,), words="recognition")
    draft = PageDraft((region,), recognised=(line,))
    [places] = placed([], block("mill in mill", words="recognition"), draft=draft)
    assert hows(places) == ["exact"] * 3
    first, second, third = (word.boxes[0] for word in places)
    assert (first.x0, third.x1) == (100, 400)
    assert first.x1 < second.x0 < second.x1 < third.x0
    assert first.width == pytest.approx(third.width)


def test_words_that_a_recogniser_has_without_their_space_are_believed_more_than_a_part_of_one() -> None:
    line = PrintedLine(BBox(100, 50, 400, 80), "For nine days the pierwas closed in march", confidence=0.9)
    region = Region(line.bbox, Category.TEXT, (line.text,), lines=(line,), words="recognition")
    draft = PageDraft((region,), recognised=(line,))
    [whole] = placed([], block("For nine days the pier was closed in march", words="model"), draft=draft)
    [part] = placed([], block("For nine days the pier closed in march", words="model"), draft=draft)
    assert hows(whole) == [*(4 * ["exact"]), "aligned", "aligned", *(3 * ["exact"])]
    assert part[4].certainty < min(word.certainty for word in whole[4:6])


def test_a_line_that_runs_leftwards_begins_on_its_right() -> None:
    line = PrintedLine(BBox(100, 50, 400, 80), "שלום עולם", confidence=0.9)
    draft = PageDraft((Region(line.bbox, Category.TEXT, (line.text,), lines=(line,), words="recognition"),))
    [places] = placed([], block(line.text, words="recognition"), draft=draft)
    assert places[0].boxes[0].x1 == 400
    assert places[1].boxes[0].x0 == 100


TABLES = {
    "bars": "| Berth | Depth |\n|---|---|\n| North | 4.1 |\n| Inner | 2.9 |",
    "html": "<table><tr><th>Berth</th><th>Depth</th></tr><tr><td>North</td><td>4.1</td></tr>"
    "<tr><td>Inner</td><td>2.9</td></tr></table>",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("by_columns", [False, True])
def test_cells_have_places_in_whatever_order_the_file_has_them(text: str, by_columns: bool) -> None:
    columns = [printed("Berth", "North", "Inner"), printed("Depth", "4.1", "2.9", left=300)]
    order = [*columns[0], *columns[1]] if by_columns else [word for row in zip(*columns, strict=True) for word in row]
    page = PageImage(Image.new("RGB", (900, 900)), 1, 1.0, "a.pdf", words=tuple(order))
    result = PageResult("a.pdf", 1, "ok", blocks=(block(text, category=Category.TABLE),), width=900, height=900)
    draft = PageDraft((Region(BBox(0, 0, 900, 900), Category.TABLE, words="text layer"),))
    [table] = with_places(result, page, draft).blocks
    assert hows(table.places) == ["exact"] * 6
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    assert sorted(cells) == [(row, column) for row in range(3) for column in range(2)]
    for (row, column), cell in cells.items():
        assert text[cell.start : cell.end].strip() == columns[column][row].text
        assert cell.bbox == columns[column][row].bbox


def test_a_cell_that_spans_takes_the_places_of_the_drafted_grid() -> None:
    text = '<table><tr><td colspan="2">Berths</td></tr><tr><td>North</td><td></td></tr></table>'
    grid = tuple(tuple(BBox(100 * x, 40 * y, 100 * x + 100, 40 * y + 40) for x in range(2)) for y in range(2))
    region = Region(BBox(0, 0, 200, 80), Category.TABLE, grid=grid, words="text layer")
    page = PageImage(Image.new("RGB", (900, 900)), 1, 1.0, "a.pdf", words=tuple(printed("Berths", "North")))
    result = PageResult("a.pdf", 1, "ok", blocks=(block(text, (0, 0, 200, 80), category=Category.TABLE),))
    [table] = with_places(result, page, PageDraft((region,))).blocks
    assert [cell.bbox for cell in table.cells] == [BBox(0, 0, 200, 40), BBox(0, 40, 100, 80), BBox(100, 40, 200, 80)]


def _lines(words: list[str]) -> list[str]:
    return [" ".join(words[at : at + 6]) for at in range(0, len(words), 6)]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_a_made_up_word_is_never_exact(words: list[str], rng: random.Random) -> None:
    page = printed(*_lines(words))
    written = list(words)
    for _ in range(rng.randint(1, 8)):
        at = rng.randint(0, len(written))
        written[at : at + rng.randint(0, 2)] = [rng.choice(MADE_UP)]
    [places] = placed(page, block(" ".join(written)))
    assert [word.text for word in places] == written
    assert not [word.text for word in places if word.how == "exact" and word.text in MADE_UP]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=60), st.booleans())
def test_the_page_as_it_is_printed_is_exact_at_its_own_places(words: list[str], boxed: bool) -> None:
    page = printed(*_lines(words))
    [places] = placed(page, block(" ".join(words), (0, 0, 900, 900) if boxed else None))
    assert [(word.how, word.boxes) for word in places] == [("exact", (word.bbox,)) for word in page]


@given(st.lists(st.sampled_from(WORDS), max_size=40), st.lists(st.sampled_from(WORDS), max_size=40))
def test_no_place_is_given_to_more_exact_words_than_it_prints(page: list[str], written: list[str]) -> None:
    [places] = placed(printed(*_lines(page)), block(" ".join(written)))
    boxes = [box for word in places if word.how == "exact" for box in word.boxes]
    assert len(boxes) == len(set(boxes))
    assert all(0 <= word.certainty <= 1 for word in places)
    assert all(bool(word.boxes) == (word.how != "none") for word in places)


@given(st.text(max_size=200), st.sampled_from(list(Category)))
def test_any_text_can_be_placed(text: str, category: Category) -> None:
    [places] = placed(printed("Of the harbour"), block(text, category=category))
    assert all(0 <= word.start < word.end <= len(text) for word in places)
    assert [word.start for word in places] == sorted(word.start for word in places)
