"""The examples of docs/python.md, each run by itself: they print what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.made_report import make_report

GUIDE = Path(__file__).parents[1] / "docs" / "python.md"
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``report.pdf`` and ``broken.pdf``."""
    home = tmp_path_factory.mktemp("guide")
    (home / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing behind it")
    make_report(home / "report.pdf")
    return home


@pytest.mark.parametrize(("code", "shown"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_prints_what_the_page_shows(
    code: str, shown: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    exec(compile(code, str(GUIDE), "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.split() == shown.split()


def test_every_example_of_the_page_is_run() -> None:
    assert len(EXAMPLES) == GUIDE.read_text(encoding="utf-8").count("```python\n") > 5
