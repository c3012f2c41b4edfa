"""The campaign's damage is the same on every machine, and is damage."""

from __future__ import annotations

from .mutants import KINDS, mutant
from .raw import document, text

DATA = document(*(text(f"Page {number} of a small document") for number in range(12)))


def test_the_same_seed_does_the_same_damage_and_every_kind_does_some() -> None:
    made = [mutant(DATA, seed) for seed in range(4 * len(KINDS))]
    assert made == [mutant(DATA, seed) for seed in range(4 * len(KINDS))]
    assert {kind for kind, damaged in made if damaged != DATA} == set(KINDS)
