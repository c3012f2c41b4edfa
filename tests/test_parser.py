"""The Python interface on real small documents with a target that does not read: what happens around the text."""

from __future__ import annotations

import hashlib
import io
import re
import zlib
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
import torch
from PIL import Image

from benchmarks.campaign.raw import document, text
from docspec import ParseOptions, Parser, parse
from docspec.core import DocumentResult, DrafterError, InputError, ModelError, PageResult, UsageError
from docspec.core.observer import NullObserver
from docspec.engine.measuring import MeasuredDecode
from docspec.isolation.pool import Isolation
from docspec.reporting.timing import page_object

from .isolation import doubles

SMALL = {"max_tokens": 24, "dtype": "float32", "device": "cpu", "drafter": "text-layer", "stages": "both"}


@pytest.fixture
def pdf(tmp_path):
    """Three pages: print, nothing, print."""
    path = tmp_path / "three.pdf"
    with pymupdf.open() as document:
        for number in range(3):
            page = document.new_page(width=200, height=120)
            if number != 1:
                page.insert_text((20, 40), f"Some words of page {number}.", fontsize=11)
                page.insert_text((20, 60), "And a second line below.", fontsize=11)
        document.save(path)
    return path


@pytest.fixture(scope="module")
def parser(lively_qwen):
    with Parser(ParseOptions(model=str(lively_qwen), baseline=True, **SMALL)) as parser:
        yield parser


def test_pages_come_in_order_with_counts_and_times(parser, pdf):
    first, blank, last = parser.pages(pdf)
    assert [page.number for page in (first, blank, last)] == [1, 2, 3]
    assert first.status == last.status == "ok"
    assert len(first.token_ids) == 24
    assert first.stage1.rows == first.regions > 0
    assert first.stage2.steps > 0
    assert first.timings.total > 0
    assert first.image is not None
    assert [event.kind for event in first.events] == ["budget_reached"]


def test_a_blank_page_is_not_shown_to_the_model(parser, tmp_path, monkeypatch):
    monkeypatch.setattr(MeasuredDecode, "step", lambda *_: pytest.fail("asked the model"))
    Image.new("RGB", (300, 200), (250, 248, 240)).save(tmp_path / "paper.png")
    [page] = parser.pages(tmp_path / "paper.png")
    assert page.status == "blank"
    assert page.text == ""
    assert [event.kind for event in page.events] == ["blank_page"]


def test_the_baseline_of_the_same_run_is_identical(parser, pdf):
    page = next(parser.pages(pdf))
    assert page.baseline.identical
    assert page.baseline.tokens == 24
    assert page.baseline.sr_decode > 0
    assert page.baseline.sr_e2e > 0


@pytest.mark.parametrize("stages", ["both", "page", "none"])
def test_stages_change_the_way_and_not_the_tokens(lively_qwen, parser, pdf, stages):
    expected = next(parser.pages(pdf)).token_ids
    page = parse(pdf, model=str(lively_qwen), pages="1", **{**SMALL, "stages": stages}).pages[0]
    assert page.token_ids == expected
    assert (page.stage1 is not None) == (stages == "both")


def test_bytes_and_images_are_inputs_too(parser, pdf, printed_page):
    assert len(parser.parse(pdf.read_bytes()).pages) == 3
    buffer = io.BytesIO()
    printed_page.save(buffer, "PNG")
    [page] = parser.parse(buffer.getvalue()).pages
    assert page.status == "ok"
    assert page.image is None


