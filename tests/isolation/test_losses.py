"""Children that die, hang or eat memory cost a page its draft, or the page; real processes, real deaths."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.campaign.raw import document, text
from docspec.core import DrafterError, Failure, InputError
from docspec.documents import PageFailure
from docspec.documents.sources import source_from_path
from docspec.documents.weight import MAX_POINTS
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation import nursery
from docspec.isolation.child import Child, WorkerLost
from docspec.isolation.pool import Isolation
from tests.isolation import doubles
from tests.isolation.conftest import written
from tests.isolation.doubles import wanted

TIMEOUT = 5.0
"""Seconds. Where others keep the machine busy a page beside the one that hangs may miss them too, so that none of these
is asked for more than to come."""
PATIENCE = 60.0
MEMORY = 700 * 2**20


def read(children: Isolation, path: Path, dpi: float = 72) -> list[DraftedPage | PageFailure]:
    document = children.open(source_from_path(path))
    document.begin()
    places = ((document, number) for number in range(1, document.page_count + 1))
    return [page for _, page in children.pages(places, wanted(dpi), 1)]


@pytest.mark.parametrize("forks", [True, False])
def test_a_drafter_that_takes_the_child_along_costs_the_page_its_draft(
    isolation: Callable[..., Isolation], tmp_path: Path, forks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not forks:
        monkeypatch.setattr(nursery, "can_fork", lambda: False)
    pages = read(isolation(doubles.ill_fated, MEMORY), written(tmp_path / "a.pdf", pages=11))
    prepared = [page for page in pages if isinstance(page, DraftedPage)]
    assert len(prepared) == 11, "no page is lost"
    assert len({page.page.image.tobytes() for page in prepared}) == 11
    for page in prepared[::2]:
        assert len(page.draft.regions) == 1 and not page.draft.events
    said = []
    for page in prepared[1::2]:
        assert page.draft.is_empty and not page.draft.blank
        [event] = page.draft.events
        assert event.kind == "drafter_failed"
        said.append((event.failure, event.detail.split(": ", 1)[1]))
    died = "decoded without a draft"
    assert said == [
        (Failure.CRASHED, f"crashed (SIGABRT); {died}"),
        (Failure.CRASHED, f"crashed (SIGSEGV); {died}"),
        (Failure.CRASHED, f"crashed (exit code 7); {died}"),
        (Failure.OUT_OF_MEMORY, f"took more than 700 MiB of memory; {died}"),
        (Failure.OUT_OF_MEMORY, f"out of memory; {died}"),
    ]


def test_an_input_that_cannot_be_opened_costs_no_page_of_the_one_before(
    isolation: Callable[..., Isolation], pdf: Path, tmp_path: Path
) -> None:
    """The next input is opened before the last page of one is drawn, by the same child."""
    (tmp_path / "bad.pdf").write_text("no PDF\n")
    children = isolation(doubles.sound)
    opened = children.open(source_from_path(pdf))
    with pytest.raises(InputError, match="not a PDF"):
        children.open(source_from_path(tmp_path / "bad.pdf"))
    [(_, page)] = children.pages(iter([(opened, 1)]), wanted(72), 1)
    assert isinstance(page, DraftedPage)


def test_a_drafter_that_hangs_is_stopped_in_time(isolation: Callable[..., Isolation], pdf: Path) -> None:
    pages = read(isolation(doubles.hanging, page_timeout=TIMEOUT), pdf)
    assert len(pages) == 3
    second = pages[1]
    assert isinstance(second, DraftedPage)
    [event] = second.draft.events
    assert event.failure is Failure.TIMED_OUT
    assert "was not done in time (--page-timeout); decoded without" in event.detail
    assert second.draft.seconds < TIMEOUT + PATIENCE, "it would hang for an hour"


def test_a_draft_never_takes_longer_than_it_could_save(isolation: Callable[..., Isolation], pdf: Path) -> None:
    children = isolation(doubles.hanging, page_timeout=3600.0)
    document = children.open(source_from_path(pdf))
    _, second, _ = [page for _, page in children.pages(iter([(document, n) for n in (1, 2, 3)]), wanted(most=2.0), 1)]
    assert isinstance(second, DraftedPage)
    [event] = second.draft.events
    assert "took longer than plain decoding of a page (2.0 s); decoded without" in event.detail


def test_a_page_that_takes_the_child_along_while_it_is_drawn_is_lost_alone(
    isolation: Callable[..., Isolation], tmp_path: Path
) -> None:
    pages = read(isolation(doubles.ill_fated_drawing, MEMORY), written(tmp_path / "a.pdf", pages=5))
    assert [isinstance(page, DraftedPage) for page in pages] == [True, False, True, False, True]
    lost = [page.error for page in pages if isinstance(page, PageFailure)]
    assert [error.failure for error in lost] == [Failure.CRASHED, Failure.OUT_OF_MEMORY]
    why = "cannot be rendered: drawing it crashed (SIGABRT)"
    assert str(lost[0]) == f"{tmp_path}/a.pdf, page 2: {why}"


def test_a_file_on_which_mupdf_does_not_end_costs_one_page(isolation: Callable[..., Isolation], tmp_path: Path) -> None:
    """One path with as many long lines as are let through, which MuPDF fills without a look at the time."""
    points = b" ".join(b"%d %d l" % (7919 * n % 300, 104729 * n % 400) for n in range(MAX_POINTS - 1))
    contents = text("The first page"), b"0 0 m " + points + b" f*", text("The last page")
    (tmp_path / "a.pdf").write_bytes(document(*contents))
    pages = read(isolation(doubles.sound, page_timeout=TIMEOUT), tmp_path / "a.pdf", dpi=200)
    assert len(pages) == 3
    assert isinstance(pages[1], PageFailure) and pages[1].error.failure is Failure.TIMED_OUT


def test_the_pages_that_are_not_drawn_when_a_document_is_out_of_time_fail(
    isolation: Callable[..., Isolation], pdf: Path
) -> None:
    children = isolation(doubles.hanging_while_drawing, document_timeout=TIMEOUT)
    _, *rest = read(children, pdf)
    assert [isinstance(page, PageFailure) and page.error.failure for page in rest] == [Failure.TIMED_OUT] * 2
    assert all("document-timeout" in str(page.error) for page in rest if isinstance(page, PageFailure))
    assert len(read(children, written(pdf.with_name("one.pdf"), pages=1))) == 1


def test_a_drafter_that_dies_again_and_again_is_given_up(isolation: Callable[..., Isolation], tmp_path: Path) -> None:
    pages = read(isolation(doubles.aborting), written(tmp_path / "a.pdf", pages=5))
    said = [page.draft.events[0].detail for page in pages if isinstance(page, DraftedPage)]
    assert ["SIGABRT" in detail for detail in said] == [True, True, True, False, False]
    assert "given up" in said[3]


def test_a_child_that_dies_while_it_opens_a_file_costs_that_file(
    isolation: Callable[..., Isolation], pdf: Path
) -> None:
    children = isolation(doubles.sound)
    assert len(read(children, pdf)) == 3
    child = children._workers[0]._child
    assert child is not None
    os.kill(child.pid, 9)
    with pytest.raises(InputError, match="opening it") as raised:
        children.open(source_from_path(pdf))
    assert raised.value.failure is Failure.OUT_OF_MEMORY
    assert len(read(children, pdf)) == 3


def test_a_drafter_that_cannot_work_is_said_before_any_page(isolation: Callable[..., Isolation], pdf: Path) -> None:
    with pytest.raises(DrafterError, match="no models here"):
        read(isolation(doubles.refusing), pdf)


def test_an_answer_that_cannot_be_read_ends_the_child_and_not_the_parent() -> None:
    child = Child(doubles.Unreadable)
    with pytest.raises(WorkerLost, match="cannot be read"):
        child.call("answer")
    assert child._process.returncode is not None
