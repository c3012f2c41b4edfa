"""The table of docs/figures.md is made of what the commands of its rows wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from benchmarks import figures
from benchmarks.cli import app
from docspec.bench.cli import bench

PAGE = Path(__file__).parents[2] / "docs" / "figures.md"


@pytest.mark.parametrize("row", figures.ROWS, ids=lambda row: row.name)
def test_every_row_has_a_line_on_the_page_and_a_command_that_is_taken(row: figures.Row) -> None:
    assert f"\n| {row.what} | " in PAGE.read_text()
    command = typer.main.get_command(bench).commands[row.words[1]]  # type: ignore[attr-defined]
    context = command.make_context(row.words[1], list(row.words[2:]))
    assert context.params["inputs"] and all((PAGE.parents[1] / file).is_file() for file in context.params["inputs"])


def test_measured_rows_are_written_anew_and_others_stay(tmp_path: Path) -> None:
    page = tmp_path / "figures.md"
    page.write_text(PAGE.read_text())
    checks = [{"source": "a.pdf", "page": n, "verdict": verdict} for n, verdict in enumerate(("identical", "differs"))]
    (tmp_path / "fidelity.json").write_text(json.dumps({"rows": checks}))
    ran = CliRunner().invoke(app, ["figures", str(tmp_path), "--page", str(page)])
    assert ran.exit_code == 0, ran.output
    before, after = PAGE.read_text().split("\n"), page.read_text().split("\n")
    [(old, new)] = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
    assert old.startswith(f"| {figures.ROWS[0].what} | ")
    assert "| 1 of 2 comparisons identical, 2 pages |" in new
    again = CliRunner().invoke(app, ["figures", str(tmp_path / "nowhere"), "--page", str(page)])
    assert again.exit_code != 0 and page.read_text().split("\n") == after
