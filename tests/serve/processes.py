"""Servers of the tests: forked from a process that has imported what they need."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from functools import partial
from typing import Any

from benchmarks.serving import processes
from tests.forked import ForkedRun

ROOT, Served = processes.ROOT, processes.Served

MAINS = {"docspec": "docspec.cli:main", "benchmarks.serving.standin": "benchmarks.serving.standin:run"}


def forked(command: Sequence[str], **keywords: Any) -> subprocess.Popen[str]:
    """A module as a fork of a process that has imported it."""
    module, *words = command
    return ForkedRun([MAINS[module], *words], **keywords)


gateway = partial(processes.gateway, begin=forked)
stand_in = partial(processes.stand_in, begin=forked)
