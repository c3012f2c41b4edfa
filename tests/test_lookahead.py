"""The thread that runs ahead: order, bounds, errors, stopping."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from docspec.lookahead import is_abandoned_work_left, lookahead


def waiting(condition, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def counted(made: list[int], count: int = 10) -> Iterator[int]:
    for number in range(count):
        made.append(number)
        yield number


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_keeps_the_order_and_stays_within_its_depth(depth):
    made: list[int] = []
    taken = []
    for item in lookahead(counted(made), depth):
        taken.append(item)
        assert waiting(lambda: len(made) == min(10, len(taken) + depth))
        time.sleep(0.01)
        assert len(made) <= len(taken) + depth
    assert taken == list(range(10))


def test_works_beside_its_consumer():
    made: list[int] = []
    for item in lookahead(counted(made)):
        ahead = min(item + 2, 10)
        assert waiting(lambda ahead=ahead: len(made) >= ahead), "the next one is made while this one is in hand"


def test_the_source_runs_and_is_closed_in_one_other_thread():
    threads = []

    def source() -> Iterator[int]:
        try:
            for number in range(100):
                threads.append(threading.current_thread())
                yield number
        finally:
            threads.append(threading.current_thread())

    made = lookahead(source())
    assert next(made) == 0
    made.close()
    assert not is_abandoned_work_left()
    assert len(set(threads)) == 1
    assert threads[0] is not threading.current_thread()
    assert len(threads) <= 4  # two items at most, one under way, and the end


def test_an_error_comes_in_its_place():
    def source() -> Iterator[int]:
        yield 1
        yield 2
        raise ValueError("third")

    made = lookahead(source(), depth=2)
    assert [next(made), next(made)] == [1, 2]
    with pytest.raises(ValueError, match="third"):
        next(made)


def test_an_abandoned_worker_is_noticed():
    begun, release = threading.Event(), threading.Event()

    def source() -> Iterator[int]:
        yield 0
        begun.set()
        release.wait(10)
        yield 1

    made = lookahead(source())
    next(made)
    assert begun.wait(5)
    start = time.monotonic()
    made.close()
    assert time.monotonic() - start < 8
    assert is_abandoned_work_left()
    release.set()
    assert waiting(lambda: not is_abandoned_work_left())


def test_the_command_leaves_at_once_while_a_worker_is_busy(tmp_path):
    """A native call that nobody can stop must not hold up the end of the process, nor lose its output."""
    script = tmp_path / "main.py"
    script.write_text(
        "import time, docspec.cli.app as app\n"
        "from docspec.cli import main\n"
        "from docspec.lookahead import lookahead\n"
        "def source():\n"
        "    yield 0\n"
        "    time.sleep(60)\n"
        "def run():\n"
        "    made = lookahead(source()); next(made); made.close()\n"
        "    print('written', end='')\n"
        "    return 130\n"
        "app.run = run\n"
        "main()\n"
    )
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=50, env=dict(os.environ)
    )
    assert (done.returncode, done.stdout) == (130, "written")
    assert time.monotonic() - start < 30
