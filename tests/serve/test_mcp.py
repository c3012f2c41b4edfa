"""``docspec mcp``: clients of the official SDK read documents, and only those in the folders that were named."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from PIL import Image

from docspec.core import InputError
from docspec.serve.refusal import Refusal
from docspec.serve.tools import MOST_OF_CLIENT, MOST_SESSIONS, Folders, Sessions
from tests.serve.processes import ROOT, Served, forked
from tests.serve.test_documents import pdf_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a document, beside a secret, and with ways out of it."""
    inside = tmp_path / "inside"
    (inside / "below").mkdir(parents=True)
    (inside / "below" / "a.pdf").write_bytes(pdf_of("The first page", "The second page"))
    (inside / "same.pdf").symlink_to(inside / "below" / "a.pdf")
    (tmp_path / "secret.pdf").write_bytes(pdf_of("secret"))
    (inside / "out.pdf").symlink_to(tmp_path / "secret.pdf")
    (inside / "out").symlink_to(tmp_path)
    os.mkfifo(inside / "pipe.pdf")
    return inside


@pytest.mark.parametrize(
    "name",
    ["below/a.pdf", "same.pdf", "below/../below/a.pdf", "{folder}/below/a.pdf", "file://{folder}/below/a.pdf",
     "file://localhost{folder}/below/%61.pdf"],
)  # fmt: skip
def test_a_file_in_the_folder_is_read(folder: Path, name: str) -> None:
    data, title = Folders([folder], 10**6).read(name.format(folder=folder))
    assert data.startswith(b"%PDF") and title == "a.pdf"


@pytest.mark.parametrize(
    "name",
    ["../secret.pdf", "out.pdf", "out/secret.pdf", "below/../../secret.pdf", "{folder}/../secret.pdf", "/etc/passwd",
     "file:///etc/passwd", "file://{folder}/%2e%2e/secret.pdf", "file://host/{folder}/below/a.pdf", "pipe.pdf", "below",
     "absent.pdf", "", "a\0b", "http://127.0.0.1/a.pdf", "{folder}x/below/a.pdf", "~/a.pdf"],
)  # fmt: skip
def test_nothing_else_is_and_nobody_learns_what_is_there(folder: Path, name: str) -> None:
    name = name.format(folder=folder)
    with pytest.raises(InputError) as refused:
        Folders([folder], 10**6).read(name)
    assert str(refused.value) == f"{name}: no file in the folders that this server was started with"


def test_a_file_is_bounded(folder: Path) -> None:
    with pytest.raises(InputError, match="larger"):
        Folders([folder], 100).read("same.pdf")


TOOLS = ["list_documents", "convert_to_markdown", "convert_document", "find"]


async def asked(session: Any) -> dict[str, Any]:
    """What a client is told of a document, of one of its pages as JSON, and of a file outside."""
    await session.initialize()
    tools = [tool.name for tool in (await session.list_tools()).tools]
    listed = await session.call_tool("list_documents", {})
    whole = await session.call_tool("convert_to_markdown", {"uri": "below/a.pdf"})
    part = await session.call_tool("convert_document", {"uri": "same.pdf", "pages": "2", "format": "json"})
    outside = await session.call_tool("convert_to_markdown", {"uri": "../secret.pdf"})
    wrong = await session.call_tool("convert_to_markdown", {"uri": "same.pdf", "pages": "2-1"})
    quoted = await session.call_tool("find", {"uri": "same.pdf", "text": "second page"})
    shown = await session.call_tool("find", {"uri": "same.pdf", "text": "the", "pictures": True})
    return {
        "tools": tools,
        "listed": json.loads(listed.content[0].text),
        "quoted": json.loads(quoted.content[0].text),
        "quoted_kinds": [content.type for content in quoted.content],
        "shown": json.loads(shown.content[0].text),
        "pictures": [(one.type, one.mime_type, base64.b64decode(one.data)) for one in shown.content[1:]],
        "whole": whole.content[0].text,
        "part": json.loads(part.content[0].text),
        "refused": [outside.is_error, wrong.is_error],
    }


