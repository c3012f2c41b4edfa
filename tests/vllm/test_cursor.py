"""The cursor in tensors (vLLM's Model Runner V2) decides as the proposers of V1's class: the same drafts and the same
written tokens give the same proposals, at a fixed length."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docspec.proposing import chains
from docspec.proposing.rates import HitRates
from docspec.vllm.cursor import END, MATCHED, NO_TOKEN, advance, begin, proposals, text_of

LENGTH = 12
"""Tokens proposed each step."""

NOTHING = 10**6
"""No token: fills proposals."""

PLACES = 512


class Letters:
    """A tokenizer whose tokens are never the beginning of a line."""

    def tokenize(self, text: str) -> list[int]:
        return [ord(char) for char in text]

    def detokenize(self, tokens: Sequence[int]) -> str:
        return "x" * len(tokens)


class Device:
    """Rows with the cursor in tensors, as the speculator keeps them."""

    def __init__(self, drafts: Sequence[Sequence[Sequence[int]]]) -> None:
        texts = [text_of(of_row, PLACES) for of_row in drafts]
        self.texts = torch.tensor([text + [END] * (PLACES - len(text)) for text in texts], dtype=torch.int32)
        self.cursors = begin(len(drafts), "cpu")
        self.outputs: list[list[int]] = [[] for _ in drafts]

    def write(self, new: Sequence[Sequence[int]]) -> list[list[int]]:
        """The proposals after ``new`` tokens of each row, without what is not copied from a draft."""
        width = max(LENGTH + 1, MATCHED)
        for output, tokens in zip(self.outputs, new, strict=True):
            output += tokens
        tail = torch.tensor([([NO_TOKEN] * width + output)[-width:] for output in self.outputs])
        self.cursors = advance(self.texts, self.cursors, tail, torch.tensor([len(tokens) for tokens in new]))
        tokens = proposals(self.texts, self.cursors.aim, LENGTH, torch.full((len(new),), NOTHING))
        return [[token for token in row if token != NOTHING] for row in tokens.tolist()]


def accepted(proposed: Sequence[int], rest: Sequence[int]) -> list[int]:
    """What a verification of ``proposed`` writes of ``rest``."""
    right = 0
    while right < min(len(proposed), len(rest) - 1) and proposed[right] == rest[right]:
        right += 1
    return list(rest[: right + 1])


def edited(draft: list[int], chosen: random.Random, edits: int) -> list[int]:
    """``draft`` as a model writes it: in ``edits`` places a token is replaced, added or left out, or several are left
    out. Between them are at least 16 tokens, after which V1's class has forgotten the last one too."""
    written: list[int] = []
    stretch = len(draft) // (edits + 1)
    for number in range(edits + 1):
        part = draft[number * stretch : (number + 1) * stretch if number < edits else None]
        if number:
            kind = chosen.choice(("replaced", "added", "left out", "skipped"))
            if kind == "replaced":
                part = [1000 + number, *part[1:]]
            elif kind == "added":
                part = [1000 + number, *part]
            else:
                part = part[1 if kind == "left out" else chosen.randrange(2, 6) :]
        written += part
    return written


def first_class() -> chains.Chains:
    """V1's class with the proposers that the cursor knows. Steps are dear and proposals cheap: always worth it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chains, "PROPOSERS", ("ngrams", "resumption", "openings"))
        first = chains.Chains(Letters())
    for _ in range(16):
        first.cost.note(1, 0, 1.0)
    return first


@pytest.fixture
def nothing_is_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HitRates, "count", lambda self, key, hit: None)


@pytest.mark.usefixtures("nothing_is_learnt")
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 1 << 30), st.integers(0, 4))
def test_the_same_drafts_and_tokens_give_the_proposals_of_the_first_runners_class(seed: int, edits: int) -> None:
    """V1's class with the proposers that the cursor knows and without learning hit rates."""
    chosen = random.Random(seed)
    draft = chosen.sample(range(100, 900), 24 * (edits + 1))
    rest = edited(draft, chosen, edits)
    first = first_class()
    device = Device([[draft]])
    row, proposed, compared = None, [], 0
    while rest:
        new = accepted(proposed, rest)
        rest = rest[len(new) :]
        (proposed,) = device.write([new])
        if row is None:
            row = first.begin([draft], "text", 10**6, list(new))
        else:
            first.written(row, new)
        (chain,) = first.propose([(row, LENGTH)], 1)
        common = min(len(chain), len(proposed))
        assert chain[:common] == proposed[:common] and bool(chain) <= bool(proposed)
        compared += common > 0
    assert compared > edits


def test_text_with_repeated_words_takes_little_more_steps_than_with_the_first_runners_class() -> None:
    """With learning, as V1's class is used; the cursor in tensors learns nothing."""
    chosen = random.Random(5)
    steps = {"cursor": 0, "class": 0}
    for _ in range(12):
        words = [chosen.choices(range(100, 160), k=chosen.randrange(1, 5)) for _ in range(30)]
        draft = [token for word in chosen.choices(words, k=60) for token in word]
        rest = edited(draft, chosen, 6)
        device, proposed, left = Device([[draft]]), [], rest
        while left:
            new, steps["cursor"] = accepted(proposed, left), steps["cursor"] + 1
            left = left[len(new) :]
            (proposed,) = device.write([new])
        first, row, chain, left = first_class(), None, [], rest
        while left:
            new, steps["class"] = accepted(chain, left), steps["class"] + 1
            left = left[len(new) :]
            row = first.begin([draft], "text", 10**6, list(new)) if row is None else (first.written(row, new), row)[1]
            (chain,) = first.propose([(row, LENGTH)], 1)
    assert steps["cursor"] <= 1.1 * steps["class"]


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 1 << 30))
def test_rows_do_not_see_each_other(seed: int) -> None:
    """Rows together, in some steps without a new token, propose what each proposes alone."""
    chosen = random.Random(seed)
    drafts = [[chosen.choices(range(9), k=chosen.randrange(1, 40)) for _ in range(chosen.randrange(3))] for _ in "abcd"]
    together, alone = Device(drafts), [Device([of_row]) for of_row in drafts]
    for _ in range(12):
        new = [chosen.choices(range(9), k=chosen.choice((0, 1, 1, 3))) for _ in drafts]
        assert together.write(new) == [one.write([tokens])[0] for one, tokens in zip(alone, new, strict=True)]


def test_a_draft_is_followed_to_its_end_and_no_further() -> None:
    device = Device([[[1, 2, 3, 4], [5, 6]]])
    assert device.write([[1]]) == [[2, 3, 4]]
    assert device.write([[2, 3, 4]]) == [[]]
    assert device.write([[5]]) == [[6]], "the next draft begins with it"


def test_drafts_are_cut_to_the_places_there_are() -> None:
    assert text_of([[1, 2], [1, 2], [3]], 99) == [END, 1, 2, END, 3, END]
    assert text_of([[1, 2, 3, 4, 5]], 4) == [END, 1, 2, END]


def test_without_drafts_nothing_is_proposed() -> None:
    assert Device([[]]).write([[1, 2]]) == [[]]
