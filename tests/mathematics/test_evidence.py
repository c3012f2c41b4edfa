"""What is a formula, and what is text that borrows its signs, glyph by glyph."""

from __future__ import annotations

from dataclasses import replace

import pytest

from docspec.mathematics.evidence import weighed
from docspec.mathematics.finding import formulas_in_cell
from docspec.mathematics.fonts import Font, font_of
from docspec.mathematics.formula import Formula
from docspec.mathematics.glyphs import Bar, Glyph
from docspec.mathematics.inline import inline_formulas
from docspec.mathematics.lines import Row, is_centred, is_item, rows_of_column
from docspec.mathematics.spelling import sign_in_latex
from docspec.mathematics.symbols import Symbol, symbol_of
from docspec.mathematics.words import is_certain

MATH, ROMAN, TYPED = font_of("CMSY10"), font_of("CMR10"), font_of("CMTT10")


def set_in_a_row(*runs: tuple[str, Font], y: float = 100.0, size: float = 10.0) -> tuple[Glyph, ...]:
    """Glyphs of 5 points, one beside the other; a space is white."""
    signs = [(sign, font) for run, font in runs for sign in run]
    return tuple(
        Glyph(Symbol(sign, "rm", "ordinary"), font, size, 5.0 * at, y - 7, 5.0 * at + 5, y, 5.0 * at, y, {})
        for at, (sign, font) in enumerate(signs)
        if sign != " "
    )


def is_text(run: Formula) -> bool:
    """Whether ``run`` is no formula on a page that has another."""
    sure = Formula(set_in_a_row(("x = y", font_of("CMMI10"))), (), False)
    return all(one is not run for one, _ in weighed([sure, run]))


@pytest.mark.parametrize(
    "runs",
    [
        (("\\", MATH), ("usepackage", ROMAN), ("{", MATH), ("natbib", ROMAN), ("}", MATH)),
        (("{", MATH), ("12pt", ROMAN), ("}", MATH)),
        (("⟨", MATH), ("dimen", ROMAN), ("⟩", MATH)),
        (("voltage", ROMAN), ("→", MATH), ("total", ROMAN)),
        (("SMF", ROMAN), ("→", MATH), ("AMS", ROMAN)),
        (("{", MATH), ("}", MATH), (")", ROMAN)),
        (("name=", TYPED), ("{", MATH), ("nan", TYPED), ("}", MATH)),
        (("5", ROMAN), ("|", MATH), ("64289", ROMAN)),
        (("|", MATH), ("ex", ROMAN), ("⟩", MATH)),
        (("\\", MATH), (" f i l e ", ROMAN), ("{", MATH)),
        (("≫", MATH), ("x", ROMAN), ("≪", MATH)),
        (("key = {", ROMAN), ("⟨", MATH), ("names", ROMAN), ("⟩", MATH), ("}", ROMAN)),
        (("⟨", MATH), ("key", ROMAN), ("⟩", MATH), (" = ", ROMAN), ("⟨", MATH), ("value", ROMAN), ("⟩", MATH)),
        (("}", MATH), ("[5]", ROMAN), ("{", MATH), ("%", ROMAN)),
        (("}", MATH), ("&#2", ROMAN), ("\\", MATH), (",", ROMAN), ("\\", MATH)),
        (("a ", ROMAN), ("+", ROMAN), (" or ", ROMAN), ("−", MATH)),
        (("a ", ROMAN), ("−", MATH), (" symbol", ROMAN)),
        (("plus ", ROMAN), ("=", ROMAN), (" more", ROMAN)),
    ],
    ids=[
        "command",
        "argument",
        "placeholder",
        "key",
        "names",
        "brackets",
        "listing",
        "address",
        "bars",
        "letters apart",
        "quotation marks",
        "braces of text",
        "key and value",
        "arguments",
        "rows of a table's source",
        "names of signs",
        "a sign's name",
        "words that are equal",
    ],
)
def test_signs_between_words_make_no_formula(runs: tuple[tuple[str, Font], ...]) -> None:
    assert is_text(Formula(set_in_a_row(*runs), (), False))


@pytest.mark.parametrize(
    "runs",
    [
        (("{", MATH), ("x", font_of("CMMI10")), ("}", MATH)),
        (("G", font_of("CMMI10")), ("\\", MATH), ("H", font_of("CMMI10"))),
        (("A ", ROMAN), ("∪", MATH), (" rest", ROMAN)),
        (("{", MATH), ("a", TYPED), ("↦", MATH), ("1", TYPED), ("}", MATH)),
        (("|", MATH), ("64", ROMAN), ("|", MATH)),
        (("{", MATH), ("0,1", ROMAN), ("}", MATH)),
        (("v ", font_of("CMTI10")), ("=", MATH), (" s", font_of("CMTI10"))),
        (("a ", ROMAN), ("≤", MATH), (" 3", ROMAN)),
    ],
    ids=["set", "quotient", "union", "map", "value", "set of figures", "letters of a text", "a figure"],
)
def test_what_only_formulas_have_makes_one(runs: tuple[tuple[str, Font], ...]) -> None:
    assert not is_text(Formula(set_in_a_row(*runs), (), False))


