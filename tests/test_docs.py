"""Files that the documentation names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.forked import run_forked

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
FILE = re.compile(
    r"\b(?:docspec|tests|benchmarks|training|integrations|methods|samples|docs|examples)/[\w/.-]+\.(?:py|md|sh|json|toml)\b"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    named = {name for name in FILE.findall(page.read_text(encoding="utf-8")) if Path(name).stem != "NAME"}
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_each_promise_of_security_names_its_test() -> None:
    promises = re.findall(r"^- (.+?)(?=^- |^$|\Z)", (ROOT / "SECURITY.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(promises) > 12
    unheld = [
        said.splitlines()[0] for said in promises if not FILE.search(said) and not said.startswith("Not promised")
    ]
    assert unheld == []


def test_the_first_example_of_the_readme_writes_what_it_shows() -> None:
    found = re.search(
        r"```console\n\$ docspec (.+?) \| head -n (\d+)\n(.+?)```", (ROOT / "README.md").read_text("utf-8"), re.S
    )
    assert found is not None
    command, count, shown = found.groups()
    ran = run_forked([*command.split(), "--offline"], cwd=ROOT, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "".join(ran.stdout.splitlines(keepends=True)[: int(count)]) == shown
