"""Fetches the URLs in requests (``--allow-urls``), from public addresses only.

A host name may resolve to an address of the gateway's own network, a redirect may lead there, and a name may resolve
differently for the check and for the connection. So each hop is resolved here, every resolved address is checked, and
the connection goes to a checked address.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import socket
from collections.abc import Callable
from functools import cached_property
from urllib.parse import urljoin, urlsplit

import aiohttp

from docspec.serve.refusal import Refusal

MOST_HOPS = 4
SECONDS = 30.0
REDIRECTS = (301, 302, 303, 307, 308)
SPECIAL = tuple(
    map(
        ipaddress.ip_network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
            *("192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("224.0.0.0/4", "240.0.0.0/4", "::/8", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64"),
            *("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "5f00::/16"),
            *("fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"),
        ),
    )
)
"""IANA's registries of special-purpose addresses of IPv4 and IPv6 (July 2026), with multicast, reserved and
formerly local blocks; none of them is fetched from, whatever the registries say of single addresses in them."""


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet: it is in no block of :data:`SPECIAL`, and nothing else that
    this Python calls private, local or reserved."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if any(ip in block for block in SPECIAL if block.version == ip.version):
        return False
    if isinstance(ip, ipaddress.IPv6Address) and ip.scope_id is not None:
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


class Fetcher:
    """Fetches up to ``most`` bytes from addresses for which ``allowed`` is true."""

    def __init__(self, most: int, allowed: Callable[[str], bool] = is_public) -> None:
        self._most = most
        self._allowed = allowed

    async def fetch(self, url: str, most: int | None = None) -> tuple[bytes, str]:
        """Up to ``most`` bytes at ``url`` (``None``: the fetcher's own limit), and their media type. Raises
        :class:`Refusal` (400, 413)."""
        try:
            async with asyncio.timeout(SECONDS):
                for _ in range(MOST_HOPS):
                    answer = await self._hop(url, self._most if most is None else min(most, self._most))
                    if isinstance(answer, tuple):
                        return answer
                    url = urljoin(url, answer)
        except TimeoutError:
            raise Refusal(400, f"an address did not answer within {SECONDS:g} s") from None
        raise Refusal(400, "an address redirects too often")

    async def as_data_url(self, url: str, most: int | None = None) -> str:
        """The content at ``url`` as a data URL."""
        data, media = await self.fetch(url, most)
        return f"data:{media or 'application/octet-stream'};base64,{base64.b64encode(data).decode()}"

    async def close(self) -> None:
        if "_session" in vars(self):
            await self._session.close()

    async def _hop(self, url: str, most: int) -> tuple[bytes, str] | str:
        """The content at ``url``, or the location that it redirects to."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port or (443 if parts.scheme.lower() == "https" else 80)
        except ValueError:
            raise Refusal(400, "an address cannot be understood") from None
        if parts.scheme.lower() not in ("http", "https") or not host:
            raise Refusal(400, "addresses have to begin with http:// or https://")
        address = await self._resolved(host, port)
        shown = f"[{address}]" if ":" in address else address
        there = parts._replace(netloc=f"{shown}:{port}", fragment="").geturl()
        own = parts.netloc.rpartition("@")[2]
        try:
            async with self._session.get(
                there,
                headers={"Host": own, "User-Agent": "docspec"},
                server_hostname=host if parts.scheme.lower() == "https" else None,
                allow_redirects=False,
            ) as answer:
                if answer.status in REDIRECTS:
                    return answer.headers.get("location", "")
                if answer.status != 200:
                    raise Refusal(400, f"an address answers {answer.status}")
                data = bytearray()
                async for part in answer.content.iter_any():
                    data += part
                    if len(data) > most:
                        raise Refusal(413, f"what is at addresses is larger than {self._most / 2**20:g} MiB")
                return bytes(data), answer.headers.get("content-type", "").partition(";")[0].strip()
        except (aiohttp.ClientError, ValueError):  # ValueError: an invalid address
            raise Refusal(400, "an address cannot be fetched") from None

    @cached_property
    def _session(self) -> aiohttp.ClientSession:
        """The HTTP session, created within the event loop."""
        return aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())

    async def _resolved(self, host: str, port: int) -> str:
        """An address of ``host``; raises :class:`Refusal` if any of the host's addresses is not allowed."""
        try:
            entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise Refusal(400, "an address cannot be resolved") from None
        addresses = [str(entry[4][0]) for entry in entries]
        if not addresses or not all(map(self._allowed, addresses)):
            raise Refusal(400, "an address leads to a private network, and is not fetched")
        return addresses[0]