@pytest.mark.parametrize("read", ["page", "regions"])
def test_a_page_that_runs_out_of_memory_is_read_once_more_with_less(lively_qwen, parser, pdf, monkeypatch, read):
    """And the page after it as before."""
    options = replace(parser.options, read=read, baseline=False)
    own = Parser(options)
    own.loaded = parser.loaded
    expected = [page.token_ids for page in own.pages(pdf)]
    honest, trees = MeasuredDecode.step, []

    def short_of_memory(self):
        frugal = self.target.steps.report.reason == "memory ran out"
        trees.append((self.max_tree, frugal))
        if not any(frugal for _, frugal in trees):
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")
        return honest(self)

    monkeypatch.setattr(MeasuredDecode, "step", short_of_memory)
    first, _, last = own.pages(pdf)
    own.close()
    assert (first.status, last.status) == ("ok", "ok")
    assert [first.token_ids, last.token_ids] == [expected[0], expected[2]]
    assert [event.kind for event in first.events].count("memory_short") == 1
    assert "memory_short" not in [event.kind for event in last.events]
    assert trees[0] == trees[-1] == (options.max_tree, False)
    assert {tree for tree, frugal in trees if frugal} == {8}


def test_out_of_memory_again_costs_one_page(parser, pdf, monkeypatch):
    def short_of_memory(self):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")

    with monkeypatch.context() as patch:
        patch.setattr(MeasuredDecode, "step", short_of_memory)
        pages = parser.pages(pdf)
        first = next(pages)
    _, last = pages
    assert (first.status, first.failure) == ("failed", "out_of_memory")
    assert "page 1" in first.error
    assert "out of memory" in first.error
    assert last.status == "ok"


@pytest.mark.parametrize(
    ("message", "failure"),
    [
        ("CUDA error: an illegal memory access was encountered", "device_lost"),
        ("CUDA error: device-side assert triggered", "device_lost"),
        ("CUDA error: invalid configuration argument", "unexpected"),
    ],
)
def test_a_lost_accelerator_is_called_so(parser, pdf, monkeypatch, message, failure):
    def lost(self, *arguments):
        raise RuntimeError(f"{message}\nCUDA kernel errors might be reported later")

    monkeypatch.setattr(MeasuredDecode, "step", lost)
    first = next(parser.pages(pdf))
    assert (first.status, first.failure) == ("failed", failure)
    assert message in first.error


def test_any_other_fault_costs_one_page_too(parser, pdf, monkeypatch):
    monkeypatch.setattr(MeasuredDecode, "step", lambda *_: 1 / 0)
    first, blank, last = parser.pages(pdf)
    assert first.status == last.status == "failed"
    assert blank.status == "blank"
    assert "ZeroDivisionError" in first.error
    assert not parser.parse(pdf).ok


@pytest.mark.parametrize(("make", "failure"), [(doubles.failing, "unexpected"), (doubles.aborting, "crashed")])
def test_a_failing_drafter_costs_the_speed_up_only(parser, pdf, monkeypatch, make, failure):
    """Also where it takes its process along."""
    expected = next(parser.pages(pdf)).token_ids
    children = Isolation(parser.options, make)
    monkeypatch.setattr(parser._stream, "isolation", children)
    page = next(parser.pages(pdf))
    children.close()
    assert page.token_ids == expected
    assert [event.failure for event in page.events if event.kind == "drafter_failed"] == [failure]


def test_a_loop_is_stopped_and_reported(lively_qwen, pdf, monkeypatch):
    from docspec.targets.adapter import TransformersTarget

    honest = TransformersTarget.logits

    def stuck(self, hidden):
        logits = honest(self, hidden)
        logits[..., 300] += 1e4
        return logits

    monkeypatch.setattr(TransformersTarget, "logits", stuck)
    options = {**SMALL, "max_tokens": 400, "drafter": "none"}
    page = parse(pdf, model=str(lively_qwen), pages="1", baseline=True, **options).pages[0]
    assert [event.kind for event in page.events] == ["loop_stopped", "words_missing"]
    assert len(page.token_ids) < 10
    assert page.cut is not None and page.cut.reason == "loop"
    assert page.cut.dropped >= 256 and page.cut.repeated in page.events[0].detail
    assert page_object(page)["cut"]["kept"] == len(page.token_ids)
    assert page.baseline.identical
    kept = parse(pdf, model=str(lively_qwen), pages="1", on_loop="keep", **options).pages[0]
    assert len(kept.token_ids) == 400
    assert kept.token_ids[: len(page.token_ids)] == page.token_ids
    assert [event.kind for event in kept.events] == ["budget_reached", "words_missing"]


