"""Where a lost draft is taken up again: its own places counted by hand, none left to what a whole run makes of them."""

from __future__ import annotations

import pytest

from docspec.proposing import resumption
from docspec.proposing.context import Context, LeftPosition
from docspec.proposing.resumption import (
    REPLACE,
    REPLACE_LATER,
    SKIP_LITTLE,
    SKIP_MUCH,
    SKIP_SOME,
    STAY,
    STAY_LATER,
    TAIL,
    Resumption,
)
from tests.proposing.replays import row_of

DRAFT = [*range(100, 100 + 2 * resumption.REACH)]
BEGUN = 10
"""Tokens that were written as drafted before the draft was lost."""


def resumed(*written: int, draft: list[int] = DRAFT) -> list[tuple[int, object]]:
    """The offsets in the draft at which it goes on, and why, when ``written`` came instead of its eleventh token."""
    context = Context(row_of([], [draft]).request)
    context.output += [*draft[:BEGUN], *written]
    begin = context.drafts.starts[0]
    context.lost.append(LeftPosition(begin + BEGUN, BEGUN, BEGUN, (begin, 0)))
    return [(found.position - begin, found.key) for found in Resumption(context).suggest()]


def test_one_token_that_is_not_drafted_was_inserted_or_replaced_another() -> None:
    assert resumed(7) == [(BEGUN, STAY), (BEGUN + 1, REPLACE)]


@pytest.mark.parametrize(
    ("skipped", "key"), [(1, SKIP_LITTLE), (3, SKIP_LITTLE), (4, SKIP_SOME), (12, SKIP_SOME), (13, SKIP_MUCH)]
)
def test_a_token_drafted_further_on_may_mean_that_the_model_has_skipped_some(skipped: int, key: object) -> None:
    found = resumed(DRAFT[BEGUN + skipped])
    assert found[0] == (BEGUN + skipped + 1, key)
    assert found[1:] == [(BEGUN, STAY), (BEGUN + 1, REPLACE)]


def test_the_first_two_places_of_the_token_are_tried_and_none_beyond_reach() -> None:
    draft = DRAFT[:]
    draft[BEGUN + 2] = draft[BEGUN + 5] = draft[BEGUN + 8] = 7
    assert [at for at, _ in resumed(7, draft=draft)] == [BEGUN + 3, BEGUN + 6, BEGUN, BEGUN + 1]
    assert [at for at, _ in resumed(DRAFT[BEGUN + resumption.REACH])] == [BEGUN, BEGUN + 1]


def test_several_tokens_stand_for_as_many_drafted_ones_or_one_more_or_less() -> None:
    assert resumed(7, 8) == [
        (BEGUN, STAY_LATER),
        (BEGUN + 1, STAY_LATER),
        (BEGUN + 2, REPLACE_LATER),
        (BEGUN + 3, REPLACE_LATER),
    ]
    assert resumed(*range(TAIL)) == [
        (BEGUN + shift, STAY_LATER if shift < 2 else REPLACE_LATER) for shift in range(TAIL + 2)
    ]
    assert resumed(*range(TAIL + 1)) == []


def test_later_on_the_newest_token_alone_says_what_was_skipped() -> None:
    found = resumed(7, DRAFT[BEGUN])
    assert found[0] == (BEGUN + 1, SKIP_LITTLE), "the token may be the lost place itself"
    assert found[1:] == resumed(7, 8)
