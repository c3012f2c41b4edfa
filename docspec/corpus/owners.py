"""Which input wrote which document of an output folder, so that no other input of that name writes over it.

Runs over several documents note it in the manifest. Runs over one document have none, as many of them may write to one
folder at a time; each appends a line to a file of its folder.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from docspec.core.safe_text import dump_json
from docspec.corpus.manifest import read_history

FILE = ".docspec.inputs"
MOST_BYTES = 2**24
"""Bytes of the file that are read, the last ones."""


def owners_in(folder: Path) -> dict[str, str]:
    """The documents of ``folder``, by their places below it, and the absolute paths of their inputs."""
    owners: dict[str, str] = {}
    with contextlib.suppress(OSError):
        history = read_history(folder)
        owners |= history.listed
        owners |= {document: record.input for document, record in history.records.items()}
    with contextlib.suppress(OSError), (folder / FILE).open("rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - MOST_BYTES))
        for line in file:
            with contextlib.suppress(ValueError, TypeError, KeyError):
                values = json.loads(line)
                owners[str(values["document"])] = str(values["input"])
    return owners


def note_owner(folder: Path, document: str, path: str) -> None:
    """Notes that the input at ``path`` writes ``document``. A folder that cannot be written to is found out later."""
    if owners_in(folder).get(document) == path:
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            os.write(handle, (dump_json({"document": document, "input": path}) + "\n").encode())
        finally:
            os.close(handle)


def of_others(folder: Path, owners: dict[str, str], own: set[str]) -> dict[str, str]:
    """The documents in ``owners`` that stand in ``folder`` and are of other inputs than ``own``, which are still there:
    one that was moved and is read again keeps its document."""
    return {
        document: path
        for document, path in owners.items()
        if path not in own and (folder / document).is_file() and os.path.lexists(path)
    }
