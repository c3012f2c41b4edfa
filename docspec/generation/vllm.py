"""vLLM as an engine: started as a child with docspec's proposer in it, asked as a server, ended with the run.

It may live in an environment of its own; its Python is shown this ``docspec`` and nothing else of this environment, so
that the proposer is there without being installed, and no package of vLLM's is changed.
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
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from docspec.core import ModelError
from docspec.core.safe_text import one_line
from docspec.generation import lifeline
from docspec.generation.server.client import PATIENCE, ServerGenerator
from docspec.targets.remote_model import family_called

SPECULATED = 47
"""Tokens that a row may be proposed in a step: a line of print has up to so many, and is written in one step then."""

SPECULATIVE = {"method": "custom_class", "model": "docspec.vllm.Proposer", "num_speculative_tokens": SPECULATED}
"""How vLLM is told of docspec's proposer."""

PACKAGE = Path(__file__).parents[1]
"""This ``docspec``."""

SAYS_EVERY = 10.0
"""Seconds between two words on how long loading takes."""

LOOKS_EVERY = 0.25
"""Seconds between two looks whether it answers."""


@dataclass(frozen=True, slots=True)
class VllmSettings:
    """``model`` is a folder or a hub name, served as ``name``, else as what it is; ``python`` one that has vLLM;
    ``arguments`` are vLLM's own, and win over those that docspec gives. ``plain``: without docspec's proposer."""

    model: str
    python: str = sys.executable
    arguments: Sequence[str] = ()
    dtype: str = "auto"
    template: str | None = None
    plain: bool = False
    name: str | None = None

    def command(self, port: int) -> list[str]:
        """What is run, to answer on ``port`` of this machine alone."""
        name, _, revision = self.model.partition("@")
        words = [self.python, "-m", "vllm.entrypoints.openai.api_server", "--host", "127.0.0.1", "--port", str(port)]
        words += ["--model", name, "--served-model-name", self.name or self.model]
        words += ["--limit-mm-per-prompt", '{"image": 1}']
        words += ["--revision", revision] if revision else []
        words += ["--dtype", self.dtype] if self.dtype != "auto" else []
        words += ["--chat-template", self.template] if self.template else []
        family = family_called(name)
        words += ["--chat-template-content-format", "string"] if family is not None and family.image_marks else []
        given = any(word.split("=")[0] in ("--speculative-config", "--speculative_config") for word in self.arguments)
        if not self.plain and not given:
            words += ["--speculative-config", json.dumps(SPECULATIVE)]
        return [*words, *self.arguments]


class VllmServer:
    """A vLLM of one's own that answers at ``url``: started and waited for here, ``tell`` hears how long that takes.

    Raises :class:`docspec.core.ModelError` with the last error of its log where it ends instead. The log is kept at
    ``log``; it answers on ``port``, a free one where none is given, and those alone who have the ``key``.
    """

    def __init__(
        self,
        settings: VllmSettings,
        tell: Callable[[str], None] = lambda line: None,
        port: int | None = None,
        key: str | None = None,
    ) -> None:
        self._settings = settings
        self._shown = tempfile.TemporaryDirectory(prefix="docspec-vllm-")
        port = port or free_port()
        self.url = f"http://127.0.0.1:{port}"
        kept, name = tempfile.mkstemp(prefix="docspec-vllm-", suffix=".log")
        self.log = Path(name)
        try:
            Path(self._shown.name, "docspec").symlink_to(PACKAGE, target_is_directory=True)
            self._process = subprocess.Popen(
                [sys.executable, lifeline.__file__, *settings.command(port)],
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

    def pause(self) -> None:
        """Stops all of its processes, which takes their threads off the processor, until :meth:`resume`."""
        self._say(lifeline.PAUSE)

    def resume(self) -> None:
        self._say(lifeline.RESUME)

    def close(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2 * lifeline.PATIENCE)
        self._process.kill()
        self._process.wait()
        self._shown.cleanup()

    def _say(self, byte: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended, which the next request finds out
            self._process.stdin.write(byte)
            self._process.stdin.flush()

    def _environment(self, key: str | None) -> dict[str, str]:
        paths = [self._shown.name, *filter(None, [os.environ.get("PYTHONPATH")])]
        found = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        found.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")  # GiB; vLLM for processors does not start without it
        found.setdefault("VLLM_NO_USAGE_STATS", "1")
        return found if key is None else {**found, "VLLM_API_KEY": key}

    def _wait_for_answer(self, tell: Callable[[str], None]) -> None:
        began = said = time.monotonic()
        while not _answers(f"{self.url}/health"):
            if self._process.poll() is not None:
                raise ModelError(
                    f"vLLM ended before it could be asked: {last_error(self.log)}; all of its log is in {self.log}"
                )
            if time.monotonic() - said >= SAYS_EVERY:
                said = time.monotonic()
                tell(f"vLLM is loading {self._settings.model}: {said - began:.0f} s")
            time.sleep(LOOKS_EVERY)
        tell(f"vLLM is ready after {time.monotonic() - began:.0f} s")


class VllmGenerator(ServerGenerator):
    """A ``child`` of one's own as a :class:`docspec.generation.interface.Generator`, which ends with it."""

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
    """``--engine-args`` as a shell would take it apart. Raises :class:`docspec.core.ModelError`."""
    try:
        return tuple(shlex.split(text or ""))
    except ValueError as error:
        raise ModelError(f"--engine-args {text}: {error}") from error


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def last_error(log: Path) -> str:
    """The last line of ``log`` that reads like an error, else the last one."""
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    told = [line for line in lines if re.search(r"(Error|Exception|error): *\S", line)]  # not the code that raises it
    # A traceback repeats at the end that the engine failed; why, it says first.
    causes = [line for line in told if "See root cause above" not in line and "initialization failed" not in line]
    return one_line((causes or told or lines or ["it said nothing"])[-1])[-300:]


def _answers(url: str) -> bool:
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False
