"""Whatever ends the parent ends its children, even inside a native call, and nothing that was shared stays behind."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from docspec.documents.sources import source_from_path
from docspec.isolation.child import BOOT
from docspec.isolation.pool import Isolation
from tests.isolation import doubles
from tests.isolation.doubles import wanted

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0

PARENT = """
import sys
from pathlib import Path
from docspec.console import exits
from docspec.core import ParseOptions
from docspec.documents.sources import source_from_path
from docspec.isolation.pool import Isolation
from tests.isolation import doubles
from tests.isolation.doubles import wanted

exits.stop_on_signals()
children = Isolation(ParseOptions(drafter="text-layer"), doubles.hanging)
document = children.open(source_from_path(Path(sys.argv[1])))
pages = children.pages(iter([(document, 1), (document, 2)]), wanted(), 1)
next(pages)
nursery = children._nursery._process
print(children._workers[0]._child.pid, *([nursery.pid] if nursery else []), flush=True)
if sys.argv[2] == "leave":
    sys.stdin.read()
    sys.exit(0)
next(pages)
"""
"""Without a main guard, as many scripts are: a child must not run it once more."""


PATHS, WORK = pickle.dumps(([], sys.path)), pickle.dumps(("desk", None, None))


@pytest.mark.parametrize("written", [b"", PATHS[:-9], PATHS, PATHS + WORK[:-5]])
def test_a_parent_that_ends_while_it_begins_a_child_leaves_no_traceback(written):
    command = [sys.executable, "-c", BOOT]
    child = subprocess.run(command, input=written, capture_output=True, timeout=PATIENCE, cwd=ROOT)
    assert (child.returncode, child.stderr) == (0, b"")


def is_running(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def gone(pid: int) -> bool:
    end = time.monotonic() + PATIENCE
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_running(pid)


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="tells processes by /proc")


@needs_proc
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's help is Linux's")
@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM", "leave"])
def test_no_child_outlives_its_parent_even_in_a_native_call(tmp_path: Path, pdf: Path, end: str) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    before = set(Path("/dev/shm").iterdir())
    process = subprocess.Popen(
        [sys.executable, str(script), str(pdf), end],
        stdin=subprocess.PIPE,  # which "leave" waits for the end of
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    assert process.stdout is not None
    children = list(map(int, process.stdout.readline().split()))
    assert all(map(is_running, children))
    if end == "SIGKILL":
        process.kill()
    elif end != "leave":
        os.killpg(process.pid, getattr(signal, end))  # the child gets it too, as from a terminal
    process.communicate(timeout=PATIENCE)
    assert all(map(gone, children))
    assert not [name for name in set(Path("/dev/shm").iterdir()) - before if "docspec" in name.name]


@needs_proc
def test_children_end_with_close_and_with_a_parser_that_is_dropped(
    isolation: Callable[..., Isolation], pdf: Path
) -> None:
    opened = len(list(Path("/proc/self/fd").iterdir()))
    pids = []
    for close in (True, False):
        children = Isolation(isolation(doubles.sound)._settings.options, doubles.sound)
        document = children.open(source_from_path(pdf))
        assert len(list(children.pages(iter([(document, 1)]), wanted(), 0))) == 1
        child = children._workers[0]._child
        assert child is not None
        pids.append(child.pid)
        if close:
            children.close()
        del children, child
    assert all(map(gone, pids))
    assert len(list(Path("/proc/self/fd").iterdir())) == opened


@needs_proc
def test_a_close_ends_a_child_that_hangs(isolation: Callable[..., Isolation], pdf: Path) -> None:
    children = isolation(doubles.hanging)
    document = children.open(source_from_path(pdf))
    pages = children.pages(iter([(document, 1), (document, 2)]), wanted(), 1)
    next(pages)
    child = children._workers[0]._child
    assert child is not None
    children.close()
    pages.close()
    assert gone(child.pid)
