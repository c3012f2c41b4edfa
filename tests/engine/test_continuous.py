"""Requests come from any thread at any time, enter the running batch, and are answered as alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from PIL import Image

from docspec.core import ModelError, PageError, ParseOptions
from docspec.engine import continuous
from docspec.engine.continuous import ContinuousBatching, QueuedRequest
from docspec.engine.decoder import Decoder
from docspec.engine.request import Request
from docspec.engine.row import Row
from docspec.generation.local import make_decoder
from docspec.targets.adapter import TransformersTarget
from docspec.targets.kv_cache import SlotCache
from docspec.targets.registry import load_target

BUDGETS = [50, 1, 30, 12, 1, 45, 20, 6]


@pytest.fixture(scope="module")
def target(lively_qwen: Path) -> TransformersTarget:
    return load_target(ParseOptions(model=str(lively_qwen), dtype="float32", device="cpu")).target


@pytest.fixture(scope="module")
def requests(target: TransformersTarget, printed_page: Image.Image) -> list[Request]:
    """Different prompts, lengths and drafts; two end with their first token."""
    prompts = [target.encode(printed_page.crop((0, 8 * i, 320 - 16 * i, 100 + 8 * i)), "Read.") for i in range(8)]
    drafts = [((5, 6, 7),) if i % 2 else (tuple(range(40 + i, 90 + i)), tuple(range(200, 180, -1))) for i in range(8)]
    return [Request(p, d, b) for p, d, b in zip(prompts, drafts, BUDGETS, strict=True)]


@pytest.fixture(scope="module")
def alone(target: TransformersTarget, requests: list[Request]) -> list[tuple[int, ...]]:
    return [make_decoder(target, ParseOptions()).baseline(one)[0].tokens for one in requests]


@pytest.fixture
def batching(target: TransformersTarget) -> Iterator[ContinuousBatching]:
    found = ContinuousBatching(make_decoder(target, ParseOptions()), rows=3)
    yield found
    found.close()


@pytest.mark.parametrize("seed", range(3))
def test_threads_that_come_when_they_like_get_what_they_get_alone(
    batching: ContinuousBatching, requests: list[Request], alone: list[tuple[int, ...]], seed: int
) -> None:
    pauses = [Random(seed + number).random() / 10 for number in range(16)]

    def ask(number: int) -> tuple[int, ...]:
        time.sleep(pauses[number])
        return batching.submit(requests[number % 8]).result(60).output.tokens

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(ask, range(16))) == [*alone, *alone]


def test_rows_whose_keys_do_not_follow_them_break_equality(
    batching: ContinuousBatching, requests: list[Request], alone: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control."""
    monkeypatch.setattr(SlotCache, "move_row", lambda self, source, target, length: None)
    futures = [batching.submit(one) for one in requests]
    assert [future.result(60).output.tokens for future in futures] != alone


def test_who_comes_late_enters_the_running_batch_and_may_leave_it_first(
    batching: ContinuousBatching, requests: list[Request], alone: list[tuple[int, ...]]
) -> None:
    ended: list[str] = []
    late: list[tuple[int, ...]] = []

    def when_it_runs(row: Row) -> None:
        if len(row.output) > 1 and not late:
            late.append(())
            future = batching.submit(requests[7])
            future.add_done_callback(lambda one: (ended.append("late"), late.append(one.result().output.tokens)))

    first = batching.submit(requests[0], when_it_runs)
    first.add_done_callback(lambda one: ended.append("first"))
    assert first.result(60).output.tokens == alone[0]
    assert ended == ["late", "first"] and late[1] == alone[7]


def test_seconds_and_counts_are_those_of_the_request(batching: ContinuousBatching, requests: list[Request]) -> None:
    began = time.perf_counter()
    found = batching.submit(requests[0]).result(60)
    assert found.waiting >= 0 and found.prefill > 0 and found.decode > 0
    assert found.waiting + found.prefill + found.decode <= time.perf_counter() - began
    stats = found.stats
    assert stats.prompt_tokens == requests[0].prompt.length and stats.forwards == stats.steps
    written = stats.steps + stats.accepted + 1  # the last step's own token may be one more than the budget
    assert written - len(found.output.tokens) in (0, 1)
    assert 0 < stats.decode_seconds <= found.decode and 0 < stats.prefill_seconds <= found.prefill


