"""Threads of torch that have nothing to do do not burn a busy machine's time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docspec.process import SPINS, new_file_mode

IDLE = """
import docspec, time, torch
torch.set_num_threads(2)
a = torch.ones(64, 2048)
a.exp()
others = time.process_time() - time.thread_time()
for _ in range(100):
    a.exp()
    time.sleep(0.002)
print(time.process_time() - time.thread_time() - others)
"""
"""Prints the processor time of all threads but the main one, which waits for most of the time."""


def printed(code: str, **variables: str) -> str:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "OMP_NUM_THREADS")
    }
    run = subprocess.run(
        [sys.executable, "-c", code], env={**kept, **variables}, capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


def test_what_the_user_has_set_stays():
    said = "import docspec, os; print(os.environ.get('GOMP_SPINCOUNT'))"
    assert printed(said) == SPINS
    assert printed(said, GOMP_SPINCOUNT="7") == "7"
    assert printed(said, OMP_WAIT_POLICY="ACTIVE") == "None"


@pytest.mark.skipif(sys.platform != "linux", reason="torch waits in another library there")
def test_a_waiting_thread_sleeps():
    short, long = float(printed(IDLE)), float(printed(IDLE, GOMP_SPINCOUNT="100000000"))
    assert short < long / 2


HOME = Path(__file__).parents[1] / "docspec"
CHANGES = (
    r"os\.environ\[|environ\.(?:setdefault|update|pop)|os\.umask|sys\.settrace|set_num_threads\(|addaudithook"
    r"|signal\.signal\(|logging\.disable\(|disable_progress_bar|^    warnings\.simplefilter"
)
KNOWN = {
    "process.py",  # sets, and lists all the others
    "offline.py",
    "core/libraries.py",
    "console/exits.py",
    "generation/lifeline.py",  # processes of their own
    "isolation/nursery.py",
    "isolation/serving.py",
    "device_engine.py",
    "targets/chat_template.py",
    "targets/threads.py",
    "vllm/runner.py",  # vLLM's own process
}


def test_the_process_is_changed_only_where_that_is_listed() -> None:
    """Whoever adds a place lists it, in docspec/process.py."""
    changing = {
        str(file.relative_to(HOME)) for file in HOME.rglob("*.py") if re.search(CHANGES, file.read_text(), re.MULTILINE)
    }
    assert changing == KNOWN


def test_reading_the_umask_leaves_it_as_it_was() -> None:
    before = os.umask(0o027)
    try:
        assert new_file_mode() == 0o640
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
