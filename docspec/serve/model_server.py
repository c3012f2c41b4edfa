"""The model server that the gateway starts itself when it is given no upstream: a child process, restarted at the same
address when it ends."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from docspec.core import ModelError
from docspec.core.choices import BUNDLED_MODELS
from docspec.serve.settings import UpstreamKind

if TYPE_CHECKING:
    from docspec.generation.vllm import VllmServer

ServingEngine = Literal["auto", "local", "vllm", "llama"]
MOST_STARTS = 5
"""Restarts in a row, each of which ran for less than :data:`LASTED` seconds."""
LASTED = 60.0


class ModelServer:
    """A model server for the gateway alone, at ``url`` with ``key``, of a ``kind``. ``start`` starts its process on a
    port (0: any free one) with a key. Raises :class:`docspec.core.ModelError` if the model cannot be served."""

    def __init__(self, start: Callable[[int, str], VllmServer | OwnServer], kind: UpstreamKind = "own") -> None:
        self.kind = kind
        self.key = secrets.token_urlsafe(32)
        self._start = start
        self._closed = False
        self._child = start(0, self.key)
        self.url = self._child.url
        threading.Thread(target=self._watch, name="docspec-model", daemon=True).start()

    def close(self) -> None:
        self._closed = True
        self._child.close()

    def _watch(self) -> None:
        """Restarts the process when it ends, up to a limit."""
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
    mmproj: Path | None = None,
    slots: int = 4,
) -> ModelServer:
    """A server of ``model``: llama.cpp if ``engine`` is ``llama``, or if it is ``auto`` and the model a GGUF file; vLLM
    if it is ``vllm``, or ``auto`` and vLLM is installed here or in ``python``; otherwise docspec's own engine.
    llama.cpp answers ``slots`` requests at a time, with the picture tower ``mmproj``. Raises
    :class:`docspec.core.ModelError`."""
    named = "mini" if model in BUNDLED_MODELS else model
    if serves_llama(model, engine):
        settings = {"mmproj": mmproj and str(mmproj), "python": python and str(python), "slots": slots}
        return ModelServer(
            lambda port, key: OwnServer({"model": model, "greedy": greedy, "key": key, "port": port, "llama": settings})
        )
    if engine == "vllm" or (engine == "auto" and (python is not None or find_spec("vllm") is not None)):
        from docspec.generation.vllm import VllmServer, VllmSettings
        from docspec.targets.registry import BUNDLED

        path = str(BUNDLED) if named == "mini" else named
        started = VllmSettings(path, str(python or sys.executable), arguments, name=named)
        return ModelServer(lambda port, key: VllmServer(started, tell, port, key), "vllm")
    return ModelServer(lambda port, key: OwnServer({"model": named, "greedy": greedy, "key": key, "port": port}))


def serves_llama(model: str, engine: str) -> bool:
    """Whether llama.cpp answers."""
    return engine == "llama" or (engine == "auto" and model.lower().endswith(".gguf"))


class OwnServer:
    """A model that docspec serves itself (:mod:`docspec.serve.own`) in a child process; one line of JSON on its
    standard input configures it."""

    def __init__(self, request: dict[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "docspec.serve.own"],  # no module is taken from the working folder
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a signal for the gateway's group is not for it: answers are to end
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer = json.loads(line) if line.startswith("{") else {"error": "its process ended while it was loaded"}
        if "error" in answer:
            self._process.kill()
            self._process.wait()
            raise ModelError(f"{request['model']}: {answer['error']}")
        self.url = str(answer["url"])

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
