"""Chains under load: the fuller the batch, the dearer a speculated token and the shorter the chain, down to none."""

from __future__ import annotations

import random
from statistics import mean

import pytest

from docspec.proposing.chains import PATIENCE, Chains
from tests.proposing.replays import Characters

FIXED, TOKEN = 10.0, 0.5
"""Seconds of a step, and of each of its tokens: so much that what proposing really takes is nothing beside it."""

MOST = 31


def loaded() -> Chains:
    chains = Chains(Characters())
    for tokens in range(1, 200, 3):
        chains.cost.note(tokens, FIXED + TOKEN * tokens)
    return chains


def text(seed: int, size: int = 3000) -> list[int]:
    chosen = random.Random(seed)
    return [chosen.randrange(97, 123) for _ in range(size)]


def lengths(writing: int, wrong: float, steps: int = 60, chains: Chains | None = None) -> list[int]:
    """Lengths of what is proposed for one of ``writing`` requests, whose draft has that share of other tokens."""
    chains = chains or loaded()
    output, chosen = text(1), random.Random(2)
    draft = [token if chosen.random() >= wrong else 7 for token in output]
    row, found = chains.begin([draft], "text", len(output), output[:1]), []
    for _ in range(steps):
        [chain] = chains.propose([(row, MOST)], writing)
        found.append(len(chain))
        at = len(row.row.output)
        right = next((index for index, token in enumerate(chain) if token != output[at + index]), len(chain))
        chains.written(row, output[at : at + right + 1])
    chains.end(row)
    return found


def test_chains_shrink_as_the_batch_grows() -> None:
    found = [mean(lengths(writing, 0.1)[20:]) for writing in (1, 4, 256)]
    assert found == sorted(found, reverse=True) and found[0] > 1.5 * found[-1] > 0


def test_drafts_that_are_right_stay_long_at_any_load() -> None:
    assert min(mean(lengths(writing, 0.0)[20:]) for writing in (1, 256)) > 0.9 * MOST


@pytest.mark.parametrize("writing", [64, 256])
def test_in_a_full_batch_nothing_is_proposed_where_drafts_are_wrong(writing: int) -> None:
    assert mean(lengths(1, 0.9)) > 1, "alone a token costs nearly nothing"
    found = lengths(writing, 0.9)[20:]
    assert found.count(0) > 0.75 * len(found)


def test_a_row_for_which_proposing_takes_longer_than_it_saves_is_left_alone_for_a_while() -> None:
    chains = loaded()
    chains.row_seconds = 100.0
    found = lengths(1, 0.0, PATIENCE + 2, chains)
    assert found[1 : PATIENCE + 1] == [0] * PATIENCE and min(found[0], found[-1]) > MOST / 2
