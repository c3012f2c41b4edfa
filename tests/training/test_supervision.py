"""Which cells a line belongs to, and which tokens count more than once."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from training.crops import make_crop
from training.data import CLASSES, EDGE, across, collate, dense_labels, reading_order, token_cells
from training.fonts import faces
from training.losses import either, emphasis
from training.pages import make_page
from training.reader import tokenizer as tok
from training.reader.model import CELL
from training.render import CENTRE, Sample, Sheet, degrade

TOKENIZER = tok.train_tokenizer([make_crop(480, 160, seed).text for seed in range(20)], vocab_size=320)
SIZE = 24.0
JUMP, FAR = 6.0, 18.0


def line_at(centre: float, text: str = "word", x: float = 40.0) -> Sample:
    """One line whose glyphs' centre is at the height `centre`."""
    sheet = Sheet(192, 96)
    sheet.put(text, x, centre + CENTRE * SIZE, faces()[0].regular, SIZE)
    return sheet.finish()


def columns_page() -> Sample:
    """Two columns of two words each, read column by column."""
    sheet = Sheet(320, 96)
    for x in (10, 200):
        for y in (24, 56):
            sheet.put("abc", x, y, faces()[0].regular, SIZE)
            sheet.write("\n")
    sheet.chars.pop()
    sheet.centres.pop()
    return sheet.finish()


@given(st.floats(0, 960, exclude_max=True))
def test_the_way_across_leads_to_the_nearest_edge_and_only_from_near_it(y: float) -> None:
    row, way = int(y) // CELL, across(y)
    if way:
        edge = max(row, row + way) * CELL
        assert abs(y - edge) < EDGE
    else:
        assert min(y % CELL, CELL - y % CELL) >= EDGE


@pytest.mark.parametrize(
    ("centre", "row", "other"), [(47.0, 1, None), (63.5, 1, 2), (64.5, 2, 1), (1.0, 0, None), (30.5, 0, 1)]
)
def test_a_line_on_the_edge_of_two_rows_belongs_to_both(centre: float, row: int, other: int | None) -> None:
    _, cells = token_cells(line_at(centre), TOKENIZER)
    columns = 192 // CELL
    assert set(cells[:, 0] // columns) == {row}
    if other is None:
        assert (cells[:, 1] == -1).all()
    else:
        assert set(cells[:, 1] // columns) == {other}
        assert (cells[:, 1] % columns == cells[:, 0] % columns).all()


@pytest.mark.parametrize(("centre", "times"), [(47.0, 1), (63.5, 2), (64.5, 2)])
def test_characters_are_named_once_and_on_an_edge_on_both_sides(centre: float, times: int) -> None:
    labels = dense_labels(line_at(centre, "ab"))
    assert sorted(labels[labels > 0].tolist()) == sorted([CLASSES["a"], CLASSES["b"]] * times)
    if times == 2:
        assert (labels[3] == labels[4]).all()


def test_reading_order_names_twins_and_serves_them() -> None:
    cells = np.array([[0, 4], [1, 5], [1, 5], [-1, -1], [9, -1]])
    following, preceding = reading_order(cells, 12)
    assert following[0].tolist() == [1, 5] and following[4].tolist() == [1, 5]
    assert following[1].tolist() == [9, -1] and following[5].tolist() == [9, -1]
    assert preceding[9].tolist() == [1, 5] and preceding[1].tolist() == [0, 4] == preceding[5].tolist()
    assert (following[9] == -1).all()


def test_a_twin_with_text_of_its_own_keeps_its_neighbours() -> None:
    following, _ = reading_order(np.array([[0, 4], [1, -1], [4, -1], [6, -1]]), 8)
    assert following[0, 0] == 1 and following[4, 0] == 6


def test_either_sums_over_a_cell_and_its_twin() -> None:
    scores = torch.tensor([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]])
    value = either(scores, torch.tensor([0, 2]), torch.tensor([1, -1]))
    assert value.tolist() == pytest.approx([math.log(1 + math.e), 2.0])


def weights_by_text(sample: Sample) -> list[tuple[str, float]]:
    batch = collate([sample], TOKENIZER)
    weight = emphasis(batch, JUMP, FAR)[0].tolist()
    targets = batch.targets[0].tolist()
    return [(TOKENIZER.decode([t]), w) for t, w in zip(targets, weight, strict=True)]


def test_line_ends_column_ends_and_the_end_count_more() -> None:
    weights = weights_by_text(columns_page())
    heavy = [(text, weight) for text, weight in weights if weight > 1]
    assert [weight - 1 for _, weight in heavy] == [JUMP, JUMP, FAR, JUMP, FAR]  # first, line, column, line, end
    assert heavy[-1][0] == "<|im_end|>"


def test_a_line_that_rises_over_a_row_is_not_a_jump() -> None:
    text = "over the hills and far away we go"
    sheet = Sheet(640, 96)
    sheet.put(text, 30, 64 + CENTRE * SIZE, faces()[0].regular, SIZE)
    level = sheet.finish()
    turned = [degrade(level, random.Random(seed)) for seed in range(60)]
    crossing = [
        sample
        for sample in turned
        if len({int(y) // CELL for _, y in sample.centres if not np.isnan(y)}) > 1
        and sample.centres[0][1] > sample.centres[-1][1]
    ]
    assert crossing
    for sample in crossing:
        assert [weight for _, weight in weights_by_text(sample)].count(1 + FAR) == 1  # the end alone


def test_two_lines_in_one_row_of_cells_are_told_apart() -> None:
    sheet = Sheet(192, 96)
    for baseline in (34 + CENTRE * SIZE, 62 + CENTRE * SIZE):
        sheet.put("near", 20, baseline, faces()[0].regular, SIZE)
        sheet.write("\n")
    assert [weight - 1 for _, weight in weights_by_text(sheet.finish()) if weight > 1] == [JUMP, FAR, FAR]


def test_pages_with_columns_have_far_jumps() -> None:
    sample = make_page(704, 960, 3, kind="magazine", noise=0.0)
    assert [weight for _, weight in weights_by_text(sample)].count(1 + FAR) >= 2


def test_crops_with_columns_have_far_jumps_and_small_ones_fall_back() -> None:
    wide = [make_crop(512, 224, seed, kind="columns", noise=0.0) for seed in range(6)]
    assert sum([weight for _, weight in weights_by_text(sample)].count(1 + FAR) >= 2 for sample in wide) >= 5
    assert make_crop(192, 64, 1, kind="columns", noise=0.0).text.strip()
