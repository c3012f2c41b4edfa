"""An output folder on another file system: a run works in a folder of this machine and puts finished documents there.

Manifest and page journals grow by appending, which object stores do not know. So they live in the local folder; the
manifest is uploaded whole, now and then and at the end, always after the documents that it lists.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from pathlib import Path

from docspec.core import OutputError
from docspec.core.paths import cache_folder
from docspec.core.safe_text import first_line
from docspec.corpus.manifest import NAME
from docspec.documents.remote import file_system

EVERY = 30.0
"""Seconds between two uploads of the manifest, which together take no more than a tenth of all time."""


class Mirror:
    """The output folder at ``url``, and the local ``folder`` in which the run works. Raises :class:`OutputError` where
    it cannot be used."""

    def __init__(self, url: str) -> None:
        self._fs, root = file_system(url)
        self._url, self._root = url.rstrip("/"), root.rstrip("/")
        self.folder = cache_folder() / "outputs" / hashlib.blake2b(self._url.encode(), digest_size=12).hexdigest()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._next = 0.0
        try:
            self._fs.invalidate_cache()
            listed = self._fs.find(self._root)
        except FileNotFoundError:
            listed = []
        except Exception as error:
            raise self._error("cannot be looked at", error) from error
        self._names = {name[len(self._root) :].lstrip("/") for name in listed}

    def has(self, name: str) -> bool:
        return name in self._names

    def fetch(self, own: Path) -> None:
        """Fetches the lines of the output folder's manifests; ``own`` is the local one that this run holds and appends
        to."""
        for name in filter(NAME.fullmatch, self._names):
            data: bytes = self._fs.cat_file(f"{self._root}/{name}")
            here = self.folder / name
            if here != own:
                here.write_bytes(data)
            elif not (known := here.read_bytes()).startswith(data):
                lines = data.splitlines(keepends=True)
                here.write_bytes(data + b"".join(line for line in known.splitlines(keepends=True) if line not in lines))

    def put(self, files: Iterable[Path]) -> None:
        """Moves ``files`` of the local folder to the output folder."""
        for file in files:
            self._put(file)
            file.unlink()
            self._names.add(file.relative_to(self.folder).as_posix())

    def put_manifest(self, manifest: Path, *, now: bool = False) -> None:
        """Uploads the manifest if it is time to, or ``now``."""
        began = time.monotonic()
        if (now or began >= self._next) and manifest.stat().st_size:
            self._put(manifest)
            taken = time.monotonic() - began
            self._next = began + max(EVERY, 10 * taken)

    def place_of(self, path: str) -> str:
        """The place of a file that a run wrote at ``path``."""
        return path.replace(str(self.folder), self._url, 1)

    def _put(self, file: Path) -> None:
        try:
            target = f"{self._root}/{file.relative_to(self.folder).as_posix()}"
            self._fs.makedirs(target.rpartition("/")[0], exist_ok=True)
            self._fs.pipe_file(target, file.read_bytes())
        except Exception as error:
            raise self._error("cannot be written", error) from error

    def _error(self, what: str, error: Exception) -> OutputError:
        return OutputError(f"{self._url}: {what} ({type(error).__name__}: {first_line(error)})")
