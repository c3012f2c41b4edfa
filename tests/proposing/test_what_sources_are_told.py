"""Sources get what they ask for, and nothing is looked for where nobody asks: hidden states, likeliest tokens, the
prompt as the decoder saw it, what the target's card says."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.proposing.proposer import BatchProposer, RowProposer, proposer, proposers
from docspec.targets.protocol import OutputFlags
from docspec.targets.stepping.bucketed import BucketedSteps
from docspec.targets.stepping.eager import EagerSteps
from tests.no_capture import NoCapture
from tests.proposing.decoding import decoded

NEW_TOKENS = 60
AHEAD = 4
decode = partial(decoded, tokens=NEW_TOKENS, fewer=0, stages="auto")


@pytest.fixture(params=["eager", "buckets"])
def steps(target, request):
    honest = target.steps
    target.steps = EagerSteps(target) if request.param == "eager" else BucketedSteps(target, NoCapture())
    target.kv.release()
    yield target.steps
    target.steps = honest


@pytest.fixture
def registered():
    known = dict(proposers)
    yield
    proposers.clear()
    proposers.update(known)


@pytest.mark.parametrize("stages", ["both", "auto"])  # auto: some steps are plain ones, for which nobody is asked
def test_hidden_states_are_those_that_chose_every_token(target, steps, prompts, plain, half_wrong, registered, stages):
    told = []

    @proposer("watcher")
    class Watcher(RowProposer):
        @classmethod
        def wants(cls, target):
            return OutputFlags(hidden=True)

        def __init__(self, context):
            super().__init__(context)
            told.append((context, [context.states.hidden[-1:]]))

        def observe(self, written):
            if self.context.verified is None:
                return
            _, outcome = self.context.verified
            states = next(states for context, states in told if context is self.context)
            states.append(outcome.hidden)
            assert len(outcome.hidden) == len(outcome.path) + 1

    found, _ = decode(target, "watcher+ngrams+resumption", prompts, (half_wrong,), stages=stages)
    assert found == plain
    assert len(told) == len(prompts)
    for (_, states), expected in zip(told, plain, strict=True):
        with torch.inference_mode():
            chosen = target.logits(torch.cat(states)).argmax(-1).tolist()
        assert tuple(chosen[: len(expected)]) == expected


class Nearest(BatchProposer):
    """Proposes for all rows at once what followed the earlier state that is most like the last one."""

    wants, KEY = OutputFlags(hidden=True), Key("nearest state", 0.5)

    def __init__(self, target):
        self.rows, self.widths = {}, []

    def begin(self, context):
        self.rows[context] = [context.states.hidden[-1:]]

    def observe(self, context, written):
        self.rows[context].append(context.verified[1].hidden)

    def suggest(self, contexts):
        self.widths.append(len(contexts))
        states = [torch.cat(self.rows[context]) for context in contexts]
        last = torch.stack([own[-1] for own in states])
        known = torch.nn.utils.rnn.pad_sequence([own[:-1] for own in states], batch_first=True)
        like = torch.einsum("rs,rts->rt", last, known)  # one operation for all rows of the step
        for number, (context, own) in enumerate(zip(contexts, states, strict=True)):
            if len(own) < 2:
                yield []
                continue
            position = int(like[number, : len(own) - 1].argmax()) + 1
            yield [Continuation(Copy(context.output[position : position + AHEAD]), 0, self.KEY)]

    def end(self, context):
        del self.rows[context]


def test_a_source_may_draft_for_all_rows_from_their_hidden_states(target, steps, prompts, plain, registered):
    made = []
    proposers["nearest"] = lambda target: made.append(Nearest(target)) or made[-1]
    found, stats = decode(target, "nearest", prompts)
    [nearest] = made
    assert found == plain
    assert stats.drafted > 0
    assert not nearest.rows
    assert max(nearest.widths) == len(prompts)
    assert len(nearest.widths) < stats.steps
    assert 0 < stats.source_seconds["nearest"] < stats.host_seconds
    assert set(stats.source_seconds) == {"nearest"}


def test_states_of_another_row_would_be_seen(target, prompts, plain, registered, monkeypatch):
    """Negative control: the states checked above are the row's own."""
    honest = EagerSteps.run

    def swapped(self, step, cache):
        answer = honest(self, step, cache)
        return type(answer)(answer.choice, hidden=answer.hidden.roll(1, 0))

    monkeypatch.setattr(EagerSteps, "run", swapped)
    monkeypatch.setattr(target, "steps", EagerSteps(target))
    seen = []

    class Watcher(Nearest):
        def observe(self, context, written):
            outcome = context.verified[1]
            with torch.inference_mode():
                chosen = target.logits(outcome.hidden).argmax(-1).tolist()
            seen.append(chosen == context.output[-len(chosen) :])
            super().observe(context, written)

    proposers["nearest"] = Watcher
    found, _ = decode(target, "nearest", prompts)
    assert found == plain
    assert not all(seen)


def test_a_source_is_told_the_prompt_and_the_card(target, prompts, registered):
    told = []

    @proposer("reader")
    class Reader(RowProposer):
        @classmethod
        def wants(cls, target):
            return OutputFlags(hidden=True)

        def __init__(self, context):
            super().__init__(context)
            told.append((context.prompt, context.request.prompt.inputs, context.states, context.target))

    decode(target, "reader", prompts)
    for (ids, inputs, states, told_target), prompt in zip(told, prompts, strict=True):
        assert ids == prompt.inputs["input_ids"][0].tolist()
        assert "pixel_values" in inputs
        assert told_target.card.dialect == "markdown"
        assert len(states.embeddings) == len(states.hidden) == prompt.length
        text = prompt.inputs["mm_token_type_ids"][0] == 0
        with torch.inference_mode():
            embedded = target.embed(torch.tensor(ids))
        torch.testing.assert_close(states.embeddings[text], embedded[text])
        assert not torch.isclose(states.embeddings[~text], embedded[~text]).all(-1).any()  # image features


def test_states_of_prompts_prefilled_together_are_those_of_each_alone(target, prompts):
    cache = target.kv.cache(3, 400)
    alone = [target.prefill_together([prompt], cache, [0], True)[0].states for prompt in prompts]
    together = target.prefill_together(prompts, cache, [0, 1, 2], True)
    for one, other in zip(alone, together, strict=True):
        torch.testing.assert_close(one.hidden, other.states.hidden, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(one.embeddings, other.states.embeddings, rtol=1e-4, atol=1e-4)


def test_nothing_is_told_where_nobody_asks(target, steps, prompts, registered, monkeypatch):
    asked, honest = [], type(steps).run

    def noted(self, step, cache):
        answer = honest(self, step, cache)
        asked.append((step.flags, answer.hidden is None))
        return answer

    monkeypatch.setattr(type(steps), "run", noted)
    prefilled, prefill = [], type(target).prefill_together
    monkeypatch.setattr(
        type(target), "prefill_together", lambda self, *given: prefilled.extend(found := prefill(self, *given)) or found
    )
    decode(target, "lookup", prompts[:1])
    margins = OutputFlags(margins=True)
    assert set(asked) == {(margins, True)}
    assert [one.states for one in prefilled] == [None]
