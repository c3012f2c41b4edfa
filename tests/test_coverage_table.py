"""The table that ``make coverage`` prints counts the lines of each package as coverage measured them."""

from __future__ import annotations

from pathlib import Path

import coverage
import pytest
from rich.console import Console

from tests.coverage_table import lines_by_package, table


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    """Coverage's data of a docspec with two packages: one of four lines ran three, one of two ran none."""
    sources = {"core/sizes.py": "a = 1\nif a > 1:\n    a = 2\nb = 3\n", "serve/__init__.py": "c = 1\nd = 2\n"}
    lines = {"core/sizes.py": {1, 2, 4}, "serve/__init__.py": set()}
    data = coverage.CoverageData(str(tmp_path / "fast"))
    for name, text in sources.items():
        path = tmp_path / "docspec" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        data.add_lines({str(path): lines[name]})
        data.touch_file(str(path))
    data.write()
    return tmp_path / "fast"


def test_lines_are_summed_by_package(measured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(measured.parent)
    assert lines_by_package(measured) == {"core": (3, 4), "serve": (0, 2)}


def test_a_layer_is_a_column_and_the_last_row_has_all(capsys: pytest.CaptureFixture[str]) -> None:
    fast, heavy = {"core": (3, 4), "serve": (0, 2)}, {"core": (4, 4), "serve": (1, 2)}
    Console(width=60).print(table({"fast": fast, "all": heavy}))
    rows = [line.strip("│ ").split() for line in capsys.readouterr().out.splitlines() if "%" in line]
    assert [[cell for cell in row if cell != "│"] for row in rows] == [
        ["core", "4", "75%", "100%"],
        ["serve", "2", "0%", "50%"],
        ["all", "6", "50%", "83%"],
    ]
