"""Continuous batching: one thread owns the target, and requests enter its batch as they come, from any thread.

A batch is opened for the requests that wait, with rows to spare. A later request enters it while others are decoded, if
a row is free and it fits; one that does not fit waits until the batch has drained, and those after it wait behind it.
Prompts take at most half of the time: those that come meanwhile enter together.

When a step fails, its requests are decoded again: with half as many rows if memory ran out, else each alone, so that
the one that is to blame fails alone. One for which memory runs out alone is decoded once more with the least memory.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue

from docspec.core import ModelError, StageStats
from docspec.core.concurrency import answer, fail, new_future
from docspec.core.errors import is_out_of_memory, release_memory
from docspec.engine.decoder import Decoder
from docspec.engine.measuring import MeasuredDecode, stats_of
from docspec.engine.request import Output, Request
from docspec.engine.row import Row

ROWS = 16
"""Most rows of a batch."""

SLOTS = 16384
"""Most slots of the KV memory of a batch by default: about those of one long page."""

ROUNDED = 256
"""Slots of a row are a multiple of this, so that later requests of about the same length fit."""

IDLE = 1.0
"""Seconds without requests after which the thread ends; the next request starts another one."""

OnRow = Callable[[Row], None]
"""Receives the row of a request after each of its steps, in the engine's thread. An exception that it raises fails the
request."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """What became of a request. Seconds are wall-clock: ``waiting`` until it entered the batch, ``prefill`` until its
    first token, ``decode`` until its end; those in ``stats`` are its share. ``is_frugal``: memory ran out, and it was
    decoded with the least."""

    output: Output
    stats: StageStats
    waiting: float
    prefill: float
    decode: float
    is_frugal: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class QueuedRequest:
    """A request on its way into the batch, and the ``future`` of what becomes of it. An ``exclusive`` one is decoded
    while nothing else is."""

    request: Request
    future: Future[Decoded]
    on_row: OnRow | None = None
    exclusive: bool = False


@dataclass(slots=True, eq=False)
class _Job:
    request: Request
    future: Future[Decoded]
    on_row: OnRow | None
    penalty: float
    submitted: float
    alone: bool
    frugal: bool = False
    added: float = 0.0

    def suits(self, other: _Job) -> bool:
        """Whether both may be rows of one step: they share one repetition penalty."""
        return self.penalty == other.penalty and not (self.alone or other.alone)


class ContinuousBatching:
    """Decodes requests with ``decoder`` in a thread of its own.

    A batch has up to ``rows`` rows: one for each request that waits when it is opened and ``spare`` ones for those that
    come later. It takes at most ``slots`` slots of KV memory, but has ``least`` rows whatever these take; what
    ``decoder`` allows holds in any case.
    """

    def __init__(
        self, decoder: Decoder, rows: int = ROWS, slots: int = SLOTS, least: int = 1, spare: int = ROWS
    ) -> None:
        self._decoder = decoder
        self._most_rows = self._rows = rows
        self._slots, self._least, self._spare = slots, least, spare
        self._submitted: SimpleQueue[Sequence[_Job]] = SimpleQueue()
        self._waiting: deque[_Job] = deque()
        self._active: dict[int, _Job] = {}
        self._closed = False
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, request: Request, on_row: OnRow | None = None) -> Future[Decoded]:
        """Accepts ``request`` and returns at once. The future's ``cancel()`` works while the request waits and while it
        is decoded. It raises what decoding raised for this request, and :class:`docspec.core.ModelError` after
        :meth:`close`."""
        future: Future[Decoded] = new_future()
        self.submit_all([QueuedRequest(request, future, on_row)])
        return future

    def submit_all(self, requests: Sequence[QueuedRequest]) -> None:
        """:meth:`submit` for several requests, for which one batch is opened if there is room."""
        now, own = time.perf_counter(), self._decoder.target.rules
        jobs = [
            _Job(
                replace(one.request),
                one.future,
                one.on_row,
                (one.request.rules or own).repetition_penalty,
                now,
                one.exclusive or one.request.least_margin > 0,
            )
            for one in requests
        ]
        with self._starting:
            if not self._closed:
                self._submitted.put(jobs)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="docspec-engine", daemon=True)
                    self._thread.start()
                return
        for job in jobs:
            fail(job.future, closed())

    def drafts_changed(self) -> None:
        """Call this from ``on_row`` when drafts have arrived: whether trees pay is measured anew."""
        self._decoder.drafts_changed()

    def close(self, patience: float | None = None) -> None:
        """Ends the thread after the present step, and waits for it for at most ``patience`` seconds; requests that have
        not been answered fail."""
        with self._starting:
            self._closed, thread = True, self._thread
        self._submitted.put(())
        for job in tuple(self._active.values()):  # it may be in the lean loop, which looks at its row alone
            fail(job.future, closed())
        if thread is not None and thread is not threading.current_thread():
            thread.join(patience)

    def _run(self) -> None:
        try:
            while self._has_work():
                error = self._batch()
                if error is None:
                    self._rows = min(self._most_rows, 2 * self._rows)
                else:
                    self._recover(error)
        finally:
            with self._starting:
                if self._thread is threading.current_thread():  # the end; one that was idle has left its place
                    self._thread, self._closed = None, True
                    self._collect()
                    for job in (*self._active.values(), *self._waiting):
                        fail(job.future, closed())

    def _batch(self) -> Exception | None:
        """Decodes one batch to its end; returns what ended it before, without the tensors of its frames."""
        try:
            with self._decoder.target.decoding():
                first = self._waiting[0]
                if first.frugal:
                    with self._decoder.frugal() as decoder:
                        self._decode(self._open(decoder))
                elif first.alone and first.request.plain:
                    self._decode_plainly(self._waiting.popleft())
                else:
                    self._decode(self._open(self._decoder))
        except Exception as error:
            if is_out_of_memory(error):
                traceback.clear_frames(error.__traceback__)
            return error
        return None

    def _decode(self, batch: MeasuredDecode) -> None:
        while not self._closed:
            self._admit(batch)
            rows = batch.step()
            ended = batch.scheduler.take_ended()  # some with their first token, before the step
            for row in (*rows, *(row for row in ended if row not in rows)):
                self._tell(self._active[id(row.request)], row)
            for row in ended:
                self._finish(row)
            if not self._active:
                return
            self._collect()

    def _decode_plainly(self, job: _Job) -> None:
        """Decodes a job by the lean loop that is the baseline of all speed-ups; its listener is told at the end."""
        job.added = time.perf_counter()
        self._active[id(job.request)] = job
        rows: list[Row] = []

        def begun(row: Row) -> None:
            rows.append(row)
            job.future.add_done_callback(lambda _: row.stop())

        output, stats = self._decoder.baseline(job.request, begun)
        self._tell(job, rows[0])
        self._end(self._active.pop(id(job.request)), output, stats, job.added + stats.prefill_seconds)

    def _has_work(self) -> bool:
        """Waits for a job; returns whether there is one. Otherwise the thread ends."""
        while not self._closed:
            self._collect()
            if self._waiting:
                return True
            try:
                self._waiting += self._submitted.get(timeout=IDLE)
            except Empty:
                with self._starting:
                    if self._submitted.empty():
                        self._thread = None
                        return False
        return False

    def _collect(self) -> None:
        """Moves submitted jobs to those that wait, and drops cancelled ones."""
        while not self._submitted.empty():
            self._waiting += self._submitted.get()
        if any(job.future.done() for job in self._waiting):
            self._waiting = deque(job for job in self._waiting if not job.future.done())

    def _open(self, decoder: Decoder) -> MeasuredDecode:
        """A batch for the first jobs that wait."""
        first = self._waiting[0]
        together = [one for one in list(self._waiting)[1 : self._rows] if one.suits(first)]
        slots = max(one.request.slots for one in (first, *together))
        rounded = -(-slots // ROUNDED) * ROUNDED
        rows = 1 if first.alone else self._rows_for(1 + len(together), rounded)
        return decoder.open_batch(rows, rounded if rows > 1 else first.request.slots)

    def _rows_for(self, waiting: int, slots: int) -> int:
        """Rows of a batch for so many requests of up to ``slots`` slots."""
        each, allowed = slots + self._decoder.spare_slots, self._decoder.slots_allowed
        rows = min(max(waiting + self._spare, self._least), max(self._slots // each, self._least))
        return max(1, min(self._rows, rows if allowed is None else min(rows, allowed // each)))

    def _admit(self, batch: MeasuredDecode) -> None:
        if self._active and time.perf_counter() - batch.prefilled < batch.prefilling:
            return
        while self._waiting and self._fits(batch):
            job = self._waiting.popleft()
            job.added = time.perf_counter()
            self._active[id(job.request)] = job
            batch.scheduler.add(job.request)

    def _fits(self, batch: MeasuredDecode) -> bool:
        """Whether the first job that waits may enter ``batch`` now."""
        job = self._waiting[0]
        return not self._active or (
            len(self._active) < min(self._rows, batch.cache.rows)
            and all(job.suits(other) for other in self._active.values())
            and job.request.slots + self._decoder.spare_slots <= batch.cache.slots
        )

    @staticmethod
    def _tell(job: _Job, row: Row) -> None:
        if job.on_row is not None and not job.future.done():
            try:
                job.on_row(row)
            except BaseException as error:  # whatever a listener raises is its request's alone
                fail(job.future, error)
        if job.future.done():
            row.stop()

    def _finish(self, row: Row) -> None:
        job = self._active.pop(id(row.request))
        self._end(job, row.result, stats_of([row], self._decoder.target.kv.nbytes), row.counts.entered)

    @staticmethod
    def _end(job: _Job, output: Output, stats: StageStats, entered: float) -> None:
        waiting, prefill, decode = job.added - job.submitted, entered - job.added, time.perf_counter() - entered
        answer(job.future, Decoded(output, stats, waiting, prefill, decode, job.frugal))

    def _recover(self, error: Exception) -> None:
        """Lets the jobs of a batch that failed wait again, or fails the only one."""
        self._decoder.release()
        jobs = list(self._active.values())
        self._active.clear()
        if not jobs and self._waiting:  # the batch could not even be opened
            jobs = [self._waiting.popleft()]
        short = is_out_of_memory(error)
        if short:
            release_memory()
        if len(jobs) > 1:
            self._rows = len(jobs) // 2 if short else self._rows
            self._waiting.extendleft(replace(job, alone=job.alone or not short) for job in reversed(jobs))
        elif jobs and short and not jobs[0].frugal:
            self._waiting.appendleft(replace(jobs[0], alone=True, frugal=True))
        else:
            for job in jobs:
                fail(job.future, error)


def closed() -> ModelError:
    """The error of requests that an engine could not answer before its end."""
    return ModelError("the engine was closed")
