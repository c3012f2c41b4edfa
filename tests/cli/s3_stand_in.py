"""A server of this machine that answers as S3 does (moto's), for runs in processes of their own."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

PATIENCE = 120.0


@contextmanager
def stand_in() -> Iterator[dict[str, str]]:
    """The environment of processes that use it; skips the test where its packages are missing."""
    pytest.importorskip("s3fs")
    pytest.importorskip("moto.server")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                urllib.request.urlopen(f"{url}/moto-api/", timeout=5).close()
                break
            except OSError:
                assert time.monotonic() < end and server.poll() is None
                time.sleep(0.1)
        names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION")
        yield {"AWS_ENDPOINT_URL": url, **dict.fromkeys(names, "us-east-1")}
    finally:
        server.kill()
        server.wait()
