"""Prepares the next pages while the present one is verified: an iterator that runs ahead in threads.

It is never more than ``depth`` jobs ahead, and stops while waiting results are large, so memory stays bounded.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Generic, TypeVar

J = TypeVar("J")
T = TypeVar("T")

THREAD_NAME = "docspec-lookahead"


def lookahead(
    jobs: Iterator[J],
    workers: Sequence[Callable[[J], T]],
    depth: int = 1,
    size: Callable[[T], float] = lambda result: 0.0,
    most: float = math.inf,
    left: Callable[[T], None] | None = None,
) -> Generator[T]:
    """The results of ``workers`` for ``jobs``, in the order of the jobs; up to ``depth`` jobs are begun before their
    result is requested (0: none). While the sizes (``size``) of results that wait to be taken sum up to ``most`` or
    more, no job is begun before its result is requested.

    Each worker has a thread; one of them at a time takes the next job. An error of a worker or of ``jobs`` is raised in
    place of the result, and ends the iterator. Close the iterator (or exhaust it) and no further job is begun.

    ``left`` is given the finished results that can no longer be taken, in their order, when the iterator ends; with it
    an error waits for the jobs that were begun.
    """
    ahead: _Ahead[J, T] = _Ahead(jobs, depth, size, most)
    threads = [threading.Thread(target=ahead.work, args=(worker,), name=THREAD_NAME, daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield from ahead.results()
        for thread in threads:
            thread.join()  # no work is left that could delay them
    except Exception:
        ahead.stop()
        if left is not None:
            ahead.wait()
        raise
    finally:
        ahead.stop()
        if left is not None:
            for result in ahead.rest():
                left(result)


class _Ahead(Generic[J, T]):
    def __init__(self, jobs: Iterator[J], depth: int, size: Callable[[T], float], most: float) -> None:
        self._jobs = jobs
        self._depth = depth
        self._size = size
        self._most = most
        self._waiting = 0.0  # the size of all finished results that were not taken
        self._made: dict[int, tuple[T | None, BaseException | None, float]] = {}
        self._begun = 0
        self._asked = 0
        self._ended = False
        self._turn = threading.Lock()  # to take a job
        self._change = threading.Condition()

    def results(self) -> Iterator[T]:
        while True:
            with self._change:
                self._asked += 1
                self._change.notify_all()
                self._change.wait_for(self._has_come)
                if self._asked > self._begun:
                    return
                result, error, size = self._made.pop(self._asked - 1)
                self._waiting -= size
            if error is not None:
                raise error
            yield result  # type: ignore[misc]
            del result

    def work(self, worker: Callable[[J], T]) -> None:
        while True:
            with self._turn:
                if not self._may_begin():
                    return
                try:
                    job, error = next(self._jobs), None
                except StopIteration:
                    self.stop()
                    return
                except BaseException as raised:
                    error = raised
                with self._change:
                    number, self._begun = self._begun, self._begun + 1
            result = None
            if error is None:
                try:
                    result = worker(job)
                except BaseException as raised:
                    error = raised
            with self._change:
                size = 0.0 if result is None else self._size(result)
                self._made[number] = (result, error, size)
                self._waiting += size
                self._ended = self._ended or error is not None
                self._change.notify_all()
            result = error = None

    def wait(self) -> None:
        """Waits for the jobs that were begun."""
        with self._change:
            self._change.wait_for(lambda: self._asked + len(self._made) >= self._begun)

    def rest(self) -> list[T]:
        """The finished results that were not taken, in their order."""
        with self._change:
            made, self._made = self._made, {}
        return [result for _, (result, error, _) in sorted(made.items()) if error is None]  # type: ignore[misc]

    def stop(self) -> None:
        with self._change:
            self._ended = True
            self._change.notify_all()

    def _has_come(self) -> bool:
        """Whether the requested result is finished, or will never come."""
        return self._asked - 1 in self._made or (self._ended and self._asked > self._begun)

    def _may_begin(self) -> bool:
        """Waits until there is room for one more job; false if no more are to be begun."""
        with self._change:
            self._change.wait_for(lambda: self._ended or self._begun < self._asked + self._room)
            return not self._ended

    @property
    def _room(self) -> int:
        """The number of jobs that may be begun at present before their results are requested."""
        return self._depth if self._waiting < self._most else 0