@pytest.mark.parametrize("text", ["e.g", "x86", "A4 paper"])
def test_letters_of_abbreviations_and_names_are_no_variables(text: str) -> None:
    italic = font_of("CMTI10")
    assert is_text(Formula(set_in_a_row((text, italic)), (), False))
    assert not is_text(Formula(set_in_a_row(("x", italic)), (), False))


def test_a_letter_of_a_font_for_text_is_text_where_the_page_has_no_formula() -> None:
    run = Formula(set_in_a_row(("x", font_of("CMTI10"))), (), False)
    assert not weighed([run]) and not is_text(run)
    assert weighed([Formula(set_in_a_row(("x", font_of("CMMI10"))), (), False)])


def test_a_sign_without_anything_to_calculate_with_is_text() -> None:
    assert is_text(Formula(set_in_a_row(("×", MATH)), (), False))
    assert not is_text(Formula(set_in_a_row(("+∞", MATH)), (), False))


@pytest.mark.parametrize("text", ["no", "No", "6a", "21o"])
def test_ordinals_are_text(text: str) -> None:
    raised = set_in_a_row((" " * (len(text) - 1) + text[-1], font_of("CMMI7")), y=96.0, size=7.0)
    runs = {base: Formula((*set_in_a_row((base, ROMAN)), *raised), (), False) for base in (text[:-1], "x")}
    assert not weighed([runs[text[:-1]]]) and weighed([runs["x"]])


def test_letters_beyond_sixteen_bits_that_a_file_tells_in_sixteen_are_what_their_font_has() -> None:
    font = font_of("LatinModernMath-Regular")
    assert symbol_of("\ud719", "", font) == symbol_of("\U0001d719", "", font) == Symbol("ϕ", "it")
    assert symbol_of("\ud719", "", font_of("Batang")).sign == "\ud719", "a syllable"


def test_words_in_the_upright_letters_of_a_font_for_mathematics_are_prose() -> None:
    words = set_in_a_row(("all of this is text", font_of("STIXGeneral-Regular")))
    variable = replace(words[0], symbol=Symbol("x", "it"))
    assert not any(one.is_math for one in words) and variable.is_math


def test_letters_that_a_listing_sets_in_columns_are_no_variables() -> None:
    """As the package listings sets "(york-thesis" with fixed columns, in italics."""
    italic = font_of("CMTI8")
    assert is_text(Formula(set_in_a_row(("( york", italic), ("−", MATH), (" t h e s i s", italic)), (), False))
    assert not is_text(Formula(set_in_a_row(("x", italic), ("−", MATH), (" a b c", italic)), (), False))


def test_a_word_in_italics_of_a_font_for_mathematics_is_no_product() -> None:
    glyphs = set_in_a_row(("files ab", font_of("CMMI10")))
    glyphs = tuple(replace(one, symbol=Symbol(one.symbol.sign, "it")) for one in glyphs)
    assert is_text(Formula(glyphs[:5], (), False)) and not is_text(Formula(glyphs[5:], (), False))


def test_what_stands_in_a_gap_of_a_line_a_little_off_its_base_line_belongs_to_it() -> None:
    line = set_in_a_row(("as is said of    in this line", ROMAN))
    inside = [replace(one, x0=one.x0 + 72, x1=one.x1 + 72, y=97.0) for one in set_in_a_row(("x", ROMAN))]
    below = [replace(one, x0=one.x0 + 72, x1=one.x1 + 72, y=92.0) for one in set_in_a_row(("x", ROMAN))]
    assert [len(row.glyphs) for row in rows_of_column([*line, *inside], 10.0)] == [len(line) + 1]
    assert [len(row.glyphs) for row in rows_of_column([*line, *below], 10.0)] == [1, len(line)]


def test_the_label_of_an_item_that_begins_with_a_fraction_is_none_of_its_figures() -> None:
    row = Row(100.0, 10.0, list(set_in_a_row(("2.", ROMAN))))
    assert is_item(row, [Bar(20, 30, 97.5)])
    assert not is_item(row, [Bar(20, 30, 103.0)]) and not is_item(row, [Bar(200, 230, 97.5)])


def test_a_letter_with_a_script_is_a_formula_but_small_capitals_and_marks_of_notes_are_text() -> None:
    letter, script = set_in_a_row(("V", ROMAN)), [replace(one, size=7.0) for one in set_in_a_row((" d", ROMAN))]
    lowered = [replace(one, y=102.0) for one in script]
    mark = [replace(one, y=96.0, x0=one.x0 - 9, x1=one.x1 - 9) for one in script]
    assert not is_text(Formula((*letter, *lowered), (), False))
    assert is_text(Formula((*letter, *script), (), False))
    assert is_text(Formula((*mark, *letter), (), False))


