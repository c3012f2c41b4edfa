"""Formulas are compared by their symbols with their places, and drawings of them by their signs."""

from __future__ import annotations

from benchmarks.formulas.likeness import likeness, symbols_of
from benchmarks.formulas.made import Maker
from benchmarks.formulas.pictures import Sign, agreement


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