def test_what_is_wrong_with_the_request_is_said_before_the_model_is_loaded(pdf):
    parser = Parser(ParseOptions(model="/no/such/model", pages="9"))
    with pytest.raises(InputError, match="page 9"):
        list(parser.pages(pdf))
    with pytest.raises(UsageError, match="--pages"):
        list(Parser(ParseOptions(model="/no/such/model", pages="x")).pages(pdf))
    with pytest.raises(ModelError, match="/no/such/model"):
        list(Parser(ParseOptions(model="/no/such/model")).pages(pdf))


def test_a_drafter_without_its_models_is_refused_before_the_first_page(lively_qwen, pdf, tmp_path):
    options = ParseOptions(model=str(lively_qwen), drafter="ppstructure", ppstructure_models=tmp_path, offline=False)
    with pytest.raises(DrafterError, match=str(tmp_path)):
        list(Parser(options).pages(pdf))


def test_observers_hear_of_every_page(lively_qwen, pdf):
    class Listener(NullObserver):
        def __init__(self) -> None:
            self.pages: list[PageResult] = []
            self.stages: list[str] = []
            self.notes: list[str] = []

        def page_done(self, result: PageResult) -> None:
            self.pages.append(result)

        def stage(self, number: int, name: str) -> None:
            self.stages.append(name)

        def note(self, message: str) -> None:
            self.notes.append(message)

    listener = Listener()
    Parser(ParseOptions(model=str(lively_qwen), **SMALL), listener).parse(pdf)
    assert [page.number for page in listener.pages] == [1, 2, 3]
    assert listener.stages[:4] == ["draft", "stage1", "prefill", "stage2"]
    assert any("random weights" in note for note in listener.notes)


def test_a_page_too_large_for_the_model_fails_with_a_way_out(lively_qwen, tmp_path, monkeypatch):
    with Parser(ParseOptions(model=str(lively_qwen), **{**SMALL, "drafter": "none"}, read="page")) as parser:
        monkeypatch.setattr(parser.loaded.target, "max_length", 60)
        Image.effect_noise((320, 192), 90).save(tmp_path / "page.png")
        [page] = parser.pages(tmp_path / "page.png")
    assert page.status == "failed"
    assert "--dpi" in page.error


def test_a_repaired_file_says_so_on_every_page(parser, pdf, tmp_path):
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(pdf.read_bytes()[:-120])
    pages = list(parser.pages(cut))
    assert len(pages) == 3
    assert all(page.events[0].kind == "damaged_input" for page in pages)
    assert all(event.kind != "damaged_input" for page in parser.pages(pdf) for event in page.events)


