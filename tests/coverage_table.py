"""The share of docspec's lines that tests run, by package, one column for each file of coverage's data:

python -m tests.coverage_table build/coverage/fast build/coverage/all
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import coverage
from rich.console import Console
from rich.table import Table


def lines_by_package(data: Path) -> dict[str, tuple[int, int]]:
    """For each package or module directly in docspec, the numbers of its lines that were run and of all its lines."""
    measured = coverage.Coverage(data_file=str(data))
    measured.load()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        measured.json_report(outfile=str(report))
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    lines: dict[str, tuple[int, int]] = {}
    for path, facts in files.items():
        parts = Path(path).parts
        package = parts[parts.index("docspec") + 1].removesuffix(".py")
        run, all_lines = lines.get(package, (0, 0))
        summary = facts["summary"]
        lines[package] = (run + summary["covered_lines"], all_lines + summary["num_statements"])
    return lines


def table(columns: dict[str, dict[str, tuple[int, int]]]) -> Table:
    """One row for each package, one column of percentages for each of ``columns``, with their sums at the end."""
    made = Table("package", "lines", *columns)
    for each in made.columns[1:]:
        each.justify = "right"
    packages = sorted({package for lines in columns.values() for package, (_, most) in lines.items() if most})
    rows = {package: [lines.get(package, (0, 0)) for lines in columns.values()] for package in packages}
    rows["all"] = [
        (sum(run for run, _ in lines.values()), sum(n for _, n in lines.values())) for lines in columns.values()
    ]
    for package, counts in rows.items():
        shares = [f"{run / most:.0%}" if most else "-" for run, most in counts]
        made.add_row(package, str(max(most for _, most in counts)), *shares, end_section=package == packages[-1])
    return made


def main(files: Sequence[str]) -> None:
    """Prints the table of the data in ``files``, which give the columns their names."""
    Console().print(table({Path(file).name: lines_by_package(Path(file)) for file in files}))


if __name__ == "__main__":
    main(sys.argv[1:])
