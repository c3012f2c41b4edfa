"""Crops of lines print what their text says, and cut what real crops cut."""

from __future__ import annotations

import random
import re
import string
from dataclasses import replace

import numpy as np
import pytest

from training import listings, templates
from training.corpus import ALPHABET
from training.evaluate import LINE_GROUPS, lines_of, printed_lines
from training.fonts import FAMILIES, faces
from training.lines import KINDS, make_lines
from training.press import Look, Press
from training.prose import Writer
from training.render import LIGATURES, Sheet
from training.templates import drawn
from training.typeset import Column, Style
from training.words import plain


def look(ligatures: bool = False) -> Look:
    face = faces()[0]
    return Look(Style(face, 24.0, 33.0, face), face, 0.0, ligatures, hyphens=True, justify=False)


def press(width: int = 320, ligatures: bool = False) -> Press:
    return Press(Sheet(width, 96), look(ligatures), random.Random(1))


@pytest.mark.parametrize("kind", list(KINDS))
def test_lines_of_every_kind_agree_with_their_text(kind: str) -> None:
    for seed in range(3):
        sample = make_lines(640, 96, 100 * seed + len(kind), kind=kind)
        assert sample.pixels.shape == (96, 640) and sample.pixels.min() < 200
        visible = [c for c, (x, _) in zip(sample.text, sample.centres, strict=True) if not np.isnan(x)]
        assert [glyph.char for glyph in sample.glyphs if glyph.read] == visible
        assert visible and ("  " not in sample.text.replace("|  |", "|")) and not LIGATURES.keys() & set(sample.text)


def test_ligatures_are_printed_as_one_sign_and_read_as_letters() -> None:
    here = press(ligatures=True)
    here.word(plain("office")[0], 10, 40)
    apart = press()
    apart.word(plain("office")[0], 10, 40)
    mine, theirs = here.sheet.finish(), apart.sheet.finish()
    assert mine.text == theirs.text == "office"
    assert (mine.pixels != theirs.pixels).any()
    assert (np.diff(mine.centres[:, 0]) > 0).all()


def test_a_hyphen_is_read_at_the_end_of_the_crop_alone() -> None:
    for most, text in ((2, "uncharacteristically"), (1, "uncharac-")):
        here = press(width=160)
        here.block(plain("uncharacteristically"), Column(4, 140, 0, 96), 30, most)
        got = here.sheet.finish().text
        assert got == text if most == 2 else got.endswith("-") and text.startswith(got[:4])


def test_raised_and_lowered_characters_belong_to_their_line() -> None:
    here = press()
    here.line([[("value", ""), ("12", "^")], [("x", "i"), ("n", "_")]], 10, 40)
    sample = here.sheet.finish()
    assert sample.text == "value12 xn" and printed_lines(sample) == ["value12 xn"]
    heights = dict(zip(sample.text, sample.centres[:, 1], strict=True))
    assert heights["1"] < heights["e"] < heights["n"]


def test_old_style_figures_stand_small_or_reach_below_the_line() -> None:
    plainly, here = press(), press()
    here.look = replace(here.look, old=True)
    for one in (plainly, here):
        one.line([[("1638", "")], [("1638", "m")]], 10, 40)
    usual, old = plainly.sheet.finish(), here.sheet.finish()
    assert usual.text == old.text == "1638 1638"
    size = {glyph.char: (glyph.size, glyph.baseline) for glyph in old.glyphs[:4]}
    assert size["1"] < size["6"] == size["8"] == (24.0, 40.0) and size["3"][0] == 24.0 and size["3"][1] > 40.0
    assert {(glyph.size, glyph.baseline) for glyph in old.glyphs[5:]} == {
        (glyph.size, glyph.baseline) for glyph in usual.glyphs[5:]
    }


def test_program_text_has_every_sign_of_a_keyboard() -> None:
    rng = random.Random(5)
    words = [word for _ in range(400) for word in listings.listing(rng, 60) + listings.piece(rng)]
    text = {char for word in words for piece, _ in word for char in piece}
    assert set(string.punctuation) <= text <= ALPHABET
    for forms in list(listings.FORMS.values())[:-1]:  # the last are signs
        assert not any(re.search("~[nwdasr]", listings.filled(rng, form, forms)) for form in forms)


def test_slivers_of_the_lines_around_are_printed_and_not_read() -> None:
    cut = 0
    for seed in range(60):
        sample = make_lines(640, 96, seed, kind="prose", noise=0.0, rows=1)
        if sample.pixels.mean() < 200:  # on a tint
            continue
        heights = sample.centres[~np.isnan(sample.centres[:, 0]), 1]
        others = [g for g in sample.glyphs if not g.read and g.centre[1] > heights.max() + 20]
        below = sample.pixels[int(heights.max()) + 22 :].min() < 128
        assert below <= bool(others)
        cut += below
    assert cut > 1


def test_an_evaluation_group_holds_the_rows_it_names() -> None:
    for kinds, noise in LINE_GROUPS.values():
        for sample in lines_of([kind for kind in kinds if kind != "row"], 2, 4, 7, unseen=False, noise=noise):
            assert 1 <= len(printed_lines(sample)) <= 2


def test_templates_are_filled_in() -> None:
    rng = random.Random(2)
    for template in (*templates.NUMBERS, *templates.QUANTITIES, *templates.ADDRESSES, *templates.CITATIONS):
        for _ in range(5):
            assert not set("«»{}") & set(drawn(rng, template.replace("{{", "")))
    assert drawn(rng, "«a|a» {X}", X="89 {word}") == "a 89 {word}"
    assert len({drawn(rng, "8999") for _ in range(20)}) > 10


def test_words_with_braces_are_no_templates(monkeypatch) -> None:
    monkeypatch.setattr(templates.corpus, "words", lambda: ("{0}", "{$key}", "a}"))
    assert {drawn(random.Random(seed), "{word}") for seed in range(20)} == {"{0}", "{$key}", "a}"}


def test_there_is_text_where_no_other_language_is_installed() -> None:
    assert len(Writer(random.Random(5)).abroad(200)) > 100


def test_families_name_four_faces() -> None:
    assert all(len(family.faces) == 4 for family in FAMILIES)
    assert {face.family.name for face in faces()} >= {"Nimbus Roman", "Nimbus Sans", "Nimbus Mono"}
    assert not {face.family.name for face in faces()} & {face.family.name for face in faces(unseen=True)}
