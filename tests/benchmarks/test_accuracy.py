"""``python -m benchmarks accuracy``: four ways to a page's text against the truth beside it."""

from __future__ import annotations

import json

import pymupdf
import pytest
from typer.testing import CliRunner

from benchmarks.accuracy import ROWS, truth_of
from benchmarks.cli import app
from docspec.core import UsageError
from docspec.documents import expand_inputs

LINES = ["The ferry left the harbour at noon.", "Nobody on the quay had seen it go.", "It came back empty."]


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    root = tmp_path_factory.mktemp("truth")
    pdf = pymupdf.open()
    page = pdf.new_page(width=240, height=160)
    for row, line in enumerate(LINES):
        page.insert_text((12, 24 + 40 * row), line, fontsize=9)
    pdf.save(root / "small.pdf")
    (root / "small.md").write_text("\n\n".join(LINES), encoding="utf-8")
    return root / "small.pdf"


def test_the_draft_is_right_and_exact_stages_repeat_plain_decoding(document, lively_qwen, tmp_path):
    file = tmp_path / "figures.json"
    arguments = ["accuracy", str(document), "--model", str(lively_qwen), "--drafter", "text-layer"]
    options = ["--max-tokens", "24", "--dtype", "float32", "--device", "cpu", "--json", str(file)]
    result = CliRunner().invoke(app, [*arguments, *options], catch_exceptions=False)
    assert result.exit_code == 0
    assert "SIMULATED" in result.output
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert figures["schema"] == "docspec.bench.accuracy/2"
    assert figures["simulated"] is True
    [page] = figures["rows"]
    rows = {row["name"]: row for row in page["rows"]}
    assert tuple(rows) == ROWS
    assert rows["draft"]["score"]["text"] == 0 and rows["draft"]["score"]["order"] == 0
    assert rows["autoregressive"]["score"] == rows["stage 1+2"]["score"]
    assert rows["autoregressive"]["score"]["page"] > 0.5  # random weights do not read
    assert rows["stage 1"]["tokens"] > 0
    assert rows["stage 1+2"]["seconds"] > rows["draft"]["seconds"] > 0


def test_skipped_verification_is_a_curve_of_steps_and_scores(document, lively_qwen, tmp_path):
    file = tmp_path / "figures.json"
    arguments = ["accuracy", str(document), "--model", str(lively_qwen), "--drafter", "text-layer"]
    options = ["--max-tokens", "64", "--dtype", "float32", "--device", "cpu", "--json", str(file)]
    skips = ["--read", "page", "--skip-verification", "uniform:2", "--skip-verification", "similarity:0.01"]
    result = CliRunner().invoke(app, [*arguments, *options, *skips], catch_exceptions=False)
    assert result.exit_code == 0
    [page] = json.loads(file.read_text(encoding="utf-8"))["rows"]
    rows = {row["name"]: row for row in page["rows"]}
    assert tuple(rows) == (*ROWS, "verified", "uniform:2", "similarity:0.01")
    assert rows["verified"]["score"] == rows["autoregressive"]["score"]
    assert 0 < rows["similarity:0.01"]["steps"] < rows["verified"]["steps"] <= rows["autoregressive"]["steps"]
    wrong = CliRunner().invoke(app, [*arguments, "--skip-verification", "often"])
    assert isinstance(wrong.exception, UsageError)


def test_regions_that_are_taken_unread_have_a_row_of_their_own(document, lively_qwen, tmp_path):
    file = tmp_path / "figures.json"
    arguments = ["accuracy", str(document), "--model", str(lively_qwen), "--read", "regions"]
    options = ["--max-tokens", "8", "--dtype", "float32", "--device", "cpu", "--json", str(file)]
    trust = ["--drafter", "text-layer+rapidocr", "--trust-agreement"]
    CliRunner().invoke(app, [*arguments, *options, *trust], catch_exceptions=False)
    [page] = json.loads(file.read_text(encoding="utf-8"))["rows"]
    rows = {row["name"]: row for row in page["rows"]}
    assert tuple(rows) == (*ROWS, "verified", "trusted agreement")
    assert rows["trusted agreement"]["taken"] > 0 == rows["verified"]["taken"]
    assert rows["trusted agreement"]["steps"] < rows["verified"]["steps"]
    assert rows["trusted agreement"]["score"]["page"] < rows["verified"]["score"]["page"]


def test_the_truth_of_one_page_is_found_among_several(tmp_path):
    (tmp_path / "many.pdf").write_bytes(b"%PDF-1.4")
    (tmp_path / "many.md").write_text("<!-- page 1 -->\n\none\n\n<!-- page 2 -->\n\ntwo\n", encoding="utf-8")
    [source] = expand_inputs([str(tmp_path / "many.pdf")]).sources
    assert truth_of(source).strip() == "one"
    assert truth_of(source, 2).strip() == "two"
    (tmp_path / "many.md").unlink()
    with pytest.raises(UsageError, match=r"no .*many\.md"):
        truth_of(source)
