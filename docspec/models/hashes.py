"""Checks that the files of a model are the published ones, by the hub's hashes, which the download left beside them.

huggingface_hub keeps the listing of each revision that it fetched (``trees/COMMIT.json``), with the SHA-256 of large
files and git's hash of small ones. A folder from elsewhere has no hashes; the headers of its weights are checked, which
show whether files were cut off.

The single file of a recognition model is fetched and checked by its hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from docspec.core import ModelError
from docspec.core.paths import file_hash
from docspec.core.safe_text import first_line

SECONDS = 60.0
"""Time limit of a connection that brings nothing."""

PIECE = 1 << 20


def fetch(address: str, sha256: str, file: Path) -> Path:
    """Fetches ``address`` to ``file``, unless it is there already, and returns that. The file appears whole and as
    published, or not at all. Raises :class:`ModelError` in one line."""
    if file.is_file() and file_hash(file) == sha256:
        return file
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        request = urllib.request.Request(address, headers={"User-Agent": "docspec"})
        with urllib.request.urlopen(request, timeout=SECONDS) as answer, part.open("wb") as stream:
            while piece := answer.read(PIECE):
                stream.write(piece)
        if (digest := file_hash(part)) != sha256:
            hashes = f"SHA-256 {digest[:12]}, not {sha256[:12]}"
            raise ModelError(f"{address} is not as published ({hashes}); nothing was kept")
        part.replace(file)
    except (OSError, ValueError) as error:
        raise ModelError(f"{address} cannot be fetched: {first_line(error)}") from error
    finally:
        part.unlink(missing_ok=True)
    return file


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that differs from the published one, and why."""

    name: str
    why: str


def listing(path: Path) -> dict[str, dict[str, str]] | None:
    """The hub's listing of the revision in ``path`` (a snapshot of the cache, or a folder it was fetched into)."""
    places = [path.parent.parent / "trees" / f"{path.name}.json"]
    places += sorted((path / ".cache" / "huggingface" / "trees").glob("*.json"))
    for place in places:
        try:
            files = json.loads(place.read_text(encoding="utf-8"))["files"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if isinstance(files, dict):
            return files
    return None


def broken_files(path: Path, needed: Iterable[str] = ()) -> list[Broken]:
    """Files below ``path`` that are missing (of ``needed``, and shards that an index names) or not as published."""
    published = listing(path) or {}
    wanted = dict.fromkeys([*needed, *_shards(path)])
    broken = [Broken(name, "missing") for name in wanted if not (path / name).is_file()]
    for name in sorted(_files(path)):
        entry = published.get(name)
        why = _differs(path / name, entry) if entry is not None else _cut_off(path / name)
        if why:
            broken.append(Broken(name, why))
    return broken


def _files(path: Path) -> list[str]:
    files = (file.relative_to(path) for file in path.rglob("*") if file.is_file())
    return [file.as_posix() for file in files if file.parts[0] != ".cache"]


def _shards(path: Path) -> set[str]:
    shards: set[str] = set()
    for index in path.glob("*.safetensors.index.json"):
        try:
            shards.update(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        except (ValueError, KeyError, AttributeError):
            continue  # its hash or loading it decides
    return shards


def _differs(file: Path, entry: dict[str, str]) -> str:
    large = entry.get("lfs_sha256")
    size = file.stat().st_size
    if size != int(entry["size"]):
        return f"{size} bytes instead of {entry['size']}"
    start = b"" if large else f"blob {size}\0".encode()
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, lambda: hashlib.new("sha256" if large else "sha1", start))
    return "" if digest.hexdigest() == (large or entry["blob_id"]) else "other content than published"


def _cut_off(file: Path) -> str:
    """The reason why the weights in ``file`` are incomplete, by their header."""
    if file.suffix != ".safetensors":
        return ""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(file), "np") as weights:
            weights.keys()
    except SafetensorError as error:
        return str(error)
    return ""
