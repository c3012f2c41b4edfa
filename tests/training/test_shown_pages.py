"""Pages that are made of parts of others, or as a recogniser would see them, keep the truth of their words."""

from __future__ import annotations

import importlib
import json
import random
from collections import Counter

import numpy as np
import pymupdf
import pytest

from training.structure.compose import Sample, _taken_for_one, composed
from training.structure.dataset import kept
from training.structure.noise import recognised
from training.structure.pages import truth


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    """Typewritten pages with their truth."""
    folder = tmp_path_factory.mktemp("pages")
    typewritten = importlib.import_module("training.structure.pages.typewritten")
    pdf, setter = typewritten.typeset(random.Random("shown"), 12, folder, "made")
    path = folder / "read.pdf"
    with pymupdf.open(pdf) as document:
        told = [truth.told(page, setter.palette.entries, setter.tables) for page in document]
        document.save(path)
    path.with_suffix(".json").write_text(json.dumps({"pages": told}))
    return [one for one in kept(path, layout=False) if len(one[0].tokens) > 20]


def tables_in(page: Sample) -> Counter[tuple[tuple[str, int, int], ...]]:
    """The tables of a page: the words of each with their rows and columns."""
    tokens, cells = page
    return Counter(
        tuple(
            sorted((tokens.tokens[at].text, *map(int, cells[at, 1:3])) for at in np.nonzero(cells[:, 0] == number)[0])
        )
        for number in set(cells[:, 0].tolist()) - {-1}
    )


def test_parts_of_pages_have_whole_tables_and_stay_apart(pages: list[Sample]) -> None:
    made = 0
    for seed in range(40):
        chance = random.Random(seed)
        one, other = chance.sample(pages, 2)
        page = composed(one, other, chance)
        if page is None:
            continue
        made += 1
        assert len(page[0].tokens) == len(page[1])
        assert tables_in(page) <= tables_in(one) + tables_in(other)
        boxes = np.array([token.box for token in page[0].tokens])
        assert boxes.min() >= 0 and boxes[:, 2].max() <= page[0].width and boxes[:, 3].max() <= page[0].height
    assert made > 5


def test_recognised_pages_have_the_words_of_their_sources(pages: list[Sample]) -> None:
    for seed, (page, _) in enumerate(pages):
        seen, sources = recognised(page, random.Random(seed))
        words = Counter(word for token in seen.tokens for word in token.text.split())
        assert words == Counter(word for token in page.tokens for word in token.text.split())
        assert seen.recognised and len(sources) == len(seen.tokens)
        assert all(
            token.text.split()[0] in page.tokens[source].text.split()
            for token, source in zip(seen.tokens, sources, strict=True)
        )


def test_two_tables_that_are_near_are_taken_for_one() -> None:
    tables = [[0, 0, 100, 50, 0], [0, 60, 100, 90, 1], [110, 0, 200, 50, 0], [300, 0, 400, 50, 0]]
    layout = np.array(tables, np.float32)
    assert _taken_for_one(layout, 2, size=5).tolist() == [tables[1], tables[3], [0, 0, 200, 50, 0]]
    assert _taken_for_one(layout, 2, size=1).tolist() == tables, "too far from each other"
    assert _taken_for_one(layout[:2], 2, size=5).tolist() == tables[:2], "one table"
