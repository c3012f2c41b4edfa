"""Whose document goes on: pages of clients in turn, short documents before long ones.

A document is read in parts of a few pages and asks for a turn before each. The next turn is the client's who had the
fewest pages while others waited (start-time fair queueing, Goyal et al. 1996). Of one client's documents those go first
that have had no more than :data:`SHORT` pages, so that a letter does not wait for a book, and every fourth turn the
oldest of the others does. Beside ``most`` parts that are read at a time, one more may be of a short document.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

SHORT = 8
"""Pages up to which a document counts as short; a longer one does, too, until it has had as many."""

LONG_EVERY = 4
"""Of a client's turns, one in so many is of its oldest document."""

LOOK_SECONDS = 0.5
"""Seconds between two looks at whether somebody still wants a document that waits."""


class Stopped(Exception):
    """Nobody wants the document any more."""


@dataclass(slots=True, eq=False)
class QueuePlace:
    """A ``client``'s document in the queue, and the ``pages`` that it has had."""

    client: str
    number: int
    pages: int = 0

    @property
    def is_short(self) -> bool:
        return self.pages < SHORT


@dataclass(slots=True)
class _Client:
    """``start`` is the virtual time at which a client's next turn begins: the pages it has had, counted from those of
    the clients that were there when it came."""

    start: float
    turns: int = 0
    places: set[QueuePlace] = field(default_factory=set)


class Turns:
    """Gives turns to up to ``most`` documents at a time, and one more to a short one; safe for use by threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._change = threading.Condition()
        self._clients: dict[str, _Client] = {}
        self._waiting: list[QueuePlace] = []
        self._running: list[QueuePlace] = []
        self._numbers = count()
        self._now = 0.0

    @contextlib.contextmanager
    def place(self, client: str) -> Iterator[QueuePlace]:
        """A document's place, for as long as the document is read."""
        with self._change:
            own = self._clients.get(client)
            if own is None:
                own = self._clients[client] = _Client(self._now)
            place = QueuePlace(client, next(self._numbers))
            own.places.add(place)
        try:
            yield place
        finally:
            with self._change:
                own.places.discard(place)
                if not own.places:
                    del self._clients[client]
                self._change.notify_all()

    @contextlib.contextmanager
    def turn(self, place: QueuePlace, pages: int, wanted: Callable[[], bool] = lambda: True) -> Iterator[None]:
        """A turn of so many ``pages``. Raises :class:`Stopped` if the document is not ``wanted`` while it waits."""
        with self._change:
            self._waiting.append(place)
            try:
                while self._next() is not place:
                    self._change.wait(LOOK_SECONDS)
                    if not wanted():
                        raise Stopped
            finally:
                self._waiting.remove(place)
                self._change.notify_all()
            client = self._clients[place.client]
            self._now = max(self._now, client.start)
            client.start = max(client.start, self._now) + pages
            client.turns += 1
            place.pages += pages
            self._running.append(place)
        try:
            yield
        finally:
            with self._change:
                self._running.remove(place)
                self._change.notify_all()

    def _next(self) -> QueuePlace | None:
        """The document whose turn it is; ``None`` while as many are read as may be."""
        waiting = self._waiting
        if len(self._running) >= self._most:
            if len(self._running) > self._most:
                return None
            waiting = [place for place in waiting if place.is_short]
        if not waiting:
            return None
        client = min((place.client for place in waiting), key=lambda name: (self._clients[name].start, name))
        own = sorted((place for place in waiting if place.client == client), key=lambda place: place.number)
        if self._clients[client].turns % LONG_EVERY == LONG_EVERY - 1:
            return own[0]
        return next((place for place in own if place.is_short), own[0])
