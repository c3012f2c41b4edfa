"""Both stages in one batch: the page writes its own greedy output, and sees what the regions write step by step."""

from __future__ import annotations

import random

import pytest
from PIL import Image

from docspec import ParseOptions, Parser
from docspec.core import BBox, Category, PageDraft, PageImage, Region
from docspec.drafting.drafted_page import DraftedPage
from docspec.drafting.page import DraftResult
from docspec.engine.request import GrowingDraft, Request
from docspec.hierarchy.decoding import make_engine
from docspec.hierarchy.together import rows_for, verify_together
from docspec.reporting.timing import page_object
from docspec.targets.registry import load_target
from tests.targets.dots_checkpoint import write_tiny_dots_ocr

BUDGET = 120


@pytest.fixture(scope="module")
def target(lively_qwen):
    return load_target(ParseOptions(model=str(lively_qwen), dtype="float32", device="cpu")).target


@pytest.fixture(scope="module")
def prompt(target, printed_page):
    return target.encode(printed_page, "Read.")


@pytest.fixture(scope="module")
def greedy(target, prompt):
    return make_engine(target, ParseOptions()).baseline(Request(prompt, (), BUDGET))[0].tokens


@pytest.fixture(scope="module")
def regions(target, printed_page, prompt, greedy):
    """Crops with drafts of their own, and one row with the page's own prompt and a good draft."""
    crops = [printed_page.crop((0, 32 * i, 320, 32 * i + 64)) for i in range(4)]
    jobs = [Request(target.encode(crop, "Read."), ((1, 2, 3),), 30 + 10 * i) for i, crop in enumerate(crops)]
    return [jobs[0], Request(prompt, (greedy,), BUDGET), *jobs[1:]]


def drafts_of(kind, greedy):
    rng = random.Random(7)
    return {
        "empty": (),
        "perfect": (greedy,),
        "wrong": (tuple(reversed(greedy)), tuple(rng.choices(range(400), k=150))),
        "edited": (tuple(t if rng.random() > 0.15 else rng.randrange(400) for t in greedy),),
    }[kind]


def together(target, prompt, regions, drafts, max_rows=4, **options):
    engine = make_engine(target, ParseOptions(**options))
    return verify_together(engine, Request(prompt, drafts, BUDGET), regions, max_rows, lambda tokens: tokens)


@pytest.mark.parametrize("align", ["cursor", "window"])
@pytest.mark.parametrize("kind", ["empty", "perfect", "wrong", "edited"])
def test_the_page_writes_its_greedy_output(target, prompt, regions, greedy, kind, align):
    found = together(target, prompt, regions, drafts_of(kind, greedy), align=align)
    assert found.output.tokens == greedy
    assert found.page.steps == found.page.forwards
    assert found.page.shared_forwards == found.regions.forwards == found.regions.shared_forwards
    assert 0 < found.regions.forwards <= found.page.forwards
    assert found.regions.steps >= found.regions.forwards


@pytest.mark.parametrize("align", ["cursor", "window"])
def test_the_page_drafts_from_what_regions_write(target, prompt, regions, greedy, align):
    helped = together(target, prompt, regions, (), align=align)
    unaided = together(target, prompt, [regions[0]], (), align=align)
    assert helped.output.tokens == unaided.output.tokens == greedy
    assert helped.page.steps < 0.7 * unaided.page.steps


def test_regions_are_handed_over_step_by_step_as_they_wrote_them(target, prompt, regions, monkeypatch):
    handed: list[list[list[int]]] = []

    class Listened(GrowingDraft):
        def __init__(self, limit):
            super().__init__(limit)
            handed.append([])
            self.pieces = handed[-1]

        def extend(self, tokens):
            self.pieces.append(list(tokens))  # the page proposes nothing from it and goes on for long

    monkeypatch.setattr("docspec.hierarchy.together.GrowingDraft", Listened)
    crops = [job for job in regions if job.prompt is not prompt]
    together(target, prompt, crops, (), max_rows=3)
    engine = make_engine(target, ParseOptions())
    for number, job in enumerate(crops):
        pieces = handed[number]
        assert len(pieces) > 3
        written = tuple(token for piece in pieces for token in piece)
        assert engine.baseline(job)[0].tokens[: len(written)] == written


