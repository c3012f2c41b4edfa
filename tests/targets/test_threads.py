"""The number of threads that decoding takes: measured, restored, and left alone where it does not matter."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from docspec.core import ParseOptions
from docspec.targets import threads
from docspec.targets.kv import KVSpec
from docspec.targets.registry import load_target
from docspec.targets.stepping.step import chain


class Target:
    """A target whose steps take as long as is said, by the number of threads in use: at first, and for each token."""

    def __init__(self, seconds, clock, layers=1):
        self.kv_spec = KVSpec(layers, 1, 8, torch.float32, torch.device("cpu"))
        self._seconds, self._clock = seconds, clock
        self.steps = 0

    def logits(self, hidden):
        return hidden

    def hidden(self, tokens, positions, mask, cache):
        self.steps += 1
        first, each = self._seconds[torch.get_num_threads()]
        self._clock.now += first + each * tokens.numel()
        return torch.zeros(1, tokens.shape[1], 4)


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(threads.time, "perf_counter", lambda: clock.now)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield clock
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ({1: (1.0, 0.0), 2: (1.5, 0.0)}, {1: 1, 64: 1, 5000: 1}),
        ({1: (1.0, 0.0), 2: (0.6, 0.0)}, {1: 2, 64: 2}),
        ({1: (1.0, 0.1), 2: (2.0, 0.06)}, {1: 1, 24: 1, 26: 2, 500: 2}),
        ({1: (1.0, 0.02), 2: (2.0, 0.01)}, {64: 1, 99: 1, 101: 2}),
        ({1: (1.0, 0.01), 2: (0.9, 0.02)}, {1: 1, 5: 1, 500: 1}),
    ],
)
def test_a_step_gets_what_is_faster_for_its_tokens(clock, seconds, expected):
    target = Target(seconds, clock)
    threads.measure_threads(target)
    assert {tokens: threads.threads_for(target, tokens) for tokens in expected} == expected
    with threads.decoding_threads(target):
        assert torch.get_num_threads() == expected.get(1, 1)
        assert {tokens: threads.threads_for(target, tokens) for tokens in expected} == expected
    assert torch.get_num_threads() == 2


def test_measures_a_target_once(clock):
    target = Target({1: (1.0, 0.0), 2: (1.5, 0.0)}, clock)
    threads.measure_threads(target)
    steps = target.steps
    assert steps == 4 * (threads.REPEATS + 1)
    threads.measure_threads(target)
    with threads.decoding_threads(target):
        assert target.steps == steps


def test_does_not_wait_for_threads_that_are_hopeless(clock):
    target = Target({1: (1.0, 0.0), 2: (100.0, 0.0)}, clock)
    threads.measure_threads(target)
    assert threads.threads_for(target, 64) == 1
    assert target.steps == 2 * (threads.REPEATS + 1 + 2)


def test_large_targets_keep_all_threads_unmeasured(clock):
    target = Target({1: (1.0, 0.0), 2: (1.5, 0.0)}, clock, layers=threads.SMALL)
    threads.measure_threads(target)
    assert threads.threads_for(target, 1) == 2
    assert target.steps == 0


def test_an_unmeasured_target_keeps_the_threads_in_use(clock):
    target = Target({}, clock)
    assert threads.threads_for(target, 1) == 2
    with threads.using_threads(1):
        assert threads.threads_for(target, 500) == 1


def test_restores_after_an_error(clock):
    target = Target({1: (1.0, 0.0), 2: (1.5, 0.0)}, clock)
    with pytest.raises(KeyError), threads.decoding_threads(target):
        raise KeyError
    assert torch.get_num_threads() == 2


def test_threads_are_restored_where_measuring_fails(clock):
    target = Target({}, clock)
    with pytest.raises(KeyError):
        threads.measure_threads(target)
    assert torch.get_num_threads() == 2


def test_the_steps_of_a_target_take_what_was_measured(lively_qwen, monkeypatch):
    target = load_target(ParseOptions(model=str(lively_qwen), dtype="float32", device="cpu")).target
    used = []
    monkeypatch.setattr(
        target, "logits", lambda hidden, honest=target.logits: used.append(torch.get_num_threads()) or honest(hidden)
    )
    monkeypatch.setitem(threads._needed, target, (2, 12.0))
    cache = target.kv.cache(2, 32)
    with threads.using_threads(1):
        for rows, width in ((1, 1), (2, 5), (2, 6), (1, 2)):
            target.steps.run(chain(rows, width, 4, 4 + width), cache)
        assert torch.get_num_threads() == 1
    assert used == [1, 1, 2, 1]
