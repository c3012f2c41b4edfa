"""Tables in OTSL: spelled, read back, and never lost where a model writes them badly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import Category
from docspec.dialects.otsl import is_otsl, otsl_as_html, parse_otsl, to_otsl
from docspec.dialects.spelling import spellings
from docspec.dialects.tables import Table, TableCell, parse_html_table, to_html

SPANNED = (
    "<table><tr><th rowspan=2>Name</th><th colspan=2>Sizes</th></tr><tr><th>a</th><th>b</th></tr>"
    "<tr><td>one</td><td></td><td>2 &lt; 3</td></tr></table>"
)


def html(text: str) -> Table:
    table = parse_html_table(text)
    assert table is not None
    return table


def test_spans_and_empty_cells_are_marks():
    assert to_otsl(html(SPANNED)) == (
        "<fcel>Name<fcel>Sizes<lcel><nl><ucel><fcel>a<fcel>b<nl><fcel>one<ecel><fcel>2 < 3<nl>"
    )
    assert to_otsl(html(SPANNED), heads=True).startswith("<ched>Name<ched>Sizes<lcel><nl><ucel><ched>a")


def test_what_is_spelled_is_read_back():
    assert parse_otsl(to_otsl(html(SPANNED), heads=True)) == html(SPANNED)


def test_a_block_of_cells_is_one_cell():
    table = parse_otsl("<fcel>big<lcel><fcel>x<nl><ucel><xcel><fcel>y<nl>")
    assert table is not None
    assert table.rows[0][0] == TableCell("big", colspan=2, rowspan=2)
    assert [cell.text for cell in table.rows[1]] == ["y"]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("<fcel>a<fcel>b<nl><fcel>c", [["a", "b"], ["c"]]),
        ("<otsl><loc_1><loc_2><loc_3><loc_4><ched>a<nl><fcel>1<nl></otsl>", [["a"], ["1"]]),
        ("<lcel><fcel>a<nl>", [["", "a"]]),
        ("<otsl><caption><loc_3>Table 1</caption><fcel>a<nl>", [["a"]]),
        ("no table", None),
        ("<nl><nl>", None),
    ],
)
def test_broken_tables_are_read_as_far_as_they_go(text, cells):
    table = parse_otsl(text)
    assert (None if table is None else [[cell.text for cell in row] for row in table.rows]) == cells


def test_answers_become_html_and_html_stays():
    assert otsl_as_html("<fcel>a<ecel><nl>") == "<table><tr><td>a</td><td></td></tr></table>"
    assert otsl_as_html("<ched>a<nl><fcel>1<nl>") == to_html(html("<tr><th>a</th></tr><tr><td>1</td></tr>"))
    for text in ("<table><tr><td>&lt;nl&gt; <nl></td></tr></table>", "words", ""):
        assert otsl_as_html(text) == text and not is_otsl(text)


def test_tables_are_drafted_in_otsl_with_and_without_heads():
    drafts = spellings(Category.TABLE, SPANNED, table_style="otsl")
    assert drafts == [to_otsl(html(SPANNED)), to_otsl(html(SPANNED), heads=True)]


CELLS = st.builds(
    TableCell,
    st.text(st.characters(codec="ascii", exclude_characters="<>", categories=("L", "N", "P")), max_size=4),
    st.booleans(),
)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n).map(tuple), min_size=1)))
def test_any_table_without_spans_is_read_back(rows):
    assert parse_otsl(to_otsl(Table(tuple(rows)))).grid() == Table(tuple(rows)).grid()


@given(st.lists(st.sampled_from([*"ab <>/", "<fcel>", "<lcel>", "<ucel>", "<xcel>", "<nl>", "<ecel>"]), max_size=30))
def test_nothing_raises(marks):
    otsl_as_html("".join(marks))
