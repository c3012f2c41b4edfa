"""Decisions follow from measured costs: what would take longer than it saves is not done, and the reason says so."""

from __future__ import annotations

import math

import pytest

from docspec.core import BBox, Category, PageDraft, Region, StageStats
from docspec.hierarchy.calibration import PREFIX, WIDTHS, calibrate
from docspec.hierarchy.planner import Costs, Planner
from docspec.targets.registry import load_target


def draft(regions: int) -> PageDraft:
    """Regions of 900 characters whose crops take 100 tokens of 100 pixels."""
    region = Region(BBox(0, 0, 100, 100), Category.TEXT, ("x" * 900,))
    return PageDraft((region,) * regions, drafter="rapidocr")


DRAFT = draft(10)


def planner(step: float, row: float = 1.0, prefill: float = 1e-3) -> Planner:
    costs = Costs()
    costs.note_step(1, step)
    costs.note_step(64, 1.5 * step)
    costs.row.add(row)
    costs.prefill.add(prefill)
    return Planner(costs)


def test_recognition_pays_for_slow_targets_only():
    assert not planner(step=0.002).recognition_pays().yes
    assert planner(step=0.05).recognition_pays().yes
    assert "8.00 s" in planner(step=0.002).recognition_pays().why


def test_a_draft_may_take_what_plain_decoding_of_the_longest_page_would():
    costs = planner(step=0.005).costs
    assert Planner(costs, 2000).prices().most == pytest.approx(10.0)
    assert Planner(costs).prices().most == Planner(Costs(), 2000).prices().most == math.inf


def test_a_draft_that_proves_cheap_is_made_more_often():
    plan = planner(step=0.005)
    assert not plan.recognition_pays().yes
    plan.drafted("recognition", 0.5)
    assert plan.recognition_pays().yes


def test_the_layout_model_pays_for_long_pages_of_slow_targets():
    assert not planner(step=0.002).layout_pays(2000).yes
    assert planner(step=0.05).layout_pays(2000).yes
    assert not planner(step=0.05).layout_pays(100).yes


def test_pages_without_drafts_are_decoded_plainly_by_fast_targets():
    assert not planner(step=0.002).lookup_pays().yes
    assert planner(step=0.05).lookup_pays().yes


def test_crops_pay_where_rows_are_nearly_free_and_drafts_are_bad():
    assert planner(step=0.02, row=0.02, prefill=1e-5).crops_pay(DRAFT, 100).yes
    assert not planner(step=0.02, row=1.0, prefill=1e-5).crops_pay(DRAFT, 100).yes
    assert not planner(step=0.02, row=0.02, prefill=1.0).crops_pay(DRAFT, 100).yes
    assert not planner(step=0.02).crops_pay(draft(0), 100).yes


def test_crops_stop_paying_once_the_page_accepts_such_drafts():
    plan = planner(step=0.02, row=0.05, prefill=2e-4)
    assert plan.crops_pay(DRAFT, 100).yes
    for _ in range(10):
        plan.observe("rapidocr", "x" * 3000, StageStats(steps=5, tokens=1000, prompt_tokens=1, prefill_seconds=2e-4))
    assert not plan.crops_pay(DRAFT, 100).yes


def test_steps_between_measured_widths_are_interpolated():
    costs = Costs()
    costs.note_step(1, 1.0)
    costs.note_step(65, 2.0)
    assert costs.step_seconds(1) == 1.0
    assert costs.step_seconds(33) == 1.5
    assert costs.step_seconds(1000) == 2.0
    assert abs(costs.node_price() - 1 / 64) < 1e-9


def test_steps_between_measured_lengths_are_interpolated():
    """Behind longer prefixes the cost goes on growing: attention is linear in them."""
    costs = Costs()
    for prefix, one, many in ((1000, 1.0, 1.63), (5000, 3.0, 4.26)):
        costs.note_step(1, one, prefix)
        costs.note_step(64, many, prefix)
    seconds = [costs.step_seconds(1, prefix) for prefix in (0, 1000, 3000, 5000, 7000, None)]
    assert seconds == pytest.approx([1.0, 1.0, 2.0, 3.0, 4.0, 3.0])
    prices = [costs.node_price(prefix) for prefix in (1000, 5000, 9000, None)]
    assert prices == pytest.approx([0.01, 0.02 / 3, 0.03 / 5, 0.02 / 3])
    assert costs.step_seconds(2, 3000) == pytest.approx(2.015)


def test_steps_that_a_busy_clock_measured_shorter_behind_more_tokens_do_not_become_negative():
    costs = Costs()
    costs.note_step(1, 1.2, 1000)
    costs.note_step(1, 1.0, 5000)
    assert costs.step_seconds(1, 100_000) == 1.0


def test_the_page_s_own_length_decides_whether_crops_pay():
    """A step of the page is dear behind a long prompt, one of a crop is not."""
    plan = planner(step=0.02, row=0.8, prefill=1e-5)
    plan.costs.step = {100: {1: 0.02, 64: 0.03}, 5000: {1: 0.2, 64: 0.3}}
    assert plan.crops_pay(DRAFT, 100, 5000).yes
    assert not plan.crops_pay(DRAFT, 100, 100).yes


def test_calibration_measures_every_width_in_little_time(lively_qwen):
    from docspec.core import ParseOptions

    costs = Costs()
    seconds = calibrate(load_target(ParseOptions(model=str(lively_qwen), device="cpu")).target, costs)
    [(prefix, measured)] = costs.step.items()  # on a CPU behind one length
    assert prefix == PREFIX and sorted(measured) == sorted(WIDTHS)
    assert all(seconds > 0 for seconds in measured.values())
    assert 0 < seconds < 20
