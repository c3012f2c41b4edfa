"""``parallel:NAME``: drafted while the target verifies, and the output is the target's own all the same."""

from __future__ import annotations

import threading
from functools import partial

import pytest
from docspec_methods import draft_model, parallel
from docspec_methods.draft_model import DraftModel
from docspec_methods.parallel import Figures, ParallelDraft, Quietly, window_of

from tests.proposing.decoding import PATIENCE, decoded

NEW_TOKENS = 28

decode = partial(decoded, tokens=NEW_TOKENS)


@pytest.mark.parametrize("mixture", ["parallel:{}", "cursor+parallel:{}"])
@pytest.mark.parametrize("max_rows", [1, 2])
def test_the_output_is_the_targets_own(target, other, prompts, plain, half_wrong, mixture, max_rows, read_first):
    found, stats = decode(target, mixture.format(other), prompts, (half_wrong,), max_rows)
    assert found == [tokens[: NEW_TOKENS - 4 * n] for n, tokens in enumerate(plain)]
    assert stats.drafted > 0


@pytest.mark.parametrize("max_rows", [1, 2])
def test_a_drafter_that_is_the_target_is_never_left(
    target, lively_qwen, prompts, plain, max_rows, read_first, monkeypatch
):
    """One wrong key or value after a window that was verified meanwhile, and drafts are refused."""
    monkeypatch.setattr(parallel, "window_of", lambda c: 3)  # not as long as this machine makes it
    found, stats = decode(target, f"parallel:{lively_qwen}", prompts, max_rows=max_rows)
    assert found == [tokens[: NEW_TOKENS - 4 * n] for n, tokens in enumerate(plain)]
    assert stats.accepted == stats.drafted > 0.5 * stats.tokens


def differing(target, other, prompts, monkeypatch):
    """In how many turns, and of how many, drafts differ from those of a model that reads everything anew."""
    found, honest = [], DraftModel.draft

    def compared(self, *given):
        own = honest(self, *given)
        fresh = Quietly(self._model)
        fresh.read([context.request for context in self.contexts])
        for context in self.contexts:
            fresh.begin(context)
        found.append(own != honest(fresh, *given))
        return own

    monkeypatch.setattr(parallel, "window_of", lambda c: 3)
    monkeypatch.setattr(DraftModel, "draft", compared)
    decode(target, f"parallel:{other}", prompts[:2], max_rows=2)
    return sum(found), len(found)


def test_what_is_left_is_rolled_back(target, other, prompts, read_first, monkeypatch):
    wrong, turns = differing(target, other, prompts, monkeypatch)
    assert wrong == 0 and turns > 10


def test_a_rollback_that_is_forgotten_is_noticed(target, other, prompts, read_first, monkeypatch):
    """Negative control of the test above: keys of tokens that were left stay where other tokens stand now."""

    def careless(self, text):
        position = len(text) - 1
        self.fed = [*self.fed, *text[len(self.fed) :]][:position]
        return list(text[-1:])

    monkeypatch.setattr(draft_model.ModelRow, "unread", careless)
    wrong, turns = differing(target, other, prompts, monkeypatch)
    assert wrong > turns / 2


def test_drafting_goes_on_while_the_target_verifies(target, other, prompts, plain, monkeypatch):
    """Ordered by events: no turn ends before the target has begun the step after the turn's beginning."""
    change, begun = threading.Condition(), [0]
    honest, begin, steps, end = (DraftModel.draft, ParallelDraft._begin_turn, target.steps.run, ParallelDraft.end)
    at_beginning, waited = [], []

    def begin_turn(self, *given):
        at_beginning.append(begun[0])
        begin(self, *given)

    def draft(self, *given):
        with change:
            waited.append(change.wait_for(lambda: begun[0] > at_beginning[-1], PATIENCE))
        return honest(self, *given)

    def count():
        with change:
            begun[0] += 1
            change.notify_all()

    def run(batch, cache):
        count()
        return steps(batch, cache)

    def ended(self, context):
        count()  # after the last step there is none to wait for
        end(self, context)

    monkeypatch.setattr(ParallelDraft, "_begin_turn", begin_turn)
    monkeypatch.setattr(ParallelDraft, "end", ended)
    monkeypatch.setattr(DraftModel, "draft", draft)
    monkeypatch.setattr(target.steps, "run", run, raising=False)
    found, _ = decode(target, f"parallel:{other}", prompts[:1])
    assert found == [plain[0]]
    assert len(waited) > 3 and all(waited)


def test_a_window_is_as_long_as_the_ratio_of_speeds():
    assert [window_of(c) for c in (0.0, 0.3, 3.4, 99.0)] == [parallel.FIRST_WINDOW, 1, 3, 10]
    figures = Figures()
    assert (figures.c, figures.acceptance, figures.predicted) == (0.0, 0.0, 0.0)
    for _ in range(3):
        figures.took("step", 0.8)
        figures.took("token", 0.2)
    figures.drafted, figures.accepted, figures.tokens, figures.rollbacks = 10, 8, 30, 2
    assert (figures.c, figures.acceptance, figures.accepted_length) == pytest.approx((4.0, 0.8, 10.0))
    tau = 0.8
    assert figures.predicted == pytest.approx(0.5 * sum(tau**k for k in range(1, 9)))  # the paper's sum for gamma = c
