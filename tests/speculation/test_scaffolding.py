"""A scaffold tied to drafts: trees stay valid whatever it says, and what it foretells right saves steps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.bench.transcripts import replay
from docspec.dialects.layout_cells import Cell, render_cell, render_cells
from docspec.dialects.layout_scaffold import LayoutScaffold
from docspec.speculation.cursor import CursorProposer
from docspec.speculation.draft_index import DraftIndex
from docspec.speculation.scaffolding import Scaffolding
from docspec.speculation.spelling import Speller
from tests.speculation.scaffolds import RandomScaffold

END = 10**6
LETTERS = "ab01"
texts = st.text(LETTERS, max_size=60)


class Characters:
    """A tokenizer of one token a character."""

    def tokenize(self, text: str) -> list[int]:
        return [ord(char) for char in text]

    def detokenize(self, tokens: list[int]) -> str:
        return "".join(map(chr, tokens))


WORDS = ["what", "was", "printed", "here", "stands", "in", "every", "draft", "but", "no", "box", "does", "so"]
CELLS = [
    Cell((100 + 2 * n, 50 * n, 700 + n, 50 * n + 30), "Text", f"{WORDS[n]} {n} and {WORDS[-n - 1]} again")
    for n in range(12)
]


def moved(cells, by):
    return [
        Cell(tuple(n + d for n, d in zip(cell.bbox, by, strict=True)), cell.category, cell.text)
        for cell in cells
    ]


def proposer(cells=CELLS, scaffold=True, price=0.0):
    drafts = [render_cells(cells), *(f' {render_cell(cell)}, {{"bbox": [' for cell in cells)]
    made = LayoutScaffold(cells) if scaffold else None
    codec = Characters()
    return CursorProposer([codec.tokenize(draft) for draft in drafts], codec, price, made)


def steps(proposer, output, budget=64):
    return replay(proposer, [*Characters().tokenize(output), END], budget)[0]


@given(st.lists(texts, max_size=4), texts.filter(len), st.integers(1, 40), st.integers(0, 1000))
@settings(deadline=None)
def test_trees_are_valid_and_within_their_budget_whatever_the_scaffold_says(drafts, output, limit, seed):
    codec = Characters()
    drafts, output = [codec.tokenize(draft) for draft in drafts], codec.tokenize(output)
    one, other = (CursorProposer(drafts, codec, scaffold=RandomScaffold(LETTERS, seed)) for _ in range(2))
    for written in range(1, len(output) + 1, 3):
        tree = one.propose(output[:written], limit)
        assert tree.tokens[0] == output[written - 1]
        assert len(tree) <= limit
        assert all(parent < node for node, parent in enumerate(tree.parents))
        assert all(tree.depths[node] == tree.depths[tree.parents[node]] + 1 for node in range(1, len(tree)))
        assert all(token >= 0 for token in tree.tokens)
        again = other.propose(output[:written], limit)
        assert (tree.tokens, tree.parents) == (again.tokens, again.parents)


@given(st.lists(texts, max_size=4), texts.filter(len), st.integers(2, 40), st.integers(0, 1000))
@settings(deadline=None)
def test_a_replay_ends_and_no_step_writes_less_than_plain_decoding(drafts, output, budget, seed):
    codec = Characters()
    made = CursorProposer([codec.tokenize(d) for d in drafts], codec, scaffold=RandomScaffold(LETTERS, seed))
    assert steps(made, output, budget) <= len(output)


@pytest.mark.parametrize("budget", [16, 64, 128])
def test_boxes_moved_by_a_few_pixels_cost_fewer_steps_with_the_scaffold(budget):
    output = render_cells(moved(CELLS, (-4, -6, 3, 2)))
    assert steps(proposer(), output, budget) < 0.8 * steps(proposer(scaffold=False), output, budget)


def test_exact_boxes_are_soon_foretold_to_the_pixel():
    first, last = (render_cells(CELLS[:count]) for count in (6, 12))
    assert steps(proposer(), last) - steps(proposer(), first) < 2 * 6


def test_cells_in_another_order_and_category_are_found():
    cells = [CELLS[n] for n in (3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8)]
    output = render_cells([Cell(cell.bbox, "List-item", cell.text) for cell in moved(cells, (1, 2, 0, -1))])
    assert steps(proposer(), output) < 0.8 * steps(proposer(scaffold=False), output)


def test_a_scaffold_of_another_page_costs_little():
    """A negative control: what helps is what the scaffold says, not that there is one."""
    output = render_cells(moved(CELLS, (-4, -6, 3, 2)))
    drafts = [Characters().tokenize(render_cells(CELLS))]
    other = LayoutScaffold([Cell((9, 9, 20, 20), "Formula", "x"), Cell((30, 9, 40, 20), "Table", "y")])
    wrong = steps(CursorProposer(drafts, Characters(), scaffold=other), output)
    right = steps(proposer(), output)
    plain = steps(CursorProposer(drafts, Characters()), output)
    assert right < wrong <= 1.1 * plain


def test_a_fork_without_ways_lets_the_draft_go_on():
    class Silent(RandomScaffold):
        def here(self):
            return None

    made = CursorProposer([Characters().tokenize("ab01" * 20)], Characters(), scaffold=Silent("ab01"))
    assert steps(made, "ab01" * 20) < 8


def test_places_behind_markers_are_forks_and_anchors():
    codec = Characters()
    index = DraftIndex([codec.tokenize(render_cells(CELLS))])
    found = Scaffolding(LayoutScaffold(CELLS), index, Speller(codec), 0.01)
    assert len(found.forks) == len(CELLS)
    place = found.forks[1]
    assert codec.detokenize(index.tokens[place : place + 6]) == "102, 5"
    assert found.is_guessed(place) and not found.is_guessed(place + 60)
