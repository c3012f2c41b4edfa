"""Page ranges: what people write, and what a document makes of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import DocspecError, InputError, UsageError
from docspec.documents import PageSelection, parse_page_ranges

RANGE = st.tuples(st.integers(1, 40), st.integers(1, 40)).map(sorted)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", (1,)),
        ("1-3,7", (1, 2, 3, 7)),
        (" 2 , 4 - 5 ", (2, 4, 5)),
        ("8-", (8, 9, 10)),
        ("-2", (1, 2)),
        ("7,1-2,2", (1, 2, 7)),
        ("9-99999999999999999999", (9, 10)),
        ("10-11", (10,)),
        (None, tuple(range(1, 11))),
    ],
)
def test_ranges_select_pages_in_document_order(text: str | None, expected: tuple[int, ...]) -> None:
    assert parse_page_ranges(text).resolve(10) == expected


@pytest.mark.parametrize("text", ["", ",", "a", "1,,2", "-", "1-2-3", "1.5", "0", "0-3", "1-0", "5-2", "²", "٣"])
def test_nonsense_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="--pages"):
        parse_page_ranges(text)


@pytest.mark.parametrize("text", ["11", "11-12", "11-", "1,99999999999999999999"])
def test_pages_outside_the_document_name_its_page_count(text: str) -> None:
    with pytest.raises(InputError, match=r"a\.pdf: page \d+ does not exist, it has 10 pages"):
        parse_page_ranges(text).resolve(10, "a.pdf")


@given(st.lists(RANGE, min_size=1, max_size=5))
def test_written_ranges_select_exactly_their_pages(ranges: list[list[int]]) -> None:
    text = ",".join(f"{start}-{end}" for start, end in ranges)
    expected = sorted({page for start, end in ranges for page in range(start, end + 1)})
    assert list(parse_page_ranges(text).resolve(40)) == expected


@given(st.text(alphabet="0123456789-, x", max_size=12), st.integers(1, 20))
def test_any_text_selects_existing_pages_or_raises_our_own_error(text: str, count: int) -> None:
    try:
        pages = parse_page_ranges(text).resolve(count)
    except DocspecError as error:
        assert "\n" not in str(error)
    else:
        assert pages
        assert list(pages) == sorted(set(pages))
        assert 1 <= pages[0] <= pages[-1] <= count


def test_pages_chosen_by_number_are_those_and_no_others() -> None:
    assert PageSelection.of([7, 2, 3]).resolve(9) == (2, 3, 7)
