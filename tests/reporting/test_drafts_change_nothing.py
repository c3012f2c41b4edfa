"""Whatever a draft says, the words of every format are the same: it gives boxes, and pictures as further files."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from docspec.core import BBox, Category, PageDraft, PageResult, Region
from docspec.dialects import make_dialect
from docspec.dialects.locate import attach_boxes
from docspec.documents import PageFailure, open_document
from docspec.drafting.text_layer import TextLayerDrafter
from docspec.reporting.figures import EmbeddedFigures, FigureFiles, FigureSink
from docspec.reporting.formats import renderer_for
from docspec.reporting.renderer import Layout

LETTER = "Dear Ms Brown, we owe you 400 pounds"
WIDTH, HEIGHT = 120, 160
LAYOUT = json.dumps(
    [
        {"bbox": [10, 10, 500, 40], "category": "Page-header", "text": "Annual report"},
        {"category": "Title", "text": LETTER},
        {"category": "Picture"},
        {"bbox": [10, 30, 90, 80], "category": "Picture"},
        {"category": "Caption", "text": "Figure 1"},
    ]
)
ANSWERS = [
    ("markdown", LETTER),
    ("markdown", f"# {LETTER}\n\n12\n\n- one\n- two\n\n![a map](map.png)\n\n$$\nx\n$$\n\n| a |\n|---|\n| 1 |"),
    ("layout-json", LAYOUT),
    ("layout-json", LAYOUT[:-9]),
    ("layout-json", f"{LETTER}\n\n![](map.png)"),
]
TEXTS = [LETTER, "12", "one", "Annual report", "Figure 1", "a", "x", ""]

boxes = st.tuples(*[st.integers(0, 100)] * 4).map(lambda n: BBox(n[0], n[1], n[0] + n[2] + 1, n[1] + n[3] + 1))
regions = st.builds(
    Region,
    boxes,
    st.sampled_from(list(Category)),
    st.lists(st.sampled_from(TEXTS) | st.text(max_size=9), max_size=2).map(tuple),
)


def result(dialect: str, answer: str, draft: PageDraft) -> PageResult:
    """The page as it is made of ``answer`` and ``draft``."""
    blocks = attach_boxes(make_dialect(dialect).parse(answer, WIDTH, HEIGHT), draft)
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    return PageResult("a.pdf", 1, "ok", answer, blocks, WIDTH, HEIGHT, image=image)


def words(page: PageResult, figures: Any) -> tuple[str, list[Any], str]:
    """The Markdown file, categories and texts of the JSON file, and the HTML file but for its pictures."""
    written = {}
    for name in ("md", "json", "html"):
        renderer = renderer_for(name, Layout())  # type: ignore[arg-type]
        links = EmbeddedFigures().page(page) if name == "html" else figures.page(page)
        written[name] = renderer.begin("a.pdf", "") + renderer.page(page, links) + renderer.end()
    blocks = json.loads(written["json"])["pages"][0]["blocks"]
    html = re.sub(r"<figure></figure>\n?", "", re.sub(r"<img[^>]*>", "", written["html"]))
    return written["md"], [(block["category"], block["text"]) for block in blocks], html


@pytest.mark.parametrize("dialect", ["markdown", "layout-json"])
def test_a_letters_first_line_is_no_running_head(tmp_path: Path, dialect: str) -> None:
    pdf = pymupdf.open()
    pdf.new_page(width=420, height=595).insert_text((50, 20), LETTER, fontsize=11)
    pdf.save(tmp_path / "letter.pdf")
    with open_document(tmp_path / "letter.pdf") as document:
        page = next(document.pages("1", 72))
        assert not isinstance(page, PageFailure)
        draft = TextLayerDrafter(quick=True).draft(page)
    assert [region.category for region in draft.regions] == [Category.TEXT]
    draft = replace(draft, regions=tuple(replace(one, category=Category.PAGE_HEADER) for one in draft.regions))
    found = words(result(dialect, LETTER, draft), FigureSink())
    assert found == words(result(dialect, LETTER, PageDraft()), FigureSink())
    assert found[0] == LETTER + "\n" and LETTER in found[2]


@settings(deadline=None, max_examples=50)
@given(st.sampled_from(ANSWERS), st.lists(regions, max_size=6))
def test_no_draft_changes_the_words(
    tmp_path_factory: pytest.TempPathFactory, answer: tuple[str, str], drafted: list[Region]
) -> None:
    figures = FigureFiles(tmp_path_factory.getbasetemp() / "figures", tmp_path_factory.getbasetemp())
    draft = PageDraft(tuple(drafted))
    try:
        assert words(result(*answer, draft), figures) == words(result(*answer, PageDraft()), figures)
    finally:
        figures.discard()
