"""Addresses of servers: how they are written, who may be asked through a proxy, and what the environment says of that.

A server on this machine is asked directly, whatever the environment says: no proxy can reach it, and a page's picture
is not a proxy's business.
"""

from __future__ import annotations

import base64
import os
import ssl
import urllib.request
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx2

from docspec.core import ModelError, UsageError
from docspec.core.safe_text import first_line, without_secrets
from docspec.offline import is_here

CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""Variables that name the certificates of authorities."""


def base_of(url: str) -> str:
    """The base URL of a server, without ``/v1`` and without user name and password; its scheme is ``http://`` if none
    is given. Raises :class:`docspec.core.UsageError`."""
    given = without_secrets(_with_scheme(url))
    try:
        parts = urlsplit(given)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise UsageError(f"--server {without_secrets(url)}: no address of a server; write it as http://host:8000")
    return given.rstrip("/").removesuffix("/v1").rstrip("/")


def authorization_in(url: str) -> str | None:
    """The ``Authorization`` header for the user name and password in ``url``, if there are any."""
    user, at, _ = urlsplit(_with_scheme(url)).netloc.rpartition("@")
    return f"Basic {base64.b64encode(unquote(user).encode()).decode()}" if at else None


def _with_scheme(url: str) -> str:
    return url.strip() if "://" in url else f"http://{url.strip()}"


def proxy_of(url: str) -> str | None:
    """The environment's variable that sends requests for ``url`` to a proxy."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_here(host) or urllib.request.proxy_bypass_environment(host):  # type: ignore[attr-defined]
        return None
    names = (f"{parts.scheme}_proxy", "all_proxy")
    set_names = (one for name in names for one in (name, name.upper()) if os.environ.get(one))
    return next(set_names, None)


def client_for(url: str, **settings: Any) -> httpx2.AsyncClient:
    """A client for the server at ``url``. Raises :class:`docspec.core.ModelError` with the variable of the environment
    that is at fault."""
    here = is_here(urlsplit(url).hostname or "")
    trusted = _certificates() if url.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        return httpx2.AsyncClient(verify=trusted, trust_env=not here, **settings)
    except Exception as error:
        asked = [name for name in (proxy_of(url), "NO_PROXY", "no_proxy") if name and os.environ.get(name)]
        said = without_secrets(", ".join(f"{name}={os.environ.get(name)}" for name in asked))
        raise ModelError(
            f"{url} cannot be asked as the environment says ({said or 'a proxy'}): {first_line(error)}"
        ) from error


@cache
def _certificates() -> ssl.SSLContext:
    for name in CERTIFICATES:
        if (path := os.environ.get(name)) and not Path(path).exists():
            raise ModelError(f"{name}={path}: there is nothing; unset it, or name the file of your authorities")
    try:
        return httpx2.create_ssl_context()
    except Exception as error:
        said = ", ".join(f"{name}={os.environ.get(name)}" for name in CERTIFICATES if os.environ.get(name))
        raise ModelError(f"{said or 'certificates'}: cannot be read ({first_line(error)})") from error
