"""Ocean-OCR-Bench: its layout read, and figures to the digit as its publisher's ``eval.py`` makes them.

The expected figures were printed by ``cal_per_metrics`` of guoxy25/Ocean-OCR (commit b1f4c2b), called as its
``doc_text_eval`` calls it, with METEOR given a WordNet without synonyms, as here.
"""

from __future__ import annotations

import pytest

from benchmarks.suites import ocean_ocr
from benchmarks.suites.ocean_ocr import MEASURES, NoSynonyms, OceanOcr, measures

PUBLISHED = {
    "one": (0.09375, 0.9333333333333333, 1.0, 0.875, 0.5, 0.840561224489796),
    "two": (0.0, 1.0, 1.0, 1.0, 1.0, 0.9976851851851852),
    "three": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "vier": (0.07692307692307693, 0.875, 0.875, 0.875, 0.7071067811865475, 0.864795918367347),
}
"""By page: edit distance, F1, precision, recall, BLEU, METEOR."""


@pytest.fixture(autouse=True)
def no_wordnet(monkeypatch):
    monkeypatch.setattr(ocean_ocr, "_wordnet", NoSynonyms)


def test_measures_are_those_of_the_publishers_script(made):
    pages = {name: page for pages in made.OCEAN.values() for name, page in pages.items()}
    for name, (truth, output) in pages.items():
        found = measures(truth, output)
        assert tuple(found[measure] for measure in MEASURES) == pytest.approx(PUBLISHED[name], abs=1e-15), name


def test_languages_are_scored_apart(ocean_folder, made):
    suite = OceanOcr(ocean_folder)
    items = suite.items()
    written = {
        f"document_{language}/{name}": output
        for language, pages in made.OCEAN.items()
        for name, (_, output) in pages.items()
    }
    assert sorted(written) == [item.id for item in items]
    assert all(item.path.is_file() for item in items)
    scores = suite.score(items, written)
    assert scores.figures["English bleu"] == pytest.approx((0.5 + 1 + 0) / 3)
    assert scores.figures["Chinese edit_dist"] == pytest.approx(1 / 13)
    assert scores.by_kind["Chinese"] == pytest.approx(100 * (12 / 13 + 3 * 0.875 + 0.5**0.5 + 0.864795918367347) / 6)
    assert scores.overall == pytest.approx((scores.by_kind["English"] + scores.by_kind["Chinese"]) / 2)
    assert "WordNet" in scores.remarks[0]
