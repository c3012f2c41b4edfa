"""How much a choice may depend on how many tokens are verified together, measured on the user's own file.

As :mod:`docspec.targets.noise` for docspec's own engine: the same token behind the same tokens gets slightly different
logits in a batch than alone.
"""

from __future__ import annotations

import numpy as np

from docspec.generation.llama.loaded import LoadedModel

TOKENS = 64
WIDTHS = (64, 16, 8, 3)
RIVALS = 8
"""The likeliest tokens of each place whose distances from the first are compared."""

SAFETY = 2.0
"""The bound over what was found, which is the most of a few hundred places on meaningless text."""


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
