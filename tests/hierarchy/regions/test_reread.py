"""After a cut: what the text has not come to is told from the draft, read on crops, and marked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from docspec.core import BBox, Category, PageDraft, PageImage, ParseOptions, Region
from docspec.core.observer import NullObserver
from docspec.dialects import make_dialect
from docspec.drafting import SafeDrafter
from docspec.engine.request import Loop
from docspec.hierarchy.page import PageParser
from docspec.hierarchy.regions.pages import unreached
from docspec.reporting.jsonout import page_object
from docspec.reporting.markdown import page_markdown
from docspec.reporting.renderer import Layout
from docspec.targets.registry import load_target
from tests.reporting.schema_check import load_schema, problems

TEXTS = ["A heading of some length", "Once upon a time there was a page", "12", "And below it stood another one"]


def regions(*texts):
    return [
        Region(BBox(0, 40 * i, 300, 40 * i + 32), Category.TEXT, (text,) if text else ())
        for i, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("# A heading of some length\n\nOnce upon a time there was a", 2),
        ("A hcading of sone length", 3),
        ("<td>And</td> <td>below it stood another one</td>", 0),
        ("Something else altogether, nothing of this page", 4),
        ("", 4),
    ],
)
def test_what_is_left_begins_behind_the_last_region_that_was_reached(written, left):
    found = unreached(regions(*TEXTS), written)
    assert [region.texts for region in found] == [(text,) for text in TEXTS[4 - left :]]


def test_without_text_nothing_can_be_told():
    assert unreached(regions("", "12", ""), "anything at all that is written") is None


class Given:
    name = "given"

    def __init__(self, draft):
        self._draft = draft

    def draft(self, page):
        return self._draft


class StopsAt:
    """A stop rule that calls the fifteenth token of a page a loop; crops, which come after it, go on."""

    pages = 0

    def __init__(self):
        StopsAt.pages += 1
        self._page, self._seen = StopsAt.pages == 1, 0

    def observe(self, token):
        self._seen += 1
        return Loop(10, 5, 5, "again ") if self._page and self._seen == 15 else None


@pytest.mark.parametrize("on_loop", ["stop", "reread"])
def test_the_rest_is_read_on_crops_and_marked(lively_qwen, printed_page, monkeypatch, on_loop):
    options = ParseOptions(
        model=str(lively_qwen), dtype="float32", device="cpu", stages="page", max_tokens=40, on_loop=on_loop
    )
    loaded = load_target(options)
    draft = PageDraft(tuple(regions(*TEXTS[:2], TEXTS[3])), "given")
    monkeypatch.setattr("docspec.generation.local.LoopGuard", lambda text_of: StopsAt())
    parser = PageParser(loaded, make_dialect("markdown"), SafeDrafter(Given(draft)), options, NullObserver())
    monkeypatch.setattr(StopsAt, "pages", 0)
    page = PageImage(printed_page, 1, 1.0, "a.pdf")
    result = parser.parse(page)
    assert result.cut is not None and (result.cut.kept, result.cut.dropped) == (10, 5)
    assert len(result.token_ids) == 10
    again = [block for block in result.blocks if block.reread]
    if on_loop == "stop":
        assert not again
        return
    assert again and result.blocks[-len(again) :] == tuple(again)
    assert [event.kind for event in result.events][-1] == "regions_reread"
    assert result.text.endswith(again[-1].text)
    assert result.stage1 is not None and result.stage1.rows >= len(again)
    layout = Layout()
    assert again[-1].text.strip() in page_markdown(result, {}, layout)
    value = page_object(result, {}, layout)
    assert [block.get("reread", False) for block in value["blocks"]].count(True) == len(again)
    schema = load_schema("document")
    assert problems(value, schema["$defs"]["page"], schema) == []
    assert replace(again[0], reread=False) != again[0]
