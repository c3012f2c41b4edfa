"""Numbers on which independent readings differ are found, marked and listed; words are not."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from docspec.core import BBox, Block, Category, PageDraft, PageResult, PrintedLine, Region
from docspec.core.provenance import NumberReadings, Provenance, Span
from docspec.core.result import WordsOf
from docspec.dialects.agreement import agreement
from docspec.dialects.numbers import differing_numbers, with_numbers
from docspec.reporting.numbers import NumbersReport
from docspec.reporting.view import ViewRenderer

LAYER = "The harbour took 1,136 ships and 0.0002 M of salt, PvuII too."
PRINT = "The harbour took 4.136 ships and 0.0002 M of salt, Pvull too."
LINE = BBox(10, 10, 300, 24)


def _draft(drafter: str, *texts: str, words: WordsOf | None = None) -> PageDraft:
    lines = (PrintedLine(LINE, texts[0]),)
    place = BBox(8, 8, 310, 60)
    return PageDraft((Region(place, Category.TEXT, texts, lines=lines, words=words),), drafter)


@pytest.mark.parametrize(
    ("drafter", "texts", "words", "written", "readings"),
    [
        ("text-layer", (LAYER,), "model", PRINT, [("model", "4.136"), ("text layer", "1,136")]),
        ("rapidocr", (PRINT,), "model", LAYER, [("model", "1,136"), ("recognition", "4.136")]),
        (
            "text-layer+rapidocr",
            (LAYER, PRINT),
            "text layer",
            LAYER,
            [("text layer", "1,136"), ("recognition", "4.136")],
        ),
        (
            "text-layer+rapidocr",
            (LAYER, PRINT),
            "model",
            PRINT.replace("4.136", "7,136"),
            [("model", "7,136"), ("text layer", "1,136"), ("recognition", "4.136")],
        ),
        ("text-layer", (LAYER,), "model", LAYER.replace("1,136", "many"), [("model", "many"), ("text layer", "1,136")]),
        ("rapidocr", (PRINT,), "recognition", LAYER, None),  # one reading is no second one
        ("text-layer", (LAYER,), "model", LAYER.replace("PvuII", "Pull"), None),
    ],
)
def test_numbers_with_two_readings(
    drafter: str, texts: tuple[str, ...], words: WordsOf, written: str, readings: list[tuple[str, str]] | None
) -> None:
    block = Block(Category.TEXT, written, BBox(8, 8, 310, 60), "draft", words=words)
    found = differing_numbers([block], _draft(drafter, *texts))
    if readings is None:
        assert found == []
        return
    [one] = found
    assert list(one.readings) == readings
    assert written[one.start : one.end] == readings[0][1]
    assert one.bbox == LINE


def test_a_number_that_one_reading_confirms_is_marked_all_the_same() -> None:
    draft = _draft("text-layer+rapidocr", LAYER, PRINT)
    block = Block(Category.TEXT, LAYER, words="text layer")
    compared = agreement([block], draft)
    assert compared is not None and [span.mark for span in compared[0][0]] == ["agreed"]
    spans = with_numbers(compared[0][0], differing_numbers([block], draft))
    assert [(LAYER[span.start : span.end].strip(), span.mark) for span in spans] == [
        ("The harbour took", "agreed"),
        ("1,136", "differs"),
        ("ships and 0.0002 M of salt, PvuII too.", "agreed"),
    ]


def test_corrected_numbers_stay_corrected() -> None:
    number = NumberReadings(0, 4, 9, (("model", "1,136"), ("recognition", "4.136")))
    span = Span(0, 20, "corrected", "4.136")
    assert with_numbers([span], [number]) == [span]


def _page() -> PageResult:
    block = Block(Category.TEXT, LAYER, BBox(8, 8, 310, 60), "draft", words="text layer")
    draft = _draft("text-layer+rapidocr", LAYER, PRINT)
    numbers = tuple(differing_numbers([block], draft))
    spans = (tuple(with_numbers([Span(0, len(LAYER), "agreed")], numbers)),)
    image = Image.new("RGB", (400, 80), "white")
    provenance = Provenance(spans, numbers=numbers)
    return PageResult("a.pdf", 3, "ok", blocks=(block,), width=400, height=80, provenance=provenance, image=image)


def test_the_report_lists_every_reading_with_its_place(tmp_path: Path) -> None:
    report = NumbersReport()
    report.add_page(_page())
    report.write(tmp_path / "numbers.csv")
    with (tmp_path / "numbers.csv").open(encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert row == {
        "document": "a.pdf",
        "page": "3",
        "block": "1",
        "category": "Text",
        "x0": "10",
        "y0": "10",
        "x1": "300",
        "y1": "24",
        "written": "1,136",
        "words": "text layer",
        "text layer": "1,136",
        "recognition": "4.136",
        "model": "",
        "draft": "",
    }


@pytest.mark.parametrize("name", ["-2+3+cmd|' /C calc'!A0.pdf", "＝1.pdf", "+1-1.pdf", "@a.pdf"])
def test_a_spreadsheet_runs_nothing_of_the_report(tmp_path: Path, name: str) -> None:
    report = NumbersReport()
    report.add_page(replace(_page(), source=name))
    report.write(tmp_path / "numbers.csv")
    with (tmp_path / "numbers.csv").open(encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert row["document"] == f"'{name}"


def test_the_view_shows_the_print_beside_the_readings() -> None:
    renderer = ViewRenderer()
    html = renderer.page(_page(), {})
    assert "1 number on which readings differ" in html
    assert "recognition: <b>4.136</b>" in html
    assert '<img alt="the print" src="data:image/webp;base64,' in html
    assert '<mark class="differs" data-span="1" data-draft="4.136">1,136</mark>' in html
    assert 'data-checks="1"' in html