def test_letters_of_full_size_off_the_base_line_make_a_name() -> None:
    raised, lowered = set_in_a_row(("A S", MATH)), set_in_a_row((" M ", MATH), y=102.0)
    script = [replace(one, size=7.0) for one in lowered]
    rows = rows_of_column([*set_in_a_row(("    made by the", ROMAN)), *raised, *lowered], 10.0)
    assert len(rows) == 1 and not is_certain([*raised, *lowered], 10.0, borrowed=False)
    assert is_certain([*raised, *script], 10.0, borrowed=False)


def test_a_sentence_with_one_relation_is_no_formula_that_stands_alone() -> None:
    line = set_in_a_row(("When this package comes with type = none loaded", ROMAN))
    sides = set_in_a_row(("speed = distance / time", ROMAN))
    assert is_text(Formula(line, (), True)) and not is_text(Formula(sides, (), True))


@pytest.mark.parametrize("number", ["10/21", "-3-", "1967"])
def test_numbers_within_a_line_and_of_pages_are_no_formulas_but_figures_that_stand_alone_are(number: str) -> None:
    glyphs = set_in_a_row((number, font_of("CMMI10")))
    assert is_text(Formula(glyphs, (), False))
    assert is_text(Formula(glyphs, (), True)) == (number != "1967")


def test_figures_of_a_sum_with_fractions_below_each_other_are_no_drawn_line() -> None:
    line = set_in_a_row(("set ========", ROMAN))
    spaced = set_in_a_row(("a = b = c = d", ROMAN))
    assert is_text(Formula(line, (), False))
    assert not is_text(Formula(spaced, (), False))


def test_lowered_letters_of_full_size_belong_to_the_word_around_them() -> None:
    words = set_in_a_row(("the system L TeX", ROMAN))
    lowered = [
        replace(one, x0=one.x0 + 58, x1=one.x1 + 58, x=one.x + 58, y=102.2) for one in set_in_a_row(("E", ROMAN))
    ]
    rows = rows_of_column([*words, *lowered], 10.0)
    assert [len(row.extra) for row in rows] == [1]


def test_ligatures_are_letters_of_text_in_every_font() -> None:
    glyph = set_in_a_row(("ﬀ", font_of("ot1-10")))[0]
    assert not glyph.is_math and set_in_a_row(("Γ", font_of("ot1-10")))[0].is_math


def test_an_upright_letter_with_a_point_before_words_is_a_label() -> None:
    row = Row(100.0, 10.0, list(set_in_a_row(("a. A title", font_of("SFBX1000")))))
    assert list(inline_formulas(row, borrowed=False)) == []


@pytest.mark.parametrize("sign", ["◁", "⌀", "⬡", "◆", "∛", "≬", "ſ", "²"])
def test_no_sign_is_lost_for_which_latex_has_no_command(sign: str) -> None:
    assert sign_in_latex(sign).strip()


def test_pictographs_before_figures_are_no_formula() -> None:
    assert (font_of("Symbola").kind, font_of("ABCDEF+MdSymbolA-Regular").kind) == ("", "bb")
    assert is_text(Formula(set_in_a_row(("📞", MATH), (" 33 4 50", ROMAN)), (), False))


def test_a_sign_of_mathematics_before_words_is_a_bullet() -> None:
    def formulas(*runs: tuple[str, Font]) -> list[str]:
        row = Row(100.0, 10.0, list(set_in_a_row(*runs)))
        return ["".join(glyph.symbol.sign for glyph in one.glyphs) for one in inline_formulas(row, borrowed=False)]

    signs = font_of("CMSY10")
    assert formulas(("∘ ", signs), ("for all pairs", ROMAN)) == []
    assert formulas(("∘ ", signs), ("for all ", ROMAN), ("x", font_of("CMMI10"))) == ["x"]
    assert formulas(("f", font_of("CMMI10")), ("∘", signs), ("g", font_of("CMMI10")), (" is one", ROMAN)) == ["f∘g"]


def test_upright_letters_in_cells_are_no_formulas_but_variables_are() -> None:
    bold, italic = font_of("CMBX10"), font_of("Times-Italic")
    found = {
        text: bool(list(formulas_in_cell(set_in_a_row((text, font)), (), 10.0, borrowed=True)))
        for text, font in (("A", bold), ("N", italic))
    }
    assert found == {"A": False, "N": True}


@pytest.mark.parametrize(
    ("words", "centred"),
    [
        ("where a is a number", True),
        ("Figure 5: a path. Since the map of this plane is smooth in all of it the sum is", False),
    ],
)
def test_the_first_line_of_a_caption_in_the_middle_of_its_column_is_no_formula(words: str, centred: bool) -> None:
    italic = font_of("CMMI10")
    glyphs = set_in_a_row(("f", italic), ("=", ROMAN), ("g", italic), (f" {words}", ROMAN))
    row = Row(100.0, 10.0, list(glyphs), prose=True)
    assert is_centred(row, [row], [], row.x0 - 40, row.x1 + 40) is centred
