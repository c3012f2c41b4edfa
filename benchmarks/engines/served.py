"""Servers among the engines that are compared: the same requests over HTTP, so many of them in flight."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

from benchmarks.engines.measure import SPECULATIVE, MeasuredEngine
from benchmarks.engines.tasks import Task
from docspec.generation.interface import answers
from docspec.generation.server import ServerGenerator
from docspec.generation.vllm import VllmGenerator, VllmSettings

FAIR = ("--no-enable-prefix-caching", "--mm-processor-cache-gb", "0")
"""The same pictures come again and again: a server that remembers them would be measured at remembering."""

PATIENCE = 600.0
"""Seconds that an answer may take; nothing is given up here."""


class ServedEngine(MeasuredEngine):
    """A server, asked with the drafts of ``tasks`` or without; with ``both`` stages the regions of a page are asked for
    first, side by side, and what it wrote for them drafts the page. ``limit``: tokens that are asked for, in place of
    all."""

    def __init__(
        self,
        generator: ServerGenerator,
        tasks: Sequence[Task],
        drafts: bool,
        both: bool = False,
        limit: int | None = None,
    ) -> None:
        self._generator, self._both, self.limit = generator, both, limit
        self._tasks = list(tasks)
        if not drafts:
            self._tasks = [replace(task, any=replace(task.any, drafts=())) for task in self._tasks]
        if limit is not None:
            self._tasks = [replace(task, any=replace(task.any, max_tokens=limit)) for task in self._tasks]
        self.version = generator.model.version

    def run(self, in_flight: int, which: Sequence[int]) -> dict[str, Any]:
        """Wall seconds, tokens (``None`` where the server does not tell them, its text then) and the seconds of each
        request; what the server counted."""
        before = self._counts()
        began = time.perf_counter()
        with ThreadPoolExecutor(in_flight, "docspec-bench") as threads:
            found = list(threads.map(self._one, [self._tasks[index] for index in which]))
        seconds = time.perf_counter() - began
        after = self._counts()
        return {
            "seconds": seconds,
            "tokens": [tokens for tokens, _ in found],
            "latencies": [latency for _, latency in found],
            "counts": {name: after[name] - before.get(name, 0) for name in after},
        }

    def close(self) -> None:
        """Ends it, or the connections to it."""
        self._generator.close()

    def resume(self) -> None:
        """A server of one's own goes on."""
        for process in self._processes():
            process.resume()

    def pause(self) -> None:
        """A server of one's own is stopped: its processes look for work without a rest for a second after a step."""
        for process in self._processes():
            process.suspend()

    def _processes(self) -> list[Any]:
        if not isinstance(self._generator, VllmGenerator):
            return []
        import psutil

        return psutil.Process(self._generator.child.pid).children(recursive=True)

    def _one(self, task: Task) -> tuple[Any, float]:
        began = time.perf_counter()
        asked = task.any
        if self._both and task.after is not None:
            asked = task.after([one.text for one in answers(self._generator, task.regions)])
        answer = self._generator.submit(asked).result()
        latency = time.perf_counter() - began
        return (answer.text if answer.token_ids is None else list(answer.token_ids)), latency

    def _counts(self) -> dict[str, int]:
        [report] = self._generator.report()
        counted = {} if report.counted is None else asdict(report.counted)
        names = {"drafts": "drafts", "drafted": "draft_tokens", "accepted": "accepted_tokens"}
        return {theirs: counted[ours] for ours, theirs in names.items() if ours in counted}


class Servers:
    """A vLLM for each of its ways, started when it is first asked for, once.

    ``arguments`` are vLLM's own. Raises :class:`docspec.core.ModelError` where one does not start.
    """

    def __init__(
        self, model: str, python: str, arguments: Sequence[str], dtype: str, tell: Callable[[str], None]
    ) -> None:
        self._settings = VllmSettings(model, python, (*FAIR, *arguments), dtype, plain=True)
        self._tell = tell
        self._lock = threading.Lock()
        self._started: dict[str, Future[VllmGenerator]] = {}

    def of(self, way: str) -> VllmGenerator:
        """The server of a ``way``; other threads that ask for it meanwhile wait for it."""
        with self._lock:
            is_first = way not in self._started
            started = self._started.setdefault(way, Future())
        if is_first:
            try:
                started.set_result(VllmGenerator(self._speculating(SPECULATIVE[way]), PATIENCE, self._tell))
            except BaseException as error:
                started.set_exception(error)
        return started.result()

    def _speculating(self, how: dict[str, Any] | None) -> VllmSettings:
        told = () if how is None else ("--speculative-config", json.dumps(how))
        return replace(self._settings, arguments=(*self._settings.arguments, *told))


def has_suffixes(python: str) -> bool:
    """Whether vLLM in ``python``'s environment has what its ``suffix`` method needs."""
    code = "import importlib.util as found; raise SystemExit(found.find_spec('arctic_inference') is None)"
    return subprocess.run([python, "-c", code], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0
