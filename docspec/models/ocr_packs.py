"""Fetches the single file of a recognition model and checks it by its hash."""

from __future__ import annotations

import os
import urllib.request
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
