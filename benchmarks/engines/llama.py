"""llama.cpp among the engines that are compared: the same requests, so many of them in flight."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.engines.measure import MeasuredEngine
from docspec.generation.interface import Generation, GenerationRequest, Generator
from docspec.generation.llama.model_files import find_files
from docspec.generation.llama.opening import open_llama


def ways(file: Path) -> list[tuple[str, bool]]:
    """Its ways with a ``file``, by the names in tables, and whether they have drafts."""
    return [(f"llama.cpp {file.stem}", False), (f"llama.cpp {file.stem}, docspec", True)]


class LlamaEngine(MeasuredEngine):
    """A GGUF file in llama.cpp, asked with the drafts of ``requests`` or without."""

    def __init__(
        self, file: Path, tower: Path | None, python: Path | None, requests: Sequence[GenerationRequest], drafts: bool
    ) -> None:
        self._generator: Generator = open_llama(find_files(file, tower), python=python, drafts=drafts)
        self._asked = [request if drafts else replace(request, drafts=()) for request in requests]
        self.version = self._generator.name

    def run(self, in_flight: int, which: Sequence[int]) -> dict[str, Any]:
        """Wall seconds, tokens and seconds of each request, and what was speculated."""
        began = time.perf_counter()
        with ThreadPoolExecutor(in_flight, "docspec-bench") as threads:
            found = list(threads.map(self._one, [self._asked[index] for index in which]))
        counts = [one.counts for one, _ in found]
        return {
            "seconds": time.perf_counter() - began,
            "tokens": [list(one.token_ids or ()) for one, _ in found],
            "latencies": [seconds for _, seconds in found],
            "counts": {
                "drafts": sum((one.steps or 0) + 1 for one in counts),
                "draft_tokens": sum(one.drafted or 0 for one in counts),
                "accepted_tokens": sum(one.accepted or 0 for one in counts),
            },
        }

    def close(self) -> None:
        """Ends it."""
        self._generator.close()

    def _one(self, asked: GenerationRequest) -> tuple[Generation, float]:
        began = time.perf_counter()
        answer = self._generator.submit(asked).result()
        return answer, time.perf_counter() - began
