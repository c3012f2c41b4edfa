"""What the proposer takes is measured over rows that follow what a model wrote, as vLLM's batch would have them."""

from __future__ import annotations

import random

import pytest

from benchmarks.proposer import NUM_SPECULATIVE_TOKENS, Followed, measure


class Letters:
    def tokenize(self, text: str) -> list[int]:
        return [ord(char) for char in text]

    def detokenize(self, tokens: list[int]) -> str:
        return "".join(map(chr, tokens))


def written(seed: int, size: int) -> tuple[int, ...]:
    chosen = random.Random(seed)
    return tuple(chosen.randrange(32, 2000) for _ in range(size))


@pytest.mark.parametrize("rows", [1, 5])
def test_right_drafts_are_followed_to_the_end_and_the_next_request_begins(rows: int) -> None:
    pages = [Followed((written(seed, 400),), written(seed, 400)) for seed in range(3)]
    cost = measure(pages, Letters(), rows, 40)
    assert len(cost.seconds) == 40 and cost.begun >= rows
    assert NUM_SPECULATIVE_TOKENS / 2 < cost.tokens_per_step <= NUM_SPECULATIVE_TOKENS + 1
    assert cost.row_milliseconds > 0 and cost.slowest_milliseconds >= cost.row_milliseconds


def test_foreign_drafts_bring_a_token_a_step() -> None:
    cost = measure([Followed((written(9, 400),), written(1, 400))], Letters(), 2, 40)
    assert cost.tokens_per_step < 1.5 and cost.begun == 0
