"""The fidelity check passes what is identical, fails what is not, and never counts what was not compared."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from transformers import Qwen3VLForConditionalGeneration

from docspec import Parser
from docspec.bench import generate
from docspec.bench.fidelity import check_documents
from docspec.bench.generate import WindowedBan
from docspec.bench.verdicts import FidelityCheck, PageChecks, never_compared
from docspec.core import DrafterError, PageDraft, PageImage, PageResult, ParseOptions
from docspec.documents import Source, expand_inputs
from docspec.drafting import SafeDrafter
from docspec.drafting.text_layer import TextLayerDrafter
from docspec.hierarchy.page import PageParser
from docspec.targets import loading

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


def options(model: Path, pages: str | None = "1", tokens: int = 12) -> ParseOptions:
    return ParseOptions(model=str(model), dtype="float32", dpi=72, pages=pages, max_tokens=tokens)


def names(page: PageChecks) -> set[str]:
    return {check.drafts for check in page.checks}


def test_every_way_gives_what_generate_gives_and_the_budget_is_no_end(lively_qwen: Path, pdf: Path) -> None:
    drafter = Counting()
    pages = list(check_documents(sources(pdf), options(lively_qwen, "1-2"), [SafeDrafter(drafter)], ("sdpa", "auto")))
    assert [(page.page, page.attention) for page in pages] == [
        (n, attention) for attention in ("sdpa", "auto") for n in (1, 2)
    ]
    assert drafter.drafted == 2  # once a page, not once for each attention
    first, second = pages[:2]
    assert names(first) == {"text-layer", "echo 10% wrong", "echo 50% wrong", "none"}
    assert names(second) == {*names(first), "another page's"}
    assert [(skip.drafts, skip.reason) for skip in first.skips] == [("another page's", "no drafted page before it")]
    drafted = [check for check in first.checks if check.drafts == "text-layer"]
    ways = ["both", "page", "planned", "backwards", "in flight"]
    assert [check.way for check in drafted] == ways
    assert all(check.draft_characters >= sum(map(len, LINES)) for check in drafted)
    for page in pages:
        assert page.passed and page.seconds > 0
        assert page.inputs and page.inputs_apart == ""
        assert page.of("cut") == page.checks  # a model with random weights does not end
        assert all(check.tokens == 12 for check in page.checks)


def test_crops_of_a_page_read_by_regions_are_compared_one_by_one(lively_qwen: Path, pdf: Path) -> None:
    by_regions = replace(options(lively_qwen, "1-2"), read="regions")
    pages = list(check_documents(sources(pdf), by_regions, [SafeDrafter(TextLayerDrafter())]))
    for page in pages:
        assert page.passed and "crops" in page.inputs
        ways = ["none", "page", "planned", "backwards", "in flight"]
        assert [(check.drafts, check.way) for check in page.checks] == [("text-layer", way) for way in ways]
        assert all(check.tokens > 0 for check in page.checks)


def test_pages_that_end_are_identical(lively_qwen: Path, pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that the model writes is made the one that ends its pages."""
    [page] = check_documents(sources(pdf), options(lively_qwen), [], ["auto"])
    assert page.of("cut") == page.checks != []
    with Parser(options(lively_qwen)) as parser:
        [read] = parser.pages(pdf)
    end = read.token_ids[6]
    monkeypatch.setattr(loading, "end_ids", lambda *_: frozenset({end}))
    own = Qwen3VLForConditionalGeneration.generate
    monkeypatch.setattr(Qwen3VLForConditionalGeneration, "generate", lambda *a, **k: own(*a, **k, eos_token_id=end))
    [page] = check_documents(sources(pdf), options(lively_qwen), [], ["auto"])
    assert page.of("identical") == page.checks != []
    assert page.passed


