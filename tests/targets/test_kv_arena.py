"""KV memory is one bounded stretch that caches take turns in."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from docspec.core import PageError
from docspec.targets.kv import KVSpec
from docspec.targets.kv_arena import MIB, KVArena

SPEC = KVSpec(layers=2, kv_heads=1, head_dim=64, dtype=torch.float32, device=torch.device("cpu"))


def test_caches_share_one_storage_that_grows_only_when_it_must():
    arena = KVArena(SPEC)
    large = arena.cache(2, 99)
    held = arena.nbytes
    assert held == large.nbytes == 200 * SPEC.bytes_per_slot()
    small = arena.cache(3, 20)
    assert arena.nbytes == held
    assert small.buffer.data_ptr() == large.buffer.data_ptr()
    assert arena.cache(2, 99) is large
    arena.cache(1, 300)
    assert arena.nbytes == 301 * SPEC.bytes_per_slot()


def test_rows_of_a_cache_cut_from_larger_storage_do_not_overlap():
    arena = KVArena(SPEC)
    arena.cache(1, 500)
    cache = arena.cache(3, 10)
    for row in range(3):
        cache.buffer[:, :, row] = row + 1
    assert [cache.buffer[:, :, row].unique().tolist() for row in range(3)] == [[1], [2], [3]]
    cache.compact([(1, [4, 6], 0), (2, [9], 3)])
    cache.buffer[:, :, 1, 5] = 7
    cache.compact([(1, [5], 2)])
    assert cache.buffer[:, :, 1, 2].unique().tolist() == [7]
    assert cache.buffer[:, :, 2, 2].unique().tolist() == [3]


def test_a_request_over_the_limit_is_refused_in_one_line():
    arena = KVArena(SPEC)
    per_slot = SPEC.bytes_per_slot()
    arena.cache(1, 99, limit=100 * per_slot)
    with pytest.raises(PageError, match="kv-memory allows") as caught:
        arena.cache(1, 5 * MIB // per_slot, limit=4 * MIB)
    assert "\n" not in str(caught.value)
    assert "need a KV buffer of 5 MiB and kv-memory allows 4;" in str(caught.value)
    assert arena.nbytes == 100 * per_slot


def test_a_cache_whose_memory_was_handed_on_says_so():
    arena = KVArena(SPEC)
    old = arena.cache(1, 50)
    new = arena.cache(2, 20)
    new.begin_prefills([0], [3])
    with pytest.raises(RuntimeError, match="handed on"):
        old.begin_prefills([0], [3])
    with pytest.raises(RuntimeError, match="handed on"):
        old.begin_step(torch.tensor([[1]]), 8)


def test_release_gives_the_memory_back():
    arena = KVArena(SPEC)
    arena.cache(1, 10)
    arena.release()
    assert arena.nbytes == 0
    assert arena.cache(1, 10).buffer.eq(0).all()


def test_shapes_that_are_remembered_are_bounded():
    arena = KVArena(SPEC)
    for slots in range(500):
        arena.cache(1, slots + 1)
    assert len(arena._caches) <= 32


def test_memory_asked_for_in_inference_mode_can_be_changed_outside_of_it():
    arena = KVArena(SPEC)
    with torch.inference_mode():
        cache = arena.cache(2, 20)
        cache.begin_prefills([1], [3])
        cache.update(torch.ones(1, 1, 3, 64), torch.ones(1, 1, 3, 64), layer_idx=0)
    cache.compact([(1, [1, 2], 5)])
    cache.move_row(1, 0, 7)
    assert cache.buffer[0, 0, 0, :8, 0, 0].tolist() == [1, 1, 1, 0, 0, 1, 1, 0]


def test_what_overflowed_in_half_precision_does_not_outlive_its_page():
    arena = KVArena(replace(SPEC, dtype=torch.float16))
    arena.cache(1, 20).buffer.fill_(torch.inf)
    assert arena.cache(1, 10).buffer.isfinite().all()
