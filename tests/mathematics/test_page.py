"""Formulas of typeset pages come out as LaTeX, and nothing else on the pages changes. ``pages/page.tex`` is the source
of two pages, ``tables.tex`` of the third, ``hard.tex`` and ``kinds.tex`` of
the next; ``stretched.tex`` is set by xelatex, ``stretched-typst.typ`` by typst; ``office.pdf`` is Word's formulas as
LibreOffice sets them (:mod:`benchmarks.formulas.office`)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from docspec import ParseOptions, Parser
from docspec.core import BBox, PageResult
from docspec.drafting.lines import TextLine
from docspec.drafting.page_lines import page_lines
from docspec.mathematics.fonts import font_of
from docspec.mathematics.glyphs import Glyph, bars_of, can_have_formulas, glyphs_of, has_mathematics
from docspec.mathematics.page import PageFormulas, texts_of_cells
from docspec.mathematics.reading import ReadFormula
from docspec.mathematics.reading import read as read_formula
from docspec.mathematics.symbols import Symbol
from docspec.mathematics.words import is_certain, is_emphasised, tokens_in

PAGES = Path(__file__).parent / "pages"
BOTH = pytest.mark.parametrize("name", ["computer-modern", "times"])
DISPLAYED = [
    r"\sum_{k=0}^{\infty}\frac{x^{k}}{k!}=e^{x}",
    r"x_{1,2}=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}, \quad y=\sqrt[3]{1+z'}",
    r"A=\begin{pmatrix}a&b\\c&d\end{pmatrix}, \quad f(x)=\begin{cases}1&x>0\\0&x\leq0\end{cases}",
    r"\lim_{n\to\infty}\int_{0}^{1}\sin(nx)dx=0\tag{1}",
    r"\begin{aligned}(a+b)^{2}&=a^{2}+2ab+b^{2}\\\overline{zw}&=\bar{z}\bar{w}\end{aligned}",
]
INLINE = [
    "$E=mc^{2}$,",
    "$E^{2}=(pc)^{2}+(mc^{2})^{2}$.",
    r"$x_{i}\in\mathbb{R}^{n}$ be",
    r"$\hat{u}$ be",
    r"by $\left|\frac{\alpha}{2}\right|$ on",
]


def read(name: str, **options: object) -> PageResult:
    with Parser(ParseOptions(drafter="text-layer", **options)) as parser:  # type: ignore[arg-type]
        return next(iter(parser.pages(PAGES / f"{name}.pdf")))


def lines_of(name: str, formulas: PageFormulas | None) -> list[TextLine]:
    with pymupdf.open(PAGES / f"{name}.pdf") as pdf:
        return page_lines(pdf[0], formulas=formulas)


@BOTH
def test_displayed_formulas_are_read_in_the_order_of_the_page(name: str) -> None:
    lines = lines_of(name, PageFormulas())
    displayed = [line.text.strip("$") for line in lines if line.text.startswith("$$")]
    assert displayed == DISPLAYED


@BOTH
def test_labels_of_a_chart_are_no_formula_that_stands_alone(name: str) -> None:
    formulas = PageFormulas()
    formulas.pictures = [BBox(0, 0, 1000, 1000)]
    lines = lines_of(name, formulas)
    assert not any(line.text.startswith("$$") for line in lines)
    text = " ".join(line.text for line in lines)
    assert [formula for formula in INLINE if formula not in text] == []


@pytest.mark.parametrize("name", ["A", "x86", "H2,"])
def test_a_bold_letter_or_name_with_figures_beside_bold_words_is_prose(name: str) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for number, word in enumerate(("Parsing:", name, "Unified", "Toolkit")):
            page.insert_text((60 + 60 * number, 80), word, fontname="hebo", fontsize=14)
        raw = page.get_text("rawdict")["blocks"]
        glyphs = glyphs_of(page, raw)
    tokens = tokens_in(glyphs, 14)
    assert is_certain(tokens[1], 14, False) and is_emphasised(tokens, 1, False)
    assert not is_emphasised(tokens[1:2], 0, False)


@BOTH
def test_formulas_within_a_line_stand_in_their_place(name: str) -> None:
    text = read(name).text
    assert [formula for formula in INLINE if formula not in text] == []


@BOTH
def test_prose_is_no_formula(name: str) -> None:
    text = read(name).text
    assert "in italic type are none of them a formula, and 3 + 4 apples neither." in text


@BOTH
def test_every_sign_of_a_formula_is_accounted_for(name: str) -> None:
    assert read(name).doubtful is None


def test_formulas_can_stay_as_the_file_has_them() -> None:
    assert lines_of("times", PageFormulas("text")) == lines_of("times", None)


def test_displayed_formulas_can_be_pictures() -> None:
    blocks = read("times", formulas="picture").blocks
    assert sum(block.category == "Picture" for block in blocks) == len(DISPLAYED)


def test_a_sign_that_nobody_knows_makes_a_formula_doubtful() -> None:
    with pymupdf.open(PAGES / "computer-modern.pdf") as pdf:
        for xref, *_, name, _, _ in pdf[0].get_fonts():
            if "CMEX" in name or "CMSY" in name:
                descriptor = pdf.xref_get_key(xref, "FontDescriptor")[1].split()[0]
                pdf.xref_set_key(int(descriptor), "FontFile", "null")
        formulas = PageFormulas()
        page = pdf.reload_page(pdf[0])
        text = "\n".join(line.text for line in page_lines(page, formulas=formulas))
    assert [event.kind for event in formulas.events if "are not known" in event.detail] == ["formulas_doubtful"]
    assert "$E=mc^{2}$" in text and r"\begin{pmatrix}" not in text


def test_lines_of_cases_with_words_are_no_prose() -> None:
    cases, _ = displayed_in("hard")
    assert cases.startswith(r"f(x)=\begin{cases}\sqrt{x}+1&")
    assert r"\\\frac{x}{y}&" in cases and r"\\-x&\mathrm{otherwise}\end{cases}" in cases


def test_a_script_over_a_fraction_in_a_script_is_no_part_of_the_fraction() -> None:
    assert displayed_in("hard")[1] == r"T_{18}^{\frac{\zeta}{9}}=\rho_{\frac{x}{5}}^{Z}"


def test_braces_that_lie_have_their_term_and_their_label() -> None:
    assert displayed_in("kinds") == [r"\overbrace{a+\frac{b}{c}}^{n+k}+\underbrace{x+y}_{k}=z"]
    assert r"the term $\underbrace{x+y}_{k}$ is" in read("kinds").text


def test_rows_of_a_matrix_within_a_line_stay_in_it() -> None:
    assert r"the matrix $P=\begin{pmatrix}a&b_{1}\\c&d\end{pmatrix}$ says" in read("kinds").text


def test_a_root_over_a_fraction_is_no_script_and_an_operator_has_its_figures() -> None:
    assert r"by $\sqrt{\frac{a}{b}}$ and by $\sum_{i=1}70$ at once" in read("kinds").text


def test_brackets_of_which_one_piece_alone_has_a_sign_are_whole() -> None:
    assert displayed_in("stretched-typst") == [
        r"D=\begin{pmatrix}\lambda_{1}&0&0&0\\0&\lambda_{2}&0&0\\0&0&\lambda_{2}&t\\0&0&0&-1\end{pmatrix}",
        r"\begin{aligned}P^{-1}&=\left(\begin{array}{ccc|ccc}1&2&-2&1&0&0\\0&1&0&0&1&0\\0&0&1&0&0&1\end{array}\right)"
        r"\\&=\begin{pmatrix}1&0\\0&1\end{pmatrix}Q.\end{aligned}",
        r"O=\begin{pmatrix}-\frac{1}{\sqrt{2}}&\frac{1}{\sqrt{2}}\\\frac{1}{\sqrt{2}}&\frac{1}{\sqrt{2}}\end{pmatrix}",
        r"f(x)=\begin{cases}0\quad\text{si }x=0,\\\frac{1}{x-1}\text{ si }x>2,\\x^{2}\quad\mathrm{sinon}.\end{cases}",
    ]


def test_brackets_whose_pieces_have_the_sign_of_the_whole_are_whole() -> None:
    assert displayed_in("stretched") == [
        r"f(x_{1}, x_{2})=\begin{cases}0&\text{si }x_{1}=0,\\\frac{\cos(x_{1})-1}{x_{1}}&\text{si }x_{2}<x_{1},"
        r"\\x_{2}&\mathrm{sinon}.\end{cases}",
        r"A=\begin{bmatrix}a&b&0\\c&d&0\\0&e&1\\0&0&f\end{bmatrix}, \quad\sqrt{\frac{\frac{a}{b}}{\frac{c}{d}}}=z.",
    ]


def displayed_in(name: str) -> list[str]:
    return [line.text.strip("$") for line in lines_of(name, PageFormulas()) if line.text.startswith("$$")]


def formula_with(symbol: str, name: str) -> ReadFormula:
    """The first formula of a page that stands alone and holds ``symbol``."""
    formulas = PageFormulas()
    lines_of(name, formulas)
    return next(
        one
        for one in formulas.found
        if one.formula.display and any(glyph.symbol.sign == symbol for glyph in one.formula.glyphs)
    )


@BOTH
def test_what_fits_its_place_is_sure(name: str) -> None:
    formulas = PageFormulas()
    lines_of(name, formulas)
    assert [one.latex for one in formulas.found if one.unsure] == [] != formulas.found
    assert formulas.events == ()


@pytest.mark.parametrize(("right", "down"), [(14.0, 0.0), (0.0, -7.0)])
def test_a_script_that_stands_where_none_does_makes_its_formula_unsure(right: float, down: float) -> None:
    formula = formula_with("e", "computer-modern").formula
    script = max((one for one in formula.glyphs if one.size < 9), key=lambda one: one.x0)
    moved = replace(script, x0=script.x0 + right, x1=script.x1 + right, x=script.x + right,
                    y0=script.y0 + down, y1=script.y1 + down, y=script.y + down)  # fmt: skip
    glyphs = tuple(moved if one is script else one for one in formula.glyphs)
    assert read_formula(replace(formula, glyphs=glyphs)).unsure


def test_a_bracket_without_its_other_one_makes_its_formula_unsure() -> None:
    formula = formula_with("d", "computer-modern").formula
    tall = [one for one in formula.glyphs if one.symbol.sign == ")" and one.symbol.part != "ordinary"]
    glyphs = tuple(one for one in formula.glyphs if one not in tall)
    assert tall and read_formula(replace(formula, glyphs=glyphs)).unsure


def test_a_space_is_written_behind_a_formula_where_white_is() -> None:
    with pymupdf.open(PAGES / "times.pdf") as pdf:
        page, formulas = pdf[0], PageFormulas()
        flags = pymupdf.TEXT_ACCURATE_BBOXES
        blocks = page.get_text("rawdict", flags=flags)["blocks"]
        for block in blocks:
            for line in block["lines"]:
                for span in line["spans"]:  # as MuPDF tells it behind signs of a wide advance
                    span["chars"] = [char for char in span["chars"] if char["c"].strip()]
        formulas.put_in(page, blocks)
    text = "".join(
        char["c"] for block in blocks for line in block["lines"] for span in line["spans"] for char in span["chars"]
    )
    assert r"$x_{i}\in\mathbb{R}^{n}$ be" in text


def test_pages_without_a_font_for_mathematics_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((72, 72), "x = 5 and a² + b² = c²")
        assert not PageFormulas().are_on(page)
        assert page_lines(page, formulas=PageFormulas()) == page_lines(page)


def test_words_in_italics_are_no_variables_where_a_font_for_mathematics_is_used_for_marks_alone() -> None:
    italic = font_of("ABCDEF+Times-Italic")
    glyphs = [
        Glyph(Symbol(sign, "it"), italic, 9.0, at, 0.0, at + 4, 6.0, at, 6.0, {}) for at, sign in enumerate("hot")
    ]
    assert not is_certain(glyphs, 9.0, borrowed=True)
    assert is_certain(glyphs[:1], 9.0, borrowed=True)


def test_a_radical_sign_that_runs_off_the_page_ends_where_it_is_clipped() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        root = "0 0 m 2 5 l 4 -8 l 6 8 l 5000 8 l 5000 7.5 l 6.5 7.5 l 4 -9 l h f"
        xref = page.get_contents()[0] if page.get_contents() else pdf.get_new_xref()
        pdf.update_object(xref, "<<>>")
        pdf.update_stream(xref, f"q 100 600 40 30 re W n 1 0 0 1 110 612 cm {root} Q".encode())
        page.set_contents(xref)
        bars, radicals = bars_of(pdf.reload_page(page))
    assert [(round(bar.x0), round(bar.x1)) for bar in bars] == [(116, 140)]
    assert [(one.symbol.sign, round(one.x1)) for one in radicals] == [("√", 116)]


def test_the_name_of_a_type_3_font_is_looked_up_in_its_descriptor() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        font, descriptor = pdf.get_new_xref(), pdf.get_new_xref()
        pdf.update_object(
            descriptor, "<</Type/FontDescriptor/FontName/BAAAAA+MathJax_Math-Italic/Flags 4/ItalicAngle 0>>"
        )
        pdf.update_object(
            font,
            "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/CharProcs<<>>"
            f"/Encoding<</Differences[]>>/FirstChar 0/LastChar 0/Widths[1]/FontDescriptor {descriptor} 0 R>>",
        )
        pdf.xref_set_key(page.xref, "Resources", f"<</Font<</F1 {font} 0 R>>>>")
        assert has_mathematics(pdf.reload_page(page))


def test_formulas_of_office_programs_are_read() -> None:
    lines = lines_of("office", PageFormulas())
    assert [line.text.strip("$") for line in lines if line.text.startswith("$$")] == [
        r"\sum_{k=0}^{\infty}\frac{x^{k}}{k}=e^{x}",
        r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}",
        r"A=\begin{pmatrix}a&b\\c&d\end{pmatrix}",
    ]
    text = " ".join(line.text for line in lines)
    inline = [r"is $x_{i}\in\mathbb{R}^{n}$", r"on $\frac{a+b}{2}\leq c$", r"is $\hat{u}+\sqrt{2}$", "and $E=mc^{2}$"]
    assert [one for one in [*inline, r"of $\beta$ is $\sin z$ when"] if one not in text] == []


@pytest.mark.parametrize(("codes", "mathematical"), [("2022> <25E6", False), ("2022> <221A", True)])
def test_a_font_of_bullets_is_for_mathematics_where_it_has_signs_of_formulas(codes: str, mathematical: bool) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        font, told = pdf.get_new_xref(), pdf.get_new_xref()
        pdf.update_object(told, "<<>>")
        pdf.update_stream(told, f"2 beginbfchar\n<01> <{codes}>\nendbfchar".encode())
        pdf.update_object(font, f"<</Type/Font/Subtype/Type1/BaseFont/BAAAAA+OpenSymbol/ToUnicode {told} 0 R>>")
        pdf.xref_set_key(page.xref, "Resources", f"<</Font<</F1 {font} 0 R>>>>")
        assert has_mathematics(pdf.reload_page(page)) is mathematical


@pytest.mark.parametrize(
    ("text", "can"), [("⟨name⟩", False), ("→", False), ("2ε", False), ("−", False), ("x", True), ("ε", True)]
)
def test_marks_that_text_takes_from_fonts_for_mathematics_make_no_page_of_formulas(text: str, can: bool) -> None:
    spans = [{"font": "CMSY10" if sign not in "2name" else "CMR10", "chars": [{"c": sign}]} for sign in text]
    assert can_have_formulas([{"lines": [{"spans": spans}]}]) is can


def test_formulas_in_cells_stay_in_their_cells() -> None:
    text = read("tables").text
    cells = [
        "$k_{n}$",
        r"$\alpha$",
        "Error",
        "$n^{0.1}$",
        "$x_{1}+y$",
        "0.0495",
        "$n^{0.5}$",
        r"$\lambda_{i}^{2}$",
        "0.0634",
    ]
    assert [cell for cell in cells if text.count(cell) != 1] == [], "each once"
    assert "| $n^{0.1}$ | $x_{1}+y$ | 0.0495 |" in text


def test_figures_in_cells_are_no_formulas() -> None:
    text = read("tables").text.replace("−", "-")
    assert "| First | -2.5 | 12.1 ± 0.4 |" in text
    assert "| Third | -0.1 | 30.2 ± 2.2 |" in text


def test_a_matrix_that_stands_alone_is_no_table() -> None:
    text = read("tables").text
    assert r"A=\begin{pmatrix}6&5&10\\2&15&4\\3&3&20\end{pmatrix}" in text
    assert text.count("---") == 6, "two tables of three columns"


def test_cells_are_found_again_wherever_they_stand() -> None:
    """The places of cells are keys: no sum of rounded numbers may change them."""
    for x in (0.1, 33.3, 87.654321, 101.123456789):
        cell = BBox(x, 20.1, x + 30.7, 31.3)
        char = {"c": "$", "bbox": (x + 1, 21, x + 20, 30), "origin": (x + 1, 29.0)}
        span = {"chars": [char], "bbox": char["bbox"], "size": 10, "ends": x + 20}
        assert texts_of_cells([{"lines": [{"spans": [span]}]}], [cell]) == {cell: "$"}
