"""The server of a model that the gateway starts itself, where it is given no upstream: a process of its own, started
anew at the same address where it ends."""

from __future__ import annotations

import contextlib
import json
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, Protocol
from urllib.parse import urlsplit

from docspec.core import ModelError
from docspec.core.options import BUNDLED_MODELS

ServingEngine = Literal["auto", "local", "vllm"]
MOST_STARTS = 5
"""In a row, each of which has lasted less than :data:`LASTED` seconds."""
LASTED = 60.0


class ModelProcess(Protocol):
    """A server in another process, at ``url``."""

    url: str

    def wait(self) -> None: ...

    def close(self) -> None: ...


Start = Callable[[int, str], ModelProcess]
"""Starts a server on a port (0: any) for those who have a key. Raises :class:`docspec.core.ModelError`."""


class ModelServer:
    """``url`` and ``key`` are for the gateway alone. Raises :class:`docspec.core.ModelError` where the model cannot be
    served."""

    def __init__(self, start: Start) -> None:
        self.key = secrets.token_urlsafe(32)
        self._start = start
        self._closed = False
        self._child = start(0, self.key)
        self.url = self._child.url
        self._watcher = threading.Thread(target=self._watch, name="docspec-model", daemon=True)
        self._watcher.start()

    def close(self) -> None:
        self._closed = True
        self._child.close()

    def _watch(self) -> None:
        """Starts the process again where it ends, not for ever."""
        port, starts = urlsplit(self.url).port or 0, 0
        while True:
            began = time.monotonic()
            self._child.wait()
            if self._closed:
                return
            starts = 0 if time.monotonic() - began > LASTED else starts + 1
            if starts > MOST_STARTS:
                return
            with contextlib.suppress(ModelError):
                self._child.close()
                self._child = self._start(port, self.key)
                if self._closed:
                    self._child.close()


def model_server(
    model: str,
    engine: ServingEngine,
    greedy: bool,
    python: Path | None,
    arguments: Sequence[str],
    tell: Callable[[str], None],
) -> ModelServer:
    """``model`` in vLLM, where ``engine`` says so or, with ``auto``, where vLLM is installed or a ``python`` is named
    that has it; else in docspec's own engine. Raises :class:`docspec.core.ModelError`."""
    named = "mini" if model in BUNDLED_MODELS else model
    if engine == "vllm" or (engine == "auto" and (python is not None or find_spec("vllm") is not None)):
        from docspec.generation.vllm import VllmServer, VllmSettings
        from docspec.targets.registry import BUNDLED

        path = str(BUNDLED) if named == "mini" else named
        settings = VllmSettings(path, str(python or sys.executable), arguments, name=named)
        return ModelServer(lambda port, key: VllmServer(settings, tell, port, key))
    return ModelServer(lambda port, key: OwnServer({"model": named, "greedy": greedy, "key": key, "port": port}))


class OwnServer:
    """docspec's own engine (:mod:`docspec.serve.own`), told what to serve in a line."""

    def __init__(self, said: dict[str, str | bool | int]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "docspec.serve.own"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a signal for the gateway's group is not for it: answers are to end
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(said) + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        told = json.loads(line) if line.startswith("{") else {"error": "its process ended while it was loaded"}
        if "error" in told:
            self._process.kill()
            self._process.wait()
            raise ModelError(f"{said['model']}: {told['error']}")
        self.url = str(told["url"])

    def wait(self) -> None:
        self._process.wait()

    def close(self) -> None:
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
