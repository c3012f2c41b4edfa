"""Windowed alignment (equations 4 and 5), compared with a definition that is too slow to use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.engine.request import GrowingDraft
from docspec.proposing.window import WindowAligner

tokens = st.lists(st.integers(0, 2), max_size=15)


def naive(drafts, verified, n, length):
    window = tuple(verified[-n:])
    found = set()
    for draft in drafts:
        places = [0] if len(verified) < n else range(len(draft))
        for start in places:
            end = start + len(window)
            rest = tuple(draft[end : end + length])
            if tuple(draft[start:end]) == window and rest:
                found.add(rest)
    return found


@given(st.lists(tokens, max_size=3), st.lists(st.integers(0, 2), min_size=1, max_size=10), st.integers(1, 4))
def test_candidates_are_all_continuations_of_the_window(drafts, verified, n):
    found = WindowAligner(drafts, n).candidates(verified, 5)
    assert set(found) == naive(drafts, verified, n, 5)
    assert len(found) == len(set(found))


def test_a_place_further_on_comes_first():
    aligner = WindowAligner([[1, 2, 3, 7, 1, 2, 3, 8]], n=3)
    assert aligner.candidates([0, 1, 2, 3], 2) == [(8,), (7, 1)]


def test_short_output_matches_heads_only():
    aligner = WindowAligner([[4, 5, 6], [9, 4, 5, 6]], n=3)
    assert aligner.candidates([4], 5) == [(5, 6)]


def test_a_window_of_nothing_is_refused():
    with pytest.raises(ValueError, match="window"):
        WindowAligner([], n=0)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.lists(st.integers(0, 2), max_size=5)), max_size=8),
    st.lists(tokens, max_size=2),
    st.lists(st.integers(0, 2), min_size=1, max_size=10),
    st.integers(1, 4),
)
def test_drafts_that_grew_serve_like_drafts_that_were_there(pieces, drafts, verified, n):
    growing = [GrowingDraft(100), GrowingDraft(100)]
    aligner = WindowAligner(drafts, n, growing)
    for number, piece in pieces:
        growing[number].extend(piece)
        aligner.candidates(verified, 5)
    whole = WindowAligner([*(draft.tokens for draft in growing), *drafts], n)
    assert aligner.candidates(verified, 5) == whole.candidates(verified, 5)
