"""A folder through a server of which one answer in ten is spoilt, in thirty ways: every page is right, failed or
doubtful, and a run after the server is healed asks for those pages alone."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docspec.generation.server import fleet
from tests.forked import run_forked
from tests.generation.stand_in import StandIn, ends, hangs_up, says, stream

PAGES = 300
MARK = re.compile(r"number (\d+)")


def words_of(number: int) -> str:
    return f"Words of page number {number}, all of them, up to the end of it."


Fault = Callable[[Any, dict[str, Any]], bool]


def raw(data: bytes) -> Fault:
    """Bytes in the place of an answer; then the connection ends."""

    def fault(handler: Any, body: dict[str, Any]) -> bool:
        handler.wfile.write(data)
        handler.wfile.flush()
        handler.close_connection = True
        handler.connection.shutdown(socket.SHUT_RDWR)
        return True

    return fault


def silent(handler: Any, body: dict[str, Any]) -> bool:
    time.sleep(3)
    return hangs_up(handler, body)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
PIECE = json.dumps({"choices": [{"index": 0, "delta": {"content": "Words"}, "finish_reason": None}]}).encode()

FAULTS: dict[str, Fault] = {
    "content filter": ends("content_filter", "Words of"),
    "refusal": ends("stop", None, refusal="I cannot help with that."),
    "thoughts": ends("stop", "", reasoning_content="Words"),
    "tools": ends("tool_calls", None, tool_calls=[{"index": 0, "function": {"name": "x"}}]),
    "empty": ends("stop", ""),
    "blank": ends("stop", " \n \n"),
    "null": ends("stop", None),
    "cut": ends("length", "Words of"),
    "no end": ends(None, "Words of"),
    "aborted": ends("abort", "Words of"),
    "unheard of": ends("tired", "Words of"),
    "400": says(400, {"error": {"message": "no"}}),
    "401": says(401, {"error": {"message": "no"}}),
    "403": says(403, b"<html>blocked</html>"),
    "404": says(404, {"detail": "Not Found"}),
    "413": says(413, b""),
    "422": says(422, {"detail": [{"loc": ["body"], "msg": "no"}]}),
    "429": says(429, {"error": "slow down"}),
    "500": says(500, b"Internal Server Error"),
    "502": says(502, b"<html>Bad Gateway</html>"),
    "503": says(503, b"", Retry_After="1"),
    "too long": says(400, {"error": {"message": "This model's maximum context length is 20 tokens"}}),
    "redirect": says(302, b"", Location="http://127.0.0.1:1/"),
    "hangs up": hangs_up,
    "silent": silent,
    "no JSON": says(200, b"<html>hello</html>"),
    "an error": says(200, {"error": {"message": "out of memory"}}),
    "half a stream": lambda handler, body: stream(handler, "Words of the page", upto=8) or True,
    "half a line": raw(HEAD + b"Connection: close\r\n\r\ndata: " + PIECE[:30]),
    "torn body": raw(HEAD + b"Content-Length: 9999\r\n\r\ndata: " + PIECE + b"\n\n"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for number in range(PAGES):
        with pymupdf.open() as document:
            page = document.new_page(width=240, height=160)
            page.insert_textbox((20, 20, 220, 140), words_of(number), fontsize=10)
            document.save(tmp_path / "in" / f"{number:03}.pdf")
    return tmp_path


@pytest.mark.words_missing("answers are spoilt")
def test_no_page_is_silently_wrong(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(FAULTS) == 30
    monkeypatch.setattr(fleet, "FIRST_REST", 0.04)
    kinds = list(FAULTS.values())

    def number_in(body: dict[str, Any]) -> int:
        return int(MARK.search(body["vllm_xargs"]["docspec_drafts"][0])[1])  # type: ignore[index]

    class Spoilt(StandIn):
        healed = False

        def complete(self, handler: Any, body: dict[str, Any]) -> None:
            drafts = "vllm_xargs" in body
            spoilt = drafts and not self.healed and number_in(body) % 10 == 3
            fault = kinds[number_in(body) // 10] if spoilt else None
            self.faults.append(fault or (lambda handler, body: False))
            super().complete(handler, body)

    def read(*more: str) -> Any:
        command = ["parse", "in", "-o", "out/", "--server", server.url, "--drafter", "text-layer", "--words", "model"]
        command += ["--strict", "--page-timeout", "5", "--report", "report.json", "--read", "page", *more]
        return run_forked(command, cwd=folder, timeout=550)

    def answer(body: dict[str, Any]) -> str:
        return words_of(number_in(body)) if "vllm_xargs" in body else "nothing"

    with Spoilt(answer, model="olmOCR-2-7B-1025") as server:
        first = read()
        assert first.returncode == 3, first.stderr.decode()
        report = json.loads((folder / "report.json").read_text())
        assert len(report["documents"]) == PAGES
        wrong = set()
        for number, document in enumerate(report["documents"]):
            [page] = document["pages"]
            is_right = words_of(number) in (folder / "out" / f"{number:03}.md").read_text()
            is_doubted = page["status"] == "failed" or page.get("doubtful") is not None
            assert is_right or is_doubted, (number, page)
            assert number % 10 == 3 or not is_doubted, (number, page)
            wrong |= {number} if is_doubted else set()
        assert 20 <= len(wrong) <= 30, "some are answered when they are asked again"
        server.healed = True
        server.asked.clear()
        again = read("--retry-failed")
        assert again.returncode == 0, again.stderr.decode()
        asked = {number_in(body) for body in server.asked}
    for number in range(PAGES):
        assert words_of(number) in (folder / "out" / f"{number:03}.md").read_text()
    assert asked == wrong, "only what was wrong is asked for again"
