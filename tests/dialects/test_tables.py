from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.dialects.tables import Table, TableCell, cell_text, parse_html_table, parse_pipe_table, to_html, to_pipe

texts = st.text(st.sampled_from("ab |\\-:\n&*.1é"), max_size=10).map(cell_text)
grids = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(texts, min_size=width, max_size=width), min_size=1, max_size=5)
)


def table_of(rows: list[list[str]]) -> Table:
    return Table(tuple(tuple(TableCell(text, header=y == 0) for text in row) for y, row in enumerate(rows)))


@settings(deadline=None)
@given(grids)
def test_rows_survive_a_pipe_table_with_pipes_and_line_breaks_in_cells(rows: list[list[str]]) -> None:
    table = table_of(rows)
    if any(rows[0]) or len(rows) == 1:
        assert parse_pipe_table(to_pipe(table)) == table
    bare = Table(tuple(tuple(replace(cell, header=False) for cell in row) for row in table.rows))
    assert parse_pipe_table(to_pipe(bare, headless=True)) == bare


cells = st.builds(
    TableCell,
    st.text(max_size=12).map(cell_text).filter(lambda text: "\r" not in text and "\x00" not in text),
    st.just(False),
    st.integers(1, 3),
    st.integers(1, 3),
)


@settings(deadline=None)
@given(st.lists(st.lists(cells, min_size=1, max_size=4), min_size=1, max_size=4))
def test_rows_survive_html_with_spans_and_any_text(rows: list[list[TableCell]]) -> None:
    table = Table(tuple(map(tuple, rows)))
    assert parse_html_table(to_html(table, head="none")) == table


markup = st.lists(
    st.sampled_from(["<table>", "<tr>", "<td", ">", "</", "<![", "<!--", "&amp", "x", '"', "rowspan=", "<script>"])
).map("".join)


@settings(deadline=None)
@given(markup)
def test_no_markup_makes_the_reader_fail(text: str) -> None:
    table = parse_html_table(text)
    if table is not None:
        assert to_html(table).startswith("<table>")
        assert len({len(row) for row in table.grid()}) == 1


@settings(deadline=None)
@given(st.text())
def test_any_text_can_be_asked_for_a_pipe_table(text: str) -> None:
    table = parse_pipe_table(text)
    assert table is None or "|" in text


def test_html_is_written_in_the_form_of_dots_ocr() -> None:
    table = parse_html_table(
        "<table>\n <tr><td>Year</td> <td>R&amp;D</td></tr><tr><td>2020</td><td>4<br>5</td></tr></table>"
    )
    assert table is not None
    assert to_html(table) == (
        "<table><thead><tr><th>Year</th><th>R&amp;D</th></tr></thead>"
        "<tbody><tr><td>2020</td><td>4<br>5</td></tr></tbody></table>"
    )
    assert to_html(table, head="none").startswith("<table><tr><td>Year</td>")


def test_indented_html_is_the_same_table_with_a_tag_a_line() -> None:
    table = parse_html_table("<table><tr><th>a</th></tr><tr><td>1</td></tr></table>")
    assert table is not None
    assert to_html(table, indented=True) == (
        "<table>\n  <thead>\n    <tr>\n      <th>a</th>\n    </tr>\n  </thead>\n"
        "  <tbody>\n    <tr>\n      <td>1</td>\n    </tr>\n  </tbody>\n</table>"
    )
    assert parse_html_table(to_html(table, indented=True)) == table


def test_marked_header_rows_decide_what_stands_in_the_head() -> None:
    table = parse_html_table("<table><tr><th>a</th></tr><tr><th>b</th></tr><tr><td>c</td></tr></table>")
    assert table is not None
    assert table.head_rows == 2
    assert "<tr><th>b</th></tr></thead><tbody><tr><td>c</td></tr>" in to_html(table)


def test_a_cut_off_table_keeps_what_is_there() -> None:
    table = parse_html_table("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>hal")
    assert table is not None
    assert [[cell.text for cell in row] for row in table.rows] == [["a", "b"], ["c", "hal"]]


def test_missing_end_tags_and_nested_tables_are_accepted() -> None:
    table = parse_html_table("<tr><td>a<td>b<tr><td>c<td><table><tr><td>in</td><td>ner</td></tr></table>")
    assert table is not None
    assert table.grid() == [["a", "b"], ["c", "in ner"]]


def test_only_the_first_table_is_read() -> None:
    table = parse_html_table("<table><tr><td>1</td></tr></table><table><tr><td>2</td></tr></table>")
    assert table is not None
    assert table.grid() == [["1"]]


def test_spans_open_into_empty_cells() -> None:
    table = parse_html_table(
        '<table><tr><td rowspan="2">a</td><td colspan="2">b</td></tr><tr><td>c</td><td>d</td></tr></table>'
    )
    assert table is not None
    assert table.grid() == [["a", "b", ""], ["", "c", "d"]]
    assert to_pipe(table) == "| a | b |  |\n| --- | --- | --- |\n|  | c | d |"


def test_a_tight_pipe_table_has_no_spaces_in_its_delimiter_row() -> None:
    assert to_pipe(table_of([["a", "b"], ["1", "2"]]), tight=True) == "| a | b |\n|---|---|\n| 1 | 2 |"


def test_absurd_spans_do_not_build_absurd_grids() -> None:
    table = parse_html_table('<table><tr><td colspan="999999" rowspan="-4">a</td><td colspan="x">b</td></tr></table>')
    assert table is not None
    assert len(table.grid()[0]) <= 101


def test_dashes_in_the_first_row_are_text_when_a_delimiter_follows() -> None:
    table = parse_pipe_table("| - |\n| --- |\n| x |")
    assert table is not None
    assert table.grid() == [["-"], ["x"]]


def test_text_without_rows_is_no_table() -> None:
    assert parse_html_table("no table here") is None
    assert parse_html_table("<table></table>") is None


def test_words_in_angle_brackets_are_no_tags_between_pipes() -> None:
    table = Table(((TableCell("<EOS>"), TableCell("a < b")), (TableCell("x<sup>2</sup>"), TableCell("<pad>"))))
    pipes = to_pipe(table)
    assert pipes.split("\n")[0] == "| \\<EOS> | a < b |"
    assert pipes.split("\n")[2] == "| x<sup>2</sup> | \\<pad> |"
    again = parse_pipe_table(pipes)
    assert again is not None and [cell.text for row in again.rows for cell in row] == [
        "<EOS>", "a < b", "x<sup>2</sup>", "<pad>",
    ]  # fmt: skip
