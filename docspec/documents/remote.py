"""Documents that are named by an address: of the web, downloaded once, whole, and not beyond a size; or on other file
systems (``s3://bucket/scans/``, ``gs://``, all that fsspec knows), found here and fetched whole when they are opened.

The package of each file system finds keys and addresses of servers in its own settings (``AWS_ENDPOINT_URL``).
"""

from __future__ import annotations

import glob
import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from docspec.core import InputError, UsageError
from docspec.core.paths import inside
from docspec.core.safe_text import first_line
from docspec.documents.inputs import by_folder
from docspec.documents.sources import ADDRESS, SUFFIXES, SUPPORTED, Skipped, Source, is_address, sniff_kind

PACKAGES = {"s3": "docspec-vlm[s3]", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs", "az": "adlfs"}

MOST_BYTES = 256 * 2**20
"""Most bytes of a download: about those of a book of a thousand scanned pages."""

SECONDS = 60.0
"""Seconds without a byte that end a download."""


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
        entries = fs.glob(path, detail=True) if glob.has_magic(path) else fs.find(path, detail=True)
    except Exception as error:
        raise InputError(f"{given}: cannot be looked at ({type(error).__name__}: {first_line(error)})") from error
    files = {PurePosixPath(name): info for name, info in entries.items() if info.get("type") == "file"}
    base = PurePosixPath(path)
    if glob.has_magic(path):
        base = PurePosixPath(*base.parts[: next(i for i, part in enumerate(base.parts) if glob.has_magic(part))])
    if base in files:
        base = base.parent
    has_any = False
    for name in sorted(files, key=by_folder):
        relative, url = name.relative_to(base), fs.unstrip_protocol(str(name))
        kind = SUFFIXES.get(name.suffix.lower())
        if inside(Path(), relative.as_posix()) is None:
            yield Skipped(PurePosixPath(url), "its name leads out of the folder")
            continue
        if kind is None or any(part.startswith(".") for part in relative.parts):
            yield Skipped(PurePosixPath(url), f"not a {SUPPORTED} file")
            continue
        has_any = True
        yield Source(url, kind, relative, url=url, stamp=_stamp(files[name]))
    if not has_any:
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


def at_address(address: str) -> Source:
    """The document at ``address``, which is downloaded when it is opened. Its kind is known only then; its name gives
    the likely one."""
    parts = urlsplit(address)
    named = os.fsdecode(unquote(parts.path).encode("utf-8", "replace"))  # as this file system spells it
    name = Path(named).name or parts.hostname or "download"
    kind = SUFFIXES.get(Path(name).suffix.lower(), "pdf")
    return Source(_shown(address), kind, Path(name), url=address)


def _shown(address: str) -> str:
    """``address`` without passwords and keys."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"


def download(address: str, most: int = MOST_BYTES) -> Source:
    """The document at ``address``. Raises :class:`InputError` where it cannot be had, is larger than ``most`` bytes or
    of no known kind."""
    shown = _shown(address)
    request = urllib.request.Request(address, headers={"User-Agent": "docspec"})
    try:
        opener = urllib.request.build_opener(_WebOnly)
        with opener.open(request, timeout=SECONDS) as answer:
            data = answer.read(most + 1)
    except urllib.error.HTTPError as error:
        raise InputError(f"{shown}: cannot be downloaded (the server answers {error.code} {error.reason})") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(f"{shown}: cannot be downloaded ({reason})") from None
    if len(data) > most:
        raise InputError(f"{shown}: larger than {most / 2**20:g} MiB; download it yourself and name the file")
    kind = sniff_kind(data[:1024])
    if kind is None:
        raise InputError(f"{shown}: is not a {SUPPORTED} file")
    return replace(at_address(address), kind=kind, data=data)


class _WebOnly(urllib.request.HTTPRedirectHandler):
    """Follows no redirection to a file of this machine or another protocol."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
        if not is_address(newurl):
            raise urllib.error.URLError(f"redirected to {newurl[:80]}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
