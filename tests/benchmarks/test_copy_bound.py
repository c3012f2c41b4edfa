"""The copy bound, compared with a definition that is too slow to use."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.transcripts import as_text, copy_bound, longest_piece, replay
from docspec.proposing.window import WindowProposer

tokens = st.lists(st.integers(0, 2), max_size=12)
outputs = st.lists(st.integers(0, 2), min_size=1, max_size=14)


def fewest_steps(drafts, output, budget):
    """Dynamic programming over all ways to copy."""
    pieces = {tuple(d[i:j]) for d in drafts for i in range(len(d)) for j in range(i, len(d) + 1)} | {()}
    best = [0] * (len(output) + budget + 1)
    for at in range(len(output) - 1, 0, -1):
        copies = [n for n in range(budget) if tuple(output[at : at + n]) in pieces and at + n <= len(output)]
        best[at] = 1 + min(best[at + n + 1] for n in copies)
    return best[1]


@given(st.lists(tokens, max_size=3), outputs, st.integers(1, 6))
def test_taking_the_longest_piece_is_optimal(drafts, output, budget):
    assert copy_bound(drafts, output, budget) == fewest_steps(drafts, output, budget)


@given(st.lists(tokens, max_size=3), outputs)
def test_the_longest_piece_is_found_in_any_draft(drafts, output):
    text = "/".join(map(as_text, drafts))
    for start in range(len(output)):
        expected = max(
            n
            for n in range(len(output) - start + 1)
            if n == 0 or any(d[i : i + n] == output[start : start + n] for d in drafts for i in range(len(d)))
        )
        assert longest_piece(text, as_text(output), start, 99) == expected


@given(st.lists(tokens, max_size=3), outputs)
def test_the_paper_s_window_never_beats_the_bound(drafts, output):
    output = [*output, 9]
    assert replay(WindowProposer(), output, 8, drafts)[0] >= copy_bound(drafts, output, 8)
