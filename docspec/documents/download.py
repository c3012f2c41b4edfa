"""Inputs that are named by an address: fetched once, whole, and not beyond a size."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docspec.core import InputError
from docspec.documents.sources import SUFFIXES, SUPPORTED, Source, is_address, sniff_kind

MOST_BYTES = 256 * 2**20
"""Most bytes of a download: about those of a book of a thousand scanned pages."""

SECONDS = 60.0
"""Seconds without a byte that end a download."""


def at_address(address: str) -> Source:
    """The document at ``address``, which is downloaded when it is opened. Its kind is known only then; its name gives
    the likely one."""
    parts = urlsplit(address)
    name = Path(unquote(parts.path)).name or parts.hostname or "download"
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
