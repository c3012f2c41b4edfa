"""Documents read with a server: what is asked, what becomes of answers, and that nothing here needs a model.

The server is a small real one that reads by copying: it answers with the first draft of a request.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docspec import ParseOptions, Parser
from docspec.core import ModelError, UsageError
from docspec.generation.server import fleet
from docspec.targets.families import dots_ocr
from tests.generation.stand_in import StandIn, picture_in, says

ROOT = Path(__file__).parents[3]
READER = "/srv/models/docspec/reader/mini"
FOUND = "Nothing was drafted here."


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "FIRST_REST", 0.04)


def copied(body: dict[str, Any]) -> str:
    """The first draft of a request."""
    drafts = body.get("vllm_xargs", {}).get("docspec_drafts", [])
    return str(drafts[0]) if drafts else FOUND


def pdf(path: Path, *pages: str) -> Path:
    with pymupdf.open() as document:
        for text in pages:
            page = document.new_page(width=240, height=160)
            page.insert_textbox((20, 20, 220, 140), text, fontsize=10)
        document.save(path)
    return path


def options(*servers: StandIn, **more: Any) -> ParseOptions:
    return ParseOptions(server=tuple(server.url for server in servers), drafter="text-layer", words="model", **more)


def test_a_page_is_read_by_regions_all_crops_at_once(tmp_path: Path) -> None:
    file = pdf(tmp_path / "a.pdf", "A first line of words\nand a second one\nand a third.")
    with StandIn(copied, model=READER, seconds=0.3) as server, Parser(options(server)) as parser:
        result = parser.parse(file)
        info: Any = parser.target_info
    [page] = result.pages
    assert page.text == "A first line of words and a second one and a third." and page.read == "regions"
    assert len(server.asked) == 3 == server.at_once, "one crop a line, none waits for another"
    assert all(picture_in(body).size[1] % 32 == 0 for body in server.asked), "the bundled reader's grid"
    assert {body["vllm_xargs"]["docspec_kind"] for body in server.asked} == {"text"}
    assert page.stage2 is not None and page.stage2.rows == 3 and page.stage2.tokens > 0
    assert page.timings.stage2 > 0 and (info.name, info.model_type) == (READER, "qwen3_vl")


def test_log_probabilities_are_asked_for_where_words_get_their_certainty(tmp_path: Path) -> None:
    file = pdf(tmp_path / "a.pdf", "A first line of words")
    for places, asked in (("none", None), ("drafts", 2)):
        with StandIn(copied, model=READER) as server, Parser(options(server, places=places)) as parser:
            [page] = parser.parse(file).pages
        assert {body.get("top_logprobs") for body in server.asked} == {asked}
        assert bool(page.blocks[0].places) == (places == "drafts")


def test_many_pages_are_under_way_at_once_and_come_in_their_order(tmp_path: Path) -> None:
    file = pdf(tmp_path / "a.pdf", *(f"This is page {number}." for number in range(1, 9)))
    gate = threading.Barrier(4)

    def read(body: dict[str, Any]) -> str:
        gate.wait(60)  # until four pages are under way
        return copied(body)

    with StandIn(read, model=READER) as server:
        with Parser(options(server)) as parser:
            assert [page.text for page in parser.pages(file)] == [f"This is page {number}." for number in range(1, 9)]
        server.answer, server.at_once = copied, 0
        with Parser(options(server, pages_in_flight=1)) as slow:
            assert [page.number for page in slow.pages(file)] == list(range(1, 9)) and server.at_once == 1


@pytest.mark.words_missing("the server answers with one of the drafts, that of the heading")
def test_a_whole_page_is_asked_for_with_its_draft_and_after_stage_one(tmp_path: Path) -> None:
    file = pdf(tmp_path / "a.pdf", "A heading\n\nAnd words below it.")

    def read(body: dict[str, Any]) -> str:
        return copied(body).replace("words", "letters")

    with StandIn(read, model="Qwen/Qwen2.5-VL-7B-Instruct") as server:
        with Parser(options(server)) as parser:
            [page] = parser.parse(file).pages
        [body] = server.asked
        assert "letters" in page.text and page.read == "page" and body["stream"]
        assert body["messages"][0]["content"][1]["text"].strip()
        server.asked.clear()
        with Parser(options(server, stages="both")) as parser:
            [page] = parser.parse(file).pages
    *crops, whole = server.asked
    assert crops and whole["stream"] and whole["vllm_xargs"]["docspec_kind"] == "page"
    assert any("letters" in draft for draft in whole["vllm_xargs"]["docspec_drafts"]), "what Stage 1 wrote is a draft"
    assert page.stage1 is not None and page.stage1.rows == len(crops)


def test_a_page_that_loops_is_cut_while_it_is_written(tmp_path: Path) -> None:
    file = pdf(tmp_path / "a.pdf", "Words.")
    loop = "A page. " + "and so on and on, " * 5000
    with StandIn(lambda body: loop, model="olmOCR-2-7B-1025") as server, Parser(options(server)) as parser:
        [page] = parser.parse(file).pages
        assert server.broken_off.wait(20), "it was let write on"
    assert page.cut is not None and page.cut.reason == "loop" and "and so on" in page.cut.repeated
    assert page.text.startswith("A page. and so on") and len(page.text) < 400
    assert [event.kind for event in page.events if event.kind == "loop_stopped"] == ["loop_stopped"]
    with (
        StandIn(lambda body: loop[:9000], model="olmOCR-2-7B-1025") as server,
        Parser(options(server, on_loop="keep")) as parser,
    ):
        [page] = parser.parse(file).pages
    assert page.cut is None and len(page.text) > 8000


def test_a_page_that_its_server_refuses_fails_alone(tmp_path: Path) -> None:
    file = pdf(tmp_path / "a.pdf", "One.", "Two.", "Three.")

    too_long = says(400, {"error": {"message": "maximum context length is 8"}})

    def refuses_two(handler: Any, body: dict[str, Any]) -> bool:
        return "Two." in copied(body) and too_long(handler, body)

    with StandIn(copied, model=READER) as server, Parser(options(server)) as parser:
        server.faults.extend([refuses_two] * 3)
        pages = parser.parse(file).pages
    assert [page.status for page in pages] == ["ok", "failed", "ok"]
    assert "maximum context length" in str(pages[1].error) and pages[1].failure == "too_large"


def test_a_server_that_is_gone_ends_the_run_and_not_only_pages(tmp_path: Path) -> None:
    file = pdf(tmp_path / "a.pdf", *map(str, range(16)))
    with StandIn(copied, model=READER, seconds=0.05) as server, Parser(options(server, page_timeout=0.6)) as parser:
        pages = parser.pages(file)
        next(pages)
        server.close()
        with pytest.raises(ModelError, match="page-timeout"):
            list(pages)


def test_what_tells_the_model_may_be_said(tmp_path: Path) -> None:
    file = pdf(tmp_path / "a.pdf", "Words.")
    with StandIn(copied, model="ours") as server:
        with Parser(options(server)) as parser, pytest.raises(ModelError, match="--set family="):
            parser.parse(file)
        for said in ({"family": "got_ocr2"}, {"model": "stepfun-ai/GOT-OCR-2.0-hf"}):
            with Parser(options(server, **said)) as parser:
                assert parser.parse(file).pages[0].status == "ok"
        with Parser(options(server, family="qwen3_5")) as parser:
            parser.parse(file)
    prompts = [[part.get("text") for part in body["messages"][0]["content"]] for body in server.asked]
    assert prompts[0] == prompts[1] == [None, " OCR with format: "]
    assert server.asked[-1]["chat_template_kwargs"] == {"enable_thinking": False}


@pytest.mark.words_missing("the server answers with an empty page")
def test_texts_begin_with_the_marks_of_an_image_where_the_models_own_tool_sends_them(tmp_path: Path) -> None:
    """Without them vLLM puts a line break between image and prompt; others are not told what they do not know."""
    file, marks = pdf(tmp_path / "a.pdf", "Words."), dots_ocr.FAMILY.image_marks
    begun = []
    for owner in ("vllm", "docspec", "somebody"):
        with StandIn(lambda body: "[]", model="rednote-hilab/dots.ocr", owner=owner) as server:
            with Parser(options(server)) as parser:
                parser.parse(file)
            contents = [body["messages"][0]["content"] for body in server.asked]
        assert contents and all([part["type"] for part in one] == ["image_url", "text"] for one in contents)
        begun.append([one[1]["text"].count(marks) for one in contents])
        assert all(one[1]["text"].startswith(marks) for one in contents) == (owner != "somebody")
    assert set(begun[0]) == set(begun[1]) == {1} and set(begun[2]) == {0}


@pytest.mark.parametrize(
    "wrong",
    [
        {"baseline": True},
        {"tau": 0.5},
        {"exact": "strict"},
        {"provenance": True},
        {"engine": "local"},
        {"skip_verification": "uniform:2"},
    ],
)
def test_what_only_the_engine_here_can_do_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="choose one"):
        ParseOptions(server=("gpu:8000",), **wrong)


NO_TORCH = """
import sys
class Forbids:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "transformers", "paddle", "safetensors"):
            raise ImportError(f"{name} is not here")
