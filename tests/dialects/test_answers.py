"""Answers that models give, what is written for them, and where that is not what dots.ocr's own tools write.

``published`` in ``answers.json`` is the result of ``OutputCleaner`` and ``layoutjson2md`` (rednote-hilab/dots.ocr,
without headers and footers) where it differs from ours, ``why`` the reason for the difference.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docspec.core import Category, PageResult
from docspec.dialects import make_dialect
from docspec.reporting.formats import renderer_for
from docspec.reporting.markdown import page_markdown
from docspec.reporting.renderer import Layout

ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("each", ANSWERS, ids=lambda each: each["name"])
def test_an_answer_is_written_as_chosen(each: dict[str, str]) -> None:
    blocks = make_dialect(each["dialect"]).parse(each["answer"], 1232, 1764)
    page = PageResult("a.pdf", 1, "ok", each["answer"], blocks, 1232, 1764)
    pictures = {i: "figure.png" for i, block in enumerate(blocks) if block.category is Category.PICTURE}
    assert page_markdown(page, pictures, Layout()) == each["markdown"]
    assert ("published" in each) == ("why" in each)
    assert each.get("published") != each["markdown"]


@pytest.mark.parametrize("each", ANSWERS, ids=lambda each: each["name"])
def test_raw_is_the_answer_itself(each: dict[str, str]) -> None:
    answer = each["answer"]
    page = PageResult("a.pdf", 1, "ok", answer, make_dialect(each["dialect"]).parse(answer, 99, 99), 99, 99)
    raw: dict[Any, str] = {name: renderer_for(name, Layout(raw=True)).page(page, {}) for name in ("md", "json", "html")}
    assert raw["md"] == (answer if answer.endswith("\n") else answer + "\n")
    assert json.loads(raw["json"])["raw"] == answer
    escaped = answer.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    assert f"<pre>\n{escaped.replace(chr(39), '&#x27;')}</pre>" in raw["html"]
