"""Continuous batching: one thread owns the target, and requests enter its batch as they come, from any thread.

A batch is opened for the requests that wait, with rows to spare. A later request enters it while others are decoded, if
a row is free and it fits; one that does not fit waits until the batch has drained, and those after it wait behind it.
Prompts take at most half of the time: those that come meanwhile enter together.
When a step fails, its requests are decoded again: with half as many rows if memory ran out, else each alone, so that
the one that is to blame fails alone.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from queue import SimpleQueue

from docspec.core import ModelError
from docspec.core.memory import is_out_of_memory
from docspec.engine.decoder import MAX_ROWS, Decoder
from docspec.engine.measuring import MeasuredDecode
from docspec.engine.request import Output, Request
from docspec.engine.row import Row, RowCounts

ROUNDED = 1024
"""Slots of a row are a multiple of this, so that later requests of about the same length fit."""

OnTokens = Callable[[Sequence[int]], None]
"""Receives all tokens of an answer so far after each step, in the engine's thread. An exception that it raises cancels
the request."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """What became of a request whose prompt had ``prompt_tokens``. Seconds are wall-clock: ``waiting`` until it entered
    the batch, ``prefill`` until its first token, ``decode`` until its end."""

    output: Output
    counts: RowCounts
    prompt_tokens: int
    waiting: float
    prefill: float
    decode: float


@dataclass(slots=True, eq=False)
class _Job:
    request: Request
    future: Future[Decoded]
    on_tokens: OnTokens | None
    penalty: float
    submitted: float
    added: float = 0.0
    alone: bool = False

    def suits(self, other: _Job) -> bool:
        """Whether both may be rows of one step: they share one repetition penalty."""
        return self.penalty == other.penalty and not (self.alone or other.alone)


class ContinuousBatching:
    """Decodes requests with ``decoder`` in a thread of its own, up to ``rows`` at a time.

    A batch takes at most ``slots`` slots of KV memory (``None``: what ``decoder`` allows); a longer request is decoded
    alone.
    """

    def __init__(self, decoder: Decoder, rows: int = MAX_ROWS, slots: int | None = None) -> None:
        self._decoder = decoder
        self._most_rows = self._rows = rows
        limits = [limit for limit in (slots, decoder.slots_allowed) if limit is not None]
        self._slots = min(limits, default=None)
        self._submitted: SimpleQueue[_Job | None] = SimpleQueue()
        self._waiting: deque[_Job] = deque()
        self._active: dict[int, _Job] = {}
        self._closed = False
        self._accepting = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="docspec-engine", daemon=True)
        self._thread.start()

    def submit(
        self, request: Request, on_tokens: OnTokens | None = None, future: Future[Decoded] | None = None
    ) -> Future[Decoded]:
        """Accepts ``request`` and returns at once, with ``future`` if it is given. Its ``cancel()`` works while the
        request waits and while it is decoded. It raises what decoding raised for this request, and
        :class:`docspec.core.ModelError` after :meth:`close`."""
        future = Future() if future is None else future
        penalty = (request.rules or self._decoder.target.rules).repetition_penalty
        job = _Job(replace(request), future, on_tokens, penalty, time.perf_counter(), alone=request.least_margin > 0)
        with self._accepting:
            if not self._closed:
                self._submitted.put(job)
                return future
        failed(future, closed())
        return future

    def close(self) -> None:
        """Ends the thread after the present step; requests that have not been answered fail."""
        with self._accepting:
            self._closed = True
        self._submitted.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            while self._collect(wait=True):
                try:
                    self._decode(self._open())
                except Exception as error:
                    self._recover(error)
                else:
                    self._rows = min(self._most_rows, 2 * self._rows)
        finally:
            with self._accepting:
                self._closed = True
            self._collect(wait=False)
            for job in (*self._active.values(), *self._waiting):
                failed(job.future, closed())

    def _decode(self, batch: MeasuredDecode) -> None:
        with self._decoder.target.decoding():
            while self._step(batch):
                pass

    def _collect(self, wait: bool) -> bool:
        """Moves submitted jobs to those that wait; with ``wait`` until there is one. Returns whether to go on."""
        while not self._submitted.empty() or (wait and not self._waiting and not self._closed):
            if (job := self._submitted.get()) is not None:
                self._waiting.append(job)
            self._waiting = deque(one for one in self._waiting if not one.future.cancelled())
        return not self._closed

    def _open(self) -> MeasuredDecode:
        """A batch for the first jobs that wait."""
        first = self._waiting[0]
        together = [one for one in list(self._waiting)[1 : self._rows] if one.suits(first)]
        slots = -(-max(one.request.slots for one in (first, *together)) // ROUNDED) * ROUNDED
        rows = 1 if first.alone else self._rows
        if self._slots is not None:
            rows = max(1, min(rows, self._slots // (slots + self._decoder.spare_slots)))
        return self._decoder.open_batch(rows, slots if rows > 1 else first.request.slots)

    def _step(self, batch: MeasuredDecode) -> bool:
        """Decodes one step of ``batch``; returns whether it goes on."""
        if not self._collect(wait=False):
            return False
        self._admit(batch)
        rows = batch.step()
        for row in rows:
            self._tell(row)
        for row in batch.scheduler.take_ended():
            self._finish(row)
        return bool(self._active)

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
        return (
            len(self._active) < min(self._rows, batch.cache.rows)
            and all(job.suits(other) for other in self._active.values())
            and job.request.slots + self._decoder.spare_slots <= batch.cache.slots
        )

    def _tell(self, row: Row) -> None:
        job = self._active[id(row.request)]
        if job.on_tokens is not None and not job.future.cancelled():
            try:
                job.on_tokens(row.output)
            except Exception:
                job.future.cancel()
        if job.future.cancelled():
            row.stop()

    def _finish(self, row: Row) -> None:
        job = self._active.pop(id(row.request))
        now, entered = time.perf_counter(), row.counts.entered
        waiting, prefill = job.added - job.submitted, entered - job.added
        if job.future.set_running_or_notify_cancel():
            length = row.request.prompt.length
            job.future.set_result(Decoded(row.result, row.counts, length, waiting, prefill, now - entered))

    def _recover(self, error: Exception) -> None:
        """Lets the jobs of a batch that failed wait again, or fails the only one."""
        self._decoder.release()
        jobs = list(self._active.values())
        self._active.clear()
        if not jobs and self._waiting:  # the batch could not even be opened
            jobs = [self._waiting.popleft()]
        if len(jobs) < 2:
            for job in jobs:
                failed(job.future, error)
        elif is_out_of_memory(error):
            self._rows = len(jobs) // 2
            self._waiting.extendleft(reversed(jobs))
        else:
            self._waiting.extendleft(replace(job, alone=True) for job in reversed(jobs))


def failed(future: Future[Decoded], error: Exception) -> None:
    """Ends ``future`` with ``error``, unless it was cancelled."""
    if future.set_running_or_notify_cancel():
        future.set_exception(error)


def closed() -> ModelError:
    """The error of requests that an engine could not answer before its end."""
    return ModelError("the engine was closed")
