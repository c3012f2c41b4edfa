"""The package's front door is cheap to open and has the documented names behind it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import docspec


def test_importing_docspec_imports_nothing_heavy() -> None:
    code = "import sys, docspec; from docspec import ParseOptions, Parser, parse; ParseOptions(); "
    code += "print([name for name in ('torch', 'transformers', 'pymupdf', 'PIL', 'typer') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize("name", docspec.__all__)
def test_every_promised_name_is_there(name: str) -> None:
    assert getattr(docspec, name) is not None
    assert name in dir(docspec)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Parse'"):
        _ = docspec.Parse  # type: ignore[attr-defined]
