"""Pages whose answers are empty, cut off or none: failed or doubtful, never read in silence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docspec import ParseOptions, Parser
from docspec.core import Failure, PageResult
from docspec.generation.server import fleet
from docspec.reporting.markdown import page_markdown
from docspec.reporting.renderer import Layout
from tests.generation.stand_in import StandIn, ends, says, whole

WHOLE, REGIONS = "olmOCR-2-7B-1025", "/srv/models/docspec/reader/mini"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "FIRST_REST", 0.04)


def read(folder: Path, server: StandIn, drafter: str = "text-layer", **more: Any) -> PageResult:
    with pymupdf.open() as document:
        document.new_page(width=240, height=160).insert_textbox((20, 20, 220, 140), "Words of the page.", fontsize=10)
        document.save(folder / "a.pdf")
    asked = ParseOptions(server=(server.url,), drafter=drafter, words="model", **more)
    with Parser(asked) as parser:
        [page] = parser.parse(folder / "a.pdf").pages
    return page


def cut(handler: Any, body: dict[str, Any]) -> bool:
    return ends("length", "Words of the")(handler, body)


@pytest.mark.words_missing("the answer is cut off")
@pytest.mark.parametrize("drafter", ["none", "text-layer"])
@pytest.mark.parametrize("model", [WHOLE, REGIONS])
def test_a_page_that_is_cut_is_doubtful_and_says_so(tmp_path: Path, model: str, drafter: str) -> None:
    with StandIn(model=model) as server:
        server.faults.extend([cut] * 20)
        page = read(tmp_path, server, drafter)
    assert page.cut is not None and page.cut.reason == "budget"
    assert page.doubtful is not None and ("--max-tokens" in page.doubtful or "their budget" in page.doubtful)
    text = page_markdown(page, {}, Layout())
    assert text.startswith("Words of the") and "<!-- docspec: page 1 may not be whole: " in text


@pytest.mark.words_missing("nothing is answered")
@pytest.mark.parametrize("drafter", ["none", "text-layer"])
@pytest.mark.parametrize("content", ["", None, " \n"])
def test_an_empty_answer_fails_the_page_where_its_draft_has_words(
    tmp_path: Path, content: str | None, drafter: str
) -> None:
    with StandIn(model=WHOLE) as server:
        server.faults.extend([ends("stop", content)] * 9)
        page = read(tmp_path, server, drafter)
    if drafter == "none":
        assert len(server.asked) == 1 and page.status == "ok"
        assert page.doubtful is not None and "the model wrote nothing, and the page is not blank" in page.doubtful
        assert "may not be whole" in page_markdown(page, {}, Layout())
    else:
        assert len(server.asked) == 2 and (page.status, page.failure) == ("failed", Failure.REFUSED)


@pytest.mark.parametrize("model", [WHOLE, REGIONS])
def test_an_empty_answer_is_asked_for_once_more(tmp_path: Path, model: str) -> None:
    with StandIn(lambda body: "Words of the page.", model=model) as server:
        server.faults.append(ends("stop", ""))
        page = read(tmp_path, server)
    assert "Words of the page." in page.text and page.doubtful is None


@pytest.mark.words_missing("nothing is answered")
def test_a_region_of_which_nothing_is_answered_makes_its_page_doubtful(tmp_path: Path) -> None:
    with StandIn(model=REGIONS) as server:
        server.faults.extend([ends("stop", "")] * 9)
        page = read(tmp_path, server)
    assert page.read == "regions" and page.doubtful is not None and "the model wrote nothing" in page.doubtful


@pytest.mark.parametrize("model", [WHOLE, REGIONS])
def test_a_page_that_is_withheld_fails(tmp_path: Path, model: str) -> None:
    withheld: Callable = lambda handler, body: whole(handler, "Words", "content_filter") or True  # noqa: E731
    with StandIn(model=model) as server:
        server.faults.extend([ends("content_filter") if model == WHOLE else withheld] * 9)
        page = read(tmp_path, server)
    assert page.status == "failed" and page.failure is Failure.REFUSED and page.text == ""


@pytest.mark.words_missing("nothing is answered")
def test_a_layout_without_a_cell_makes_its_page_doubtful(tmp_path: Path) -> None:
    with StandIn(lambda body: json.dumps([]), model="rednote-hilab/dots.ocr") as server:
        page = read(tmp_path, server, "none", dialect="layout-json")
    assert page.doubtful is not None and "nothing of the page" in page.doubtful


@pytest.mark.words_missing("the answer is the request")
@pytest.mark.parametrize("behind", ["", "\nWords of the page."])
def test_the_request_is_no_answer(tmp_path: Path, behind: str) -> None:
    """Some servers return it, with or without the answer behind it."""

    def echoed(body: dict[str, Any]) -> str:
        return "".join(part.get("text", "") for part in body["messages"][0]["content"]) + behind

    with StandIn(echoed, model=WHOLE) as server:
        page = read(tmp_path, server, "none")
    assert page.failure is Failure.REFUSED and page.error is not None and "text of the request" in page.error


@pytest.mark.words_missing("the answer is spoilt")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Words \ufffd\ufffdf the page.", "2 characters that are broken"),
        ("<|im_start|>Words of the page.<|im_end|>", "<|im_end|>, <|im_start|>"),
        ("I think. </think> Words of the page.", "</think>"),
    ],
    ids=["broken", "tokens", "thoughts"],
)
@pytest.mark.parametrize("drafter", ["none", "text-layer"])
@pytest.mark.parametrize("model", [WHOLE, REGIONS])
def test_marks_that_no_page_has_make_it_doubtful(
    tmp_path: Path, model: str, drafter: str, answer: str, said: str
) -> None:
    with StandIn(lambda body: answer, model=model) as server:
        page = read(tmp_path, server, drafter)
    assert page.doubtful is not None and said in page.doubtful, page.doubtful


def test_marks_that_the_page_has_do_not(tmp_path: Path) -> None:
    text = "The token <|im_end|> ends a turn of the dialogue of a model."
    with pymupdf.open() as document:
        document.new_page(width=240, height=160).insert_textbox((20, 20, 220, 140), text, fontsize=10)
        document.save(tmp_path / "b.pdf")
    with StandIn(lambda body: text, model=WHOLE) as server:
        options = ParseOptions(server=(server.url,), drafter="text-layer", words="model")
        with Parser(options) as parser:
            [page] = parser.parse(tmp_path / "b.pdf").pages
    assert page.doubtful is None


@pytest.mark.parametrize("said", ["CUDA out of memory", "CUDA error: an illegal memory access was encountered"])
def test_a_fault_of_a_server_is_said_as_its_own(tmp_path: Path, said: str) -> None:
    """Not as one of this machine, which has neither such a device nor the model."""
    with StandIn(model=WHOLE) as server:
        server.faults.append(says(400, {"error": {"message": said}}))
        page = read(tmp_path, server)
    assert page.error is not None and said in page.error
    assert "choose a smaller model" not in page.error and page.failure is Failure.REFUSED
