"""OmniDocBench: its layout read, and figures that its publisher's own scorer gives for the same pages.

The expected figures of ``OMNI_WRITTEN`` were printed by the publisher's scorer (``pdf_validation.py``, quick_match, of
December 2025, as in commit 7bd6c2e of the fork pichiu/OmniDocBench) on the files that ``made.omnidocbench`` writes.
"""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks.suites.omnidocbench import OmniDocBench, truth_blocks
from benchmarks.suites.omnidocbench_score import norm_formula, norm_text, score_page
from docspec.core import InputError, UsageError

PUBLISHED = {
    "text edit distance": 0.12380952380952381,
    "formula edit distance": 0.09090909090909091,
    "TEDS": 0.8611111111111112,
    "TEDS structure": 1.0,
    "reading order edit distance": 0.2222222222222222,
}


def test_figures_are_those_of_the_publishers_scorer(omni_folder, made):
    suite = OmniDocBench(omni_folder)
    scores = suite.score(suite.items(), made.OMNI_WRITTEN)
    assert dict(scores.figures) == pytest.approx(PUBLISHED, abs=1e-15)
    by_hand = 100 * ((1 - PUBLISHED["text edit distance"]) + PUBLISHED["TEDS"] + (1 - 1 / 11)) / 3
    assert scores.overall == pytest.approx(by_hand)
    assert scores.by_kind == pytest.approx(
        {"Notes": 5 / 14, "Academic Papers": 0, "Financial Report": 0.014285714285714285}
    )
    assert "not by CDM" in scores.remarks[0]


def test_nothing_written_is_all_wrong(omni_folder):
    suite = OmniDocBench(omni_folder)
    scores = suite.score(suite.items(), {})
    assert scores.figures["text edit distance"] == 1
    assert scores.figures["TEDS"] == 0
    assert scores.overall == 0


def test_items_have_the_publishers_names_kinds_and_attributes(omni_folder):
    items = {item.id: item for item in OmniDocBench(omni_folder).items()}
    assert sorted(items) == ["note", "paper", "report"]
    assert items["report"].kind == "Financial Report"
    assert items["report"].attributes["special_issue"] == "watermark"
    assert all(item.path.is_file() for item in items.values())


def test_truncated_blocks_are_one_and_headers_and_captions_are_ignored(made):
    kinds = [(block.kind, block.text) for block in truth_blocks(made.omni_page("p", made.OMNI_PAGES["paper"]))]
    assert kinds[0] == ("text", "We write $x_1$ for the first of them, and the rest follows on the next column.")
    assert [kind for kind, _ in kinds] == ["text", "formula", "text"]
    report = truth_blocks(made.omni_page("r", made.OMNI_PAGES["report"]))
    assert [block.kind for block in report] == ["ignored", "text", "text", "text", "table", "ignored", "ignored"]


def test_an_ignored_block_costs_nothing_and_an_invented_one_does(made):
    truth = truth_blocks(made.omni_page("r", made.OMNI_PAGES["report"]))
    right = "# Ships and harbours\n\nThe ferry left the harbour at noon.\n\nNobody on the quay had seen it go.\n"
    assert score_page(truth, right).text == 0
    assert score_page(truth, "Annual report 2026\n\n" + right + "\n17\n").text == 0
    assert score_page(truth, right + "\nA paragraph that nobody printed anywhere.\n").text > 0.2


@pytest.mark.parametrize(
    ("text", "norm"),
    [
        ("Ships, and: harbours!", "Shipsandharbours"),
        ("We write $x_1$ here", "Wewritex_1here"),
        ("costs $5$ or $\\alpha$", "costs5orα"),
        ("中文，标点。", "中文标点"),
    ],
)
def test_text_keeps_letters_and_digits_and_inline_formulas_as_unicode(text, norm):
    assert norm_text(text) == norm


def test_formulas_lose_delimiters_fonts_and_spaces():
    assert norm_formula("$$\na^2 + \\mathbf{B} \\quad = c \\tag{3}\n$$") == "a^2+{b}=c"
    assert norm_formula("\\[ x \\]") == "x"


def test_a_file_of_another_shape_is_said_in_one_line(tmp_path):
    (tmp_path / "OmniDocBench.json").write_text(json.dumps([{"pages": 3}]))
    with pytest.raises(InputError, match=r"OmniDocBench\.json: is not as OmniDocBench is published"):
        OmniDocBench(tmp_path).items()


CHECKOUT = """
import json, pathlib, sys
config = json.loads(pathlib.Path(sys.argv[2]).read_text())["end2end_eval"]["dataset"]
pages = json.loads(pathlib.Path(config["ground_truth"]["data_path"]).read_text())
written = {p.stem for p in pathlib.Path(config["prediction"]["data_path"]).glob("*.md")}
assert {page["page_info"]["image_path"][:-4] for page in pages} == written, written
if "fail" in __file__:
    sys.exit("no such metric")
element = lambda edit, **page: {"all": {"Edit_dist": {"ALL_page_avg": edit}}, "page": page}
result = {
    "text_block": element(0.25, Edit_dist={"ALL": 0.25, "data_source: note": 0.5}),
    "display_formula": element(0.5),
    "table": {"all": {}, "page": {"TEDS": {"ALL": 0.75}, "TEDS_structure_only": {"ALL": 0.875}}},
    "reading_order": element("NaN"),
}
pathlib.Path("result/end2end_quick_match_metric_result.json").write_text(json.dumps(result))
"""
"""Stands in for the publisher's ``pdf_validation.py``: it checks what it is given and writes a result of that shape."""


def test_a_checkout_is_given_predictions_and_its_figures_are_taken(omni_folder, made, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")  # none of CDM's programs
    (tmp_path / "checkout").mkdir()
    (tmp_path / "checkout" / "pdf_validation.py").write_text(CHECKOUT)
    suite = OmniDocBench(omni_folder)
    items = suite.items()[:2]
    scores = suite.score_by(tmp_path / "checkout", items, made.OMNI_WRITTEN, tmp_path / "work")
    assert scores.figures["text edit distance"] == 0.25
    assert scores.figures["reading order edit distance"] is None
    assert scores.overall == pytest.approx(100 * (0.75 + 0.75 + 0.5) / 3)
    assert scores.by_kind == {"Notes": 0.5}
    assert "publisher's scorer" in scores.overall_name and "not by CDM" in scores.remarks[0]


def test_a_checkout_that_fails_or_is_none_is_said_in_one_line(omni_folder, made, tmp_path):
    suite = OmniDocBench(omni_folder)
    with pytest.raises(UsageError, match=r"holds no pdf_validation\.py"):
        suite.score_by(tmp_path, suite.items(), made.OMNI_WRITTEN, tmp_path / "work")
    (tmp_path / "fail").mkdir()
    (tmp_path / "fail" / "pdf_validation.py").write_text(CHECKOUT)
    with pytest.raises(UsageError, match=r"failed \(no such metric\); .*scorer\.log has all of it"):
        suite.score_by(tmp_path / "fail", suite.items(), made.OMNI_WRITTEN, tmp_path / "work")
    assert "no such metric" in (tmp_path / "work" / "scorer.log").read_text()


def test_without_its_package_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pylatexenc.latex2text", None)
    with pytest.raises(UsageError, match=r"needs pylatexenc.*docspec-vlm\[suites\]'$"):
        norm_text("$x_1$")
