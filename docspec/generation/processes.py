"""Engines in processes of their own, as one generator: a model on each of several devices, or llama.cpp.

Requests go to the process that has the fewest. One that dies is replaced, and the requests that it had are answered
once more, each of them alone, so that one that ends its process again fails by itself. A process that cannot be
replaced (its device is gone) leaves its work to the others. One that has work and makes no step for too long hangs: it
is killed.
"""

from __future__ import annotations

import itertools
import math
import pickle
import tempfile
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any

from docspec.core import DocspecError, Failure, ModelError, PageError
from docspec.core.closing import Closing
from docspec.core.concurrency import answer, fail, new_future
from docspec.generation.interface import Generation, GenerationRequest, OnText
from docspec.generation.member import EnginePlace, Member, Outbox, PendingRequest, post
from docspec.generation.worker import EngineWorker, Numbered, Opened, Said, with_pixels
from docspec.isolation.child import Child, WorkerLost

LOADS = 2
"""Attempts to load the model before a process is given up."""


class EngineProcesses(Closing):
    """A :class:`docspec.generation.interface.Generator` over a process at each of ``places``; all have the same model.

    Loading begins at once and is waited for: in parallel at different places, in turn at one, so that the next process
    sees how much memory is left. ``lost`` are the errors of those given up then. ``fit`` changes an image before it is
    sent; ``begun`` receives this object before loading, which only :meth:`close` ends early. Raises
    :class:`docspec.core.ModelError` if the model can be loaded at no place.
    """

    def __init__(
        self,
        places: Sequence[EnginePlace],
        fit: Callable[[Any], Any] = lambda image: image,
        begun: Callable[[EngineProcesses], None] = lambda processes: None,
    ) -> None:
        self.steps: Any = None
        self._fit = fit
        self._members = [Member(place) for place in places]
        self._numbers = itertools.count()
        self._lock = threading.RLock()
        self._waiting: deque[PendingRequest] = deque()
        self._suspects: deque[PendingRequest] = deque()
        self._closed = False
        self._broken: ModelError | None = None
        begun(self)
        self.lost = self._load_all()
        patience = min(place.silence for place in places)
        if patience < math.inf:
            threading.Thread(target=_watch, args=(weakref.ref(self), patience / 10), daemon=True).start()

    @property
    def opened(self) -> list[Opened]:
        """What is known of the engine at each place that is left."""
        return [member.opened for member in self._members if member.opened is not None and not member.is_closed]

    @property
    def name(self) -> str:
        """The engine, its version and its precision, for reports."""
        return self.opened[0].name

    @property
    def max_length(self) -> int:
        """The most tokens of prompt and answer together."""
        return self.opened[0].max_length

    @property
    def names(self) -> list[str]:
        """The places that are left."""
        return [member.place.name for member in self._members if not member.is_closed]

    @property
    def follows_fields(self) -> bool:
        """Whether the engines follow every field of a request."""
        return all(opened.follows_fields for opened in self.opened)

    @property
    def pids(self) -> list[int]:
        """The processes that run."""
        return [member.child.pid for member in self._members if member.child is not None]

    def submit(self, request: GenerationRequest, on_text: OnText | None = None) -> Future[Generation]:
        """See :class:`docspec.generation.interface.Generator`."""
        [future] = self.submit_all([request], [on_text])
        return future

    def submit_all(
        self, requests: Sequence[GenerationRequest], listeners: Sequence[OnText | None] = ()
    ) -> list[Future[Generation]]:
        """:meth:`submit` for several requests, some of which may be prefilled together."""
        pending: list[PendingRequest] = []
        futures: list[Future[Generation]] = []
        for request, on_text in zip(requests, listeners or [None] * len(requests), strict=True):
            future: Future[Generation] = new_future()
            number = next(self._numbers)
            futures.append(future)
            try:
                sent = pickle.dumps(Numbered(number, self._shown(request), on_text is not None))
            except Exception as error:  # of a plug-in, for example
                fail(future, PageError(f"the request cannot be sent to another process: {error}"))
                continue
            pending.append(PendingRequest(number, sent, future, on_text))
        with self._lock:
            if self._closed:
                raise ModelError("the engine is closed")
            self._waiting += pending
            self._deal()
        for one in pending:
            one.future.add_done_callback(partial(self._future_done, one))
        return futures

    def close(self) -> None:
        """Cancels all requests and ends the processes, whatever they are doing."""
        with self._lock:
            self._closed = True
            left = [
                *self._waiting,
                *self._suspects,
                *(one for member in self._members for one in member.pending.values()),
            ]
            for member in self._members:
                member.is_closed = True
                member.pending = {}
            self._waiting.clear()
            self._suspects.clear()
        for one in left:
            one.future.cancel()
        for member in self._members:
            member.end()

    def _shown(self, request: GenerationRequest) -> GenerationRequest:
        if request.image is not None:
            request = replace(request, image=self._fit(request.image))
        return with_pixels(request)

    # Loading

    def _load_all(self) -> tuple[str, ...]:
        """Loads the model at all places; returns the errors of those that were given up."""
        place = attrgetter("place.name")
        groups = [list(several) for _, several in groupby(sorted(self._members, key=place), place)]
        with ThreadPoolExecutor(len(groups), "docspec-load") as threads:
            try:
                errors = [error for failed in threads.map(self._load_in_turn, groups) for error in failed]
            except BaseException:  # an interrupt: nobody waits for a model
                self.close()
                raise
        if len(errors) == len(self._members):
            self.close()
            raise errors[0]
        return tuple(map(str, errors))

    def _load_in_turn(self, members: Sequence[Member]) -> list[ModelError]:
        return [error for member in members if (error := self._load(member)) is not None]

    def _load(self, member: Member) -> ModelError | None:
        """Starts a process and has it load the model; the error if the process is given up."""
        failure = ModelError("the engine is closed")
        for _ in range(LOADS):
            if self._closed:
                break
            try:
                self._start(member)
                return None
            except WorkerLost as lost:
                failure = ModelError(
                    f"{member.place.name}: loading the model {lost}{member.last_words()}", lost.failure
                )
            except ModelError as error:
                last = member.last_words()
                failure = ModelError(f"{error}{last}") if last else error
                break
            except Exception as error:
                named = error if isinstance(error, DocspecError) else f"{type(error).__name__}: {error}"
                failure = ModelError(f"{member.place.name}: {named}{member.last_words()}")
                break
        member.is_closed = True
        member.end()
        return failure

    def _start(self, member: Member) -> None:
        member.end()
        member.device_error = ""
        place, has_ended = member.place, threading.Event()
        member.errors = tempfile.TemporaryFile() if place.quiet else None  # noqa: SIM115 - until the process has ended
        owner, outbox = weakref.ref(self), Outbox()

        def hear(said: Said) -> None:
            if (own := owner()) is not None:
                own._hear(member, said)

        def ended() -> None:
            outbox.put(None)
            has_ended.set()
            if (own := owner()) is not None:
                own._ended(member)

        with self._lock:
            if self._closed:
                raise WorkerLost("was closed", Failure.CRASHED)
            try:
                child = Child(EngineWorker, python=place.python, errors=member.errors, hear=hear, ended=ended)
            except OSError as error:
                raise ModelError(f"{place.python}: {error.strerror}") from error
            member.child, member.outbox = child, outbox
        opened = child.call("open", place.make)  # EngineWorker.open
        threading.Thread(target=post, args=(child, outbox), name="docspec-post", daemon=True).start()
        member.opened = opened
        with self._lock:
            if not (self._closed or has_ended.is_set()):
                member.is_ready = True
                self._deal()
                return
        raise child.death()

    # Requests

    def _deal(self) -> None:
        """Sends requests to processes: suspects to idle ones, each alone, others to the least busy. While suspects
        wait, one process gets no more, so that it will be idle."""
        if self._closed:
            return
        if self._broken is not None:
            left = [*self._waiting, *self._suspects]
            self._waiting.clear()
            self._suspects.clear()
            for pending in left:
                pending.fail(self._broken)
            return
        ready = [member for member in self._members if member.is_ready]
        while self._suspects and (idle := [member for member in ready if not member.pending]):
            idle[0].is_alone = True
            idle[0].send([self._suspects.popleft()])
        free = [member for member in ready if not member.is_alone]
        if self._suspects and free:
            free.remove(min(free, key=lambda member: len(member.pending)))
        dealt: list[list[PendingRequest]] = [[] for _ in free]
        while self._waiting:
            loads = [len(member.pending) + len(own) for member, own in zip(free, dealt, strict=True)]
            room = [index for index, member in enumerate(free) if loads[index] < member.most]
            if not room:
                break
            dealt[min(room, key=loads.__getitem__)].append(self._waiting.popleft())
        for member, own in zip(free, dealt, strict=True):
            member.send(own)

    def _future_done(self, pending: PendingRequest, future: Future[Generation]) -> None:
        if not future.cancelled():
            return
        number = pending.number
        with self._lock:
            for queue in (self._waiting, self._suspects):
                if pending in queue:
                    queue.remove(pending)
            for member in self._members:
                if member.pending.get(number) is pending:
                    member.outbox.put(("cancel", number))  # EngineWorker.cancel
                    self._taken(member, number)

    def _taken(self, member: Member, number: int) -> None:
        """Takes a request from a process, which then has room for another one."""
        member.pending.pop(number, None)
        member.is_alone = member.is_alone and bool(member.pending)
        self._deal()

    def _hear(self, member: Member, said: Said) -> None:
        member.heard_at = time.monotonic()
        if said.kind == "steps":
            self.steps = said.value
        elif (pending := member.pending.get(said.number)) is None:
            return  # it was cancelled
        elif said.kind == "text":
            pending.hear(said.value)
        elif said.kind == "lost":
            member.device_error = said.value  # its listener, this thread, is told when the process has ended
            threading.Thread(target=member.end, name="docspec-end", daemon=True).start()
        else:
            with self._lock:
                member.idle_deaths = 0
                self._taken(member, said.number)
            if said.kind != "done":
                pending.fail(said.value)
            else:
                answer(pending.future, said.value)

    # Losses

    def end_hanging(self) -> bool:
        """Ends the processes that hang; whether there is anything left to watch."""
        for member in self._members:
            if member.hangs:
                member.device_error = f"made no step for {member.place.silence:g} s"
                member.end()
        return not self._closed

    def _ended(self, member: Member) -> None:
        """A process has ended, in the thread that listened to it."""
        with self._lock:
            if self._closed or not member.is_ready:
                return  # whoever starts it is told
            member.is_ready = member.is_alone = False
        threading.Thread(target=self._replace, args=[member], name="docspec-replace", daemon=True).start()

    def _replace(self, member: Member) -> None:
        """Starts another process in the place of one that died; what it had to answer is asked once more."""
        assert member.child is not None
        lost = WorkerLost(member.device_error, Failure.DEVICE_LOST) if member.device_error else member.child.death()
        why = f"{member.place.name} {lost}{member.last_words()}"
        with self._lock:
            failed = [pending for pending in member.pending.values() if pending.deaths]
            self._suspects += (pending for pending in member.pending.values() if not pending.deaths)
            member.idle_deaths = 0 if member.pending else member.idle_deaths + 1
            for pending in member.pending.values():
                pending.deaths += 1
            member.pending = {}
            self._deal()
        for pending in failed:
            pending.fail(PageError(why, lost.failure))
        error = ModelError(why, lost.failure) if member.idle_deaths > LOADS else self._load(member)
        with self._lock:
            member.is_closed = error is not None
            if error is not None and not self._closed and all(each.is_closed for each in self._members):
                self._broken = ModelError(f"no process is left to read with; {error}")
            self._deal()


def _watch(processes: weakref.ref[EngineProcesses], pause: float) -> None:
    while (own := processes()) is not None and own.end_hanging():
        del own
        time.sleep(pause)
