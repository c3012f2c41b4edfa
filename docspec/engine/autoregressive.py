"""Plain autoregressive decoding in the same engine: one token per step, same cache, same guards (the baseline)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docspec.engine.row import Row
from docspec.targets.protocol import Pending

if TYPE_CHECKING:
    from docspec.targets.protocol import SlotCache, TargetModel


def decode_autoregressively(target: TargetModel, cache: SlotCache, row: Row, margins: bool = False) -> int:
    """Decodes ``row``, prefilled into row 0 of ``cache``, to its end; returns the number of forward passes.

    This lean loop is the baseline of all speed-ups: no proposer, no tree, and only the choice is copied back (with its
    margin if ``margins`` are wanted).
    """
    forwards = 0
    while row.finish is None and row.length < cache.slots - 1:
        position = row.length + row.rope_delta
        choice = target.steps.advance(Pending(row.pending, position, row.length, row.rules, margins), cache)
        row.length += 1
        forwards += 1
        row.decided(choice)
    return forwards