def test_of_damaged_pages_the_text_is_kept_and_what_cannot_be_shown_fails(parser, tmp_path):
    packed = zlib.compress(text(*(f"Line {number} of the text" for number in range(40))))
    contents = (text("A sound page"), flate(b"not flate"), flate(packed[: len(packed) // 2]))
    (tmp_path / "three.pdf").write_bytes(document(*contents, page=b"/MediaBox[0 0 300 400]"))
    sound, lost, cut = parser.pages(tmp_path / "three.pdf")
    assert [page.status for page in (sound, lost, cut)] == ["ok", "failed", "ok"]
    assert (sound.damage, cut.text != "") == (None, True)
    assert "nothing of it can be shown; damaged in the file" in lost.error
    assert "premature end" in cut.damage
    assert not DocumentResult("three.pdf", (sound, cut)).ok


def flate(data):
    return b"<</Filter/FlateDecode/Length %d>>\nstream\n%b\nendstream" % (len(data), data)


def test_drafting_ahead_changes_nothing_but_the_waiting(lively_qwen, pdf):
    def read(pages):
        with Parser(ParseOptions(model=str(lively_qwen), pages=pages, **SMALL)) as parser:
            return list(parser.pages(pdf))

    beside, alone = read("1,3"), read("1") + read("3")
    assert [page.token_ids for page in beside] == [page.token_ids for page in alone]
    assert [page.timings.hidden for page in alone] == [0, 0]
    assert beside[1].timings.hidden > 0
    assert beside[1].timings.total >= beside[1].timings.draft > 0


def test_the_documented_example_runs_on_blank_and_failed_pages(lively_qwen, pdf, tmp_path, monkeypatch):
    page = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    [example] = [code for code in re.findall(r"```python\n(.*?)```", page, re.S) if "with Parser(" in code][:1]
    tree = b"<</Type/Pages/Kids[10 0 R 12 0 R 50 0 R]/Count 3>>"  # printed, blank, missing
    (tmp_path / "input.pdf").write_bytes(document(text("one"), b"", tree=tree))
    (tmp_path / "b.png").write_bytes(b"no picture")
    (tmp_path / "a.pdf").write_bytes(pdf.read_bytes())
    monkeypatch.chdir(tmp_path)
    options = f'ParseOptions(model="{lively_qwen}", max_tokens=4, device="cpu", dtype="float32", dpi=72)'
    exec(re.sub(r"ParseOptions\(model=[^)]*\)", lambda _: options, example), {})
    assert (tmp_path / "a.pdf.md").is_file()
    assert not (tmp_path / "b.png.md").exists()


def test_documents_of_many_know_their_hash(parser, pdf):
    [document] = parser.parse_many([pdf])
    assert document.sha256 == hashlib.sha256(pdf.read_bytes()).hexdigest()


def test_one_document_has_places_by_the_model_that_reads_others_without(pdf):
    reading = ParseOptions(words="model", device="cpu", drafter="none")
    with pymupdf.open(pdf) as document:
        page = document[0].get_pixmap(dpi=150).tobytes("png")
    with Parser(replace(reading, places="drafts")) as placing:
        [expected] = placing.pages(page)
    with Parser(reading) as parser:
        [before], loaded = parser.pages(page), parser.loaded
        [found], [after] = parser.pages(page, places="drafts"), parser.pages(page)
        assert parser.loaded is loaded
    told = [[word.certainty for word in block.places] for block in found.blocks]
    assert told == [[word.certainty for word in block.places] for block in expected.blocks]
    assert len({each for block in told for each in block}) > 1, "they follow the model's margins"
    assert before.blocks == after.blocks and not any(block.places for block in after.blocks)


def test_the_end_of_a_range_is_the_last_page_at_most(pdf, tmp_path):
    """A folder has longer and shorter documents."""
    with pymupdf.open(pdf) as long, pymupdf.open() as short:
        short.insert_pdf(long, to_page=0)
        short.save(tmp_path / "one.pdf")
    with Parser(ParseOptions(pages="1-2")) as parser:
        found = [
            ([page.number for page in one.pages], one.error) for one in parser.parse_many([pdf, tmp_path / "one.pdf"])
        ]
    assert found == [([1, 2], None), ([1], None)]


def test_files_that_are_open_are_inputs(pdf) -> None:
    with Parser(ParseOptions(pages="1")) as parser, pdf.open("rb") as file:
        named = parser.parse(file)
        assert named.source == str(pdf)
        assert parser.parse(io.BytesIO(pdf.read_bytes())).pages[0].text == named.pages[0].text
        [read] = parser.parse_many([io.BytesIO(pdf.read_bytes())])
        assert read.error is None and len(read.pages) == 1
        with pytest.raises(UsageError, match="binary"):
            parser.parse(io.StringIO("words"))  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="no int"):
            parser.parse(7)  # type: ignore[arg-type]


def test_a_parser_whose_block_has_ended_says_so(pdf) -> None:
    with Parser(ParseOptions(pages="1-2")) as parser:
        pages = parser.pages(pdf)
        next(pages)
    with pytest.raises(UsageError, match="closed"):
        next(pages)
    for read in (parser.parse, parser.open, lambda path: next(parser.parse_many([path]))):
        with pytest.raises(UsageError, match="closed"):
            read(pdf)
