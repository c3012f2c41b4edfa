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
    group, words = (bench, row.words[1:]) if row.program == "docspec" else (app, row.words)
    command = typer.main.get_command(group).commands[words[0]]  # type: ignore[attr-defined]
    context = command.make_context(words[0], list(words[1:]))
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


def test_every_figure_of_the_readme_stands_on_the_page_of_figures_or_on_the_one_that_it_names() -> None:
    assert figures.unheld(PAGE.parents[1] / "README.md", PAGE) == []


def page_of(tmp_path: Path, *rows: str) -> Path:
    page = tmp_path / "figures.md"
    page.write_text("\n".join((figures.BEGIN, "", figures.HEAD + "\n".join(rows), "", figures.END)))
    return page


def test_a_figure_that_the_readme_has_alone_is_found(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("| what | docspec | others |\n|---|---|---|\n| tokens | 18.13, not 14.5 | 1,113 |\n\n")
    page = page_of(tmp_path, "| first | 18.13 tokens of 1,113 | `docspec bench speed A` | abcdef1 |")
    assert figures.unheld(readme, page) == ["tokens: 14.5"]


def test_a_row_whose_command_imports_a_changed_file_is_old_and_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = {"abcdef1": frozenset({"docspec/bench/speed.py"}), "abcdef2": frozenset({"x.py"}), "abcdef3": None}
    monkeypatch.setattr(figures, "_changed_since", changed.get)
    page = page_of(
        tmp_path,
        "| first | 1 s | `docspec bench speed A` | abcdef2, 1 of them at abcdef1 |",
        "| again | 1 s | the same | abcdef1 |",
        "| other | 1 s | `python -m benchmarks made-tables A` | abcdef1 |",
        "| last | 1 s | `docspec bench speed A` | abcdef3 |",
    )
    told = [line.partition(": ")[2] for line in figures.ages(page)]
    assert [line.split(":")[0] for line in told] == ["first", "again", "last"]
    assert "1 of " in told[0] and told[0].endswith("since abcdef1") and "not in this clone" in told[2]


def test_a_row_that_cannot_be_measured_is_said_and_the_next_one_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = iter((1, 0))

    def ran(words: list[str], **settings: object) -> object:
        code = next(codes)
        if code == 0:
            Path(words[-1]).write_text("{}")
        return type("Ended", (), {"returncode": code})

    monkeypatch.setattr(figures.subprocess, "run", ran)
    said: list[str] = []
    figures.run(tmp_path, figures.ROWS[:2], said.append)
    assert [line for line in said if "could not" in line] == [
        f"could not be measured: {figures.ROWS[0].what} (exit code 1)"
    ]