def test_the_page_ends_the_regions(target, prompt, regions, greedy):
    found = together(target, prompt, regions[2:] * 4, (greedy,), max_rows=3)
    assert found.output.tokens == greedy
    assert found.regions.rows < 12
    assert found.regions.forwards <= found.page.forwards < 20


def test_a_page_whose_prefix_is_overwritten_breaks_equality(target, prompt, regions, greedy, monkeypatch):
    """Negative control: regions prefilled into the page's own place are noticed."""
    honest = type(target).prefill

    def misplaced(self, prompts, cache, max_rows, *more):
        return honest(self, prompts, cache, range(len(prompts)), *more)

    monkeypatch.setattr(type(target), "prefill", misplaced)
    assert together(target, prompt, regions, ()).output.tokens != greedy


def test_places_keep_the_bounds(target, prompt, regions):
    page = Request(prompt, (), BUDGET)
    assert rows_for(make_engine(target, ParseOptions()), page, regions) == 1 + len(regions)
    assert rows_for(make_engine(target, ParseOptions()), page, []) == 1
    huge = Request(prompt, (), 30_000)
    assert rows_for(make_engine(target, ParseOptions()), huge, regions) == 2
    assert rows_for(make_engine(target, ParseOptions(kv_memory=1)), huge, regions) < 2


@pytest.fixture(scope="module")
def drafted(printed_page):
    image = Image.new("RGB", (256, 512), "white")
    image.paste(printed_page.crop((0, 0, 256, 192)), (0, 20))
    image.paste(printed_page.crop((40, 0, 296, 192)), (0, 280))
    boxes = [BBox(0, 80 * i, 250, 80 * i + 72) for i in range(5)]
    found = tuple(Region(box, Category.TEXT, (f'words "of" {box.y0}',)) for box in boxes)
    return DraftedPage(PageImage(image, 1, 1.0, "noise.png"), DraftResult(PageDraft(found, "text-layer")))


@pytest.mark.parametrize("family", ["qwen", "dots"])
def test_both_schedules_write_what_plain_decoding_writes(family, lively_qwen, tmp_path_factory, drafted):
    model = lively_qwen if family == "qwen" else write_tiny_dots_ocr(tmp_path_factory.mktemp("dots"), seed=3)
    settings = {"model": str(model), "device": "cpu", "dtype": "float32", "max_tokens": 80}
    results = {}
    for name, extra in {
        "plain": {"stages": "none"},
        "sequential": {"stages": "both"},
        "together": {"stages": "both", "schedule": "together"},
    }.items():
        with Parser(ParseOptions(**settings, **extra)) as parser:
            results[name] = parser.page_parser.verify(drafted)
    plain, sequential, beside = results["plain"], results["sequential"], results["together"]
    assert plain.status == "ok", plain.error
    assert len(set(plain.token_ids)) > 5
    assert sequential.token_ids == beside.token_ids == plain.token_ids
    entry = page_object(beside)
    assert entry["stage1"]["shared_forwards"] == entry["stage2"]["shared_forwards"] > 0
    assert entry["stage1"]["rows"] == 5
    assert entry["stage1"]["decode_seconds"] == 0
    assert page_object(sequential)["stage2"]["shared_forwards"] == 0


def test_without_memory_for_a_region_the_stages_come_one_after_the_other(lively_qwen, drafted):
    settings = {"model": str(lively_qwen), "device": "cpu", "dtype": "float32", "max_tokens": 400}
    with Parser(ParseOptions(**settings, stages="both", schedule="together", kv_memory=1)) as parser:
        found = parser.page_parser.verify(drafted)
    with Parser(ParseOptions(**settings, stages="none")) as parser:
        plain = parser.page_parser.verify(drafted)
    assert "together_skipped" in [event.kind for event in found.events]
    assert found.stage1.rows == 5
    assert found.stage2.shared_forwards == 0
    assert found.token_ids == plain.token_ids
