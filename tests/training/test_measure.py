"""Reading made tables is measured by their neighbouring cells."""

from __future__ import annotations

from training.structure.measure import _places, adjacent
from training.structure.pages.table import Cell, Table
from training.structure.pages.text import plain


def cell(*tokens: int) -> frozenset[int]:
    return frozenset(tokens)


def test_a_head_over_two_columns_is_next_to_what_stands_below_it_in_both():
    head, left, right, low = cell(1, 2), cell(3), cell(4), cell(5)
    found = adjacent(_places([(head, 0, 0, 1, 2), (left, 1, 0, 1, 1), (right, 1, 1, 1, 1), (low, 3, 1, 1, 1)]))
    assert found == {(left, right, True), (head, left, False), (head, right, False), (right, low, False)}


def test_cells_without_words_are_passed_over():
    found = adjacent(_places([(cell(1), 0, 0, 1, 1), (cell(), 0, 1, 1, 1), (cell(2), 0, 2, 1, 1)]))
    assert found == {(cell(1), cell(2), True)}


def test_places_without_a_cell_are_empty():
    table = Table(2, ("value", "value"), 0, (Cell(0, 0, plain("12"), columns=2), Cell(1, 0, plain("7"))))
    assert table.covered()[1, 1] == Cell(1, 1, ())
    assert table.covered()[0, 1] == table.covered()[0, 0] == table.cells[0]
