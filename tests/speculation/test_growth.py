"""Trees by expected value: what the odds say is where the nodes go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.speculation.draft_index import END, DraftIndex
from docspec.speculation.growth import grow
from docspec.speculation.odds import RUN_CAP, Odds, Source, run_class
from docspec.speculation.rewrites import Rewrites
from docspec.speculation.trail import Trail


def grown(drafts, sources, limit=64, rewrites=None, odds=None):
    index = DraftIndex(drafts)
    trails = [Trail(index.tokens, head, source) for head, source in zip(index.heads, sources, strict=True)]
    return grow(0, trails, index, odds or Odds(), rewrites or Rewrites(), limit)


def test_the_likelier_trail_gets_more_nodes_and_the_other_some():
    tree = grown([[1] * 60, [2] * 60], [Source.NEAR_4, Source.FAR_4], limit=60)
    assert len(tree) == 60
    assert tree.tokens.count(1) > 2 * tree.tokens.count(2) > 0


def test_only_one_of_two_trails_that_differ_at_once_can_be_right():
    """Beside one that is right nine times of ten, the other gets a tenth of the nodes' chances, not its own."""
    drafts = [[1] * 60, [2] * 60]
    sure = grown(drafts, [Source.NEAR_8, Source.FAR_8], limit=200).expected
    assert sure < grown(drafts[:1], [Source.NEAR_8], limit=200).expected * 1.2


def test_a_source_that_is_always_wrong_gets_fewer_nodes():
    odds = Odds()
    before = grown([[1] * 60, [2] * 60], [Source.NEAR_3, Source.FAR_4], limit=40).tokens.count(1)
    for _ in range(30):
        odds.count(Source.NEAR_3, False)
    after = grown([[1] * 60, [2] * 60], [Source.NEAR_3, Source.FAR_4], limit=40, odds=odds).tokens.count(1)
    assert after < before / 2


def test_what_is_not_worth_its_place_is_not_added():
    odds = Odds()
    for _ in range(2000):
        odds.count(Source.FAR_2, False)
    assert len(grown([[2] * 60], [Source.FAR_2], odds=odds)) == 1


def test_trails_that_agree_share_their_nodes():
    tree = grown([[1, 2, 3, 4], [1, 2, 3, 5]], [Source.NEAR_8, Source.FAR_8], limit=64)
    assert sorted(tree.tokens[1:]) == [1, 2, 3, 4, 5]


def test_a_known_rewriting_becomes_a_branch_beside_the_draft():
    rewrites = Rewrites()
    rewrites.learn(5, (8, 5, 9), 1)
    tree = grown([[1, 5, 2, 3]], [Source.NEAR_8], rewrites=rewrites)
    paths = {tuple(tree.tokens[n] for n in tree.path(node)) for node in range(1, len(tree))}
    assert (1, 5, 2, 3) in paths
    assert (1, 8, 5, 9, 2, 3) in paths


def test_a_region_that_ends_goes_on_where_the_page_does():
    page = [*range(10, 20), 30, 31, 32]
    tree = grown([page, list(range(12, 20))], [Source.FAR_2, Source.NEAR_8])
    deepest = max(range(len(tree)), key=lambda node: tree.depths[node])
    assert [tree.tokens[n] for n in tree.path(deepest)][-3:] == [30, 31, 32]


def test_rewritings_that_are_kept_as_drafted_are_forgotten():
    rewrites = Rewrites()
    rewrites.learn(5, (8,), 1)
    assert 5 in rewrites.active
    rewrites.keep(5, 20)
    assert 5 not in rewrites.active


def test_a_rewriting_applies_only_where_the_output_goes_on_as_the_draft_does():
    rewrites = Rewrites()
    rewrites.learn(5, (8,), 1)
    drafted = [5, 6, END]
    assert rewrites.applied(drafted, 0, [8, 6], 0) == ((8,), 1)
    assert rewrites.applied(drafted, 0, [8, 7], 0) is None
    assert rewrites.applied(drafted, 0, [9, 6], 0) is None


@given(st.integers(0, RUN_CAP), st.floats(0.01, 1.0), st.floats(0.002, 0.9))
def test_the_worthwhile_tokens_are_those_above_the_stop(run, chance, stop):
    odds = Odds()
    count = odds.worthwhile(chance, run, stop)
    assert count == 0 or odds.later(chance, run, count - 1) >= stop * 0.999
    assert odds.later(chance, run, count) < stop * 1.001


@pytest.mark.parametrize(("run", "right"), [(0, 1), (0, 200), (3, 5), (17, 40), (128, 9)])
def test_runs_are_counted_token_by_token(run, right):
    bulk, single = Odds(), Odds()
    bulk.count_run(run, right, True)
    for step in range(right):
        single.count_run(run + step, 1, False)
    single.count_run(run + right, 0, True)
    assert bulk._run_hits == pytest.approx(single._run_hits)
    assert bulk._run_tries == pytest.approx(single._run_tries)


def test_run_classes_grow_with_the_run():
    classes = [run_class(run) for run in range(300)]
    assert classes == sorted(classes)
    assert [classes[run] for run in (0, 1, 2, 3, 4, 8, 16, 32, 64, 128, 299)] == [
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        9,
    ]