@pytest.mark.parametrize("what", ["tokens", "files", "end"])
def test_a_difference_is_found(lively_qwen: Path, pdf: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """The negative control: against other tokens, files or endings than the model's, nothing may pass."""
    own = generate.ReferenceGenerator.page
    if what == "files":
        verify = PageParser.verify
        monkeypatch.setattr(PageParser, "verify", lambda *args: _shouting(verify(*args)))
    elif what == "tokens":
        monkeypatch.setattr(
            generate.ReferenceGenerator,
            "page",
            lambda *args: replace(found := own(*args), tokens=(*found.tokens[:-1], 0)),
        )
    else:
        monkeypatch.setattr(generate.ReferenceGenerator, "page", lambda *args: replace(own(*args), ended=True))
    [page] = check_documents(sources(pdf), options(lively_qwen), [SafeDrafter(TextLayerDrafter())], ["sdpa"])
    assert page.of("differs") == page.checks != []
    assert not page.passed
    expected = {"tokens": "tokens", "files": "md", "end": "end"}[what]
    assert all(expected in check.apart for check in page.checks)
    assert ("tokens" in page.checks[0].apart) is (what == "tokens")


def _shouting(result: PageResult) -> PageResult:
    return replace(result, blocks=tuple(replace(block, text=block.text + "!") for block in result.blocks))


def test_inputs_that_differ_fail_the_page() -> None:
    page = PageChecks("a.pdf", 1, "auto", inputs="AutoProcessor", inputs_apart="pixel_values: by up to 2")
    assert not page.passed


def test_a_drafter_that_fails_or_finds_nothing_is_no_comparison(lively_qwen: Path, pdf: Path) -> None:
    drafters = [SafeDrafter(Failing()), SafeDrafter(Empty())]
    [page] = check_documents(sources(pdf), options(lively_qwen), drafters, ["sdpa"])
    assert names(page) == {"echo 10% wrong", "echo 50% wrong", "none"}
    failed, empty, _ = page.skips
    assert (failed.drafts, failed.failed) == ("failing", True)
    assert "its models are gone" in failed.reason
    assert (empty.drafts, empty.failed, empty.reason) == ("empty-handed", False, "an empty draft (saw nothing)")
    assert not page.of("differs")
    assert not page.passed
    assert never_compared([page], [each.name for each in drafters]) == ("failing", "empty-handed")


def test_a_blank_page_is_not_counted_as_identical(lively_qwen: Path, blank_pdf: Path) -> None:
    [page] = check_documents(sources(blank_pdf), options(lively_qwen), [SafeDrafter(TextLayerDrafter())], ["sdpa"])
    assert page.checks == []
    assert "nothing is printed on it" in page.skips[-1].reason
    assert page.passed


def test_verdicts_are_counted_apart() -> None:
    def check(verdict: str) -> FidelityCheck:
        return FidelityCheck("a", 1, "auto", "none", "page", verdict, (), 0, 1, 1, 0)  # type: ignore[arg-type]

    page = PageChecks("a", 1, "auto", [check("identical"), check("cut"), check("cut")])
    assert (len(page.of("identical")), len(page.of("cut")), page.passed) == (1, 2, True)
    assert not replace(page, checks=[check("differs")]).passed


@pytest.mark.parametrize("followed", [True, False])
def test_a_ban_of_docspec_json_holds_for_generate_too(
    lively_qwen: Path, pdf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, followed: bool
) -> None:
    model = tmp_path / "model"
    shutil.copytree(lively_qwen, model)
    card = json.loads((model / "docspec.json").read_text()) if (model / "docspec.json").exists() else {}
    (model / "docspec.json").write_text(json.dumps({**card, "no_repeat_ngrams": {"size": 2, "window": 24}}))
    if not followed:
        monkeypatch.setattr(WindowedBan, "__call__", lambda self, input_ids, scores: scores)
    [page] = check_documents(sources(pdf), options(model, tokens=24), [], ["auto"])
    assert page.checks and all((check.verdict == "differs") is not followed for check in page.checks)
