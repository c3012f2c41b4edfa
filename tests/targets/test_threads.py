"""The number of threads that decoding takes: measured, restored, and left alone where it does not matter."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from docspec.targets import threads
from docspec.targets.kv import KVSpec


class Target:
    """A target whose steps take as long as is said, by the number of threads in use."""

    def __init__(self, seconds, clock, layers=1):
        self.kv_spec = KVSpec(layers, 1, 8, torch.float32, torch.device("cpu"))
        self._seconds, self._clock = seconds, clock
        self.steps = 0

    def logits(self, hidden):
        return hidden

    def hidden(self, tokens, positions, mask, cache):
        self.steps += 1
        self._clock.now += self._seconds[torch.get_num_threads()]
        return torch.zeros(1, tokens.shape[1], 4)


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(threads.time, "perf_counter", lambda: clock.now)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield clock
    torch.set_num_threads(before)


@pytest.mark.parametrize(("seconds", "expected"), [({1: 1.0, 2: 1.5}, 1), ({1: 1.0, 2: 0.6}, 2)])
def test_takes_what_is_faster_and_restores(clock, seconds, expected):
    target = Target(seconds, clock)
    with threads.decoding_threads(target):
        assert torch.get_num_threads() == expected
    assert torch.get_num_threads() == 2


def test_measures_a_target_once(clock):
    target = Target({1: 1.0, 2: 1.5}, clock)
    threads.threads_for(target)
    steps = target.steps
    assert steps == 2 * (threads.REPEATS + 1)
    assert threads.threads_for(target) == 1
    assert target.steps == steps


def test_does_not_wait_for_threads_that_are_hopeless(clock):
    target = Target({1: 1.0, 2: 100.0}, clock)
    assert threads.threads_for(target) == 1
    assert target.steps == threads.REPEATS + 1 + 2


def test_large_targets_keep_all_threads_unmeasured(clock):
    target = Target({1: 1.0, 2: 1.5}, clock, layers=threads.SMALL)
    assert threads.threads_for(target) == 2
    assert target.steps == 0


def test_restores_after_an_error(clock):
    target = Target({1: 1.0, 2: 1.5}, clock)
    with pytest.raises(KeyError), threads.decoding_threads(target):
        raise KeyError
    assert torch.get_num_threads() == 2


def test_threads_are_restored_where_measuring_fails(clock):
    target = Target({}, clock)
    with pytest.raises(KeyError):
        threads.threads_for(target)
    assert torch.get_num_threads() == 2
