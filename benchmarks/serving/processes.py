"""Servers as processes of their own, as people run them: started, asked for their address, stopped."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r"http://[^\s]+:\d+")

Begin = Callable[..., subprocess.Popen[str]]
"""Starts a module with its arguments, with the streams, the folder and the environment of ``subprocess.Popen``."""


def begin(command: Sequence[str], **keywords: Any) -> subprocess.Popen[str]:
    """A module as a process of its own."""
    return subprocess.Popen([sys.executable, "-m", *command], **keywords)


class Served:
    """A running server at ``url``. ``said`` is what it wrote."""

    def __init__(
        self, command: Sequence[str], env: dict[str, str] | None = None, patience: float = 60.0, begin: Begin = begin
    ) -> None:
        self.said: list[str] = []
        self._listens = threading.Event()
        self.url = ""
        self.process = begin(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._listens.wait(patience) or not self.url:
            self.stop()
            raise RuntimeError("".join(self.said))

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            found = ADDRESS.search(line)
            if found and not self.url:
                self.url = found[0]
                self._listens.set()
        self._listens.set()

    def get(self, path: str, **settings: Any) -> httpx.Response:
        return httpx.get(self.url + path, timeout=30, **settings)

    def told(self) -> dict[str, Any]:
        """What a stand-in was sent since it was asked last."""
        found: dict[str, Any] = self.get("/told").json()
        return found

    def resident(self) -> int:
        """Bytes of memory of the process."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self, number: int = signal.SIGKILL) -> int:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        code = self.process.wait(30)
        self._reader.join(5)
        return code


@contextlib.contextmanager
def stand_in(name: str = "one", port: int = 0, begin: Begin = begin) -> Iterator[Served]:
    """A stand-in for a server of models."""
    served = Served(["benchmarks.serving.standin", str(port), name], begin=begin)
    try:
        yield served
    finally:
        served.stop()


@contextlib.contextmanager
def gateway(
    *words: str, env: dict[str, str] | None = None, patience: float = 60.0, begin: Begin = begin
) -> Iterator[Served]:
    """``docspec serve`` with ``words``, on a free port, which listens within ``patience`` seconds."""
    served = Served(["docspec", "serve", "--port", "0", *words], env, patience, begin)
    try:
        yield served
    finally:
        served.stop()
