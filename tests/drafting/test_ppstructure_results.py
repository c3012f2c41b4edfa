"""PP-StructureV3's labels and contents become docspec's categories and neutral texts."""

from __future__ import annotations

from typing import Any

import pytest

from docspec.core import BBox, Category
from docspec.drafting.ppstructure.results import clean_text, regions_from_result

WIDTH, HEIGHT = 1000, 1400


def block(label: str, content: str, *box: int) -> dict[str, Any]:
    """One entry of ``parsing_res_list`` as paddlex 3.7 saves it."""
    corners = list(box or (100, 100, 900, 200))
    return {"block_label": label, "block_content": content, "block_bbox": corners, "block_id": 0, "block_order": None}


def result(*blocks: dict[str, Any], readings: tuple = (), formulas: tuple = (), layout: tuple = ()) -> dict[str, Any]:
    """A saved result; ``readings`` are (text, score, box), ``formulas`` (latex, box), ``layout`` (label,
    score, box).

    As in the real thing, formulas stand among the readings too, with score 1.
    """
    pieces = [*readings, *((latex, 1, box) for latex, box in formulas)]
    return {
        "input_path": "a.png",
        "page_index": None,
        "page_count": None,
        "width": WIDTH,
        "height": HEIGHT,
        "model_settings": {"use_table_recognition": True, "use_formula_recognition": bool(formulas)},
        "parsing_res_list": list(blocks),
        "layout_det_res": {
            "boxes": [{"cls_id": 0, "label": name, "score": score, "coordinate": box} for name, score, box in layout]
        },
        "overall_ocr_res": {
            "rec_texts": [text for text, _, _ in pieces],
            "rec_scores": [score for _, score, _ in pieces],
            "rec_boxes": [box for _, _, box in pieces],
        },
        "formula_res_list": [
            {"rec_formula": latex, "formula_region_id": i + 1, "dt_polys": box}
            for i, (latex, box) in enumerate(formulas)
        ],
    }


def only(*args: Any, **kwargs: Any) -> Any:
    (region,) = regions_from_result(result(*args, **kwargs), WIDTH, HEIGHT)
    return region


@pytest.mark.parametrize(
    ("label", "category"),
    [
        ("doc_title", Category.TITLE),
        ("paragraph_title", Category.SECTION_HEADER),
        ("reference_title", Category.SECTION_HEADER),
        ("text", Category.TEXT),
        ("abstract", Category.TEXT),
        ("content", Category.TEXT),
        ("reference", Category.TEXT),
        ("algorithm", Category.TEXT),
        ("aside_text", Category.TEXT),
        ("vertical_text", Category.TEXT),
        ("reference_content", Category.LIST_ITEM),
        ("figure_title", Category.CAPTION),
        ("table_title", Category.CAPTION),
        ("chart_title", Category.CAPTION),
        ("figure_table_chart_title", Category.CAPTION),
        ("footnote", Category.FOOTNOTE),
        ("vision_footnote", Category.FOOTNOTE),
        ("header", Category.PAGE_HEADER),
        ("footer", Category.PAGE_FOOTER),
        ("formula", Category.FORMULA),
        ("display_formula", Category.FORMULA),
        ("a label of the future", Category.TEXT),
    ],
)
def test_each_label_becomes_its_category_and_keeps_its_text(label: str, category: Category) -> None:
    region = only(block(label, "Some words"))
    assert (region.category, region.texts) == (category, ("Some words",))


@pytest.mark.parametrize("label", ["image", "figure", "chart", "seal", "header_image", "footer_image"])
def test_pictures_carry_no_text_even_where_letters_were_read_in_them(label: str) -> None:
    region = only(block(label, "ACME"), readings=(("ACME", 0.9, [300, 120, 400, 150]),))
    assert (region.category, region.texts, region.chart) == (Category.PICTURE, (), label == "chart")


@pytest.mark.parametrize(("top", "category"), [(40, Category.PAGE_HEADER), (1340, Category.PAGE_FOOTER)])
def test_a_page_number_is_header_or_footer_by_its_height(top: int, category: Category) -> None:
    assert only(block("number", "17", 480, top, 520, top + 30)).category is category


def test_blocks_stay_in_the_order_of_the_list() -> None:
    blocks = [block("text", name, 0, y, 100, y + 10) for name, y in (("last", 900), ("first", 10), ("middle", 500))]
    regions = regions_from_result(result(*blocks), WIDTH, HEIGHT)
    assert [region.texts[0] for region in regions] == ["last", "first", "middle"]


def test_a_table_is_bare_html() -> None:
    inner = "<thead><tr><td>City</td></tr></thead><tbody><tr><td>Rome</td></tr></tbody>"
    expected = (f"<table>{inner}</table>",)
    assert only(block("table", f"<html><body><table>{inner}</table></body></html>")).texts == expected
    html = f'<html><body><table border="1"> {inner} </table></body></html>'
    pretty = f'<div style="text-align: center;">{html}</div>\n'
    assert only(block("table", pretty)).texts == expected


