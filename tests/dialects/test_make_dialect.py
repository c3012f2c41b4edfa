from __future__ import annotations

import subprocess
import sys

import pytest

from docspec.core import UsageError
from docspec.core.choices import DIALECTS
from docspec.dialects import Dialect, make_dialect


@pytest.mark.parametrize("name", DIALECTS)
def test_every_name_makes_a_dialect_that_knows_its_name(name: str) -> None:
    dialect = make_dialect(name)
    assert isinstance(dialect, Dialect)
    assert dialect.name == name


def test_settings_reach_the_dialect() -> None:
    assert make_dialect("markdown", page_prompt="Read.").page_prompt == "Read."


@pytest.mark.parametrize(("name", "settings"), [("latex", {}), ("markdown", {"colour": "red"})])
def test_unknown_names_and_settings_are_told_by_name(name: str, settings: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=r"latex.*markdown, layout-json|colour"):
        make_dialect(name, **settings)


def test_making_dialects_imports_neither_torch_nor_numpy() -> None:
    code = (
        "import sys; from docspec.dialects import make_dialect; [make_dialect(n) for n in ('markdown', 'layout-json')];"
        "sys.exit(bool({'torch', 'transformers', 'numpy', 'PIL'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
