"""Documents over HTTP: docling-serve's routes, a stream of pages, and uploads whose text becomes drafts.

docling-serve's own Python client works with these routes (Markdown, DoclingDocument, HTML; results in the response or
as an archive).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from docspec.core import DocspecError, Failure, OutputError, ParseOptions
from docspec.core.safe_text import one_line
from docspec.serve.admission import unless_left
from docspec.serve.converter import Converter, Stopped, Submission, failure_of
from docspec.serve.exports import JSON, MAGIC, ZIP, zipped
from docspec.serve.jobs import ConversionJob, Jobs, temporary_folder
from docspec.serve.page_events import message_of, page_events
from docspec.serve.refusal import Refusal
from docspec.serve.submission import from_form, from_json, one_of
from docspec.serve.uploads import UploadedDrafts
from docspec.serve.wishes import Purpose

if TYPE_CHECKING:
    from docspec.serve.gateway import Gateway

Read = Callable[["Gateway", Request], contextlib.AbstractAsyncContextManager[tuple[Submission, ...]]]

LOG = logging.getLogger("docspec.serve")
LONGEST_POLL = 60.0
"""Most seconds that a status request may wait."""
STOPPING_SECONDS = 4.0
"""Seconds for documents that are being read when the gateway stops, and again for their threads to end."""
PAUSE = 5.0
"""Seconds between two tries to store documents where that fails."""
MOST_OPEN = 16
"""Most jobs that are begun and not ended; their pages are read in turn. The same for streams of pages."""
MOST_JOBS = 1_000
"""Most jobs that may wait, over all clients (429)."""


class Documents:
    """The routes for documents, and the workers that convert them."""

    def __init__(self, gateway: Gateway, options: ParseOptions) -> None:
        self._gateway = gateway
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        state = gateway.settings.state
        if state is None:
            self._temporary = temporary_folder()
            state = Path(self._temporary.name)
        self._jobs = Jobs(state)
        self._converter = Converter(options, gateway.settings.limits.pages, gateway.settings.documents)
        self._uploaded_drafts = UploadedDrafts(options, gateway.settings.limits.pages)
        self._reading = ThreadPoolExecutor(MOST_OPEN, "docspec-documents")
        self._streaming = ThreadPoolExecutor(MOST_OPEN, "docspec-streams")
        self._open: dict[str, tuple[str, int]] = {}
        self._taking = asyncio.Lock()
        self._added = asyncio.Event()
        self._ended = asyncio.Condition()
        self._stopped = asyncio.Event()
        self.fault, self._noted = "", 0.0
        self._workers: list[asyncio.Task[None]] = []
        gateway.metrics.show("jobs_waiting", lambda: 0 if self._stopped.is_set() else self._jobs.waiting())

    @property
    def routes(self) -> list[Route]:
        return [
            *self._reading_routes("/v1/convert", "convert"),
            *self._reading_routes("/v1/chunk/hybrid", "chunk"),
            *self._reading_routes("/v1/chunk/hierarchical", "chunk"),
            *self._reading_routes("/v1/find", "find"),
            Route("/v1/clear/results", self._clear),
            Route("/v1/clear/converters", self._clear_nothing),
            Route("/v1/status/poll/{name}", self._status),
            Route("/v1/status/poll/{name}", self._cancel, methods=["DELETE"]),
            Route("/v1/result/{name}", self._result),
            Route("/v1/result/{name}", self._cancel, methods=["DELETE"]),
            Route("/v1/parse", self._parse, methods=["POST"]),
            Route("/v1/drafts", self._keep_drafts, methods=["POST"]),
            Route("/v1/drafts/{name}", self._forget, methods=["DELETE"]),
        ]

    def _reading_routes(self, path: str, purpose: Purpose) -> Iterator[Route]:
        """The routes that read documents, of a form or of an object, and answer at once or later."""
        for name, read in (("file", from_form), ("source", from_json)):
            given = cast(Read, partial(read, purpose=purpose))
            yield Route(f"{path}/{name}", partial(self._waited, given), methods=["POST"])
            yield Route(f"{path}/{name}/async", partial(self._accepted, given), methods=["POST"])

    def start(self) -> None:
        """Starts the workers in the server's event loop; they begin with the jobs that are stored."""
        self._workers = [asyncio.ensure_future(self._work()) for _ in range(MOST_OPEN)]

    def stop_soon(self) -> None:
        """Gives documents that are being read :data:`STOPPING_SECONDS`; called when the gateway is told to stop."""
        asyncio.get_running_loop().call_later(STOPPING_SECONDS, self._stop)

    def _stop(self) -> None:
        """Ends the reading of documents: streams end, waiting requests are answered, jobs wait for the next start."""
        self._stopped.set()
        threading.Thread(target=self._converter.close, daemon=True).start()

    async def close(self) -> None:
        """Stops the workers. An unfinished job is started again when a gateway starts on the same folder."""
        self._stop()
        for worker in self._workers:
            worker.cancel()
        self._uploaded_drafts.close()
        for executor in (self._reading, self._streaming):
            executor.shutdown(wait=False, cancel_futures=True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOPPING_SECONDS):
                for executor in (self._reading, self._streaming):
                    await asyncio.get_running_loop().run_in_executor(None, executor.shutdown)
        self._jobs.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    async def _waited(self, read: Read, request: Request) -> Response:
        """Waits for the results and returns them; if the client disconnects, its jobs are deleted."""
        client, names = await self._read_jobs(read, request)
        try:
            async with asyncio.timeout(self._gateway.settings.limits.seconds):
                for name in names:
                    work = asyncio.ensure_future(self._ended_or_stopped(client, name))
                    await unless_left(work, request.receive)
            if self._stopped.is_set():
                raise Refusal(503, "the gateway is stopped; try again later", 5)
            if len(names) == 1:
                return self._answer(client, names[0])
            answers = [json.loads(self._jobs.result(client, name) or b"{}") for name in names]
            return Response(await asyncio.to_thread(zipped, answers), media_type=ZIP)
        except ClientDisconnect:
            raise Refusal(499, "the client has left") from None
        except TimeoutError:
            raise Refusal(504, "the document was not read in time; ask for it with /async") from None
        finally:
            for name in names:
                self._jobs.forget(name)

    async def _accepted(self, read: Read, request: Request) -> Response:
        """Stores a document and returns its job at once."""
        client, names = await self._read_jobs(read, request, most=1)
        return JSONResponse(self._job(client, names[0]).as_object())

    async def _read_jobs(self, read: Read, request: Request, most: int | None = None) -> tuple[str, list[str]]:
        """Stores a request's documents, up to ``most``, as jobs; its client, and the jobs' names. From here on the
        documents are on the disk alone."""
        async with read(self._gateway, request) as given:
            if len(given) > (most or len(given)) or (len(given) > 1 and not given[0].wishes.whole):
                raise Refusal(422, "several documents: one a request, or all at once at /v1/convert without /async")
            if len(given) > 1:  # one archive of all
                given = tuple(replace(one, wishes=replace(one.wishes, zipped=False)) for one in given)
            names: list[str] = []
            try:
                for one in given:
                    names.append(await asyncio.to_thread(self._added_job, one))
            except BaseException:
                for name in names:
                    self._jobs.forget(name)
                raise
            self._added.set()
            return given[0].client, names

    async def _status(self, request: Request) -> Response:
        """How far a job is: the pages that are read, and its place in the queue while it waits."""
        client, name = self._gateway.access.client(request.scope), request.path_params["name"]
        try:
            wait = min(LONGEST_POLL, max(0.0, float(request.query_params.get("wait", 0))))
        except ValueError:
            raise Refusal(422, "wait: a number of seconds") from None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await self._ended_job(client, name)
        return JSONResponse(self._job(client, name).as_object())

    async def _result(self, request: Request) -> Response:
        """What came of a job."""
        client, name = self._gateway.access.client(request.scope), request.path_params["name"]
        if not self._job(client, name).has_ended:
            raise Refusal(404, "Task result not found. Please wait for a completion status.")
        return self._answer(client, name)

    async def _cancel(self, request: Request) -> Response:
        """Deletes a job, whether it waits, is read (it stops after the page) or has ended."""
        client = self._gateway.access.client(request.scope)
        if not self._jobs.cancel(client, request.path_params["name"]):
            raise Refusal(404, "Task not found.")
        async with self._ended:
            self._ended.notify_all()
        return JSONResponse({"status": "ok"})

    async def _clear(self, request: Request) -> Response:
        """Deletes the client's own results that are older than ``older_then`` seconds (an hour)."""
        client = self._gateway.access.client(request.scope)
        try:  # the misspelling is docling-serve's
            seconds = float(request.query_params.get("older_then") or request.query_params.get("older_than") or 3600)
        except ValueError:
            raise Refusal(422, "older_then: a number of seconds") from None
        await asyncio.to_thread(self._jobs.clear, client, seconds)
        return JSONResponse({"status": "ok"})

    async def _clear_nothing(self, request: Request) -> Response:
        """Nothing to do here: what reads documents is shared by all clients and bounded."""
        self._gateway.access.client(request.scope)
        return JSONResponse({"status": "ok"})

    async def _parse(self, request: Request) -> Response:
        """The pages as server-sent events, each as soon as it is finished."""
        async with contextlib.AsyncExitStack() as stack:
            given = one_of(await stack.enter_async_context(from_form(self._gateway, request)))
            seconds = self._gateway.settings.limits.seconds
            events = page_events(partial(self._converter.pages, given), self._streaming, self._stopped, seconds)
            answer = StreamingResponse(events, media_type="text/event-stream")
            return _Holding(answer, stack.pop_all())

    async def _keep_drafts(self, request: Request) -> Response:
        """Stores the text layer or the recognised text of a document's pages. When the same client sends an image of
        such a page to ``/v1/chat/completions``, the stored text is its draft."""
        async with from_form(self._gateway, request) as documents:
            given = one_of(documents)
            loop = asyncio.get_running_loop()
            try:
                pages = await loop.run_in_executor(self._streaming, self._uploaded_drafts.of, given)
            except DocspecError as error:
                raise Refusal(422, one_line(str(error))) from None
            name = self._gateway.uploads.keep(given.client, pages)
        return JSONResponse({"id": name, "pages": len(pages)})

    async def _forget(self, request: Request) -> Response:
        """Deletes an uploaded document."""
        client = self._gateway.access.client(request.scope)
        if not self._gateway.uploads.forget(client, request.path_params["name"]):
            raise Refusal(404, "no such document")
        return JSONResponse({"status": "ok"})

    async def _work(self) -> None:
        """Runs jobs one after the other until the gateway stops, as other workers do beside it. What the disk or the
        database refuses is said, and tried again after a pause: a full disk is emptied some day."""
        while True:
            try:
                if self.fault:
                    async with self._taking:
                        await asyncio.sleep(self._noted + PAUSE - time.monotonic())
                        if self.fault:
                            await asyncio.to_thread(self._jobs.start_again, list(self._open))
                            self.fault = ""
                await self._next_job()
            except Exception as error:
                self._note(error)
                await asyncio.sleep(PAUSE)

    async def _next_job(self) -> None:
        loop = asyncio.get_running_loop()
        async with self._taking:
            self._added.clear()
            job = await asyncio.to_thread(self._jobs.take, list(self._open.values()))
            if job is not None:
                self._open[job[0]] = job[1].client, len(job[1].data)
        if job is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PAUSE):
                    await self._added.wait()
            return
        try:
            await loop.run_in_executor(self._reading, self._convert, *job)
        finally:
            del self._open[job[0]]
            self._added.set()  # its room may be another's
            async with self._ended:
                self._ended.notify_all()

    def _note(self, error: Exception) -> None:
        """Keeps the fault of the storage for ``/ready``, and logs it when it begins."""
        if not self.fault:
            LOG.error("documents cannot be stored (%s); tried again every %g s", storage_fault(error), PAUSE)
        self.fault, self._noted = f"documents cannot be stored ({storage_fault(error)})", time.monotonic()

    def _convert(self, name: str, given: Submission) -> None:
        try:
            answer = self._converter.convert(given, partial(self._goes_on, name))
            whole = zipped([answer]) if given.wishes.zipped else json.dumps(answer, ensure_ascii=False).encode()
            self._jobs.end(name, answer["status"], whole)
        except Stopped:
            return
        except sqlite3.Error as error:
            self._note(error)
            if not self._stopped.is_set():
                self._jobs.end(name, "failure", None, f"the result cannot be stored ({storage_fault(error)})")
        except Exception as error:
            if not self._stopped.is_set():
                failure = failure_of(error, given, message_of(error))
                self._jobs.end(name, "failure", json.dumps(failure).encode(), failure["failure"]["message"])

    def _goes_on(self, name: str, pages: int) -> bool:
        """Notes that so many ``pages`` of a job are read; false if nobody wants the others."""
        return not self._stopped.is_set() and self._jobs.read(name, pages)

    async def _ended_or_stopped(self, client: str, name: str) -> None:
        tasks = [asyncio.ensure_future(self._ended_job(client, name)), asyncio.ensure_future(self._stopped.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()

    async def _ended_job(self, client: str, name: str) -> ConversionJob:
        """Waits until the job has ended."""
        async with self._ended:
            while not (job := self._job(client, name)).has_ended:
                await self._ended.wait()
            return job

    def _added_job(self, given: Submission) -> str:
        try:
            if self._jobs.waiting() >= MOST_JOBS or not self._jobs.has_room(given):
                raise Refusal(429, "too many documents are waiting; try again later", 30)
            return self._jobs.add(given)
        except sqlite3.Error as error:
            self._note(error)
            raise Refusal(507, "the document cannot be stored here; tell who runs this gateway", 60) from None

    def _job(self, client: str, name: str) -> ConversionJob:
        job = self._jobs.of(client, name)
        if job is None:
            raise Refusal(404, "Task not found.")
        return job

    def _answer(self, client: str, name: str) -> Response:
        result = self._jobs.result(client, name)
        if result is None:
            error = OutputError(self._job(client, name).error or "the document could not be read", Failure.UNWRITABLE)
            return JSONResponse(failure_of(error, Submission(b"?", ""), str(error)))
        return Response(result, media_type=ZIP if result.startswith(MAGIC) else JSON)


class _Holding(Response):
    """An answer during which what ``held`` has entered stays so."""

    def __init__(self, answer: Response, held: contextlib.AsyncExitStack) -> None:
        super().__init__()
        self._answer = answer
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._held:
            await self._answer(scope, receive, send)


def storage_fault(error: Exception) -> str:
    """The database's name of an error, which has nothing of a document."""
    return str(getattr(error, "sqlite_errorname", "")) or type(error).__name__