def test_prompts_take_at_most_half_of_the_time_while_others_are_decoded(
    batching: ContinuousBatching, target: TransformersTarget, requests: list[Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    prefill, spans = target.prefill, []

    def slow(*args: Any) -> Any:
        began = time.perf_counter()
        time.sleep(0.05)
        filled = prefill(*args)
        spans.append((began, time.perf_counter()))
        return filled

    monkeypatch.setattr(target, "prefill", slow)
    long, late = replace(requests[0], drafts=(), budget=400), [replace(requests[1], budget=4) for _ in range(6)]
    pause = [0.01]  # a step takes so long at least: the first one is decoded until the last one is
    first = batching.submit(long, lambda row: time.sleep(pause[0]))
    for one in late:
        batching.submit(one).result(60)
    pause[0] = 0.0
    assert not first.done() and len(spans) == 1 + len(late), "they came one by one, while it was decoded"
    for (began, ended), (next_began, _) in pairwise(spans):
        assert next_began - ended >= ended - began
    first.result(60)


def test_who_leaves_makes_room_and_changes_nothing(
    batching: ContinuousBatching, requests: list[Request], alone: list[tuple[int, ...]]
) -> None:
    running = threading.Event()

    def heard(row: Row) -> None:
        running.set()
        raise RuntimeError("heard enough")

    hung_up = batching.submit(requests[0], heard)
    others = [batching.submit(one) for one in requests]
    left = batching.submit(requests[5])
    assert left.cancel()
    with pytest.raises(RuntimeError, match="heard enough"):
        hung_up.result(60)
    assert running.is_set()
    assert [other.result(60).output.tokens for other in others] == alone


def test_a_request_that_breaks_the_batch_fails_alone(
    batching: ContinuousBatching,
    target: TransformersTarget,
    requests: list[Request],
    alone: list[tuple[int, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest, poison = type(target).prefill, requests[2].prompt

    def prefill(self, prompts, *rest):
        if any(prompt is poison for prompt in prompts):
            raise ZeroDivisionError("poison")
        return honest(self, prompts, *rest)

    monkeypatch.setattr(type(target), "prefill", prefill)
    futures = [batching.submit(one) for one in requests]
    with pytest.raises(ZeroDivisionError):
        futures.pop(2).result(60)
    assert [future.result(60).output.tokens for future in futures] == [*alone[:2], *alone[3:]]
    assert batching.submit(requests[0]).result(60).output.tokens == alone[0]


def test_where_memory_runs_out_fewer_rows_go_on(
    batching: ContinuousBatching,
    target: TransformersTarget,
    requests: list[Request],
    alone: list[tuple[int, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest, at_once = type(target).prefill, []

    def prefill(self, prompts, *rest):
        at_once.append(len(prompts))
        if len(prompts) > 1:
            raise torch.OutOfMemoryError("out of memory")
        return honest(self, prompts, *rest)

    opened, rows = Decoder.open_batch, []
    monkeypatch.setattr(Decoder, "open_batch", lambda self, most, slots: rows.append(most) or opened(self, most, slots))
    monkeypatch.setattr(type(target), "prefill", prefill)
    futures = [batching.submit(one) for one in requests]
    assert [future.result(60).output.tokens for future in futures] == alone
    assert max(at_once) > 1, "memory never ran out"
    monkeypatch.setattr(type(target), "prefill", honest)
    for one in requests[:3]:
        batching.submit(one).result(60)
    assert min(rows) < 3 and rows[-1] == 3, "where memory is there again, rows are"
    monkeypatch.setattr(type(target), "prefill", lambda *_: (_ for _ in ()).throw(torch.OutOfMemoryError("none left")))
    with pytest.raises(torch.OutOfMemoryError):
        batching.submit(requests[0]).result(60)


def test_what_does_not_fit_waits_for_a_batch_of_its_own_or_fails_alone(
    target: TransformersTarget, requests: list[Request], alone: list[tuple[int, ...]]
) -> None:
    decoder = make_decoder(target, ParseOptions(kv_memory=1))
    allowed = decoder.slots_allowed
    assert allowed is not None and allowed < 16 * requests[0].slots
    batching = ContinuousBatching(decoder)
    try:
        futures = [batching.submit(one) for one in requests]
        with pytest.raises(PageError, match="kv-memory"):
            batching.submit(replace(requests[0], budget=2 * allowed)).result(60)
        assert [future.result(60).output.tokens for future in futures] == alone
    finally:
        batching.close()
    batching = ContinuousBatching(make_decoder(target, ParseOptions()), slots=1)
    try:
        long = [batching.submit(replace(one, budget=one.budget + 2000)) for one in requests[:2]]
        short = batching.submit(requests[7])
        for future, begins in zip(long, alone, strict=False):
            assert future.result(120).output.tokens[: len(begins)] == begins
        assert short.result(60).output.tokens == alone[7]
    finally:
        batching.close()


def test_strict_requests_go_alone_and_are_what_they_are(
    batching: ContinuousBatching, requests: list[Request], alone: list[tuple[int, ...]]
) -> None:
    strict = [replace(one, least_margin=0.5) for one in requests]
    futures = [batching.submit(one) for pair in zip(requests, strict, strict=True) for one in pair]
    found = [future.result(60).output.tokens for future in futures]
    assert found == [tokens for tokens in alone for _ in range(2)]


@pytest.mark.parametrize("plain", [False, True])
def test_while_an_exclusive_request_is_decoded_nothing_else_is(
    batching: ContinuousBatching, requests: list[Request], alone: list[tuple[int, ...]], plain: bool
) -> None:
    steps: list[int] = []

    def submission(number: int) -> QueuedRequest:
        own = replace(requests[number], plain=plain and number == 2)
        return QueuedRequest(own, Future(), lambda row: steps.append(number), exclusive=number == 2)

    submitted = [submission(number) for number in (0, 2, 5)]
    batching.submit_all(submitted)
    assert [one.future.result(60).output.tokens for one in submitted] == [alone[number] for number in (0, 2, 5)]
    assert [number for number, _ in groupby(steps) if number == 2] == [2]
    first, last = steps.index(2), len(steps) - 1 - steps[::-1].index(2)
    assert set(steps[:first]) == {0} and set(steps[last + 1 :]) == {5}, "those after it wait behind it"


def test_the_end_fails_what_waits_and_what_comes_after(target: TransformersTarget, requests: list[Request]) -> None:
    batching = ContinuousBatching(make_decoder(target, ParseOptions()), rows=1)
    running = threading.Event()
    futures = [batching.submit(one, lambda _: running.set()) for one in requests]
    running.wait(60)
    batching.close()
    for future in (futures[-1], batching.submit(requests[0])):
        with pytest.raises(ModelError, match="closed"):
            future.result(1)


def test_a_thread_that_was_idle_leaves_its_place_to_the_next_one(
    batching: ContinuousBatching, requests: list[Request], alone: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(continuous, "IDLE", 0.0)
    for number in range(60):
        assert batching.submit(requests[number % 2 * 3 + 1]).result(60).output.tokens == alone[number % 2 * 3 + 1]
        assert sum(one.name == "docspec-engine" and one.is_alive() for one in threading.enumerate()) <= 2
