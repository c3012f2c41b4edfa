"""The slot cache moves exactly what it is told to move."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from docspec.targets.kv import KVSpec
from docspec.targets.kv_cache import SlotCache

SPEC = KVSpec(layers=2, kv_heads=1, head_dim=2, dtype=torch.float32, device=torch.device("cpu"))


def filled(rows: int, slots: int) -> SlotCache:
    cache = SlotCache(SPEC, rows, slots)
    cache.buffer.copy_(torch.arange(cache.buffer.numel()).view_as(cache.buffer))
    return cache


@given(st.data())
def test_compaction_equals_copying_slot_by_slot(data):
    cache = filled(rows=3, slots=12)
    moves, expected = [], cache.buffer.clone()
    for row in data.draw(st.sets(st.integers(0, 2))):
        to = data.draw(st.integers(0, 5))
        slots = data.draw(st.lists(st.integers(to, 11), unique=True, max_size=5).map(sorted))
        moves.append((row, slots, to))
        for i, slot in enumerate(slots):
            expected[:, :, row, to + i] = cache.buffer[:, :, row, slot]
    cache.compact(moves)
    assert torch.equal(cache.buffer, expected)


def test_writes_go_to_the_slots_asked_for_and_padding_to_the_bin():
    cache = SlotCache(SPEC, rows=2, slots=8)
    cache.begin_step(torch.tensor([[3, 5], [0, cache.padding_slot]]), view_slots=6)
    new = torch.arange(1.0, 9.0).view(2, 1, 2, 2)
    keys, values = cache.update(new, -new, layer_idx=1)
    assert keys.shape == values.shape == (2, 1, 6, 2)
    assert keys[0, 0, 3].tolist() == [1, 2]
    assert keys[0, 0, 5].tolist() == [3, 4]
    assert keys[1, 0, 0].tolist() == [5, 6]
    assert cache.buffer[1, 0, 1, cache.padding_slot, 0].tolist() == [7, 8]
    assert cache.buffer[0].abs().sum() == 0
    assert torch.equal(values, -keys)


def test_a_prompt_sees_only_itself():
    cache = filled(rows=2, slots=8)
    cache.begin_prefills([1], [3])
    new = torch.ones(1, 1, 3, 2)
    keys, _ = cache.update(new, new, layer_idx=0)
    assert keys is new
    assert cache.buffer[0, 0, 1, :3].eq(1).all()
    assert not cache.buffer[0, 0, 0, :3].eq(1).all()


def test_a_prompt_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="does not fit"):
        SlotCache(SPEC, rows=1, slots=4).begin_prefills([0], [5])


def test_bytes_are_stated():
    cache = SlotCache(SPEC, rows=2, slots=7)
    assert cache.nbytes == 2 * 8 * SPEC.bytes_per_slot() == cache.buffer.numel() * 4
