"""Pages read by regions: the target's own words for each crop, whatever is drafted, nothing on the page left out."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from PIL import Image, ImageDraw

from docspec import ParseOptions, Parser
from docspec.core import BBox, Block, Category, PageDraft, PageImage, PageResult, PrintedLine, Region
from docspec.core.straightening import Straightening
from docspec.drafting.drafted_page import DraftedPage
from docspec.drafting.straightening import as_printed
from docspec.hierarchy.page import PageParser
from docspec.hierarchy.regions.cutting import complete
from docspec.hierarchy.regions.regions_read import markdown_of

HEAD, TITLE, FIRST, SECOND = "Tide tables 1911", "Harbours", "The water comes and", "goes with the moon."


def print_page(words: str = FIRST) -> PageImage:
    with pymupdf.open() as document:
        page = document.new_page(width=200, height=150)
        page.insert_text((20, 12), HEAD, fontsize=8)
        page.insert_text((20, 45), TITLE, fontsize=16)
        page.insert_text((20, 70), words, fontsize=10)
        page.insert_text((20, 82), SECOND, fontsize=10)
        pixels = page.get_pixmap(dpi=144)
        image = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
    return PageImage(image, 1, 2.0, "tides.pdf")


def box(x0: float, y0: float, x1: float, y1: float) -> BBox:
    return BBox(2 * x0, 2 * y0, 2 * x1, 2 * y1)


def draft(first: str = FIRST, second: str = SECOND, layout: str = "PyMuPDF") -> PageDraft:
    lines = (PrintedLine(box(20, 61, 130, 73), first, 20.0), PrintedLine(box(20, 73, 130, 85), second, 20.0))
    return PageDraft(
        (
            Region(box(18, 2, 130, 16), Category.PAGE_HEADER, (HEAD,)),
            Region(box(18, 28, 130, 50), Category.TITLE, (TITLE,)),
            Region(box(18, 60, 140, 86), Category.TEXT, (f"{first}\n{second}",), lines=lines),
        ),
        "text-layer",
        layout=layout,
    )


DRAFTS = {
    "right": draft(),
    "wrong": draft("Entirely other", "words stand here"),
    "empty": PageDraft(tuple(replace(one, texts=(), lines=()) for one in draft().regions), "none", layout="saved"),
}


@pytest.fixture(scope="module")
def parsers(lively_qwen: Path) -> dict[str, PageParser]:
    def made(**options: object) -> PageParser:
        chosen = ParseOptions(
            model=str(lively_qwen), device="cpu", dtype="float32", max_tokens=40, read="regions", **options
        )  # type: ignore[arg-type]
        return Parser(chosen).page_parser

    return {
        "auto": made(),
        "plain": made(stages="none"),
        "baseline": made(baseline=True),
        "strict": made(exact="strict"),
    }


@pytest.mark.parametrize("kind", ["right", "wrong", "empty"])
def test_every_crop_is_written_as_plain_decoding_writes_it(parsers: dict[str, PageParser], kind: str) -> None:
    page = DraftedPage(print_page(), DRAFTS[kind])
    found, plain = parsers["auto"].verify(page), parsers["plain"].verify(page)
    assert found.status == plain.status == "ok", found.error
    assert found.token_ids and found.token_ids == plain.token_ids
    assert (found.text, found.blocks) == (plain.text, plain.blocks)
    assert plain.stage2 is not None and plain.stage2.drafted == 0


def test_strictly_each_crop_is_decoded_alone(parsers: dict[str, PageParser]) -> None:
    page = DraftedPage(print_page(), DRAFTS["wrong"])
    shared, strict = parsers["auto"].verify(page), parsers["strict"].verify(page)
    assert shared.stage2 is not None and strict.stage2 is not None
    assert strict.stage2.forwards == strict.stage2.steps and shared.stage2.forwards < shared.stage2.steps
    assert strict.token_ids == shared.token_ids


def test_regions_of_a_drafter_that_names_no_layout_are_its_own(parsers: dict[str, PageParser]) -> None:
    found = parsers["auto"].verify(DraftedPage(print_page(), replace(draft(layout=""), drafter="mine")))
    [said] = [event.detail for event in found.events if event.kind == "read_by_regions"]
    assert found.layout == "mine" and said.endswith("layout: mine")


def test_texts_without_regions_are_said_to_be_of_no_use(parsers: dict[str, PageParser]) -> None:
    without = PageDraft(page_texts=(FIRST,), drafter="mine")
    kinds = [
        [event.kind for event in parsers["auto"].verify(DraftedPage(print_page(), one)).events]
        for one in (without, DRAFTS["right"])
    ]
    assert "draft_unused" in kinds[0] and "draft_unused" not in kinds[1]


def test_other_print_gives_other_tokens(parsers: dict[str, PageParser]) -> None:
    one, other = (
        parsers["auto"].verify(DraftedPage(print_page(words), DRAFTS["right"])) for words in (FIRST, "Xylophones")
    )
    assert one.token_ids != other.token_ids


def test_pages_in_flight_write_what_they_write_alone(parsers: dict[str, PageParser]) -> None:
    pages = [DraftedPage(print_page(words), DRAFTS[kind]) for words, kind in ((FIRST, "right"), ("Quays", "wrong"))]
    alone = [parsers["auto"].verify(page).token_ids for page in pages]
    assert [page.token_ids for page in parsers["auto"].verify_all(pages)] == alone


def test_baseline_is_plain_decoding_of_the_same_crops(parsers: dict[str, PageParser]) -> None:
    found = parsers["baseline"].verify(DraftedPage(print_page(), DRAFTS["right"]))
    assert found.baseline is not None
    assert found.baseline.identical and found.baseline.tokens == len(found.token_ids)


def test_drafts_do_not_say_how_much_may_be_written(parsers: dict[str, PageParser]) -> None:
    reader = parsers["auto"].regions
    drafts = [draft(), draft("A" * 500, "B" * 500)]
    budgets = [[crop.request.max_tokens for crop in reader.cut(print_page(), one).crops] for one in drafts]
    assert budgets[0] == budgets[1]


def test_running_heads_are_kept_in_the_blocks_and_left_out_of_the_text(parsers: dict[str, PageParser]) -> None:
    found = parsers["auto"].verify(DraftedPage(print_page(), draft()))
    assert found.blocks[0].category is Category.PAGE_HEADER
    assert found.blocks[0].text and not found.text.startswith(found.blocks[0].text)
    assert found.blocks[1].text.startswith("# ")


def test_white_space_alone_calls_nothing_a_running_head(parsers: dict[str, PageParser]) -> None:
    page = print_page()
    assert complete(page, draft(layout="white space"))[0].category is Category.TEXT
    assert complete(page, draft())[0].category is Category.PAGE_HEADER
    foot = replace(draft().regions[0], category=Category.PAGE_FOOTER)
    assert complete(page, replace(draft(), regions=(foot,)))[0].category is Category.TEXT, "a foot at the top"


def test_a_page_that_is_all_head_is_not_empty(parsers: dict[str, PageParser]) -> None:
    """The JSON has what the layout called it, the text has its words."""
    page = print_page()
    page.image.paste("white", (0, 32, page.width, page.height))
    found = parsers["auto"].verify(DraftedPage(page, replace(draft(), regions=draft().regions[:1])))
    assert [block.category for block in found.blocks] == [Category.PAGE_HEADER]
    assert found.text and found.text == found.blocks[0].text
    foot = (Block(Category.PAGE_FOOTER, "12"), Block(Category.TEXT, "Words."))
    assert markdown_of(foot) == "Words." and markdown_of(foot[:1]) == ""


def test_what_the_layout_forgot_is_read_in_its_place() -> None:
    page = print_page()
    forgetful = replace(draft(), regions=(draft().regions[0], draft().regions[2]))
    found = complete(page, forgetful)
    assert [one.category for one in found] == [Category.PAGE_HEADER, Category.TEXT, Category.TEXT]
    assert found[1].bbox.overlap(draft().regions[1].bbox) > 0.9
    assert len(complete(page, PageDraft())) == 3, "without any layout everything printed is still read"


def test_pages_too_large_for_the_target_are_read_by_regions(lively_qwen: Path, tmp_path: Path) -> None:
    directory = shutil.copytree(lively_qwen, tmp_path / "model")
    card = directory / "docspec.json"
    said = json.loads(card.read_text()) if card.is_file() else {"dialect": "markdown", "prompt": "Read."}
    page = print_page()
    card.write_text(json.dumps(said | {"page_pixels": page.width * page.height}))
    options = ParseOptions(model=str(directory), device="cpu", dtype="float32", max_tokens=8, drafter="none")
    with Parser(options) as parser:
        large = replace(page, image=page.image.resize((page.width, page.height + 32)))
        kinds = [{event.kind for event in one.events} for one in map(parser.parse_page, (page, large))]
    assert "read_by_regions" not in kinds[0] and "read_by_regions" in kinds[1]


def test_pages_beyond_the_context_are_read_by_regions(lively_qwen: Path, tmp_path: Path) -> None:
    directory = shutil.copytree(lively_qwen, tmp_path / "model")
    config = json.loads((directory / "config.json").read_text())
    config["text_config"]["max_position_embeddings"] = 160
    (directory / "config.json").write_text(json.dumps(config))
    options = ParseOptions(
        model=str(directory), device="cpu", dtype="float32", max_tokens=8, drafter="none", max_tree=16
    )
    page = print_page()
    small = replace(page, image=page.image.crop((0, 0, 256, 256)))
    with Parser(options) as parser:
        results = [parser.parse_page(one) for one in (small, page, replace(page, image=page.image.resize((600, 450))))]
    assert [result.status for result in results] == ["ok"] * 3
    assert [result.read for result in results] == ["page", "page", "regions"]
    assert results[2].layout == "" and results[2].token_ids


def test_a_drawing_without_words_is_not_read(parsers: dict[str, PageParser]) -> None:
    picture = Image.new("RGB", (400, 300), "white")
    ImageDraw.Draw(picture).ellipse((50, 50, 350, 250), fill=(20, 60, 90))
    found: PageResult = parsers["auto"].verify(DraftedPage(PageImage(picture, 1, 2.0, "map.png"), PageDraft()))
    assert found.status == "ok" and not found.token_ids
    assert [block.category for block in found.blocks] == [Category.PICTURE]


def test_a_crooked_page_is_turned_upright_before_its_lines_are_cut(parsers: dict[str, PageParser]) -> None:
    straight, tilt = print_page(), 1.5
    lean = Straightening(tilt=tilt)
    crooked = replace(straight, image=straight.image.rotate(-tilt, Image.Resampling.BICUBIC, fillcolor="white"))
    reader = parsers["auto"].regions
    leaning = replace(
        draft(),
        straight=lean,
        regions=tuple(replace(one, bbox=as_printed(one.bbox, lean, straight)) for one in draft().regions),
    )
    wanted, found = reader.cut(straight, draft()), reader.cut(crooked, leaning)
    lines = [[crop.piece.bbox for crop in page.crops if crop.region == 2] for page in (wanted, found)]
    assert len(lines[0]) == len(lines[1]) == 1
    for one, other in zip(*lines, strict=True):
        assert one.overlap(other) > 0.9 and other.overlap(one) > 0.9
    assert found.regions[2].bbox.height > wanted.regions[2].bbox.height, "places are those of the page as it is"


def test_each_kind_of_region_is_asked_for_with_its_own_prompt(lively_qwen: Path, tmp_path: Path) -> None:
    directory = shutil.copytree(lively_qwen, tmp_path / "model")
    card = directory / "docspec.json"
    said = json.loads(card.read_text()) | {"region_prompts": {"text": "OCR:", "table": "Table:"}}
    place = box(18, 60, 140, 86)
    regions = [
        Region(place, Category.LIST_ITEM),
        Region(place, Category.TABLE),
        Region(place, Category.PICTURE, chart=True),
        Region(place, Category.PICTURE),
    ]

    def asked() -> list[tuple[int, str]]:
        card.write_text(json.dumps(said))
        with Parser(ParseOptions(model=str(directory), device="cpu", dtype="float32")) as parser:
            reader = parser.page_parser.regions
            return [(crop.region, crop.request.prompt) for crop in reader.crops_of(print_page(), regions).crops]

    lines, [table] = asked()[:-1], asked()[-1:]
    assert {region for region, _ in lines} == {0} and all("OCR:" in text for _, text in lines)
    assert table[0] == 1 and "Table:" in table[1]
    said["region_prompts"]["chart"] = "Chart:"
    assert [(region, "Chart:" in text) for region, text in asked()][-2:] == [(1, False), (2, True)]
