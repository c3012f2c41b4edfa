"""Runs vLLM with docspec's proposer as a child process, uses it as a server, and ends it with the run.

vLLM may have an environment of its own; this ``docspec`` alone is added to its ``PYTHONPATH``, so that the proposer
needs no installation and no package of vLLM's is changed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2

from docspec.core import ModelError
from docspec.core.safe_text import one_line
from docspec.generation import lifeline
from docspec.generation.server.client import PATIENCE, ServerGenerator
from docspec.targets.remote_model import family_called
from docspec.targets.validation import check_files

NUM_SPECULATIVE_TOKENS = 47
"""Draft tokens of a row in a step: a printed line has at most about so many, and one step can then write it."""

SPECULATIVE_CONFIG = {
    "method": "custom_class",
    "model": "docspec.vllm.Proposer",
    "num_speculative_tokens": NUM_SPECULATIVE_TOKENS,
}
"""vLLM's ``--speculative-config`` with docspec's proposer."""

PACKAGE = Path(__file__).parents[1]
"""The folder of this ``docspec``."""

MESSAGE_SECONDS = 10.0
"""Seconds between two messages about the loading time."""

POLL_SECONDS = 0.25
"""Seconds between two requests to ``/health`` while it loads."""


@dataclass(frozen=True, slots=True)
class VllmSettings:
    """``model`` is a folder or a hub name, served as ``name`` (``None``: as ``model``); ``python`` is an interpreter
    that has vLLM; ``arguments`` are vLLM's own and override docspec's. ``plain``: without docspec's proposer."""

    model: str
    python: str = sys.executable
    arguments: Sequence[str] = ()
    dtype: str = "auto"
    plain: bool = False
    name: str | None = None

    def command(self, port: int) -> list[str]:
        """The command line of a server on ``port`` of 127.0.0.1."""
        name, _, revision = self.model.partition("@")
        words = [self.python, "-m", "vllm.entrypoints.openai.api_server", "--host", "127.0.0.1", "--port", str(port)]
        words += ["--model", name, "--served-model-name", self.name or self.model]
        words += ["--limit-mm-per-prompt", '{"image": 1}']
        words += ["--revision", revision] if revision else []
        words += ["--dtype", self.dtype] if self.dtype != "auto" else []
        family = family_called(name)
        words += ["--chat-template-content-format", "string"] if family is not None and family.image_marks else []
        given = any(word.split("=")[0] in ("--speculative-config", "--speculative_config") for word in self.arguments)
        if not self.plain and not given:
            words += ["--speculative-config", json.dumps(SPECULATIVE_CONFIG)]
        return [*words, *self.arguments]


class VllmServer:
    """A vLLM server in a child process that answers at ``url``; it is started here, and ``tell`` receives the time.

    Raises :class:`docspec.core.ModelError` with the last error of its log if it ends before it answers. The log is kept
    at ``log``. The server listens on ``port`` (``None``: a free one) and requires the ``key``, if there is one.
    """

    def __init__(
        self,
        settings: VllmSettings,
        tell: Callable[[str], None] = lambda line: None,
        port: int | None = None,
        key: str | None = None,
    ) -> None:
        if (folder := Path(settings.model).expanduser()).is_dir():
            check_files(folder)
        self._settings = settings
        self._shown = tempfile.TemporaryDirectory(prefix="docspec-vllm-")
        port = port or free_port()
        self.url = f"http://127.0.0.1:{port}"
        kept, name = tempfile.mkstemp(prefix="docspec-vllm-", suffix=".log")
        self.log = Path(name)
        try:
            Path(self._shown.name, "docspec").symlink_to(PACKAGE, target_is_directory=True)
            self._process = subprocess.Popen(
                [sys.executable, "-P", lifeline.__file__, *settings.command(port)],
                stdin=subprocess.PIPE,
                stdout=kept,
                stderr=subprocess.STDOUT,
                env=self._environment(key),
            )
        except OSError as error:
            self._shown.cleanup()
            raise ModelError(f"--engine vllm cannot be started: {error}") from error
        finally:
            os.close(kept)
        try:
            tell(f"vLLM is started with {settings.model}; its log: {self.log}")
            self._wait_for_answer(tell)
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait(self) -> None:
        self._process.wait()

    def close(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2 * lifeline.PATIENCE)
        self._process.kill()
        self._process.wait()
        self._shown.cleanup()

    def _environment(self, key: str | None) -> dict[str, str]:
        paths = [self._shown.name, *filter(None, [os.environ.get("PYTHONPATH")])]
        # no module is taken from the working folder
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"}
        environment.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")  # GiB; vLLM for processors does not start without it
        environment.setdefault("VLLM_NO_USAGE_STATS", "1")
        return environment if key is None else {**environment, "VLLM_API_KEY": key}

    def _wait_for_answer(self, tell: Callable[[str], None]) -> None:
        began = said = time.monotonic()
        while not _answers(f"{self.url}/health"):
            if self._process.poll() is not None:
                raise ModelError(
                    f"vLLM ended before it could be asked: {last_error(self.log)}; all of its log is in {self.log}"
                )
            if time.monotonic() - said >= MESSAGE_SECONDS:
                said = time.monotonic()
                tell(f"vLLM is loading {self._settings.model}: {said - began:.0f} s")
            time.sleep(POLL_SECONDS)
        tell(f"vLLM is ready after {time.monotonic() - began:.0f} s")


class VllmGenerator(ServerGenerator):
    """A :class:`docspec.generation.interface.Generator` with a vLLM server of its own, ``child``, which it ends."""

    def __init__(
        self, settings: VllmSettings, patience: float = PATIENCE, tell: Callable[[str], None] = lambda line: None
    ) -> None:
        self.child = VllmServer(settings, tell)
        try:
            super().__init__([self.child.url], patience=patience)
        except BaseException:
            self.child.close()
            raise

    def close(self) -> None:
        super().close()
        self.child.close()


def arguments_in(text: str | None) -> tuple[str, ...]:
    """``engine-args`` split as a shell does. Raises :class:`docspec.core.ModelError`."""
    try:
        return tuple(shlex.split(text or ""))
    except ValueError as error:
        raise ModelError(f"engine-args {text}: {error}") from error


def free_port() -> int:
    """A free port of this machine."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def last_error(log: Path) -> str:
    """The last line of ``log`` that reads like an error, else the last one."""
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    told = [line for line in lines if re.search(r"(Error|Exception|error): *\S", line)]  # not source lines
    # The last lines of vLLM's traceback repeat that the engine failed; the cause stands before them.
    causes = [line for line in told if "See root cause above" not in line and "initialization failed" not in line]
    return one_line((causes or told or lines or ["it said nothing"])[-1])[-300:]


def _answers(url: str) -> bool:
    try:
        return httpx2.get(url, timeout=5, trust_env=False).status_code == 200
    except httpx2.HTTPError:
        return False
