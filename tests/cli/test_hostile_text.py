"""Control characters of documents, answers, errors and file names reach neither files nor the terminal."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from scripted_parser import page, pdf

from docspec.core import Block, Category, Event, InputError

HOSTILE = "a\x1b[31mb\x07c\x00d\x9b2Je\ud83df\x7fg\u202eh"


def harmless(written: str) -> bool:
    return all(char in "\t\n" or unicodedata.category(char) not in ("Cc", "Cs") for char in written)


def hostile_page(name: str, number: int) -> Any:
    if number == 2:
        return page(name, 2, status="failed", error=HOSTILE, text="", blocks=())
    blocks = [Block(category, HOSTILE) for category in Category]
    table = Block(Category.TABLE, f"<table><tr><td title='{HOSTILE}'>{HOSTILE}&#27;&#x9b;</td></tr></table>")
    return page(name, 1, text=HOSTILE, blocks=(*blocks, table), events=(Event("loop_stopped", HOSTILE),))


@pytest.mark.parametrize("format", ["md", "json", "html"])
def test_hostile_characters_never_leave(tmp_path: Path, run_cli: Any, format: str) -> None:
    source = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\x1b[2J\xe9\x9b.pdf"))
    streamed = run_cli("parse", pdf(source), "--format", format, "-v", "--figures", "none", act=hostile_page)
    written = run_cli("parse", source, "-o", f"o.{format}", "--figures", "none", "--report", "r.json", act=hostile_page)
    files = [(tmp_path / name).read_bytes().decode() for name in (f"o.{format}", "r.json")]
    assert all(map(harmless, (streamed.out, streamed.err, written.err, *files)))
    assert "\u202e" not in streamed.err + written.err
    for text in (streamed.out, files[0]):
        assert "a�[31mb�c�d�2Je�f�g" in text and "\\u00" not in text
    assert "a�[31mb" in files[1] and "\\u00" not in files[1]


def test_an_input_that_fails_is_named_harmlessly(tmp_path: Path, run_cli: Any) -> None:
    def broken(name: str, number: int) -> Any:
        raise InputError(f"{name}: {HOSTILE}")

    result = run_cli("parse", pdf(tmp_path / "a\x1b[2J\u2066.pdf"), "-v", act=broken)
    assert result.code != 0 and harmless(result.err)
    assert "\u202e" not in result.err and "\u2066" not in result.err and "a [2J .pdf" in result.err
