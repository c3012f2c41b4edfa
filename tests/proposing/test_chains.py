"""Chains under load: the fuller the batch, the dearer a speculated token and the shorter the chain, down to none."""

from __future__ import annotations

import random
from statistics import mean

import pytest

from docspec.proposing.chains import HOPE, PATIENCE, Chains
from tests.proposing.replays import Characters

FIXED, TOKEN = 10.0, 0.5
"""Seconds of a step, and of each of its tokens: so much that what proposing really takes is nothing beside it."""

MOST = 31


def loaded() -> Chains:
    chains = Chains(Characters())
    for step in range(60):
        rows, speculated = 1 + step % 7, 3 * step
        chains.cost.note(rows, speculated, FIXED + TOKEN * (rows + speculated))
    return chains


def text(seed: int, size: int = 3000) -> list[int]:
    chosen = random.Random(seed)
    return [chosen.randrange(97, 123) for _ in range(size)]


def lengths(writing: int, wrong: float, steps: int = 60, chains: Chains | None = None) -> list[int]:
    """Lengths of what is proposed for one of ``writing`` requests, whose draft has that share of other tokens."""
    return followed(writing, wrong, steps, chains)[0]


def followed(writing: int, wrong: float, steps: int, chains: Chains | None = None) -> tuple[list[int], list[int]]:
    """The same, and how many tokens each step wrote."""
    chains = chains or loaded()
    output, chosen = text(1, 6000), random.Random(2)
    draft = [token if chosen.random() >= wrong else 7 for token in output]
    row, found, written = chains.begin([draft], "text", len(output), output[:1]), [], []
    for _ in range(steps):
        [chain] = chains.propose([(row, MOST)], writing)
        found.append(len(chain))
        at = len(row.row.output)
        right = next((index for index, token in enumerate(chain) if token != output[at + index]), len(chain))
        chains.written(row, output[at : at + right + 1])
        written.append(right + 1)
    chains.end(row)
    return found, written


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


@pytest.mark.parametrize("writing", [1, 16, 64, 256])
@pytest.mark.parametrize("wrong", [0.0, 0.03, 0.1, 0.3, 0.9])
def test_drafts_never_cost_more_than_they_bring_for_long(writing: int, wrong: float) -> None:
    """Once it is known how right drafts are: what is written, by what the row's share of steps takes."""
    found, written = followed(writing, wrong, 260)
    share = FIXED / writing + TOKEN
    assert sum(written[60:]) * share > 0.94 * sum(share + TOKEN * size for size in found[60:])


def test_a_row_for_which_proposing_takes_longer_than_it_saves_is_left_alone_for_a_while() -> None:
    chains = loaded()
    chains.row_seconds = 100.0
    found = lengths(1, 0.0, PATIENCE + 2, chains)
    assert found[1 : PATIENCE + 1] == [0] * PATIENCE and min(found[0], found[-1]) > MOST / 2


def test_requests_of_a_kind_that_accepts_nothing_are_left_alone_from_their_first_step_on() -> None:
    """Those with drafts are another kind: what was learnt of one without does not hold for them."""
    chains, taken = loaded(), list[int]()
    for seed in range(40):
        chains.row_seconds = 0.2 * chains.cost.row_seconds(1)
        output = text(seed, 30)
        row, tried = chains.begin([], "text", 100, output[:1]), 0
        for token in output[1:]:
            tried += not row.alone
            chains.propose([(row, MOST)], 1)
            chains.row_seconds = 0.2 * chains.cost.row_seconds(1)  # what proposing takes, as here
            chains.written(row, [token])
        taken.append(tried)
        chains.end(row)
    assert taken[0] > 12 and max(taken[30:]) <= 2 + 30 // PATIENCE
    assert chains.begin([[1, 2, 3]], "text", 100, [1]).accepted == HOPE


def test_what_is_promised_comes_true_where_answers_are_their_drafts_from_beginning_to_end() -> None:
    """Runs that begin at a draft's opening are learnt from, and a draft's end is no wrong token."""
    chains = loaded()
    for seed in range(150):
        output = [*text(seed, 40), 0]
        row = chains.begin([output[:-1]], "text", 100, output[:1])
        while len(row.row.output) < len(output):
            [chain] = chains.propose([(row, MOST)], 16)
            at = len(row.row.output)
            right = next((index for index, token in enumerate(chain) if token != output[at + index]), len(chain))
            chains.written(row, output[at : at + right + 1])
        chains.end(row)
    assert 0.9 < chains._mixture._learnt["text"].promises.promised < 1.1
