"""Documents on other file systems (``s3://bucket/scans/``, ``gs://``, all that fsspec knows): found here, and fetched
as a whole when they are opened.

The package of each file system finds keys and addresses of servers in its own settings (``AWS_ENDPOINT_URL``).
"""

from __future__ import annotations

import glob
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from docspec.core import InputError, UsageError
from docspec.core.paths import inside
from docspec.core.safe_text import first_line
from docspec.documents.download import download
from docspec.documents.sources import ADDRESS, SUFFIXES, SUPPORTED, Skipped, Source, by_folder, is_address

PACKAGES = {"s3": "docspec-vlm[s3]", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs", "az": "adlfs"}


def is_remote(given: str) -> bool:
    """Whether ``given`` names a place on another file system."""
    return ADDRESS.match(given) is not None and not is_address(given)


def file_system(url: str) -> tuple[Any, str]:
    """The file system that ``url`` names, and the path there. Raises :class:`UsageError` for an unknown one."""
    from fsspec.core import url_to_fs

    try:
        fs, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        package = PACKAGES.get(url.partition(":")[0].lower())
        how = f"; pip install '{package}'" if package else ""
        raise UsageError(f"{url}: {first_line(error)}{how}") from error
    return fs, path


def listed(given: str) -> Iterator[Source | Skipped]:
    """The documents at ``given``, a file, a folder or a pattern, in natural order of their names. Raises
    :class:`InputError` if there are none or the place cannot be listed."""
    fs, path = file_system(given)
    try:
        found = fs.glob(path, detail=True) if glob.has_magic(path) else fs.find(path, detail=True)
    except Exception as error:
        raise InputError(f"{given}: cannot be looked at ({type(error).__name__}: {first_line(error)})") from error
    files = {PurePosixPath(name): info for name, info in found.items() if info.get("type") == "file"}
    base = PurePosixPath(path)
    if glob.has_magic(path):
        base = PurePosixPath(*base.parts[: next(i for i, part in enumerate(base.parts) if glob.has_magic(part))])
    if base in files:
        base = base.parent
    found_any = False
    for name in sorted(files, key=by_folder):
        relative, url = name.relative_to(base), fs.unstrip_protocol(str(name))
        kind = SUFFIXES.get(name.suffix.lower())
        if inside(Path(), relative.as_posix()) is None:
            yield Skipped(PurePosixPath(url), "its name leads out of the folder")
            continue
        if kind is None or any(part.startswith(".") for part in relative.parts):
            yield Skipped(PurePosixPath(url), f"not a {SUPPORTED} file")
            continue
        found_any = True
        yield Source(url, kind, relative, url=url, stamp=_stamp(files[name]))
    if not found_any:
        raise InputError(f"{given}: no {SUPPORTED} file there")


def fetched(source: Source) -> Source:
    """``source`` with its bytes, where it lies on another file system. Raises :class:`InputError`."""
    if source.url is None or source.data is not None:
        return source
    if is_address(source.url):
        return download(source.url)
    fs, path = file_system(source.url)
    try:
        return replace(source, data=fs.cat_file(path))
    except Exception as error:
        why = f"{type(error).__name__}: {first_line(error)}"
        raise InputError(f"{source.name}: cannot be fetched ({why})") from error


def _stamp(info: dict[str, Any]) -> tuple[int, int] | None:
    """Size and time (in nanoseconds) of a file, if its file system tells both."""
    when = next((info[key] for key in ("LastModified", "mtime", "updated", "created") if info.get(key)), None)
    when = datetime.fromisoformat(when) if isinstance(when, str) else when
    seconds = when.timestamp() if isinstance(when, datetime) else when
    size = info.get("size")
    return None if seconds is None or size is None else (int(size), int(seconds * 1e9))