sys.meta_path.insert(0, Forbids())
from docspec.cli import main
sys.exit(main())
"""


def command(*words: object, key: str = "") -> dict[str, Any]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "DOCSPEC_SERVER_KEY": key, "XDG_CONFIG_HOME": "/nowhere"}
    return {"args": [sys.executable, "-c", NO_TORCH, *map(str, words)], "env": env}


def test_the_command_needs_no_torch_and_tells_whose_the_seconds_are(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for number in range(6):
        pdf(source / f"{number}.pdf", f"This is document {number}.")
    out, report = tmp_path / "out", tmp_path / "report.json"
    with StandIn(copied, model=READER) as server:
        words = ("parse", source, "-o", out, "--server", server.url, "--words", "model", "--drafter", "text-layer")
        done = subprocess.run(**command(*words, "--report", report, key="secret"), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert set(server.keys) == {"Bearer secret"}
        asked = len(server.asked)
        again = subprocess.run(**command(*words, key="secret"), capture_output=True, text=True)
        assert again.returncode == 0 and len(server.asked) == asked, "what is done is not read again"
    assert (out / "3.md").read_text() == "This is document 3.\n"
    assert f"{server.url}: 6 requests answered" in done.stderr
    told = json.loads(report.read_text())
    assert told["engine"]["name"] == f"vllm 0.32.0 at {server.url}" and told["engine"]["seconds"] == "wall"
    [one] = told["engine"]["servers"]
    assert (one["answered"], one["failed"], one["lost"], one["model"]) == (6, 0, "", READER)
    assert told["options"]["server_key"] is True and "secret" not in report.read_text() + done.stderr
    assert "secret" not in (out / "docspec.manifest.jsonl").read_text()


def test_documents_read_through_a_server_that_is_killed_and_comes_back_are_read_once(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for number in range(16):
        pdf(source / f"{number:02}.pdf", f"This is document {number}.")
    first = StandIn(copied, model=READER, seconds=0.03)
    words = ("parse", source, "-o", out, "--server", first.url, "--words", "model", "--drafter", "text-layer")
    process = subprocess.Popen(**command(*words), stderr=subprocess.PIPE, text=True)
    reading = threading.Thread(target=lambda: said.append(process.stderr.read()), daemon=True)  # type: ignore[union-attr]
    said: list[str] = []
    reading.start()
    end = time.monotonic() + 60
    while len(first.asked) < 5 and time.monotonic() < end and process.poll() is None:
        time.sleep(0.01)
    first.close()
    time.sleep(0.5)
    assert process.poll() is None, "it waits for the server"
    with StandIn(copied, model=READER, port=first.port):
        assert process.wait(60) == 0, said
    texts = {path.name: path.read_text() for path in out.glob("*.md")}
    assert texts == {f"{number:02}.md": f"This is document {number}.\n" for number in range(16)}
    manifest = [json.loads(line) for line in (out / "docspec.manifest.jsonl").read_text().splitlines()]
    finished = [line["document"] for line in manifest if line["record"] == "document"]
    assert len(finished) == len(set(finished)) == 16
