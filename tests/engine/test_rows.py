"""Rows enter freed places while others go on; each writes what it writes alone."""

from __future__ import annotations

import pytest

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets.kv_cache import SlotCache
from docspec.targets.registry import load_target

BUDGETS = [50, 1, 30, 12, 1, 45, 20, 6]


@pytest.fixture(scope="module")
def target(lively_qwen):
    return load_target(ParseOptions(model=str(lively_qwen), dtype="float32", device="cpu")).target


@pytest.fixture(scope="module")
def jobs(target, printed_page):
    """Rows of different prompts, lengths and drafts; two end with their first token."""
    prompts = [target.encode(printed_page.crop((0, 8 * i, 320 - 16 * i, 100 + 8 * i)), "Read.") for i in range(8)]
    drafts = [((5, 6, 7),) if i % 2 else (tuple(range(40 + i, 90 + i)), tuple(range(200, 180, -1))) for i in range(8)]
    return [Request(p, d, b) for p, d, b in zip(prompts, drafts, BUDGETS, strict=True)]


@pytest.fixture(scope="module")
def alone(target, jobs):
    return [make_decoder(target, ParseOptions()).baseline(job)[0].tokens for job in jobs]


@pytest.mark.parametrize("max_rows", [1, 3, 8])
def test_waiting_rows_enter_freed_places_and_write_what_they_write_alone(target, jobs, alone, max_rows):
    outputs, stats = make_decoder(target, ParseOptions()).speculate(jobs, max_rows=max_rows)
    assert [output.tokens for output in outputs] == alone
    assert stats.rows == len(jobs)
    assert stats.prompt_tokens == sum(job.prompt.length for job in jobs)


def test_places_are_refilled_in_fewer_forward_passes_than_fixed_batches(target, jobs):
    engine = make_decoder(target, ParseOptions(max_tree=1))
    _, refilled = engine.speculate(jobs, max_rows=2)
    fixed = sum(engine.speculate(jobs[i : i + 2])[1].forwards for i in range(0, len(jobs), 2))
    assert refilled.forwards < fixed


def test_rows_in_use_never_exceed_the_places(target, jobs):
    sizes: list[int] = []
    make_decoder(target, ParseOptions()).speculate(jobs, lambda running: sizes.append(len(running)), max_rows=3)
    assert max(sizes) == 3


def test_a_place_that_is_not_moved_breaks_equality(target, jobs, alone, monkeypatch):
    """Negative control: the last row's keys must follow it into the gap."""
    monkeypatch.setattr(SlotCache, "move_row", lambda self, source, target, length: None)
    outputs, _ = make_decoder(target, ParseOptions()).speculate(jobs, max_rows=3)
    assert [output.tokens for output in outputs] != alone
