"""The command runs on a model that does not read, and states what it finds."""

from __future__ import annotations

import json

from typer.testing import CliRunner


def test_every_changed_character_of_a_draft_is_marked_as_corrected(printed_page, tmp_path, monkeypatch):
    from benchmarks import marks
    from benchmarks.cli import app

    printed_page.save(tmp_path / "page.png")
    out = tmp_path / "marks.json"
    ran = CliRunner().invoke(app, ["marks", str(tmp_path / "page.png"), "--max-tokens", "60", "--json", str(out)])
    assert ran.exit_code == 0, ran.output
    [row] = json.loads(out.read_text())["rows"]
    assert row["changed"] >= 3
    assert (row["corrected"], row["agreed"]) == (row["changed"], 0)
    assert (row["recall"], row["precision"]) == (1.0, 1.0)
    assert row["seconds"] > 0

    monkeypatch.setattr(marks, "corrupt", lambda text, rate, seed: (text, dict.fromkeys(range(9), "x")))
    [page] = marks.measure([_source(tmp_path / "page.png")], _options())
    assert page.recall < 1, "a draft without the changes that are counted"


def _source(path):
    from docspec.documents.sources import source_from_path

    return source_from_path(path)


def _options():
    from docspec import ParseOptions

    return ParseOptions(max_tokens=60)
