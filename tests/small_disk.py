"""A disk of a few KiB, for tests of what happens when it is full; they are skipped where none can be mounted."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def mounted(folder: Path, size: str, *more: str) -> bool:
    """Mounts a file system of ``size`` at ``folder``; false if that is not allowed here."""
    command = ["mount", "-t", "tmpfs", "-o", ",".join([f"size={size}", *more]), "docspec-test", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@contextmanager
def mount_point(folder: Path) -> Iterator[Path]:
    """A new ``folder`` at which a test mounts a disk; it is unmounted at the end."""
    folder.mkdir()
    if os.name != "posix" or not mounted(folder, "4k"):
        pytest.skip("no file system can be mounted here")
    subprocess.run(["umount", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)
