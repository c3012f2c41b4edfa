"""Pictures by elimination: rules are taken out of the ink before its patches are looked for."""

from __future__ import annotations

import numpy as np
import pytest

from docspec.drafting.pictures import THICK, _without_rules


def by_windows(mask: np.ndarray, length: float) -> np.ndarray:
    """What :func:`_without_rules` says of itself, window by window."""
    wide = np.zeros_like(mask)
    for start in range(mask.shape[1] - THICK + 1 if mask.shape[1] > THICK else 0):
        inked = mask[:, start : start + THICK].all(axis=1)
        wide[inked, start : start + THICK] = True
    thin = mask & ~wide
    thin[:, thin.sum(axis=0) < length * mask.shape[0]] = False
    return mask & ~thin


@pytest.mark.parametrize("width", [1, THICK - 1, THICK, THICK + 1, 40])
@pytest.mark.parametrize("share", [0.2, 0.8, 0.95])
def test_rules_are_thin_and_long_wherever_they_stand(width: int, share: float) -> None:
    random = np.random.default_rng(width)
    for height in (1, 7, 30):
        mask = random.random((height, width)) < share
        mask[:, random.integers(width)] = True  # a rule
        for length in (0.3, 0.6):
            assert np.array_equal(_without_rules(mask, length), by_windows(mask, length))
            assert np.array_equal(_without_rules(mask.T, length), by_windows(mask.T, length))


def test_a_rule_goes_and_what_is_thicker_stays() -> None:
    mask = np.zeros((100, 60), bool)
    mask[:, 10 : 10 + THICK - 1] = True
    mask[:, 30 : 30 + THICK] = True
    left = _without_rules(mask, 0.3)
    assert not left[:, :25].any() and left[:, 30 : 30 + THICK].all()
