"""olmOCR-Bench: its layout read, and its tests run by its authors' own package where that is installed."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks.suites import olmocr_bench
from benchmarks.suites.olmocr_bench import OlmocrBench
from docspec.core import InputError, UsageError


def test_pages_have_their_tests_and_the_kind_of_their_file(olmocr_folder):
    items = OlmocrBench(olmocr_folder).items()
    assert [(item.id, item.kind, len(item.truth)) for item in items] == [
        ("headers_footers/one_pg1", "headers_footers", 2),
        ("multi_column/one_pg1", "multi_column", 2),
        ("table_tests/one_pg1", "table_tests", 1),
    ]
    assert all(item.path.is_file() for item in items)


def test_scores_are_those_of_the_package(olmocr_folder, made):
    pytest.importorskip("olmocr.bench.tests")
    suite = OlmocrBench(olmocr_folder)
    items = suite.items()
    scores = suite.score(items, {item.id: made.OLMOCR_WRITTEN for item in items})
    assert scores.by_kind == {"headers_footers": 100, "multi_column": 50, "table_tests": 100, "baseline": 100}
    assert scores.overall == pytest.approx((100 + 50 + 100 + 100) / 4)
    low, high = scores.interval
    assert low <= scores.overall <= high
    assert scores.interval == suite.score(items, {item.id: made.OLMOCR_WRITTEN for item in items}).interval
    nothing = suite.score(items, {})
    assert nothing.by_kind == {"headers_footers": 50, "multi_column": 0, "table_tests": 0, "baseline": 0}


def test_without_the_package_one_line_says_what_to_install(olmocr_folder, monkeypatch):
    monkeypatch.setattr(olmocr_bench, "find_spec", lambda name: None)
    suite = OlmocrBench(olmocr_folder)
    with pytest.raises(UsageError, match="pip install --no-deps olmocr"):
        suite.score(suite.items(), {})


def test_formulas_that_cannot_be_rendered_are_counted_as_not_run(olmocr_folder, monkeypatch):
    class Library:
        class ValidationError(Exception):
            pass

        @staticmethod
        def load_single_test(test):
            if test["type"] == "math":
                raise RuntimeError("Executable doesn't exist")
            return type("Test", (), {"run": staticmethod(lambda text: (bool(text), ""))})

    monkeypatch.setattr(olmocr_bench, "find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "olmocr", Library)
    monkeypatch.setitem(sys.modules, "olmocr.bench", Library)
    monkeypatch.setitem(sys.modules, "olmocr.bench.tests", Library)
    monkeypatch.setattr(olmocr_bench, "_interval", lambda passed: (0.0, 100.0))
    suite = OlmocrBench(olmocr_folder)
    items = suite.items()
    items[0].truth[0]["test"] = {**items[0].truth[0]["test"], "type": "math", "math": "x"}
    scores = suite.score(items, {item.id: "text" for item in items})
    assert scores.remarks[0].startswith("1 tests of formulas were not run")
    assert "math tests" not in scores.figures and scores.overall == 100


def test_a_line_that_is_no_test_is_named(tmp_path):
    (tmp_path / "pdfs").mkdir()
    (tmp_path / "own.jsonl").write_text(json.dumps({"pdf": "a.pdf"}) + "\n")
    with pytest.raises(InputError, match=r"own\.jsonl: line 1 is no test"):
        OlmocrBench(tmp_path).items()


def test_garbage_earns_nothing_for_what_is_absent():
    pages = {
        "read": [("absent", True), ("present", True), ("present", False), ("baseline", True)],
        "garbage": [("absent", True), ("present", False), ("baseline", True)],
        "empty": [("absent", True), ("baseline", False)],
        "only absent": [("absent", True), ("absent", False), ("baseline", True)],
    }
    earned = olmocr_bench._earned(pages)
    assert earned["absent tests, earned by pages of text alone"] == pytest.approx(100 * 2 / 5)
    assert earned["all tests, with absent ones earned so"] == pytest.approx(100 * (2 + 1 + 1 + 1 + 0 + 1) / 12)
    assert olmocr_bench._earned({"a": [("present", True)]}) == {}
