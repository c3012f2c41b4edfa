"""The processors and the memory that the control groups around this process allow: versions 1 and 2, at every level.

A container sees all processors of its machine, and is stopped for the rest of each period once its quota is used: with
64 processors in sight and a quota of two, 64 busy threads stand still for most of the time.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")

UNLIMITED = 2**60
"""Bytes from which on a limit of version 1 is none (it writes almost 2^63)."""


def quota(root: Path = ROOT, own: Path = OWN) -> float | None:
    """Processors that may be busy on average; ``None`` without a limit."""
    quotas = []
    for folder in _groups(root, own, "cpu"):
        with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
            most, period = (folder / "cpu.max").read_text(encoding="ascii").split()
            quotas.append(int(most) / int(period))
        with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
            most = (folder / "cpu.cfs_quota_us").read_text(encoding="ascii")
            quotas.append(int(most) / int((folder / "cpu.cfs_period_us").read_text(encoding="ascii")))
    return min((one for one in quotas if one > 0), default=None)


def memory_limit(root: Path = ROOT, own: Path = OWN) -> int | None:
    """Bytes that may be used; ``None`` without a limit."""
    return min((most for most, _ in _memories(root, own)), default=None)


def memory_room(root: Path = ROOT, own: Path = OWN) -> int | None:
    """Bytes that may still be used, cached files counted as free; ``None`` without a limit."""
    return min((max(0, most - used) for most, used in _memories(root, own)), default=None)


def _memories(root: Path, own: Path) -> Iterator[tuple[int, int]]:
    """The limit and the use of each group that has a limit."""
    names = (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes"))
    for folder in _groups(root, own, "memory"):
        for limit, use in names:
            with contextlib.suppress(OSError, ValueError):  # "max" where there is no limit
                most = int((folder / limit).read_text(encoding="ascii"))
                if most < UNLIMITED:
                    yield most, int((folder / use).read_text(encoding="ascii")) - _cached(folder)


def _cached(folder: Path) -> int:
    with contextlib.suppress(OSError, ValueError):
        lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
        sizes = dict(line.split(maxsplit=1) for line in lines)
        return int(sizes.get("total_inactive_file") or sizes.get("inactive_file") or 0)
    return 0


def _groups(root: Path, own: Path, controller: str) -> Iterator[Path]:
    """The folders of this process's group and of those around it, in either version. A container often sees its own
    group as the root, whatever its name outside is."""
    yield root
    yield root / controller
    try:
        lines = own.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, name = (*line.split(":", 2), "", "")[:3]
        if controllers and controller not in controllers.split(","):
            continue
        base = root if not controllers else root / controller
        place = PurePosixPath(name.lstrip("/"))
        if ".." not in place.parts:
            yield from (base / part for part in (place, *place.parents))


def visible() -> int:
    """The number of processors that this process may run on; 1 if the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processors() -> int:
    """The number of processors that this process may keep busy: those it may run on, at most its container's quota,
    rounded up."""
    allowed = _quota()
    return visible() if allowed is None else max(1, min(visible(), -int(-allowed // 1)))


@cache
def _quota() -> float | None:
    return quota()
