"""``--offline``: no connection is opened. Switches tell the libraries so, and the process refuses their remaining
attempts.

Call :func:`enforce` before they are imported: most read their switches only once.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
import threading
from typing import Any

from docspec.process import NO_TELEMETRY

SWITCHES = NO_TELEMETRY | {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "DO_NOT_TRACK": "1",
    "NO_ALBUMENTATIONS_UPDATE": "1",
}


class OfflineError(ConnectionError):
    """A connection was attempted although ``--offline`` was set."""


class _Guard:
    """The number of present prohibitions, and the environment from before."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.holders = 0
        self.hooked = False
        self.before: dict[str, str | None] = {}
        self.hub_before: bool | None = None


_guard = _Guard()


def enforce() -> None:
    """Keeps this process from opening connections to other machines from now on; loopback and local sockets
    still work.

    Environment switches stop the libraries from trying; an audit hook raises :class:`OfflineError` where
    Python code tries all the same. Child processes inherit the switches. Each call is undone by one :func:`release`.
    """
    with _guard.lock:
        _guard.holders += 1
        if _guard.holders > 1:
            return
        _guard.before = {name: os.environ.get(name) for name in SWITCHES}
        os.environ.update(SWITCHES)
        hub = _hub()
        _guard.hub_before = None if hub is None else hub.HF_HUB_OFFLINE
        if hub is not None:
            hub.HF_HUB_OFFLINE = True
        if not _guard.hooked:  # a hook cannot be taken away again; without holders it does nothing
            sys.addaudithook(_refuse)
            _guard.hooked = True


def release() -> None:
    """Undoes one :func:`enforce`; the last call restores the environment."""
    with _guard.lock:
        if not _guard.holders:
            return
        _guard.holders -= 1
        if _guard.holders:
            return
        for name, value in _guard.before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        hub = _hub()
        if hub is not None:  # imported meanwhile, it has read the switches that were just reset
            hub.HF_HUB_OFFLINE = bool(_guard.hub_before)


def enforced() -> bool:
    """Whether connections are refused at the moment."""
    return _guard.holders > 0


def is_here(host: str) -> bool:
    """Whether ``host`` is this machine, which is reached offline too."""
    return _is_loopback(host)


def _hub() -> Any:
    """The hub library's settings, if it is loaded: it reads the environment only once."""
    return sys.modules.get("huggingface_hub.constants")


def _refuse(event: str, args: tuple[Any, ...]) -> None:
    if not _guard.holders:
        return
    if (
        event in ("socket.connect", "socket.sendto", "socket.sendmsg")
        and len(args) > 1
        and args[1] is not None
        and not _is_local(args[0], args[1])
    ):
        raise OfflineError(f"offline: refused to connect to {_host(args[1])}")
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"):
        host = args[0][0] if isinstance(args[0], tuple) else args[0]
        if not _is_loopback(host):
            raise OfflineError(f"offline: refused to look up {_text(host)}")


def _is_local(connecting: socket.socket, address: Any) -> bool:
    inet = (socket.AF_INET, socket.AF_INET6)
    return connecting.family not in inet or (isinstance(address, tuple) and _is_loopback(address[0]))


def _is_loopback(host: Any) -> bool:
    name = _text(host).strip("[]").split("%")[0].lower()
    if name in ("", "none", "localhost", socket.gethostname().lower()):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _host(address: Any) -> str:
    return _text(address[0]) if isinstance(address, tuple) else _text(address)


def _text(host: Any) -> str:
    return host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
