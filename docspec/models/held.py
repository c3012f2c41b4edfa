"""The models in the cache: lists, finds and removes them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from docspec.core import ModelError
from docspec.targets.registry import split_revision


@dataclass(frozen=True, slots=True)
class Held:
    """One revision of a model in the cache. ``refs`` are its names (``main``); ``freed`` are the bytes that removing it
    would free."""

    name: str
    revision: str
    path: Path
    size: int
    refs: tuple[str, ...]


def held() -> list[Held]:
    """Every revision with a ``config.json`` of every model in the cache, whichever program fetched it."""
    from huggingface_hub import scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    try:
        cache = scan_cache_dir()
    except CacheNotFound:
        return []
    found = [
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
    return sorted(found, key=lambda one: (one.name.lower(), "main" not in one.refs, one.revision))


def of_name(name: str) -> list[Held]:
    """The revisions of ``name`` in the cache; only the one of ``owner/model@revision``, which may be shortened."""
    repository, revision = split_revision(name)
    return [
        one
        for one in held()
        if one.name == repository and (revision is None or one.revision.startswith(revision) or revision in one.refs)
    ]


def remove(found: list[Held]) -> int:
    """Removes revisions from the cache; returns the freed bytes. Files that others share stay."""
    from huggingface_hub import scan_cache_dir

    if not found:
        raise ModelError("nothing to remove")
    plan = scan_cache_dir().delete_revisions(*(one.revision for one in found))
    plan.execute()
    return int(plan.expected_freed_size)
