"""The network of precedence that is taught is the one that reads; what is shown to it has the truth of its page."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from docspec.core import BBox, Category
from docspec.drafting.frames import NONE
from docspec.drafting.layout import LayoutBox
from docspec.drafting.precedence import Precedence, features_of
from training.order import teach
from training.order.dataset import FOOT, HEAD, UNKNOWN, Example


def example(count: int = 5) -> Example:
    """Boxes of two lines below each other, the first a head, the last a foot."""
    boxes, texts = [], {}
    for number in range(count):
        lines = [BBox(50, 50 + 40 * number + 12 * row, 300, 60 + 40 * number + 12 * row) for row in (0, 1)]
        boxes.append(LayoutBox(BBox.union(lines), Category.TEXT, tuple(lines)))
        texts |= dict.fromkeys(lines, f"{number + 1}. text")
    places = [HEAD, *map(float, range(count - 2)), FOOT]
    return Example(tuple(boxes), texts, NONE, np.array(places, np.float32))


def test_the_taught_network_is_the_one_that_reads(tmp_path: Path) -> None:
    torch.manual_seed(3)
    page = example()
    tokens, pairs = features_of(page.boxes, page.texts)
    network = teach.Network(tokens.shape[1], pairs.shape[2]).half().float()
    teach.written(network, tmp_path / "network.npz")
    with torch.no_grad():
        wanted = network(torch.from_numpy(tokens), torch.from_numpy(pairs)).numpy()
    assert np.allclose(Precedence(tmp_path / "network.npz")(tokens, pairs), wanted, atol=1e-3)


def test_two_pages_beside_each_other_are_read_one_after_the_other() -> None:
    chance = random.Random(1)
    for _ in range(20):
        both = teach.two(example(), example(), chance)
        first, second = both.places[:5], both.places[5:]
        assert first[first != UNKNOWN].max() < second[second != UNKNOWN].min()
        boxes = [teach.around(Example(part, {}, NONE, first)) for part in (both.boxes[:5], both.boxes[5:])]
        assert boxes[0].intersection(boxes[1]) is None


def test_lines_as_boxes_are_in_the_order_of_their_boxes() -> None:
    lines = teach.in_lines(example())
    assert len(lines.boxes) == 10
    known = [place for place in lines.places.tolist() if place not in (HEAD, FOOT)]
    assert known == sorted(known) and len(set(known)) == 6


def test_teaching_goes_on_from_what_is_right(tmp_path: Path) -> None:
    teach.taught([example(count) for count in (4, 5, 6, 8)], 0.15, 1, 3e-3, tmp_path / "network.npz")
    page = example(7)
    scores = Precedence(tmp_path / "network.npz")(*features_of(page.boxes, page.texts))
    assert (scores[np.triu_indices(7, 1)] > 0).all()
