"""Several pages at a time: each page's output is the one it has alone, and each is charged with its own part."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from PIL import Image

from docspec import ParseOptions, Parser
from docspec.core import BBox, Category, PageDraft, PageImage, Region
from docspec.drafting.drafted_page import DraftedPage
from docspec.engine import loop
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.hierarchy.whole import WholePages
from docspec.targets.registry import load_target

MIB = 2**20


def page_of(number, height=128):
    noise = random.Random(number).randbytes(256 * height)
    return PageImage(Image.frombytes("L", (256, height), noise).convert("RGB"), number, 1.0, f"{number}.png")


def drafted(number, text, height=128):
    regions = tuple(Region(BBox(0, y, 250, y + 50), Category.TEXT, (text,)) for y in (0, 64))
    return DraftedPage(page_of(number, height), PageDraft(regions, "text-layer"))


PAGES = (drafted(1, "some words"), drafted(2, "others " * 9, 192), drafted(3, "", 96), drafted(4, "x y z"))


def parser_with(model, **options):
    options = ParseOptions(model=str(model), device="cpu", dtype="float32", max_tokens=60, **options)
    return Parser(options).page_parser


@pytest.mark.parametrize("stages", ["both", "page", "none", "auto"])
def test_pages_write_what_they_write_alone(lively_qwen, stages):
    parser = parser_with(lively_qwen, stages=stages, pages_in_flight=4)
    alone = [parser.verify(page) for page in PAGES]
    beside = parser.verify_all(PAGES)
    assert [page.number for page in beside] == [1, 2, 3, 4]
    assert [page.token_ids for page in beside] == [page.token_ids for page in alone]
    assert len({page.token_ids for page in alone}) == len(PAGES)
    for one, other in zip(alone, beside, strict=True):
        assert one.stage2.tokens == other.stage2.tokens
        assert one.stage2.prompt_tokens == other.stage2.prompt_tokens
        assert (one.stage1 is None) == (other.stage1 is None) or stages == "auto"
    assert sum(page.stage2.forwards for page in beside) < sum(page.stage2.steps for page in beside)


def test_regions_of_several_pages_share_their_batch(lively_qwen):
    parser = parser_with(lively_qwen, stages="both")
    alone = [parser.verify(page).stage1 for page in PAGES]
    beside = [page.stage1 for page in parser.verify_all(PAGES)]
    assert [stats.rows for stats in beside if stats] == [stats.rows for stats in alone if stats]
    assert sum(s.forwards for s in beside if s) < sum(s.forwards for s in alone if s)


def test_a_bound_on_the_memory_lets_fewer_pages_in_and_changes_no_output(lively_qwen):
    free = parser_with(lively_qwen, stages="page")
    tight = parser_with(lively_qwen, stages="page", kv_memory=1)
    outputs = [page.token_ids for page in free.verify_all(PAGES)]
    assert [page.token_ids for page in tight.verify_all(PAGES)] == outputs
    assert tight.context.engine.target.kv.nbytes <= MIB


def test_what_breaks_one_page_breaks_no_other(lively_qwen, monkeypatch):
    parser = parser_with(lively_qwen, stages="page")
    alone = [parser.verify(page) for page in PAGES]
    honest = WholePages.request

    def broken(self, state):
        if state.page.number == 2:
            raise RuntimeError("a bad page")
        return honest(self, state)

    monkeypatch.setattr(WholePages, "request", broken)
    beside = parser.verify_all(PAGES)
    assert [page.status for page in beside] == ["ok", "failed", "ok", "ok"]
    assert "a bad page" in beside[1].error
    assert [page.token_ids for page in beside[2:]] == [page.token_ids for page in alone[2:]]
    assert beside[1].trace is not None and "in broken\n" in beside[1].trace
    assert [page.trace for page in beside].count(None) == 3


def test_blank_and_undrafted_pages_keep_their_places(lively_qwen):
    parser = parser_with(lively_qwen, stages="page")
    broken = DraftedPage(page_of(7), error=ValueError("no draft"))
    blank = replace(PAGES[1], draft=replace(PAGES[1].draft, blank=True))
    beside = parser.verify_all([PAGES[0], blank, broken, PAGES[3]])
    assert [page.status for page in beside] == ["ok", "blank", "failed", "ok"]
    assert [page.number for page in beside] == [1, 2, 7, 4]


def test_a_document_reads_the_same(lively_qwen, tmp_path):
    """Also where the last group is not full, and where all of it is one."""
    pages = [page.page.image for page in PAGES]
    pages[0].save(tmp_path / "pages.tiff", save_all=True, append_images=pages[1:])
    options = ParseOptions(model=str(lively_qwen), device="cpu", dtype="float32", max_tokens=40)
    found = []
    for depth in (1, 3, 16):
        with Parser(replace(options, pages_in_flight=depth)) as parser:
            found.append(parser.parse(tmp_path / "pages.tiff").pages)
    alone, *beside = found
    assert all(page.token_ids for page in alone)
    for pages in beside:
        assert [page.number for page in pages] == [1, 2, 3, 4]
        assert [page.token_ids for page in pages] == [page.token_ids for page in alone]


@pytest.mark.parametrize(("rows", "widest"), [(1, 64), (4, 64), (16, 16)])
def test_many_rows_share_the_nodes_of_a_step(lively_qwen, monkeypatch, rows, widest):
    target = load_target(ParseOptions(model=str(lively_qwen), device="cpu")).target
    engine = make_decoder(target, ParseOptions())
    prompt = target.encode(PAGES[0].page.image, "Read.")
    [free], _ = engine.speculate([Request(prompt, (), 100)])
    sizes = []
    honest = loop.linearise

    def measured(trees, *args):
        sizes.append(max(map(len, trees)))
        return honest(trees, *args)

    monkeypatch.setattr(loop, "linearise", measured)
    jobs = [Request(prompt, (free.tokens,), 100)] * rows
    outputs, _ = engine.speculate(jobs)
    assert {output.tokens for output in outputs} == {free.tokens}
    assert len(free.tokens) > 64 and max(sizes) == widest


def test_a_row_that_is_alone_is_charged_with_everything(lively_qwen):
    target = load_target(ParseOptions(model=str(lively_qwen), device="cpu")).target
    engine = make_decoder(target, ParseOptions())
    job = Request(target.encode(PAGES[0].page.image, "Read."), (), 30)
    outputs, stats = engine.speculate([job])
    assert len(outputs) == 1 and stats.forwards == stats.steps
