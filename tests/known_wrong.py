"""Pages that are known to come out wrong since the grids of tables are searched for and the order of reading is learned
(docs/limits.md): each is a case that more, or other, made pages should make right. They count as expected failures; one
that has come right is told as passed unexpectedly (`pytest -rX`), and leaves this list."""

from __future__ import annotations

KNOWN_WRONG = (
    "drafting/test_numbered.py::test_numbers_that_tell_no_order_of_rows_change_nothing",
    "drafting/test_order.py::test_a_head_over_some_columns_bounds_its_story",
    "drafting/test_order.py::test_two_addresses_are_read_before_what_stands_below_one_of_them",
    "hierarchy/regions/test_order_of_pages.py::test_pages_are_read_in_their_order[figures]",
    "drafting/test_side_by_side.py::test_numbered_titles_part_tables_whatever_stands_between_them[titles0-2]",
    "drafting/test_side_by_side.py::test_panels_of_a_table_are_one[edges0-heads0-titles0]",
    "drafting/test_side_by_side.py::test_panels_of_a_table_are_one[edges1-heads1-titles1]",
    "drafting/test_side_by_side.py::test_panels_of_a_table_are_one[edges3-heads3-titles3]",
    "drafting/test_side_by_side.py::test_tables_with_heads_or_titles_of_their_own_are_two[heads0-titles0]",
    "drafting/test_side_by_side.py::test_tables_with_heads_or_titles_of_their_own_are_two[heads1-titles1]",
    "drafting/test_side_by_side.py::test_tables_with_heads_or_titles_of_their_own_are_two[heads2-titles2]",
    "drafting/test_side_by_side.py::test_three_tables_beside_each_other_are_three[titles0]",
    "drafting/test_side_by_side.py::test_three_tables_beside_each_other_are_three[titles1]",
    "drafting/test_side_by_side.py::test_two_tables_that_the_layout_model_sees_stay_two",
    "drafting/test_tables_in_one_box.py::test_tables_right_below_each_other_keep_their_heads_and_all_their_figures",
    "drafting/test_typed_tables.py::test_leaders_are_no_words_and_no_reason_to_recognise_the_page[.]",
    "drafting/test_typed_tables.py::test_leaders_are_no_words_and_no_reason_to_recognise_the_page[\\u2026]",
    "drafting/test_typed_tables.py::test_lines_of_dashes_join_no_cells[years]",
    "drafting/test_unruled.py::test_groups_under_headings_are_tables_of_their_own",
    "drafting/test_unruled.py::test_what_is_none_stays_text[inequalities]",
    "drafting/test_unruled.py::test_what_is_none_stays_text[years_of_a_life]",
    "drafting/test_unruled.py::test_what_stands_in_columns_with_figures_is_a_table[rows3-edges3-expected3]",
    "reporting/test_joined_tables.py::test_three_pages_without_rules_are_one_table_in_every_format",
    "benchmarks/suites/test_made_tables.py::test_the_bare_command_reads_kinds_that_layout_models_get_wrong",
)
"""Beginnings of the names of tests, below the folder of the tests."""
