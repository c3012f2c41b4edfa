"""Children are forked from a process that has loaded for all of them, or start by themselves where that cannot be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from docspec.core import InputError
from docspec.documents.sources import source_from_path
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation import nursery
from docspec.isolation.pool import Isolation
from tests.isolation import doubles
from tests.isolation.doubles import wanted
from tests.isolation.test_ends import PATIENCE, gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")


def drafted(children: Isolation, pdf: Path) -> list[int]:
    """How many regions each of three pages has."""
    document = children.open(source_from_path(pdf))
    pages = children.pages(iter([(document, number) for number in (1, 2, 3)]), wanted(), 2)
    return [len(page.draft.regions) for _, page in pages if isinstance(page, DraftedPage)]


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def pids(children: Isolation) -> list[int]:
    return [worker._child.pid for worker in children._workers if worker._child is not None]


def test_all_children_are_forked_from_one_process_that_serves_nothing(
    isolation: Callable[..., Isolation], pdf: Path
) -> None:
    children = isolation(doubles.sound)
    assert drafted(children, pdf) == [1, 1, 1]
    process = children._nursery._process
    assert process is not None and parent_of(process.pid) == os.getpid()
    assert {parent_of(pid) for pid in pids(children)} == {process.pid}
    ended = [*pids(children), process.pid]
    children.close()
    assert all(map(gone, ended))


def test_a_process_that_was_started_early_is_taken_once(isolation: Callable[..., Isolation], pdf: Path) -> None:
    nursery.start_early()
    [early] = nursery._early
    first, second = isolation(doubles.sound), isolation(doubles.sound)
    assert [drafted(children, pdf) for children in (first, second)] == [[1, 1, 1]] * 2
    used = [children._nursery._process for children in (first, second)]
    assert used[0] is early.process and used[1] is not early.process and not nursery._early
    assert {parent_of(pid) for pid in pids(first)} == {early.process.pid}


@pytest.mark.parametrize(
    "words",
    [("parse", "no-such-file.pdf"), ("no-such-file.pdf",), ("parse", "no-such.pdf", "--no-such-option"), ("parse",)],
)
def test_a_command_that_reads_nothing_leaves_no_process(tmp_path: Path, words: Sequence[str]) -> None:
    command = subprocess.Popen(
        [sys.executable, "-m", "docspec", *words], cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True
    )
    said = command.communicate(timeout=PATIENCE)[1]
    assert command.returncode != 0 and b"Traceback" not in said
    end = time.monotonic() + PATIENCE
    with pytest.raises(ProcessLookupError):  # of the command's session
        while time.monotonic() < end:
            os.killpg(command.pid, 0)
            time.sleep(0.02)


@pytest.mark.parametrize("why", ["a library has started a thread", "the system cannot"])
def test_a_child_starts_by_itself_where_a_fork_would_lack_something(
    isolation: Callable[..., Isolation], pdf: Path, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "the system cannot":
        monkeypatch.setattr(nursery, "can_fork", lambda: False)
    children = isolation(doubles.sound if why == "the system cannot" else doubles.threaded)
    assert drafted(children, pdf) == [1, 1, 1]
    assert {parent_of(pid) for pid in pids(children)} == {os.getpid()}
    assert children._nursery._process is None


def test_the_loss_of_that_process_costs_no_page(isolation: Callable[..., Isolation], pdf: Path) -> None:
    children = isolation(doubles.sound)
    assert drafted(children, pdf) == [1, 1, 1]
    process = children._nursery._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    assert gone(process.pid)
    assert drafted(children, pdf) == [1, 1, 1], "the children live on"
    for worker in children._workers:
        worker._drop()
    assert drafted(children, pdf) == [1, 1, 1], "others start by themselves"
    assert {parent_of(pid) for pid in pids(children)} == {os.getpid()}


def test_a_close_does_not_wait_for_what_is_loaded(isolation: Callable[..., Isolation], pdf: Path) -> None:
    children = isolation(doubles.slow_to_load)
    said: list[BaseException] = []

    def read() -> None:
        try:
            children.open(source_from_path(pdf))
        except InputError as error:
            said.append(error)

    reading = threading.Thread(target=read)
    reading.start()
    while children._nursery._process is None or not children._nursery._making.locked():
        time.sleep(0.01)
    process = children._nursery._process
    children.close()
    reading.join(PATIENCE)
    assert not reading.is_alive() and gone(process.pid)
    assert [str(error).rpartition(" ")[2] for error in said] == ["up"], "given up"
