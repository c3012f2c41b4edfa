"""A grammar tied to drafts: trees stay valid whatever it says, and what it predicts right saves steps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.dialects.layout_cells import LayoutCell, render_cell, render_cells
from docspec.dialects.layout_grammar import LayoutGrammar
from docspec.proposing.context import Context
from docspec.proposing.format_grammar import FormatGrammar
from docspec.proposing.spelling import Speller
from tests.engine.grammars import RandomGrammar
from tests.proposing.replays import Characters, row_of, steps, trees

LETTERS = "ab01"
texts = st.text(LETTERS, max_size=60)
CODEC = Characters()


WORDS = ["what", "was", "printed", "here", "stands", "in", "every", "draft", "but", "no", "box", "does", "so"]
CELLS = [
    LayoutCell((100 + 2 * n, 50 * n, 700 + n, 50 * n + 30), "Text", f"{WORDS[n]} {n} and {WORDS[-n - 1]} again")
    for n in range(12)
]


def moved(cells, by):
    return [
        LayoutCell(tuple(n + d for n, d in zip(cell.bbox, by, strict=True)), cell.category, cell.text) for cell in cells
    ]


def drafts_of(cells=CELLS):
    drafts = [render_cells(cells), *(f' {render_cell(cell)}, {{"bbox": [' for cell in cells)]
    return [CODEC.tokenize(draft) for draft in drafts]


def written_in(output, grammar=True, budget=64):
    """Steps that write ``output`` with drafts of ``CELLS``."""
    made = LayoutGrammar(CELLS) if grammar else None
    return steps(CODEC.tokenize(output), drafts_of(), budget, codec=CODEC, grammar=made)


@given(st.lists(texts, max_size=4), texts.filter(len), st.integers(2, 40), st.integers(0, 1000))
@settings(deadline=None)
def test_trees_are_valid_and_within_their_budget_whatever_the_grammar_says(drafts, output, limit, seed):
    drafts, output = [CODEC.tokenize(draft) for draft in drafts], CODEC.tokenize(output)
    one, other = (
        trees(output, limit, drafts=drafts, codec=CODEC, grammar=RandomGrammar(LETTERS, seed)) for _ in range(2)
    )
    assert one == other


@given(st.lists(texts, max_size=4), texts.filter(len), st.integers(2, 40), st.integers(0, 1000))
@settings(deadline=None)
def test_a_replay_ends_and_no_step_writes_less_than_plain_decoding(drafts, output, budget, seed):
    drafts, output = [CODEC.tokenize(draft) for draft in drafts], CODEC.tokenize(output)
    grammar = RandomGrammar(LETTERS, seed)
    assert steps(output, drafts, budget, codec=CODEC, grammar=grammar) <= len(output)


@pytest.mark.parametrize("budget", [16, 64, 128])
def test_boxes_moved_by_a_few_pixels_cost_fewer_steps_with_the_grammar(budget):
    output = render_cells(moved(CELLS, (-4, -6, 3, 2)))
    assert written_in(output, budget=budget) < 0.8 * written_in(output, False, budget)


def test_exact_boxes_are_soon_predicted_to_the_pixel():
    first, last = (render_cells(CELLS[:count]) for count in (6, 12))
    assert written_in(last) - written_in(first) < 2 * 6


def test_cells_in_another_order_and_category_are_found():
    cells = [CELLS[n] for n in (3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8)]
    output = render_cells([LayoutCell(cell.bbox, "List-item", cell.text) for cell in moved(cells, (1, 2, 0, -1))])
    assert written_in(output) < 0.8 * written_in(output, False)


def test_a_grammar_of_another_page_costs_little():
    """A negative control: what helps is what the grammar says, not that there is one."""
    output = render_cells(moved(CELLS, (-4, -6, 3, 2)))
    tokens, drafts = CODEC.tokenize(output), [CODEC.tokenize(render_cells(CELLS))]
    other = LayoutGrammar([LayoutCell((9, 9, 20, 20), "Formula", "x"), LayoutCell((30, 9, 40, 20), "Table", "y")])
    wrong = steps(tokens, drafts, 64, codec=CODEC, grammar=other)
    plain = steps(tokens, drafts, 64, codec=CODEC)
    assert written_in(output) < wrong <= 1.1 * plain


def test_a_fork_without_ways_lets_the_draft_go_on():
    class Silent(RandomGrammar):
        def here(self):
            return None

    tokens = CODEC.tokenize("ab01" * 20)
    assert steps(tokens, [tokens], codec=CODEC, grammar=Silent("ab01")) < 8


def test_places_behind_markers_are_forks():
    request = row_of([], [CODEC.tokenize(render_cells(CELLS))], lambda: LayoutGrammar(CELLS)).request
    context = Context(request, Speller(CODEC))
    found = FormatGrammar(context)
    assert len(found.forks) == len(CELLS)
    position = found.forks[1]
    assert CODEC.detokenize(context.drafts.tokens[position : position + 6]) == "102, 5"
    assert context.drafts.pause(position - 3, 10) == position
    assert found.first(position + 1, position + 6) == position + 6
