"""Measures, on the user's own file, how far logits depend on the number of tokens that are verified together.

:mod:`docspec.targets.noise` does so for docspec's own engine: the same token behind the same tokens has slightly
different logits in a batch than alone.
"""

from __future__ import annotations

import numpy as np

from docspec.generation.llama.loaded import LoadedModel

TOKENS = 64
WIDTHS = (64, 16, 8, 3)
RIVALS = 8
"""The number of likeliest tokens at each position whose distances from the first are compared."""

SAFETY = 2.0
"""The bound over the measured noise, which is the largest at a few hundred positions of meaningless text."""


def shape_noise(model: LoadedModel) -> float:
    """The margin (in logits) below which a choice made in a batch may be another one in a step of one token."""
    tokens = np.random.default_rng(0).integers(0, model.vocab_size, TOKENS).tolist()
    alone = _logits(model, tokens, 1)
    rivals = np.argsort(alone, axis=1)[:, : -1 - RIVALS : -1]
    first = np.take_along_axis(alone, rivals, 1)
    most = float(np.finfo(np.float32).eps * np.abs(first).max())
    for width in WIDTHS:
        moved = np.take_along_axis(_logits(model, tokens, width), rivals, 1) - first
        most = max(most, float(np.abs(moved - moved[:, :1]).max()))
    return SAFETY * most


def _logits(model: LoadedModel, tokens: list[int], width: int) -> np.ndarray:
    """Logits ``(tokens, vocab)`` of ``tokens`` run ``width`` at a time."""
    found = []
    for start in range(0, len(tokens), width):
        part = tokens[start : start + width]
        places = list(range(start, start + len(part)))
        model.decode(part, places, [0] * len(part), list(range(len(part))))
        found.append(model.logits(len(part)))
    model.forget(0)
    return np.concatenate(found)
