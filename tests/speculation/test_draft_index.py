"""Drafts that grow are found like drafts that were there from the start."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from docspec.speculation.cursor import CursorProposer
from docspec.speculation.draft_index import END, DraftIndex

tokens = st.lists(st.integers(0, 3), max_size=12)
pieces = st.lists(st.tuples(st.integers(0, 1), st.lists(st.integers(0, 3), max_size=6)), max_size=8)
ROOM = 10


def grown(drafts, parts):
    index = DraftIndex(drafts, [ROOM, ROOM])
    written: list[list[int]] = [[], []]
    for number, piece in parts:
        index.extend(number, piece)
        written[number] = (written[number] + piece)[:ROOM]
    return index, written


@given(st.lists(tokens, max_size=2), pieces, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_every_place_behind_the_last_tokens_is_found(drafts, parts, output):
    index, written = grown(drafts, parts)
    known = [*written, *dict.fromkeys(map(tuple, filter(None, drafts)))]
    for size, places in ((2, index.after_pair(output)), (4, index.after_quad(output))):
        expected = [
            index.heads[number] + end
            for number, draft in enumerate(known)
            for end in range(size, len(draft) + 1)
            if list(draft[end - size : end]) == output[-size:]
        ]
        assert [place for place in places if index.matched(place, output) >= size] == expected


@given(st.lists(tokens, max_size=2), pieces)
def test_each_place_knows_its_draft_and_where_that_ends(drafts, parts):
    index, written = grown(drafts, parts)
    for number, draft in enumerate(written):
        head = index.heads[number]
        assert index.tokens[head : head + len(draft) + 1] == [*draft, END]
        for place in range(head, head + len(draft) + 1):
            assert index.draft_of(place) == number
            assert index.end_of(place) == head + len(draft)


def test_a_draft_ends_where_another_goes_on_once_that_is_written():
    index = DraftIndex([[1, 2, 3, 4, 5]], [ROOM])
    end = index.end_of(index.heads[1])
    assert index.beyond(end) == 0
    index.extend(0, [1, 2, 3, 4, 5, 6])
    assert index.tokens[index.beyond(end)] == 6


@given(st.integers(0, 1000))
def test_a_draft_that_is_ahead_is_copied_from(seed):
    rng = random.Random(seed)
    text = [rng.randrange(1000) for _ in range(80)]
    proposer = CursorProposer([], growing=[100])
    steps, written, sent = 0, text[:1], 0
    while len(written) < len(text):
        proposer.extend(0, text[sent : sent + 10])
        sent += 10
        tree = proposer.propose(written, 32)
        assert tree.tokens[0] == written[-1]
        node = 0
        while len(written) < len(text):  # walk the tree along the text, then add one token
            node = next(
                (
                    n
                    for n in range(1, len(tree))
                    if tree.parents[n] == node and tree.tokens[n] == text[len(written)]
                ),
                0,
            )
            written.append(text[len(written)])
            if not node:
                break
        steps += 1
    assert steps < 20
