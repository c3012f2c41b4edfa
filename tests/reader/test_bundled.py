"""The checkpoint that ships with the package reads, and keeps quiet before an empty page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

import docspec.reader
from training.evaluate import LINE_GROUPS, Reader, crops_of, lines_of, normalise
from training.reader.checkpoint import NOTE

MODEL = Path(docspec.reader.__file__).parent / "mini"


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(MODEL)


def test_it_is_small_and_says_what_it_is() -> None:
    size = sum(path.stat().st_size for path in MODEL.iterdir())
    assert size <= 25_000_000
    facts = json.loads((MODEL / "docspec.json").read_text(encoding="utf-8"))
    assert facts["note"] == NOTE and "random" not in facts
    assert (MODEL / "MODEL_CARD.md").is_file()


def test_it_reads_short_crops_of_text_it_has_never_seen(reader: Reader) -> None:
    errors = characters = 0
    for sample in crops_of(1, 4, 12, 4_000_000, unseen=False):
        (output,) = reader.read([sample.pixels], 300)
        errors += Levenshtein.distance(normalise(sample.text), normalise(output))
        characters += len(sample.text)
    assert errors / characters < 0.05


def test_it_reads_lines_as_wide_as_a_page(reader: Reader) -> None:
    errors = characters = 0
    kinds, noise = LINE_GROUPS["prose"]
    for seed in (4_000_000, 5_000_000, 6_000_000):
        for sample in lines_of(kinds, 1, 6, seed, unseen=False, noise=noise):
            (output,) = reader.read([sample.pixels], 300)
            errors += Levenshtein.distance(normalise(sample.text), normalise(output))
            characters += len(sample.text)
    assert errors / characters < 0.1


def test_an_empty_page_gives_no_text(reader: Reader) -> None:
    assert reader.read([np.full((960, 704), 255, np.uint8)], 64) == [""]
