"""The journal of a run: one JSON line an item, written when the item is done, so that a run that was killed goes on.

The first line holds the settings. A line that was cut off in the middle is dropped and its item read again. Every
shard has a journal of its own; tables are made of all journals of a folder, which must have the same settings.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docspec.core import OutputError, UsageError

SCHEMA = "docspec.bench.suite.journal/1"
Record = dict[str, Any]


class Journal:
    """The journal of one shard, open for more lines.

    Raises :class:`UsageError` where the file is there and ``resume`` is not set, or was written with other settings.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], resume: bool) -> None:
        self._head = {"schema": SCHEMA, "settings": json.loads(json.dumps(settings))}
        self.done: set[str] = set()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            kept = _whole_lines(path) if path.exists() else b""
            if kept:
                if not resume:
                    raise UsageError(f"{path} is there already: --resume goes on with it, another -o begins anew")
                head, records = _parse(path, kept)
                _same_settings(path, head, self._head)
                self.done = {record["item"] for record in records}
            self._file = path.open("r+b" if path.exists() else "w+b")
            self._file.truncate(len(kept))
            self._file.seek(len(kept))
        except OSError as error:
            raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from error
        if not kept:
            self._write(self._head)

    def add(self, record: Record) -> None:
        """Writes ``record``, which names its ``item``; it is on the disk when this returns."""
        self._write(record)
        self.done.add(record["item"])

    def close(self) -> None:
        self._file.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def name_of(shard: tuple[int, int]) -> str:
    """The file of shard ``(i, n)`` in the folder of a run."""
    number, of = shard
    return "journal.jsonl" if of == 1 else f"journal-{number}-of-{of}.jsonl"


def read_journals(folder: Path) -> tuple[Mapping[str, Any], list[Record]]:
    """Settings and records of all journals in ``folder``, sorted by item.

    Raises :class:`UsageError` where there is none, or where they were written with different settings.
    """
    head: Mapping[str, Any] | None = None
    found: dict[str, Record] = {}
    for path in sorted(folder.glob("journal*.jsonl")):
        this, records = _parse(path, _whole_lines(path))
        if head is not None:
            _same_settings(path, this, head)
        head = head or this
        found.update((record["item"], record) for record in records)
    if head is None:
        raise UsageError(f"{folder}: holds no journal of docspec bench suite")
    return head["settings"], [found[item] for item in sorted(found)]


def _whole_lines(path: Path) -> bytes:
    """What of the file ends with a line's end."""
    content = path.read_bytes()
    return content[: content.rfind(b"\n") + 1]


def _parse(path: Path, content: bytes) -> tuple[dict[str, Any], Sequence[Record]]:
    try:
        lines = [json.loads(line) for line in content.split(b"\n")[:-1]]
    except ValueError as error:
        raise UsageError(f"{path}: is damaged ({error}); remove it to begin anew") from error
    if not lines or not isinstance(lines[0], dict) or lines[0].get("schema") != SCHEMA:
        raise UsageError(f"{path}: is not a journal of python -m benchmarks suite ({SCHEMA})")
    return lines[0], lines[1:]


def _same_settings(path: Path, one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    settings, wanted = one["settings"], other["settings"]
    differing = sorted(key for key in {*settings, *wanted} if settings.get(key) != wanted.get(key))
    if differing:
        said = ", ".join(f"{key} {settings.get(key)!r} against {wanted.get(key)!r}" for key in differing)
        raise UsageError(f"{path}: was written with other settings ({said}); choose another folder with -o")
