"""A parsed document gives itself in every format, and saves what its name asks for."""

from __future__ import annotations

import json

import pytest

from docspec.core import Block, Category, Failure, InputError, OutputError, PageResult
from docspec.results import ParsedDocument

BLOCKS = (Block(Category.PAGE_HEADER, "head"), Block(Category.TITLE, "# Title"), Block(Category.TEXT, "Text <b>."))
DOCUMENT = ParsedDocument("a.pdf", (PageResult("a.pdf", 1, "ok", blocks=BLOCKS),), sha256="ab")


def test_texts_are_those_of_the_command_line():
    assert DOCUMENT.to_markdown() == "# Title\n\nText <b>.\n"
    assert DOCUMENT.to_markdown(keep_furniture=True).startswith("head\n")
    assert "<h1>Title</h1>" in DOCUMENT.to_html() and "<script" not in DOCUMENT.to_html()
    assert json.loads(DOCUMENT.render("json"))["sha256"] == "ab"


def test_a_file_gets_the_format_of_its_name_or_the_one_asked_for(tmp_path):
    assert DOCUMENT.save(tmp_path / "a.md").read_text() == DOCUMENT.to_markdown()
    assert DOCUMENT.save(tmp_path / "a.dots.json").read_text() == DOCUMENT.render("dots")
    assert DOCUMENT.save(str(tmp_path / "plain"), "html").read_text() == DOCUMENT.to_html()
    with pytest.raises(OutputError):
        DOCUMENT.save(tmp_path / "a.md" / "b.md")


def test_a_document_that_could_not_be_read_is_not_saved_as_if_it_had_been(tmp_path):
    failed = ParsedDocument("b.pdf", (), "b.pdf: no such file", Failure.UNREADABLE)
    with pytest.raises(InputError, match="no such file"):
        failed.save(tmp_path / "b.md")
    assert list(tmp_path.iterdir()) == []
