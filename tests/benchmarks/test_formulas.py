"""Formulas are compared by their symbols with their places, and drawings of them by their signs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pymupdf
import pytest

from benchmarks.formulas.fitting import errors, fitted, runs_of
from benchmarks.formulas.likeness import likeness, symbols_of
from benchmarks.formulas.made import Maker
from benchmarks.formulas.none import written
from benchmarks.formulas.office import omml
from benchmarks.formulas.pictures import Sign, agreement
from benchmarks.formulas.timing import timed
from docspec.mathematics.evidence import WEIGHTS


def test_latex_that_looks_the_same_is_the_same() -> None:
    assert likeness(symbols_of(r"$$\displaystyle {\frac {a}{b}}\,x_{1}$$"), symbols_of(r"\frac ab x_1")) == 1


def test_a_script_in_another_place_is_less_alike() -> None:
    assert likeness(symbols_of("x_1+y"), symbols_of("x^1+y")) < 1


def test_what_cannot_be_read_has_no_symbols() -> None:
    assert symbols_of(r"\frac{") == []


def drawn(*signs: tuple[str, float, float, float]) -> list[Sign]:
    return [Sign(*one) for one in signs]


POWER = drawn(("a", 10, 50, 20), ("2", 22, 42, 14), ("=", 40, 50, 20), ("b", 60, 50, 20))


def test_drawings_are_the_same_wherever_they_stand_and_with_wider_spaces() -> None:
    moved = drawn(("a", 110, 80, 20), ("2", 122, 72, 14), ("=", 144, 80, 20), ("b", 168, 80, 20))
    assert agreement(POWER, moved) == 1


def test_a_sign_of_another_height_or_size_is_another_picture() -> None:
    lowered = drawn(("a", 10, 50, 20), ("2", 22, 54, 14), ("=", 40, 50, 20), ("b", 60, 50, 20))
    large = drawn(("a", 10, 50, 20), ("2", 22, 42, 20), ("=", 40, 50, 20), ("b", 60, 50, 20))
    assert agreement(POWER, lowered) == agreement(POWER, large) == 0.75


def test_the_same_seed_makes_the_same_formulas() -> None:
    one, other = Maker(3), Maker(3)
    assert [one.displayed() for _ in range(5)] == [other.displayed() for _ in range(5)]


def test_formulas_that_are_written_are_listed_with_their_lines() -> None:
    pages = list(written(Path("tests/mathematics/pages/times.pdf")))
    lines = [one.line for page in pages for one in page.formulas if one.latex == r"$\hat{u}$"]
    assert len(pages) == 1 and pages[0].looked_at
    assert [r" $\hat{u}$ " in line for line in lines] == [True]


def test_a_page_without_a_font_for_mathematics_has_none(tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "E = mc2, as everybody knows")
        pdf.save(tmp_path / "plain.pdf")
    assert [(page.looked_at, page.formulas) for page in written(tmp_path / "plain.pdf")] == [(False, [])]


def test_pages_are_timed_and_told_apart_by_their_fonts(tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "E = mc2, as everybody knows")
        pdf.save(tmp_path / "plain.pdf")
    plain, dense = next(timed(tmp_path / "plain.pdf")), next(timed(Path("tests/mathematics/pages/times.pdf")))
    assert (plain.formulas, plain.looked_at) == (0, False) and dense.formulas > 5 and dense.looked_at
    assert 0 < plain.milliseconds < dense.milliseconds


def test_fitted_weights_tell_formulas_from_text() -> None:
    runs = [(dict.fromkeys(WEIGHTS, 0.0) | {"letters of formulas": 1.0}, True, "x")] * 20
    runs += [(dict.fromkeys(WEIGHTS, 0.0) | {"letters of formulas": 1.0, "braces": 2.0}, False, "{x}")] * 20
    weights = fitted(runs)
    assert errors(runs, weights) == (0, 0)
    assert errors(runs, weights | {"braces": 0.0}) == (0, 20)


def test_a_made_page_of_a_manual_has_formulas_in_blue() -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    runs = list(runs_of(1, 3))
    assert {own for _, own, _ in runs} == {True, False}


def test_formulas_are_written_as_words_markup() -> None:
    made = omml(r"\frac{a}{2}+\sum_{n=0}^{1}\hat{x}")
    assert made.startswith("<m:oMath><m:f><m:num>") and '<m:chr m:val="∑"/>' in made and "<m:acc>" in made
    assert omml(r"\begin{pmatrix}a\\b\end{pmatrix}").count("<m:mr>") == 2
