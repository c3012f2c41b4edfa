"""The fidelity check passes what is identical, fails what is not, and never counts what was not compared."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from docspec.bench import fidelity
from docspec.bench.fidelity import PageChecks, check_documents
from docspec.core import DrafterError, PageDraft, PageImage, ParseOptions
from docspec.documents import Source, expand_inputs
from docspec.drafting import SafeDrafter
from docspec.drafting.text_layer import TextLayerDrafter

LINES = ("The tide fills the harbour", "twice a day, and twice", "a day it empties again.")


class Failing:
    name = "failing"

    def draft(self, page: PageImage) -> PageDraft:
        raise DrafterError("its models are gone")


class Empty:
    name = "empty-handed"

    def draft(self, page: PageImage) -> PageDraft:
        return PageDraft(drafter=self.name, reason="saw nothing")


class Counting(TextLayerDrafter):
    drafted = 0

    def draft(self, page: PageImage) -> PageDraft:
        self.drafted += 1
        return super().draft(page)


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """Two pages of three lines each."""
    document = pymupdf.open()
    for _ in range(2):
        page = document.new_page(width=240, height=120)
        for number, line in enumerate(LINES):
            page.insert_text((20, 30 + 25 * number), line, fontsize=12)
    document.save(tmp_path / "tides.pdf")
    return tmp_path / "tides.pdf"


@pytest.fixture
def blank_pdf(tmp_path: Path) -> Path:
    document = pymupdf.open()
    document.new_page(width=240, height=120)
    document.save(tmp_path / "blank.pdf")
    return tmp_path / "blank.pdf"


def sources(*paths: Path) -> list[Source]:
    return list(expand_inputs([str(path) for path in paths]).sources)


def options(model: Path, pages: str | None = "1") -> ParseOptions:
    return ParseOptions(model=str(model), dtype="float32", dpi=72, pages=pages, max_tokens=12)


def names(page: PageChecks) -> set[str]:
    return {check.drafts for check in page.checks}


def test_every_draft_gives_the_models_own_tokens_under_every_attention(lively_qwen: Path, pdf: Path) -> None:
    drafter = Counting()
    attentions = ("sdpa", "eager", "auto")
    pages = list(
        check_documents(sources(pdf), options(lively_qwen, "1-2"), [SafeDrafter(drafter)], attentions)
    )
    assert [(page.page, page.attention) for page in pages] == [(n, a) for a in attentions for n in (1, 2)]
    assert all(page.passed and page.seconds > 0 for page in pages)
    assert drafter.drafted == 2  # once a page, not once for each attention
    first, second = pages[:2]
    assert names(first) == {"text-layer", "echo 10% wrong", "echo 50% wrong", "none"}
    assert names(second) == {*names(first), "another page's"}
    assert [(skip.drafts, skip.reason) for skip in first.skips] == [
        ("another page's", "no drafted page before it")
    ]
    drafted = [check for check in first.checks if check.drafts == "text-layer"]
    assert {check.stages for check in drafted} == {"both", "together", "page"}
    assert all(check.draft_characters >= sum(map(len, LINES)) for check in drafted)
    assert all(check.tokens > 0 for page in pages for check in page.checks)


def test_a_difference_is_found(lively_qwen: Path, pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: against other tokens than the model's, nothing may pass."""
    own = fidelity.generate
    monkeypatch.setattr(fidelity, "generate", lambda *args: (*own(*args)[:-1], 0))
    [page] = check_documents(sources(pdf), options(lively_qwen), [SafeDrafter(TextLayerDrafter())], ["sdpa"])
    assert page.differing == page.checks != ()
    assert not page.passed


def test_a_drafter_that_fails_is_no_comparison(lively_qwen: Path, pdf: Path) -> None:
    drafters = [SafeDrafter(Failing()), SafeDrafter(Empty())]
    [page] = check_documents(sources(pdf), options(lively_qwen), drafters, ["sdpa"])
    assert names(page) == {"echo 10% wrong", "echo 50% wrong", "none"}
    failed, empty, _ = page.skips
    assert (failed.drafts, failed.failed) == ("failing", True)
    assert "its models are gone" in failed.reason
    assert (empty.drafts, empty.failed, empty.reason) == (
        "empty-handed",
        False,
        "an empty draft (saw nothing)",
    )
    assert not page.differing
    assert not page.passed


def test_a_blank_page_is_not_counted_as_identical(lively_qwen: Path, blank_pdf: Path) -> None:
    [page] = check_documents(
        sources(blank_pdf), options(lively_qwen), [SafeDrafter(TextLayerDrafter())], ["sdpa"]
    )
    assert page.checks == ()
    assert "nothing is printed on the page" in page.skips[-1].reason
    assert page.passed
