"""Plain autoregressive decoding in the same engine: one token a step, same cache, same guards (the baseline)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docspec.engine.row import Row
from docspec.targets.protocol import Pending

if TYPE_CHECKING:
    from docspec.targets.protocol import SlotCache, TargetModel


def decode_autoregressively(target: TargetModel, cache: SlotCache, row: Row, margins: bool = False) -> int:
    """Runs ``row``, prefilled into row 0 of ``cache``, to its end; returns the forward passes.

    This is the lean loop that a speed-up is measured against: no proposer, no tree, no copy back but the choice (with
    its margin where ``margins`` are wanted).
    """
    forwards = 0
    while row.finish is None and row.length < cache.slots - 1:
        position = row.length + row.rope_delta
        choice = target.steps.advance(Pending(row.pending, position, row.length, row.rules, margins), cache)
        row.length += 1
        forwards += 1
        row.decided(choice)
    return forwards
