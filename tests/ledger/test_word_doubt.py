"""A word with a sign that the file does not tell puts itself in doubt, and not its page."""

from __future__ import annotations

import pytest

from docspec.core import BBox
from docspec.core.account import PageAccount, WordRun

BOX = BBox(0, 0, 9, 9)


def account(written: int, *missing: str) -> PageAccount:
    return PageAccount(
        "text layer", written, tuple(WordRun(text, BOX, "missing", len(text.split())) for text in missing)
    )


@pytest.mark.parametrize("missing", [("a\ufffdb",), ("\ufffd3",), ("3\ufffd4 5\ufffd6",)])
def test_few_words_that_lack_a_sign_are_in_doubt_alone(missing: tuple[str, ...]) -> None:
    one = account(300, *missing)
    assert one.doubt is None
    assert one.word_doubt is not None and missing[0] in one.word_doubt


@pytest.mark.parametrize("missing", [("winch",), ("a\ufffdb", "winch"), ("a\ufffdb " * 9,)])
def test_other_words_and_many_of_them_put_the_page_in_doubt(missing: tuple[str, ...]) -> None:
    one = account(300, *missing)
    assert one.doubt is not None and one.word_doubt is None


def test_nothing_missing_is_no_doubt() -> None:
    assert (account(300).doubt, account(300).word_doubt) == (None, None)
