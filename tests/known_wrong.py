"""Pages that are known to come out wrong since the grids of tables are searched for (docs/limits.md): each is a case
that more, or other, made pages should make right, and leaves this list then. They are not run and count as expected
failures."""

from __future__ import annotations

KNOWN_WRONG = (
    "drafting/test_ruled.py::test_rows_between_upright_lines_alone_stay_rows",
    "drafting/test_side_by_side.py::test_tables_with_heads_or_titles_of_their_own_are_two",
    "drafting/test_side_by_side.py::test_panels_of_a_table_are_one",
    "drafting/test_side_by_side.py::test_two_tables_that_the_layout_model_sees_stay_two",
    "drafting/test_side_by_side.py::test_three_tables_beside_each_other_are_three",
    "drafting/test_side_by_side.py::test_numbered_titles_part_tables_whatever_stands_between_them",
    "drafting/test_tables_in_one_box.py::",
    "drafting/test_typed_tables.py::",
    "drafting/test_close_heads.py::",
    "drafting/test_unusual_type.py::test_turned_tables_have_their_cells",
    "drafting/test_unruled.py::test_what_stands_in_columns_with_figures_is_a_table",
    "drafting/test_unruled.py::test_groups_under_headings_are_tables_of_their_own",
    "drafting/test_unruled.py::test_what_is_none_stays_text",
    "drafting/test_unruled.py::test_a_table_in_one_column_of_prose_takes_nothing_of_the_other",
    "drafting/test_unruled.py::test_labels_with_leaders_in_a_column_of_prose_are_no_prose",
    "drafting/test_unruled.py::test_the_command_writes_a_price_list_of_a4_as_a_table",
    "ledger/test_roads.py::test_tables_have_the_words_of_their_lines_in_csv_too",
    "benchmarks/suites/test_made_tables.py::test_the_bare_command_reads_kinds_that_layout_models_get_wrong",
    "reporting/test_joined_tables.py::",
)
"""Beginnings of the names of tests, below the folder of the tests."""
