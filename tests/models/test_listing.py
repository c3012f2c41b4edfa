"""``docspec models list`` can be read at any width."""

from __future__ import annotations

import os

import pytest

from docspec.models.known import entries
from tests.forked import run_forked


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_names_and_families_stand_whole_on_two_lines_a_model(columns: int) -> None:
    ran = run_forked(["models", "list"], text=True, env={**os.environ, "COLUMNS": str(columns)})
    lines = ran.stdout.splitlines()
    assert ran.returncode == 0 and all(len(line) <= columns and line == line.rstrip() for line in lines)
    for entry in entries():
        place = lines.index(entry.name)
        assert lines[place + 1].startswith(f"    {entry.family}")
