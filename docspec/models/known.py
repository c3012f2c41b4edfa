"""The models to choose from: the published readers that the families name, and those in the cache."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from docspec.core import ModelError
from docspec.targets.families import families
from docspec.targets.registry import BUNDLED, locate, split_revision
from docspec.targets.validation import read_object


@dataclass(frozen=True, slots=True)
class Held:
    """One revision of a model in the cache. ``refs`` are its names (``main``); ``freed`` are the bytes that removing it
    would free."""

    name: str
    revision: str
    path: Path
    size: int
    refs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A model by name. ``held`` are its revisions in the cache; ``billions`` and ``licence`` are 0 and empty if its
    family does not name it; ``gguf``, its repository for llama.cpp, is empty if none is known."""

    name: str
    family: str = ""
    billions: float = 0.0
    licence: str = ""
    held: tuple[Held, ...] = ()
    gguf: str = ""


def entries() -> list[Entry]:
    """The bundled reader, every published reader that a family names, and other models of a family in the cache."""
    here: dict[str, list[Held]] = {}
    for one in held():
        here.setdefault(one.name, []).append(one)
    listed = [Entry("mini", model_type(BUNDLED), licence="Apache-2.0")] if BUNDLED.is_dir() else []
    for kind, family in families().items():
        if kind == family.model_types[0]:
            for checkpoint in family.checkpoints:
                mine = tuple(here.pop(checkpoint.name, ()))
                known = checkpoint.name, kind, checkpoint.billions, checkpoint.licence
                listed.append(Entry(*known, mine, checkpoint.gguf))
    others = [Entry(name, model_type(mine[0].path), held=tuple(mine)) for name, mine in here.items()]
    return listed + [entry for entry in others if entry.family in families()]


def entry_of(name: str) -> Entry:
    """The entry of one model: a known one, one in the cache, or a folder."""
    known = next((entry for entry in entries() if entry.name == name.partition("@")[0]), None)
    if known is not None:
        return known
    mine = tuple(of_name(name))
    path = mine[0].path if mine else Path(name).expanduser()
    return Entry(name, model_type(path), held=mine)


def model_type(path: Path) -> str:
    """The family that the ``config.json`` in ``path`` names; empty where there is none."""
    try:
        return str(read_object(path / "config.json").get("model_type", ""))
    except ModelError:
        return ""


def path_of(name: str) -> Path:
    """The path of the model ``name`` on this machine; opens no connection. Raises ``ModelError`` if it is missing."""
    try:
        return Path(locate(name, offline=True))
    except ModelError as error:
        if Path(name).expanduser().is_dir() or name.partition("@")[0].count("/") != 1 or name[0] in "./~":
            raise
        raise ModelError(f"{name} is not on this machine; fetch it with: docspec models download {name}") from error


def held() -> list[Held]:
    """Every revision with a ``config.json`` of every model in the cache, whichever program fetched it."""
    from huggingface_hub import scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    try:
        cache = scan_cache_dir()
    except CacheNotFound:
        return []
    revisions = [
        Held(
            repository.repo_id,
            revision.commit_hash,
            revision.snapshot_path,
            revision.size_on_disk,
            tuple(sorted(revision.refs)),
        )
        for repository in cache.repos
        if repository.repo_type == "model"
        for revision in repository.revisions
        if any(file.file_name == "config.json" for file in revision.files)
    ]
    return sorted(revisions, key=lambda one: (one.name.lower(), "main" not in one.refs, one.revision))


def of_name(name: str) -> list[Held]:
    """The revisions of ``name`` in the cache; only the one of ``owner/model@revision``, which may be shortened."""
    repository, revision = split_revision(name)
    return [
        one
        for one in held()
        if one.name == repository and (revision is None or one.revision.startswith(revision) or revision in one.refs)
    ]


def remove(revisions: list[Held]) -> int:
    """Removes revisions from the cache; returns the freed bytes. Files that others share stay."""
    from huggingface_hub import scan_cache_dir

    if not revisions:
        raise ModelError("nothing to remove")
    plan = scan_cache_dir().delete_revisions(*(one.revision for one in revisions))
    plan.execute()
    return int(plan.expected_freed_size)