def check(found: dict[str, Any]) -> None:
    assert found["tools"] == TOOLS
    assert set(found["listed"]) == {"same.pdf", "below/a.pdf"}
    [place] = found["quoted"]["found"]
    assert (place["page"], place["text"], place["likeness"], len(place["boxes"])) == (2, "second page", 1.0, 1)
    assert found["quoted_kinds"] == ["text"] and "picture" not in place and found["quoted"]["errors"] == []
    assert [(one["page"], one["picture"]) for one in found["shown"]["found"]] == [(1, 1), (2, 2)]
    for (kind, mime, data), one in zip(found["pictures"], found["shown"]["found"], strict=True):
        [[x0, y0, x1, y1]] = one["boxes"]
        picture = Image.open(io.BytesIO(data)).convert("L")
        assert (kind, mime) == ("image", "image/png") and min(picture.tobytes()) < 64
        assert x1 - x0 < picture.width < 2 * (x1 - x0 + y1 - y0) and y1 - y0 < picture.height < 3 * (y1 - y0)
    assert "The first page" in found["whole"] and "The second page" in found["whole"]
    assert found["part"]["status"] == "success"
    assert [text["text"] for text in found["part"]["content"]["texts"]] == ["The second page"]
    assert found["refused"] == [True, True]


def test_a_client_over_standard_input(folder: Path) -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def run() -> dict[str, Any]:
        words = ["-m", "docspec", "mcp", str(folder)]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        server = StdioServerParameters(command=sys.executable, args=words, env=env)
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            return await asked(session)

    check(asyncio.run(run()))


def test_a_client_over_http_with_its_key(folder: Path) -> None:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    served = Served(["docspec", "mcp", str(folder), "--http", "--port", "0", "--api-key", "a-key"], begin=forked)
    url = f"{served.url}/mcp"

    async def run() -> dict[str, Any]:
        client = httpx2.AsyncClient(headers={"Authorization": "Bearer a-key"}, timeout=120)
        async with streamable_http_client(url, http_client=client) as streams, ClientSession(*streams[:2]) as session:
            await session.initialize()
            outside = await session.call_tool("convert_to_markdown", {"uri": "../secret.pdf"})
            tools = [tool.name for tool in (await session.list_tools()).tools]
            return {"tools": tools, "refused": outside.is_error}

    try:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        assert httpx.post(url, json=body).status_code == 401
        assert asyncio.run(run()) == {"tools": TOOLS, "refused": True}
    finally:
        served.stop()


def test_abandoned_sessions_are_bounded_for_each_client(folder: Path) -> None:
    """A session is some 40 KB; who begins one and never comes back does not keep it for ever, nor others out."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    keys = [f"key-{number}" for number in range(1 + MOST_SESSIONS // MOST_OF_CLIENT)]
    words = [word for key in keys for word in ("--api-key", key)]
    served = Served(["docspec", "mcp", str(folder), "--http", "--port", "0", *words], begin=forked)
    with httpx.Client(base_url=served.url, timeout=60) as client:

        def asked(key: str, body: Any, session: str | None = None, method: str = "POST") -> httpx.Response:
            headers = {"Authorization": f"Bearer {key}", "Accept": "application/json, text/event-stream"}
            headers |= {} if session is None else {"mcp-session-id": session}
            return client.request(method, "/mcp", json=body, headers=headers)

        try:
            opened = [asked(keys[0], opening) for _ in range(MOST_OF_CLIENT)]
            assert {answer.status_code for answer in opened} == {200}
            assert asked(keys[0], opening).status_code == 429
            mine = opened[0].headers["mcp-session-id"]
            assert asked(keys[0], listing, mine).status_code < 300
            other = asked(keys[1], opening)
            assert other.status_code == 200, "others have their own"
            assert asked(keys[1], listing, mine).status_code == 404, "nor is one's session another's"
            assert asked(keys[0], None, mine, "DELETE").status_code < 300
            assert asked(keys[0], listing, mine).status_code == 404
            assert asked(keys[0], opening).status_code == 200
            statuses = [asked(key, opening).status_code for key in keys[1:] for _ in range(MOST_OF_CLIENT)]
            assert statuses.count(200) == MOST_SESSIONS - MOST_OF_CLIENT - 1, "and all clients together"
            assert set(statuses) == {200, 429, 503}
            large = iter([b"{"] * 2 + [b"x" * 5_000_000])
            headers = {"Authorization": f"Bearer {keys[-1]}"}
            assert client.post("/mcp", content=large, headers=headers).status_code == 413
        finally:
            served.stop()


def test_a_session_that_is_used_by_nobody_ends_and_one_in_use_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("docspec.serve.tools.time.monotonic", lambda: now[0])
    sessions = Sessions(1, 10.0)
    start = {"type": "http.response.start", "status": 200, "headers": [(b"mcp-session-id", b"one")]}
    with sessions.request("me", None) as session:
        session.answered(start, "POST")
    with sessions.request("me", "one"):
        now[0] = 60.0
        with pytest.raises(Refusal, match="sessions are open"), sessions.request("me", None):
            pass
    now[0] = 69.0
    with sessions.request("me", "one"):
        pass
    now[0] = 80.0
    with pytest.raises(Refusal, match="not found"), sessions.request("me", "one"):
        pass
    with sessions.request("me", None):
        pass
