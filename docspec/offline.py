"""``--offline``: no connection is opened. The libraries below are told so, and the process refuses what they
try anyway.

Call :func:`enforce` before they are imported: most read their switches only once.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from typing import Any

SWITCHES = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True",
    "NO_ALBUMENTATIONS_UPDATE": "1",
}


class OfflineError(ConnectionError):
    """Something tried to open a connection although ``--offline`` was asked for."""


_state = {"enforced": False, "hooked": False}


def enforce() -> None:
    """From now on this process opens no connection to another machine; loopback and local sockets are left
    alone.

    Environment switches stop the libraries from trying; an audit hook raises :class:`OfflineError` where
    Python code tries all the same. Child processes inherit the switches.
    """
    os.environ.update(SWITCHES)
    hub = sys.modules.get("huggingface_hub.constants")
    if hub is not None:
        hub.HF_HUB_OFFLINE = True  # type: ignore[attr-defined]
    _state["enforced"] = True
    if not _state["hooked"]:
        sys.addaudithook(_refuse)
        _state["hooked"] = True


def release() -> None:
    """Allows connections again (the environment switches stay); for tests and long-lived hosts of the API."""
    _state["enforced"] = False


def enforced() -> bool:
    """Whether connections are refused at the moment."""
    return _state["enforced"]


def _refuse(event: str, args: tuple[Any, ...]) -> None:
    if not _state["enforced"]:
        return
    if (
        event in ("socket.connect", "socket.sendto", "socket.sendmsg")
        and len(args) > 1
        and args[1] is not None
        and not _is_local(args[0], args[1])
    ):
        raise OfflineError(f"offline: refused to connect to {_host(args[1])}")
    if event in ("socket.getaddrinfo", "socket.gethostbyname") and not _is_loopback(args[0]):
        raise OfflineError(f"offline: refused to look up {_text(args[0])}")


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
