"""A command that is ended with its lifeline, stopped or not."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be stopped there")

LIFELINE = """
import sys
from docspec.generation import lifeline
lifeline.PATIENCE = 600  # no machine is so slow
sys.exit(lifeline.main(sys.argv[1:]))
"""
COMMAND = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])"


@pytest.fixture
def held() -> Iterator[tuple[subprocess.Popen[bytes], list[psutil.Process]]]:
    """A lifeline, and its command's two processes."""
    words = [sys.executable, "-c", LIFELINE, sys.executable, "-c", COMMAND]
    process = subprocess.Popen(words, stdin=subprocess.PIPE)
    try:
        soon(lambda: len(psutil.Process(process.pid).children(recursive=True)) == 2)
        yield process, psutil.Process(process.pid).children(recursive=True)
    finally:
        process.communicate()


def soon(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_command_ends_with_the_run(held: tuple[subprocess.Popen[bytes], list[psutil.Process]]) -> None:
    process, family = held
    process.communicate()
    assert not psutil.wait_procs(family, timeout=60)[1]


def test_what_is_stopped_ends_with_the_run(held: tuple[subprocess.Popen[bytes], list[psutil.Process]]) -> None:
    process, family = held
    for one in family:
        one.suspend()
    soon(lambda: all(one.status() == psutil.STATUS_STOPPED for one in family))
    process.communicate()
    assert not psutil.wait_procs(family, timeout=60)[1]
    assert process.returncode == 256 - signal.SIGTERM, "it heard of it and was not killed"
