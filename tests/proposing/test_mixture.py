"""Sources by name, joined with + and -, and a new one in a few lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import ParseOptions, UsageError
from docspec.parser import Parser
from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.proposing.proposer import BatchProposer, RowProposer, proposer, proposers
from docspec.proposing.registry import CURSOR, make_proposer, proposer_names
from tests.proposing.replays import Characters, row_of, steps, trees

tokens = st.lists(st.integers(0, 3), max_size=40)


@pytest.fixture
def echo():
    """A proposer that predicts that the output repeats itself from its beginning."""

    @proposer("echo")
    class Echo(RowProposer):
        KEY = Key("echo", 0.6)

        def suggest(self):
            return [Continuation(Copy(self.context.output), 0, self.KEY, 8)]

    yield Echo
    del proposers["echo"]


def test_a_new_source_is_a_class_and_a_name(echo):
    output = [4, *range(100, 130)] * 2
    assert steps(output, name="echo", budget=64) < steps(output, name="window", budget=64) == len(output)


def test_two_sources_joined_do_what_each_does(echo):
    head, tail = list(range(100, 130)), list(range(200, 230))
    output = [*head, *head, *tail]
    drafts = [[*head[-3:], *tail]]
    both = steps(output, drafts, name="window+echo")
    assert both < min(steps(output, drafts, name=name) for name in ("window", "echo"))


def test_names_are_joined_and_left_out():
    assert proposer_names("cursor") == list(CURSOR)
    assert proposer_names("window+lookup") == ["window", "lookup"]
    assert proposer_names("cursor-lookup-rewrites") == [n for n in CURSOR if n not in ("lookup", "rewrites")]
    with pytest.raises(UsageError, match="no proposer 'crystal'"):
        proposer_names("cursor+crystal")
    with pytest.raises(UsageError, match="no proposer 'crystal'"):
        Parser(ParseOptions(align="crystal"))


@given(st.sampled_from(CURSOR), st.lists(tokens, max_size=3), tokens.filter(len), st.integers(2, 40))
@settings(deadline=None)
def test_any_source_by_itself_and_left_out_makes_valid_trees_and_loses_no_step(name, drafts, output, limit):
    drafts = [*drafts, *drafts[:1], [2] * 500]
    for names in (name, f"cursor-{name}"):
        trees(output, limit, name=names, drafts=drafts, codec=Characters())
        assert steps(output, drafts, limit, name=names) <= len(output)


def test_what_drafts_were_worth_is_learnt_for_each_kind_of_row(echo):
    """Formulas whose drafts are all wrong say nothing of prose."""

    def promised(proposer, kind):
        row = row_of([7, 8], kind=kind)
        proposer.begin(row)
        return proposer.propose([row], [16])[0].expected

    proposer = make_proposer("echo", price=0.01)
    before = promised(proposer, "formula")
    formula = row_of([1, 2], kind="formula")
    proposer.begin(formula)
    for token in range(3, 60):
        proposer.propose([formula], [16])
        formula.output.append(token)
    assert promised(proposer, "text") == before
    assert promised(proposer, "formula") < 0.5 * before


def test_the_price_of_a_node_is_that_behind_the_rows_of_the_step(echo):
    asked = []
    proposer = make_proposer("echo", price=lambda length: asked.append(length) or length / 1e5)
    rows = [row_of([7, 8]), row_of([7, 9])]
    for row, length in zip(rows, (1000, 5000), strict=True):
        row.length = length
        proposer.begin(row)
    del asked[:]
    proposer.propose(rows, [8, 8])
    assert asked == [3000] and proposer.rate.price == 0.03
    proposer.propose(rows[:1], [8])
    assert proposer.rate.price == 0.01


def test_a_source_may_work_for_all_rows_at_once():
    class Batch(BatchProposer):
        calls = 0

        def suggest(self, contexts):
            Batch.calls += 1
            return [[Continuation(Copy([len(context.output)]), 0, Key("k", 0.9))] for context in contexts]

    from docspec.proposing.mixture import MixedProposer

    rows = [row_of([5]), row_of([5, 6])]
    proposer = MixedProposer({"batch": Batch()})
    for row in rows:
        proposer.begin(row)
    one, two = proposer.propose(rows, [8, 8])
    assert (one.tokens, two.tokens, Batch.calls) == ([5, 1], [6, 2], 1)


def test_the_seconds_of_each_source_are_its_own(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("docspec.proposing.mixture.time.perf_counter", lambda: clock[0])
    try:
        for name, seconds in (("quick", 1.0), ("slow", 16.0)):

            @proposer(name)
            class Timed(RowProposer):
                SECONDS = seconds

                def suggest(self):
                    clock[0] += self.SECONDS
                    return []

                def observe(self, written):
                    clock[0] += self.SECONDS / 4

        made = make_proposer("quick+slow")
        row = row_of([1])
        made.begin(row)
        clock[0] = 100.0  # what a clock says is never small
        before = dict(made.seconds)
        for token in range(3):
            row.output.append(token)
            made.propose([row], [8])
        assert {name: made.seconds[name] - before[name] for name in before} == {"quick": 3.75, "slow": 60.0}
    finally:
        del proposers["quick"], proposers["slow"]
