"""Made pages of known reading order: their truth scores fully, and what is swapped or glued scores less."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from benchmarks.cli import app
from benchmarks.reading_order.kinds import KINDS, made
from benchmarks.reading_order.score import scored
from docspec.documents.mupdf import mupdf


@pytest.mark.parametrize("kind", KINDS)
def test_the_truth_of_a_page_has_all_of_its_order(kind: str) -> None:
    pdf, sheet = made(kind, 1)
    assert made(kind, 1)[1].units == sheet.units
    printed = " ".join(mupdf().open("pdf", pdf)[0].get_text().split())
    assert all(unit.text.split()[0] in printed for unit in sheet.units)
    truth = scored("\n\n".join(unit.text for unit in sheet.units), sheet.units)
    assert (truth.right, truth.whole, truth.glued) == (truth.pairs, truth.units, 0)
    backwards = scored("\n\n".join(unit.text for unit in sheet.units[::-1]), sheet.units)
    assert backwards.right == 0
    glued = scored(" ".join(unit.text for unit in sheet.units), sheet.units)
    assert glued.glued == 1


def test_the_command_scores_what_is_written_of_the_pages() -> None:
    shown = CliRunner().invoke(app, ["reading-order", "--each", "1", "--kind", "slide", "--kind", "two-up"])
    assert shown.exit_code == 0 and "slide" in shown.output and "all" in shown.output
    assert "100.0%" in shown.output.split("two-up")[1]
