"""What comes out of a child is what this process would have made of the same page, pixel by pixel."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import pytest
from PIL import Image

from docspec import ParseOptions, Parser
from docspec.core import PageResult
from docspec.documents import PageFailure, open_document
from docspec.isolation.pool import Isolation
from docspec.isolation.window import SIZE
from tests.isolation import doubles
from tests.isolation.conftest import written

PATIENCE = 60.0
SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="module")
def parser(lively_qwen: Path) -> Iterator[Parser]:
    options = ParseOptions(
        model=str(lively_qwen),
        max_tokens=6,
        dtype="float32",
        device="cpu",
        drafter="text-layer",
        stages="page",
        dpi=60,
        pages="1,4,5",
    )
    with Parser(options) as parser:
        yield parser


def here(parser: Parser, path: Path) -> Iterator[PageResult]:
    """``path`` read without children."""
    with open_document(path) as document:
        for page in parser.page_images(document, parser.options.pages):
            assert not isinstance(page, PageFailure)
            yield parser.parse_page(page)


def bare(page: PageResult) -> PageResult:
    """``page`` without what it took."""
    return replace(page, timings=type(page.timings)(), image=None, stage2=None)


def test_pages_of_all_kinds_are_the_same_as_in_one_process(parser: Parser) -> None:
    for other, own in zip_longest(parser.pages(SAMPLES / "mixed.pdf"), here(parser, SAMPLES / "mixed.pdf")):
        assert bare(other) == bare(own)
        assert other.image is not None and own.image is not None
        assert other.image.tobytes() == own.image.tobytes()


def test_a_page_larger_than_the_window_comes_whole(
    isolation: Callable[..., Isolation], tmp_path: Path
) -> None:
    from docspec.documents.sources import source_from_path
    from docspec.isolation.hand import Prepared
    from tests.isolation.doubles import wanted

    picture = Image.effect_noise((3000, 2 * SIZE // 9000), 90).convert("RGB")
    picture.save(tmp_path / "large.png", compress_level=1)
    children = isolation(doubles.sound)
    document = children.open(source_from_path(tmp_path / "large.png"))
    [(_, page)] = children.pages(iter([(document, 1)]), wanted(), 0)
    assert isinstance(page, Prepared)
    assert page.page.image.tobytes() == picture.tobytes()


def test_many_inputs_come_in_their_order_each_with_its_error(parser: Parser, tmp_path: Path) -> None:
    first, last = written(tmp_path / "a.pdf", pages=5), written(tmp_path / "c.pdf", pages=5)
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    sources = [first, tmp_path / "none.pdf", tmp_path / "b.pdf", last]
    results = list(parser.parse_many(sources))
    assert [result.source for result in results] == [str(source) for source in sources]
    assert [len(result.pages) for result in results] == [3, 0, 0, 3]
    assert [result.failure for result in results] == [None, "unreadable", "damaged", None]
    assert [bare(page) for page in results[3].pages] == [bare(page) for page in here(parser, last)]
    assert [result.ok for result in results] == [True, False, False, True]


def test_the_next_input_is_begun_while_the_last_page_of_one_is_in_hand(
    parser: Parser, tmp_path: Path
) -> None:
    paths = [written(tmp_path / f"{name}.pdf", pages=1) for name in "abc"]
    own = Parser(replace(parser.options, pages=None))
    own.__dict__["loaded"] = parser.loaded
    readings = own.documents(paths)
    first = next(readings)
    end = time.monotonic() + PATIENCE
    hand = own._isolation._hands[0]
    while (hand._at is None or hand._at.name != str(paths[1])) and time.monotonic() < end:
        time.sleep(0.01)
    assert hand._at is not None and hand._at.name == str(paths[1]), "nobody has asked for it yet"
    assert [page.status for page in first] == ["ok"]
    assert [page.status for reading in readings for page in reading] == ["ok", "ok"]
    own.close()
