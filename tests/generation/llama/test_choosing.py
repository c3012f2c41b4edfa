"""Tokens that a chat's wishes choose: along a drafted chain they are those that are chosen one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from docspec.generation.interface import Conversation
from docspec.generation.llama.choosing import Chooser
from docspec.generation.llama.library import Library

NO_LIBRARY: Any = Library(None, None, "")
VOCAB = 12


def chooser(prompt: tuple[int, ...] = (), **wishes: Any) -> Chooser:
    return Chooser(NO_LIBRARY, None, Conversation((), **wishes), prompt)


def one_by_one(made: Chooser, logits: np.ndarray) -> list[int]:
    written: list[int] = []
    for row in logits:
        written += made.choose(row[None].copy(), written, [])
    return written


@pytest.mark.parametrize(
    "wishes",
    [{"presence_penalty": 1.5, "frequency_penalty": 0.3}, {"repeat_penalty": 4.0}, {"no_repeat": 2},
     {"repeat_penalty": 1.2, "presence_penalty": -0.4, "no_repeat": 1, "last": -1},
     {"presence_penalty": 2.0, "last": 2}],
)  # fmt: skip
def test_a_right_chain_is_chosen_whole_and_a_wrong_one_up_to_its_first_other_token(wishes: dict[str, Any]) -> None:
    logits = np.random.default_rng(3).normal(size=(9, 4)).astype(np.float32) / 2
    made, before = chooser((1, 1, 3), **wishes), logits.copy()
    wanted = one_by_one(made, logits)
    assert wanted != logits.argmax(1).tolist(), "the wishes change something"
    assert made.choose(logits, [], wanted[:-1]) == wanted
    wrong = [*wanted[:4], (wanted[4] + 1) % 4, *wanted[5:-1]]
    assert made.choose(logits, [], wrong) == [*wanted[:5], -1, -1, -1, -1]
    assert np.array_equal(logits, before), "the logits are told to others, too"


def test_penalties_are_those_of_llama_cpp() -> None:
    """``llama_sampler_penalties_apply``: divided or multiplied, then less count times frequency, and presence once;
    over the last tokens of prompt and answer together."""
    row = np.array([3.0, 2.0, -1.0, 1.2], np.float32)
    wishes: dict[str, Any] = {"repeat_penalty": 2.0, "frequency_penalty": 0.1, "presence_penalty": 0.2, "last": 3}
    # token 0 twice: 3 / 2 - 2 * 0.1 - 0.2 = 1.1; token 1 is beyond the last three
    assert chooser((1, 0), **wishes).choose(row[None].copy(), [2, 0], []) == [1]
    assert chooser((1,), **wishes).choose(row[None].copy(), [0, 0], []) == [3], "and here 1 counts, too: 0.7"


def test_an_n_gram_is_not_written_again() -> None:
    row = np.arange(VOCAB, dtype=np.float32)
    assert chooser(no_repeat=3).choose(row[None].copy(), [5, 6, 11, 5, 6], []) == [10]
    assert chooser(no_repeat=3).choose(row[None].copy(), [5, 6, 11, 4, 6], []) == [11]
    assert chooser(no_repeat=1).choose(row[None].copy(), [11, 10], []) == [9]
