"""Categories of failures: the same words in errors, reports and their schema."""

from __future__ import annotations

import json
import pickle
from importlib import resources
from pathlib import Path

import pytest

from docspec.core import Event, Failure, InputError, PageError, PageResult
from docspec.documents import open_document
from docspec.reporting.timing import page_object


def test_the_schema_of_reports_knows_every_category() -> None:
    text = resources.files("docspec.reporting").joinpath("report.schema.json").read_text(encoding="utf-8")
    assert json.loads(text)["$defs"]["failure"]["enum"] == [failure.value for failure in Failure]


def test_an_error_keeps_its_category_on_its_way_between_processes() -> None:
    assert PageError("p").failure is Failure.DAMAGED
    error = pickle.loads(pickle.dumps(InputError("a.pdf: locked", Failure.ENCRYPTED)))
    assert (str(error), error.failure) == ("a.pdf: locked", Failure.ENCRYPTED)


def test_reports_name_the_category_of_pages_and_events_that_failed() -> None:
    lost = Event("drafter_failed", "rapidocr: gone; decoded without a draft", Failure.CRASHED)
    events = (lost, Event("page_turned", "by 90 degrees"))
    page = page_object(PageResult("a", 1, "failed", error="a: late", failure=Failure.TIMED_OUT, events=events))
    assert page["failure"] == "timed_out"
    assert [event.get("failure") for event in page["events"]] == ["crashed", None]


@pytest.mark.parametrize(
    ("name", "data", "failure"),
    [
        ("none.pdf", None, Failure.UNREADABLE),
        ("empty.pdf", b"", Failure.UNREADABLE),
        ("text.txt", b"words", Failure.UNREADABLE),
        ("broken.pdf", b"%PDF-1.7 and nothing", Failure.DAMAGED),
        ("broken.png", b"\x89PNG\r\n\x1a\n and nothing", Failure.DAMAGED),
    ],
)
def test_inputs_fail_by_category(tmp_path: Path, name: str, data: bytes | None, failure: Failure) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as raised:
        open_document(tmp_path / name)
    assert raised.value.failure is failure
