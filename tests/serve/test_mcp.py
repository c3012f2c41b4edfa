"""``docspec mcp``: clients of the official SDK read documents, and only those in the folders that were named."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

from docspec.core import InputError
from docspec.serve.tools import MOST_SESSIONS, Folders
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


async def asked(session: Any) -> dict[str, Any]:
    """What a client is told of a document, of one of its pages as JSON, and of a file outside."""
    await session.initialize()
    tools = [tool.name for tool in (await session.list_tools()).tools]
    whole = await session.call_tool("convert_to_markdown", {"uri": "below/a.pdf"})
    part = await session.call_tool("convert_document", {"uri": "same.pdf", "pages": "2", "format": "json"})
    outside = await session.call_tool("convert_to_markdown", {"uri": "../secret.pdf"})
    wrong = await session.call_tool("convert_to_markdown", {"uri": "same.pdf", "pages": "2-1"})
    return {
        "tools": tools,
        "whole": whole.content[0].text,
        "part": json.loads(part.content[0].text),
        "refused": [outside.is_error, wrong.is_error],
    }


def check(found: dict[str, Any]) -> None:
    assert found["tools"] == ["convert_to_markdown", "convert_document"]
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
        assert asyncio.run(run()) == {"tools": ["convert_to_markdown", "convert_document"], "refused": True}
    finally:
        served.stop()


def test_abandoned_sessions_are_bounded(folder: Path) -> None:
    """A session is some 40 KB; who begins one and never comes back does not keep it for ever."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    headers = {"Authorization": "Bearer a-key", "Accept": "application/json, text/event-stream"}
    served = Served(["docspec", "mcp", str(folder), "--http", "--port", "0", "--api-key", "a-key"], begin=forked)
    try:
        with httpx.Client(headers=headers, timeout=60) as client:
            statuses = [client.post(f"{served.url}/mcp", json=body).status_code for _ in range(MOST_SESSIONS + 5)]
        assert statuses[:MOST_SESSIONS] == [200] * MOST_SESSIONS
        assert all(status >= 429 for status in statuses[MOST_SESSIONS:])
        large = iter([b"{"] * 2 + [b"x" * 5_000_000])
        assert httpx.post(f"{served.url}/mcp", content=large, headers=headers, timeout=60).status_code == 413
    finally:
        served.stop()
