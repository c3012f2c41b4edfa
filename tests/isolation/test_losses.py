"""Children that die, hang or eat memory cost a page its draft, or the page; real processes, real deaths."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docspec.core import Failure, InputError
from docspec.documents import PageFailure
from docspec.documents.sources import source_from_path
from docspec.isolation.hand import Prepared
from docspec.isolation.pool import Isolation
from tests.isolation import doubles
from tests.isolation.conftest import wanted, written

TIMEOUT = 4.0
MEMORY = 700 * 2**20


def read(children: Isolation, path: Path, ahead: int = 1) -> list[Prepared | PageFailure]:
    document = children.open(source_from_path(path))
    document.begin()
    places = ((document, number) for number in range(1, document.page_count + 1))
    return [page for _, page in children.pages(places, wanted(), ahead)]


@pytest.mark.parametrize(
    ("make", "failure", "why"),
    [
        (doubles.aborting, Failure.CRASHED, "SIGABRT"),
        (doubles.faulting, Failure.CRASHED, "SIGSEGV"),
        (doubles.leaving, Failure.CRASHED, "exit code 7"),
        (doubles.hanging, Failure.TIMED_OUT, "not done within"),
        (doubles.eating, Failure.OUT_OF_MEMORY, "700 MiB"),
        (doubles.running_short, Failure.OUT_OF_MEMORY, "out of memory"),
    ],
)
def test_a_drafter_that_takes_the_child_along_costs_one_draft(
    isolation: Callable[..., Isolation], pdf: Path, make: Any, failure: Failure, why: str
) -> None:
    first, second, third = read(isolation(make, MEMORY, page_timeout=TIMEOUT), pdf)
    assert isinstance(first, Prepared) and isinstance(second, Prepared) and isinstance(third, Prepared)
    assert len(first.drafted.draft.regions) == len(third.drafted.draft.regions) == 1
    assert second.drafted.draft.is_empty and not second.drafted.blank
    [event] = second.drafted.events
    assert (event.kind, event.failure) == ("drafter_failed", failure)
    assert why in event.detail
    assert second.page.image.size == first.page.image.size
    assert second.page.image.tobytes() != first.page.image.tobytes()
    if failure is Failure.TIMED_OUT:
        assert second.drafted.draft.seconds < 1.5 * TIMEOUT


@pytest.mark.parametrize(
    ("make", "failure"),
    [
        (doubles.aborting_while_drawing, Failure.CRASHED),
        (doubles.hanging_while_drawing, Failure.TIMED_OUT),
        (doubles.eating_while_drawing, Failure.OUT_OF_MEMORY),
    ],
)
def test_a_page_that_takes_the_child_along_while_it_is_drawn_is_lost_alone(
    isolation: Callable[..., Isolation], pdf: Path, make: Any, failure: Failure
) -> None:
    first, second, third = read(isolation(make, MEMORY, page_timeout=TIMEOUT), pdf)
    assert isinstance(first, Prepared) and isinstance(third, Prepared)
    assert isinstance(second, PageFailure)
    assert second.error.failure is failure
    assert str(second.error).startswith(f"{pdf}, page 2: cannot be rendered: ")


def test_the_pages_that_are_not_drawn_when_a_document_is_out_of_time_fail(
    isolation: Callable[..., Isolation], pdf: Path
) -> None:
    children = isolation(doubles.hanging_while_drawing, document_timeout=TIMEOUT)
    first, *rest = read(children, pdf)
    assert isinstance(first, Prepared)
    assert [isinstance(page, PageFailure) and page.error.failure for page in rest] == [Failure.TIMED_OUT] * 2
    assert all("--document-timeout" in str(page.error) for page in rest if isinstance(page, PageFailure))
    assert len(read(children, written(pdf.with_name("one.pdf"), pages=1))) == 1


def test_a_drafter_that_dies_again_and_again_is_given_up(
    isolation: Callable[..., Isolation], tmp_path: Path
) -> None:
    pages = read(isolation(doubles.aborting), written(tmp_path / "always.pdf", pages=5))
    said = [page.drafted.events[0].detail for page in pages if isinstance(page, Prepared)]
    assert ["SIGABRT" in detail for detail in said] == [True, True, True, False, False]
    assert "given up" in said[3]


def test_a_child_that_dies_while_it_opens_a_file_costs_that_file(
    isolation: Callable[..., Isolation], pdf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children = isolation(doubles.sound)
    assert len(read(children, pdf)) == 3
    hand = children._hands[0]
    assert hand._child is not None
    os.kill(hand._child.pid, 9)
    with pytest.raises(InputError, match="opening it") as raised:
        children.open(source_from_path(pdf))
    assert raised.value.failure is Failure.OUT_OF_MEMORY
    assert len(read(children, pdf)) == 3


def test_a_drafter_that_cannot_work_is_said_once_and_for_all(
    isolation: Callable[..., Isolation], pdf: Path
) -> None:
    from docspec.core import DrafterError

    children = isolation(refusing)
    with pytest.raises(DrafterError, match="no models here"):
        read(children, pdf)


def refusing(options: Any, economy: Any) -> Any:
    from docspec.core import DrafterError

    raise DrafterError("no models here")
