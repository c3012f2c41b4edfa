"""``--offline`` opens no connection, whatever a library tries, and leaves local sockets alone."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from docspec import offline

FAR = ("192.0.2.1", 443)
"""An address that is reserved for documentation: nobody answers there."""


@pytest.fixture
def enforced() -> Iterator[None]:
    before = dict(os.environ)
    offline.enforce()
    yield
    offline.release()
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.usefixtures("enforced")
def test_connections_and_lookups_are_refused() -> None:
    with socket.socket() as sock, pytest.raises(offline.OfflineError, match=r"192\.0\.2\.1"):
        sock.connect(FAR)
    with pytest.raises(offline.OfflineError):
        socket.create_connection(("example.com", 443), timeout=1)
    with pytest.raises(offline.OfflineError):
        socket.getaddrinfo("example.com", 443)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock, pytest.raises(offline.OfflineError):
        sock.sendto(b"x", ("192.0.2.1", 53))


@pytest.mark.usefixtures("enforced")
def test_loopback_and_local_sockets_still_work(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(tmp_path / "s"))
        server.listen()
        client.connect(str(tmp_path / "s"))
    assert socket.getaddrinfo("localhost", 80)


@pytest.fixture
def unheld() -> Iterator[None]:
    """Without what commands that ran in this process before still hold."""
    held = 0
    while offline.enforced():
        offline.release()
        held += 1
    yield
    for _ in range(held):
        offline.enforce()


@pytest.mark.usefixtures("unheld")
def test_released_means_not_refused() -> None:
    offline.enforce()
    offline.release()
    with socket.socket() as sock:
        sock.settimeout(0.01)
        try:
            sock.connect(FAR)
        except offline.OfflineError:
            pytest.fail("refused although released")
        except OSError:
            pass


PROBE = """
import socket, sys
dialled = []
def refuse(*args, **keywords):
    dialled.append(args[1:] or args)
    raise OSError("no network in this test")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = lambda *args, **keywords: refuse(None, *args)
from docspec.cli import app
code = app.run({args!r})
print(code, len(dialled), dialled[:3])
"""


def probe(args: list[str], tmp_path: Path) -> list[str]:
    """Exit code and the number of attempts to reach the network of ``docspec ARGS``, and what was tried."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("HF_", "DOCSPEC_", "TRANSFORMERS_"))
    }
    environment |= {"HF_HOME": str(tmp_path / "hub"), "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(args=args)], capture_output=True, text=True, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr
    return [*done.stdout.splitlines()[-1].split(maxsplit=2), done.stderr]


def test_a_hub_model_is_not_asked_for_offline(tmp_path: Path) -> None:
    pytest.importorskip("docspec.parser")
    import pymupdf

    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "A page of text.")
        pdf.save(tmp_path / "a.pdf")
    args = ["parse", str(tmp_path / "a.pdf"), "--model", "owner/never-published", "-o", str(tmp_path / "o.md")]
    code, attempts, _, errors = probe([*args, "--offline"], tmp_path)
    assert (code, attempts) == ("1", "0")
    assert errors.count("\n") == 1 and "owner/never-published" in errors
    assert not (tmp_path / "o.md").exists()
    code, attempts, _, errors = probe(args, tmp_path)
    assert code == "1" and int(attempts) > 0, "without --offline the hub is asked; else this test proves nothing"
    assert errors.count("\n") == 1 and "owner/never-published" in errors


def test_the_hub_library_reads_the_switches() -> None:
    code = "from docspec import offline; offline.enforce(); import huggingface_hub.constants as hub; print(hub."
    code += "HF_HUB_OFFLINE)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True\n"


STATE = """
import json, logging, os, signal, socket, sys, threading, warnings
import torch, cv2, transformers.utils.logging
from PIL import Image
from docspec import ParseOptions, Parser
from docspec.core import UsageError

def state():
    hub = sys.modules.get("huggingface_hub.constants")
    bars = sys.modules.get("transformers.utils.logging")
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.connect(("192.0.2.1", 9))
        refused = False
    except OSError as error:
        refused = type(error).__name__ == "OfflineError"
    return {
        "environment": {k: v for k, v in os.environ.items() if k != "TORCHINDUCTOR_CACHE_DIR"},  # torch's own import
        "threads": [thread.name for thread in threading.enumerate()],
        "torch threads": torch.get_num_threads(),
        "random": torch.random.get_rng_state().tolist()[:64],
        "gradients": torch.is_grad_enabled(),
        "signals": {int(s): str(signal.getsignal(s)) for s in signal.valid_signals()},
        "logging": (logging.root.level, logging.root.manager.disable, len(logging.root.handlers)),
        "pixels": Image.MAX_IMAGE_PIXELS,
        "refused": refused,
        "hub": bool(hub and hub.HF_HUB_OFFLINE),
        "bars": bars is None or bars.is_progress_bar_enabled(),
        "folder": os.getcwd(),
    }

before = state()
options = ParseOptions(offline=True, dpi=72, max_tokens=6, drafter=sys.argv[2])
with Parser(options) as parser:
    assert [page.status for page in parser.parse(sys.argv[1])] == ["ok", "ok"]
    during = state()
    with Parser(options):
        pass
    assert state()["refused"], "one of two offline parsers was closed"
assert during["refused"] and during["hub"] and during["environment"]["HF_HUB_OFFLINE"] == "1"
after = state()
try:
    parser.open(sys.argv[1])
except UsageError as error:
    assert "closed" in str(error)
else:
    raise AssertionError("a closed parser was used again")
print(json.dumps([{k: (v, after[k]) for k, v in before.items() if v != after[k]}, state() == after]))
"""


def test_an_offline_parser_leaves_no_trace(tmp_path: Path) -> None:
    import pymupdf

    with pymupdf.open() as pdf:
        for _ in range(2):
            pdf.new_page(width=240, height=120).insert_text((20, 40), "A page of text.")
        pdf.save(tmp_path / "a.pdf")
    done = subprocess.run(
        [sys.executable, "-c", STATE, str(tmp_path / "a.pdf"), "text-layer"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [{}, True]
