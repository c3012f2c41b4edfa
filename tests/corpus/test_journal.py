"""Pages come back from the journal as they went in; what is torn or of another request is forgotten."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest
from scripted_parser import page

from benchmarks.campaign import hostile
from docspec.core import Baseline, BBox, Block, Category, Cut, Event, Failure, Moment, PageResult, StageStats
from docspec.core.account import PageAccount, WordRun
from docspec.core.provenance import LeftOut, NumberReadings, Provenance, Span
from docspec.core.result import Quality
from docspec.core.safe_text import safe_text
from docspec.core.straightening import Straightening
from docspec.core.validation import InvalidValues
from docspec.corpus.journal import Journal, journal_path, page_result, page_values
from docspec.corpus.writing import OutputChoice
from docspec.reporting.destinations import Destination
from docspec.reporting.formats import renderer_for
from docspec.reporting.renderer import Format, Layout
from docspec.reporting.timing import page_object

HEAD: Mapping[str, Any] = {"document": "a.md", "sha256": "0", "options": "1", "model": "2"}


def full_page(number: int) -> PageResult:
    """A page in which no field has its default."""
    return page(
        "a.pdf",
        number,
        text="control \x01, \u2028 and ü",
        blocks=(
            Block(Category.TEXT, "ü\x00", BBox(0.1, 1 / 3, 50.7, 20.0), "draft", " \n", reread=True, trusted=3),
            Block(Category.PICTURE, "", BBox(-3.2, 5.5, 40.4, 30.5), "model"),
            Block(Category.PICTURE, "", BBox(20.0, 20.0, 200.0, 60.0), "model"),
            Block(Category.PICTURE, "", None),
        ),
        stage1=None,
        stage2=StageStats(1, 2, 3, 4, 5, 6, 7, 0.1, 0.2, 0.3, 8, 9, float("inf"), 11, 12, {"draft": 0.1}),
        baseline=Baseline(1, 0.1, 0.2, 1.1, 1.2, True),
        events=(Event("kind", "detail", Failure.CRASHED), Event("other", "more")),
        cut=Cut("loop", 9, 300, "so "),
        token_ids=(1, 2, 3),
        failure=Failure.DAMAGED,
        read="regions",
        layout="text-layer",
        error="odd",
        trace="trace",
        trusted_regions=2,
        timeline=(Moment("recognised", 0.5, 7),),
        provenance=Provenance(
            ((Span(0, 2, "corrected", "x", (("draft", 1), ("own", 2)), 0.5), Span(2, 2, "draft")), (), (), ()),
            (LeftOut("y", -1, BBox(1, 2, 3, 4), Category.CAPTION), LeftOut("z", 0)),
            (1, 2),
            (("own", 3),),
            False,
            (NumberReadings(0, 0, 1, (("text layer", "1"), ("model", "7")), BBox(1, 2, 3, 4)),),
            0.1,
        ),
        quality=Quality("D", 0.5, 0.4, 0.1, "hardly any agreement"),
        account=PageAccount(
            "text layer",
            1,
            (WordRun("12", BBox(0.5, 1, 2, 3), "missing", 1, rule="x"),),
            ("13",),
            2,
            (WordRun("ü", BBox(1, 2, 3, 4), "written", 1, 0, 7),),
        ),
        seen=Straightening(1, ((0.1, 0.1), (0.9, 0.2), (0.8, 0.9), (0.2, 0.8)), -2.5),
    )


def test_every_field_of_a_page_comes_back(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", HEAD, with_pictures=True)
    wanted = {number: full_page(number) for number in (3, 1, 7)}
    for result in wanted.values():
        journal.add(result)
    journal.close()
    again = Journal(tmp_path / "j", HEAD, with_pictures=True)
    assert again.numbers == {1, 3, 7}
    for number, result in wanted.items():
        found = again.page(number)
        assert replace(found, image=None) == replace(result, image=None)
        assert [block.gap for block in found.blocks] == [block.gap for block in result.blocks]
        assert page_object(found) == page_object(result)
    defaults = {each.name for each in fields(PageResult) if getattr(full_page(1), each.name) == each.default}
    assert defaults == {"stage1"}, "the page above must have something everywhere"


def test_a_page_with_one_value_changed_is_none_or_one_that_can_be_written() -> None:
    spans = ((Span(0, 1, "agreed", "ü", (("draft", 2),), 1.5),), (), (), ())
    numbers = (NumberReadings(0, 0, 1, (("draft", "2"),), BBox(1, 2, 3, 4)),)
    said = Provenance(spans, (LeftOut("Page 1", 1, BBox(1, 2, 3, 4)),), (3,), (("own", 2),), True, numbers)
    whole = replace(full_page(1), provenance=said, width=90, height=80, stage2=StageStats())
    values = json.loads(json.dumps(page_values(whole, with_pictures=False)))
    layout, kept, refused = Layout(keep_furniture=True, raw=True), 0, set()
    for place, new in product(list(hostile.places(values))[1:], hostile.NASTY):
        try:
            result = page_result(json.loads(json.dumps(hostile.changed(values, place, new))))
        except InvalidValues:
            refused.add(place)
            continue
        kept += 1
        for format in set(get_args(Format)) - {"pdf"}:  # which is made of the input
            renderer = renderer_for(format, layout)
            renderer.begin("a.pdf", "ab" * 32)
            assert "NaN" not in renderer.page(result, {}) + renderer.end(), (place, new)
        json.dumps(page_object(result))
    assert kept > 100 and {("width",), ("blocks", 0, "bbox", "x0"), ("provenance", "spans")} <= refused


def test_a_lone_surrogate_comes_back_as_what_is_written_of_it() -> None:
    kept = page_result(json.loads(json.dumps(page_values(page("a.pdf", 1, text="a \ud800 b"), with_pictures=False))))
    assert kept.text == "a \ufffd b" == safe_text("a \ud800 b")


@pytest.mark.parametrize("format", ["md", "json", "html"])
def test_what_is_rendered_of_a_page_that_was_kept_is_the_same_bytes(tmp_path: Path, format: Any) -> None:
    writing = OutputChoice(format, Layout(keep_furniture=True))
    journal = Journal(tmp_path / "j", HEAD, with_pictures=True)
    trees = []
    for name in ("first", "again"):
        folder = tmp_path / name
        figures = None if format == "html" else folder / "a.figures"
        place = Destination(folder / f"a.{format}", figures)
        with writing.writer("a.pdf", "0", place, None) as writer:  # type: ignore[arg-type]
            for number in (1, 2):
                result = full_page(number)
                if name == "first":
                    journal.add(result)
                writer.add(result if name == "first" else journal.page(number))
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        trees.append({path.relative_to(folder): path.read_bytes() for path in files})
    assert trees[0] == trees[1] and len(trees[0]) == (1 if format == "html" else 5)


def test_a_torn_line_and_what_follows_it_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "j"
    for cut in range(1, 400, 57):
        path.unlink(missing_ok=True)
        journal = Journal(path, HEAD, with_pictures=False)
        for number in (1, 2):
            journal.add(page("a.pdf", number))
        journal.close()
        path.write_bytes(path.read_bytes()[:-cut])
        again = Journal(path, HEAD, with_pictures=False)
        assert again.numbers == {1}
        again.add(page("a.pdf", 2))
        assert again.page(2).number == 2 and Journal(path, HEAD, with_pictures=False).numbers == {1, 2}
        again.close()


@pytest.mark.parametrize(
    "change",
    [
        {"status": "oj"},
        {"number": 0},
        {"number": "2"},
        {"blocks": [3]},
        {"blocks": None},
        {"width": -4},
        {"blocks": [{"category": "Text", "text": "x", "bbox": {"x0": 0, "y0": float("nan"), "x1": 9, "y1": 9}}]},
        {"blocks": [{"category": "Text", "text": "x", "bbox": {"x0": 0, "y0": 0, "x1": 9, "y1": float("inf")}}]},
        {"pictures": {"size": [10**6, 10**6], "crops": [[[0, 0], ""]]}},
        {"pictures": {"size": [10, 10], "crops": [[[0, 0], "bm8gUE5H"]]}},
        {"stage2": {"rows": "many"}},
        "[" * 100_000,
    ],
)
def test_pages_from_a_changed_line_on_are_forgotten(tmp_path: Path, change: Any) -> None:
    path = tmp_path / "j"
    journal = Journal(path, HEAD, with_pictures=True)
    for number in (1, 2, 3):
        journal.add(page("a.pdf", number))
    journal.close()
    head, first, second, third = path.read_text().splitlines()
    changed = change if isinstance(change, str) else json.dumps({**json.loads(second), **change})
    path.write_text("\n".join([head, first, changed, third, ""]))
    assert Journal(path, HEAD, with_pictures=True).numbers == {1}


@pytest.mark.parametrize("other", [{"sha256": "9"}, {"options": "9"}, {"model": "9"}, {"more": 1}])
def test_pages_of_another_request_are_forgotten(tmp_path: Path, other: dict[str, Any]) -> None:
    journal = Journal(tmp_path / "j", HEAD, with_pictures=False)
    journal.add(page("a.pdf", 1))
    journal.close()
    assert Journal(tmp_path / "j", {**HEAD, **other}, with_pictures=False).numbers == frozenset()


def test_a_failed_page_is_read_again_and_nothing_is_left_of_nothing(tmp_path: Path) -> None:
    path = journal_path(tmp_path, "a.md")
    journal = Journal(path, HEAD, with_pictures=False)
    journal.add(page("a.pdf", 1, status="failed", error="odd"))
    assert journal.numbers == frozenset()
    journal.close()
    assert not path.exists()
