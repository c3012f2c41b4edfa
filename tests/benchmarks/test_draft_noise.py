"""Noise is deterministic, as strong as asked for, and changes nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rapidfuzz.distance import Levenshtein

from benchmarks.draft_noise import Noise, degrade, degrade_text, shuffled
from docspec.core import BBox, Category, PageDraft, Region

TEXT = "The river runs to the sea in winter, while summer brings it to a halt. " * 40
DRAFT = PageDraft(
    tuple(Region(BBox(0, 10 * i, 100, 10 * i + 8), Category.TEXT, (f"Region {i}. {TEXT}",)) for i in range(20)),
    drafter="text-layer",
    reason="born digital",
    seconds=0.5,
    page_texts=(TEXT,),
)


def test_no_noise_is_the_identity() -> None:
    assert degrade(DRAFT, Noise()) == DRAFT


def test_the_same_seed_gives_the_same_draft_and_another_seed_another() -> None:
    noise = Noise(substitute=0.1, delete=0.05, insert=0.05, jitter=0.1, drop=0.2, shuffle=0.5, seed=3)
    assert degrade(DRAFT, noise) == degrade(DRAFT, noise)
    assert degrade(DRAFT, noise) != degrade(DRAFT, replace(noise, seed=4))


def test_the_draws_are_the_same_on_every_machine() -> None:
    assert degrade_text("The river runs to the sea.", Noise(substitute=0.3, seed=1)) == "The piveu ri0sOtg thu sea."


@pytest.mark.parametrize("rate", [0.03, 0.15, 0.3])
def test_edits_are_as_frequent_as_asked_for(rate: float) -> None:
    distance = Levenshtein.distance(TEXT, degrade_text(TEXT, Noise.edits(rate)))
    assert 0.75 * rate < distance / len(TEXT) < 1.2 * rate


def test_each_rate_does_what_its_name_says() -> None:
    substituted = degrade_text(TEXT, Noise(substitute=1.0))
    assert len(substituted) == len(TEXT)
    assert all(a != b for a, b in zip(substituted, TEXT, strict=True))
    assert degrade_text(TEXT, Noise(delete=1.0)) == ""
    assert degrade_text(TEXT, Noise(insert=1.0))[::2] == TEXT


def test_table_tags_stay_whole_while_cells_suffer() -> None:
    table = Region(BBox(0, 0, 9, 9), Category.TABLE, ('<table><tr><td colspan="2">City</td></tr></table>',))
    (region,) = degrade(PageDraft((table,)), Noise(substitute=1.0)).regions
    assert region.texts[0].startswith('<table><tr><td colspan="2">')
    assert region.texts[0].endswith("</td></tr></table>")
    assert "City" not in region.texts[0]


def test_the_alternatives_of_a_region_are_broken_in_different_places() -> None:
    twice = Region(BBox(0, 0, 9, 9), Category.TEXT, (TEXT, TEXT))
    (region,) = degrade(PageDraft((twice,)), Noise.edits(0.1)).regions
    assert region.texts[0] != region.texts[1]


def test_dropping_regions_changes_none_of_the_others() -> None:
    edits = Noise(substitute=0.1, seed=7)
    full = degrade(DRAFT, edits).regions
    fewer = degrade(DRAFT, replace(edits, drop=0.4)).regions
    assert 0 < len(fewer) < len(full)
    assert set(fewer) < set(full)
    assert degrade(DRAFT, Noise(drop=1.0)).regions == ()


def test_shuffling_moves_the_asked_share_and_loses_nothing() -> None:
    order = shuffled(DRAFT.regions, Noise(shuffle=0.5))
    assert set(order) == set(DRAFT.regions)
    assert sum(a is not b for a, b in zip(order, DRAFT.regions, strict=True)) == 10
    everywhere = shuffled(DRAFT.regions, Noise(shuffle=1.0))
    assert all(a is not b for a, b in zip(everywhere, DRAFT.regions, strict=True))


def test_boxes_move_by_no_more_than_asked_and_stay_boxes() -> None:
    moved = degrade(DRAFT, Noise(jitter=0.25)).regions
    for before, after in zip(DRAFT.regions, moved, strict=True):
        assert before.bbox != after.bbox
        assert abs(after.bbox.x0 - before.bbox.x0) <= 25
        assert abs(after.bbox.y1 - before.bbox.y1) <= 2
        assert after.bbox.x0 <= after.bbox.x1
        assert after.bbox.y0 <= after.bbox.y1


def test_page_texts_suffer_too_and_the_rest_is_kept() -> None:
    draft = degrade(DRAFT, Noise.edits(0.1))
    assert draft.page_texts[0] != TEXT
    assert (draft.drafter, draft.reason, draft.seconds) == ("text-layer", "born digital", 0.5)


@pytest.mark.parametrize("settings", [{"drop": 1.5}, {"insert": -0.1}, {"substitute": 0.6, "delete": 0.6}])
def test_impossible_settings_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1|exceed 1"):
        Noise(**settings)
