"""Loops in answers that come as text are cut alike, however the text came in pieces; print is let pass."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.hierarchy.answers import TextGuard, guarded


def test_running_words_that_repeat_are_cut_after_their_first_turn() -> None:
    text, loop = guarded("The page begins. " + "and then the end " * 400)
    assert loop is not None and loop.dropped > 200
    assert text.startswith("The page begins. and then the end") and len(text) < 80


def test_print_is_no_loop() -> None:
    table = "<table>" + "<tr><td></td><td></td><td></td></tr>" * 60 + "</table>"
    leaders = "\n".join(f"Chapter {number} {'. ' * 40}{7 * number}" for number in range(1, 30))
    for text in (table, leaders, " ".join(f"{number * number:x}" for number in range(3000)), "", " \n \n "):
        assert guarded(text) == (text, None)


@settings(deadline=None, max_examples=60)
@given(
    st.text(alphabet="ab c.,\n1é漢", max_size=60),
    st.text(alphabet="xyz .\n", min_size=1, max_size=24),
    st.lists(st.integers(1, 40), min_size=1, max_size=12),
)
def test_pieces_change_nothing(head: str, turn: str, cuts: list[int]) -> None:
    text = head + turn * (2400 // len(turn))
    whole, loop = guarded(text)
    assert text.startswith(whole)
    guard, at, number = TextGuard(), 0, 0
    while at < len(text) and guard.loop is None:
        size = cuts[number % len(cuts)]
        guard.take(text[at : at + size])
        at, number = at + size, number + 1
    guard.take("", last=True)
    assert (guard.loop, guard.kept) == (loop, whole)