def test_a_table_without_a_table_model_is_made_of_its_lines() -> None:
    readings = (
        ("405 km", 0.9, [600, 160, 700, 190]),
        ("A & B", 0.8, [120, 110, 200, 140]),
        ("Length", 1.0, [600, 112, 700, 142]),
        ("Rome", 0.9, [120, 158, 200, 188]),
    )
    region = only(block("table", ""), readings=readings)
    assert region.texts == (
        "<table><tr><td>A &amp; B</td><td>Length</td></tr><tr><td>Rome</td><td>405 km</td></tr></table>",
    )
    assert region.confidence == pytest.approx(0.9)


def test_text_breaks_where_the_print_breaks_and_keeps_its_hyphens() -> None:
    readings = (("every infor-", 0.9, [100, 105, 800, 130]), ("mation is lost.", 0.7, [100, 140, 500, 165]))
    region = only(block("text", "every infor\nmation is lost.\n\n"), readings=readings)
    assert region.texts == ("every infor-\nmation is lost.",)
    assert region.confidence == pytest.approx(0.8)


def test_the_pipelines_own_text_leads_where_it_says_something_else() -> None:
    readings = (("Lef Right", 0.9, [100, 105, 800, 130]),)
    assert only(block("text", "Left"), readings=readings).texts == ("Left", "Lef Right")


def test_pieces_of_one_line_are_read_from_left_to_right() -> None:
    readings = (("world", 0.9, [300, 104, 400, 131]), ("Hello", 0.9, [100, 106, 200, 133]))
    assert only(block("text", "Hello world"), readings=readings).texts == ("Hello world",)


def test_a_formula_is_bare_latex() -> None:
    assert only(block("formula", r"$$ E=mc^{2} $$")).texts == (r"E=mc^{2}",)
    assert only(block("formula", r"\[E=mc^{2}\]")).texts == (r"E=mc^{2}",)


def test_text_with_inline_formulas_is_taken_from_the_pipeline() -> None:
    region = only(
        block("text", "where $x^{2}$ grows"),
        readings=(("where grows", 0.9, [100, 105, 800, 130]),),
        formulas=(("x^{2}", [300, 105, 350, 130]),),
    )
    assert region.texts == ("where $x^{2}$ grows",)
    assert region.confidence == pytest.approx(0.9)  # the formula's constant score is nobody's opinion


def test_a_formula_number_is_folded_into_the_formula_on_its_line() -> None:
    regions = regions_from_result(
        result(
            block("formula", "a=b", 300, 100, 600, 160),
            block("formula", "c=d", 300, 200, 600, 260),
            block("formula_number", "(2)", 850, 215, 900, 245),
            formulas=(("a=b", [300, 100, 600, 160]), ("c=d", [300, 200, 600, 260])),
        ),
        WIDTH,
        HEIGHT,
    )
    assert [region.texts for region in regions] == [("a=b",), (r"c=d \tag{2}", "c=d")]
    assert regions[1].bbox == BBox(300, 200, 900, 260)


def test_a_number_beside_a_formula_read_as_plain_text_stays_as_printed() -> None:
    regions = regions_from_result(
        result(block("formula", "a = b", 300, 100, 600, 160), block("formula_number", "(1)", 850, 115, 900, 145)),
        WIDTH,
        HEIGHT,
    )
    assert [region.texts for region in regions] == [("a = b (1)", "a = b")]


def test_a_formula_number_without_a_formula_is_not_lost() -> None:
    region = only(block("formula_number", "(3)", 850, 215, 900, 245))
    assert (region.category, region.texts) == (Category.TEXT, ("(3)",))


def test_boxes_are_scaled_to_the_page_image_and_stay_on_it() -> None:
    (region,) = regions_from_result(result(block("text", "x", 500, 700, 1100, 1400)), 2000, 700)
    assert region.bbox == BBox(1000, 350, 2000, 700)


def test_without_readings_the_layout_score_is_the_confidence() -> None:
    layout = (("text", 0.3, [0, 0, 900, 1000]), ("image", 0.62, [100.4, 99.6, 899.7, 200.2]))
    assert only(block("image", ""), layout=layout).confidence == pytest.approx(0.62)


def test_blocks_without_a_usable_box_are_left_out() -> None:
    broken = {"block_label": "text", "block_content": "x", "block_bbox": None}
    assert regions_from_result(result(broken, block("text", "y", 5, 5, 5, 9)), WIDTH, HEIGHT) == ()


@pytest.mark.parametrize(
    ("text", "category", "cleaned"),
    [
        ("## 2 Results", Category.SECTION_HEADER, "2 Results"),
        ('<div style="text-align: center;">Figure 1</div>\n', Category.CAPTION, "Figure 1"),
        ("#hashtag", Category.TEXT, "#hashtag"),
        ("one \n\n two\n", Category.TEXT, "one\ntwo"),
        ("$a$ and $b$", Category.FORMULA, "$a$ and $b$"),
        ("no table here", Category.TABLE, ""),
    ],
)
def test_wrapping_is_taken_off_and_nothing_else(text: str, category: Category, cleaned: str) -> None:
    assert clean_text(text, category) == cleaned
