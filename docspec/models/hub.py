"""Looks a model up on the hub and fetches it: revision, licence and size are known before the download.

Files are checked by the hub's hashes. huggingface_hub keeps the listing of each revision that it fetched
(``trees/COMMIT.json``), with the SHA-256 of large files and git's hash of small ones. A folder from elsewhere has no
hashes; the headers of its weights are checked, which show whether files were cut off. The single file of a recognition
model is fetched and checked by its hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from docspec.core import ModelError
from docspec.core.paths import file_hash
from docspec.core.safe_text import first_line
from docspec.targets.estimate import gib
from docspec.targets.registry import HUB_FILES, split_revision

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


UNKNOWN = "not stated"

FORMAT = "Q8_0"
"""Default number format of a fetched GGUF file: 8 bits change texts least of the small formats."""

TOWERS = ("f16", "bf16", "f32")
"""Formats of a picture tower, the preferred one first: towers are small, and all that is seen passes through them."""


@dataclass(frozen=True, slots=True)
class PublishedRevision:
    """One revision of a model on the hub: ``files`` are those that docspec needs, with their sizes in bytes."""

    name: str
    revision: str
    licence: str
    files: dict[str, int]
    requested: str | None = None
    """The revision that was asked for, a name perhaps; ``None`` for the newest."""
    gated: bool = False

    @property
    def size(self) -> int:
        return sum(self.files.values())

    @property
    def is_gguf(self) -> bool:
        """Whether it is for llama.cpp; then ``files`` are the model and its picture tower."""
        return all(file.endswith(".gguf") for file in self.files)


def ask(name: str, number_format: str | None = None) -> PublishedRevision:
    """The hub's revision of ``name`` (``owner/model`` or ``owner/model@revision``). Of GGUF files, the one in
    ``number_format`` (``None``: :data:`FORMAT`) and its picture tower are taken.

    Raises :class:`docspec.core.ModelError` in one line if the hub does not answer or has no such model.
    """
    from huggingface_hub import HfApi

    repository, revision = split_revision(name)
    try:
        info = HfApi().model_info(repository, revision=revision, files_metadata=True)
    except Exception as error:
        raise unreachable(name, error) from error
    card: Any = info.card_data or {}
    sizes = {file.rfilename: file.size or 0 for file in info.siblings or ()}
    if any(file.endswith(".safetensors") for file in sizes):
        files = {file: size for file, size in sizes.items() if _needed(file)}
    else:
        files = {file: sizes[file] for file in gguf_files(name, sizes, number_format)}
    licence = str(card.get("license_name") or card.get("license") or UNKNOWN)
    return PublishedRevision(repository, str(info.sha), licence, files, revision, bool(info.gated))


def download(model: PublishedRevision, folder: Path | None = None) -> Path:
    """Fetches ``model`` into the cache, or into ``folder``, checks it by the hub's hashes, and returns its path.

    Whole files are never fetched twice, and a broken connection goes on where it stopped. Raises
    :class:`docspec.core.ModelError` in one line; files that arrived damaged are removed.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.constants import HF_HUB_CACHE

    _check_room(model, Path(folder or HF_HUB_CACHE))
    try:
        path = Path(
            snapshot_download(
                model.name,
                revision=model.requested,
                allow_patterns=list(model.files) if model.is_gguf else HUB_FILES,
                local_dir=folder,
            )
        )
    except Exception as error:
        raise unreachable(model.name, error) from error
    broken = broken_files(path, needed=model.files)
    for file in broken:
        link = path / file.name
        if link.is_file():
            link.resolve().unlink()
            link.unlink(missing_ok=True)
    if broken:
        raise ModelError(
            f"{model.name}: {len(broken)} files arrived damaged and were removed, the first is {broken[0].name} "
            f"({broken[0].why}); run the same command again"
        )
    return next(path / file for file in model.files) if model.is_gguf else path


def gguf_files(name: str, files: Iterable[str], number_format: str | None) -> list[str]:
    """The ``files`` of one model for llama.cpp: its weights, and its picture tower if there is one. Raises
    :class:`docspec.core.ModelError` if none is in that format, or there is none at all."""
    all_files = sorted(file for file in files if file.endswith(".gguf"))
    towers = [file for file in all_files if "mmproj" in file.lower()]
    models = [file for file in all_files if file not in towers]
    if not models:
        raise ModelError(f"{name}: the hub has no weights of it as safetensors or GGUF, which docspec reads")
    fitting = [file for file in models if (number_format or FORMAT).lower() in file.lower()]
    if not fitting and number_format is None and len(models) == 1:
        fitting = models
    if len(fitting) != 1:
        raise ModelError(f"{name} has {', '.join(models)}; choose one by a part of its name with --format")
    order = sorted(towers, key=lambda file: next((at for at, kind in enumerate(TOWERS) if kind in file.lower()), 9))
    return [*fitting, *order[:1]]


def unreachable(name: str, error: Exception) -> ModelError:
    """The error of a hub that does not answer, with a remedy."""
    from huggingface_hub import errors
    from huggingface_hub.constants import ENDPOINT

    if isinstance(error, errors.GatedRepoError):
        todo = f"accept its licence on {ENDPOINT}/{name} and log in (hf auth login, or HF_TOKEN)"
        return ModelError(f"{name} is given out only to those who accept its licence: {todo}")
    if isinstance(error, errors.RevisionNotFoundError):
        return ModelError(f"{name}: {ENDPOINT} has no such revision")
    if isinstance(error, errors.RepositoryNotFoundError):
        return ModelError(f"{name}: {ENDPOINT} has no such model, or only for those who are logged in")
    if isinstance(error, errors.OfflineModeIsEnabled):
        return ModelError(f"{name} cannot be asked for: offline is asked for (--offline or HF_HUB_OFFLINE)")
    if isinstance(error, errors.HFValidationError):
        return ModelError(f"{name} is no hub name; it has the form owner/model or owner/model@revision")
    return ModelError(
        f"{name} cannot be had from {ENDPOINT}: {first_line(error)}; check the network, or HF_ENDPOINT; what has "
        "arrived is kept"
    )


def _needed(file: str) -> bool:
    return any(fnmatch(file, pattern) for pattern in HUB_FILES)


def _check_room(model: PublishedRevision, folder: Path) -> None:
    """Raises ``ModelError`` if the disk cannot hold the missing files."""
    there = next(part for part in (folder, *folder.absolute().parents) if part.is_dir())
    free = shutil.disk_usage(there).free
    wanted = model.size - _present(model, folder)
    if wanted > free:
        raise ModelError(
            f"{model.name} needs {gib(wanted)} more in {there}, where {gib(free)} are free; make room, or set HF_HOME "
            "to another disk"
        )


def _present(model: PublishedRevision, folder: Path) -> int:
    from huggingface_hub.file_download import repo_folder_name

    snapshot = folder / repo_folder_name(repo_id=model.name, repo_type="model") / "snapshots" / model.revision
    places: Iterable[Path] = (folder, snapshot)
    return sum(
        size
        for file, size in model.files.items()
        if any((place / file).is_file() and (place / file).stat().st_size == size for place in places)
    )
