"""The threads that run ahead: order, bounds, errors, stopping."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from docspec.lookahead import lookahead

PATIENCE = 60.0


def waiting(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def same(number: int) -> int:
    return number


def counted(begun: list[int], count: int = 10) -> Iterator[int]:
    for number in range(count):
        begun.append(number)
        yield number


@pytest.mark.parametrize(("depth", "workers"), [(0, 1), (1, 1), (2, 1), (5, 3)])
def test_keeps_the_order_and_stays_within_its_depth(depth: int, workers: int) -> None:
    begun: list[int] = []
    taken = []
    for item in lookahead(counted(begun), [same] * workers, depth):
        taken.append(item)
        assert waiting(lambda: len(begun) == min(10, len(taken) + depth))
        time.sleep(0.01)
        assert len(begun) <= len(taken) + depth
    assert taken == list(range(10))


def test_large_results_that_wait_keep_the_next_job_from_being_begun() -> None:
    begun: list[int] = []
    sizes = {0: 1.0, 1: 1.0, 2: 3.0, 3: 9.0, 4: 0.0, 5: 0.0}
    ahead = lookahead(counted(begun, 6), [same], 4, sizes.__getitem__, 4.0)
    assert next(ahead) == 0
    assert waiting(lambda: len(begun) == 3), "results of 1 and 3 wait, as much as may"
    time.sleep(0.02)
    assert len(begun) == 3
    assert next(ahead) == 1
    assert waiting(lambda: len(begun) == 4), "the result of 3 waits, then those of 3 and 9"
    assert next(ahead) == 2
    time.sleep(0.02)
    assert len(begun) == 4
    assert list(ahead) == [3, 4, 5]


def test_a_result_that_grows_while_it_waits_is_taken_off_as_it_was_counted() -> None:
    begun: list[int] = []
    sized = set[int]()
    now = [1.0]

    def size(number: int) -> float:
        sized.add(number)
        return now[0]

    ahead = lookahead(counted(begun, 6), [same], 2, size, 2.0)
    assert next(ahead) == 0
    assert waiting(lambda: 2 in sized), "two results of 1 wait"
    now[0] = 9.0
    assert next(ahead) == 1
    assert waiting(lambda: 3 in sized), "a result of 1 and one of 9 wait"
    assert next(ahead) == 2
    time.sleep(0.02)
    assert len(begun) == 4, "9 waits"
    assert list(ahead) == [3, 4, 5]


def test_workers_work_side_by_side_and_results_keep_their_order() -> None:
    second = threading.Event()

    def work(number: int) -> int:
        if number == 0:
            assert second.wait(PATIENCE), "nobody took the second job while the first was done"
        if number == 1:
            second.set()
        return number

    assert list(lookahead(iter(range(6)), [work, work], 2)) == list(range(6))


def test_works_beside_its_consumer() -> None:
    made: list[int] = []

    def work(number: int) -> int:
        made.append(number)
        return number

    for item in lookahead(iter(range(10)), [work]):
        ahead = min(item + 2, 10)
        assert waiting(lambda ahead=ahead: len(made) >= ahead), "the next one is made while this one is in hand"


@pytest.mark.parametrize("where", ["jobs", "worker"])
def test_an_error_comes_in_its_place(where: str) -> None:
    def jobs() -> Iterator[int]:
        yield 1
        yield 2
        if where == "jobs":
            raise ValueError("third")
        yield 3
        yield 4

    def work(number: int) -> int:
        if number == 3:
            raise ValueError("third")
        return number

    made = lookahead(jobs(), [work], 2)
    assert [next(made), next(made)] == [1, 2]
    with pytest.raises(ValueError, match="third"):
        next(made)


def test_a_closed_iterator_begins_nothing_more_and_waits_for_nobody() -> None:
    begun: list[int] = []
    free = threading.Event()

    def work(number: int) -> int:
        if number:
            free.wait(PATIENCE)
        return number

    made = lookahead(counted(begun), [work])
    assert next(made) == 0
    assert waiting(lambda: len(begun) == 2)
    made.close()
    free.set()
    assert waiting(lambda: not any(t.name == "docspec-lookahead" for t in threading.enumerate()))
    assert begun == [0, 1]


def test_finished_results_behind_an_error_are_left_over() -> None:
    """In their order, also those that are finished after it."""
    begun, late, left = threading.Barrier(3), threading.Event(), list[int]()

    def work(number: int) -> int:
        if number:
            begun.wait(PATIENCE)
        if number == 1:
            raise ValueError("the second")
        if number == 3:
            late.wait(PATIENCE)
        return number

    ahead = lookahead(iter(range(4)), [work] * 4, 4, left=left.append)
    assert next(ahead) == 0
    threading.Timer(0.1, late.set).start()
    with pytest.raises(ValueError, match="the second"):
        next(ahead)
    assert left == [2, 3]


def test_finished_results_are_left_over_when_nobody_takes_them() -> None:
    done, left = set[int](), list[int]()

    def work(number: int) -> int:
        done.add(number)
        return number

    ahead = lookahead(iter(range(9)), [work], 3, left=left.append)
    assert next(ahead) == 0
    assert waiting(lambda: len(done) == 4)
    time.sleep(0.02)
    ahead.close()
    assert left in ([1, 2, 3], [1, 2])
