"""The target's own layout before its regions are read: what is asked, what becomes of the answer, and of none."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from docspec import ParseOptions, Parser
from docspec.core import Category, StageStats
from docspec.hierarchy.answers import Answered, PageAnswer
from docspec.hierarchy.regions import own_layout
from docspec.targets.adapter import TransformersTarget
from tests.targets.dots_checkpoint import write_tiny_dots_ocr
from tests.targets.families.checkpoint import write
from tests.targets.families.qwen2_vl import CASE


@pytest.fixture
def page(tmp_path):
    image = Image.new("RGB", (320, 240), "white")
    for y in (20, 36, 52, 140, 156):
        ImageDraw.Draw(image).text((20, y), "Some words of print on a line", fill="black")
    image.save(tmp_path / "page.png")
    return tmp_path / "page.png"


@pytest.fixture
def asked(monkeypatch):
    """Prompts and sizes of what the target is shown."""
    found: list[tuple[str, tuple[int, int]]] = []
    honest, together = TransformersTarget.encode, TransformersTarget.encode_all

    def encode(self, image, prompt):
        found.append((prompt, image.size))
        return honest(self, image, prompt)

    def encode_all(self, asked):
        found.extend((prompt, image.size) for image, prompt in asked)
        return together(self, asked)

    monkeypatch.setattr(TransformersTarget, "encode", encode)
    monkeypatch.setattr(TransformersTarget, "encode_all", encode_all)
    return found


def read(model, page, **more):
    options = ParseOptions(
        model=str(model), dtype="float32", device="cpu", max_tokens=16, drafter="none", baseline=True, **more
    )
    with Parser(options) as parser:
        [result] = parser.pages(page)
        return result


def test_mineru_is_asked_for_the_layout_first_and_without_one_the_drafted_regions_are_read(tmp_path, page, asked):
    """Random weights write no layout: the page is read all the same, as by plain decoding."""
    result = read(write(CASE, tmp_path / "MinerU2.5-2509-1.2B"), page)
    assert asked[0] == ("\nLayout Detection:", (1036, 1036))
    assert {prompt for prompt, _ in asked[1:]} == {"\nText Recognition:"}
    [event] = [event for event in result.events if event.kind == "own_layout"]
    assert event.detail.startswith("no regions, so that the drafted ones are read")
    assert event.detail.endswith("cut short")
    assert result.status == "ok" and result.baseline.identical


def written(monkeypatch, text):
    """The layout that the target is made to write (simulated: random weights cannot)."""

    def write(context, requests):
        for request in requests:
            context.engine.target.encode(request.image, request.prompt)
        return Answered([PageAnswer(text)], StageStats(tokens=9, steps=2), 0.0)

    monkeypatch.setattr(own_layout, "ask", write)


def test_regions_that_the_target_sees_are_read_in_its_order_by_their_kinds(tmp_path, page, asked, monkeypatch):
    box = "<|box_start|>{}<|box_end|><|ref_start|>{}<|ref_end|><|rotate_up|>"
    lines = [("40 550 800 740", "table"), ("40 60 800 290", "equation"), ("40 60 800 290", "list")]
    written(monkeypatch, "\n".join(box.format(*line) for line in lines))
    result = read(write(CASE, tmp_path / "MinerU2.5-2509-1.2B"), page)
    assert [prompt for prompt, _ in asked[1:3]] == ["\nTable Recognition:", "\nFormula Recognition:"]
    assert [block.category for block in result.blocks][:2] == [Category.TABLE, Category.FORMULA]
    assert result.blocks[0].bbox.y0 == pytest.approx(0.55 * 240)
    events = {event.kind: event.detail for event in result.events}
    assert events["own_layout"] == "2 regions; 9 tokens in 2 steps"
    assert events["read_by_regions"].endswith("layout: the model's own")


def test_dots_ocr_gives_its_layout_as_json(tmp_path, page, asked, monkeypatch):
    written(monkeypatch, '[{"bbox": [20, 20, 300, 70], "category": "Text"}]')
    result = read(write_tiny_dots_ocr(tmp_path / "dots"), page, read="regions", image_scale="as-is")
    assert asked[0][0].endswith("Do not output the corresponding text. The layout result should be in JSON format.")
    assert {prompt for prompt, _ in asked[1:]} == {"Extract the text content from this image."}
    assert "own_layout" in {event.kind for event in result.events}
    assert result.baseline.identical
