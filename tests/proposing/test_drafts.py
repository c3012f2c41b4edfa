"""Drafts that grow are found like drafts that were there from the start."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from docspec.engine.request import GrowingDraft
from docspec.proposing.continuation import agreement
from docspec.proposing.drafts import END, DraftText
from docspec.proposing.registry import make_proposer
from tests.proposing.replays import row_of

tokens = st.lists(st.integers(0, 3), max_size=12)
pieces = st.lists(st.tuples(st.integers(0, 1), st.lists(st.integers(0, 3), max_size=6)), max_size=8)
ROOM = 10


def grown(drafts, parts):
    index = DraftText(drafts, [ROOM, ROOM])
    written: list[list[int]] = [[], []]
    for number, piece in parts:
        index.extend(number, piece)
        written[number] = (written[number] + piece)[:ROOM]
    return index, written


@given(st.lists(tokens, max_size=2), pieces, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_every_place_behind_the_last_tokens_is_found(drafts, parts, output):
    index, written = grown(drafts, parts)
    known = [*written, *dict.fromkeys(map(tuple, filter(None, drafts)))]
    found = ((2, index.behind_pair(*output[-2:])), (4, index.behind(output)))
    for size, positions in found:
        expected = [
            index.starts[number] + end
            for number, draft in enumerate(known)
            for end in range(size, len(draft) + 1)
            if list(draft[end - size : end]) == output[-size:]
        ]
        behind = [position for position in positions if agreement(index.tokens, position, output) >= size]
        assert behind == expected or (size == 4 and not expected)


@given(st.lists(tokens, max_size=2), pieces)
def test_each_place_knows_its_draft_and_where_that_ends(drafts, parts):
    index, written = grown(drafts, parts)
    for number, draft in enumerate(written):
        head = index.starts[number]
        assert index.tokens[head : head + len(draft) + 1] == [*draft, END]
        for position in range(head, head + len(draft) + 1):
            assert index.draft_of(position) == number
            assert index.end(position) == head + len(draft)


@given(st.integers(0, 1000))
def test_a_draft_that_is_ahead_is_copied_from(seed):
    rng = random.Random(seed)
    text = [rng.randrange(1000) for _ in range(80)]
    draft = GrowingDraft(100)
    proposer, row = make_proposer(), row_of(text[:1], growing=(draft,))
    proposer.begin(row)
    steps, written, sent = 0, row.output, 0
    while len(written) < len(text):
        draft.extend(text[sent : sent + 10])
        sent += 10
        [tree] = proposer.propose([row], [32])
        assert tree.tokens[0] == written[-1]
        node: int | None = 0
        while node is not None and len(written) < len(text):  # along the text as far as the tree goes, and a token more
            node = tree.find(node, text[len(written)])
            written.append(text[len(written)])
        steps += 1
    assert steps < 20
