"""What comes out of a child is what this process would have made of the same page, pixel by pixel."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, replace
from io import BytesIO
from itertools import zip_longest
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from docspec import ParseOptions, Parser
from docspec.core import PageResult, UsageError
from docspec.core.observer import NullObserver
from docspec.documents import PageFailure, open_document
from docspec.isolation import pool
from docspec.isolation.pool import Isolation
from docspec.isolation.serving import SIZE
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
    """``page`` without what it took, and whether drafts paid, which goes by that."""
    events = tuple(event for event in page.events if event.kind != "plain_decoding")
    quality = page.quality and replace(page.quality, margin=None)  # its last digits go by the shape of steps
    return replace(page, quality=quality, timings=type(page.timings)(), image=None, stage2=None, events=events)


def test_pages_of_all_kinds_are_the_same_as_in_one_process(parser: Parser) -> None:
    for other, own in zip_longest(parser.pages(SAMPLES / "mixed.pdf"), here(parser, SAMPLES / "mixed.pdf")):
        assert bare(other) == bare(own)
        assert other.image is not None and own.image is not None
        assert other.image.tobytes() == own.image.tobytes()


def test_a_page_larger_than_the_window_comes_whole(isolation: Callable[..., Isolation], tmp_path: Path) -> None:
    from docspec.documents.sources import source_from_path
    from docspec.drafting.drafted_page import DraftedPage
    from tests.isolation.doubles import wanted

    picture = Image.effect_noise((3000, 2 * SIZE // 9000), 90).convert("RGB")
    picture.save(tmp_path / "large.png", compress_level=1)
    children = isolation(doubles.sound)
    document = children.open(source_from_path(tmp_path / "large.png"))
    [(_, page)] = children.pages(iter([(document, 1)]), wanted(), 0)
    assert isinstance(page, DraftedPage)
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


def test_the_next_input_is_begun_while_the_last_page_of_one_is_in_hand(parser: Parser, tmp_path: Path) -> None:
    paths = [written(tmp_path / f"{name}.pdf", pages=1) for name in "abc"]
    own = Parser(replace(parser.options, pages=None))
    own.loaded = parser.loaded
    readings = own.documents(paths)
    first = next(readings)
    end = time.monotonic() + PATIENCE
    worker = own._stream.isolation._workers[0]
    while (worker._at is None or worker._at.name != str(paths[1])) and time.monotonic() < end:
        time.sleep(0.01)
    assert worker._at is not None and worker._at.name == str(paths[1]), "nobody has asked for it yet"
    assert [page.status for page in first] == ["ok"]
    assert [page.status for reading in readings for page in reading] == ["ok", "ok"]
    own.close()


def test_threads_that_share_a_parser_get_their_pages_in_turn(parser: Parser, tmp_path: Path) -> None:
    paths = [written(tmp_path / f"{name}.pdf", pages=5) for name in "abc"]
    alone = {path: [bare(page) for page in parser.pages(path)] for path in paths}
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(lambda path: [bare(page) for page in parser.pages(path)], paths * 2))
    assert found == [alone[path] for path in paths * 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_is_told_to_make_its_own_parser(parser: Parser, tmp_path: Path) -> None:
    pages = parser.pages(written(tmp_path / "a.pdf", pages=5))
    next(pages)
    child = os.fork()
    if child == 0:
        try:
            next(pages)
        except UsageError:
            os._exit(42)
        os._exit(1)
    end = time.monotonic() + PATIENCE
    while (waited := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
        time.sleep(0.05)
    if waited == (0, 0):
        os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(waited[1]) == 42
    assert len(list(pages)) == 2


def test_pages_of_a_document_that_nobody_reads_on_are_not_verified(lively_qwen: Path, tmp_path: Path) -> None:
    paths = [written(tmp_path / f"{name}.pdf", pages=6) for name in "ab"]
    options = ParseOptions(
        model=str(lively_qwen), max_tokens=4, dtype="float32", device="cpu", drafter="none", stages="page", dpi=60
    )
    verified: list[tuple[str, int]] = []

    class Watching(NullObserver):
        def page_done(self, result: PageResult) -> None:
            verified.append((result.source, result.number))

    with Parser(options, Watching()) as parser:
        verify, asked = parser.verify, []
        parser.verify = lambda pages: asked.extend(p.page.number for p in pages) or verify(pages)  # type: ignore
        first, second = 0, 0
        for reading in parser.documents(paths):
            for page in reading:
                if reading.name == str(paths[0]):
                    first += page.number
                    break
                second += 1
    assert (first, second) == (1, 6) and len(asked) < 6 + 4, f"{asked}: the pages in flight at most"


def sheets(path: Path) -> Path:
    """A page of text with a rule, one with a photograph, and one with outlined words that no text layer has."""
    lines = "\n".join(f"Line {number} of a page that is all text and reads as such." for number in range(30))
    with pymupdf.open() as document:
        for kind in ("text", "photograph", "outlines"):
            page = document.new_page()
            page.insert_text((72, 120), lines, fontsize=11)
            if kind == "text":
                page.draw_line((72, 800), (500, 800), width=0.4)
            elif kind == "photograph":
                buffer = BytesIO()
                Image.effect_noise((300, 200), 90).save(buffer, "PNG")
                page.insert_image((150, 560, 450, 760), stream=buffer.getvalue())
            else:
                with pymupdf.open() as other:
                    other.new_page(width=300, height=60).insert_text((10, 40), "Outlined words here", fontsize=24)
                    picture = other[0].get_pixmap(dpi=150).tobytes("png")
                page.insert_image((100, 640, 400, 700), stream=picture)
        document.save(path)
    return path


def test_pages_that_nobody_looks_at_are_read_alike(tmp_path: Path) -> None:
    """Without ``images`` pages are drawn in small, and as large as ever where pictures or unread print ask for it."""
    path = sheets(tmp_path / "sheets.pdf")
    with Parser(ParseOptions()) as seeing, Parser(ParseOptions(), images=False) as saving:
        looked_at, spared = list(seeing.pages(path)), list(saving.pages(path))
        assert not saving.is_loaded
    assert spared[0].image is None and bare(spared[0]) == bare(looked_at[0])
    for page, other in zip(spared, looked_at, strict=True):
        assert (page.text, page.quality) == (other.text, other.quality)
        for block, same in zip(page.blocks, other.blocks, strict=True):
            assert block.bbox is not None and same.bbox is not None
            assert replace(block, bbox=None) == replace(same, bbox=None)
            apart = zip(astuple(block.bbox), astuple(same.bbox), strict=True)
            assert max(abs(a - b) for a, b in apart) <= 4, "pixels: edges of pictures, by the sketch"
    assert all(page.image is not None for page in looked_at)
    assert spared[1].image is not None and looked_at[1].image is not None
    assert spared[1].image.tobytes() == looked_at[1].image.tobytes()
    assert "Outlined words here" in spared[2].text


def test_recognised_words_of_a_page_that_nobody_looks_at_get_places(tmp_path: Path) -> None:
    """They are parted by the gaps in the pixels, which are drawn for that."""
    with Parser(ParseOptions(places="drafts"), images=False) as parser:
        *_, last = parser.pages(sheets(tmp_path / "sheets.pdf"))
    [read] = [block for block in last.blocks if block.words == "recognition"]
    assert [word.text for word in read.places] == ["Outlined", "words", "here"]
    assert {word.how for word in read.places} == {"exact"}


def test_pages_that_were_sketched_are_drawn_where_their_drafts_are_lost(
    isolation: Callable[..., Isolation], tmp_path: Path
) -> None:
    from docspec.documents.sources import source_from_path
    from docspec.drafting.drafted_page import DraftedPage
    from tests.isolation.doubles import wanted

    children = isolation(doubles.aborting)
    document = children.open(source_from_path(written(tmp_path / "five.pdf", pages=5)))
    spared = replace(wanted(400), looks=lambda page, drafted: False)
    pages = [page for _, page in children.pages(((document, number) for number in range(1, 6)), spared, 0)]
    for page in pages:
        assert isinstance(page, DraftedPage)
        assert page.draft.events[0].kind == "drafter_failed"
        assert page.page.is_drawn and not page.draft.blank
    assert "given up" in pages[-1].draft.events[0].detail  # type: ignore[union-attr]


def test_two_processes_draft_where_another_one_decodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a half of the processors, four at most, where this one does."""
    counts = {}
    for cores in (1, 2, 16):
        monkeypatch.setattr(pool, "processors", lambda cores=cores: cores)
        monkeypatch.setattr(pool, "machine_memory", lambda: 2**40)
        counts[cores] = [pool.Isolation(one)._most for one in (ParseOptions(), ParseOptions(model="a.gguf"))]
    assert counts == {1: [1, 1], 2: [1, 2], 16: [4, 4]}
