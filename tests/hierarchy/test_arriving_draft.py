"""A page begins while its text is still recognised in a child: ordered by events, and with the output that it has after
its draft too."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docspec import ParseOptions, Parser
from docspec.core import BBox, Category, DrafterError, PageDraft, PageImage, PageResult, Region
from docspec.core.observer import NullObserver
from docspec.drafting import SafeDrafter
from docspec.drafting.drafted_page import DraftFuture
from docspec.hierarchy.planner import Pacing
from docspec.isolation.pool import Isolation
from docspec.reporting import timing
from tests.reporting.schema_check import load_schema, problems

PATIENCE = 60.0


class Patient:
    """Drafts in the child: says that it begins, waits until the parent decodes, says a line, and waits again."""

    name = "patient"

    def __init__(self, folder: Path, texts: Sequence[str], policy: Any, fails: bool = False) -> None:
        self._folder, self._texts, self._policy, self._fails = folder, texts, policy, fails

    def draft(self, page: PageImage) -> PageDraft:
        self._policy.recognised(())
        self._await("decoding")
        self._policy.recognised(self._texts)
        self._await("line taken")
        if self._fails:
            raise DrafterError("out of ink")
        regions = [
            Region(BBox(1, 1 + 20 * at, page.width, 19 + 20 * at), Category.TEXT, (text,))
            for at, text in enumerate(self._texts)
        ]
        return PageDraft(tuple(regions), self.name, "by heart", 1.0)

    def _await(self, sign: str) -> None:
        end = time.monotonic() + PATIENCE
        while not (self._folder / sign).exists():
            assert time.monotonic() < end, f"nobody said {sign}"
            time.sleep(0.005)


class Making:
    """Travels to the child, where it makes the drafter."""

    def __init__(self, folder: Path, texts: Sequence[str], fails: bool = False) -> None:
        self.folder, self.texts, self.fails = folder, texts, fails

    def __call__(self, options: Any, policy: Any) -> SafeDrafter:
        return SafeDrafter(Patient(self.folder, self.texts, policy, self.fails) if policy else Nothing())


class Nothing:
    name = "nothing"

    def draft(self, page: PageImage) -> PageDraft:
        return PageDraft()


class Conductor(NullObserver):
    """Lets the child go on as decoding goes on, and decoding as the child does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.arrived, self.whole = threading.Event(), threading.Event()
        self._calls = 0

    def decoding(self, number: int, stage: str, tokens: int, tokens_per_step: float) -> None:
        self._calls += 1
        if self._calls == 1:
            (self.folder / "decoding").touch()
            assert self.arrived.wait(PATIENCE)
        elif self._calls == 2:
            (self.folder / "line taken").touch()
            assert self.whole.wait(PATIENCE)


@pytest.fixture
def read(lively_qwen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., PageResult]:
    monkeypatch.setattr("docspec.hierarchy.reading_context.LEAST_SECONDS", -1.0)
    paper = tmp_path / "paper.pdf"
    with pymupdf.open() as document:
        document.new_page(width=200, height=120).insert_text((20, 40), "Some words.", fontsize=11)
        document.save(paper)

    def read(texts: Sequence[str], overlap: str = "auto", fails: bool = False, **more: Any) -> PageResult:
        options = ParseOptions(
            model=str(lively_qwen),
            device="cpu",
            dtype="float32",
            drafter="rapidocr",  # by name: without a bound on its seconds
            dpi=72,
            max_tokens=60,
            read="page",
            stages="page",
            overlap=overlap,  # type: ignore[arg-type]
            **more,
        )
        conductor = Conductor(tmp_path)
        for sign in ("decoding", "line taken"):
            (tmp_path / sign).unlink(missing_ok=True)
        if overlap == "off":
            for sign in ("decoding", "line taken"):
                (tmp_path / sign).touch()
            conductor.decoding = lambda *_: None  # type: ignore[method-assign]

        heard, finish = DraftFuture.heard, DraftFuture.finish

        def hear(self: DraftFuture, lines: Sequence[str]) -> None:
            heard(self, lines)
            if lines:
                conductor.arrived.set()

        def finished(self: DraftFuture, *told: Any) -> None:
            finish(self, *told)
            conductor.whole.set()

        monkeypatch.setattr(DraftFuture, "heard", hear)
        monkeypatch.setattr(DraftFuture, "finish", finished)
        with Parser(options, conductor) as parser:
            parser._stream.isolation = Isolation(options, Making(tmp_path, texts, fails))
            [page] = parser.pages(paper)
        return page

    return read


def bare(page: PageResult) -> PageResult:
    """``page`` without what it took, and whether drafts paid, which goes by that."""
    events = tuple(event for event in page.events if event.kind != "plain_decoding")
    quality = page.quality and replace(page.quality, margin=None)  # its last digits go by the shape of steps
    page = replace(page, quality=quality, timings=type(page.timings)(), events=events)
    return replace(page, timeline=(), image=None, stage2=None)


def when(page: PageResult, what: str) -> int:
    """The place in the timeline of what happened."""
    return next(place for place, moment in enumerate(page.timeline) if what in moment.what)


def test_a_page_is_decoded_before_its_draft_is_whole_and_writes_the_same(read: Callable[..., PageResult]) -> None:
    text = read(["no such words"], overlap="off").text
    words = text.split("\n")
    after, beside = read(words, overlap="off"), read(words)
    assert after.timeline == () and after.timings.beside == 0
    assert beside.status == "ok", beside.error
    assert bare(beside) == bare(after) and beside.text == text
    order = [
        when(beside, what)
        for what in ("recognition began", "first token", "lines arrived", "the draft was whole", "last token")
    ]
    assert order == sorted(order)
    arrived, whole = (beside.timeline[when(beside, what)] for what in ("lines arrived", "draft was whole"))
    assert 1 < arrived.tokens < whole.tokens < len(beside.token_ids)
    assert beside.stage2 is not None and beside.stage2.accepted > 0
    assert beside.timings.beside > 0
    value = timing.page_object(beside)
    schema = load_schema("report")
    assert problems(value, schema["$defs"]["page"], schema) == []
    assert [each["tokens"] for each in value["timeline"]] == [moment.tokens for moment in beside.timeline]


def test_a_draft_that_fails_beside_costs_the_page_nothing_but_its_draft(read: Callable[..., PageResult]) -> None:
    after, beside = (read(["some", "words"], overlap=kind, fails=True) for kind in ("off", "auto"))
    assert bare(beside) == bare(after)
    assert [event.kind for event in beside.events if event.kind == "drafter_failed"] == ["drafter_failed"]


@pytest.mark.parametrize("more", [{"stages": "both"}, {"stages": "none"}, {"pages_in_flight": 2}, {"overlap": "off"}])
def test_pages_that_need_their_draft_first_wait_for_it(more: dict[str, Any]) -> None:
    assert ParseOptions().overlaps
    assert not ParseOptions(**more).overlaps


def test_news_end_a_plain_stretch() -> None:
    class Row:
        def __init__(self) -> None:
            self.output: list[int] = []
            self.counts = type("Counts", (), {"plain_tokens": 0})()

    now, row = 0.0, Row()
    pacing = Pacing(1.0, clock=lambda: now)

    def step(seconds: float, tokens: int = 1) -> int:
        nonlocal now
        now += seconds
        row.output += [0] * tokens
        return pacing.limit(row, 9)  # type: ignore[arg-type]

    pacing.limit(row, 9)  # type: ignore[arg-type]
    limits = [step(3.0) for _ in range(12)]
    assert limits[-1] == 1
    pacing.drafts_changed()
    assert step(1.0) == 9
