"""Short hashes of all that a document's outputs depend on: the request, and the model.

A document is done where the manifest has it with the same input, request and model. The version of docspec is noted
there too, but does not count: ``--force`` reads everything again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from docspec.core import ParseOptions
from docspec.corpus.writing import OutputChoice

WITHOUT_EFFECT = frozenset(
    {
        "model",  # has a hash of its own
        "password",
        "offline",
        "device",
        "graphs",
        "kv_memory",
        "pages_in_flight",
        "server",
        "server_key",
        "max_wait",
        "engine_python",
        "baseline",
        "page_timeout",
        "document_timeout",
    }
)
"""Fields of ``ParseOptions`` that decide where and whether a page is read, not what is written of it."""

WHOLE = 2**22
"""Bytes up to which a model's file is hashed as a whole."""
WINDOWS, WINDOW = 64, 2**16
"""Of a larger file, so many windows of so many bytes, evenly spaced, are hashed with its size."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Hashes of the request and of the model."""

    options: str
    model: str


def identity_of(options: ParseOptions, writing: OutputChoice) -> Identity:
    """The identity of a request; finds the model, and fetches it where that has to be. Raises
    :class:`docspec.core.ModelError` where it cannot be had."""
    if options.has_other_engine:
        from docspec.generation.choice import served_identity

        served = hashlib.blake2b(served_identity(options).encode(), digest_size=8).hexdigest()
        return Identity(options_hash(options, writing), served)
    from docspec.targets.registry import locate

    return Identity(options_hash(options, writing), model_hash(Path(locate(options.model, options.offline))))


def options_hash(options: ParseOptions, writing: OutputChoice) -> str:
    """The hash of all options that outputs depend on."""
    request: Mapping[str, Any] = {
        "parse": {name: value for name, value in asdict(options).items() if name not in WITHOUT_EFFECT},
        "writing": asdict(writing),
    }
    return hashlib.blake2b(json.dumps(request, sort_keys=True, default=str).encode(), digest_size=8).hexdigest()


def model_hash(directory: Path) -> str:
    """The hash of a checkpoint's files; of large ones windows are hashed: training changes every window."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(each for each in directory.iterdir() if each.is_file()):
        if path.suffix.lower() in (".md", ".lock") or path.name.startswith("."):
            continue
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}\0".encode())
        with path.open("rb") as file:
            if size <= WHOLE:
                digest.update(file.read())
                continue
            for index in range(WINDOWS):
                file.seek(index * (size - WINDOW) // (WINDOWS - 1))
                digest.update(file.read(WINDOW))
    return digest.hexdigest()
