"""The folder that travels: pages, drafts and texts are read back as they were made, and no more goes than may."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pymupdf
import pytest

from benchmarks.device import prepare as preparing
from benchmarks.device.prepare import prepare, transcripts
from docspec.core import PageDraft, ParseOptions, UsageError
from docspec.core.validation import parsed_as
from docspec.drafting import make_drafter
from docspec.drafting.saved import SavedDrafter

ROOT = Path(__file__).parents[3]


@pytest.fixture
def shared(tmp_path):
    """A folder of two documents with texts, one without, and a tokenizer."""
    folder = tmp_path / "shared" / "deep"
    folder.mkdir(parents=True)
    for name in ("zebra", "earnings", "alone"):
        document = pymupdf.open()
        page = document.new_page(width=300, height=200)
        page.insert_text((30, 60), f"Figures of {name} for the third quarter", fontsize=12)
        page.insert_text((30, 120), "They were better than those of the second.", fontsize=12)
        document.save(folder / f"{name}.pdf")
    (folder / "zebra.md").write_text("Figures of zebra é", encoding="utf-8")
    (folder / "earnings.json").write_text("[]")
    (tmp_path / "shared" / "a_tokenizer.json").write_text('{"version": "1.0"}')
    return tmp_path / "shared"


def test_pages_of_earlier_runs_come_first(shared):
    assert [each.name for each in transcripts(shared)] == ["earnings", "zebra"]
    assert [each.name for each in transcripts(None)] == list(preparing.SAMPLES)


def test_what_was_prepared_is_read_back(shared, tmp_path, monkeypatch):
    monkeypatch.setattr(preparing, "BUNDLED", ("notes",))
    out, said = tmp_path / "out", []
    (out / "old").mkdir(parents=True)
    size = prepare(out, shared, wheels=False, tell=said.append)
    assert not (out / "old").exists()  # nothing of an earlier time travels
    own = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    assert own < size < preparing.LIMIT
    about = json.loads((out / "prepared.json").read_text())
    assert list(about["transcripts"]) == ["earnings", "zebra"] and len(about["commit"]) >= 7
    assert about["transcripts"]["zebra"]["transcript"] == "zebra.md"
    assert about["transcripts"]["zebra"]["drafter"] == "text-layer"
    assert (out / "transcripts" / "zebra.md").read_text(encoding="utf-8") == "Figures of zebra é"
    assert gzip.decompress((out / "tokenizer.json.gz").read_bytes()) == b'{"version": "1.0"}'
    page = preparing.first_page(shared / "deep" / "zebra.pdf")
    expected = make_drafter(ParseOptions(drafter="text-layer")).draft(page)
    draft = parsed_as(PageDraft, (out / "transcripts" / "zebra.draft.json").read_bytes())
    assert draft.regions == expected.regions and draft.page_texts == expected.page_texts and draft.regions
    notes = preparing.first_page(ROOT / "samples" / "notes.pdf")
    saved = SavedDrafter(out / "bundled" / "drafts").draft(notes)
    original = make_drafter(ParseOptions(drafter="text-layer")).draft(notes)
    assert [region.texts[:1] for region in saved.regions] == [region.texts[:1] for region in original.regions]
    assert not saved.events  # its size is the picture's


def test_what_is_too_large_is_an_error(shared, tmp_path, monkeypatch):
    monkeypatch.setattr(preparing, "BUNDLED", ())
    monkeypatch.setattr(preparing, "LIMIT", 2**20)
    with pytest.raises(UsageError, match="too many to travel"):
        prepare(tmp_path / "out", shared, wheels=False, tell=lambda _: None)


def test_every_package_that_travels_is_pinned():
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in (ROOT / "constraints.txt").open()}
    assert {name.lower().replace("_", "-") for name in preparing.PACKAGES} <= pinned
