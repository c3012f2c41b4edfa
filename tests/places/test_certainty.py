"""A word's certainty goes with what agrees on it, and with the model's own margin where that is told."""

from __future__ import annotations

import math
from dataclasses import replace

from docspec.core import BBox
from docspec.places.certainty import Alone, AloneWords, certainty_of
from docspec.places.gaps import Found
from docspec.places.words import PrintedWord


def found(how: str, confidence: float, recognised: bool = True) -> Found:
    return Found(how, (BBox(0, 0, 9, 9),), (PrintedWord("pier", BBox(0, 0, 9, 9), confidence, recognised),))  # type: ignore[arg-type]


ALONE = Alone(1.8, 0.02)
"""On a page of which a model alone has read most words well."""


def of_model(place: Found, margin: float | None, text: str = "pier", alone: Alone | None = None) -> float:
    return certainty_of(place, "model", text, margin, alone)


def test_the_wider_the_models_margin_the_surer_is_its_word() -> None:
    for place, alone in ((found("exact", 0.9), None), (found("aligned", 0.9), None), (Found("block"), ALONE)):
        sure = [of_model(place, margin, alone=alone) for margin in (0.05, 1.0, 5.0)]
        assert sure == sorted(set(sure)), place.how


def test_a_model_that_agrees_with_the_print_is_believed_more_than_one_that_differs() -> None:
    assert of_model(found("exact", 0.95), 4.0) > 0.9
    assert of_model(found("aligned", 0.95), 0.5) < 0.5


def test_a_recogniser_that_missed_a_space_speaks_for_the_words_that_it_has_together() -> None:
    differs = found("aligned", 0.9)
    spaced = replace(differs, likeness=1.0, has_letters=True)
    assert of_model(spaced, 0.8) > 0.6 > of_model(differs, 0.8)


def test_a_word_that_is_like_the_recognisers_is_believed_more() -> None:
    sure = [of_model(replace(found("aligned", 0.9), likeness=likeness), 0.5) for likeness in (0.1, 0.6, 0.9)]
    assert sure == sorted(set(sure))


def test_a_recogniser_that_is_surer_of_another_word_makes_the_models_one_less_certain() -> None:
    assert of_model(found("aligned", 0.99), 2.0) < of_model(found("aligned", 0.6), 2.0)


def test_a_sure_model_is_believed_where_nobody_else_has_read() -> None:
    assert of_model(Found("block"), 6.0, alone=ALONE) > 0.8
    assert of_model(Found("block"), 6.0, alone=ALONE) > of_model(Found("none"), 6.0)


def test_words_of_the_file_need_no_margin() -> None:
    layer = found("exact", 1.0, recognised=False)
    assert of_model(layer, 0.01) == of_model(layer, None) > 0.99
    read = found("exact", 0.9)
    of_recogniser = [certainty_of(read, "recognition", "pier", margin, None) for margin in (0.01, None)]
    assert of_recogniser[0] == of_recogniser[1], "the model did not write it"


def test_a_model_that_tells_no_margin_has_a_certainty_all_the_same() -> None:
    for how in ("exact", "aligned", "inferred"):
        assert of_model(found(how, 0.9), 0.01) < of_model(found(how, 0.9), None) < of_model(found(how, 0.9), 50.0)


def test_a_model_alone_is_believed_less_on_a_page_of_which_it_is_unsure() -> None:
    sure = [of_model(Found("block"), 2.0, alone=Alone(margin, 0.02)) for margin in (0.2, 1.0, 1.8)]
    assert sure == sorted(set(sure))
    assert of_model(Found("block"), None, alone=ALONE) > of_model(Found("block"), None, alone=Alone(0.2, 0.02))


def test_a_model_alone_that_repeats_itself_is_believed_less() -> None:
    text = ["the", "lamp", "was", "lit", "and", "the", "pier", "lay", "in", "the", "light", "of", "the", "moon"]
    once, loop = AloneWords([0.5]), AloneWords([0.5])
    apart = [once.around(word) for word in text]
    again = [loop.around(word) for word in text * 4]
    assert apart[0] == Alone(math.log1p(0.5), 0.0)
    assert apart[-1].repeated < 0.1 < 0.5 < again[-1].repeated <= 1.0
    for margin in (0.5, None):
        assert of_model(Found("block"), margin, alone=again[-1]) < of_model(Found("block"), margin, alone=apart[-1])
    silent = AloneWords([])
    assert of_model(Found("block"), None, alone=silent.around("pier")) > 0.5, "the engine tells no margins"
