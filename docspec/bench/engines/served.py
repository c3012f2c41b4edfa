"""Servers among the engines that are compared: the same requests over HTTP, so many of them in flight."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

from docspec.bench.engines.tasks import Task
from docspec.generation.contract import GenerationRequest
from docspec.generation.server import ServerGenerator
from docspec.generation.vllm import VllmGenerator, VllmSettings

FAIR = ("--no-enable-prefix-caching", "--mm-processor-cache-gb", "0")
"""The same pictures come again and again: a server that remembers them would be measured at remembering."""

PATIENCE = 600.0
"""Seconds that an answer may take; nothing is given up here."""


class ServedEngine:
    """A server, asked with the drafts of ``tasks`` or without."""

    def __init__(self, generator: ServerGenerator | VllmGenerator, tasks: Sequence[Task], drafts: bool) -> None:
        self._generator = generator
        self._asked = [task.any if drafts else replace(task.any, drafts=()) for task in tasks]
        self.version = generator.model.version

    def run(self, in_flight: int) -> dict[str, Any]:
        """Wall seconds, tokens (``None`` where the server does not tell them, its text then) and the seconds of each
        request; what the server counted."""
        before = self._counts()
        began = time.perf_counter()
        with ThreadPoolExecutor(in_flight or len(self._asked), "docspec-bench") as threads:
            found = list(threads.map(self._one, self._asked))
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

    def _one(self, asked: GenerationRequest) -> tuple[Any, float]:
        began = time.perf_counter()
        answer = self._generator.submit(asked).result()
        latency = time.perf_counter() - began
        return (answer.text if answer.token_ids is None else list(answer.token_ids)), latency

    def _counts(self) -> dict[str, int]:
        [report] = self._generator.report()
        counted = {} if report.counted is None else asdict(report.counted)
        names = {"drafts": "drafts", "drafted": "draft_tokens", "accepted": "accepted_tokens"}
        return {theirs: counted[ours] for ours, theirs in names.items() if ours in counted}


def started(
    model: str,
    python: str,
    speculative: dict[str, Any] | None,
    arguments: Sequence[str],
    dtype: str,
    tell: Callable[[str], None],
) -> VllmGenerator:
    """A vLLM server that speculates as ``speculative`` says. Raises :class:`docspec.core.ModelError`."""
    how = () if speculative is None else ("--speculative-config", json.dumps(speculative))
    settings = VllmSettings(model, python, (*FAIR, *arguments, *how), dtype, plain=True)
    return VllmGenerator(settings, PATIENCE, tell)
