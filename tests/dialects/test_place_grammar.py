"""The grammar of DocTags, grounded text and layout in HTML: what it predicts of boxes, learns, and saves in steps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import BBox, Category, PageDraft, Region
from docspec.dialects import make_dialect
from tests.proposing.replays import Characters, steps

CODEC = Characters()
WORDS = ["what", "was", "printed", "here", "stands", "in", "every", "draft", "but", "no", "box", "does"]
KINDS = (Category.TITLE, Category.TEXT, Category.LIST_ITEM, Category.TEXT)
REGIONS = tuple(
    Region(
        BBox(50 + 5 * n, 38 * n, 350 + 4 * n, 38 * n + 25), KINDS[n % 4], (f"{WORDS[n]} {n} and {WORDS[-n - 1]} again",)
    )
    for n in range(12)
)
SIZE = {
    "doctags": (500, 500),
    "grounded": (999, 999),
    "grounded-inline": (999, 999),
    "grounded-markdown": (1000, 1000),
    "layout-html": (1024, 1024),
    "layout-html-2": (1000, 1000),
}
"""Pixels that are the units of the dialect."""

NAMES = tuple(SIZE)
FIRST = {
    "doctags": ("<doctag><title>", "<loc_50><loc_0><loc_350><loc_25>"),
    "grounded": ("<|ref|>title<|/ref|><|det|>[[", "50, 0, 350, 25]]<|/det|>"),
    "grounded-inline": ("<|det|>title [", "50, 0, 350, 25]<|/det|>"),
    "grounded-markdown": ("![title](", "50,0,350,25)"),
    "layout-html": ('<div data-bbox="', '50 0 350 25"'),
    "layout-html-2": ('<div data-bbox="', '50 0 350 25"'),
}
"""What comes before the first box, and the box."""


def page(name, regions=REGIONS):
    return make_dialect(name).page_drafts(PageDraft(regions), *SIZE[name])[0]


def grammar_of(name, regions=REGIONS):
    return make_dialect(name).grammar(PageDraft(regions), *SIZE[name])


def moved(by, regions=REGIONS):
    return tuple(
        replace(
            region,
            bbox=BBox(region.bbox.x0 + by[0], region.bbox.y0 + by[1], region.bbox.x1 + by[2], region.bbox.y1 + by[3]),
        )
        for region in regions
    )


def written_in(name, output, grammar):
    drafts = [CODEC.tokenize(text) for text in make_dialect(name).page_drafts(PageDraft(REGIONS), *SIZE[name])]
    return steps(CODEC.tokenize(output), drafts, 64, codec=CODEC, grammar=grammar)


def likeliest(grammar):
    """The likeliest continuation of the output's end, and the piece whose drafts go on behind it."""
    text, fork, anchor = "", grammar.here(), None
    while fork is not None:
        way = max(fork.alternatives(1e-3), key=lambda way: way.chance)
        text, fork, anchor = text + way.text, way.fork, way.anchor
    return text, anchor


@pytest.mark.parametrize("name", NAMES)
def test_a_box_is_predicted_from_any_place_in_it(name):
    before, box = FIRST[name]
    assert page(name).startswith(before + box)
    for begun in range(len(box) + 1):
        grammar = grammar_of(name)
        grammar.follow(before)
        grammar.follow(box[:begun])
        assert likeliest(grammar) == (box[begun:], 0)
    grammar.follow("w")
    assert grammar.here() is None


@pytest.mark.parametrize("name", NAMES)
def test_what_the_target_adds_to_each_edge_is_learnt(name):
    target = page(name, moved((-4, 6, 3, 5)))
    fourth = {
        "doctags": "<loc_66><loc_158><loc_369><loc_182>",
        "grounded": "66, 158, 369, 182]]<|/det|>",
        "grounded-inline": "66, 158, 369, 182]<|/det|>",
        "grounded-markdown": "66,158,369,182)",
        "layout-html": '66 158 369 182"',
        "layout-html-2": '66 158 369 182"',
    }[name]
    grammar = grammar_of(name)
    grammar.follow(target[: target.index(fourth)])
    assert likeliest(grammar) == (fourth, 4)


@pytest.mark.parametrize("name", NAMES)
def test_moved_boxes_cost_fewer_steps_with_the_grammar(name):
    output = page(name, moved((-4, 6, 3, 5)))
    assert written_in(name, output, grammar_of(name)) < 0.8 * written_in(name, output, None)


@pytest.mark.parametrize("name", NAMES)
def test_pieces_in_another_order_are_found_by_their_boxes(name):
    order = (3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8)
    output = page(name, moved((2, 4, 0, -2), [REGIONS[n] for n in order]))
    assert written_in(name, output, grammar_of(name)) < 0.9 * written_in(name, output, None)


@pytest.mark.parametrize("name", NAMES)
def test_a_grammar_of_another_page_costs_little(name):
    """A negative control: what helps is what the grammar says, not that there is one."""
    output = page(name, moved((-4, 6, 3, 5)))
    other = grammar_of(name, (Region(BBox(9, 9, 20, 20), Category.FORMULA, ("x",)),))
    right, wrong, none = (written_in(name, output, one) for one in (grammar_of(name), other, None))
    assert right < wrong <= 1.3 * none


@pytest.mark.parametrize("name", NAMES)
def test_without_regions_there_is_none(name):
    assert grammar_of(name, ()) is None


@given(st.lists(st.text("0123456789[]<>|,_/ \nlocdetrfx", max_size=12), max_size=12), st.sampled_from(NAMES))
@settings(deadline=None)
def test_any_text_is_followed_and_ways_are_likely_enough(pieces, name):
    grammar = grammar_of(name)
    for piece in [FIRST[name][0], *pieces, FIRST[name][0], *pieces]:
        grammar.follow(piece)
        fork = grammar.here()
        found = list(fork.alternatives(0.01)) if fork is not None else []
        assert all(0.01 <= way.chance <= 1 + 1e-9 for way in found)
        assert sum(way.chance for way in found) <= 1 + 1e-9
