"""docspec as a server of the Model Context Protocol, with the official SDK: tools that list and read documents in the
folders named at start, and find what they say, over standard input and output or over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import stat
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote, urlsplit

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ContentBlock, ImageContent, TextContent
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docspec.core import DocspecError, InputError, UsageError
from docspec.core.safe_text import one_line
from docspec.documents.sources import SUFFIXES
from docspec.reporting.figures import PNG
from docspec.serve.access import Access
from docspec.serve.admission import Admission, bounded
from docspec.serve.converter import Converter, Stopped, Submission
from docspec.serve.exports import FIELDS
from docspec.serve.refusal import Refusal
from docspec.serve.settings import Limits
from docspec.serve.wishes import Wishes

if TYPE_CHECKING:
    from docspec.serve.fetch import Fetcher


HEADER = "mcp-session-id"
RETRY_SECONDS = 30


@dataclass(slots=True, eq=False)
class Session:
    """A session of ``client``; its ``name`` is empty until it is opened. ``running`` requests use it now, the last one
    ended at ``used`` (monotonic seconds)."""

    client: str
    name: str = ""
    running: int = 0
    used: float = field(default_factory=time.monotonic)
    has_ended: bool = False

    def answered(self, message: Message, method: str) -> None:
        """Learns from the beginning of an answer that the session was opened, or has ended."""
        named = Headers(raw=message["headers"]).get(HEADER, "")
        is_good = message["status"] < 400
        if not self.name and is_good:
            self.name = named
        self.has_ended |= message["status"] == 404 or (method == "DELETE" and is_good)


class Sessions:
    """All sessions; a client may have ``each`` of them. One that no request uses for ``seconds`` has ended."""

    def __init__(self, each: int, seconds: float) -> None:
        self._each = each
        self._seconds = seconds
        self._all: list[Session] = []

    @contextlib.contextmanager
    def request(self, client: str, name: str | None) -> Iterator[Session]:
        """A request in the session called ``name``, or in a new one. Raises
        :class:`docspec.serve.refusal.Refusal` (404, 429)."""
        now = time.monotonic()
        self._all = [one for one in self._all if one.running or now - one.used < self._seconds]
        own = [one for one in self._all if one.client == client]
        if name is None:
            if len(own) >= self._each:
                raise Refusal(429, f"{self._each} sessions are open; end one, or wait until it is idle", RETRY_SECONDS)
            session = Session(client)
            self._all.append(session)
        elif (session := next((one for one in own if one.name == name), None)) is None:  # type: ignore[assignment]
            raise Refusal(404, "Session not found")
        session.running += 1
        try:
            yield session
        finally:
            session.running -= 1
            session.used = time.monotonic()
            if (session.has_ended or not session.name) and session in self._all:
                self._all.remove(session)


INSTRUCTIONS = (
    "Reads PDF files and images (PNG, JPEG, TIFF, WebP, BMP, GIF) into Markdown, HTML or a DoclingDocument with a "
    "document VLM. "
    "A uri is a path below a folder of this server, or its file: address."
)
PATH = "/mcp"
SESSION_SECONDS = 600.0
"""Seconds without a request after which a session is forgotten."""
MOST_SESSIONS, MOST_OF_CLIENT = 256, 64
"""Sessions of all clients together, and of one."""
MOST_REQUESTS, MOST_HELD = 512, 64 * 2**20
"""Requests at a time, and bytes of their bodies."""

MOST_LISTED = 1_000
"""Files that are listed at most."""

PLAIN = Wishes()

OutputFormat = Literal["md", "html", "text", "json"]


class Folders:
    """Opens files by path or ``file:`` URL. Links are followed if their targets are inside the folders, too."""

    def __init__(self, folders: Iterable[Path], most: int) -> None:
        self._folders: list[Path] = []
        self._most = most
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(f"{folder}: no such folder")
            self._folders.append(folder.resolve())

    def read(self, uri: str) -> tuple[bytes, str]:
        """The content and the name of a file. Raises :class:`InputError`. The message is the same for a missing file
        and a forbidden one, so that it tells nothing about files outside."""
        for path in self._candidates(uri):
            try:
                real = path.resolve(strict=True)
                if not self._is_inside(real):
                    continue
                handle = os.open(real, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
            except (OSError, ValueError, RuntimeError):
                continue
            try:
                known = os.fstat(handle)
                if not stat.S_ISREG(known.st_mode):
                    continue
                if known.st_size > self._most:
                    raise InputError(f"{real.name}: larger than {self._most / 2**20:g} MiB")
                with open(handle, "rb", closefd=False) as file:
                    return file.read(self._most + 1), real.name
            finally:
                os.close(handle)
        raise InputError(f"{uri}: no file in the folders that this server was started with")

    def _is_inside(self, real: Path) -> bool:
        return any(real.is_relative_to(folder) for folder in self._folders)

    def names(self) -> list[str]:
        """The paths of the files that can be read, as they may be asked for, up to :data:`MOST_LISTED`."""
        found: dict[str, None] = {}
        for folder in self._folders:
            for place, folders, files in os.walk(folder):
                folders[:] = sorted(name for name in folders if not name.startswith("."))
                for path in (Path(place, name) for name in sorted(files)):
                    if path.suffix.lower() in SUFFIXES and path.is_file() and self._is_inside(path.resolve()):
                        found[str(path.relative_to(folder))] = None
                    if len(found) >= MOST_LISTED:
                        return list(found)
        return list(found)

    def _candidates(self, uri: str) -> list[Path]:
        """The paths that ``uri`` may name: an absolute path is itself, a relative one is tried below each folder."""
        if uri[:5].lower() == "file:":
            parts = urlsplit(uri)
            if parts.netloc not in ("", "localhost"):
                return []
            uri = unquote(parts.path)
        if "\0" in uri or not uri:
            return []
        path = Path(uri)
        return [path] if path.is_absolute() else [folder / path for folder in self._folders]


def make_server(folders: Folders, converter: Converter, fetcher: Fetcher | None = None) -> MCPServer:
    """The server. ``fetcher`` fetches ``http`` URLs; ``None`` where URLs are not allowed."""
    server = MCPServer("docspec", instructions=INSTRUCTIONS, log_level="ERROR")
    reading = asyncio.Lock()  # one document at a time: all share the model

    async def converted(
        uri: str, pages: str | None, format: str, context: Context[Any], wishes: Wishes = PLAIN
    ) -> dict[str, Any]:
        """What was read of a document, or, with a quote in ``wishes``, where that stands in it."""
        loop, left = asyncio.get_running_loop(), False

        def read(count: int) -> bool:
            asyncio.run_coroutine_threadsafe(context.report_progress(count), loop)
            return not left

        try:
            if uri[:4].lower() == "http" and fetcher is not None:
                data, title = ((await fetcher.fetch(uri))[0], uri.partition("?")[0].rpartition("/")[2] or "document")
            else:
                data, title = await asyncio.to_thread(folders.read, uri)
            async with reading:
                given = Submission(data, title, (format,), pages or None, wishes)
                result = await asyncio.to_thread(converter.convert, given, read)
        except Stopped:
            raise ToolError("cancelled") from None
        except (DocspecError, Refusal) as error:
            raise ToolError(one_line(str(error))) from None
        finally:
            left = True
        if result["status"] == "failure":
            raise ToolError(one_line("; ".join(error["error_message"] for error in result["errors"])))
        return result

    @server.tool()
    async def list_documents() -> str:
        """Lists the documents that can be read here: a JSON list of uris for the other tools."""
        return json.dumps(await asyncio.to_thread(folders.names), ensure_ascii=False)

    @server.tool()
    async def convert_to_markdown(uri: str, context: Context[Any], pages: str | None = None) -> str:
        """Reads a document into Markdown. pages: which ones, counted from 1, like 1-3,7 (all of them by default)."""
        return str((await converted(uri, pages, "md", context))["document"]["md_content"])

    @server.tool()
    async def convert_document(
        uri: str, context: Context[Any], pages: str | None = None, format: OutputFormat = "md"
    ) -> str:
        """Reads a document. format: md, html, text, or json (a DoclingDocument). The answer is a JSON object: content,
        the status (success, or partial_success where pages failed) and the errors of pages."""
        result = await converted(uri, pages, format, context)
        content = result["document"][FIELDS[format]]
        return json.dumps(
            {"content": content, "status": result["status"], "errors": result["errors"]}, ensure_ascii=False
        )

    @server.tool()
    async def find(
        uri: str, text: str, context: Context[Any], pages: str | None = None, pictures: bool = False
    ) -> list[ContentBlock]:
        """Finds where a document says something, to cite it. text: the words, as they are written. The answer is a
        JSON object: found (each with its page, the boxes of its lines in pixels of a page of width x height, the words
        as they stand there, likeness and certainty) and the errors of pages. pictures: the passages as the page shows
        them follow, up to 16; picture tells which one is whose, counted from 1."""
        if not any(map(str.isalnum, text)):
            raise ToolError("text: needs letters or figures")
        result = await converted(uri, pages, "md", context, Wishes(quote=text, pictures=pictures))
        shown: list[ContentBlock] = []
        for one in result["found"]:
            if (url := one.get("picture")) is not None:
                shown.append(ImageContent(type="image", data=url.removeprefix(PNG), mime_type="image/png"))
                one["picture"] = len(shown)
        answer = {"found": result["found"], "errors": [error["error_message"] for error in result["errors"]]}
        return [TextContent(type="text", text=json.dumps(answer, ensure_ascii=False)), *shown]

    return server


class Guarded:
    """An application for authenticated clients only."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        self._sessions = Sessions(MOST_OF_CLIENT, SESSION_SECONDS)
        self._limits = Limits(body=4 * 2**20, held=MOST_HELD)
        self._admission: Admission | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limits = self._limits
        if self._admission is None:  # within the event loop
            self._admission = Admission(MOST_REQUESTS, limits.held, limits.share, limits.room_seconds)
        begun, refusal = False, None

        async def sent(message: Message) -> None:
            nonlocal begun
            if refusal is None or begun:
                begun = True
                if message["type"] == "http.response.start":
                    session.answered(message, scope["method"])
                await send(message)

        try:
            client, name = self._access.client(scope), Headers(scope=scope).get(HEADER)
            with self._admission.enter(client) as holding, self._sessions.request(client, name) as session:
                within = bounded(receive, limits, holding)

                async def received() -> Message:
                    """The application within answers errors itself: to it, a client that is refused has left."""
                    nonlocal refusal
                    try:
                        return await within()
                    except Refusal as error:
                        refusal = error
                        return {"type": "http.disconnect"}

                await self._app(scope, received, sent)
        except Refusal as error:
            refusal = error
        except ClientDisconnect:
            pass
        if refusal is not None and not begun:
            answer: Response = refusal.response
            await answer(scope, receive, send)
