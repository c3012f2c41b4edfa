"""A word's certainty goes with what agrees on it, and with the model's own margin where that is known."""

from __future__ import annotations

from docspec.core import BBox
from docspec.places.certainty import certainty_of
from docspec.places.gaps import Found
from docspec.places.printed import PrintedWord


def found(how: str, confidence: float, recognised: bool = True) -> Found:
    return Found(how, (BBox(0, 0, 9, 9),), (PrintedWord("pier", BBox(0, 0, 9, 9), confidence, recognised),))  # type: ignore[arg-type]


def test_the_wider_the_models_margin_the_surer_is_its_word() -> None:
    for how in ("exact", "aligned", "inferred"):
        sure = [certainty_of(found(how, 0.9), "model", margin) for margin in (0.05, 1.0, 5.0)]
        assert sure == sorted(set(sure)), how
    made_up = [certainty_of(Found("none"), "model", margin) for margin in (0.05, 1.0, 5.0)]
    assert made_up == sorted(set(made_up))


def test_a_model_that_agrees_with_the_print_is_believed_more_than_one_that_differs() -> None:
    assert certainty_of(found("exact", 0.95), "model", 4.0) > 0.9
    assert certainty_of(found("aligned", 0.95), "model", 0.5) < 0.5


def test_a_recogniser_that_is_surer_of_another_word_makes_the_models_one_less_certain() -> None:
    assert certainty_of(found("aligned", 0.99), "model", 2.0) < certainty_of(found("aligned", 0.6), "model", 2.0)


def test_words_of_the_file_need_no_margin() -> None:
    layer = found("exact", 1.0, recognised=False)
    assert certainty_of(layer, "model", 0.01) == certainty_of(layer, "model") > 0.99
    read = found("exact", 0.9)
    assert certainty_of(read, "recognition", 0.01) == certainty_of(read, "recognition"), "the model did not write it"
