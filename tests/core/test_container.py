"""Limits of control groups, in the files of both versions, at every level."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import docspec
from docspec.core import container
from docspec.doctor import devices
from docspec.isolation.pool import machine_memory
from docspec.targets.estimate import free_ram

NONE = str(2**63 - 4096)


def tree(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


@pytest.mark.parametrize(
    ("own", "files", "cpus", "memory"),
    [
        ("0::/", {"cpu.max": "200000 100000", "memory.max": "1000", "memory.current": "10"}, 2.0, 1000),
        ("0::/", {"cpu.max": "max 100000", "memory.max": "max"}, None, None),
        ("0::/", {}, None, None),
        ("0::/a/b", {"a/cpu.max": "150000 100000", "a/b/cpu.max": "400000 100000", "a/memory.max": "7"}, 1.5, None),
        ("0::/a/b", {"a/memory.max": "7", "a/memory.current": "0", "a/b/memory.max": "max"}, None, 7),
        (
            "4:cpu,cpuacct:/docker/x\n5:memory:/docker/x",
            {
                "cpu/docker/x/cpu.cfs_quota_us": "50000",
                "cpu/docker/x/cpu.cfs_period_us": "100000",
                "memory/docker/x/memory.limit_in_bytes": "2000",
                "memory/docker/x/memory.usage_in_bytes": "500",
                "memory/memory.limit_in_bytes": NONE,
                "memory/memory.usage_in_bytes": "500",
            },
            0.5,
            2000,
        ),
        # inside a container the group's name is that of outside, and its files are at the root
        (
            "4:cpu,cpuacct:/docker/x\n5:memory:/docker/x",
            {"cpu/cpu.cfs_quota_us": "300000", "cpu/cpu.cfs_period_us": "100000"},
            3.0,
            None,
        ),
        ("4:cpu:/", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None, None),
        ("0::/../../x", {"cpu.max": "0 0"}, None, None),
        ("nonsense", {"cpu.max": "much"}, None, None),
    ],
)
def test_limits_are_found(tmp_path: Path, own: str, files: dict[str, str], cpus: float, memory: int) -> None:
    tree(tmp_path, {"own": own, **files})
    assert container.quota(tmp_path, tmp_path / "own") == cpus
    assert container.memory_limit(tmp_path, tmp_path / "own") == memory


def test_what_is_cached_counts_as_free(tmp_path: Path) -> None:
    tree(tmp_path, {"own": "0::/", "memory.max": "1000", "memory.current": "900"})
    assert container.memory_room(tmp_path, tmp_path / "own") == 100
    tree(tmp_path, {"memory.stat": "anon 300\ninactive_file 600\nslab 1"})
    assert container.memory_room(tmp_path, tmp_path / "own") == 700


def test_a_quota_decides_whatever_is_in_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "visible", lambda: 64)
    for allowed, expected in ((2.0, 2), (1.5, 2), (0.2, 1), (None, 64), (100.0, 64)):
        monkeypatch.setattr(container, "_quota", lambda allowed=allowed: allowed)
        assert container.processors() == expected


def test_limits_reach_those_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docspec.isolation.pool.memory_limit", lambda: 2**30)
    monkeypatch.setattr("docspec.targets.estimate.memory_room", lambda: 2**20)
    assert machine_memory() == 2**30 and free_ram() == 2**20
    monkeypatch.setattr("docspec.doctor.visible", lambda: 64)
    monkeypatch.setattr("docspec.doctor.quota", lambda: 2.0)
    monkeypatch.setattr("docspec.doctor.memory_limit", lambda: 3 * 2**30)
    said = next(devices()).detail
    assert "of 64, by the container's quota of 2" in said and "3.0 GiB of memory by the container's limit" in said


def test_nobody_counts_processors_past_the_limits() -> None:
    base = Path(docspec.__file__).parent
    counting = re.compile(r"cpu_count\(|sched_getaffinity\(")
    found = {
        file.relative_to(base).as_posix() for file in base.rglob("*.py") if counting.search(file.read_text("utf-8"))
    }
    assert found == {"core/container.py", "doctor.py"}
