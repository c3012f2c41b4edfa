"""TEDS against values worked out by hand: a 2 x 2 table has 6 nodes below its root (2 rows, 4 cells)."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.teds import teds
from docspec.core import UsageError
from docspec.dialects.tables import Table, TableCell, to_html, to_pipe

TRUTH = "<table><tr><td>ab</td><td>cd</td></tr><tr><td>ef</td><td>gh</td></tr></table>"


def changed(before: str, after: str) -> str:
    assert before in TRUTH
    return TRUTH.replace(before, after)


@pytest.mark.parametrize(
    ("output", "similarity", "structure"),
    [
        (TRUTH, 1, 1),
        (changed("gh", "gx"), 1 - 0.5 / 6, 1),  # one cell half wrong
        (changed("gh", "xy"), 1 - 1 / 6, 1),  # one cell wrong
        (changed("gh", ""), 1 - 1 / 6, 1),  # one cell empty
        (changed("<tr><td>ef</td><td>gh</td></tr>", ""), 1 - 3 / 6, 1 - 3 / 6),  # a row and its cells missing
        (changed("<td>gh</td>", ""), 1 - 1 / 6, 1 - 1 / 6),  # a cell missing
        (changed("</table>", "<tr><td>x</td></tr></table>"), 1 - 2 / 8, 1 - 2 / 8),  # a row too many: 8 nodes
        (changed("<td>ab</td>", '<td colspan="2">ab</td>'), 1 - 1 / 6, 1 - 1 / 6),  # another span
        ("", 0, 0),
        ("no table at all", 0, 0),
    ],
)
def test_values_worked_out_by_hand(output, similarity, structure):
    assert teds(output, TRUTH) == pytest.approx(similarity)
    assert teds(output, TRUTH, structure_only=True) == pytest.approx(structure)


def test_heads_sections_outer_white_space_width_and_the_spelling_do_not_count():
    spelled = (
        "<table><thead><tr><th>a\nb</th><th>cd</th></tr></thead>\n"
        "<tbody><tr><td> ｅｆ </td><td>gh</td></tr></tbody></table>"
    )
    assert teds(spelled, TRUTH) == 1
    assert teds("| ab | cd |\n| --- | --- |\n| ef | gh |", TRUTH) == 1


def test_a_space_within_a_cell_counts_once_as_the_publishers_scorer_has_it():
    """0.9444444444444444 is what OmniDocBench's own TEDS prints for this pair (December 2025)."""
    assert teds(changed("<td>ab<", "<td>a  b<"), TRUTH) == pytest.approx(1 - (1 / 3) / 6)


cells = st.builds(TableCell, st.text("abc", max_size=3))
tables = st.lists(st.lists(cells, min_size=1, max_size=3), min_size=1, max_size=3).map(
    lambda rows: Table(tuple(map(tuple, rows)))
)


@settings(max_examples=40, deadline=None)
@given(tables, tables)
def test_it_is_symmetric_bounded_and_one_only_for_the_same_table(one, other):
    similarity = teds(to_html(one), to_html(other))
    assert similarity == pytest.approx(teds(to_html(other), to_html(one)))
    assert -1 <= similarity <= 1  # by its definition below 0 where more is replaced than the larger table holds
    assert (similarity == 1) == (texts(one) == texts(other))
    assert teds(to_html(one), to_html(other), structure_only=True) >= similarity - 1e-9


def texts(table):
    return [[cell.text for cell in row] for row in table.rows]


def test_without_apted_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "apted", None)
    with pytest.raises(UsageError, match=r"^.*needs apted.*docspec-vlm\[bench\]'$"):
        teds(TRUTH, TRUTH)


def test_a_pipe_table_with_equal_cells_is_the_html_table():
    table = Table(((TableCell("x"), TableCell("y")), (TableCell("1 < 2"), TableCell("|"))))
    assert teds(to_pipe(table), to_html(table)) == 1
