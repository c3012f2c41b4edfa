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
from urllib.parse import urlsplit

from docspec.core import ModelError

MOST_STARTS = 5
"""In a row, each of which has lasted less than :data:`LASTED` seconds."""
LASTED = 60.0


class ModelServer:
    """``url`` and ``key`` are for the gateway alone. Raises :class:`docspec.core.ModelError` where the model cannot be
    served."""

    def __init__(self, model: str, greedy: bool = False) -> None:
        self.key = secrets.token_urlsafe(32)
        self._said = {"model": model, "greedy": greedy, "key": self.key}
        self._closed = False
        self._process: subprocess.Popen[str] | None = None
        self.url = self._start(0)
        self._watcher = threading.Thread(target=self._watch, name="docspec-model", daemon=True)
        self._watcher.start()

    def close(self) -> None:
        """Ends the process."""
        self._closed = True
        process = self._process
        if process is not None and process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()

    def _start(self, port: int) -> str:
        process = subprocess.Popen(
            [sys.executable, "-m", "docspec.serve.own"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a signal for the gateway's group is not for it: answers are to end
        )
        self._process = process
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.write(json.dumps({**self._said, "port": port}) + "\n")
            process.stdin.flush()
        line = process.stdout.readline()
        said = (
            json.loads(line) if line.startswith("{") else {"error": "its process ended while it was loaded"}
        )
        if "error" in said:
            process.kill()
            process.wait()
            raise ModelError(f"{self._said['model']}: {said['error']}")
        return str(said["url"])

    def _watch(self) -> None:
        """Starts the process again where it ends, not for ever."""
        port, starts = urlsplit(self.url).port or 0, 0
        while True:
            began = time.monotonic()
            assert self._process is not None
            self._process.wait()
            if self._closed:
                return
            starts = 0 if time.monotonic() - began > LASTED else starts + 1
            if starts > MOST_STARTS:
                return
            with contextlib.suppress(ModelError):
                self._start(port)
