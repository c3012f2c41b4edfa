"""Documents over HTTP as docling-serve has them, a stream of pages, uploads, and jobs that outlive a gateway."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import httpx
import pymupdf
import pytest
from PIL import Image

from benchmarks.serving.images import data_url
from docspec.core import PageResult, ParseOptions
from docspec.serve.converter import Converter, Stopped, Submission
from docspec.serve.jobs import Jobs
from tests.serve.processes import ROOT, Served, gateway, stand_in

PYTHON = os.environ.get("DOCSPEC_CLIENTS_PYTHON")


def pdf_of(*pages: str) -> bytes:
    """A PDF with a few words on each page."""
    document = pymupdf.open()
    for text in pages:
        page = document.new_page(width=300, height=200)
        page.insert_text((30, 60), text, fontsize=14)
    data: bytes = document.tobytes()
    document.close()
    return data


@pytest.fixture(scope="module")
def served(upstream: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    state = tmp_path_factory.mktemp("serve") / "state"
    words = ("--upstream", upstream.url, "--api-key", "one", "--api-key", "two", "--state", str(state))
    with gateway(*words, "--max-pages", "3", "--max-body", "2") as found:
        yield found


ONE, TWO = {"X-Api-Key": "one"}, {"Authorization": "Bearer two"}


def upload(served: Served, path: str, data: bytes, **form: Any) -> httpx.Response:
    headers = form.pop("headers", ONE)
    return httpx.post(
        served.url + path, files={"files": ("a.pdf", data, "application/pdf")}, data=form, headers=headers, timeout=120
    )


def ended(served: Served, name: str, headers: dict[str, str] = ONE) -> dict[str, Any]:
    for _ in range(60):
        status = served.get(f"/v1/status/poll/{name}?wait=5", headers=headers).json()
        if status["task_status"] not in ("pending", "started"):
            return dict(status)
    raise AssertionError(status)


def test_a_file_is_converted_into_what_was_asked_for(served: Served) -> None:
    answer = upload(
        served, "/v1/convert/file", pdf_of("First words", "Second words"), to_formats=["md", "json", "html"]
    )
    values = answer.json()
    assert answer.status_code == 200 and values["status"] == "success" and values["errors"] == []
    document = values["document"]
    assert "First words" in document["md_content"] and "Second words" in document["md_content"]
    assert document["json_content"]["schema_name"] == "DoclingDocument" and "<" in document["html_content"]
    assert document["filename"] == "a.pdf"
    assert served.resident() < 600 * 2**20, "the model has a process of its own"


def test_a_text_is_found_with_its_page_boxes_and_a_picture(served: Served) -> None:
    data = pdf_of("First words", "Second words", "Third")
    [plain] = upload(served, "/v1/find/file", data, text="second words").json()["found"]
    assert (plain["page"], plain["text"], plain["likeness"]) == (2, "Second words", 1.0) and "picture" not in plain
    assert upload(served, "/v1/find/file", data, text="fourth").json() == {
        "found": [], "status": "success", "errors": [], "processing_time": ANY
    }  # fmt: skip
    form = {"text": "words", "image_export_mode": "embedded"}
    first, second = upload(served, "/v1/find/file", data, **form).json()["found"]
    assert (first["page"], second["page"]) == (1, 2) and first["certainty"] > 0.9
    [[x0, y0, x1, y1]] = first["boxes"]
    with pymupdf.open(stream=data) as pdf:
        printed = pdf[0].search_for("words")[0] * (first["width"] / pdf[0].rect.width)
    assert abs(printed.x0 - x0) < 5 and abs(printed.x1 - x1) < 5 and printed.y0 - 5 < y0 < y1 < printed.y1 + 5
    picture = Image.open(io.BytesIO(base64.b64decode(first["picture"].partition(",")[2]))).convert("L")
    assert x1 - x0 < picture.width < 2 * (x1 - x0) and y1 - y0 < picture.height < 3 * (y1 - y0)
    assert min(picture.tobytes()) < 64, "the print is in it"


@pytest.mark.parametrize("form", [{}, {"text": ""}, {"text": " .,;"}, {"text": "a" * 10_001}])
def test_a_text_without_letters_is_not_sought(served: Served, form: dict[str, str]) -> None:
    answer = upload(served, "/v1/find/file", pdf_of("Words"), **form)
    assert answer.status_code == 422 and "text" in answer.json()["detail"]


def test_a_text_means_nothing_where_a_document_is_converted(served: Served) -> None:
    answer = upload(served, "/v1/convert/file", pdf_of("Words"), text="Words").json()
    assert answer["warnings"] == ["text: is no option"] and "Words" in answer["document"]["md_content"]


def test_pages_are_chosen_and_a_last_page_beyond_the_end_is_the_end(served: Served) -> None:
    answer = upload(served, "/v1/convert/file", pdf_of("First", "Second", "Third"), page_range=["2", str(2**62)])
    text = answer.json()["document"]["md_content"]
    assert "First" not in text and "Second" in text and "Third" in text


def test_a_source_in_base64_and_its_result_later(served: Served) -> None:
    source = {"kind": "file", "base64_string": base64.b64encode(pdf_of("Later")).decode(), "filename": "../../b.pdf"}
    values = {"options": {"to_formats": ["md"]}, "sources": [source]}
    task = httpx.post(served.url + "/v1/convert/source/async", json=values, headers=ONE).json()
    assert task["task_type"] == "convert" and task["task_status"] in ("pending", "started")
    status = ended(served, task["task_id"])
    assert status["task_status"] == "success" and status["task_meta"]["num_succeeded"] == 1
    result = served.get(f"/v1/result/{task['task_id']}", headers=ONE).json()
    assert "Later" in result["document"]["md_content"] and result["document"]["filename"] == "b.pdf"


def test_a_job_is_its_own_clients_alone(served: Served) -> None:
    task = upload(served, "/v1/convert/file/async", pdf_of("Secret")).json()["task_id"]
    ended(served, task)
    for path in (f"/v1/status/poll/{task}", f"/v1/result/{task}"):
        other, nobody, own = (served.get(path, headers=headers).status_code for headers in (TWO, {}, ONE))
        assert (other, nobody, own) == (404, 401, 200)
    unknown = served.get("/v1/status/poll/unknown", headers=ONE)
    assert unknown.status_code == 404 and unknown.json()["detail"] == "Task not found."


@pytest.mark.parametrize("data", [b"", b"nonsense", b"%PDF-1.7\nbroken", pdf_of("1", "2", "3", "4")])
def test_a_document_that_cannot_be_read_fails_with_a_reason(served: Served, data: bytes) -> None:
    task = upload(served, "/v1/convert/file/async", data).json()["task_id"]
    status = ended(served, task)
    assert status["task_status"] == "failure" and status["error_message"]
    assert served.get(f"/v1/result/{task}", headers=ONE).json()["kind"] == "TaskFailureResult"


def test_what_is_asked_wrongly_is_refused(served: Served) -> None:
    data = pdf_of("x")
    assert upload(served, "/v1/convert/file", data, to_formats=["docx"]).status_code == 422
    assert upload(served, "/v1/convert/file", data, page_range=["5", "2"]).status_code == 422
    presigned = upload(served, "/v1/convert/file/async", data, target_type="presigned_url")
    assert presigned.status_code == 422 and "artifact storage to be configured" in presigned.json()["detail"]
    assert "presigned_url" not in presigned.json()["detail"], "a refusal has nothing of the request"
    assert upload(served, "/v1/convert/file", bytes(3 * 2**20)).status_code == 413
    source = {"sources": [{"kind": "http", "url": "http://127.0.0.1/x.pdf"}]}
    assert httpx.post(served.url + "/v1/convert/source", json=source, headers=ONE).status_code == 400
    for wrong in ({}, {"sources": []}, {"sources": [5]}, {"sources": [{"kind": "s3"}]}, []):
        assert httpx.post(served.url + "/v1/convert/source", json=wrong, headers=ONE).status_code == 422


def test_pages_come_as_events(served: Served) -> None:
    events = []
    with httpx.stream(
        "POST", served.url + "/v1/parse", content=pdf_of("One", "Two"), headers=ONE, timeout=120
    ) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            if line.startswith("event: "):
                events.append([line[7:]])
            elif line.startswith("data: "):
                events[-1].append(json.loads(line[6:]))
    assert [kind for kind, _ in events] == ["page", "page", "done"]
    assert [values["page"] for _, values in events[:2]] == [1, 2] and "Two" in events[1][1]["markdown"]


def test_an_uploaded_documents_words_are_drafts_of_its_pages(served: Served, upstream: Served) -> None:
    data = pdf_of("Harbours fill with sand", "Groynes keep it away")
    name = upload(served, "/v1/drafts", data).json()["id"]
    page = pymupdf.open(stream=data)[1].get_pixmap(dpi=133)
    image = Image.open(io.BytesIO(page.tobytes("png")))
    parts = [{"type": "image_url", "image_url": {"url": data_url(image)}}, {"type": "text", "text": "Read it."}]
    values = {"messages": [{"role": "user", "content": parts}]}

    def source(headers: dict[str, str]) -> str:
        return httpx.post(served.url + "/v1/chat/completions", json=values, headers=headers, timeout=60).headers[
            "x-docspec-drafts"
        ]

    upstream.told()
    assert source(ONE) == "upload"
    drafts = upstream.told()["seen"][0]["body"]["vllm_xargs"]["docspec_drafts"]
    assert any("Groynes keep it away" in text for text in drafts)
    assert not any("Harbours" in text for text in drafts)
    assert source(TWO) == "none", "another client's document"
    assert httpx.delete(f"{served.url}/v1/drafts/{name}", headers=TWO).status_code == 404
    assert httpx.delete(f"{served.url}/v1/drafts/{name}", headers=ONE).status_code == 200
    assert source(ONE) == "none"


def test_jobs_outlive_a_gateway_that_is_killed(tmp_path: Path) -> None:
    with stand_in() as one:
        words = ("--upstream", one.url, "--state", str(tmp_path / "state"), "--recognise", "never")
        data = pdf_of("Page 1", "Page 2")
        with gateway(*words) as first:
            tasks = [upload(first, "/v1/convert/file/async", data).json()["task_id"] for _ in range(2)]
            time.sleep(0.3)
        with gateway(*words) as second:
            for task in tasks:
                assert ended(second, task)["task_status"] == "success"
                assert "Page 2" in second.get(f"/v1/result/{task}").json()["document"]["md_content"]
        stored = (
            (tmp_path / "state").stat().st_mode & 0o777,
            (tmp_path / "state" / "jobs.sqlite").stat().st_mode & 0o777,
        )
        assert stored == (0o700, 0o600)


def test_results_are_bounded_and_documents_are_forgotten_when_read(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path, most=2_500)
    names = [jobs.add(Submission(b"document", "t", client="a")) for _ in range(4)]
    assert jobs.of("a", names[2]).position == 3  # type: ignore[union-attr]
    for name in names:
        taken = jobs.take()
        assert taken is not None and taken[0] == name and taken[1] == Submission(b"document", "t", client="a")
        jobs.end(name, "success", bytes(1000))
    assert [jobs.of("a", name) is not None for name in names] == [False, False, True, True]
    assert jobs.result("b", names[3]) is None and jobs.result("a", names[3]) == bytes(1000)
    assert jobs.take() is None and jobs._do("SELECT count(*) FROM jobs WHERE document IS NOT NULL") == [(0,)]


def test_a_title_never_becomes_a_path() -> None:
    from docspec.serve.submission import title_of

    assert title_of("../../etc/passwd") == "passwd" and title_of("..\\x\\y.pdf") == "y.pdf"
    assert (
        title_of("\x1b[31m\n.pdf") != "\x1b[31m\n.pdf"
        and title_of(None) == "document"
        and len(title_of("x" * 9999)) == 200
    )


@pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_CLIENTS_PYTHON names no Python that has docling's client")
def test_docling_serves_own_client_works_unchanged(served: Served, tmp_path: Path) -> None:
    file = tmp_path / "two.pdf"
    file.write_bytes(pdf_of("Read by docspec", "for docling"))
    script = ROOT / "tests" / "serve" / "other_clients.py"
    ran = subprocess.run(
        [str(PYTHON), str(script), served.url, "none", str(file), "docling-service"],
        env={**os.environ, "DOCSPEC_API_KEY": "one"},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    found = json.loads(ran.stdout)["docling-service"]
    assert found[:2] == ["ok", "success"] and "Read by docspec" in found[2]
    assert found[3:] == ["success", False, True], "one page was asked for, then both"


def test_a_document_that_nobody_wants_any_more_is_not_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []

    def pages(self: Converter, document: Submission, wanted: object, figures: object) -> Iterator[PageResult]:
        for number in range(1, 9):
            given.append(number)
            yield PageResult(document.title, number, "ok")

    monkeypatch.setattr(Converter, "pages", pages)
    with pytest.raises(Stopped):
        Converter(ParseOptions(), 10).convert(Submission(b"", "t"), lambda count: count < 2)
    assert given == [1, 2]


def test_a_short_document_is_answered_while_long_ones_are_read_and_those_can_be_cancelled(served: Served) -> None:
    with gateway("--upstream", "http://127.0.0.1:9", "--api-key", "one", "--api-key", "two") as own:
        long = pdf_of(*(f"Page {n} of many" for n in range(400)))
        books = [upload(own, "/v1/convert/file/async", long).json()["task_id"] for _ in range(2)]
        for headers in (TWO, ONE):  # another client's letter, and one of the same client
            answer = upload(own, "/v1/convert/file", pdf_of("A letter"), headers=headers)
            assert "A letter" in answer.json()["document"]["md_content"]
        states = [own.get(f"/v1/status/poll/{book}", headers=ONE).json() for book in books]
        assert all(state["task_status"] in ("pending", "started") for state in states)
        assert httpx.delete(f"{own.url}/v1/status/poll/{books[0]}", headers=TWO).status_code == 404
        for book in books:
            assert httpx.delete(f"{own.url}/v1/result/{book}", headers=ONE).status_code == 200
            assert own.get(f"/v1/status/poll/{book}", headers=ONE).status_code == 404
        answer = upload(own, "/v1/convert/file", pdf_of("After them"))
        assert "After them" in answer.json()["document"]["md_content"]


def test_docling_serves_options_are_done_or_named(served: Served) -> None:
    data = pdf_of("First", "Second")
    answer = upload(served, "/v1/convert/file", data, md_page_break_placeholder="<!--pb-->", table_mode="fast", typo=1)
    values = answer.json()
    assert values["document"]["md_content"].split("\n\n") == ["First", "<!--pb-->", "Second\n"]
    assert sorted(line.partition(":")[0] for line in values["warnings"]) == ["table_mode", "typo"]
    assert "is no option" in " ".join(values["warnings"])
    source = {"kind": "file", "base64_string": base64.b64encode(data).decode(), "filename": "b.pdf"}
    options = {"md_page_break_placeholder": "<!-- {page} -->", "ocr_lang": ["no such"]}
    asked = {"options": options, "sources": [source]}
    task = httpx.post(served.url + "/v1/convert/source/async", json=asked, headers=ONE).json()["task_id"]
    ended(served, task)
    later = served.get(f"/v1/result/{task}", headers=ONE).json()
    assert "<!-- 2 -->" in later["document"]["md_content"] and "ocr_lang" in later["warnings"][0]
    assert "warnings" not in upload(served, "/v1/convert/file", data).json()
    assert upload(served, "/v1/convert/file", data, document_timeout="soon").status_code == 422
    assert upload(served, "/v1/convert/file", data, force_ocr="maybe").status_code == 422


def test_what_a_file_says_is_not_believed_where_recognition_is_forced(served: Served) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=400, height=200)
        page.insert_text((30, 60), "Printed plainly", fontsize=20)
        page.insert_text((30, 120), "Hidden", fontsize=20, render_mode=3)
        data = document.tobytes()
    plain = upload(served, "/v1/convert/file", data).json()["document"]["md_content"]
    forced = upload(served, "/v1/convert/file", data, force_ocr="true").json()
    assert "Printed plainly" in plain and "Printed" in forced["document"]["md_content"]
    late = upload(served, "/v1/convert/file", pdf_of("One", "Two", "Three"), document_timeout="1e-9").json()
    assert late["status"] == "failure" and "document_timeout" in late["errors"][0]["error_message"]
