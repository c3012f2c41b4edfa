"""Authentication: API keys, compared in constant time, and the protection against web pages of other sites."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from docspec.serve.refusal import Refusal


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach ``host``."""
    if host in ("localhost", "testserver"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Access:
    """Identifies clients. Client names are hashes: no key appears in a log, a cache key or a file."""

    def __init__(self, keys: Sequence[str], local: bool = True) -> None:
        self._keys = [hashlib.sha256(key.encode()).digest() for key in keys]
        self._local = local

    @property
    def has_keys(self) -> bool:
        return bool(self._keys)

    def client(self, scope: Scope) -> str:
        """The name of the client that sent the request. Raises :class:`Refusal` (401, 403)."""
        headers = Headers(scope=scope)
        if not self._keys:
            self._refuse_other_sites(headers)
            return "address-" + _hash((scope.get("client") or ("unknown",))[0].encode())
        given = hashlib.sha256(_key_in(headers).encode("utf-8", "surrogateescape")).digest()
        # All keys are compared even after a match, so that the time does not tell which one matched.
        matches = [hmac.compare_digest(given, key) for key in self._keys]
        if not any(matches):
            raise Refusal(401, "a valid API key is needed: Authorization: Bearer KEY, or X-Api-Key: KEY")
        return "key-" + _hash(given)

    def _refuse_other_sites(self, headers: Headers) -> None:
        """Refuses web pages of other sites: without keys, any page in a user's browser could reach the user's own
        gateway."""
        host = _name_of(f"//{headers.get('host', '')}")
        if self._local and not is_loopback(host):
            raise Refusal(403, "this gateway answers on loopback alone; start it with --host and --api-key for others")
        origin = headers.get("origin")
        if origin is not None and _name_of(origin) != host:
            raise Refusal(403, "requests of web pages of other sites are refused; start the gateway with --api-key")


def _key_in(headers: Headers) -> str:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")


def _name_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]
