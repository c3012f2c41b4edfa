"""Tests of kernels by Triton's interpreter, which has to be chosen before anything imports Triton: a file of them runs
itself once more, in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
interpreted = pytest.mark.skipif(not INTERPRETED, reason="runs in a process of its own")


def run_interpreted(file: str) -> None:
    """Runs the tests of ``file`` but those with ``interpreter`` in their names; none may fail or be skipped."""
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", "not interpreter", file],
        env={**os.environ, "TRITON_INTERPRET": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-6000:]
    assert re.search(r"\d+ passed", run.stdout) and "skipped" not in run.stdout
