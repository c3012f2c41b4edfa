"""Tables and formulas as reading by regions cuts them out: what is printed is what the text says."""

from __future__ import annotations

import random

import numpy as np
import pytest

from docspec.dialects.tables import parse_pipe_table
from training.crops import make_crop
from training.curriculum import Phase
from training.evaluate import formulas_of, tables_of
from training.feed import maker
from training.formulas import FONTS, drawn, equation, make_formula
from training.lines import make_lines
from training.pages import make_page


def test_tables_are_rectangles_whose_print_agrees_with_their_text() -> None:
    for sample in tables_of(192, 12, 7, unseen=False):
        table = parse_pipe_table(sample.text)
        assert table is not None and table.head_rows == 1
        assert len({len(row) for row in table.rows}) == 1 and len(table.rows) > 1
        printed = "".join(glyph.char for glyph in sample.glyphs if glyph.read)
        assert printed == "".join("".join(cell.text.split()) for row in table.rows for cell in row)
        assert sample.pixels.shape[0] == 192


def test_some_cells_are_empty_and_some_heads_are_dark() -> None:
    samples = tables_of(192, 40, 100, unseen=False)
    cells = [cell.text for one in samples for row in parse_pipe_table(one.text).rows for cell in row]
    assert 0 < cells.count("") < len(cells) / 3
    dark = [one for one in samples if (one.pixels < 128).all(axis=0).any() or (one.pixels < 128).mean() > 0.1]
    assert 0 < len(dark) < len(samples) / 2


@pytest.mark.parametrize("font", sorted(set(FONTS)))
def test_each_printed_character_of_a_formula_has_its_place(font: str) -> None:
    for seed in range(8):
        node = equation(random.Random(seed), 3)
        image, centres = drawn(node, 26.0, font)
        assert len(centres) == len(node.printed), node.latex
        assert {mark for _, mark in node.pieces if mark} == set(node.printed)
        inside = [0 <= x < image.shape[1] and 0 <= y < image.shape[0] for x, y in centres]
        assert np.mean(inside) > 0.8, node.latex


def test_formulas_are_printed_where_they_say() -> None:
    for sample in formulas_of(12, 5, unseen=False):
        places = sample.centres[np.isfinite(sample.centres[:, 0])]
        assert len(places) >= 3 and len(sample.centres) == len(sample.text)
        ink = sample.pixels < sample.pixels.max() - 60
        near = [ink[max(0, int(y) - 12) : int(y) + 13, max(0, int(x) - 9) : int(x) + 10].any() for x, y in places]
        assert np.mean(near) > 0.85, sample.text
    assert (make_formula(448, 96, 3).pixels == make_formula(448, 96, 3).pixels).all()
    assert make_formula(448, 96, 3).text != make_formula(448, 96, 4).text


def test_each_kind_of_crop_has_the_share_that_the_phase_gives_it() -> None:
    phase = Phase("any", 1, (1e-3, 1e-3), {}, tables=1.0, formulas=1.0, lines=1.0)
    assert maker(phase, 704, 960, 1) is make_page
    assert maker(phase, 704, 64, 1) is make_formula
    assert maker(phase, 704, 32, 1) is make_lines
    assert maker(phase, 704, 320, 1).func is make_crop  # type: ignore[attr-defined]
    assert maker(Phase("any", 1, (1e-3, 1e-3), {}), 704, 64, 1) is make_crop
