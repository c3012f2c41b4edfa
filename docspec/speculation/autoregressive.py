"""Plain autoregressive decoding in the same engine: one token a step, same cache, same guards (the baseline)."""

from __future__ import annotations

from docspec.speculation.decode import Row
from docspec.targets.kv_cache import SlotCache
from docspec.targets.protocol import TargetModel


def decode_autoregressively(target: TargetModel, cache: SlotCache, row: Row) -> int:
    """Runs ``row``, prefilled into row 0 of ``cache``, to its end; returns the forward passes.

    This is the lean loop that a speed-up is measured against: no proposer, no tree, no copy back but the token.
    """
    forwards = 0
    while row.finish is None and row.length < cache.slots - 1:
        token = target.steps.advance(row.output[-1], row.length + row.rope_delta, row.length, cache)
        row.length += 1
        row.steps += 1
        forwards += 1
        row.emit(token)
    return forwards
