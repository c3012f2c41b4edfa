"""Futures that are answered by hand: once, by whichever thread comes first, and not after they were cancelled."""

from __future__ import annotations

from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


def new_future() -> Future[T]:
    """A future whose ``cancel()`` also wakes those who wait for several (``concurrent.futures.wait``)."""
    future: Future[T] = Future()
    future.add_done_callback(_wake)
    return future


def answer(future: Future[T], value: T) -> None:
    """Ends ``future`` with ``value``, unless it has ended."""
    with suppress(InvalidStateError):
        future.set_result(value)


def fail(future: Future[T], error: BaseException) -> None:
    """Ends ``future`` with ``error``, unless it has ended."""
    with suppress(InvalidStateError):
        future.set_exception(error)


def _wake(future: Future[T]) -> None:
    if future.cancelled():
        future.set_running_or_notify_cancel()
