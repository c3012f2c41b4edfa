"""``docspec bench fidelity`` tells its progress, what it could not compare, and whether weights are random."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """Two short pages."""
    document = pymupdf.open()
    for number in (1, 2):
        page = document.new_page(width=240, height=120)
        page.insert_text((20, 40), f"The harbour fills {number} times", fontsize=12)
    document.save(tmp_path / "tides.pdf")
    return tmp_path / "tides.pdf"


@pytest.fixture
def quick(lively_qwen: Path) -> list[str]:
    return ["--model", str(lively_qwen), "--dpi", "72", "--max-tokens", "8", "--attention", "sdpa"]


def test_a_line_for_each_page_and_random_weights_are_labelled(
    run_cli: Callable[..., Any], pdf: Path, quick: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "figures.json"
    done = run_cli("bench", "fidelity", pdf, *quick, "--json", file)
    assert done.code == 0
    told = [line for line in done.err.splitlines() if "comparisons" in line]
    assert len(told) == 2
    assert "tides.pdf page 1, sdpa: 10 comparisons, none differs, 10 cut at the budget, " in told[0]
    assert "tides.pdf page 2, sdpa: 11 comparisons, none differs, 11 cut at the budget, " in told[1]
    out = " ".join(done.out.split())
    assert "0 of 21 comparisons identical, 21 cut at the budget with nothing different, 1 document (" in out
    assert "inputs of generate on 2 pages: " in out and "SIMULATED" in out
    written = json.loads(file.read_text())
    assert written["simulated"] is True
    assert len(written["rows"]) == 21 and {row["verdict"] for row in written["rows"]} == {"cut"}
    assert [page["apart"] for page in written["inputs"]] == ["", ""]
    assert written["never_compared"] == []
    assert [skip["drafts"] for skip in written["skipped"]] == ["another page's"]


def test_a_drafter_that_failed_is_named_and_the_exit_code_is_3(
    run_cli: Callable[..., Any], pdf: Path, quick: list[str], tmp_path: Path
) -> None:
    drafts = tmp_path / "drafts"
    drafts.mkdir()
    (drafts / "another_0_res.json").write_text('{"parsing_res_list": []}')
    done = run_cli("bench", "fidelity", pdf, *quick, "--pages", "1", "--drafter", "saved", "--drafts", drafts)
    assert done.code == 3
    assert "page 1, sdpa: FAILED: saved: saved: " in done.err
    assert "no saved draft below" in done.err
    assert "Not compared" in done.out


def test_a_drafter_without_models_is_refused_before_anything_runs(
    run_cli: Callable[..., Any], pdf: Path, tmp_path: Path
) -> None:
    done = run_cli("bench", "fidelity", pdf, "--drafter", "saved", "--drafts", tmp_path / "nowhere")
    assert done.code == 1
    assert done.error_lines[0].startswith("docspec: error: no saved drafts at")


def test_an_unknown_attention_is_wrong_usage(run_cli: Callable[..., Any], pdf: Path) -> None:
    done = run_cli("bench", "fidelity", pdf, "--attention", "flash")
    assert done.code == 2
    assert "--attention flash: unknown" in done.error_lines[0]
