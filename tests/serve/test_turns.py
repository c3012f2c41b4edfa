"""Pages of clients in turn: nobody waits for the whole of another's document."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from docspec.core.concurrency import FairLock
from docspec.serve.converter import Submission
from docspec.serve.jobs import MOST_OF_ONE, Jobs
from docspec.serve.turns import SHORT, QueuePlace, Stopped, Turns


class Readers:
    """Documents in threads, which read a page when they are told to: the order of their turns does not depend on the
    machine."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.order: list[str] = []
        self._threads: list[threading.Thread] = []

    def add(self, client: str, pages: int) -> None:
        entered = threading.Event()
        self._threads.append(threading.Thread(target=self._read, args=(client, pages, entered), daemon=True))
        self._threads[-1].start()
        assert entered.wait(10)

    def _read(self, client: str, pages: int, entered: threading.Event) -> None:
        with self.turns.place(client) as place:
            entered.set()
            for _ in range(pages):
                with self.turns.turn(place, 1):
                    self.order.append(client)

    def join(self) -> None:
        for thread in self._threads:
            thread.join(30)


@contextmanager
def held(turns: Turns) -> Iterator[QueuePlace]:
    """A turn that goes on while others come."""
    with turns.place("first") as place, turns.turn(place, SHORT):
        yield place


def waiting(turns: Turns, count: int) -> None:
    for _ in range(1000):
        if len(turns._waiting) == count:
            return
        threading.Event().wait(0.01)
    raise AssertionError("they do not wait")


def test_pages_of_clients_are_read_in_turn() -> None:
    turns = Turns(1)
    readers = Readers(turns)
    with held(turns), turns.place("x") as other, turns.turn(other, SHORT):
        readers.add("long", 60)
        readers.add("other", 3)
        waiting(turns, 2)
    readers.join()
    ends = max(at for at, client in enumerate(readers.order) if client == "other")
    assert ends < 8, "the other's third page is not behind the sixty"
    assert Counter(readers.order) == {"long": 60, "other": 3}


def test_a_short_document_goes_before_the_long_ones_of_its_client_which_go_on_too() -> None:
    turns = Turns(1)
    with held(turns), turns.place("one") as book, turns.place("one") as letter:
        book.pages = SHORT
        turns._waiting += [book, letter]
        assert turns._next() is letter, "beside what is read, a short one has a turn of its own"
    with turns.place("one") as book, turns.place("one") as letter:
        book.pages = SHORT
        turns._waiting[:] = [book, letter]
        chosen = []
        for _ in range(8):
            chosen.append(turns._next())
            turns._clients["one"].turns += 1
    assert chosen.count(letter) == 6 and chosen.count(book) == 2


def test_who_comes_late_is_neither_behind_nor_far_ahead() -> None:
    turns = Turns(1)
    with turns.place("early") as early:
        for _ in range(50):
            with turns.turn(early, 4):
                pass
        readers = Readers(turns)
        with held(turns), turns.place("x") as other, turns.turn(other, SHORT):
            readers.add("early", 40)
            readers.add("late", 40)
            waiting(turns, 2)
        readers.join()
    half = Counter(readers.order[:40])
    assert 12 <= half["late"] <= 28


def test_a_document_that_nobody_wants_does_not_wait() -> None:
    turns = Turns(1)
    with held(turns), turns.place("x") as short, turns.turn(short, SHORT), turns.place("y") as place:
        turn = turns.turn(place, 1, lambda: False)
        with pytest.raises(Stopped):
            turn.__enter__()
    assert not turns._waiting and not turns._running and not turns._clients


def test_jobs_of_clients_are_begun_in_turn(tmp_path) -> None:
    jobs = Jobs(tmp_path)
    names = [jobs.add(Submission(b"a", f"{n}", client="many")) for n in range(12)]
    one = jobs.add(Submission(b"b", "one", client="one"))
    first = jobs.of("one", one)
    assert first is not None and first.position == 2, "behind one of the other's, not behind twelve"
    begun = []
    while (job := jobs.take([(given.client, 1) for _, given in begun])) is not None:
        begun.append(job)
    assert [name for name, _ in begun[:3]] == [names[0], one, names[1]]
    assert sum(given.client == "many" for _, given in begun) == MOST_OF_ONE
    assert jobs.cancel("many", names[11]) and not jobs.cancel("one", names[0])
    jobs.start_again([begun[0][0]])
    states = [jobs.of("many", name) for name in names[:2]]
    assert [job and job.status for job in states] == ["started", "pending"]
    jobs.close()


def test_a_fair_lock_is_given_in_the_order_of_asking() -> None:
    lock, order, threads = FairLock(), [], []

    def ask(number: int) -> None:
        with lock, lock:
            order.append(number)

    lock.acquire()
    for number in range(8):
        threads.append(threading.Thread(target=ask, args=(number,)))
        threads[-1].start()
        while len(lock._waiting) <= number:
            threading.Event().wait(0.001)
    assert not lock.acquire(blocking=False)
    lock.release()
    for thread in threads:
        thread.join()
    assert order == list(range(8)) and lock.acquire(blocking=False)
