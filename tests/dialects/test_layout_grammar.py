"""What the layout grammar predicts at each point of a cell, and what it learns from the cells written."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import BBox, Category, PageDraft, Region
from docspec.dialects import make_dialect
from docspec.dialects.layout_cells import LayoutCell, render_cells
from docspec.dialects.layout_grammar import BOX, CATEGORY, LayoutGrammar

CELLS = [
    LayoutCell((100, 50, 500, 90), "Title", "# The first of the cells"),
    LayoutCell((100, 120, 480, 300), "Text", "Some words about the matter."),
    LayoutCell((110, 330, 470, 600), "Picture"),
    LayoutCell((100, 640, 490, 700), "Text", "And others behind the picture."),
]
START = '[{"bbox": ['
LEAST = 1e-3


def after(text, cells=CELLS):
    grammar = LayoutGrammar(cells)
    grammar.follow(text)
    return grammar


def alternatives(text, cells=CELLS):
    fork = after(text, cells).here()
    return [] if fork is None else sorted(fork.alternatives(LEAST), key=lambda one: -one.chance)


def likeliest(grammar):
    """The continuation of the output's end with the largest product of chances, up to an anchor."""
    text, fork, anchor = "", grammar.here(), None
    while fork is not None:
        one = max(fork.alternatives(LEAST), key=lambda one: one.chance)
        text, fork, anchor = text + one.text, one.fork, one.anchor
    return text, anchor


def test_a_whole_cell_is_predicted_up_to_its_text():
    assert likeliest(after(START)) == ('100, 50, 500, 90], "category": "Title', 0)


def test_a_box_that_is_begun_goes_on_from_there():
    assert likeliest(after(START + "100, 5")) == ('0, 500, 90], "category": "Title', 0)
    assert likeliest(after(START + '100, 50, 500, 90], "cat')) == ('egory": "Title', 0)
    assert likeliest(after(START + '100, 50, 500, 90], "category": "Ti')) == ("tle", 0)


def test_digits_shifted_in_the_last_places_are_branches():
    texts = [one.text for one in alternatives(START)]
    assert {"100, ", "99, ", "101, ", "98, "} <= set(texts)


def test_the_box_tells_which_cell_is_meant():
    text = START + '100, 50, 500, 90], "category": "Title", "text": "# The first of the cells"}, {"bbox": ['
    assert likeliest(after(text))[1] == 1
    assert likeliest(after(text + "100, 641, "))[1] == 3


def test_what_the_target_adds_to_each_edge_is_learnt():
    text = START + '96, 45, 503, 91], "category": "Title", "text": "# The first of the cells"}, {"bbox": ['
    assert likeliest(after(text))[0].startswith("96, 115, 483, 301]")


def test_another_category_than_drafted_is_a_branch_with_the_same_text():
    categories = {one.text: one.anchor for one in alternatives(START + '100, 50, 500, 90], "category": "')}
    assert categories["Title"] == categories["Text"] == 0


def test_a_picture_has_no_text():
    written = render_cells(CELLS[:2])[:-1] + ', {"bbox": ['
    text, anchor = likeliest(after(written))
    assert text.endswith('"category": "Picture')
    assert anchor == 2
    others = alternatives(written + '110, 330, 470, 600], "category": "')
    assert [one.text for one in others if one.anchor is None and one.text.startswith("Text")] == ['Text", "text": "']


def test_inside_a_text_nothing_is_predicted():
    assert after("Some prose.").here() is None
    assert after(START + '100, 50, 500, 90], "category": "Title", "text": "# The').here() is None


def test_a_number_that_nothing_predicts_is_taken_to_be_complete():
    assert [one.text for one in alternatives(START + "777")] == [", "]


def test_without_boxes_to_come_nothing_is_predicted():
    written = render_cells(CELLS)[:-1] + ', {"bbox": ['
    assert alternatives(written) == []


def test_landmarks_name_the_cell_and_where_its_text_may_be_taken_up():
    grammar = LayoutGrammar(CELLS)
    found = grammar.landmark(BOX, '100, 120, 480, 300], "category": "Text", "text": "Some')
    assert found is not None and found.element == 1 and found.guessed
    assert found.anchor == len('100, 120, 480, 300], "category": "Text')
    loose = grammar.landmark(CATEGORY, 'List-item", "text": "Some words about the matter."}')
    assert loose is not None and (loose.element, loose.guessed) == (1, False)
    assert grammar.landmark(BOX, "1, 2, 3, 4]") is None
    assert grammar.landmark(CATEGORY, 'Text", "text": "Nowhere drafted."}') is None


def test_the_dialect_gives_one_for_what_it_drafts():
    region = Region(BBox(10, 20, 300, 60), Category.TEXT, ("Words.",))
    dialect = make_dialect("layout-json")
    grammar = dialect.grammar(PageDraft((region,)), 700, 980)
    grammar.follow(START)
    page = dialect.page_drafts(PageDraft((region,)), 700, 980)[0]
    assert page.startswith(START + likeliest(grammar)[0])
    assert dialect.grammar(PageDraft(), 700, 980) is None


@given(st.lists(st.text('0123456789[]{}:, "\\abcxetgory' + "\n", max_size=12), max_size=12))
@settings(deadline=None)
def test_any_text_is_followed_and_ones_are_likely_enough(pieces):
    grammar = LayoutGrammar(CELLS)
    for piece in [START, *pieces, START, *pieces]:
        grammar.follow(piece)
        fork = grammar.here()
        found = list(fork.alternatives(0.01)) if fork is not None else []
        assert all(0.01 <= one.chance <= 1 + 1e-9 for one in found)
        assert sum(one.chance for one in found) <= 1 + 1e-9
